"""Rows of a table summed by their place: the transpose of a lookup."""

from __future__ import annotations

import numpy as np


def sum_rows(rows: np.ndarray, place: np.ndarray, n: int) -> np.ndarray:
    """(n, D): row i is the sum of the `rows` (K, D) whose `place` (K) is i; zeros where none is.

    Rows of one place are brought together by a stable sort and summed in their order.
    """
    out = np.zeros((n, *rows.shape[1:]), rows.dtype)
    if not place.size:
        return out
    order = np.argsort(place, kind="stable")
    ordered = place[order]
    first = np.flatnonzero(np.concatenate(([True], ordered[1:] != ordered[:-1])))
    if first.size == ordered.size:
        out[place] = rows
    else:
        out[ordered[first]] = np.add.reduceat(rows[order], first, axis=0)
    return out


def renormalise(weight: np.ndarray, used: np.ndarray, max_norm: float, norm_type: float) -> None:
    """Shrink the rows `used` of a table whose norm exceeds `max_norm`, in place."""
    rows = weight[used].astype(np.float64)
    norms = np.linalg.norm(rows, norm_type, axis=1)
    long = norms > max_norm
    scale = max_norm / (norms[long] + 1e-7)
    weight[used[long]] = (rows[long] * scale[:, None]).astype(weight.dtype)
