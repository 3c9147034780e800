"""Gamma, Dirichlet and binomial numbers by rejection: the numbers and draws of PyTorch's CPU.

How many draws a number takes is known only afterwards, so numbers are made one by one from draws
fetched in bulk; draws that were not used are handed back to the stream. Many are made by machine
code (`rejected_gamma.py`, `rejected_binomial.py`), the same ones. Their derivatives with respect to
the parameters are in `gamma_derivative.py`. Read first: `distributions.py`.
"""

from __future__ import annotations

import math

import numpy as np

from .. import runtime, tuning
from .distributions import _Feed
from .mersenne_twister import Twister

# Constants that PyTorch writes as float32.
_THIRD = float(np.float32(1.0) / np.float32(3.0))
_SQUEEZE = float(np.float32(0.0331))


def standard_gamma(shapes: np.ndarray, rng: Twister) -> np.ndarray:
    """A gamma number of rate 1 for each shape parameter (float64, whatever the type of `shapes`).

    Squeezed acceptance of Marsaglia and Tsang (2000); below 1 a number of shape + 1 is scaled.
    """
    flat = shapes.reshape(-1)
    one = flat.dtype.type(1)
    small = flat < one
    with np.errstate(divide="ignore"):  # these three are rounded to the type of the parameters
        powers = np.where(small, one / flat, 0)
    d = np.where(small, flat + one, flat) - flat.dtype.type(_THIRD)
    many = flat.size >= tuning.RANDOM_REJECTED_LEAST and runtime.available()
    made = _gammas_by_kernel if many else _gammas
    return made(d.astype(np.float64), powers.astype(np.float64), rng).reshape(shapes.shape)


def _gammas(d: np.ndarray, powers: np.ndarray, rng: Twister) -> np.ndarray:
    """A gamma number of each shape d + 1/3, times a uniform one to its power."""
    out = np.empty(d.size)
    feed = _Feed(rng, 4 * d.size + 16)
    for i, (shape, power) in enumerate(zip(d.tolist(), powers.tolist(), strict=True)):
        if power == math.inf:
            out[i] = 0.0
            continue
        scale = (1.0 - feed.next()) ** power if power else 1.0
        out[i] = scale * _gamma(shape, feed, rng)
    feed.close()
    return out


def _gammas_by_kernel(d: np.ndarray, powers: np.ndarray, rng: Twister) -> np.ndarray:
    """`_gammas`, by the kernel."""
    from . import native_draws, rejected_gamma

    out, kernel = np.empty(d.size), rejected_gamma.kernel().call

    def call(draws: np.ndarray, progress: np.ndarray, count: int) -> None:
        kernel(out, d, powers, rng.spare, draws, progress, d.size, count)

    def otherwise(i: int) -> None:
        out[i] = _gammas(d[i : i + 1], powers[i : i + 1], rng)[0]

    native_draws.made(call, d.size, rng, otherwise)
    return out


def _normal(feed: _Feed, rng: Twister) -> float:
    """One float64 normal number; the other of its pair waits in the stream."""
    waiting = rng.normal
    if waiting is not None:
        rng.normal = None
        return waiting
    u1, u2 = feed.next(), feed.next()
    radius, theta = math.sqrt(-2.0 * math.log1p(-u2)), 2.0 * math.pi * u1
    rng.normal = radius * math.sin(theta)
    return radius * math.cos(theta)


def _gamma(d: float, feed: _Feed, rng: Twister) -> float:
    """A gamma number of shape d + 1/3, at least 1."""
    if not d > 0:  # a parameter that is nan or negative
        return math.nan
    c = 1.0 / math.sqrt(9.0 * d)
    while True:
        y = 0.0
        while y <= 0.0:
            x = _normal(feed, rng)
            y = 1.0 + c * x
        v = y * y * y
        u = 1.0 - feed.next()
        xx = x * x
        if u < 1.0 - _SQUEEZE * xx * xx or math.log(u) < 0.5 * xx + d * (1.0 - v + math.log(v)):
            return d * v


def dirichlet(concentration: np.ndarray, rng: Twister) -> np.ndarray:
    """Points of the simplex along the last dimension: gamma numbers over their sum (float64).

    Concentrations near 0 give numbers that underflow; a row of nothing but zeros has no direction.
    """
    gammas = np.maximum(standard_gamma(concentration, rng), np.finfo(np.float64).tiny)
    return gammas / gammas.sum(-1, keepdims=True)


def binomial(counts: np.ndarray, probs: np.ndarray, rng: Twister) -> np.ndarray:
    """Successes among `counts` trials of probability `probs` (float64 in and out, same shape).

    Few expected successes are counted by adding waiting times (Devroye 1986, page 525); from ten
    on by transformed rejection (Hormann 1993, BTRS).
    """
    trials, chances = (np.ascontiguousarray(a).reshape(-1) for a in (counts, probs))
    many = counts.size >= tuning.RANDOM_REJECTED_LEAST and runtime.available()
    made = _binomials_by_kernel if many else _binomials
    return made(trials, chances, rng).reshape(counts.shape)


def _binomials(counts: np.ndarray, probs: np.ndarray, rng: Twister) -> np.ndarray:
    """A binomial number of each count and probability."""
    out = np.empty(counts.size)
    feed = _Feed(rng, 4 * counts.size + 16)
    for i, (count, p) in enumerate(zip(counts.tolist(), probs.tolist(), strict=True)):
        if count <= 0 or p <= 0:
            out[i] = 0.0
        elif p >= 1 or not math.isfinite(count):
            out[i] = count
        elif p <= 0.5:
            out[i] = _successes(count, p, feed)
        elif p > 0.5:
            out[i] = count - _successes(count, 1.0 - p, feed)
        else:
            out[i] = math.nan
    feed.close()
    return out


def _binomials_by_kernel(counts: np.ndarray, probs: np.ndarray, rng: Twister) -> np.ndarray:
    """`_binomials`, by the kernel, but for those of counts that are not whole."""
    from . import native_draws, rejected_binomial

    out, kernel = np.empty(counts.size), rejected_binomial.kernel().call

    def call(draws: np.ndarray, progress: np.ndarray, count: int) -> None:
        kernel(out, counts, probs, draws, progress, counts.size, count)

    def otherwise(i: int) -> None:
        out[i] = _binomials(counts[i : i + 1], probs[i : i + 1], rng)[0]

    native_draws.made(call, counts.size, rng, otherwise)
    return out


def _successes(count: float, p: float, feed: _Feed) -> float:
    return _binomial_many(count, p, feed) if count * p >= 10 else _binomial_few(count, p, feed)


def _binomial_few(count: float, p: float, feed: _Feed) -> float:
    log_q = math.log1p(-p)
    trials, successes = 0.0, 0.0
    while True:
        u = feed.next()
        trials += math.ceil(math.log(u) / log_q) if u > 0 else math.inf
        if trials > count:
            return successes
        successes += 1.0


def _binomial_many(count: float, p: float, feed: _Feed) -> float:
    deviation = math.sqrt(count * p * (1 - p))
    b = 1.15 + 2.53 * deviation
    a = -0.0873 + 0.0248 * b + 0.01 * p
    c = count * p + 0.5
    sure = 0.92 - 4.2 / b
    odds = p / (1 - p)
    alpha = (2.83 + 5.1 / b) * deviation
    mode = math.floor((count + 1) * p)
    while True:
        u = feed.next() - 0.5
        v = feed.next()
        us = 0.5 - abs(u)
        if us == 0.0:
            continue
        k = math.floor((2 * a / us + b) * u + c)
        if us >= 0.07 and v <= sure:
            return float(k)
        if k < 0 or k > count or v <= 0.0:
            continue
        bound = (
            (mode + 0.5) * math.log((mode + 1) / (odds * (count - mode + 1)))
            + (count + 1) * math.log((count - mode + 1) / (count - k + 1))
            + (k + 0.5) * math.log(odds * (count - k + 1) / (k + 1))
            + stirling_rest(mode)
            + stirling_rest(count - mode)
            - stirling_rest(k)
            - stirling_rest(count - k)
        )
        if math.log(v * alpha / (a / (us * us) + b)) <= bound:
            return float(k)


TABLE = 10  # below, the difference itself, which kernels have in a table


def stirling_rest(k: float) -> float:
    """log k! minus its Stirling approximation in k + 1."""
    if k < TABLE:
        n = k + 1
        return math.lgamma(n) - (0.5 * math.log(2 * math.pi) + (k + 0.5) * math.log(n) - n)
    square = (k + 1) * (k + 1)
    return (1.0 / 12 - (1.0 / 360 - 1.0 / 1260 / square) / square) / (k + 1)
