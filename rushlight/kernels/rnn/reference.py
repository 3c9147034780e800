"""Recurrent layers on arrays: one layer in one direction over whole sequences, and its gradient.

Rows of all times stand one after the other: first those of time 0, then those of time 1, ...;
`sizes` says how many each time has (never more than the time before), so that padded and packed
sequences are one case. The products with the input are one product for all times; only the
products with the state are in the loop. Backward, what does not depend on later times is computed
for all times at once before the loop, and the gradients of the weights are one product after it.

H hidden size, N rows in all, B rows of time 0. Not here: how layers are put together
(`ops/nn/rnn.py`), the steps in machine code (`select.py`).
"""

from __future__ import annotations

from collections.abc import Iterator
from itertools import pairwise
from typing import Any

import numpy as np

from ..matmul.select import linear, product
from ..reduce.reference import add_reduce
from . import select as native

Array = np.ndarray
Sizes = tuple[int, ...]


def steps(sizes: Sizes, reverse: bool) -> Iterator[tuple[slice, int]]:
    """(the rows of a time, their number), in the order of time or against it."""
    at = np.concatenate(([0], np.cumsum(sizes))).tolist()
    order = range(len(sizes) - 1, -1, -1) if reverse else range(len(sizes))
    for t in order:
        yield slice(at[t], at[t + 1]), sizes[t]


def previous(states: Array, first: Array, sizes: Sizes, reverse: bool) -> Array:
    """The state before each row, from the states after each."""
    out = np.empty_like(states)
    now = first.copy()
    for rows, n in steps(sizes, reverse):
        out[rows] = now[:n]
        now[:n] = states[rows]
    return out


def earlier(states: Array, first: Array, sizes: Sizes, reverse: bool) -> list[Array]:
    """`previous` for each time, in the order of the steps; by views where that is possible."""
    times = [*steps(sizes, reverse)]
    if reverse and sizes[0] != sizes[-1]:
        whole = previous(states, first, sizes, reverse)
        return [whole[rows] for rows, _ in times]
    found = [first]
    for (last, _), (_, n) in pairwise(times):
        found.append(states[last.start : last.start + n])
    return found


def affine(x: Array, w: Array, *biases: Array | None) -> Array:
    """x w^T + biases."""
    some = [b for b in biases if b is not None]
    bias = None if not some else some[0] if len(some) == 1 else some[0] + some[1]
    return linear(x, w.T, bias)


def turned(w: Array, sizes: Sizes) -> Array:
    """w^T; laid out anew where many products will read it, which then take half the time."""
    return np.ascontiguousarray(w.T) if len(sizes) > 2 else w.T


def sigmoid_(a: Array) -> Array:
    """1 / (1 + exp(-a)), in place."""
    np.multiply(a, -1, out=a)  # np.negative is wrong in place at strides of 16 bytes
    np.exp(a, out=a)
    a += 1
    return np.reciprocal(a, out=a)


def weight_gradients(d: Array, x: Array, h: Array) -> tuple[Array, Array]:
    """Gradients of the weights of input and state."""
    return product(d.T, x), product(d.T, h)


def state_weights(d: Array, states: Array, first: Array, sizes: Sizes, reverse: bool) -> Array:
    """The gradient of the weights of the state: d^T previous(states); for padded sequences without
    laying the states out anew."""
    n, rows = sizes[0], len(states)
    if sizes[-1] != n or n == rows:
        return product(d.T, previous(states, first, sizes, reverse))
    begun, rest = (
        (slice(rows - n, rows), slice(rows - n)) if reverse else (slice(n), slice(n, rows))
    )
    seen = slice(n, rows) if reverse else slice(rows - n)
    y = product(d[rest].T, states[seen])
    y += product(d[begun].T, first)
    return y


# -- long short-term memory ----------------------------------------------------------------------


def lstm_forward(
    x: Array, h0: Array, c0: Array, w_ih: Array, w_hh: Array, b_ih: Any, b_hh: Any, w_hr: Any,
    sizes: Sizes, reverse: bool,
) -> tuple[Array, Array, Array, Array, Array]:  # fmt: skip
    """(states, last state, last cell, gates (N, 4H) in the order i f g o, cells (N, H))."""
    gates = affine(x, w_ih, b_ih, b_hh)
    if w_hr is None and native.usable(sizes, w_hh, gates, h0, c0):
        return native.lstm_forward(gates, h0, c0, w_hh, [*steps(sizes, reverse)])
    size = w_hh.shape[0] // 4
    h, c = h0.copy(), c0.copy()
    out = np.empty((len(x), h.shape[1]), gates.dtype)
    cells = np.empty((len(x), size), gates.dtype)
    u = turned(w_hh, sizes)
    product = np.empty((len(h), 4 * size), gates.dtype)
    for rows, n in steps(sizes, reverse):
        a = gates[rows]
        a += np.matmul(h[:n], u, out=product[:n])
        sigmoid_(a[:, : 2 * size])
        g = a[:, 2 * size : 3 * size]
        np.tanh(g, out=g)
        o = sigmoid_(a[:, 3 * size :])
        now = c[:n]
        now *= a[:, size : 2 * size]
        now += a[:, :size] * g
        cells[rows] = now
        y = out[rows] if w_hr is None else np.empty_like(now)
        np.tanh(now, out=y)
        y *= o
        if w_hr is not None:
            np.matmul(y, w_hr.T, out=out[rows])
        h[:n] = out[rows]
    return out, h, c, gates, cells


def lstm_backward(
    g_out: Any, g_h: Any, g_c: Any, out: Array, gates: Array, cells: Array, x: Array, h0: Array,
    c0: Array, w_ih: Array, w_hh: Array, w_hr: Any, sizes: Sizes, reverse: bool,
    need_x: bool = True,
) -> tuple[Any, ...]:  # fmt: skip
    """Gradients of x, h0, c0, w_ih, w_hh, the biases, w_hr."""
    if w_hr is None and native.usable(sizes, w_hh, gates, cells, h0, c0, g_out, g_h, g_c):
        before = earlier(cells, c0, sizes, reverse)
        factor, dh, dc = native.lstm_backward(
            g_out, g_h, g_c, gates, cells, before, h0, c0, w_hh, [*steps(sizes, not reverse)]
        )
        dw_hh = state_weights(factor, out, h0, sizes, reverse)
        dx = product(factor, w_ih) if need_x else None
        return dx, dh, dc, product(factor.T, x), dw_hh, add_reduce(factor, (0,)), None
    size = w_hh.shape[0] // 4
    i, f, g, o = (gates[:, k * size : (k + 1) * size] for k in range(4))
    tanh_c = np.tanh(cells)
    # What each gate's gradient is of the cell's (i f g) and of the state's (o).
    factor = np.empty_like(gates)
    np.multiply(1 - gates, gates, out=factor)
    factor[:, :size] *= g
    factor[:, size : 2 * size] *= previous(cells, c0, sizes, reverse)
    np.multiply(1 - g * g, i, out=factor[:, 2 * size : 3 * size])
    factor[:, 3 * size :] *= tanh_c
    to_cell = (1 - tanh_c * tanh_c) * o
    parts = factor.reshape(-1, 4, size)
    dh = np.zeros_like(h0) if g_h is None else np.array(g_h)
    dc = np.zeros_like(c0) if g_c is None else np.array(g_c)
    seen = np.empty_like(out) if w_hr is not None else None  # the states' whole gradients
    for rows, n in steps(sizes, not reverse):
        d = dh[:n]
        if g_out is not None:
            d += g_out[rows]
        if seen is not None:
            seen[rows] = d
            d = d @ w_hr
        cell = dc[:n]
        cell += d * to_cell[rows]
        part = parts[rows]
        part[:, :3] *= cell[:, None]
        part[:, 3] *= d
        cell *= f[rows]
        np.matmul(factor[rows], w_hh, out=dh[:n])
    dw_ih, dw_hh = weight_gradients(factor, x, previous(out, h0, sizes, reverse))
    dw_hr = None if seen is None else seen.T @ (o * tanh_c)
    return product(factor, w_ih), dh, dc, dw_ih, dw_hh, factor.sum(0), dw_hr


# -- gated recurrent unit ------------------------------------------------------------------------


def gru_forward(
    x: Array, h0: Array, w_ih: Array, w_hh: Array, b_ih: Any, b_hh: Any, sizes: Sizes,
    reverse: bool,
) -> tuple[Array, Array, Array, Array]:  # fmt: skip
    """(states, last state, gates (N, 3H) in the order r z n, the state's part of n (N, H))."""
    gates = affine(x, w_ih, b_ih)
    if native.usable(sizes, w_hh, gates, h0, b_hh):
        return native.gru_forward(gates, h0, w_hh, b_hh, [*steps(sizes, reverse)])
    size = w_hh.shape[0] // 3
    h = h0.copy()
    out = np.empty((len(x), size), gates.dtype)
    inner = np.empty((len(x), size), gates.dtype)
    u = turned(w_hh, sizes)
    product = np.empty((len(h), 3 * size), gates.dtype)
    for rows, n in steps(sizes, reverse):
        a, p = gates[rows], product[:n]
        np.matmul(h[:n], u, out=p)
        if b_hh is not None:
            p += b_hh
        both = a[:, : 2 * size]
        both += p[:, : 2 * size]
        sigmoid_(both)
        inner[rows] = p[:, 2 * size :]
        new = a[:, 2 * size :]
        new += a[:, :size] * inner[rows]
        np.tanh(new, out=new)
        y = np.subtract(h[:n], new, out=out[rows])
        y *= a[:, size : 2 * size]
        y += new
        h[:n] = y
    return out, h, gates, inner


def gru_backward(
    g_out: Any, g_h: Any, out: Array, gates: Array, inner: Array, x: Array, h0: Array, w_ih: Array,
    w_hh: Array, sizes: Sizes, reverse: bool, need_x: bool = True,
) -> tuple[Any, ...]:  # fmt: skip
    """Gradients of x, h0, w_ih, w_hh, b_ih, b_hh."""
    size = w_hh.shape[0] // 3
    if native.usable(sizes, w_hh, gates, inner, h0, g_out, g_h):
        states = earlier(out, h0, sizes, reverse)
        factor, to_new, dh = native.gru_backward(
            g_out, g_h, gates, inner, states, h0, w_hh, [*steps(sizes, not reverse)]
        )
        dw_hh = state_weights(factor, out, h0, sizes, reverse)
        db_hh = add_reduce(factor, (0,))
        factor[:, 2 * size :] = to_new
        dx = product(factor, w_ih) if need_x else None
        return dx, dh, product(factor.T, x), dw_hh, add_reduce(factor, (0,)), db_hh
    before = previous(out, h0, sizes, reverse)
    r, z, new = (gates[:, k * size : (k + 1) * size] for k in range(3))
    # What the gradients of the state's products (r z n) are of the state's gradient.
    factor = np.empty_like(gates)
    to_new = (1 - z) * (1 - new * new)
    factor[:, :size] = to_new * inner * (r * (1 - r))
    factor[:, size : 2 * size] = (before - new) * (z * (1 - z))
    factor[:, 2 * size :] = to_new * r
    parts = factor.reshape(-1, 3, size)
    dh = np.zeros_like(h0) if g_h is None else np.array(g_h)
    for rows, n in steps(sizes, not reverse):
        d = dh[:n]
        if g_out is not None:
            d += g_out[rows]
        part = parts[rows]
        part *= d[:, None]
        to_new[rows] *= d
        d *= z[rows]
        d += factor[rows] @ w_hh
    dw_hh, db_hh = product(factor.T, before), factor.sum(0)
    factor[:, 2 * size :] = to_new
    return product(factor, w_ih), dh, product(factor.T, x), dw_hh, factor.sum(0), db_hh


# -- Elman's network -----------------------------------------------------------------------------


def rnn_forward(
    x: Array, h0: Array, w_ih: Array, w_hh: Array, b_ih: Any, b_hh: Any, sizes: Sizes,
    reverse: bool, relu: bool,
) -> tuple[Array, Array]:  # fmt: skip
    """(states, last state)."""
    out = affine(x, w_ih, b_ih, b_hh)
    if not relu and native.usable(sizes, w_hh, out, h0):
        return native.rnn_forward(out, h0, w_hh, [*steps(sizes, reverse)])
    h = h0.copy()
    u = turned(w_hh, sizes)
    for rows, n in steps(sizes, reverse):
        y = out[rows]
        y += h[:n] @ u
        if relu:
            np.maximum(y, 0, out=y)
        else:
            np.tanh(y, out=y)
        h[:n] = y
    return out, h


def rnn_backward(
    g_out: Any, g_h: Any, out: Array, x: Array, h0: Array, w_ih: Array, w_hh: Array, sizes: Sizes,
    reverse: bool, relu: bool, need_x: bool = True,
) -> tuple[Any, ...]:  # fmt: skip
    """Gradients of x, h0, w_ih, w_hh, the biases."""
    if not relu and native.usable(sizes, w_hh, out, h0, g_out, g_h):
        factor, dh = native.rnn_backward(g_out, g_h, out, h0, w_hh, [*steps(sizes, not reverse)])
        dw_hh = state_weights(factor, out, h0, sizes, reverse)
        dx = product(factor, w_ih) if need_x else None
        return dx, dh, product(factor.T, x), dw_hh, add_reduce(factor, (0,))
    factor = (out > 0).astype(out.dtype) if relu else 1 - out * out
    dh = np.zeros_like(h0) if g_h is None else np.array(g_h)
    for rows, n in steps(sizes, not reverse):
        d = dh[:n]
        if g_out is not None:
            d += g_out[rows]
        part = factor[rows]
        part *= d
        np.matmul(part, w_hh, out=d)
    dw_ih, dw_hh = weight_gradients(factor, x, previous(out, h0, sizes, reverse))
    return product(factor, w_ih), dh, dw_ih, dw_hh, factor.sum(0)
