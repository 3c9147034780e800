"""Memory for a result in the order of an operand, by PyTorch's rule of memory formats, and copies.

A dimension that is expanded (of stride 0) says nothing about the order, so it stays where it is;
NumPy's "K" takes it for the innermost, and the result of `x.expand(3, 4).clone()` would be no
`view(-1)` any more. Everything else is NumPy's "K": dimensions from the largest stride to the
smallest. How elements get from one array into another is chosen in `copy/select.py`.
"""

from __future__ import annotations

import functools
from typing import Any

import numpy as np

from . import tuning
from .copy import select as copying
from .meta import MetaArray, contiguous_strides, inserted_strides


def empty_like(a: Any, dtype: Any = None) -> Any:
    """Uninitialised memory without gaps in the shape and order of an array."""
    if 0 not in a.strides or not a.size:
        return np.empty_like(a, dtype, subok=False)
    order = inner_to_outer(a)[::-1]
    made = np.empty([a.shape[d] for d in order], a.dtype if dtype is None else dtype)
    return made.transpose(np.argsort(order))


def copied(a: Any, dtype: Any = None) -> Any:
    """The values in memory of their own, in the same order, in another type where one is given."""
    n = a.size
    few = n < tuning.COPY_LEAST or (n < tuning.COPY_DENSE_LEAST and lies_dense(a, dtype))
    if few and n >= tuning.COPY_LOW_LEAST and dtype is not None:
        few = not copying.by_kernel(n, a.dtype, np.dtype(dtype))
    if a.flags.c_contiguous:
        if few:
            return a.copy() if dtype is None else a.astype(dtype)
        made = empty_like(a, dtype)
    elif a.ndim > 3 and 1 in a.shape:
        into = a.dtype if dtype is None else np.dtype(dtype)
        strides = dense_strides(a.shape, a.strides, a.itemsize, into.itemsize)
        made = np.ndarray(a.shape, into, strides=strides)
    elif few and 0 not in a.strides:
        return a.copy("K") if dtype is None else a.astype(dtype)
    else:
        made = empty_like(a, dtype)
    copying.into(made, a)
    return made


@functools.lru_cache(maxsize=tuning.COPY_MOST_PLANS)
def dense_strides(
    shape: tuple[int, ...], strides: tuple[int, ...], itemsize: int, into: int
) -> tuple[int, ...]:
    """The strides of a copy without gaps in the order of an array, of elements of `into` bytes.

    Where the array has no gaps they are its own, also along dimensions of one element: these say
    how images lie as far as formats of memory are concerned, and NumPy makes them new.
    """
    steps = inserted_strides(shape, tuple([s // itemsize for s in strides]))
    found, step = [0] * len(shape), 1
    for d in inner_to_outer(MetaArray(shape, "u1", steps)):
        found[d] = step
        step *= max(shape[d], 1)
    dense = all(f == s for n, f, s in zip(shape, found, steps, strict=True) if n != 1)
    return tuple([s * into for s in (steps if dense else found)])


def in_order(a: Any, dtype: Any = None) -> Any:
    """The values in memory of their own, in rows."""
    n = a.size
    if n < tuning.COPY_LEAST or (n < tuning.COPY_DENSE_LEAST and lies_dense(a, dtype)):
        return a.copy("C") if dtype is None else a.astype(dtype, "C")
    made = np.empty(a.shape, a.dtype if dtype is None else dtype)
    copying.into(made, a)
    return made


def channels_innermost(a: Any) -> bool:
    """Whether the steps of a 4-d or 5-d array say that its channels are innermost in memory.

    Where a dimension has one element, several formats fit; then its step decides, as in PyTorch.
    """
    least, first = 0, a.strides[1]
    for d in (1, *range(a.ndim - 1, 1, -1), 0):
        n, step = a.shape[d], a.strides[d]
        if d == 0 and n == 1 and step == 0:  # a dimension that NumPy has added; PyTorch's step
            step = a.shape[1] * first
        if n == 0 or step < least or step == 0 or (d == 0 and least == first):
            return False
        least = step * max(n, 1)
    return True


def in_channels_order(a: Any) -> Any:
    """The values in memory of their own, with the channels (dimension 1) innermost."""
    return np.moveaxis(in_order(np.moveaxis(a, 1, -1)), -1, 1)


def rows(a: Any) -> Any:
    """The array itself where it lies in rows without gaps, else a copy that does."""
    return a if a.flags.c_contiguous else in_order(a)


def lies_dense(a: Any, dtype: Any) -> bool:
    """Whether a copy is of one span of memory as it is, which NumPy does well."""
    return (dtype is None or a.dtype == dtype) and bool(a.flags.forc)


def copy_into(to: Any, a: Any) -> None:
    """`to[...] = a` as `np.copyto` does it, which any two arrays may be given to."""
    copying.safely(to, a)


def joined(parts: Any, axis: int = 0) -> Any:
    """`np.concatenate`; many elements by the kernels of copies, in rows. Where NumPy might keep an
    order of channels, it does."""
    first, n = parts[0], 0
    for a in parts:
        n += a.size
    if n < tuning.COPY_DENSE_LEAST or axis.__class__ is not int:
        return np.concatenate(parts, axis=axis)
    ndim, size = first.ndim, 0
    at = axis + ndim if axis < 0 else axis
    for a in parts:
        channels = ndim in (4, 5) and not (a.flags.c_contiguous and a.strides[1] > a.itemsize)
        if a.dtype != first.dtype or a.ndim != ndim or not 0 <= at < ndim or channels:
            return np.concatenate(parts, axis=axis)
        if a.shape[:at] != first.shape[:at] or a.shape[at + 1 :] != first.shape[at + 1 :]:
            return np.concatenate(parts, axis=axis)  # which says what is wrong
        size += a.shape[at]
    made = np.empty((*first.shape[:at], size, *first.shape[at + 1 :]), first.dtype)
    before, begin = (slice(None),) * at, 0
    for a in parts:
        end = begin + a.shape[at]
        copying.into(made[(*before, slice(begin, end))], a)
        begin = end
    return made


def stacked(parts: Any, axis: int) -> Any:
    """`np.stack` of arrays of one shape in rows; many elements by the kernels of copies."""
    first = parts[0]
    many = len(parts) * first.size >= tuning.COPY_DENSE_LEAST
    if not many or not first.ndim or any([a.dtype != first.dtype for a in parts]):
        return np.stack(parts, axis=axis)
    made = np.empty((*first.shape[:axis], len(parts), *first.shape[axis:]), first.dtype)
    for place, a in zip(np.moveaxis(made, axis, 0), parts, strict=True):
        copying.into(place, a)
    return made


def rolled(a: Any, shifts: dict[int, int]) -> Any:
    """`np.roll` by a shift for each of some dimensions, in rows."""
    made = np.empty(a.shape, a.dtype)
    parts: list[tuple[tuple[slice, ...], tuple[slice, ...]]] = [((), ())]  # of the source, of made
    for d in range(max(shifts) + 1):
        n = a.shape[d]
        shift = shifts.get(d, 0) % n if n else 0
        ways = [(slice(n - shift), slice(shift, n)), (slice(n - shift, n), slice(shift))]
        if not shift:
            ways = [(slice(n), slice(n))]
        parts = [((*source, f), (*to, t)) for source, to in parts for f, t in ways]
    for source, to in parts:
        copying.into(made[to], a[source])
    return made


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
    copying.into(made, y)
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


def batch_in_rows(y: Any) -> Any:
    """Results of a batch in rows, however that lies: NumPy's functions of matrices keep its order,
    PyTorch's copy it for LAPACK."""
    return np.asarray(y, order="C")


def in_columns(y: Any) -> Any:
    """Matrices of which each lies column by column, as LAPACK leaves its results."""
    if y.ndim < 2:
        return y
    if y.__class__ is MetaArray:
        *batch, m, n = y.shape
        *outer, s, t = contiguous_strides((*batch, n, m), y.dtype.itemsize)
        return MetaArray(y.shape, y.dtype, (*outer, t, s))
    return np.ascontiguousarray(y.swapaxes(-1, -2)).swapaxes(-1, -2)
