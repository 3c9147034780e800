"""The update formulas of optimisers as machine code: one call and one pass over memory for any
number of parameters, their gradients and states.

`Written` is one more namespace `xp` for the texts in `formulas.py`: it writes instructions.
Every operation is rounded by itself, in the formula's order, so the numbers are those that NumPy's
passes give, to the last bit.

A kernel is given a list of ndarrays, parameter after parameter, looks at each of them
(`codegen/tensor_lists.py`), and sees them as one long array that the pool's threads share.

Not here: the formulas (`formulas.py`), when this is used (`reference.py`).
"""

from __future__ import annotations

from collections.abc import Callable
from types import SimpleNamespace
from typing import Any

from ..codegen import lower, tensor_lists
from ..codegen.ir import F32, I32, I64, PTR, Function, Module, Value, vector
from ..elementwise import contiguous
from ..runtime import jit, threads


class Written:
    """The primitives of the update formulas, written as instructions on vectors."""

    def __init__(self, f: Function) -> None:
        self.f = f

    def mul_(self, x: Any, a: Any) -> Any:
        """x * a."""
        return x * a

    mul = mul_

    def div_(self, x: Any, a: Any) -> Any:
        """x / a."""
        return x / a

    def plus_(self, x: Any, a: Any) -> Any:
        """x + a."""
        return x + a

    plus = plus_

    def minus(self, x: Any, y: Any) -> Any:
        """x - y."""
        return x - y

    def neg(self, x: Any) -> Any:
        """-x."""
        return -x

    def sqrt_(self, x: Any) -> Any:
        """The square root of x."""
        return self.f.sqrt(x)

    sqrt = sqrt_

    def abs(self, x: Any) -> Any:
        """|x|."""
        return self.f.fabs(x)

    def sign(self, x: Any) -> Any:
        """-1, 0 or 1."""
        return self.f.select(x != x, x, lower.sign(self.f, x))

    def maximum_(self, x: Any, a: Any) -> Any:
        """max(x, a)."""
        return lower.maximum(self.f, x, self.f.like(x, a))

    def clip_(self, x: Any, low: Any, high: Any) -> Any:
        """x brought into [low, high]."""
        x = self.maximum_(x, low)
        return lower.minimum(self.f, x, self.f.like(x, high))

    def axpy_(self, x: Any, y: Any, a: Any) -> Any:
        """x + a * y."""
        return x + y * a

    axpy = axpy_

    def mix_(self, x: Any, y: Any, a: Any, b: Any) -> Any:
        """a * x + b * y."""
        return x * a + y * b

    def addcmul_(self, x: Any, a: Any, b: Any, c: Any) -> Any:
        """x + c * a * b."""
        return x + a * b * c

    def addcdiv_(self, x: Any, a: Any, b: Any, c: Any) -> Any:
        """x + c * a / b."""
        return x + a / b * c

    def set_(self, x: Any, y: Any) -> Any:
        """y."""
        return y

    def where(self, condition: Any, a: Any, b: Any) -> Any:
        """a where the condition holds, else b."""
        return self.f.select(condition, a, b)


Write = Callable[..., list[Value]]


def build(name: str, write: Write, element: str, width: int, numbers: int) -> Module:
    """The module of an update: `write(f, *values)` gives the new parameter and states (what an
    array of each row becomes, the gradient left out)."""
    module = Module(name)
    threads.declare_run(module)
    lanes = jit.target().lanes // (1 if element == F32 else 2)

    c = module.function("chunk", None, [("context", PTR), ("index", I64)], private=True)
    words = c.args["context"].of(I64)
    constants = c.args["context"].of(PTR)[tensor_lists.WORDS].of(element)
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
    c.ret()
    tensor_lists.entry(module, element, width, writes=[k != 1 for k in range(width)])
    return module


def kernel(
    update: Callable[..., Any],
    element: str,
    flags: tuple[tuple[str, bool], ...],
    numbers: tuple[str, ...],
    absent: tuple[bool, ...],
) -> Any:
    """The compiled update, called with a list of ndarrays (p, g and the states that are there, for
    each parameter), the numbers as one array, and scratch of `lists.room`. It returns False, and
    has done nothing, when these are not arrays for it."""
    states = absent.count(False)

    def write(f: Function, *values: Value) -> list[Value]:
        k = SimpleNamespace(**dict(flags), **dict(zip(numbers, values[2 + states :], strict=True)))
        given = iter(values[2 : 2 + states])
        others = [None if gone else next(given) for gone in absent]
        new = update(Written(f), k, values[0], values[1], *others)
        if not isinstance(new, tuple):
            new = (new,)
        kept = [x for x, gone in zip(new[1:], absent, strict=False) if not gone]
        if len(kept) != states:
            raise lower.NoKernel(f"{update.__name__} returns other states than it was given")
        return [new[0], *kept]

    name = f"update_{update.__name__}"
    return tensor_lists.kernel(
        (name, element, flags, numbers, absent),
        lambda: build(name, write, element, 2 + states, len(numbers)),
    )
