"""Products of sparse matrices without a kernel: by SciPy where it is installed, else by NumPy.

SciPy is optional (`pip install rushlight[sparse]`). Both ways give the same numbers up to the order
of additions; SciPy's is many times quicker and needs no memory beside the result. Which calls come
here: `select.py`.
"""

from __future__ import annotations

import functools
from typing import Any

import numpy as np

from .arrays import INDEX, pointers_of

CHUNK = 1 << 22  # elements of a table of products that NumPy's way makes at once
FEW = 1 << 15  # products of elements up to which NumPy is quicker than a matrix of SciPy's is made


@functools.cache
def scipy() -> Any:
    """`scipy.sparse`, or None where SciPy is not installed."""
    try:
        import scipy.sparse as found
    except ImportError:
        return None
    return found


def wide(a: Any) -> Any:
    """An array in a type that SciPy takes: float32 and complex64 in place of narrower ones."""
    if a.dtype.kind in "VW" or a.dtype == np.float16:
        return a.astype(np.complex64 if a.dtype.kind == "W" else np.float32)
    return a.astype(np.uint8) if a.dtype == bool else a


def times_dense(values: Any, rows: Any, cols: Any, dense: Any, n: int) -> Any:
    """The sparse matrix (n, k) of values at (rows, cols) times a dense (k, m)."""
    kind = np.result_type(values.dtype, dense.dtype) if values.dtype != dense.dtype else dense.dtype
    return _product(wide(values), rows, cols, wide(dense), n).astype(kind, copy=False)


def _product(v: Any, rows: Any, cols: Any, d: Any, n: int) -> Any:
    """The same in the type that it is computed in."""
    found = scipy()
    if found is not None and len(v):
        matrix = found.coo_array((v, (rows, cols)), shape=(n, d.shape[0])).tocsr()
        return np.ascontiguousarray(matrix @ d)
    return by_numpy(v, rows, cols, d, n)


def by_numpy(v: Any, rows: Any, cols: Any, d: Any, n: int) -> Any:
    """`times_dense` without SciPy: products of rows, added up where the row is the same."""
    out = np.zeros((n, d.shape[1]), np.result_type(v.dtype, d.dtype))
    if not len(v) or not d.shape[1]:
        return out
    order = np.argsort(rows, kind="stable")
    rows, cols, v = rows[order], cols[order], v[order]
    a_chunk = max(1, CHUNK // d.shape[1])
    for at in range(0, len(v), a_chunk):
        part = slice(at, at + a_chunk)
        r = rows[part]
        begins = np.flatnonzero(np.concatenate(([True], r[1:] != r[:-1])))
        sums = np.add.reduceat(v[part, None] * d[cols[part]], begins, axis=0)
        out[r[begins]] += sums
    return out


def csr_mm(
    x: Any, index: Any, offset: Any, weight: Any, *, mean: bool, how: str = "add"
) -> Any:  # fmt: skip
    """Row i is the sum, or the mean, of weight[k] * x[index[k]] for k from offset[i] to
    offset[i + 1] - 1; or the largest or smallest x[index[k]]."""
    if how != "add":
        y = np.full((len(offset) - 1, x.shape[1]), -np.inf if how == "max" else np.inf, x.dtype)
        inside = slice(int(offset[0]), int(offset[-1]))
        reduce_slices(y, rows_of(offset), x[index[inside]], 0, how)
        return y
    counts = np.diff(offset)
    inside = slice(int(offset[0]), int(offset[-1])) if len(offset) else slice(0, 0)
    rows = rows_of(offset)
    wide_y = _rows_summed(
        x, index[inside], rows, None if weight is None else weight[inside], len(counts)
    )
    if mean:
        wide_y /= np.maximum(counts, 1).astype(wide_y.dtype)[:, None]
    return wide_y.astype(x.dtype, copy=False)


def reduce_slices(out: Any, index: Any, source: Any, d: int, how: str) -> None:
    """Slices along dimension d joined with those of `out` at indices: brought together by their
    place, then at once."""
    if not index.size:
        return
    ufunc = np.maximum if how == "max" else np.minimum
    order = np.argsort(index, kind="stable")
    ordered = index[order]
    first = np.flatnonzero(np.concatenate(([True], ordered[1:] != ordered[:-1])))
    found = ufunc.reduceat(np.take(source, order, axis=d), first, axis=d)
    key = (slice(None),) * d + (ordered[first],)
    out[key] = ufunc(out[key], found)


def csr_argmax(x: Any, index: Any, offset: Any) -> Any:
    """Of index[k], k from offset[i] to offset[i + 1] - 1, the one whose row of x has the largest
    element in a column, the first of equal ones; 0 where there is none."""
    counts = np.diff(offset)
    found = np.zeros((len(counts), x.shape[1]), INDEX)
    some = np.flatnonzero(counts)
    if not some.size or not x.shape[1]:
        return found
    at, begins = index[int(offset[0]) : int(offset[-1])], offset[:-1][some] - offset[0]
    terms = x[at]
    nothing = np.isnan(terms)
    if nothing.any():  # NaN is the largest where it comes first only
        terms[nothing] = -np.inf
        terms[begins] = np.where(nothing[begins], np.inf, terms[begins])
    top = np.maximum.reduceat(terms, begins, axis=0)
    hit = terms == np.repeat(top, counts[some], axis=0)
    place = np.where(hit, np.arange(len(terms))[:, None], len(terms))
    found[some] = at[np.minimum.reduceat(place, begins, axis=0)]
    return found


def rows_of(offset: Any) -> Any:
    """The row of each entry, of where rows begin."""
    return np.repeat(np.arange(len(offset) - 1), np.diff(offset))


def coo_mm(x: Any, index: Any, rows: Any, weight: Any, *, n: int) -> Any:
    """Row i is the sum of weight[k] * x[index[k]] over all k with rows[k] = i."""
    return _rows_summed(x, index, rows, weight, n).astype(x.dtype, copy=False)


def _rows_summed(x: Any, index: Any, rows: Any, weight: Any, n: int) -> Any:
    """These sums in the type that they are computed in."""
    few = len(index) * x.shape[1] < FEW
    if weight is None:
        weight = np.ones(len(index), x.dtype)
    v, d = wide(weight), wide(x)
    if few:
        return by_numpy(v, rows, index, d, n)
    return _product(v, rows, index, d, n)


def sampled(a: Any, b: Any, rows: Any, cols: Any) -> Any:
    """The elements (rows, cols) of a @ b^H, for a of (n, k) and b of (m, k)."""
    out = np.empty(len(rows), np.result_type(a.dtype, b.dtype) if a.dtype != b.dtype else a.dtype)
    x, y = wide(a), wide(b)
    a_chunk = max(1, CHUNK // max(1, x.shape[1]))
    for at in range(0, len(rows), a_chunk):
        part = slice(at, at + a_chunk)
        out[part] = np.einsum("ij,ij->i", x[rows[part]], y[cols[part]].conj())
    return out


def pairs(a_cols: Any, b_rows: Any, inner: int) -> tuple[Any, Any]:
    """Which value of a meets which of b in a product a @ b: places in both, for each product."""
    order = np.argsort(b_rows, kind="stable")
    pointers, _ = pointers_of(np.bincount(b_rows, minlength=inner), (inner,))
    counts = np.diff(pointers)[a_cols]
    mine = np.repeat(np.arange(len(a_cols), dtype=INDEX), counts)
    ends = np.cumsum(counts)
    within = np.arange(len(mine), dtype=INDEX) - np.repeat(ends - counts, counts)
    return mine, order[pointers[a_cols[mine]] + within]
