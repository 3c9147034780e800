"""Recurrent layers in machine code, and when that is used.

A step is one product by a matrix that is packed once for all steps, and one pass over the cell. The
functions have the signatures of those in `reference.py`, and answer None for what NumPy does: small
layers, few rows, other types, projected states. The choice looks at types and shapes alone.

Not here: the kernels (`matmul/gemm.py`, `cells.py`).
"""

from __future__ import annotations

import functools
from typing import Any

import numpy as np

from .. import tuning
from ..elementwise import select as elementwise
from ..matmul.packed import packed, packs
from ..matmul.select import ELEMENTS

Array = np.ndarray
Sizes = tuple[int, ...]
LEAST_WORK = 1 if elementwise.ALWAYS else 1 << 19  # multiplications with the state's weights
# Of the first time: below, a product reads more than it computes.
ROWS = 1 if elementwise.ALWAYS else 4


def usable(sizes: Sizes, w_hh: Array, *others: Any) -> bool:
    """Whether these are arrays of one float type, large enough for kernels."""
    dtype, size = w_hh.dtype, w_hh.shape[1]
    if dtype not in ELEMENTS or not sizes or sizes[0] < ROWS:
        return False
    if sum(sizes) * w_hh.size < LEAST_WORK or size < tuning.MATMUL_NARROW:
        return False
    return all(a is None or a.dtype == dtype for a in others) and packs(w_hh) and packs(w_hh.T)


@functools.lru_cache(maxsize=64)
def kernel(name: str, element: str, operands: tuple[str, ...]) -> Any:
    from . import cells as cell_kernels

    return cell_kernels.kernel(name, element, operands)


class Cell:
    """A cell's kernel; operands that are None are left out."""

    def __init__(self, name: str, size: int, **operands: Array | None) -> None:
        from .cells import ELEMENTS as CHUNK

        given = {k: v for k, v in operands.items() if v is not None}
        dtype = next(iter(given.values())).dtype
        self.call = kernel(name, ELEMENTS[dtype], tuple(given))
        self.operands = given
        self.size, self.each = size, max(1, CHUNK // size)
        elementwise.jit()[2].ready()

    def step(
        self, rows: slice, n: int, states: tuple[str, ...], before: Array | None = None
    ) -> None:
        """One time: `states` are of the size of the batch, the rest has rows for all times; the
        operand `before` changes from time to time."""
        given = [
            before if k == "before" else a if k in states else a[rows]
            for k, a in self.operands.items()
        ]
        self.call(*given, self.size, n, self.each)


def copied(g: Any, like: Array) -> Array:
    """A gradient that will be changed; zeros for None."""
    return np.zeros(like.shape, like.dtype) if g is None else np.array(g, like.dtype, order="C")


def contiguous(g: Any) -> Any:
    return None if g is None else np.ascontiguousarray(g)


# -- long short-term memory ----------------------------------------------------------------------


def lstm_forward(gates: Array, h0: Array, c0: Array, w_hh: Array, times: list[Any]) -> Any:
    """(states, last state, last cell, gates, cells); `gates` holds the part of the input."""
    size = w_hh.shape[1]
    h, c = np.array(h0, order="C"), np.array(c0, order="C")
    out, cells = np.empty((2, len(gates), size), gates.dtype)
    u = packed(w_hh.T, times[0][1])
    cell = Cell("lstm", size, gates=gates, c=c, cell=cells, h=h, out=out)
    for rows, n in times:
        u.into(h[:n], gates[rows], accumulate=True)
        cell.step(rows, n, ("c", "h"))
    return out, h, c, gates, cells


def lstm_backward(
    g_out: Any, g_h: Any, g_c: Any, gates: Array, cells: Array, before: list[Array], h0: Array,
    c0: Array, w_hh: Array, times: list[Any],
) -> tuple[Array, Array, Array]:  # fmt: skip
    """Gradients of what enters the gates, of h0 and c0; `before`: the cells before each time."""
    dh, dc = copied(g_h, h0), copied(g_c, c0)
    dgates = np.empty_like(gates)
    u = packed(w_hh, times[0][1])
    cell = Cell("lstm_grad", w_hh.shape[1], gates=gates, dh=dh, g_out=contiguous(g_out),
                cell=cells, dc=dc, before=c0, dgates=dgates)  # fmt: skip
    for (rows, n), earlier in zip(times, reversed(before), strict=True):
        cell.step(rows, n, ("dh", "dc"), np.ascontiguousarray(earlier))
        u.into(dgates[rows], dh[:n])
    return dgates, dh, dc


# -- gated recurrent unit ------------------------------------------------------------------------


def gru_forward(gates: Array, h0: Array, w_hh: Array, b_hh: Any, times: list[Any]) -> Any:
    """(states, last state, gates, the state's part of n); `gates` holds the part of the input."""
    size = w_hh.shape[1]
    h = np.array(h0, order="C")
    out, inner = np.empty((2, len(gates), size), gates.dtype)
    product = np.empty((len(h), 3 * size), gates.dtype)
    u, bias = packed(w_hh.T, times[0][1]), contiguous(b_hh)
    cell = Cell("gru", size, gates=gates, product=product, inner=inner, h=h, out=out)
    for rows, n in times:
        u.into(h[:n], product, bias)
        cell.step(rows, n, ("product", "h"))
    return out, h, gates, inner


def gru_backward(
    g_out: Any, g_h: Any, gates: Array, inner: Array, before: list[Array], h0: Array, w_hh: Array,
    times: list[Any],
) -> tuple[Array, Array, Array]:  # fmt: skip
    """Gradients of the state's products, of what enters n, of h0."""
    dh = copied(g_h, h0)
    dgates, to_new = np.empty_like(gates), np.empty_like(inner)
    u = packed(w_hh, times[0][1])
    cell = Cell("gru_grad", w_hh.shape[1], gates=gates, dh=dh, g_out=contiguous(g_out),
                inner=inner, before=h0, dgates=dgates, to_new=to_new)  # fmt: skip
    for (rows, n), earlier in zip(times, reversed(before), strict=True):
        cell.step(rows, n, ("dh",), np.ascontiguousarray(earlier))
        u.into(dgates[rows], dh[:n], accumulate=True)
    return dgates, to_new, dh


# -- Elman's network with tanh -------------------------------------------------------------------


def rnn_forward(out: Array, h0: Array, w_hh: Array, times: list[Any]) -> tuple[Array, Array]:
    """(states, last state); `out` holds the part of the input."""
    h = np.array(h0, order="C")
    u = packed(w_hh.T, times[0][1])
    cell = Cell("tanh", w_hh.shape[1], out=out, h=h)
    for rows, n in times:
        u.into(h[:n], out[rows], accumulate=True)
        cell.step(rows, n, ("h",))
    return out, h


def rnn_backward(
    g_out: Any, g_h: Any, out: Array, h0: Array, w_hh: Array, times: list[Any]
) -> tuple[Array, Array]:
    """Gradients of what enters tanh, and of h0."""
    dh = copied(g_h, h0)
    dpart = np.empty_like(out)
    u = packed(w_hh, times[0][1])
    cell = Cell("tanh_grad", w_hh.shape[1], out=out, dh=dh, g_out=contiguous(g_out), dpart=dpart)
    for rows, n in times:
        cell.step(rows, n, ("dh",))
        u.into(dpart[rows], dh[:n])
    return dpart, dh
