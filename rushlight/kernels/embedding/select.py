"""Lookups in a table and their transpose: which way computes them.

Elements along a dimension, of any type, are picked by `picked.py` where there are more than a few;
else by NumPy (`gather.py`). Dense tables of floats go to `table.py` where there is enough to copy;
it adds in the same order as NumPy (`reference.py`), that of the rows. Not here: what indices are
allowed (`ops/nn/embedding.py`).
"""

from __future__ import annotations

import functools
import math
from typing import Any

import numpy as np

from .. import indices, runtime, tuning
from ..keys import Plans
from ..matmul.select import ELEMENTS
from ..meta import MetaArray
from ..plan import Draft, Plan, is_dense
from . import reference

Shape = tuple[int, ...]
Layout = tuple[Any, Shape, Shape]  # type, shape and strides of an array
INT64 = np.dtype(np.int64)
INTEGERS = {1: "i8", 2: "i16", 4: "i32", 8: "i64"}  # what elements of so many bytes are moved as


def take(weight: np.ndarray, index: np.ndarray) -> np.ndarray:
    """The rows of a table (n, D) at indices (any shape, in range): (*index.shape, D)."""
    made = plan_take(
        (weight.dtype, weight.shape, weight.strides), (index.dtype, index.shape, index.strides),
        indices.asked(),
    )  # fmt: skip
    return made.run(weight, index)  # type: ignore[no-any-return]


def sum_rows(rows: np.ndarray, index: np.ndarray, n: int) -> np.ndarray:
    """(n, D): row i is the sum of the `rows` (K, D) whose index (K) is i; zeros where none is."""
    made = plan_sum_rows(
        (rows.dtype, rows.shape, rows.strides), (index.dtype, index.shape, index.strides), n
    )
    return made.run(rows, index)  # type: ignore[no-any-return]


def elements(a: Any, index: Any, d: int, wraps: bool = False, known: bool = False) -> Any:
    """a[..., index[..., j, ...], ...], in rows, for what `by_kernel` takes; None where an index is
    out of range.

    Args:
        wraps: negative indices count from the end.
        known: the indices are in range.
    """
    y, flag = plan_elements(layout(a), layout(index), d, wraps, known).run(a, index)
    return None if flag[0] else y


@Plans
def plans_elements(a: Any, index: Any, d: int) -> Plan:
    """Of calls that `by_kernel` takes, with negative indices refused."""
    return plan_elements(layout(a), layout(index), d % a.ndim, False, False)


def are_many(index: Any) -> bool:
    """Whether a kernel picks so many elements, not a function of `few.py`."""
    return index.size >= tuning.GATHER_LEAST  # type: ignore[no-any-return]


def is_few(a: Any) -> bool:
    """Whether an array is small enough for functions of `few.py` that write to it by index, and
    these may look at indices now."""
    return a.size <= tuning.GATHER_FEW and not indices.asked()


def by_kernel(a: Any, index: Any, d: int) -> bool:
    """Whether a kernel picks them: as many dims, which differ along d alone, or in the first, where
    a may go on; many enough; and no large copy of a to be made for few of its elements."""
    if index.size < tuning.GATHER_LEAST or a.ndim != index.ndim or a.dtype.hasobject:
        return False
    if a.itemsize not in INTEGERS or not runtime.available():
        return False
    if any(a.shape[i] != k for i, k in enumerate(index.shape) if i and i != d):
        return False
    return a.flags.c_contiguous or index.size >= a.size


def plan_embedding(weight: Any, indices: Any, **_how: Any) -> Plan:
    """The plan of a lookup, from arrays or metadata."""
    return plan_take(layout(weight), layout(indices))


def plan_gradient(
    grad: Any, indices: Any, *, n: int, padding_idx: int = -1, scale_grad_by_freq: bool = False
) -> Plan:
    """The plan of the sums of rows that follow from gradients, once these have their factors."""
    count, width = math.prod(indices.shape), grad.shape[-1]
    rows = MetaArray((count, width), grad.dtype)
    return plan_sum_rows(layout(rows), layout(MetaArray((count,), indices.dtype)), n)


def layout(a: Any) -> Layout:
    """What a plan asks of an array."""
    return a.dtype, a.shape, a.strides


def native(dtype: Any, elements: int, least: int) -> bool:
    """Whether so many elements of a type are worth a kernel, and there is one."""
    return elements >= least and dtype in ELEMENTS and runtime.available()


@functools.lru_cache(maxsize=1024)
def plan_take(weight: Layout, index: Layout, always: bool = False) -> Plan:
    """Operands weight (n, D) and index (in range); output y (*index.shape, D).

    Few elements are left to NumPy, but not `always`: a compiled step has a kernel for them too.
    """
    of, at = MetaArray(weight[1], weight[0], weight[2]), MetaArray(index[1], index[0], index[2])
    draft = Draft({"weight": of, "index": at})
    y = draft.array("y", MetaArray((*at.shape, *of.shape[1:]), of.dtype))
    least = 0 if always else tuning.EMBEDDING_LEAST
    if of.ndim != 2 or not is_dense(of) or not native(of.dtype, at.size * of.shape[1], least):
        draft.numpy(reference.take, ("weight", "index"), y)
        return draft.plan("embedding.numpy")
    from .table import take as kernel

    width = of.shape[1]
    each = max(1, tuning.EMBEDDING_CHUNK // width)
    draft.launch(
        kernel(ELEMENTS[of.dtype]), table="weight", index=draft.dense("index", INT64), rows=y,
        count=at.size, width=width, each=each, chunks=-(-at.size // each),
    )  # fmt: skip
    return draft.plan("embedding.take")


@functools.lru_cache(maxsize=1024)
def plan_elements(a: Layout, index: Layout, d: int, wraps: bool, known: bool) -> Plan:
    """Operands a and index; outputs y, in the shape of index, and flag, which is 1 where an index
    is out of range."""
    from .picked import pick

    of, at = MetaArray(a[1], a[0], a[2]), MetaArray(index[1], index[0], index[2])
    draft = Draft({"a": of, "index": at})
    inner = math.prod(at.shape[d + 1 :])
    line = at.shape[d] * inner
    y = draft.array("y", MetaArray(at.shape, of.dtype))
    flag = draft.array("flag", MetaArray((1,), INT64))
    draft.launch(
        pick(INTEGERS[of.dtype.itemsize], wraps), a=draft.dense("a"),
        index=draft.dense("index", INT64), rows=y, flag=flag, n=of.shape[d], line=line,
        inner=inner, apart=line, size=at.size, known=int(known), each=tuning.GATHER_CHUNK,
        chunks=-(-at.size // tuning.GATHER_CHUNK),
    )  # fmt: skip
    return draft.plan("elements.pick", (y, flag))


@functools.lru_cache(maxsize=1024)
def plan_sum_rows(rows: Layout, index: Layout, n: int) -> Plan:
    """Operands rows (K, D) and index (K); output y (n, D)."""
    of, at = MetaArray(rows[1], rows[0], rows[2]), MetaArray(index[1], index[0], index[2])
    draft = Draft({"rows": of, "index": at})
    y = draft.array("y", MetaArray((n, *of.shape[1:]), of.dtype))
    width = math.prod(of.shape[1:])
    elements, least = max(of.size, n * width), tuning.EMBEDDING_SUM_LEAST
    if of.ndim != 2 or not at.size or not native(of.dtype, elements, least):
        draft.numpy(reference.sum_rows, ("rows", "index"), y, n=n)
        return draft.plan("embedding.numpy_sum", flops=of.size)
    from .table import place as kernel

    places = draft.array("places", MetaArray(at.shape, INT64))
    draft.numpy(reference.in_range, ("index",), places, n=n)
    dense = draft.dense("rows")
    links = draft.room("links", (n + at.size) * 8)
    each = max(1, -(-n // tuning.EMBEDDING_BANDS))
    draft.launch(
        kernel(ELEMENTS[of.dtype]), table=y, index=places, rows=dense, links=links,
        count=at.size, n=n, width=width, each=each, chunks=-(-n // each),
    )  # fmt: skip
    return draft.plan("embedding.place", flops=of.size)
