"""Poisson numbers by rejection, by machine code: those of `distributions.poisson`, bit for bit.

    rate < 10:  the least k for which the product of k + 1 uniform numbers is at most exp(-rate)
    else:       k = floor((2 a / s + b) u + rate + 0.43) with u uniform in [-1/2, 1/2), v in [0, 1),
                s = 1/2 - |u|, until (s, v) lies below the density

The logarithms of factorials come in a table, made by Python's `math`; for a k that is not in it the
kernel stops, and Python makes that number.

Sources: Knuth, The Art of Computer Programming 2 (1969), 3.4.1; Hormann, The Transformed Rejection
Method for Generating Poisson Random Variables (1993), PTRS.
"""

from __future__ import annotations

import functools
import math

import numpy as np

from ..codegen.interface import Interface, Kernel
from ..codegen.ir import F64, I64, Function, Module, Value, Variable
from . import library
from .native_draws import ARRAYS, INTS, Draws

LIBRARY = ("exp", "log")
MOST_FACTORIALS = 1 << 16

INTERFACE = Interface(
    "poisson_numbers",
    "out[i] = a Poisson number of rate rates[i]; 0 for what is not above 0, or NaN",
    arrays={
        "out": "(n), float64",
        "rates": "(n), float64",
        "log_factorials": "(factorials), float64",
        **ARRAYS,
    },
    ints={**INTS, "factorials": "logarithms of factorials, from that of 0 on"},
)


def build() -> Module:
    module = Module("poisson_numbers")
    for name in LIBRARY:
        module.declare(name, F64, [F64])
    f = INTERFACE.begin_run(module)
    draws = Draws(f)
    with draws.each() as (at, y):
        rate = f.args["rates"].of(F64)[at]
        with f.when(f.compare("eq", rate, math.inf)) as infinite:
            y.set(rate)
        with infinite.otherwise():
            with f.when(rate >= 10.0) as large:
                write_large(f, rate, draws, y)
            with large.otherwise(), f.when(rate > 0.0):
                write_small(f, rate, draws, y)
    f.ret()
    INTERFACE.write_invoke(module)
    return module


def write_small(f: Function, rate: Value, draws: Draws, y: Variable) -> None:
    """By products of uniform numbers."""
    limit = f.call("exp", F64, [-rate])
    product = f.var(draws.next())
    with f.repeat() as loop:
        loop.stop_if(~(product.get() > limit))  # NaN, too: the draws have run out
        y.set(y.get() + 1.0)
        product.set(product.get() * draws.next())


def write_large(f: Function, rate: Value, draws: Draws, y: Variable) -> None:
    """By transformed rejection."""
    root, log_rate = f.sqrt(rate), f.call("log", F64, [rate])
    b = root * 2.53 + 0.931
    a = b * 0.02483 + -0.059
    inverse_alpha = f.call("log", F64, [1.1328 / (b - 3.4) + 1.1239])
    sure = 0.9277 - 3.6224 / (b - 2.0)
    known = f.args["log_factorials"].of(F64)
    with f.repeat() as loop:
        u = draws.next() - 0.5
        v = draws.next()
        loop.stop_if(draws.short.get() != 0)
        us = 0.5 - f.fabs(u)
        k = f.same("floor", (a * 2.0 / us + b) * u + rate + 0.43)
        y.set(k)
        loop.stop_if((us >= 0.07) & (v <= sure))
        accepted = f.var(0)
        out = (us == 0.0) | (k < 0.0) | ((us < 0.013) & (v > us))
        with f.when(~out):
            with f.when(k < f.convert(f.args["factorials"], F64)) as there:
                log_factorial = known[f.convert(k, I64)]
                bound = k * log_rate - rate - log_factorial
                density = f.call("log", F64, [a / (us * us) + b])
                height = f.call("log", F64, [v]) + inverse_alpha - density
                accepted.set(f.select(height <= bound, f.const(I64, 1), 0))
            with there.otherwise():
                draws.short.set(1)
        loop.stop_if((accepted.get() != 0) | (draws.short.get() != 0))


@functools.cache
def kernel() -> Kernel:
    return Kernel(INTERFACE, (), build, lambda: library.symbols(LIBRARY))


_log_factorials = np.zeros(1)


def log_factorials(rates: np.ndarray) -> np.ndarray:
    """The logarithms of the factorials that numbers of these rates are likely to want: twelve
    standard deviations above the largest."""
    global _log_factorials
    known = rates[rates < MOST_FACTORIALS]
    largest = float(known.max(initial=0.0))
    wanted = min(int(largest + 12 * math.sqrt(largest)) + 16, MOST_FACTORIALS)
    if _log_factorials.size < wanted:
        more = [math.lgamma(k + 1) for k in range(_log_factorials.size, wanted)]
        _log_factorials = np.append(_log_factorials, more)
    return _log_factorials
