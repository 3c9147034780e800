"""Uniform numbers that a kernel reads from an array, one after the other, and what is made of two.

How many a number takes is known only when it is made: where they do not suffice, the kernel leaves
it as it was, and is called again with more. `made` is that loop.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

import numpy as np

from .. import tuning
from ..codegen.ir import F64, I64, Function, Value, Variable
from .mersenne_twister import Twister

ARRAYS = {
    "draws": "(count), float64 in [0, 1)",
    "progress": "(2), int64: numbers that are done, before and after; draws that they took",
}
INTS = {"n": "numbers", "count": "draws"}


ENOUGH = 64  # draws with which a kernel that makes no number never will


def made(
    call: Callable[[np.ndarray, np.ndarray, int], None], n: int, rng: Twister,
    otherwise: Callable[[int], None],
) -> None:  # fmt: skip
    """Have n numbers made by `call(draws, progress, count of draws)`; draws that were not used go
    back to the stream. A number that so cannot be made is left to `otherwise(its index)`."""
    progress = np.zeros(2, np.int64)
    done = 0
    while done < n:
        mark = rng.mark()
        draws = rng.doubles(min(4 * (n - done), tuning.RANDOM_BLOCK) + ENOUGH)
        call(draws, progress, draws.size)
        before, (done, used) = done, progress.tolist()
        rng.rewind(mark, 2 * used)
        if done == before:
            otherwise(done)
            done += 1
            progress[0] = done


class Draws:
    """The draws of a kernel that has the arguments `ARRAYS` and `INTS`."""

    def __init__(self, f: Function) -> None:
        self.fn = f
        self.numbers = f.args["draws"].of(F64)
        self.used, self.short = f.var(0), f.var(0)

    @contextmanager
    def each(self) -> Iterator[tuple[Value, Variable]]:
        """The loop over the numbers: (index, a variable for the number, 0 at first). One for which
        the draws do not suffice ends it, and has taken none."""
        f = self.fn
        progress, out = f.args["progress"].of(I64), f.args["out"].of(F64)
        at = f.var(progress[0])
        with f.repeat() as loop:
            loop.stop_if(at.get() >= f.args["n"])
            begun, y = self.used.get(), f.var(f.const(F64, 0.0))
            yield at.get(), y
            with f.when(self.short.get() != 0):
                self.used.set(begun)
            loop.stop_if(self.short.get() != 0)
            out[at.get()] = y.get()
            at.set(at.get() + 1)
        progress[0], progress[1] = at.get(), self.used.get()

    def next(self) -> Value:
        """The next one; NaN where there is none, which `short` then says."""
        f = self.fn
        value = f.var(f.const(F64, math.nan))
        with f.when(self.used.get() < f.args["count"]) as there:
            value.set(self.numbers[self.used.get()])
            self.used.set(self.used.get() + 1)
        with there.otherwise():
            self.short.set(1)
        return value.get()  # type: ignore[no-any-return]

    def normal(self, spare: Any) -> Value:
        """The normal number that waits in `spare` (1 and the number, or 0), or the first of a new
        pair, whose second then waits."""
        f = self.fn
        value = f.var(spare[1])
        with f.when(spare[0] != 0) as waits:
            spare[0], spare[1] = 0.0, 0.0
        with waits.otherwise():
            u1, u2 = self.next(), self.next()
            below = f.const(F64, 0.0) - u2
            # Python's log1p gives the zero that it got
            log = f.select(below == 0, below, f.call("log1p", F64, [below]))
            radius, theta = f.sqrt(log * -2.0), u1 * (2.0 * math.pi)
            spare[0], spare[1] = 1.0, radius * f.call("sin", F64, [theta])
            value.set(radius * f.call("cos", F64, [theta]))
        return value.get()  # type: ignore[no-any-return]


