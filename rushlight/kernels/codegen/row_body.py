"""The mathematics of one row, written once: what a body is, and how NumPy reads it.

A body is a function of a reader `r`. LLVM's readers write machine code for one row or some columns
(`rows.py`); `ArrayRows` here computes with whole arrays, whose `axes` are the row. Their words:

    r.load(name, i), r.store(name, i, v)     elements of a row or line, i is where the loop is
    r.reduce(how, value), r.totals(n, values)  sums ("add") or maxima over a row; a pair of values
                                             is their product, rounded once by LLVM
    r.mean(value)                            the sum over how many elements there are
    r.each(write)                            a loop over the row
    r.one(name), r.set_one(name, v)          a number of the row; (name, k): the k-th of several
    r.index(name), r.pick(name, at)          a whole number of the row; the element there
    r.put_at(name, at, v)                    writes the element there
    r.wide(v), r.number(c), r.count          a number for a loop, a constant, elements of a row
    r.parameter(name), r.whole(name)         a number, a whole number that the kernel is called with
    r.add_line(name, i, v, w)                a sum over all rows, for each element: += v (* w)
    r.has(name), r.narrow                    whether an operand is given; rows of 16 bits
    r.exp, exp_below_zero, log, sqrt, fabs, fma, select, divider, next

Elements of float16 and bfloat16 rows are computed in float32, which all other operands are.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import ml_dtypes
import numpy as np

Array = Any
KINDS = {
    "row": "elements of each row",
    "line": "elements of one row, for all",
    "one": "a number for each row",
    "number": "one number for all rows",
    "ones": "several numbers for each row, the first of all rows first",
    "index": "a whole number (int64) for each row",
    "period": "a number for each of some rows in turn",
    "sum": "elements of one row, for each chunk: sums over its rows",
    "status": "whole numbers about all rows",
}
FLOAT32 = np.dtype(np.float32)
FLOAT16 = np.dtype(np.float16)
FIRST_USER_TYPE = 256  # from this number on types are those of ml_dtypes, all narrow
LOW = (FLOAT16, np.dtype(ml_dtypes.bfloat16))


def computed(dtype: Any) -> Any:
    """The type that rows of a type are computed in, which lines and numbers beside them have."""
    return FLOAT32 if dtype == FLOAT16 or dtype.num >= FIRST_USER_TYPE else dtype


class RowBody:
    """A body and its operands.

    Attributes:
        write: the function of a reader.
        kinds, meanings: of each operand.
        floats, ints: numbers that it is called with, and their meanings.
        fronts: rows that a formula in front may compute, each with the row of results that it may
            lie in until it is read for the last time, or None.
        writes: operands that it writes, where it has `fronts`.
        together: with a formula in front, how many rows are computed side by side: while one waits
            for the end of its sum, others are summed.
    """

    def __init__(
        self,
        write: Callable[[Any], None],
        floats: dict[str, str],
        ints: dict[str, str],
        operands: dict[str, str],
        fronts: dict[str, str | None],
        writes: Sequence[str],
        together: int,
    ) -> None:
        self.write, self.name, self.floats, self.ints = write, write.__name__, floats, ints
        self.fronts, self.writes, self.together = fronts, frozenset(writes), together
        self.summary = " ".join((write.__doc__ or "").split())
        parts = {k: text.split(": ", 1) for k, text in operands.items()}
        self.kinds = {k: kind for k, (kind, _) in parts.items()}
        self.meanings = {k: meaning for k, (_, meaning) in parts.items()}

    def __repr__(self) -> str:
        return f"<body {self.name}>"


def row_body(
    operands: dict[str, str],
    floats: dict[str, str] | None = None,
    ints: dict[str, str] | None = None,
    fronts: dict[str, str | None] | None = None,
    writes: Sequence[str] = (),
    together: int = 1,
) -> Callable[[Callable[[Any], None]], RowBody]:
    """Declares a body: each operand as "kind: meaning", a kind of `KINDS`."""
    return lambda write: RowBody(write, floats or {}, ints or {}, operands, fronts or {}, writes,
                                 together)  # fmt: skip


class ArrayRows:
    """All rows at once, by NumPy: along `axes`, which numbers of rows keep as 1.

    Results are what the body stores, by name; a row's is of the type of the rows.
    """

    def __init__(
        self,
        kinds: dict[str, str],
        operands: dict[str, Array],
        axes: Any,
        dtype: Any,
        floats: dict[str, float] | None = None,
    ) -> None:
        self.kinds, self.operands, self.axes, self.dtype = kinds, operands, axes, dtype
        self.c = computed(dtype)
        self.narrow = self.c != dtype
        self.floats = floats or {}
        self.results: dict[str, Array] = {}
        first = next(a for k, a in operands.items() if kinds[k] == "row")
        self.shape = first.shape
        size = 1
        for axis in axes if isinstance(axes, tuple) else (axes,):
            size *= first.shape[axis]
        self.full, self.size = size > 0, max(1, size)

    # -- loops -------------------------------------------------------------------------------------

    def totals(self, count: int, values: Any, how: str = "add") -> list[Array]:
        terms = [t[0] * t[1] if isinstance(t, tuple) else t for t in values(None)]
        if how == "add":
            return [np.add.reduce(t, axis=self.axes, keepdims=True) for t in terms]
        low: dict[str, Any] = {} if self.full else {"initial": -np.inf}
        reduce: Any = np.maximum.reduce
        return [reduce(t, axis=self.axes, keepdims=True, **low) for t in terms]

    def reduce(self, how: str, value: Any) -> Array:
        return self.totals(1, lambda i: (value(i),), how)[0]

    def mean(self, value: Any) -> Array:
        return self.reduce("add", value) / self.count

    def each(self, write: Any) -> None:
        write(None)

    # -- operands ----------------------------------------------------------------------------------

    def has(self, name: str) -> bool:
        return name in self.kinds

    def load(self, name: str, i: Any) -> Array:
        a = self.results[name] if name in self.results else self.operands[name]
        return a if a.dtype == self.c else a.astype(self.c)

    def store(self, name: str, i: Any, v: Array) -> None:
        self.results[name] = v if v.dtype == self.dtype else v.astype(self.dtype)

    def next(self, name: str, i: Any) -> None:
        """Nothing: NumPy reads on by itself."""

    def one(self, name: str, k: int | None = None) -> Array:
        a = self.operands[name]
        return a if k is None else a[k]

    def set_one(self, name: str, v: Array, k: int | None = None) -> None:
        if k is None:
            self.results[name] = v
        else:
            self.results.setdefault(name, []).append(v)

    def index(self, name: str) -> Array:
        return self.operands[name]

    def pick(self, name: str, at: Array) -> Array:
        if self.kinds[name] == "line":
            return self.operands[name].reshape(-1)[at]
        a = self.results[name] if name in self.results else self.operands[name]
        found = np.take_along_axis(a, at, self.axes)
        return found if found.dtype == self.c else found.astype(self.c)

    def put_at(self, name: str, at: Array, v: Array) -> None:
        a = self.results[name]
        np.put_along_axis(a, at, v.astype(a.dtype, copy=False), self.axes)

    def add_line(self, name: str, i: Any, v: Array, w: Array | None = None) -> None:
        v = v if w is None else v * w
        self.results[name] = np.add.reduce(v, axis=0)

    def parameter(self, name: str) -> Any:
        return self.c.type(self.floats[name])

    def whole(self, name: str) -> int:
        return int(self.floats[name])

    # -- numbers -----------------------------------------------------------------------------------

    @property
    def count(self) -> Any:
        return self.c.type(self.size)

    def wide(self, v: Array) -> Array:
        return v

    def number(self, value: float) -> Any:
        return self.c.type(value)

    def exp(self, x: Array) -> Array:
        return np.exp(x)

    exp_below_zero = exp

    def log(self, x: Array) -> Array:
        return np.log(x)

    def sqrt(self, x: Array) -> Array:
        return np.sqrt(x)

    def fabs(self, x: Array) -> Array:
        return np.abs(x)

    def fma(self, a: Array, b: Array, c: Array) -> Array:
        return a * b + c

    def select(self, condition: Array, a: Any, b: Any) -> Array:
        return np.where(condition, a, b)

    def divider(self, by: Array) -> Callable[[Array], Array]:
        return lambda v: v / by


def by_numpy(
    body: RowBody,
    operands: dict[str, Array],
    results: Sequence[str],
    axes: int | tuple[int, ...],
    floats: dict[str, float] | None = None,
    reader: type[ArrayRows] = ArrayRows,
) -> list[Array]:
    """The results of a body, along some axes of arrays in any layout."""
    kinds = {k: body.kinds[k] for k in (*operands, *results)}
    dtype = next(a for k, a in operands.items() if kinds[k] == "row").dtype
    r = reader(kinds, operands, axes, dtype, floats)
    with np.errstate(all="ignore"):
        body.write(r)
    return [r.results[k] for k in results]
