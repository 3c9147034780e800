"""The update formulas of optimisers as machine code: one call and one pass over memory for any
number of parameters, their gradients and states.

`Written` is one more namespace `xp` for the texts in `formulas.py`: it writes instructions.
Every operation is rounded by itself, in the formula's order, so the numbers are those that NumPy's
passes give, to the last bit.

A kernel is given a table of parameters, their gradients and their states
(`codegen/tensor_lists.py`), and sees them as one long array that the pool's threads share.

Not here: the formulas (`formulas.py`), when this is used (`select.py`).
"""

from __future__ import annotations

import functools
from collections.abc import Callable
from types import SimpleNamespace
from typing import Any

from ..codegen import lower, tensor_lists
from ..codegen.interface import Interface, Kernel, Words
from ..codegen.ir import F32, I32, Function, Value, vector
from ..elementwise import contiguous
from ..runtime import jit
from .formulas import Operators


class Written(Operators):
    """The primitives of the update formulas, written as instructions on vectors."""

    def __init__(self, f: Function) -> None:
        self.f = f

    def sqrt_(self, x: Any) -> Any:
        """The square root of x."""
        return self.f.sqrt(x)

    sqrt = sqrt_

    def abs(self, x: Any) -> Any:
        """|x|."""
        return self.f.fabs(x)

    def sign(self, x: Any) -> Any:
        """-1, 0 or 1; 0 for NaN."""
        return lower.sign(self.f, x)

    def maximum_(self, x: Any, a: Any) -> Any:
        """max(x, a)."""
        return lower.maximum(self.f, x, self.f.like(x, a))

    def clip_(self, x: Any, low: Any, high: Any) -> Any:
        """x brought into [low, high]."""
        x = self.maximum_(x, low)
        return lower.minimum(self.f, x, self.f.like(x, high))

    def set_(self, x: Any, y: Any) -> Any:
        """y."""
        return y

    def where(self, condition: Any, a: Any, b: Any) -> Any:
        """a where the condition holds, else b."""
        return self.f.select(condition, a, b)


Write = Callable[..., list[Value]]


def elementwise(
    interface: Interface,
    key: tuple[Any, ...],
    write: Write,
    element: str,
    width: int,
    numbers: int,
) -> Kernel:
    """The kernel of a formula about one element: `write(f, *values, *numbers)` gives what an array
    of each row becomes, the second one (a gradient, a source) left out."""

    def chunk(c: Function, words: Words) -> None:
        lanes = jit.target().lanes // (1 if element == F32 else 2)
        constants = words["numbers"].of(element)
        ones = [c.splat(constants[k], lanes) for k in range(numbers)]
        for pointers, first, last in tensor_lists.parts(c, words, c.args["index"], width):
            places = [p.of(element) for p in pointers]

            def step(i: Value, mask: Value | None, places: Any = places) -> None:
                if mask is None:
                    for p in places:
                        contiguous.fetch_ahead(c, p, i)
                values = [contiguous.load(c, p, i, lanes, mask) for p in places]
                for k, y in enumerate(write(c, *values, *ones)):
                    contiguous.store(c, places[k + (k > 0)], i, y, mask)

            whole = last - (last - first) % lanes
            with c.range(first, whole, lanes) as i:
                step(i, None)
            with c.when(whole < last):
                step(whole, c.iota(vector(I32, lanes)) < c.convert(last - whole, I32))

    return tensor_lists.kernel(interface, key, chunk)


@functools.cache
def kernel(
    formula: Callable[..., Any],
    element: str,
    flags: tuple[tuple[str, bool], ...],
    numbers: tuple[str, ...],
    states: tuple[str | None, ...],
) -> Kernel:
    """The kernel of an update.

    Args:
        formula: one of `formulas.py`.
        flags: names and values of its flags: they decide which instructions there are.
        numbers: names of its numbers, in the order of the array that has them.
        states: names of the states that it takes; None: this one is not there.

    Raises:
        NoKernel: when it is written, for a formula that returns other states than it was given.
    """
    given = [name for name in states if name is not None]

    def write(f: Function, *values: Value) -> list[Value]:
        width = 2 + len(given)
        k = SimpleNamespace(**dict(flags), **dict(zip(numbers, values[width:], strict=True)))
        left = iter(values[2:width])
        others = [None if name is None else next(left) for name in states]
        new = formula(Written(f), k, values[0], values[1], *others)
        if not isinstance(new, tuple):
            new = (new,)
        kept = [x for x, name in zip(new[1:], states, strict=False) if name is not None]
        if len(kept) != len(given):
            raise lower.NoKernel(f"{formula.__name__} returns other states than it was given")
        return [new[0], *kept]

    row = {"p": "the parameter", "g": "its gradient, read only"} | {
        name: "state, read and written" for name in given
    }
    interface = tensor_lists.interface(
        f"update_{formula.__name__}",
        (formula.__doc__ or "").strip().splitlines()[0],
        row,
        ", ".join(numbers),
    )
    key = (element, flags, numbers, tuple([name is None for name in states]))
    return elementwise(interface, key, write, element, 2 + len(given), len(numbers))
