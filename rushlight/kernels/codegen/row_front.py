"""A formula in front of a body over rows, in the same kernel.

A row that a formula computes is computed in the first loop of the body that reads it, or in a loop
of its own in front, and is written down: later loops read it from the cache. What is written, and
what is read, has the bits that it has when the formula is a kernel of its own.

`Front` is the formula, `fronted(Row)` the reader of bodies. Not here: which formulas stand in front
of which rows (`rushlight/compiler/row_fronts.py`), kernels of formulas alone
(`elementwise/contiguous.py`).
"""

from __future__ import annotations

import functools
from collections.abc import Callable, Sequence
from typing import Any

from ..elementwise import contiguous
from .ir import I64, Value
from .lower import NoKernel
from .rows import Row, Several


class Front:
    """A formula of arrays that lie as rows do.

    Attributes:
        text: the formula; with operands and results all that it depends on.
        write: `write(f, *values) -> values`: its results of one vector of its operands.
        operands: (type in memory, "array", "one" or "number") of each.
        results: (name, type in memory) of each: an operand of the body, or a name of its own.
        first: whether it is a loop of its own in front of the body's, where it is written twice and
            not six times.
    """

    def __init__(
        self, text: str, write: Callable[..., Sequence[Value]],
        operands: Sequence[tuple[str, str]], results: Sequence[tuple[str, str]],
        first: bool = False,
    ) -> None:  # fmt: skip
        self.text, self.write, self.first = text, write, first
        self.operands, self.results = tuple(operands), tuple(results)

    def named(self) -> list[tuple[str, str, str]]:
        """(name, type in memory, kind) of each operand."""
        counts = {"array": 0, "number": 0}
        found = []
        for e, kind in self.operands:
            of = "number" if kind == "number" else "array"
            found.append((f"{'c' if of == 'number' else 'f'}{counts[of]}", e, kind))
            counts[of] += 1
        return found

    def arrays(self, body: Sequence[str]) -> dict[str, str]:
        """Arrays that a kernel is given beside those of its body, with what they mean."""
        words = {"array": "an operand of the formula in front, {} elements as rows lie",
                 "one": "an operand of the formula in front, one {} element"}  # fmt: skip
        found = {k: words[kind].format(e) for k, e, kind in self.named() if kind != "number"}
        return found | {k: f"a result of the formula in front, {e} elements as rows lie"
                        for k, e in self.results if k not in body}  # fmt: skip

    def numbers(self, whole: bool) -> dict[str, str]:
        """Numbers likewise: whole ones, or the others."""
        return {k: "a number of the formula in front" for k, e, kind in self.named()
                if kind == "number" and (e == I64) == whole}  # fmt: skip

    @property
    def key(self) -> tuple[Any, ...]:
        return self.text, self.operands, self.results, self.first


@functools.cache
def fronted(base: type[Row]) -> Any:
    """A reader with a formula in front of it."""

    class Fronted(base):  # type: ignore[misc,valid-type]
        __doc__ = f"{base.__name__} with a formula in front of it."

        def __init__(self, front: Front, *args: Any) -> None:
            super().__init__(*args)
            self.front = front
            self.of_front = dict(front.results)
            self.loop = 0
            self.firsts: list[int] = []  # the loop in which each row is computed; 0: none yet
            self.found: dict[Any, dict[str, Value]] = {}

        def begin_front(self, rows: list[Value]) -> None:
            """Point at what the formula reads and writes, when the rows were entered."""
            self.firsts = [0] * len(rows)
            self.found.clear()
            self.sources: list[Any] = []
            for name, e, kind in self.front.named():
                if kind == "number":
                    self.sources.append(self.words[name])
                    continue
                place = contiguous.place_of(self.words[name], e)
                if kind == "one":
                    one = contiguous.load(self.f, place, 0, 1, kind=e)
                    self.sources.append(self.f.splat(one, self.w))
                else:
                    self.sources.append(([place.at(row * self.n) for row in rows], e))
            self.targets = {
                name: [contiguous.place_of(self.words[name], e).at(row * self.n) for row in rows]
                for name, e in self.front.results
            }
            if self.front.first:
                for k in range(len(rows)):
                    self.firsts[k] = self.loop + 1
                    self.each(functools.partial(self.computed, k))

        def computed(self, k: int, i: Value) -> dict[str, Value]:
            """The formula's results at a place of the k-th row, which are written down."""
            f, mask = self.f, self.mask
            known = self.found.get((k, i.text))
            if known is not None:
                return known
            values = []
            for source in self.sources:
                if isinstance(source, Value):
                    values.append(source)
                    continue
                place, e = source[0][k], source[1]
                if mask is None:
                    contiguous.fetch_ahead(f, place, i)
                values.append(contiguous.load(f, place, i, self.w, mask, e))
            found: dict[str, Value] = {}
            for (name, e), v in zip(self.front.results, self.front.write(f, *values), strict=True):
                contiguous.store(f, self.targets[name][k], i, v, mask, kind=e)
                if mask is not None and name in self.kinds:  # as what is loaded has it
                    v = f.select(mask, v, f.const(v.type, 0))
                found[name] = v
            self.found[k, i.text] = found
            return found

        def end_front(self) -> None:
            if not all(self.firsts):
                raise NoKernel("a body that reads no row in a loop")

        # -- the reader's words ------------------------------------------------------------------

        def gather(self, *args: Any, **kw: Any) -> None:
            self.loop += 1
            super().gather(*args, **kw)
            self.loop += 1  # what comes behind it is not in it

        def each(self, write: Callable[[Value], Any]) -> None:
            self.loop += 1
            super().each(write)
            self.loop += 1

        def load(self, name: str, i: Value) -> Any:
            there = super().load(name, i)  # of rows that are being computed nobody reads it
            if name not in self.of_front:
                return there
            parts = list(there.parts) if isinstance(there, Several) else [there]
            for k in range(len(parts)):
                if not self.firsts[k] and self.only in (None, k):
                    self.firsts[k] = self.loop
                if self.firsts[k] == self.loop:
                    parts[k] = self.computed(k, i)[name]
            return Several(parts) if isinstance(there, Several) else parts[0]

        def next(self, name: str, i: Value) -> None:
            """What a formula computes is nowhere yet."""
            if name not in self.of_front:
                super().next(name, i)

        def pick(self, name: str, at: Value) -> Any:
            if name in self.of_front and not (all(self.firsts) and self.loop > max(self.firsts)):
                raise NoKernel(f"an element of {name} before all of the row is there")
            return super().pick(name, at)

    return Fronted
