"""The fifth part of a record: sample inputs, of which the generated tests make arrays.

    case((3, 4), (4,), dim=1)      two random float64 tensors of these shapes, and a parameter
    case(arr((3, 4), -6, 6))       values within bounds
    case(ints((5,), 4))            integers 0..3; `bools((5,))` and `cplx((3, 4))` likewise
    case([(3, 4), (2, 4)])         a list of tensors; lists of numbers are sizes: case([2, 3])
    case(values([3.0, 1.0]))       these very numbers
    case(spd(3))                   a symmetric positive definite matrix; `regular(3)` an invertible
    case(made(lambda rng: ...))    anything else; `static(x)` is x itself
    error(RuntimeError, "inner sizes", (4, 3), (5, 2))      must raise, with these words
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

import numpy as np


class arr:
    """A random array: uniform in [low, high) (floats), or integers low..high-1."""

    def __init__(
        self, shape: tuple[int, ...], low: float = -2.0, high: float = 2.0, dtype: str = "float64"
    ) -> None:
        self.shape = shape
        self.low = low
        self.high = high
        self.dtype = dtype

    def make(self, rng: np.random.Generator) -> Any:
        kind = np.dtype(self.dtype).kind
        if kind == "b":
            return rng.random(self.shape) < 0.5
        if kind in "iu":
            return np.asarray(rng.integers(int(self.low), int(self.high), self.shape), self.dtype)
        x = rng.uniform(self.low, self.high, self.shape)
        if kind == "c":
            x = x + 1j * rng.uniform(self.low, self.high, self.shape)
        return np.asarray(x, self.dtype)


class made:
    """What a function makes of random numbers."""

    def __init__(self, function: Callable[[np.random.Generator], Any]) -> None:
        self.function = function

    def make(self, rng: np.random.Generator) -> Any:
        return self.function(rng)


class static:
    """An argument that is handed on as it is, arrays included."""

    def __init__(self, value: Any) -> None:
        self.value = value


def ints(shape: tuple[int, ...], high: int = 10, low: int = 0) -> arr:
    """Integers low..high-1 in int64."""
    return arr(shape, low, high, "int64")


def bools(shape: tuple[int, ...]) -> arr:
    """True and False."""
    return arr(shape, dtype="bool")


def cplx(shape: tuple[int, ...], low: float = -2.0, high: float = 2.0) -> arr:
    """Complex numbers in double precision."""
    return arr(shape, low, high, "complex128")


def values(data: Any, dtype: str | None = None) -> made:
    """An array of these numbers."""
    return made(lambda _rng: np.array(data, dtype))


def regular(*shape: int) -> made:
    """Matrices far from singular: (..., n, n) for the sizes given; one size means (n, n)."""
    shape = shape if len(shape) > 1 else (shape[0], shape[0])
    return made(lambda rng: rng.uniform(-1, 1, shape) + 2.0 * shape[-1] * np.eye(shape[-1]))


def spd(*shape: int) -> made:
    """Symmetric positive definite matrices, sizes as for `regular`."""
    shape = shape if len(shape) > 1 else (shape[0], shape[0])

    def product(rng: np.random.Generator) -> Any:
        a = rng.uniform(-1, 1, shape)
        return a @ a.swapaxes(-1, -2) + shape[-1] * np.eye(shape[-1])

    return made(product)


class Case:
    """Arguments of one call of an op."""

    def __init__(self, args: tuple[Any, ...], kw: dict[str, Any]) -> None:
        self.args = args
        self.kw = kw

    def make(self, rng: np.random.Generator) -> tuple[list[Any], dict[str, Any]]:
        """(arguments with arrays in place of their descriptions, parameters)."""
        args = [make(a, rng) for a in self.args]
        kw = {k: v.make(rng) if isinstance(v, (arr, made)) else v for k, v in self.kw.items()}
        return args, kw


class ErrorCase:
    """Arguments that must raise `kind` with `words` in the text."""

    def __init__(
        self, kind: type[Exception], words: str, args: tuple[Any, ...], kw: dict[str, Any]
    ) -> None:
        self.kind = kind
        self.words = words
        self.args = args
        self.kw = kw


class Samples:
    """What the generated tests run an op on, and what they leave out.

    Attributes:
        cases: sample calls.
        errors: calls that must fail.
        smooth: False where samples lie on steps and kinks: no gradient check.
        constant: places of tensors that have no derivative in this op.
        once: differentiable once, as in PyTorch: no second order.
        layout: the op's subject is the layout of its operand itself.
        no_narrow: a routine of double precision only.
        random: numbers are drawn.
        ambiguous: the result is one of several right ones (the signs of eigenvectors).
        undefined: the result is memory as it was: its numbers mean nothing.
        typed: the result tells the type of an operand, or depends on its width.
    """

    smooth: bool = True
    constant: tuple[int, ...] = ()
    once: bool = False
    layout: bool = False
    no_narrow: bool = False
    random: bool = False
    ambiguous: bool = False
    undefined: bool = False
    typed: bool = False

    def __init__(
        self, cases: list[Case], errors: list[ErrorCase] | None = None, **about: Any
    ) -> None:
        self.cases = cases
        self.errors: list[ErrorCase] = errors or []
        for name, value in about.items():
            if name not in Samples.__annotations__:
                raise TypeError(f"samples have no option {name}")
            setattr(self, name, value)

    @classmethod
    def of(cls, samples: Any, **about: Any) -> Samples:
        """Samples of a list in which cases and errors may stand together."""
        errors = about.pop("errors", None)
        if errors is None:
            errors = [s for s in samples if s.__class__ is ErrorCase]
        return cls([s for s in samples if s.__class__ is Case], errors, **about)

    @property
    def stated(self) -> bool:
        """Whether there is a call to try, or one that must fail."""
        return bool(self.cases or self.errors)

    def __len__(self) -> int:
        return len(self.cases)

    def __iter__(self) -> Iterator[Case]:
        return iter(self.cases)

    def __getitem__(self, i: int) -> Case:
        return self.cases[i]


def make(spec: Any, rng: np.random.Generator) -> Any:
    """The array that a shape, an `arr` or a `made` describes; a list of them for a list; anything
    else as it is."""
    if type(spec) is tuple:
        return arr(spec).make(rng)
    if isinstance(spec, (arr, made)):
        return spec.make(rng)
    if type(spec) is list:
        return [make(s, rng) for s in spec]
    return spec


def case(*args: Any, **kw: Any) -> Case:
    """One sample call; see the module docstring."""
    return Case(args, kw)


def error(kind: type[Exception], words: str, *args: Any, **kw: Any) -> ErrorCase:
    """One call that must fail."""
    return ErrorCase(kind, words, args, kw)


def real(low: float, high: float) -> list[Case]:
    """Samples of a unary elementwise op within bounds."""
    return [case(arr((3, 4), low, high))]


def pairs(*shapes: tuple[int, ...]) -> list[Case]:
    """One case with random tensors of these shapes."""
    return [case(*shapes)]
