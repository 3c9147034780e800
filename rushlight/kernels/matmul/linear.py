"""The gradients of a linear layer in one plan.

They are the products that `select.plan` has for them, with the same bits, and the sum that a bias
gets, by the kernel of `reduce/select.py` at every size (alone, NumPy adds up few); one plan is
looked up and called where there were three.

Not here: the layer itself, which is a product with something added (`select.py`).
"""

from __future__ import annotations

import functools
import math
from typing import Any

from ..copy import select as copy
from ..keys import Plans
from ..meta import MetaArray
from ..narrow import is_narrow, key_of, narrow_plan, precision_of
from ..plan import Draft, Plan, Reference, is_dense
from ..reduce.select import plan_leading
from .select import plan

Array = Any
Shape = tuple[int, ...]


@Plans
def plans_gradients(g: Array, x: Array, w: Array, precision: str, bias: bool) -> Plan | None:
    """(g @ w, g^T @ x), with `bias` also the sum of g, over all leading dims: run on g, x and w.

    Shapes: g (..., N), x (..., K), w (N, K). None where g and x, as they lie in memory, are not one
    matrix each. Gradients of narrow floats come in the type that these are computed in; the sum may
    have been rounded.
    """
    return plan_gradients(
        g.dtype, g.shape, g.strides, x.dtype, x.shape, x.strides, w.dtype, w.shape, w.strides,
        precision, bias,
    )  # fmt: skip


def in_rows(meta: MetaArray) -> MetaArray | None:
    """A stack of matrices as one matrix of the same memory; None where there is none."""
    if meta.ndim == 2 or not is_dense(meta):
        return meta if meta.ndim == 2 else None
    return MetaArray((math.prod(meta.shape[:-1]), meta.shape[-1]), meta.dtype)


@functools.lru_cache(maxsize=1024)
def plan_gradients(
    g_dtype: Any, g_shape: Shape, g_strides: Shape, x_dtype: Any, x_shape: Shape, x_strides: Shape,
    w_dtype: Any, w_shape: Shape, w_strides: Shape, precision: str = "highest", bias: bool = False,
) -> Plan | None:  # fmt: skip
    """dx = g @ w and dw = g^T @ x; db, the sum of g."""
    all_g, all_x = MetaArray(g_shape, g_dtype, g_strides), MetaArray(x_shape, x_dtype, x_strides)
    all_w = MetaArray(w_shape, w_dtype, w_strides)
    g, x = in_rows(all_g), in_rows(all_x)
    narrow = is_narrow(g_dtype) and g_dtype == x_dtype == w_dtype
    if not narrow and (g is None or x is None):
        return None
    if g is not None and x is not None:
        turned = MetaArray(g.shape[::-1], g.dtype, g.strides[::-1])
        of_x = plan(*key_of(all_g, all_w), precision, rounds=False)
        of_w = plan(*key_of(turned, x), precision, rounds=False)
    if g is None or x is None or (narrow and not read_as_they_are(of_x, of_w)):
        precision = precision_of(g_dtype, precision)
        return narrow_plan(
            "linear_gradients", {"g": all_g, "x": all_x, "w": all_w},
            lambda *m: plan_gradients(*key_of(*m), precision, bias), rounds=False,
        )  # fmt: skip
    d = Draft({"g": all_g, "x": all_x, "w": all_w})
    left, right = "g", "x"
    if any(isinstance(launch, Reference) for launch in of_w.launches):
        # NumPy looks at shapes and strides; kernels have theirs from the plan.
        if not (is_dense(g) and is_dense(x)):
            return None
        left, right = d.view("g_turned", "g", turned), d.view("x_rows", "x", x)
    if bias:  # first, while g is near: a sum of 768 x 512 takes 21 us, 45 behind the products
        if g.shape[0] == 1:  # the sum of one row
            of_b = copy.plan(g_dtype, g_dtype, g.shape[1:], g.strides[1:], (g_dtype.itemsize,))
            db = d.array("db", MetaArray(g.shape[1:], g_dtype))
        else:
            of_b = plan_leading(all_g, all_g.ndim - 1, 1)
            db = d.array("db", of_b.outputs["y"])
        d.include(of_b, {of_b.operands[0]: "g", "y": db}, over=1.0)
    numbers = {"alpha": 1.0, "beta": 0.0}
    for made, a, b, y in ((of_x, "g", "w", "dx"), (of_w, left, right, "dw")):
        d.include(made, {"a": a, "b": b, "d": None, "y": d.array(y, made.outputs["y"])}, **numbers)
    name, flops = f"linear_gradients.{of_x.way}, {of_w.way}", (of_x.flops or 0) + (of_w.flops or 0)
    if not bias:
        return d.plan(name, ("dx", "dw"), flops)
    return d.plan(f"{name}, {of_b.name}", ("dx", "dw", "db"), flops + (of_b.flops or 0))


def read_as_they_are(*plans: Plan) -> bool:
    """Whether no plan of some narrow operands brings one to float32 first."""
    return not any(name.endswith("_wide") for plan in plans for name in plan.outputs)
