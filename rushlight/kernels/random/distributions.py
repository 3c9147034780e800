"""Random distributions with NumPy: the numbers, and the order of draws, of PyTorch's CPU.

Every function fills the array it is given, whatever its strides, from a `Twister`. How many words
a value takes, which bits of them, and in which order a strided array is filled are PyTorch's, so a
seed means the same numbers. No argument is checked here: `rushlight/ops/random/` does that. Not
here: when kernels do the same (`select.py`). Read next: `mersenne_twister.py` (the stream),
`box_muller.py` (float32 normals).
"""

from __future__ import annotations

import math
from collections.abc import Iterator

import numpy as np

from .. import runtime, tuning
from ..elementwise.lowered import LOW
from ..sort import reference as sort
from ..sort import select
from .box_muller import box_muller_16
from .mersenne_twister import Twister

_BIG_SPAN = 1 << 28  # PyTorch takes two words for a wider range, to keep the modulo bias small
_DIGITS = {"float16": 11, "bfloat16": 8, "float32": 24, "float64": 53}  # bits of a significand


# ---------------------------------------------------------------------------------- filling order


def fill_order(a: np.ndarray) -> np.ndarray:
    """A view of `a` whose C order is the order in which PyTorch fills it: by memory, not by index.

    >>> fill_order(np.empty((2, 5)).T).shape
    (2, 5)
    """
    return a if a.flags.c_contiguous else a.transpose(_fill_axes(a))


def _fill_axes(a: np.ndarray) -> list[int]:
    order = list(range(a.ndim - 1, -1, -1))  # innermost first
    for i in range(1, a.ndim):
        here = i
        for other in range(i - 1, -1, -1):
            inner, outer = order[other], order[here]
            s_inner, s_outer = a.strides[inner], a.strides[outer]
            if s_inner == 0 or s_outer == 0:
                continue
            if s_inner < s_outer:
                break
            if s_inner > s_outer or a.shape[inner] > a.shape[outer]:
                order[other], order[here] = outer, inner
                here = other
    return order[::-1]


def _store(a: np.ndarray, values: np.ndarray) -> None:
    """Write values, given in filling order, with the conversions of C++."""
    if values.dtype is a.dtype and a.flags.c_contiguous:
        np.copyto(a, values.reshape(a.shape))
        return
    view = fill_order(a)
    if a.dtype in LOW and values.dtype != a.dtype:
        values = values.astype(np.float32)  # PyTorch's half types are made from float32
    np.copyto(view, values.reshape(view.shape), casting="unsafe")


def _fma(x: np.ndarray, factor: float, term: float) -> np.ndarray:
    """x * factor + term in float64, rounded once (Dekker's product, Knuth's sum)."""
    if term == 0.0:
        return x * factor
    product = x * factor
    if not math.isfinite(factor) or not math.isfinite(term) or abs(factor) > 1e290:
        return product + term
    split = 134217729.0 * x
    x_high = split - (split - x)
    x_low = x - x_high
    split_factor = 134217729.0 * factor
    f_high = split_factor - (split_factor - factor)
    f_low = factor - f_high
    lost = ((x_high * f_high - product) + x_high * f_low + x_low * f_high) + x_low * f_low
    total = product + term
    part = total - product
    lost += (product - (total - part)) + (term - part)
    return total + lost


# ------------------------------------------------------------------------------------- continuous


def _blocks(a: np.ndarray) -> Iterator[np.ndarray]:
    """A contiguous array in parts of at most `tuning.RANDOM_BLOCK` elements, in memory's order."""
    flat, block = a.reshape(-1), tuning.RANDOM_BLOCK
    return (flat[start : start + block] for start in range(0, len(flat), block))


def uniform(a: np.ndarray, rng: Twister, low: float = 0.0, high: float = 1.0) -> None:
    """Numbers in [low, high)."""
    if a.size > tuning.RANDOM_BLOCK and a.flags.c_contiguous:
        for part in _blocks(a):
            uniform(part, rng, low, high)
        return
    if a.dtype == np.float64:
        x = rng.doubles(a.size)
        if low != 0.0 or high != 1.0:
            x = _fma(x, high - low, low)
            x[x == high] = low
        _store(a, x)
        return
    x = rng.floats(a.size)
    if low != 0.0 or high != 1.0:
        low32, high32 = np.float32(low), np.float32(high)
        wide = np.multiply(x, high32 - low32, dtype=np.float64)
        wide += low32
        x = wide.astype(np.float32)
    if a.dtype == np.float32:
        if low != 0.0 or high != 1.0:
            x[x == high32] = low32
    else:  # rounding to half precision may reach the upper end, which is excluded
        x = x.astype(a.dtype)
        x[x == np.asarray(high, np.float32).astype(a.dtype)] = low
    _store(a, x)


def normal(
    a: np.ndarray,
    rng: Twister,
    mean: float = 0.0,
    std: float = 1.0,
    grouped: bool | None = None,
) -> None:
    """Normal numbers. Contiguous arrays of 16 and more go by groups, others by pairs.

    `grouped` says whether `a` counts as contiguous, when it stands for another array.
    """
    n = a.size
    if n < 16 or not (a.flags.c_contiguous if grouped is None else grouped):
        _store(a, _pairs(rng, n, mean, std))
        return
    flat = a.reshape(-1)
    whole = n - n % 16
    transform = _box_muller_16_wide if a.dtype == np.float64 else box_muller_16
    draw = rng.doubles if a.dtype == np.float64 else rng.floats
    # The last 16 are drawn anew when the size is no multiple of 16. The types computed in place
    # have by then drawn a number for every element, the half ones only for whole groups.
    for start in range(0, whole, tuning.RANDOM_BLOCK):
        stop = min(start + tuning.RANDOM_BLOCK, whole)
        flat[start:stop] = transform(draw(stop - start), mean, std)
    if whole != n:
        if a.dtype.itemsize >= 4:
            draw(n - whole)
        flat[n - 16 :] = transform(draw(16), mean, std)


def rounded(a: np.ndarray, z: np.ndarray, last: np.ndarray | None = None) -> None:
    """Fill a dense array with numbers, its last 16 elements with those that came last."""
    flat = a.reshape(-1)
    flat[: len(z)] = z
    if last is not None:
        flat[-16:] = last


def _box_muller_16_wide(u: np.ndarray, mean: float, std: float) -> np.ndarray:
    """`box_muller_16` in float64, with library functions (to the last few ulp)."""
    pairs = u.reshape(-1, 2, 8)
    radius = np.sqrt(-2.0 * np.log(1.0 - pairs[:, 0]))
    theta = 2.0 * np.pi * pairs[:, 1]
    out = np.empty_like(pairs)
    np.multiply(radius, np.cos(theta), out=out[:, 0])
    np.multiply(radius, np.sin(theta), out=out[:, 1])
    return (out if mean == 0 and std == 1 else _fma(out, std, mean)).reshape(-1)


def _pairs(rng: Twister, n: int, mean: float, std: float) -> np.ndarray:
    """n float64 normals, made two at a time; an unused second one waits in the generator."""
    kept: list[float] = []
    if n and rng.normal is not None:
        kept, rng.normal = [rng.normal], None
    count = (n - len(kept) + 1) // 2
    if count <= tuning.RANDOM_FEW:
        u = rng.doubles(2 * count).tolist() if count else []
        for u1, u2 in zip(u[::2], u[1::2], strict=True):
            radius, theta = math.sqrt(-2.0 * math.log1p(-u2)), 2.0 * math.pi * u1
            kept += radius * math.cos(theta), radius * math.sin(theta)
        if len(kept) > n:
            rng.normal = kept.pop()
        out = np.array(kept, np.float64)
    else:
        out, first = np.empty(n), len(kept)
        out[:first] = kept
        pairs = rng.doubles(2 * count).reshape(count, 2)
        radii, thetas = np.sqrt(-2.0 * np.log1p(-pairs[:, 1])), 2.0 * np.pi * pairs[:, 0]
        z = np.stack((radii * np.cos(thetas), radii * np.sin(thetas)), 1)
        out[first:] = z.reshape(-1)[: n - first]
        if 2 * count > n - first:
            rng.normal = float(z[-1, 1])
    return out if mean == 0 and std == 1 else _fma(out, std, mean)


def log_normal(a: np.ndarray, rng: Twister, mean: float = 1.0, std: float = 2.0) -> None:
    """exp of a normal number."""
    _store(a, np.exp(_pairs(rng, a.size, mean, std)))


def exponential(a: np.ndarray, rng: Twister, rate: float = 1.0) -> None:
    """-log(1 - u) / rate."""
    _store(a, (-1.0 / rate) * _library(math.log1p, np.log1p, -rng.doubles(a.size)))


def cauchy(a: np.ndarray, rng: Twister, median: float = 0.0, sigma: float = 1.0) -> None:
    """median + sigma tan(pi (u - 1/2))."""
    tangent = _library(math.tan, np.tan, np.pi * (rng.doubles(a.size) - 0.5))
    _store(a, _fma(tangent, sigma, median))


def _library(one: object, many: np.ufunc, x: np.ndarray) -> np.ndarray:
    """A function of the C library (what PyTorch calls) on few numbers, NumPy's on many."""
    if x.size <= tuning.RANDOM_FEW:
        return np.array([one(v) for v in x.tolist()], np.float64)  # type: ignore[operator]
    return many(x)


# --------------------------------------------------------------------------------------- discrete


def bernoulli(a: np.ndarray, rng: Twister, p: float, value: float = 1.0) -> None:
    """`value` with probability p, else 0."""
    if a.size > tuning.RANDOM_BLOCK and a.flags.c_contiguous:
        for part in _blocks(a):
            bernoulli(part, rng, p, value)
        return
    _store(a, rng.doubles(a.size) < p)
    if value != 1.0:
        np.multiply(a, a.dtype.type(value), out=a)


def geometric(a: np.ndarray, rng: Twister, p: float) -> None:
    """Trials up to and with the first success: ceil(log(u) / log(1 - p))."""
    with np.errstate(divide="ignore"):
        values = np.ceil(np.log(rng.doubles(a.size)) / math.log1p(-p))
    _store(a, values)


def integers(a: np.ndarray, rng: Twister, base: int, span: int) -> None:
    """Whole numbers in [base, base + span), for a span up to 2**64."""
    if a.size > tuning.RANDOM_BLOCK and a.flags.c_contiguous:
        for part in _blocks(a):
            integers(part, rng, base, span)
        return
    if span >= _BIG_SPAN:
        words = rng.words64(a.size)
        if span < 1 << 64:
            words %= np.uint64(span)
        words += np.uint64(base & 0xFFFFFFFFFFFFFFFF)
        values = words.view(np.int64)
    else:
        words = rng.words(a.size)
        words %= np.uint32(span)
        values = words.astype(np.int64)
        values += base
    _store(a, values)


def any_integers(a: np.ndarray, rng: Twister) -> None:
    """Whole numbers up to the largest the type holds: max, or 2**digits for floats."""
    kind, name = a.dtype.kind, a.dtype.name
    if kind == "b":
        _store(a, rng.words(a.size) & np.uint32(1))
    elif name in ("int64", "float64"):
        words = rng.words64(a.size)
        words %= np.uint64(1 << 63 if name == "int64" else (1 << 53) + 1)
        _store(a, words)
    else:
        top = (1 << _DIGITS[name]) if name in _DIGITS else int(np.iinfo(a.dtype).max)
        _store(a, (rng.words(a.size) % np.uint64(top + 1)).astype(np.int64))


def partners(rng: Twister, *, n: int) -> np.ndarray:
    """With which place each place is swapped to shuffle n things (Fisher and Yates), int64."""
    if n < 2:
        return np.arange(n)
    left = np.arange(n, 1, -1)
    # Below 2**32 / 20 one word a swap, as PyTorch has always done; beyond, two for less bias.
    if n < 0xFFFFFFFF // 20:
        jumps = rng.words(n - 1) % left.astype(np.uint32)
    else:
        jumps = rng.words64(n - 1) % left.astype(np.uint64)
    partner = np.arange(n)
    partner[:-1] += jumps.astype(np.int64)
    return partner


def swapped(partner: np.ndarray) -> np.ndarray:
    """0 .. n-1 after swapping 0 with partner[0], 1 with partner[1], ... (partner[i] >= i), at once.

    Reading the swaps backwards, place x first goes to y = partner[x]; from y it goes to the last
    i < x with the same partner y, from i to the last one whose partner is i, and so on. So every
    place follows a chain of strictly smaller numbers, and chains are followed by doubling.
    """
    n = len(partner)
    places = np.arange(n)
    if n < 200:
        order = places.tolist()
        for i, other in enumerate(partner.tolist()):
            order[i], order[other] = order[other], order[i]
        return np.array(order, np.int64)
    keys = np.sort((partner << 32) | places) if n < 1 << 31 else None
    if keys is None:
        by_partner = np.lexsort((places, partner))
        value = partner[by_partner]
    else:
        by_partner, value = keys & 0xFFFFFFFF, keys >> 32
    same = value[1:] == value[:-1]  # neighbours here are consecutive places with one partner
    jump = places.copy()  # i -> the last earlier place whose partner is i
    other = by_partner != value
    jump[value[other]] = by_partner[other]  # the last one written stays
    while True:
        further = jump[jump]
        if np.array_equal(further, jump):
            break
        jump = further
    result = partner.copy()
    result[by_partner[1:][same]] = jump[by_partner[:-1][same]]
    return result


def multinomial_replaced(weights: np.ndarray, rng: Twister, count: int) -> np.ndarray:
    """Indices drawn from each row of weights, an index as often as it comes: (rows, count)."""
    steps = np.cumsum(weights, axis=1, dtype=weights.dtype)  # one by one, in the weights' type
    steps /= steps[:, -1:]
    steps[:, -1] = 1
    drawn = rng.doubles(len(steps) * count).reshape(-1, count)
    rows, n = steps.shape
    if count > tuning.MULTINOMIAL_TOGETHER or rows < tuning.MULTINOMIAL_ROWS:
        found = np.empty((rows, count), np.int64)
        for row, u, picked in zip(steps, drawn, found, strict=True):
            picked[:] = np.searchsorted(row.astype(np.float64), u)
        return found
    begin, flat = np.arange(0, rows * n, n)[:, None], steps.reshape(-1)
    first, last = np.zeros(drawn.shape, np.int64), np.full(drawn.shape, n)  # all rows at a time
    for _ in range(n.bit_length()):
        middle = (first + last) >> 1
        below = flat.take(begin + middle, mode="clip") < drawn
        first, last = np.where(below, middle + 1, first), np.where(below, last, middle)
        np.minimum(first, last, out=first)
    return first


def multinomial_distinct(weights: np.ndarray, rng: Twister, count: int) -> np.ndarray:
    """Indices drawn from each row of weights, none twice: the largest weight / exponential."""
    race = np.empty_like(weights)  # keeps the strides of a transposed matrix, as PyTorch does
    exponential(race, rng, 1.0)
    with np.errstate(divide="ignore", invalid="ignore"):
        race = weights / race
    if count == 1:
        return np.argmax(race, axis=-1, keepdims=True)
    if not np.isnan(race).any():  # which come last here, and first in `topk`
        if race.dtype == np.float32:
            return select.topk(race, count, race.ndim - 1, True, True)
        few = sort.few(race, count, True) if count <= race.shape[-1] // tuning.SORT_FEW else None
        if few is not None:
            return few
    return np.argsort(-race, axis=-1, kind="stable")[..., :count].copy()


def poisson(rates: np.ndarray, rng: Twister) -> np.ndarray:
    """One Poisson number for each rate (float64 in, float64 out).

    Small rates multiply uniform numbers until the product falls below exp(-rate) (Knuth); from 10
    on transformed rejection (Hoermann 1993). How many draws a number takes is known only
    afterwards, so draws are made in bulk and those not used are handed back.
    """
    flat = rates.reshape(-1)
    many = flat.size >= tuning.RANDOM_REJECTED_LEAST and runtime.available()
    made = _poissons_by_kernel(flat, rng) if many else _poissons(flat, rng)
    return made.reshape(rates.shape)


def _poissons(rates: np.ndarray, rng: Twister) -> np.ndarray:
    """A Poisson number of each rate."""
    out = np.zeros(rates.size)
    feed = _Feed(rng, 4 * rates.size + 16)
    for i, rate in enumerate(rates.tolist()):
        if rate == math.inf:
            out[i] = rate
        elif rate >= 10:
            out[i] = _poisson_big(rate, feed)
        elif rate > 0:
            limit, product, k = math.exp(-rate), feed.next(), 0
            while product > limit:
                k += 1
                product *= feed.next()
            out[i] = k
    feed.close()
    return out


def _poissons_by_kernel(rates: np.ndarray, rng: Twister) -> np.ndarray:
    """`_poissons`, by the kernel, but for numbers that its table is too short for."""
    from . import native_draws, rejected_poisson

    rates = np.ascontiguousarray(rates)
    out, kernel = np.empty(rates.size), rejected_poisson.kernel().call
    table = rejected_poisson.log_factorials(rates)

    def call(draws: np.ndarray, progress: np.ndarray, count: int) -> None:
        kernel(out, rates, table, draws, progress, rates.size, count, table.size)

    def otherwise(i: int) -> None:
        out[i] = _poissons(rates[i : i + 1], rng)[0]

    native_draws.made(call, rates.size, rng, otherwise)
    return out


def _poisson_big(rate: float, feed: _Feed) -> int:
    root, log_rate = math.sqrt(rate), math.log(rate)
    b = 0.931 + 2.53 * root
    a = -0.059 + 0.02483 * b
    inverse_alpha = 1.1239 + 1.1328 / (b - 3.4)
    sure = 0.9277 - 3.6224 / (b - 2)
    while True:
        u = feed.next() - 0.5
        v = feed.next()
        us = 0.5 - abs(u)
        if us == 0.0:
            continue
        k = math.floor((2 * a / us + b) * u + rate + 0.43)
        if us >= 0.07 and v <= sure:
            return k
        if k < 0 or (us < 0.013 and v > us):
            continue
        bound = -rate + k * log_rate - math.lgamma(k + 1)
        log_v = math.log(v) if v else -math.inf
        if log_v + math.log(inverse_alpha) - math.log(a / (us * us) + b) <= bound:
            return k


class _Feed:
    """float64 draws one at a time, fetched in bulk; `close` hands back those that were not used."""

    __slots__ = ("_at", "_chunk", "_mark", "_rng", "_values")

    def __init__(self, rng: Twister, chunk: int) -> None:
        self._rng, self._chunk = rng, chunk
        self._fetch()

    def _fetch(self) -> None:
        self._mark = self._rng.mark()
        self._values = self._rng.doubles(self._chunk).tolist()
        self._at = 0

    def next(self) -> float:
        if self._at == self._chunk:
            self._fetch()
        value: float = self._values[self._at]
        self._at += 1
        return value

    def close(self) -> None:
        if self._at < self._chunk:
            self._rng.rewind(self._mark, 2 * self._at)
