"""Recurrent layers by NumPy: the times of one layer in one direction, after the products with the
input.

Rows of all times stand one after the other: first those of time 0, then those of time 1, ...;
`sizes` says how many each time has (never more than the time before), so that padded and packed
sequences are one case. H hidden size, N rows in all, B rows of time 0.

Not here: the cells (`formulas.py`), the products with the input (`select.py`).
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np

from . import formulas

Array = np.ndarray
Sizes = tuple[int, ...]


class Numpy:
    """Arrays as a reader of `formulas.py`."""

    tanh = staticmethod(np.tanh)

    @staticmethod
    def sigmoid(x: Array) -> Array:
        """1 / (1 + e**-x)."""
        return 1.0 / (np.exp(-x) + 1.0)

    @staticmethod
    def relu(x: Array) -> Array:
        return np.maximum(x, 0)

    @staticmethod
    def passed(y: Array, dh: Array) -> Array:
        """The gradient where relu hands it on: y > 0, and NaN."""
        return np.where(y <= 0, dh.dtype.type(0), dh)


def times(sizes: Sizes, reverse: bool) -> Iterator[tuple[slice, int]]:
    """(the rows of a time, their number), in the order of time or against it."""
    at = np.concatenate(([0], np.cumsum(sizes))).tolist()
    order = range(len(sizes) - 1, -1, -1) if reverse else range(len(sizes))
    for t in order:
        yield slice(at[t], at[t + 1]), sizes[t]


def previous(states: Array, first: Array, sizes: Sizes, reverse: bool) -> Array:
    """The state before each row, from the states after each."""
    out = np.empty_like(states)
    now = first.copy()
    for rows, n in times(sizes, reverse):
        out[rows] = now[:n]
        now[:n] = states[rows]
    return out


def transposed(w: Array, sizes: Sizes) -> Array:
    """w^T; laid out anew where many products will read it, which then take half the time."""
    return np.ascontiguousarray(w.T) if len(sizes) > 2 else w.T


def parts(a: Array, count: int) -> Array:
    """Columns side by side as (count, rows, H)."""
    return a.reshape(len(a), count, a.shape[1] // count).swapaxes(0, 1)


def begun(g: Any, like: Array) -> Array:
    """A gradient that will be changed; zeros for None."""
    return np.zeros_like(like) if g is None else np.array(g)


# -- long short-term memory ----------------------------------------------------------------------


def lstm_forward(
    gates: Array, h0: Array, c0: Array, w_hh: Array, w_hr: Any, sizes: Sizes, reverse: bool
) -> tuple[Array, Array, Array, Array, Array]:
    """(states, last state, last cell, gates, cells); `gates` (N, 4H) holds the part of the input
    and is overwritten."""
    h, c = h0.copy(), c0.copy()
    out = np.empty((len(gates), h.shape[1]), gates.dtype)
    cells = np.empty((len(gates), w_hh.shape[0] // 4), gates.dtype)
    u = transposed(w_hh, sizes)
    for rows, n in times(sizes, reverse):
        a = gates[rows]
        a += np.matmul(h[:n], u)
        four = parts(a, 4)
        i, f, g, o = four
        *activated, cell, y = formulas.lstm(Numpy, i, f, g, o, c[:n])
        for place, value in zip(four, activated, strict=True):
            place[...] = value
        c[:n] = cells[rows] = cell
        h[:n] = out[rows] = y if w_hr is None else np.matmul(y, w_hr.T)
    return out, h, c, gates, cells


def lstm_backward(
    g_out: Any, g_h: Any, g_c: Any, gates: Array, cells: Array, h0: Array, c0: Array, w_hh: Array,
    w_hr: Any, sizes: Sizes, reverse: bool,
) -> tuple[Array, Array, Array, Any]:  # fmt: skip
    """Gradients of what enters the gates (N, 4H), of h0, c0, w_hr."""
    dgates = np.empty_like(gates)
    before = previous(cells, c0, sizes, reverse)
    dh, dc = begun(g_h, h0), begun(g_c, c0)
    seen = None if w_hr is None else np.empty((len(gates), h0.shape[1]), gates.dtype)
    for rows, n in times(sizes, not reverse):
        d = dh[:n]
        if g_out is not None:
            d += g_out[rows]
        if seen is not None:
            seen[rows] = d
            d = d @ w_hr
        i, f, g, o = parts(gates[rows], 4)
        *found, cell = formulas.lstm_gradient(
            Numpy, i, f, g, o, cells[rows], before[rows], d, dc[:n]
        )
        for place, value in zip(parts(dgates[rows], 4), found, strict=True):
            place[...] = value
        dc[:n] = cell
        np.matmul(dgates[rows], w_hh, out=dh[:n])
    dw_hr = None if seen is None else seen.T @ (parts(gates, 4)[3] * np.tanh(cells))
    return dgates, dh, dc, dw_hr


# -- gated recurrent unit ------------------------------------------------------------------------


def gru_forward(
    gates: Array, h0: Array, w_hh: Array, b_hh: Any, sizes: Sizes, reverse: bool
) -> tuple[Array, Array, Array, Array]:
    """(states, last state, gates, the state's part of n (N, H)); `gates` (N, 3H) holds the part of
    the input and is overwritten."""
    size = w_hh.shape[0] // 3
    h = h0.copy()
    out, inner = np.empty((2, len(gates), size), gates.dtype)
    u = transposed(w_hh, sizes)
    for rows, n in times(sizes, reverse):
        p = np.matmul(h[:n], u)
        if b_hh is not None:
            p += b_hh
        three = parts(gates[rows], 3)
        (r, z, new), (from_r, from_z, from_new) = three, parts(p, 3)
        inner[rows] = from_new
        *activated, y = formulas.gru(Numpy, r, z, new, from_r, from_z, from_new, h[:n])
        for place, value in zip(three, activated, strict=True):
            place[...] = value
        h[:n] = out[rows] = y
    return out, h, gates, inner


def gru_backward(
    g_out: Any, g_h: Any, out: Array, gates: Array, inner: Array, h0: Array, w_hh: Array,
    sizes: Sizes, reverse: bool,
) -> tuple[Array, Array, Array]:  # fmt: skip
    """Gradients of the state's products (N, 3H), of what enters n (N, H), of h0."""
    dgates, to_new = np.empty_like(gates), np.empty_like(inner)
    before = previous(out, h0, sizes, reverse)
    dh = begun(g_h, h0)
    for rows, n in times(sizes, not reverse):
        d = dh[:n]
        if g_out is not None:
            d += g_out[rows]
        r, z, new = parts(gates[rows], 3)
        *found, of_new, rest = formulas.gru_gradient(
            Numpy, r, z, new, inner[rows], before[rows], d
        )
        for place, value in zip(parts(dgates[rows], 3), found, strict=True):
            place[...] = value
        to_new[rows] = of_new
        d[...] = rest
        d += dgates[rows] @ w_hh
    return dgates, to_new, dh


# -- Elman's network -----------------------------------------------------------------------------


def rnn_forward(
    out: Array, h0: Array, w_hh: Array, sizes: Sizes, reverse: bool, relu: bool
) -> tuple[Array, Array]:
    """(states, last state); `out` holds the part of the input and is overwritten."""
    h, cell = h0.copy(), formulas.relu if relu else formulas.tanh
    u = transposed(w_hh, sizes)
    for rows, n in times(sizes, reverse):
        out[rows] += h[:n] @ u
        h[:n] = out[rows] = cell(Numpy, out[rows])
    return out, h


def rnn_backward(
    g_out: Any, g_h: Any, out: Array, h0: Array, w_hh: Array, sizes: Sizes, reverse: bool,
    relu: bool,
) -> tuple[Array, Array]:  # fmt: skip
    """Gradients of what enters the activation (N, H), and of h0."""
    gradient = formulas.relu_gradient if relu else formulas.tanh_gradient
    dpart, dh = np.empty_like(out), begun(g_h, h0)
    for rows, n in times(sizes, not reverse):
        d = dh[:n]
        if g_out is not None:
            d += g_out[rows]
        dpart[rows] = gradient(Numpy, out[rows], d)
        np.matmul(dpart[rows], w_hh, out=d)
    return dpart, dh
