"""Fourier transforms by NumPy, and what kernels are told of one: radices, factors, the order of
dims in memory."""

from __future__ import annotations

import functools
import math
from typing import Any

import numpy as np

Array = Any
MOST_POINTS = 256  # of a transform that stays in two buffers on the stack


# -- NumPy's way -----------------------------------------------------------------------------------


def memory_order(x: Any, dims: tuple[int, ...], last: bool = False) -> list[int]:
    """The dims from the outermost to the innermost, as PyTorch lays down a transform of x over
    `dims`: what is not transformed in the order of x, then what is; the last of dims stays last if
    it becomes half."""

    def by_strides(some: Any) -> list[int]:
        return sorted(some, key=lambda d: -x.strides[d])

    rest = [d for d in range(x.ndim) if d not in dims]
    if last:
        return [*by_strides(rest), *by_strides(dims[:-1]), dims[-1]]
    return by_strides(rest) + by_strides(dims)


def scaled(y: Array, scale: float, order: list[int]) -> Array:
    """y times a number, its dims in an order in memory."""
    if scale != 1:
        y *= y.real.dtype.type(scale)
    return np.ascontiguousarray(y.transpose(order)).transpose(np.argsort(order))


def c2c(x: Array, *, dims: tuple[int, ...], forward: bool, scale: float) -> Array:
    """Complex to complex."""
    if len(dims) == 1:
        y = np.fft.fft(x, axis=dims[0]) if forward else np.fft.ifft(x, axis=dims[0], norm="forward")
    else:
        y = np.fft.fftn(x, axes=dims) if forward else np.fft.ifftn(x, axes=dims, norm="forward")
    return scaled(y, scale, memory_order(x, dims))


def r2c(x: Array, *, dims: tuple[int, ...], scale: float) -> Array:
    """Real to the first half."""
    y = np.fft.rfft(x, axis=dims[0]) if len(dims) == 1 else np.fft.rfftn(x, axes=dims)
    return scaled(y, scale, memory_order(x, dims, last=True))


def full(x: Array, *, dims: tuple[int, ...], scale: float) -> Array:
    """Real to all of it."""
    y = np.fft.fft(x, axis=dims[0]) if len(dims) == 1 else np.fft.fftn(x, axes=dims)
    return scaled(y, scale, memory_order(x, dims))


def c2r(x: Array, *, dims: tuple[int, ...], n: int, scale: float) -> Array:
    """The first half to n real values."""
    sizes = [x.shape[d] for d in dims[:-1]] + [n]
    if len(dims) == 1:
        y = np.fft.irfft(x, n, axis=dims[0], norm="forward")
    else:
        y = np.fft.irfftn(x, sizes, axes=dims, norm="forward")
    *others, last = dims  # of several, PyTorch transforms the others first
    order = [d for d in memory_order(x, tuple(others)) if d != last]
    return scaled(y, scale, [*order, last])


# -- tables ----------------------------------------------------------------------------------------


def radices(n: int) -> list[int] | None:
    """The radices of a transform of n points, in the order of its passes; None if there is a
    factor that no pass has."""
    found = []
    for r in (13, 11, 7, 5, 3):
        while n % r == 0:
            n //= r
            found.append(r)
    twos = n.bit_length() - 1
    if n != 1 << twos:
        return None
    if twos == 1:
        return [*found, 2]
    fours = {0: 0, 1: 2, 2: 1}[twos % 3]
    return found + [4] * fours + [8] * ((twos - 2 * fours) // 3)


def roots(n: int, k: Any, back: bool) -> Array:
    """exp(-2 pi i k / n), or + where `back`: float64, computed of at most an eighth of a turn and
    in the longest type that there is, so that nearly all are rounded correctly."""
    k = np.asarray(k) % n
    octant, rest = np.divmod(8 * k, n)
    odd = octant % 2 == 1
    eighth = np.arctan(np.longdouble(1)) / n
    angle = np.where(odd, n - rest, rest) * eighth
    c, s = np.cos(angle).astype(np.float64), np.sin(angle).astype(np.float64)
    swapped = (octant + 1) // 2 % 2 == 1
    c, s = np.where(swapped, s, c), np.where(swapped, c, s)
    c = np.where((octant >= 2) & (octant < 6), -c, c)
    s = np.where(octant >= 4, -s, s)
    return c + (1j if back else -1j) * s


def parted(z: Array, dtype: Any) -> Array:
    """Complex numbers as real ones, the two parts beside each other."""
    return np.stack([z.real, z.imag], -1).astype(dtype)


def pass_tables(n: int, back: bool, dtype: Any) -> tuple[list[int], Array, Array]:
    """(radices, a line of radix, m, s and place of factors for each pass, factors of all)."""
    found = radices(n)
    assert found is not None
    lines, factors, s, place = [], [np.ones(0, dtype)], 1, 0
    for r in found:
        m = n // (s * r)
        lines.append([r, m, s, place])
        some = parted(roots(m * r, np.outer(np.arange(m), np.arange(1, r)), back), dtype).ravel()
        factors.append(some)
        place += some.size
        s *= r
    return found, np.array(lines, np.int64), np.concatenate(factors)


def between(n1: int, n2: int, w: int, back: bool, dtype: Any) -> Array:
    """The factors between the two rounds of a long transform, (blocks of n2, n1, 2, w) in a line:
    of j2 in lanes and of k1. Behind them is a square's room, which may be read."""
    blocks = -(-n2 // w)
    z = roots(n1 * n2, np.outer(np.arange(n1), np.arange(blocks * w)), back)
    z = z.reshape(n1, blocks, w).transpose(1, 0, 2)
    line = np.stack([z.real, z.imag], 2).astype(dtype).ravel()
    return np.concatenate([line, np.zeros(w * w, dtype)])


def halves(n: int, kind: str, dtype: Any) -> Array:
    """The factors by which a real transform of n points and one of n / 2 complex points differ;
    `kind`: "c2r" or another."""
    z = roots(n, np.arange(n // 4 + 1), kind == "c2r")
    return parted(z * (1 if kind == "c2r" else 0.5), dtype)


def halves_in_lanes(n: int, kind: str, w: int, dtype: Any) -> Array:
    """The same from the second factor on, (blocks, 2, w)."""
    count = -(-(n // 4) // w)
    z = roots(n, np.arange(1, count * w + 1), kind == "c2r") * (1 if kind == "c2r" else 0.5)
    z = z.reshape(count, w)
    return np.stack([z.real, z.imag], 1).astype(dtype)


@functools.lru_cache(maxsize=1024)
def rounds(n: int) -> tuple[int, int] | None:
    """(n1, n2) of a long transform, both near the root of n and of two passes at least; None: there
    are none."""
    for n1 in range(math.isqrt(n), 5, -1):
        n2 = n // n1
        if n2 > MOST_POINTS:
            return None
        if n1 * n2 == n and all(len(radices(k) or ()) > 1 for k in (n1, n2)):
            return n1, n2
    return None
