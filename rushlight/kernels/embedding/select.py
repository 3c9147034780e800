"""Lookups in a table and their transpose: which way computes them.

Dense tables of floats go to `table.py` where there is enough to copy; it adds in the same order as
NumPy (`reference.py`), that of the rows. Not here: what indices are allowed
(`ops/nn/embedding.py`).
"""

from __future__ import annotations

import functools
import math
from typing import Any

import numpy as np

from .. import indices, runtime, tuning
from ..matmul.select import ELEMENTS
from ..meta import MetaArray
from ..plan import Draft, Plan, is_dense
from . import reference

Shape = tuple[int, ...]
Layout = tuple[Any, Shape, Shape]  # type, shape and strides of an array
INT64 = np.dtype(np.int64)


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


def native(dtype: Any, elements: int) -> bool:
    """Whether so many elements of a type are worth a kernel, and there is one."""
    least = tuning.EMBEDDING_LEAST
    return elements >= least and dtype in ELEMENTS and runtime.available()


@functools.lru_cache(maxsize=1024)
def plan_take(weight: Layout, index: Layout, always: bool = False) -> Plan:
    """Operands weight (n, D) and index (in range); output y (*index.shape, D).

    Few elements are left to NumPy, but not `always`: a compiled step has a kernel for them too.
    """
    of, at = MetaArray(weight[1], weight[0], weight[2]), MetaArray(index[1], index[0], index[2])
    draft = Draft({"weight": of, "index": at})
    y = draft.array("y", MetaArray((*at.shape, *of.shape[1:]), of.dtype))
    if of.ndim != 2 or not is_dense(of) or not native(
        of.dtype, tuning.EMBEDDING_LEAST if always else at.size * of.shape[1]
    ):
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
def plan_sum_rows(rows: Layout, index: Layout, n: int) -> Plan:
    """Operands rows (K, D) and index (K); output y (n, D)."""
    of, at = MetaArray(rows[1], rows[0], rows[2]), MetaArray(index[1], index[0], index[2])
    draft = Draft({"rows": of, "index": at})
    y = draft.array("y", MetaArray((n, *of.shape[1:]), of.dtype))
    width = math.prod(of.shape[1:])
    if of.ndim != 2 or not at.size or not native(of.dtype, max(of.size, n * width)):
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
