"""What is about order: which way finds it.

Many values in one sorted sequence are searched by a kernel (`searched.py`), which gives NumPy's
places; some of the largest of each row are found by another (`topk.py`). NumPy (`reference.py`) has
everything else.
"""

from __future__ import annotations

import functools
import math
from typing import Any

import numpy as np

from .. import runtime, tuning
from ..meta import MetaArray
from ..plan import Draft, Plan
from . import reference

Array = Any
Layout = tuple[Any, tuple[int, ...], tuple[int, ...]]  # type, shape and strides of an array
INT64, FLOAT32 = np.dtype(np.int64), np.dtype(np.float32)
ELEMENTS = {
    np.dtype(np.float32): "float", np.dtype(np.float64): "double", INT64: "i64",
    np.dtype(np.int32): "i32",
}  # fmt: skip


def searchsorted(sequence: Array, values: Array, right: bool, sorter: Array | None) -> Array:
    """Insertion places that keep each row of sequence sorted; rows are matched with rows of
    values."""
    if by_kernel(sequence, values, sorter):
        layouts = [(x.dtype, x.shape, x.strides) for x in (sequence, values)]
        return plan_search(*layouts, right).run(sequence, values)
    return reference.searchsorted(sequence, values, right, sorter)


def topk(x: Array, k: int, dim: int, largest: bool, ordered: bool) -> Array:
    """Positions of the k largest (or smallest) values along dim, in order; of equals the first ones
    come first."""
    if not topk_by_kernel(x, k, dim):
        return reference.topk(x, k, dim, largest, ordered)
    rows = np.ascontiguousarray(reference.innermost(x, dim))
    return reference.put_back(plan_topk(rows.shape, k, largest).run(rows), dim)


def kth(x: Array, k: int, dim: int) -> Array:
    """Position of the k-th smallest value (k from 1), with dim kept as size 1."""
    if not topk_by_kernel(x, k, dim):
        return reference.kth(x, k, dim)
    return topk(x, k, dim, False, True).take([k - 1], axis=dim)


def topk_by_kernel(x: Array, k: int, dim: int) -> bool:
    """Whether the kernel is quicker: for few of many numbers of float32."""
    n = x.shape[dim]
    few = 0 < k <= tuning.TOPK_MOST and k * k <= tuning.TOPK_SQUARE * n
    many = x.size >= tuning.TOPK_LEAST or n >= tuning.TOPK_LONG
    known = x.dtype == FLOAT32 and x.size > 0 and n < 1 << 31
    return few and many and known and runtime.available()


@functools.lru_cache(maxsize=1024)
def plan_topk(shape: tuple[int, ...], k: int, largest: bool) -> Plan:
    """Operand x, dense; the places of the k largest of each row, or smallest."""
    from .topk import kernel

    draft = Draft({"x": MetaArray(shape, FLOAT32)})
    rows, n = math.prod(shape[:-1]), shape[-1]
    places = draft.array("places", MetaArray((*shape[:-1], k), INT64))
    each = max(1, tuning.TOPK_CHUNK // n)
    draft.launch(
        kernel(largest), x="x", places=places, rows=rows, n=n, k=k, each=each,
        chunks=-(-rows // each),
    )  # fmt: skip
    return draft.plan("topk.kernel", ("places",), flops=rows * n)


def by_kernel(sequence: Array, values: Array, sorter: Array | None) -> bool:
    """Whether a kernel searches: many values of one type in one sequence."""
    if values.size < tuning.SEARCH_LEAST or sequence.ndim != 1 or not sequence.size:
        return False
    known = values.dtype in ELEMENTS and sequence.dtype == values.dtype and sorter is None
    return known and runtime.available()


@functools.lru_cache(maxsize=1024)
def plan_search(sequence: Layout, values: Layout, right: bool) -> Plan:
    """Operands sequence (n) and values; output y, in the shape of values."""
    from .searched import search

    given = {"sequence": sequence, "values": values}
    draft = Draft({k: MetaArray(a[1], a[0], a[2]) for k, a in given.items()})
    size = draft.metas["values"].size
    y = draft.array("y", MetaArray(values[1], INT64))
    each = tuning.SEARCH_CHUNK
    draft.launch(
        search(ELEMENTS[values[0]], right), sequence=draft.dense("sequence"),
        values=draft.dense("values"), places=y, n=sequence[1][0], size=size, each=each,
        chunks=-(-size // each),
    )  # fmt: skip
    return draft.plan("search.kernel", flops=size * sequence[1][0].bit_length())
