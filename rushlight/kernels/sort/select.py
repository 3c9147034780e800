"""Places in sorted sequences: which way finds them.

Many values in one sequence are searched by a kernel (`searched.py`), which gives NumPy's places;
others by NumPy (`reference.py`), which also has everything else about order.
"""

from __future__ import annotations

import functools
from typing import Any

import numpy as np

from .. import runtime, tuning
from ..meta import MetaArray
from ..plan import Draft, Plan
from . import reference

Array = Any
Layout = tuple[Any, tuple[int, ...], tuple[int, ...]]  # type, shape and strides of an array
INT64 = np.dtype(np.int64)
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
