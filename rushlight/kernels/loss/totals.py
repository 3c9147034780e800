"""What kernels of losses do before and after their rows: targets are counted, losses added up.

The sum is NumPy's, pairwise in blocks of 128, as where NumPy computes the losses
(`reference.py`): one that goes over numbers that were just written, and needs no call of its own.

Not here: the rows (`cross_entropy.py`).
"""

from __future__ import annotations

import functools
from collections.abc import Callable
from typing import Any

from ..codegen.ir import I64, Function, Value
from ..reduce.numpy_order import write_pairwise

Words = dict[str, Value]
Write = Callable[[Function, Words], None]


def counting(f: Function, args: Words) -> None:
    """Written before the chunks: how many targets are no class, and how many do not count."""
    target = args["target"].of(I64)
    wrong, skipped = f.var(f.const(I64, 0)), f.var(f.const(I64, 0))
    with f.range(args["numbers"]) as i:
        t = target[i]
        skip = t == args["ignored"]
        no_class = f.compare("ge", t, args["n"], unsigned=True)  # negative numbers are large
        bad = no_class & ~skip
        wrong.set(wrong.get() + f.convert(bad, I64))
        skipped.set(skipped.get() + f.convert(skip, I64))
    status = args["status"].of(I64)
    status[0] = wrong.get()
    status[1] = skipped.get()


def chunks_unless_wrong(f: Function, args: Words) -> Any:
    """No chunk where a target is no class: nothing is read at it."""
    return f.select(args["status"].of(I64)[0] == 0, args["chunks"], 0)


@functools.cache
def totalling(c: str, sums: int, weighted: bool, joined: bool) -> Write:
    """What is written after the chunks, for losses of type `c`: behind the `sums` that each row has
    what a mean is divided by, the sum of the factors or how many targets count; and where losses
    are `joined`, `y`, their sum or mean."""

    def write(f: Function, args: Words) -> None:
        status, numbers = args["status"].of(I64), args["numbers"]

        def sum_of(name: str) -> Value:
            given = [args[name], numbers, f.const(I64, 1)]
            # NumPy adds it to a zero: of negative zeros the sum is 0.0
            return f.const(c, 0.0) + f.call("pairwise", c, given)

        if weighted or joined:
            write_pairwise(f.module, c, dense=True)
        with f.when(status[0] == 0):  # else nothing was computed
            total = sum_of("factor") if weighted else f.convert(numbers - status[1], c)
            args["sums"].of(c)[numbers * sums] = total
            if joined:
                found = sum_of("loss")
                args["y"].of(c)[0] = f.select(args["mean"] != 0, found / total, found)

    return write


@functools.cache
def dividing(c: str, sums: int) -> Write:
    """What is written before the chunks of a gradient: `slope`, that of the mean divided by what
    the mean was, which stands behind the `sums` of each row."""

    def write(f: Function, args: Words) -> None:
        total = args["sums"].of(c)[args["numbers"] * sums]
        args["slope"].of(c)[0] = args["whole"].of(c)[0] / total

    return write
