"""Memory for a result in the order of an operand, by PyTorch's rule of memory formats.

A dimension that is expanded (of stride 0) says nothing about the order, so it stays where it is;
NumPy's "K" takes it for the innermost, and the result of `x.expand(3, 4).clone()` would be no
`view(-1)` any more. Everything else is NumPy's "K": dimensions from the largest stride to the
smallest.
"""

from __future__ import annotations

import itertools
import math
from typing import Any

import numpy as np

from . import tuning
from .meta import MetaArray, contiguous_strides


def empty_like(a: Any, dtype: Any = None) -> Any:
    """Uninitialised memory without gaps in the shape and order of an array."""
    if 0 not in a.strides or not a.size:
        return np.empty_like(a, dtype, subok=False)
    order = inner_to_outer(a)[::-1]
    made = np.empty([a.shape[d] for d in order], a.dtype if dtype is None else dtype)
    return made.transpose(np.argsort(order))


def copied(a: Any, dtype: Any = None) -> Any:
    """The values in memory of their own, in the same order."""
    if 0 not in a.strides or not a.size:
        return a.copy("K") if dtype is None else a.astype(dtype)
    made = empty_like(a, dtype)
    np.copyto(made, a, casting="unsafe")
    return made


def in_order(a: Any) -> Any:
    """The values in memory of their own, in rows."""
    if a.size < tuning.COPY_TILED or a.ndim < 2:
        return a.copy("C")
    made = np.empty(a.shape, a.dtype)
    copy_into(made, a)
    return made


def copy_into(to: Any, a: Any) -> None:
    """`np.copyto(to, a)`, of a transposed array by tiles.

    NumPy writes row by row. Where the elements of a row lie far apart in `a`, every one of them
    brings a whole line of memory into the cache, and a long row drives the lines of its beginning
    out again before the next row would use them: 11 ms for the transpose of 1024 x 1024 floats. A
    tile uses all of its lines while they are there: 0.8 ms.
    """
    large = a.size >= tuning.COPY_TILED and a.shape == to.shape
    tiles = _tiles(to, a) if large else None
    if tiles is None:
        np.copyto(to, a, casting="unsafe")
        return
    for key in itertools.product(*tiles):
        np.copyto(to[key], a[key], casting="unsafe")


def _tiles(to: Any, a: Any) -> list[list[slice]] | None:
    """The slices of each dimension, whose combinations are the tiles; None where the innermost
    dimension is the same, or its rows are short."""
    outer_to_inner = sorted(
        (d for d in range(to.ndim) if to.shape[d] > 1), key=lambda d: -abs(to.strides[d])
    )
    if len(outer_to_inner) < 2 or 0 in a.strides:
        return None
    own, far = outer_to_inner[-1], min(outer_to_inner, key=lambda d: abs(a.strides[d]))
    between = outer_to_inner[outer_to_inner.index(far) + 1 : -1]
    width, height = tuning.COPY_TILE
    lines = math.prod(to.shape[d] for d in (*between, own))  # until the first ones are used again
    if own == far or to.shape[far] < width or lines <= 2 * width:
        return None
    steps = {own: width, far: height, **dict.fromkeys(between, 1)}
    count = math.prod(-(-to.shape[d] // n) for d, n in steps.items())
    if a.size < count * 1024:  # NumPy's calls would take longer than they save
        return None
    return [
        [slice(k, k + steps[d]) for k in range(0, to.shape[d], steps[d])]
        if d in steps
        else [slice(None)]
        for d in range(to.ndim)
    ]


def halves(a: Any) -> Any:
    """Numbers of type complex32, which NumPy takes for no complex ones, as pairs of float16 in the
    same memory."""
    return a[..., None].view(np.float16)


def parts(a: Any) -> Any:
    """Numbers of type complex32 as pairs of float16; other arrays as they are."""
    return halves(a) if a.dtype.kind == "W" else a


def real_part(a: Any) -> Any:
    """The real parts of complex numbers, in their memory."""
    return halves(a)[..., 0] if a.dtype.kind == "W" else a.real


def imag_part(a: Any) -> Any:
    """The imaginary parts of complex numbers, in their memory."""
    return halves(a)[..., 1] if a.dtype.kind == "W" else a.imag


def in_rows(y: Any) -> Any:
    """A result whose last dimension lies innermost, as PyTorch's reductions and scans give it
    whatever the order of the operand."""
    return y if y.ndim < 2 or y.flags.c_contiguous else in_order(y)


def laid_as(y: Any, *operands: Any) -> Any:
    """A result in rows, in the order of its operands, as PyTorch's functions of one element give
    it."""
    if y.ndim < 2 or not y.size or not y.flags.c_contiguous:
        return y
    arrays = [a for a in operands if a.__class__ is np.ndarray and a.ndim > 1]
    if all(a.shape == y.shape and a.flags.c_contiguous for a in arrays):
        return y
    order = inner_to_outer(*(np.broadcast_to(a, y.shape) for a in arrays))[::-1]
    if order == sorted(order):
        return y
    made = np.empty([y.shape[d] for d in order], y.dtype).transpose(np.argsort(order))
    copy_into(made, y)
    return made


def inner_to_outer(*operands: Any) -> list[int]:
    """The dimensions from the innermost in memory to the outermost, of arrays of one shape: of two
    dimensions the first array decides in which neither is expanded."""
    shape = operands[0].shape
    order = list(range(len(shape)))[::-1]
    for i in range(1, len(shape)):
        here = i
        for other in range(i - 1, -1, -1):
            p, q = order[other], order[here]
            way = 0
            for a in operands:
                s, t = a.strides[p], a.strides[q]
                if s and t:
                    way = 1 if s > t or (s == t and shape[p] > shape[q]) else -1 if s < t else 0
                    if way:
                        break
            if way > 0:
                order[other], order[here] = q, p
                here = other
            elif way < 0:
                break
    return order


def in_columns(y: Any) -> Any:
    """Matrices of which each lies column by column, as LAPACK leaves its results."""
    if y.ndim < 2:
        return y
    if y.__class__ is MetaArray:
        *batch, m, n = y.shape
        *outer, s, t = contiguous_strides((*batch, n, m), y.dtype.itemsize)
        return MetaArray(y.shape, y.dtype, (*outer, t, s))
    return np.ascontiguousarray(y.swapaxes(-1, -2)).swapaxes(-1, -2)
