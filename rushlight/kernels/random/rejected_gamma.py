"""Gamma numbers by rejection, by machine code: those of `rejection.py`, bit for bit.

    d, c = shape - 1/3, 1 / sqrt(9 d)
    repeat: x normal, v = (1 + c x)**3 until v > 0, u uniform in (0, 1]
    until u < 1 - 0.0331 x**4  or  log u < x**2 / 2 + d (1 - v + log v)
    out = d v * w**power        w uniform, for shapes below 1; else 1

The functions of the C library are those that Python's `math` calls. Uniform numbers are read from
an array, and how many a number takes is known only afterwards: a number for which they do not
suffice is begun anew by the next call.

Source: Marsaglia and Tsang, A Simple Method for Generating Gamma Variables (2000).
"""

from __future__ import annotations

import functools
import math

import numpy as np

from ..codegen.interface import Interface, Kernel
from ..codegen.ir import F64, Function, Module, Pointer, Value
from . import library
from .native_draws import ARRAYS, INTS, Draws

SQUEEZE = float(np.float32(0.0331))  # PyTorch writes it as float32
LIBRARY = ("cos", "log", "log1p", "pow", "sin")

INTERFACE = Interface(
    "gamma_numbers",
    "out[i] = a gamma number of shape d[i] + 1/3, times u ** powers[i]",
    arrays={
        "out": "(n), float64",
        "d": "(n), float64: shapes less 1/3; NaN and what is not above 0 give NaN",
        "powers": "(n), float64: 0 where nothing is multiplied; infinite ones give 0",
        "spare": "(2), float64: 1 and the normal number that waits, or 0",
        **ARRAYS,
    },
    ints=INTS,
)


def build() -> Module:
    module = Module("gamma_numbers")
    for name in LIBRARY:
        module.declare(name, F64, [F64] * (2 if name == "pow" else 1))
    f = INTERFACE.begin_run(module)
    d, powers, spare = (f.args[k].of(F64) for k in ("d", "powers", "spare"))
    draws = Draws(f)
    with draws.each() as (at, y):
        waited, waiting, power = spare[0], spare[1], powers[at]
        with f.when(power != math.inf):
            scale = f.var(f.const(F64, 1.0))
            with f.when(power != 0):
                scale.set(f.call("pow", F64, [1.0 - draws.next(), power]))
            y.set(scale.get() * number(f, d[at], draws, spare))
        with f.when(draws.short.get() != 0):
            spare[0], spare[1] = waited, waiting
    f.ret()
    INTERFACE.write_invoke(module)
    return module


def number(f: Function, d: Value, draws: Draws, spare: Pointer) -> Value:
    """A gamma number of shape d + 1/3."""
    result = f.var(f.const(F64, math.nan))
    with f.when(d > 0):
        c = 1.0 / f.sqrt(d * 9.0)
        with f.repeat() as tries:
            x, y = f.var(f.const(F64, 0.0)), f.var(f.const(F64, 0.0))
            with f.repeat() as positive:
                x.set(draws.normal(spare))
                y.set(c * x.get() + 1.0)
                positive.stop_if(~(y.get() <= 0.0))
            v = y.get() * y.get() * y.get()
            u = 1.0 - draws.next()
            xx = x.get() * x.get()
            result.set(d * v)
            tries.stop_if(draws.short.get() != 0)
            tries.stop_if(u < 1.0 - xx * SQUEEZE * xx)
            log_u, log_v = (f.call("log", F64, [k]) for k in (u, v))
            tries.stop_if(log_u < xx * 0.5 + d * (1.0 - v + log_v))
    return result.get()  # type: ignore[no-any-return]


@functools.cache
def kernel() -> Kernel:
    return Kernel(INTERFACE, (), build, lambda: library.symbols(LIBRARY))
