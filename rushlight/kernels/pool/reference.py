"""Pooling by NumPy, over the last `len(kernel)` dimensions of an array with any leading ones.

Max and sum are separable, so a window is reduced one dimension after the other: kh + kw passes
instead of kh * kw. A maximum is found in two forms: as the number of the tap (position in the
window) that holds it, which costs one comparison a tap and is made only when a gradient is wanted,
and as PyTorch's flat index into the plane.

Not here: which kernel computes a call (`select.py`), argument checks and PyTorch's
signatures. Read next: `ops/nn/pool_public.py`.
"""

from __future__ import annotations

import math
from itertools import product
from typing import Any

import numpy as np

from .. import tuning
from ..pad.select import around

Array = Any  # a numpy.ndarray, whose stubs do not know computed indices
Ints = tuple[int, ...]
Window = tuple[Ints, Ints, Ints, Ints]  # kernel, stride, padding, dilation
Spans = tuple[tuple[Ints, Ints, Ints], ...]  # along each dimension: starts, ends, counts


def pool_size(
    size: Ints, kernel: Ints, stride: Ints, padding: Ints, dilation: Ints, ceil_mode: bool
) -> Ints:
    """Output positions: with `ceil_mode` also windows that hang over, if they start inside."""
    out = []
    for n, k, s, p, d in zip(size, kernel, stride, padding, dilation, strict=True):
        o = (n + 2 * p - d * (k - 1) - 1 + (s - 1 if ceil_mode else 0)) // s + 1
        if ceil_mode and (o - 1) * s >= n + p:
            o -= 1
        out.append(o)
    return tuple(out)


# --- maximum ---


def max_pool(x: Array, *, how: tuple[Ints, Ints, Ints, Ints, Ints]) -> Array:
    """The maximum of each window; NaN wins, padding never does. `how` is a window and the size of
    the result."""
    kernel, stride, padding, dilation, out = how
    d = len(kernel)
    if x.shape[x.ndim - d :] == kernel and in_tiles(kernel, stride, padding, dilation, out):
        lead = x.shape[: x.ndim - d]
        whole = x.reshape(*lead, math.prod(kernel))  # planes that are one window each
        return np.maximum.reduce(whole, axis=-1).reshape(*lead, *out)
    for i in range(d):  # the last one last, whose neighbours lie side by side
        axis = x.ndim - d + i
        if kernel[i] >= tuning.MAX_POOL_LONG and tiled(kernel, stride, padding, dilation, out, i):
            whole = _slice(x, axis, 0, out[i] * kernel[i])
            shape = (*x.shape[:axis], out[i], kernel[i], *x.shape[axis + 1 :])
            x = np.maximum.reduce(whole.reshape(shape), axis=axis + 1)
            continue
        frame = _framed(x, axis, padding[i], reach_of(kernel[i], stride[i], dilation[i], out[i]))
        views = [_tap(frame, axis, t * dilation[i], stride[i], out[i]) for t in range(kernel[i])]
        if len(views) == 1:
            x = views[0]
            continue
        x = np.maximum(views[0], views[1])
        for view in views[2:]:
            np.maximum(x, view, out=x)
    return np.array(x, order="C") if all(k == 1 for k in kernel) else np.ascontiguousarray(x)


def max_tap(x: Array, y: Array, *, how: Window) -> Array:
    """Which tap of its window holds each maximum y: the first of equals, the last of NaNs."""
    kernel, stride, padding, dilation = how
    out = y.shape[y.ndim - len(kernel) :]
    if in_tiles(*how, out):
        return max_tap_of_tiles(x, y, kernel, out)
    reach = tuple(map(reach_of, kernel, stride, dilation, out))
    taps = list(product(*map(range, kernel)))
    kind: Any = np.uint8 if len(taps) < 256 else np.int32
    none = np.iinfo(kind).max
    tap_of = np.full(y.shape, none, kind)
    frame = _framed_all(x, padding, reach, np.nan if x.dtype.kind == "f" else None)
    for number, tap in enumerate(taps):
        # `none` where the tap does not hold the maximum, else its number: bytes, without branches
        other = (_taps(frame, tap, stride, dilation, out) != y).astype(kind)
        other *= none
        other |= kind(number)
        np.minimum(tap_of, other, out=tap_of)
    if x.dtype.kind == "f" and np.isnan(y).any():
        tap_of[tap_of == none] = 0
        frame = _framed_all(x, padding, reach, None)
        for number, tap in enumerate(taps):
            np.copyto(tap_of, number, where=np.isnan(_taps(frame, tap, stride, dilation, out)))
    return tap_of


def put_taps(g: Array, tap_of: Array, *, size: Ints, how: Window) -> Array:
    """Add each g to the element of its window that `tap_of` names: the transpose of `take_taps`."""
    kernel, stride, padding, dilation = how
    d = len(kernel)
    lead, out = g.shape[: g.ndim - d], g.shape[g.ndim - d :]
    if in_tiles(*how, out):
        return put_taps_of_tiles(g, tap_of, size, kernel)
    reach = tuple(map(reach_of, kernel, stride, dilation, out))
    full = tuple(max(n + p, r) for n, p, r in zip(size, padding, reach, strict=True))
    frame = np.zeros(lead + full, g.dtype)
    apart = _apart(kernel, stride, dilation)
    for number, tap in enumerate(product(*map(range, kernel))):
        view = _taps(frame, tap, stride, dilation, out)
        if apart:
            view[...] = _select(g, tap_of == number)
        else:
            view += _select(g, tap_of == number)
    return cropped(frame, padding=padding, size=size)


# -- windows side by side --------------------------------------------------------------------------


def tiled(
    kernel: Ints, stride: Ints, padding: Ints, dilation: Ints, out: Ints, i: int
) -> bool:  # fmt: skip
    """Whether windows lie side by side along dimension i, or there is one."""
    alone = out[i] == 1 or stride[i] == kernel[i]
    return alone and not padding[i] and dilation[i] == 1 and out[i] > 0


def in_tiles(kernel: Ints, stride: Ints, padding: Ints, dilation: Ints, out: Ints) -> bool:
    """Whether large windows lie side by side in all dimensions."""
    if math.prod(kernel) <= tuning.MAX_POOL_LARGEST:
        return False
    return all(tiled(kernel, stride, padding, dilation, out, i) for i in range(len(kernel)))


def places_of(windows: Array, y: Array) -> Array:
    """Where each row of the last dimension has its maximum y: the first of equals, the last of
    NaNs."""
    found: Array = np.asarray(windows.argmax(-1))
    if y.dtype.kind == "f":
        broken = np.isnan(y)
        if broken.any():
            found[broken] = (
                windows.shape[-1] - 1 - np.isnan(windows[broken])[:, ::-1].argmax(-1)
            )
    return found


def max_tap_of_tiles(x: Array, y: Array, kernel: Ints, out: Ints) -> Array:
    """`max_tap` of windows that lie side by side."""
    d, taps = len(kernel), math.prod(kernel)
    lead = x.shape[: x.ndim - d]
    whole = x[(..., *(slice(0, o * k) for o, k in zip(out, kernel, strict=True)))]
    pairs = [n for pair in zip(out, kernel, strict=True) for n in pair]
    n = len(lead)
    order = (*range(n), *range(n, n + 2 * d, 2), *range(n + 1, n + 2 * d, 2))
    windows = whole.reshape(*lead, *pairs).transpose(order).reshape(*lead, *out, taps)
    found = places_of(windows, y)
    return found.astype(np.uint8 if taps < 256 else np.int32)


def put_taps_of_tiles(g: Array, tap_of: Array, size: Ints, kernel: Ints) -> Array:
    """`put_taps` of windows that lie side by side."""
    d, taps = len(kernel), math.prod(kernel)
    lead, out = g.shape[: g.ndim - d], g.shape[g.ndim - d :]
    windows = np.zeros((*g.shape, taps), g.dtype)
    np.put_along_axis(windows, tap_of[..., None].astype(np.int64), g[..., None], -1)
    n = len(lead)
    order = (*range(n), *(n + i + j * d for i in range(d) for j in range(2)))
    covered = tuple([o * k for o, k in zip(out, kernel, strict=True)])
    planes = windows.reshape(*lead, *out, *kernel).transpose(order).reshape(*lead, *covered)
    if covered == size:
        return planes
    y: Array = np.zeros(lead + size, g.dtype)
    y[(..., *(slice(0, n) for n in covered))] = planes
    return y


def take_taps(
    x: Array, tap_of: Array, kernel: Ints, stride: Ints, padding: Ints, dilation: Ints
) -> Array:
    """From each window of x the element that `tap_of` names."""
    d = len(kernel)
    out = tap_of.shape[tap_of.ndim - d :]
    frame = _framed_all(x, padding, tuple(map(reach_of, kernel, stride, dilation, out)), 0)
    y = np.zeros(tap_of.shape, x.dtype)
    for number, tap in enumerate(product(*map(range, kernel))):
        np.copyto(y, _taps(frame, tap, stride, dilation, out), where=tap_of == number)
    return y


def _select(g: Array, mask: Array) -> Array:
    """g where mask, else 0, on the bits: no branch a number, and inf * 0 never happens."""
    if g.dtype.kind == "c":
        return np.where(mask, g, g.dtype.type(0))
    bits = mask.astype(f"i{g.dtype.itemsize}")
    np.negative(bits, out=bits)
    np.bitwise_and(bits, g.view(bits.dtype), out=bits)
    return bits.view(g.dtype)


def flat_indices(
    tap_of: Array, size: Ints, kernel: Ints, stride: Ints, padding: Ints, dilation: Ints
) -> Array:
    """The taps as PyTorch's indices: positions in the flattened plane of the input."""
    d = len(kernel)
    out = tap_of.shape[tap_of.ndim - d :]
    base: Any = 0
    shift: Any = 0
    for i in range(d):
        step = math.prod(size[i + 1 :])
        along = [-1 if j == i else 1 for j in range(d)]
        base = base + ((np.arange(out[i]) * stride[i] - padding[i]) * step).reshape(along)
        shift = shift + (np.arange(kernel[i]) * (dilation[i] * step)).reshape(along)
    return np.take(np.ravel(shift), tap_of) + base


def take_plane(x: Array, indices: Array, dims: int) -> Array:
    """x[..., indices] where `indices` (lead, *out) count in the flattened last `dims` of x."""
    lead = x.shape[: x.ndim - dims]
    rows = math.prod(lead)
    out = lead + indices.shape[len(lead) :]
    if not math.prod(out):
        return np.zeros(out, x.dtype)
    where = np.broadcast_to(indices, out).reshape(rows, -1)
    return np.take_along_axis(x.reshape(rows, -1), where, 1).reshape(out)


def put_plane(g: Array, indices: Array, size: Ints, dims: int, *, add: bool) -> Array:
    """g (lead, *out) put at `indices` of zero planes (lead, *size); `dims` is the length of out.

    With `add` this is the transpose of `take_plane`; without, the last of equal indices wins.
    """
    lead = g.shape[: g.ndim - dims]
    rows, plane = math.prod(lead), math.prod(size)
    y = np.zeros(rows * plane, g.dtype)
    if g.size:
        where = np.broadcast_to(indices, g.shape).reshape(rows, -1)
        where = (where + np.arange(rows)[:, None] * plane).reshape(-1)
        if add:
            np.add.at(y, where, g.reshape(-1))
        else:
            y[where] = g.reshape(-1)
    return y.reshape(lead + size)


def adaptive_max(x: Array, out: Ints) -> tuple[Array, Array]:
    """Maxima of windows floor(i n / o) .. ceil((i + 1) n / o), and their flat indices."""
    d = len(out)
    lead, size = x.shape[: x.ndim - d], x.shape[x.ndim - d :]
    best_of: Array = np.empty(lead + out, x.dtype)
    indices: Array = np.empty(lead + out, np.int64)
    spans = [_spans(n, o) for n, o in zip(size, out, strict=True)]
    plane = np.arange(math.prod(size)).reshape(size)
    for at in product(*map(range, out)):
        window = tuple(slice(*spans[i][at[i]]) for i in range(d))
        part = x[(..., *window)].reshape(*lead, plane[window].size)
        best = places_of(part, part.max(-1))
        indices[(..., *at)] = plane[window].reshape(-1)[best]
        best_of[(..., *at)] = np.take_along_axis(part, best[..., None], -1)[..., 0]
    return best_of, indices


def fractional_max(x: Array, samples: Array, kernel: Ints, out: Ints) -> tuple[Array, Array]:
    """Maxima of windows at distances that `samples` (N, C, d) decide, and their indices."""
    d = len(out)
    size = x.shape[2:]
    base: Any = 0
    for i in range(d):
        # PyTorch takes the first sample for the width in two dimensions, for the depth in three.
        sample = samples[..., d - 1 - i if d == 2 else i, None]
        start = np.empty((*x.shape[:2], out[i]), np.int64)
        if out[i] > 1:
            alpha = x.dtype.type(size[i] - kernel[i]) / x.dtype.type(out[i] - 1)
            steps = (np.arange(out[i] - 1) + sample) * alpha
            start[..., :-1] = steps.astype(np.int64) - (sample * alpha).astype(np.int64)
        start[..., -1] = size[i] - kernel[i]
        along = [1] * d
        along[i] = out[i]
        base = base + start.reshape(*x.shape[:2], *along) * math.prod(size[i + 1 :])
    best = take_plane(x, base, d)
    indices = np.broadcast_to(base, best.shape).copy()
    for tap in product(*map(range, kernel)):
        at = base + sum(t * math.prod(size[i + 1 :]) for i, t in enumerate(tap))
        value = take_plane(x, at, d)
        better = (value > best) | np.isnan(value)
        best = np.where(better, value, best)
        indices = np.where(better, at, indices)
    return best, indices


# --- mean ---


def avg_pool(x: Array, *, how: tuple[Any, ...]) -> Array:
    """The mean of each window; `how` is kernel, stride, padding, size of the result, whether
    padding counts, and what replaces the number of elements, or None."""
    kernel, stride, padding, out, count_include_pad, divisor = how
    size = x.shape[x.ndim - len(kernel) :]
    y = x
    for i in reversed(range(len(kernel))):
        axis = x.ndim - len(kernel) + i
        k, s, p, o = kernel[i], stride[i], padding[i], out[i]
        if o == 1 and p == 0 and k <= size[i]:
            y = _slice(y, axis, 0, k).sum(axis, keepdims=True, dtype=x.dtype)
            continue
        frame = _framed(y, axis, p, reach_of(k, s, 1, o), 0)
        y = _tap(frame, axis, 0, s, o).copy()
        for t in range(1, k):
            y += _tap(frame, axis, t, s, o)
    counts = _counts(size, kernel, stride, padding, out, count_include_pad, divisor)
    if x.dtype.kind in "iu":  # towards zero, as C divides
        return np.asarray(np.sign(y) * np.sign(counts) * (np.abs(y) // np.abs(counts)), x.dtype)
    return np.asarray(y / counts.astype(x.dtype))


def avg_pool_input(g: Array, *, size: Ints, how: tuple[Any, ...]) -> Array:
    """The transpose of `avg_pool`."""
    kernel, stride, padding, out, count_include_pad, divisor = how
    d = len(kernel)
    x = np.asarray(
        g / _counts(size, kernel, stride, padding, out, count_include_pad, divisor).astype(g.dtype)
    )
    for i in range(d):
        axis = g.ndim - d + i
        k, s, p, o, n = kernel[i], stride[i], padding[i], out[i], size[i]
        shape = list(x.shape)
        shape[axis] = max(n + p, reach_of(k, s, 1, o))
        frame = np.zeros(shape, g.dtype)
        for t in range(k):
            view = _tap(frame, axis, t, s, o)
            if k <= s:
                view[...] = x
            else:
                view += x
        x = _slice(frame, axis, p, p + n)
    return np.ascontiguousarray(x)


def adaptive_avg(x: Array, *, out: Ints) -> Array:
    """Means of windows floor(i n / o) .. ceil((i + 1) n / o)."""
    d, given = len(out), x
    if min(out) == max(out) == 1 and x.size:  # one window: the product with a vector of ones
        plane = math.prod(x.shape[x.ndim - d :])
        total = np.matmul(x.reshape(-1, plane), np.ones(plane, x.dtype))
        return (total / x.dtype.type(plane)).reshape(x.shape[: x.ndim - d] + out)
    for i in reversed(range(d)):
        axis = x.ndim - d + i
        n, o = x.shape[axis], out[i]
        if n == o:
            continue
        if o and n % o == 0:
            parts = x.reshape(*x.shape[:axis], o, n // o, *x.shape[axis + 1 :])
            x = parts.sum(axis + 1) / x.dtype.type(n // o)
            continue
        y = np.empty((*x.shape[:axis], o, *x.shape[axis + 1 :]), x.dtype)
        for j, (start, end) in enumerate(_spans(n, o)):
            window = _slice(x, axis, start, end)
            _slice(y, axis, j, j + 1)[...] = window.mean(axis, keepdims=True)
        x = y
    return np.array(x) if x is given or x.base is not None or not x.flags.owndata else x


def adaptive_avg_input(g: Array, *, size: Ints) -> Array:
    """The transpose of `adaptive_avg`."""
    d = len(size)
    for i in range(d):
        axis = g.ndim - d + i
        n, o = size[i], g.shape[axis]
        if n == o:
            continue
        x = np.zeros((*g.shape[:axis], n, *g.shape[axis + 1 :]), g.dtype)
        if o and n % o == 0:
            parts = x.reshape(*g.shape[:axis], o, n // o, *g.shape[axis + 1 :])
            parts[...] = np.expand_dims(g / g.dtype.type(n // o), axis + 1)
        else:
            for j, (start, end) in enumerate(_spans(n, o)):
                part = _slice(g, axis, j, j + 1) / g.dtype.type(end - start)
                window = _slice(x, axis, start, end)
                window += part
        g = x
    return np.array(g)


# --- where windows lie ---


def strided_spans(
    size: Ints, kernel: Ints, stride: Ints, padding: Ints, out: Ints, count_include_pad: bool,
    divisor: int | None,
) -> Spans:  # fmt: skip
    """The windows of an average pool, cut to what is there."""
    found = []
    for i, (n, k, s, p, o) in enumerate(zip(size, kernel, stride, padding, out, strict=True)):
        start = np.arange(o) * s - p
        end = np.minimum(start + k, n + p)  # a hanging window does not count beyond the padding
        first, last = np.clip(start, 0, n), np.clip(end, 0, n)
        counts = end - start if count_include_pad else last - first
        if divisor is not None:
            counts = np.full(o, divisor if i == 0 else 1)
        found.append((tuple(first.tolist()), tuple(last.tolist()), tuple(counts.tolist())))
    return tuple(found)


def adaptive_spans(size: Ints, out: Ints) -> Spans:
    """The windows floor(i n / o) .. ceil((i + 1) n / o)."""
    found = []
    for n, o in zip(size, out, strict=True):
        spans = _spans(n, o)
        found.append((tuple([a for a, _ in spans]), tuple([b for _, b in spans]),
                      tuple([b - a for a, b in spans])))  # fmt: skip
    return tuple(found)


def margins(x: Array, *, padding: Ints, reach: Ints) -> Array:
    """x with -inf around it, as far as windows reach."""
    return np.ascontiguousarray(_framed_all(x, padding, reach, -np.inf))


def zeros(*, shape: Ints, dtype: Any) -> Array:
    return np.zeros(shape, dtype)


def _spans(n: int, out: int) -> list[tuple[int, int]]:
    return [(i * n // out, -((-(i + 1) * n) // out)) for i in range(out)]


def _counts(
    size: Ints,
    kernel: Ints,
    stride: Ints,
    padding: Ints,
    out: Ints,
    count_include_pad: bool,
    divisor: int | None,
) -> Array:
    """How many elements each window's mean divides by, of shape (*out), or 0-d when all agree."""
    if divisor is not None:
        return np.asarray(divisor)
    total = np.asarray(1)
    for i, (n, k, s, p, o) in enumerate(zip(size, kernel, stride, padding, out, strict=True)):
        start = np.arange(o) * s - p
        end = np.minimum(start + k, n + p)  # a hanging window does not count beyond the padding
        if not count_include_pad:
            start, end = np.maximum(start, 0), np.minimum(end, n)
        along = [-1 if j == i else 1 for j in range(len(kernel))]
        count = end - start
        total = total * (k if (count == k).all() else count.reshape(along))
    return np.asarray(total)


def reach_of(kernel: int, stride: int, dilation: int, out: int) -> int:
    """How far the last window reaches from the start of the padding."""
    return (out - 1) * stride + dilation * (kernel - 1) + 1


def _apart(kernel: Ints, stride: Ints, dilation: Ints) -> bool:
    """Whether no element belongs to two windows."""
    return all(s > d * (k - 1) for k, s, d in zip(kernel, stride, dilation, strict=True))


def _slice(x: Array, axis: int, start: int, end: int, step: int = 1) -> Array:
    return x[(slice(None),) * axis + (slice(start, end, step),)]


def _tap(frame: Array, axis: int, start: int, stride: int, out: int) -> Array:
    return _slice(frame, axis, start, start + (out - 1) * stride + 1, stride)


def _taps(frame: Array, tap: Ints, stride: Ints, dilation: Ints, out: Ints) -> Array:
    """The element number `tap` of every window."""
    where = [
        slice(t * d, t * d + (o - 1) * s + 1, s)
        for t, s, d, o in zip(tap, stride, dilation, out, strict=True)
    ]
    return frame[(..., *where)]


def _framed(x: Array, axis: int, before: int, length: int, value: Any = None) -> Array:
    """x along `axis` after `before` elements of padding, at least `length` long in all."""
    n = x.shape[axis]
    if before == 0 and length <= n:
        return x
    shape = list(x.shape)
    shape[axis] = max(length, before + n)
    frame = np.full(shape, _lowest(x.dtype) if value is None else value, x.dtype)
    _slice(frame, axis, before, before + n)[...] = x
    return frame


def _framed_all(x: Array, padding: Ints, reach: Ints, value: Any) -> Array:
    size = x.shape[x.ndim - len(padding) :]
    if all(r <= n + 2 * p for n, p, r in zip(size, padding, reach, strict=True)):
        return around(x, padding, _lowest(x.dtype) if value is None else value)  # in one pass
    for i, (p, r) in enumerate(zip(padding, reach, strict=True)):
        x = _framed(x, x.ndim - len(padding) + i, p, r, value)
    return x


def cropped(frame: Array, *, padding: Ints, size: Ints) -> Array:
    where = [slice(p, p + n) for p, n in zip(padding, size, strict=True)]
    return np.ascontiguousarray(frame[(..., *where)])


def _lowest(dtype: np.dtype[Any]) -> Any:
    if dtype.kind == "f":
        return -np.inf
    return np.iinfo(dtype).min if dtype.kind in "iu" else False
