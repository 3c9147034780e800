"""Binomial numbers by machine code: those of `rejection.binomial`, bit for bit.

    count * p < 10:  trials until the next success are ceil(log u / log(1 - p)) each: the successes
                     before `count` trials are over
    else:            k = floor((2 a / s + b) u + c) with u uniform in [-1/2, 1/2), v in [0, 1),
                     s = 1/2 - |u|, until (s, v) lies below the density

for p up to 1/2; beyond, `count` less a number of 1 - p. Counts that are not whole are left to
Python.

Sources: Devroye, Non-Uniform Random Variate Generation (1986), page 525; Hormann, The Generation of
Binomial Random Variates (1993), BTRS.
"""

from __future__ import annotations

import functools
import math

from ..codegen.interface import Interface, Kernel
from ..codegen.ir import F64, I64, Function, Module, Pointer, Value, Variable
from . import library
from .native_draws import ARRAYS, INTS, Draws
from .rejection import TABLE, stirling_rest

LIBRARY = ("log", "log1p")

INTERFACE = Interface(
    "binomial_numbers",
    "out[i] = successes among counts[i] trials of probability probs[i]",
    arrays={"out": "(n), float64", "counts": "(n), float64", "probs": "(n), float64", **ARRAYS},
    ints=INTS,
)


def build() -> Module:
    module = Module("binomial_numbers")
    for name in LIBRARY:
        module.declare(name, F64, [F64])
    small = module.table("stirling_rests", F64, [stirling_rest(k) for k in range(TABLE)])
    f = INTERFACE.begin_run(module)
    counts, probs = (f.args[k].of(F64) for k in ("counts", "probs"))
    draws = Draws(f)
    with draws.each() as (at, y):
        count, p = counts[at], probs[at]
        with f.when(~((count <= 0.0) | (p <= 0.0))):
            y.set(count)
            with f.when(~(p >= 1.0) & (f.fabs(count) < math.inf)):
                write_between(f, count, p, draws, y, Pointer(f, small, F64))
    f.ret()
    INTERFACE.write_invoke(module)
    return module


def write_between(
    f: Function, count: Value, p: Value, draws: Draws, y: Variable, small: Pointer
) -> None:
    """A number for 0 < p < 1, or NaN for NaN."""
    often = p > 0.5
    q = f.select(often, 1.0 - p, p)
    with f.when(f.compare("ne", p, p)) as missing:
        y.set(p)
    with missing.otherwise():
        with f.when(count != f.same("floor", count)):
            draws.short.set(1)
        successes = f.var(f.const(F64, 0.0))
        with f.when(count * q >= 10.0) as many:
            write_many(f, count, q, draws, successes, small)
        with many.otherwise():
            write_few(f, count, q, draws, successes)
        y.set(f.select(often, count - successes.get(), successes.get()))


def write_few(f: Function, count: Value, p: Value, draws: Draws, successes: Variable) -> None:
    """By the trials until the next success."""
    log_q = f.call("log1p", F64, [0.0 - p])
    trials = f.var(f.const(F64, 0.0))
    with f.repeat() as loop:
        u = draws.next()
        loop.stop_if(draws.short.get() != 0)
        more = f.same("ceil", f.call("log", F64, [u]) / log_q)
        trials.set(trials.get() + f.select(u > 0.0, more, f.const(F64, math.inf)))
        loop.stop_if(trials.get() > count)
        successes.set(successes.get() + 1.0)


def write_many(
    f: Function, count: Value, p: Value, draws: Draws, successes: Variable, small: Pointer
) -> None:
    """By transformed rejection."""

    def log(x: Value) -> Value:
        return f.call("log", F64, [x])  # type: ignore[no-any-return]

    def rest(k: Value) -> Value:
        """`stirling_rest`."""
        square = (k + 1.0) * (k + 1.0)
        found = f.var((1.0 / 12 - (1.0 / 360 - 1.0 / 1260 / square) / square) / (k + 1.0))
        with f.when(k < float(TABLE)):
            found.set(small[f.convert(k, I64)])
        return found.get()  # type: ignore[no-any-return]

    deviation = f.sqrt(count * p * (1.0 - p))
    b = deviation * 2.53 + 1.15
    a = b * 0.0248 + -0.0873 + p * 0.01
    c = count * p + 0.5
    sure = 0.92 - 4.2 / b
    odds = p / (1.0 - p)
    alpha = (5.1 / b + 2.83) * deviation
    mode = f.same("floor", (count + 1.0) * p)
    with f.repeat() as loop:
        u = draws.next() - 0.5
        v = draws.next()
        loop.stop_if(draws.short.get() != 0)
        us = 0.5 - f.fabs(u)
        k = f.same("floor", (a * 2.0 / us + b) * u + c)
        successes.set(k)
        loop.stop_if((us >= 0.07) & (v <= sure))
        accepted = f.var(0)
        out = (us == 0.0) | (k < 0.0) | (k > count) | (v <= 0.0)
        with f.when(~out):
            bound = (
                (mode + 0.5) * log((mode + 1.0) / (odds * (count - mode + 1.0)))
                + (count + 1.0) * log((count - mode + 1.0) / (count - k + 1.0))
                + (k + 0.5) * log(odds * (count - k + 1.0) / (k + 1.0))
                + rest(mode) + rest(count - mode) - rest(k) - rest(count - k)
            )  # fmt: skip
            height = log(v * alpha / (a / (us * us) + b))
            accepted.set(f.select(height <= bound, f.const(I64, 1), 0))
        loop.stop_if(accepted.get() != 0)


@functools.cache
def kernel() -> Kernel:
    return Kernel(INTERFACE, (), build, lambda: library.symbols(LIBRARY))
