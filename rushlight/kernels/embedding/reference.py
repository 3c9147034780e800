"""Rows of a table looked up, and rows summed by their place, with NumPy, for every type."""

from __future__ import annotations

import numpy as np

from ..indices import within


def take(table: np.ndarray, index: np.ndarray) -> np.ndarray:
    """The rows of a table (n, D) at indices (any shape, in range): (*index.shape, D)."""
    return table[index]  # type: ignore[no-any-return]


def sum_rows(rows: np.ndarray, index: np.ndarray, *, n: int) -> np.ndarray:
    """(n, D): row i is the sum of the `rows` (K, D) whose index (K) is i; zeros where none is.

    Rows of one index are brought together by a stable sort and summed in their order.
    """
    out = np.zeros((n, *rows.shape[1:]), rows.dtype)
    if not index.size:
        return out
    order = np.argsort(index, kind="stable")
    ordered = index[order]
    first = np.flatnonzero(np.concatenate(([True], ordered[1:] != ordered[:-1])))
    if first.size == ordered.size:
        out[index] = rows
    else:
        out[ordered[first]] = np.add.reduceat(rows[order], first, axis=0)
    return out


def in_range(index: np.ndarray, *, n: int) -> np.ndarray:
    """Indices as a kernel reads them: dense int64 in [0, n); negative ones count from the end.

    Raises:
        IndexError: for one that is in no range; a kernel would write outside its memory.
    """
    index = np.ascontiguousarray(index, np.int64)
    if not within(index, 0, n):
        index = np.where(index < 0, index + n, index)
        if int(index.view(np.uint64).max()) >= n:
            raise IndexError(f"an index is out of bounds for a table of {n} rows")
    return index


def renormalise(weight: np.ndarray, used: np.ndarray, max_norm: float, norm_type: float) -> None:
    """Shrink the rows `used` of a table whose norm exceeds `max_norm`, in place."""
    rows = weight[used].astype(np.float64)
    norms = np.linalg.norm(rows, norm_type, axis=1)
    long = norms > max_norm
    scale = max_norm / (norms[long] + 1e-7)
    weight[used[long]] = (rows[long] * scale[:, None]).astype(weight.dtype)
