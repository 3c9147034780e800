"""Sample inputs declared in op records; the generated tests make arrays of them.

case((3, 4), (4,), dim=1)          two random float64 tensors of these shapes, and a parameter
case(arr((3, 4), -6, 6))           values within bounds
case(arr((5,), 0, 4, "int64"))     integers 0..3
error(RuntimeError, "inner sizes", (4, 3), (5, 2))      must raise, with these words
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np


class arr(NamedTuple):
    """A random array: uniform in [low, high) (floats), or integers low..high-1."""

    shape: tuple[int, ...]
    low: float = -2.0
    high: float = 2.0
    dtype: str = "float64"

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


class Case(NamedTuple):
    """Arguments of one call of an op."""

    args: tuple[Any, ...]
    kw: dict[str, Any]

    def make(self, rng: np.random.Generator) -> tuple[list[Any], dict[str, Any]]:
        """(arguments with arrays in place of their descriptions, parameters)."""
        return [make(a, rng) for a in self.args], dict(self.kw)


class ErrorCase(NamedTuple):
    """Arguments that must raise `kind` with `words` in the text."""

    kind: type[Exception]
    words: str
    args: tuple[Any, ...]
    kw: dict[str, Any]


def make(spec: Any, rng: np.random.Generator) -> Any:
    """The array that a shape or `arr` describes; a list of them for a list; anything else as it
    is."""
    if type(spec) is tuple:
        return arr(spec).make(rng)
    if isinstance(spec, arr):
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
