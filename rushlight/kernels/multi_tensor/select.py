"""Many arrays at once: their common norm, a factor for all, a limit for all, copies.

Gradient clipping and the unscaling of gradients are made of these. Lists of dense float32 or
float64 arrays are one call of machine code (`norm_scale.py`); few elements, and whatever is laid
out or typed otherwise, are NumPy's (`reference.py`). Nothing here knows a Tensor.
"""

from __future__ import annotations

import functools
import math
from collections.abc import Sequence
from typing import Any

import numpy as np

from .. import runtime, tuning
from ..matmul.select import ELEMENTS
from ..meta import MetaArray
from ..plan import Launch, Plan, Reference
from . import reference

NORMS = {1.0: "add", 2.0: "square", math.inf: "max"}

Arrays = Sequence[np.ndarray]


def plain(arrays: Arrays) -> Any:
    """The dtype of all arrays when that is float32 or float64, else None."""
    dtype = arrays[0].dtype if arrays and arrays[0].__class__ is np.ndarray else None
    if dtype not in ELEMENTS:
        return None
    same = all([a.__class__ is np.ndarray and a.dtype == dtype for a in arrays])
    return dtype if same else None


def has_norm(arrays: Arrays, order: float) -> bool:
    """Whether `norm` has an answer: arrays of one type, float32 or float64, some elements, and one
    of the orders 1, 2 and inf."""
    if order not in NORMS or plain(arrays) is None:
        return False
    sizes = [a.size for a in arrays]
    return sum(sizes) > 0 and (order != math.inf or 0 not in sizes)


def norm(arrays: Arrays, order: float) -> float:
    """The norm of all elements together, summed in float64, where it `has_norm`."""
    dtype = arrays[0].dtype
    laid = gathered(arrays, dtype, (False,))
    if laid is None:
        return plan_norm_numpy(order).run(arrays)  # type: ignore[no-any-return]
    table, total = laid
    return plan_norm(dtype, order, len(arrays), total).run(table)  # type: ignore[no-any-return]


def finite(arrays: Arrays) -> bool:
    """Whether no element is infinite or NaN."""
    if has_norm(arrays, math.inf):
        return math.isfinite(norm(arrays, math.inf))
    return all([bool(np.isfinite(a).all()) for a in arrays])


def scale(arrays: Arrays, factor: Any) -> None:
    """Multiply all elements by a number, in place."""
    in_place("scale", arrays, [factor])


def limit(arrays: Arrays, low: float, high: float) -> None:
    """Bring all elements into [low, high], in place; NaN stays."""
    in_place("limit", arrays, [low, high])


def in_place(name: str, arrays: Arrays, numbers: list[Any]) -> None:
    """Change all elements by a kernel that takes these numbers, or by NumPy."""
    dtype = plain(arrays)
    with np.errstate(all="ignore"):
        given = np.array(numbers, dtype or np.float64)
    laid = None if dtype is None else gathered(arrays, dtype, (True,))
    if laid is None:
        plan_in_place_numpy(name).run(arrays, given)
    else:
        plan_in_place(name, dtype, len(arrays), laid[1]).run(laid[0], given)


def gathered(
    arrays: Arrays, dtype: Any, writes: tuple[bool, ...]
) -> tuple[np.ndarray, int] | None:
    """(table of a list, elements of its rows) where a kernel works on it; else None."""
    least = tuning.MULTI_TENSOR_LEAST
    if not runtime.available() or sum([a.size for a in arrays]) < least:
        return None
    from ..codegen import tensor_lists

    width = len(writes)
    table = np.empty(tensor_lists.room(len(arrays) // width, width), np.int64)
    total = tensor_lists.gather(ELEMENTS[dtype], width, writes)(list(arrays), table)
    return None if total < 0 else (table, total)


# -- plans ---------------------------------------------------------------------------------------


@functools.lru_cache(maxsize=256)
def plan_norm(dtype: Any, order: float, rows: int, total: int) -> Plan:
    """Operand table (`tensor_lists.gather`); output y, a number."""
    from ..codegen import tensor_lists
    from .norm_scale import norm as kernel

    ints = tensor_lists.sizes(rows, total)
    double = np.dtype(np.float64)
    launches: list[Launch | Reference] = [
        Launch(kernel(ELEMENTS[dtype], NORMS[order]), table="table", numbers="parts", **ints),
        Reference(reference.of_parts, ("parts",), order=order),
    ]
    outputs = {"parts": MetaArray((ints["chunks"],), double), "y": MetaArray((), double)}
    return Plan(
        "multi_tensor.norm", ("table",), outputs, launches, returns=("y",), flops=2 * total,
        bytes=total * dtype.itemsize,
    )  # fmt: skip


@functools.lru_cache(maxsize=16)
def plan_norm_numpy(order: float) -> Plan:
    """Operand arrays (a list); output y, a number."""
    y = MetaArray((), np.float64)
    launch = Reference(reference.norm, ("arrays",), order=order)
    return Plan("multi_tensor.numpy_norm", ("arrays",), {"y": y}, [launch])


@functools.lru_cache(maxsize=256)
def plan_in_place(name: str, dtype: Any, rows: int, total: int) -> Plan:
    """Operands table (`tensor_lists.gather`) and numbers."""
    from ..codegen import tensor_lists
    from . import norm_scale

    launches = []
    if total:
        kernel = getattr(norm_scale, name)(ELEMENTS[dtype])
        ints = tensor_lists.sizes(rows, total)
        launches = [Launch(kernel, table="table", numbers="numbers", **ints)]
    return Plan(
        f"multi_tensor.{name}", ("table", "numbers"), {}, launches, mutates=("table",),
        flops=total, bytes=2 * total * dtype.itemsize,
    )  # fmt: skip


@functools.lru_cache(maxsize=16)
def plan_in_place_numpy(name: str) -> Plan:
    """Operands arrays (a list) and numbers."""
    launch = Reference(getattr(reference, name), ("arrays", "numbers"), ())
    operands = ("arrays", "numbers")
    return Plan(f"multi_tensor.numpy_{name}", operands, {}, [launch], mutates=("arrays",))
