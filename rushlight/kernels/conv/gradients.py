"""The gradients of a convolution that are wanted, in one plan.

They are what `select.py` has for each of them and what `reduce/select.py` has for the sum over a
bias, with the bits that these have; one plan is looked up and called where there were three.

Not here: which kernel computes one (`select.py`).
"""

from __future__ import annotations

import functools
import math
from typing import Any

import numpy as np

from .. import tuning
from ..keys import Plans
from ..meta import MetaArray
from ..narrow import is_narrow, key_of, narrow_plan, precision_of
from ..plan import Draft, Plan
from ..reduce.select import SUM
from . import select

Array = Any
Ints = tuple[int, ...]
FLOATS = (np.dtype(np.float32), np.dtype(np.float64))


@Plans
def plans_together(
    g: Array, x: Array, w: Array, need_x: bool, need_w: bool, need_bias: bool, stride: Ints,
    padding: Ints, dilation: Ints, groups: int, transposed: bool, precision: str,
) -> Plan | None:  # fmt: skip
    """The plan of the gradients of y = x convolved with w + bias, or transposed; g is that of y.

    None where one plan does not compute them: arrays are large, or no floats of one type.
    """
    if not g.flags.aligned:  # NumPy sums those
        return None
    return plan_gradients(
        g.dtype, g.shape, g.strides, x.dtype, x.shape, x.strides, w.dtype, w.shape, w.strides,
        (need_x, need_w, need_bias), stride, padding, dilation, groups, transposed, precision,
    )  # fmt: skip


def in_places(found: Any, plan: Plan, needs: tuple[bool, bool, bool]) -> tuple[Array | None, ...]:
    """dx, dw and the bias's db of what a plan returns; None for those that nobody needs."""
    rest = iter(found if len(plan.returns) > 1 else (found,))
    return tuple([next(rest) if wanted else None for wanted in needs])


@functools.lru_cache(maxsize=select.PLANS)
def plan_gradients(
    g_dtype: Any, g_shape: Ints, g_strides: Ints, x_dtype: Any, x_shape: Ints, x_strides: Ints,
    w_dtype: Any, w_shape: Ints, w_strides: Ints, needs: tuple[bool, bool, bool], stride: Ints,
    padding: Ints, dilation: Ints, groups: int, transposed: bool, precision: str = "highest",
) -> Plan | None:  # fmt: skip
    """dx, dw and db, as far as they are needed: operands g, x and w."""
    elements = sum(map(math.prod, (g_shape, x_shape, w_shape)))
    if elements > tuning.CONV_TOGETHER or not g_dtype == x_dtype == w_dtype or not any(needs):
        return None
    if is_narrow(g_dtype):
        more = needs, stride, padding, dilation, groups, transposed
        precision = precision_of(g_dtype, precision)
        metas: dict[str, MetaArray | None] = {
            "g": MetaArray(g_shape, g_dtype, g_strides),
            "x": MetaArray(x_shape, x_dtype, x_strides),
            "w": MetaArray(w_shape, w_dtype, w_strides),
        }
        return narrow_plan(
            "conv_gradients", metas, lambda *m: plan_gradients(*key_of(*m), *more, precision)
        )
    if g_dtype not in FLOATS:
        return None
    g, x = (g_dtype, g_shape, g_strides), (x_dtype, x_shape, x_strides)
    w, how = (w_dtype, w_shape, w_strides), (stride, padding, dilation, groups)
    size, kernel = x_shape[2:], w_shape[2:]
    d = Draft({k: MetaArray(shape, dtype, strides)
               for k, (dtype, shape, strides) in (("g", g), ("x", x), ("w", w))})  # fmt: skip
    made: list[tuple[Plan, str, dict[str, str | None]]] = []
    if needs[0] and transposed:
        sub = select.plan_forward(*g, *w, None, *how, size, precision)
        made.append((sub, "dx", {"x": "g", "w": "w", "bias": None, "y": "dx"}))
    elif needs[0]:
        sub = select.plan_input(*g, *w, size, *how, precision)
        made.append((sub, "dx", {"g": "g", "w": "w", "dx": "dx"}))
    if needs[1]:
        one, two = (g, x) if transposed else (x, g)
        sub = select.plan_weight(*one, *two, kernel, *how, precision)
        names: dict[str, str | None] = {"x": "x", "g": "g", "dw": "dw"}
        made.append((sub, "dw", names | {"x": "g", "g": "x"} if transposed else names))
    if needs[2]:
        sub = SUM.plan((d.metas["g"],), (0, *range(2, len(g_shape))))
        made.append((sub, "db", {"x0": "g", "y": "db"}))
    for sub, result, names in made:
        d.array(result, sub.outputs[sub.returns[0]])
        d.include(sub, names, over=1.0)
    name = f"conv_gradients.{', '.join([sub.way for sub, *_ in made])}"
    returns = [result for _, result, _ in made]
    return d.plan(name, returns, sum([sub.flops or 0 for sub, *_ in made]))
