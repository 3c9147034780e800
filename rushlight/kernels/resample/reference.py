"""Resampling on arrays: interpolation along each dimension, and sampling at the points of a grid.

Interpolation is linear and separable. For each dimension a `table` says which input positions an
output position reads, and with which weights; `along` applies a table to one axis. The gradient is
the same procedure with the table turned round (`turned_table`). Which kernel, and in which order:
`select.py`.

Not here: output sizes and PyTorch's signatures (`ops/nn/resample_public.py`).
"""

from __future__ import annotations

import math
from functools import lru_cache
from itertools import product
from typing import Any, NamedTuple

import numpy as np

from .. import tuning
from ..pool import reference as pool

Array = Any  # a numpy.ndarray, whose stubs do not know computed indices
Ints = tuple[int, ...]


class Table(NamedTuple):
    """Output position i is the sum over t of weight[i, t] * input[index[i, t]]."""

    index: Array  # (out, taps)
    weight: Array | None  # (out, taps); None when there is one tap of weight 1
    size: int  # of the input
    factor: int = 0  # nearest by this whole factor: every element `factor` times


class Resize(NamedTuple):
    """How one dimension is resized; hashable, so tables are made once."""

    mode: str  # nearest, nearest-exact, linear, cubic, lanczos
    size: int
    out: int
    align_corners: bool = False
    scale: float | None = None  # out / in as the user gave it, when it is to be used
    antialias: bool = False


def along(x: Array, axis: int, t: Table) -> Array:
    """Apply a table along one axis."""
    lead = (slice(None),) * axis
    out = t.index.shape[0]
    shape = (*x.shape[:axis], out, *x.shape[axis + 1 :])
    if t.factor > 0:
        y = np.empty(shape, x.dtype)
        for j in range(t.factor):
            y[(*lead, slice(j, None, t.factor))] = x
        return y
    if t.factor < 0:
        y = np.array(x[(*lead, slice(0, None, -t.factor))])
        for j in range(1, -t.factor):
            y += x[(*lead, slice(j, None, -t.factor))]
        return y
    if t.weight is None:
        return np.take(x, t.index[:, 0], axis, mode="clip")
    if t.index.shape[1] > tuning.RESAMPLE_DENSE:
        matrix = np.zeros((out, t.size), t.weight.dtype)
        np.add.at(matrix, (np.arange(out)[:, None], t.index), t.weight)
        if axis == x.ndim - 1:
            return np.matmul(x, matrix.T)
        return np.moveaxis(np.matmul(matrix, np.moveaxis(x, axis, -2)), -2, axis)
    ones = (1,) * (x.ndim - 1 - axis)
    y = np.zeros(shape, x.dtype)
    for index, weight in zip(t.index.T, t.weight.T, strict=True):
        part = np.take(x, index, axis, mode="clip")
        part *= weight.reshape(-1, *ones)
        y += part
    empty = ~t.weight.any(1)
    if empty.any():  # reads nothing; what it multiplied by 0 may have been infinite
        y[(*lead, empty)] = 0
    return y


@lru_cache(maxsize=256)
def table(how: Resize, dtype: Any) -> Table:
    """The table of one dimension, with weights of type `dtype`."""
    if how.mode in ("nearest", "nearest-exact"):
        return _nearest(how)
    if how.antialias:
        return _antialiased(how, dtype)
    at = np.arange(how.out, dtype=dtype)
    step = _step(how, dtype)
    if how.mode == "linear" and how.out == how.size:  # a copy, whatever the scale was
        return Table(np.arange(how.out)[:, None], None, how.size)
    at = at * step if how.align_corners else (at + dtype.type(0.5)) * step - dtype.type(0.5)
    if how.mode == "linear":
        at = np.maximum(at, 0)
    low = np.floor(at)
    shift = _cubic(at - low, -0.75) if how.mode == "cubic" else [1 - (at - low), at - low]
    first = -1 if how.mode == "cubic" else 0
    index = low.astype(np.int64)[:, None] + np.arange(first, first + len(shift))
    return Table(np.clip(index, 0, how.size - 1), np.stack(shift, 1).astype(dtype), how.size)


@lru_cache(maxsize=256)
def turned_table(how: Resize, dtype: Any) -> Table:
    """The table of the transpose: for each input position, who reads it."""
    t = table(how, dtype)
    if t.factor:
        return Table(np.empty((how.size, 1), np.int64), None, how.out, -t.factor)
    out, taps = t.index.shape
    weight = np.ones((out, taps), dtype) if t.weight is None else t.weight
    reader = np.repeat(np.arange(out), taps)
    order = np.argsort(t.index.reshape(-1), kind="stable")
    read = t.index.reshape(-1)[order]
    counts = np.bincount(read, minlength=how.size)
    most = max(1, int(counts.max(initial=0)))
    slot = np.arange(len(read)) - np.repeat(np.cumsum(counts) - counts, counts)
    # Unused slots repeat a reader that counts anyway, with weight 0.
    index = np.zeros((how.size, most), np.int64)
    index[read] = reader[order][:, None]
    index[read, slot] = reader[order]
    turned = np.zeros((how.size, most), dtype)
    turned[read, slot] = weight.reshape(-1)[order]
    return Table(index, turned, how.out)


def _nearest(how: Resize) -> Table:
    factor = how.out // how.size
    whole = how.scale in (None, factor)
    if how.out == factor * how.size and whole and factor <= 16:
        return Table(np.empty((how.out, 1), np.int64), None, how.size, factor)
    # float32 whatever the input is: the index must fall as PyTorch's does
    step = np.float32(1 / how.scale) if how.scale else np.float32(how.size) / np.float32(how.out)
    at = np.arange(how.out, dtype=np.float32)
    at = np.floor((at + np.float32(0.5)) * step if how.mode == "nearest-exact" else at * step)
    return Table(np.minimum(at.astype(np.int64), how.size - 1)[:, None], None, how.size)


def _antialiased(how: Resize, dtype: Any) -> Table:
    """Weights of a filter widened to the step between output positions (as Pillow resizes)."""
    step = float(_step(how, dtype))
    widest = max(step, 1.0)
    support = {"linear": 1, "cubic": 2, "lanczos": 3}[how.mode] * widest
    taps = math.ceil(support) * 2 + 1
    center = (np.arange(how.out) + 0.5) * step
    first = np.maximum((center - support + 0.5).astype(np.int64), 0)
    last = np.minimum((center + support + 0.5).astype(np.int64), how.size)
    index = first[:, None] + np.arange(taps)
    x = np.abs((index - center[:, None] + 0.5) / widest)
    if how.mode == "lanczos":
        weight = np.where(x < 3, np.sinc(x) * np.sinc(x / 3), 0)
    else:
        weight = _keys(x, -0.5) if how.mode == "cubic" else np.maximum(1 - x, 0)
    weight = np.where(index < last[:, None], weight, 0)
    weight = weight / weight.sum(1, keepdims=True)
    return Table(np.minimum(index, how.size - 1), weight.astype(dtype), how.size)


def _step(how: Resize, dtype: Any) -> Any:
    """Input positions an output position advances."""
    if how.align_corners:
        return dtype.type(how.size - 1) / dtype.type(how.out - 1) if how.out > 1 else dtype.type(0)
    if how.scale:
        return dtype.type(1 / how.scale)
    return dtype.type(how.size) / dtype.type(how.out)


def _keys(x: Array, a: float) -> Array:
    """Keys' cubic kernel at distances x >= 0."""
    near = ((a + 2) * x - (a + 3)) * x * x + 1
    far = (((x - 5) * x + 8) * x - 4) * a
    return np.where(x < 1, near, np.where(x < 2, far, 0))


def _cubic(t: Array, a: float) -> list[Array]:
    return [_keys(t + 1, a), _keys(t, a), _keys(1 - t, a), _keys(2 - t, a)]


def real_type(dtype: Any) -> Any:
    """The type of weights for values of `dtype`."""
    if dtype.kind == "c":
        return np.dtype(f"f{dtype.itemsize // 2}")
    return dtype if dtype.kind == "f" else np.dtype(np.float32)


# --- sampling at the points of a grid ---


def grid_cells(
    at: Array, size: int, mode: str, padding_mode: str, align_corners: bool
) -> tuple[Array, Array, Array]:
    """Where coordinates `at` (-1..1 over a dimension) fall: (cell, slope, offset).

    slope * (at + 1) + offset is the position within the cell, 0..1, as a function whose gradient
    is PyTorch's: slope is 0 where the coordinate was clipped and negative where it was reflected.
    The sum comes first, as in PyTorch: a point half way between two elements is then rounded to
    the same one.
    """
    kind = at.dtype.type
    at = at + kind(1)
    slope = kind((size - 1) / 2 if align_corners else size / 2)
    offset = kind(0.0 if align_corners else -0.5)
    where = at * slope + offset
    slopes, offsets = np.full_like(at, slope), np.full_like(at, offset)
    if mode != "bicubic":  # bicubic clips and reflects each tap instead
        if padding_mode == "reflection":
            where, sign = reflected(where, size, align_corners)
            offsets = where - sign * slope * at
            slopes *= sign
        if padding_mode in ("border", "reflection"):
            clipped = (where <= 0) | (where >= size - 1)
            slopes[clipped] = 0
            where = np.clip(where, 0, size - 1)
            offsets[clipped] = where[clipped]
    bad = ~(np.abs(where) < 2.0**31)  # infinite or nan: outside
    if bad.any():
        where = np.where(bad, kind(-100), where)
        slopes[bad], offsets[bad] = 0, -100
    cell = np.rint(where) if mode == "nearest" else np.floor(where)
    return cell.astype(np.int64), slopes, offsets - cell


def reflected(where: Array, size: int, align_corners: bool) -> tuple[Array, Array]:
    """Positions mirrored at the borders until they lie inside; -1 where they then run backwards."""
    low, span = (0.0, size - 1.0) if align_corners else (-0.5, float(size))
    if span <= 0:
        return np.zeros_like(where), np.zeros_like(where)
    low_, span_ = where.dtype.type(low), where.dtype.type(span)
    apart = where - low_
    sign = np.where(apart < 0, -1, 1).astype(where.dtype)
    apart = np.abs(apart)
    extra = np.fmod(apart, span_)
    odd = np.floor(apart / span_) % 2 == 1
    return np.where(odd, span_ - extra, extra) + low_, np.where(odd, -sign, sign)


def grid_taps(
    grid: Array, size: Ints, mode: str, padding_mode: str, align_corners: bool
) -> tuple[Array, Array, Array, Array]:
    """For all taps of all points: flat index, whether inside; and slope and offset in the cell."""
    d = len(size)
    sides, slopes, offsets = [], [], []
    first, count = {"nearest": (0, 1), "bilinear": (0, 2), "bicubic": (-1, 4)}[mode]
    for i, n in enumerate(size):
        cell, slope, offset = grid_cells(grid[..., d - 1 - i], n, mode, padding_mode, align_corners)
        index = [cell + t for t in range(first, first + count)]
        if mode == "bicubic":
            index = [grid_index(t, n, padding_mode, align_corners) for t in index]
        sides.append([(np.clip(t, 0, n - 1), (t >= 0) & (t < n)) for t in index])
        slopes.append(slope)
        offsets.append(offset)
    flats, insides = [], []
    for corner in product(*sides):
        flat: Any = 0
        inside: Any = True
        for (index, is_inside), n in zip(corner, size, strict=True):
            flat = flat * n + index
            inside = is_inside & inside
        flats.append(flat)
        insides.append(inside)
    return (
        np.stack(flats),
        np.stack(insides).astype(grid.dtype),
        np.stack(slopes),
        np.stack(offsets),
    )


def grid_index(index: Array, size: int, padding_mode: str, align_corners: bool) -> Array:
    """Positions of bicubic taps brought inside; those of "zeros" stay outside and count nothing."""
    if padding_mode == "zeros":
        return index
    if padding_mode == "reflection":
        index = np.rint(reflected(index.astype(np.float64), size, align_corners)[0]).astype(
            np.int64
        )
    return np.clip(index, 0, size - 1)


def grid_weights(t: Any, mode: str) -> tuple[list[Any], list[Any]]:
    """Weights of the taps of a cell at position t, and their derivatives (operators only)."""
    if mode == "nearest":
        return [1.0], [0.0]
    if mode == "bilinear":
        return [1.0 - t, t], [-1.0, 1.0]
    a = -0.75

    def near(x: Any) -> Any:  # Keys' kernel within 1 of its centre
        return ((a + 2) * x - (a + 3)) * x * x + 1

    def far(x: Any) -> Any:  # and between 1 and 2
        return (((x - 5) * x + 8) * x - 4) * a

    def near_slope(x: Any) -> Any:
        return (3 * (a + 2) * x - 2 * (a + 3)) * x

    def far_slope(x: Any) -> Any:
        return ((3 * x - 10) * x + 8) * a

    return (
        [far(t + 1), near(t), near(1 - t), far(2 - t)],
        [far_slope(t + 1), near_slope(t), -near_slope(1 - t), -far_slope(2 - t)],
    )


How = tuple[str, str, bool]  # mode, padding_mode, align_corners


def sampled(grid: Array, size: Ints, how: How) -> Any:
    """For each tap: its flat index in the image, whether it is inside (0 or 1), and the weights
    and slopes of each dimension."""
    mode, padding_mode, _ = how
    d = len(size)
    if padding_mode != "zeros" and not np.isfinite(grid).all():
        grid = np.nan_to_num(grid, nan=-1e9, posinf=1e9, neginf=-1e9)  # 0 * inf would be nan
    flat, inside, slope, offset = grid_taps(grid, size, *how)
    sides = []
    for i in range(d):
        at = (grid[..., d - 1 - i] + 1) * slope[i] + offset[i]  # grids hold x first, images y
        weights, slopes = grid_weights(at, mode)
        sides.append([(w, dw * slope[i]) for w, dw in zip(weights, slopes, strict=True)])
    one = (flat.shape[1], 1, *flat.shape[2:])
    for k, corner in enumerate(product(*sides)):
        yield flat[k].reshape(one), inside[k], [w for w, _dw in corner], [dw for _w, dw in corner]


def grid_sample(x: Array, grid: Array, how: How) -> Array:
    """Values of images (N, C, *S) at the points of a grid (N, *out, d)."""
    size = x.shape[2:]
    y = np.zeros((*x.shape[:2], *grid.shape[1:-1]), x.dtype)
    for flat, inside, weights, _slopes in sampled(grid, size, how):
        # what lies outside counts nothing, even where its stand-in is infinite
        there = np.where(inside[:, None] != 0, pool.take_plane(x, flat, len(size)), 0)
        y += there * (inside * math.prod(weights))[:, None]
    return y


def grid_image_gradient(g: Array, x: Array, grid: Array, how: How) -> Array:
    """The gradient of `grid_sample` by the images, which are read for their shape alone."""
    size = x.shape[2:]
    dx = np.zeros(x.shape, g.dtype)
    for flat, inside, weights, _slopes in sampled(grid, size, how):
        share = np.where(inside != 0, math.prod(weights), 0)[:, None]
        dx += pool.put_plane(g * share, flat, size, len(size), add=True)
    return dx


def grid_gradient(g: Array, x: Array, grid: Array, how: How) -> Array:
    """The gradient of `grid_sample` by the grid."""
    size = x.shape[2:]
    d = len(size)
    parts: Array = np.zeros((d, *grid.shape[:-1]), grid.dtype)
    for flat, inside, weights, slopes in sampled(grid, size, how):
        there = np.where(inside[:, None] != 0, pool.take_plane(x, flat, d), 0)
        along = (g * there).sum(1)
        for i in range(d):
            others = [w for j, w in enumerate(weights) if j != i]
            parts[d - 1 - i] += along * math.prod([slopes[i], *others])
    return np.ascontiguousarray(np.moveaxis(parts, 0, -1))
