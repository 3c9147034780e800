"""Random numbers under vmap: those of one call for the whole batch, as PyTorch draws them.

The slices of a batch are computed one after the other (`vectorize.py`), so the first of them that
asks for numbers draws for all: with randomness="different" for an array with a dimension for the
batch, of which each slice takes its part; with "same" for itself alone, and the others take the
same. Numbers whose count follows from operands (`Twister.draw`: gamma, binomial, ...) are drawn
slice by slice.

While a vmap runs, `fill`, `draw` and `few` of `Twister` are the functions of this file; other
threads are not touched by it.
"""

from __future__ import annotations

import threading
from typing import Any

import numpy as np

from ..blocks import Presence
from ..errors import message
from ..kernels.random.mersenne_twister import Twister
from ..kernels.strided import as_strided
from ..ops.random.fill import fill_normal

__all__ = ["Level", "random_error"]


class _State(threading.local):
    level: Level | None = None  # the innermost vmap


state = _State()
streams: Any = Twister
plain_fill, plain_draw, plain_few = Twister.fill, Twister.draw, Twister.few


def fill(rng: Twister, kernel: Any, a: np.ndarray, *args: Any, like: Any = None) -> None:
    """`Twister.fill` while a vmap runs in some thread."""
    filled(state.level, rng, kernel, a, args, like)


def draw(rng: Twister, kernel: Any, *operands: Any) -> Any:
    """`Twister.draw` while a vmap runs in some thread."""
    return drawn(state.level, rng, kernel, operands)


def few(rng: Twister, shape: tuple[int, ...], kind: int, numbers: Any = ()) -> np.ndarray | None:
    """`Twister.few` while a vmap runs in some thread: within one numbers are drawn by `fill`."""
    return plain_few(rng, shape, kind, numbers) if state.level is None else None


def _swap(on: bool) -> None:
    plain = plain_fill, plain_draw, plain_few
    streams.fill, streams.draw, streams.few = (fill, draw, few) if on else plain


_open = Presence(_swap)  # levels of all threads


def filled(
    level: Level | None, rng: Twister, kernel: Any, a: np.ndarray, args: Any, like: Any = None
) -> None:
    if level is None:
        plain_fill(rng, kernel, a, *args)
    else:
        level.fill(rng, kernel, a, args, a if like is None else like)


def drawn(level: Level | None, rng: Twister, kernel: Any, operands: Any) -> Any:
    if level is None:
        return plain_draw(rng, kernel, *operands)
    return level.draw(rng, kernel, operands)


def random_error() -> RuntimeError:
    """Random numbers where none are allowed."""
    return RuntimeError(
        message(
            "vmap: called random operation while in randomness error mode.",
            wanted="a function without random numbers",
            hint="randomness='different' (each slice its own) or 'same' (all the same)",
        )
    )


class Level:
    """One vmap that runs: what its slices draw.

    Args:
        randomness: as `vmap` takes it.
        size: how many slices there are.
        chunk: how many of them draw together; all, unless it is said.
        mapped: the arrays that are mapped, with their batch dimension moved to the front.
    """

    def __init__(
        self, randomness: str, size: int, chunk: int | None = None, mapped: Any = ()
    ) -> None:
        self.randomness, self.size, self.mapped = randomness, size, mapped
        self.chunk = chunk or size or 1
        self.kept: list[Any] = []  # what the first slice drew: arrays, and states of streams
        self.call = self.place = self.index = 0
        self.differ: list[bool] = []  # of each index that is one number, in the order of a slice
        self.asked = 0

    def __enter__(self) -> Level:
        _open.come(self)
        self.outer, state.level = state.level, self
        return self

    def __exit__(self, *args: object) -> None:
        state.level = self.outer
        try:
            _open.go(self)
        except BaseException:
            _open.go(self)
            raise

    def begin(self, i: int) -> None:
        """Slice `i` begins."""
        self.call, self.place, self.index, self.asked = 0, i % self.chunk, i, 0
        if not self.place and (self.randomness != "same" or not i):
            self.kept.clear()
            self.count = min(self.chunk, self.size - i)

    def differs(self, here: bool) -> bool:
        """Whether an index that is one number is another one in each slice: the first slice knows
        (`here`), and the others go its way."""
        at = self.asked
        self.asked += 1
        if at == len(self.differ):
            self.differ.append(here)
        return self.differ[at]

    def behind_first(self, a: np.ndarray) -> int | None:
        """How many bytes a slice, or a view of it, lies behind that of the first slices of all
        levels; None for what is no view of a mapped array."""
        found = None if self.outer is None else self.outer.behind_first(a)
        for x in self.mapped:
            if lies_in(x[self.index, ...], a):
                return (found or 0) + self.index * x.strides[0]  # type: ignore[no-any-return]
        return found

    def next(self) -> int:
        """The number of this call among those of its slice."""
        if self.randomness == "error":
            raise random_error()
        self.call += 1
        return self.call - 1

    def fill(self, rng: Twister, kernel: Any, a: np.ndarray, args: Any, like: Any) -> None:
        """Numbers for one slice: its part of what is drawn for all."""
        at = self.next()
        if at == len(self.kept) or self.part(at).shape != a.shape:
            del self.kept[at:]  # a slice that goes another way than the first
            self.kept.append(self.together(rng, kernel, a, args, like))
        a[...] = self.part(at)

    def part(self, at: int) -> Any:
        """What one slice has of what was drawn."""
        return self.kept[at] if self.randomness == "same" else self.kept[at][self.place]

    def together(self, rng: Twister, kernel: Any, a: Any, args: Any, like: Any) -> np.ndarray:
        """The numbers of all slices."""
        if self.randomness == "same":  # drawn aside, so in the order of rows
            whole = np.empty(a.shape, a.dtype)
            if kernel is fill_normal:
                args = (*args[:2], True)
        else:
            whole = np.empty_like(self.batch(like), dtype=a.dtype)
        filled(self.outer, rng, kernel, whole, args)
        return whole

    def batch(self, a: np.ndarray) -> np.ndarray:
        """An array with the shape and the order of memory of all slices of what `a` is one of."""
        for x in self.mapped:
            if x.strides[1:] == a.strides and x.shape[1:] == a.shape and np.may_share_memory(x, a):
                return x[: self.count]  # type: ignore[no-any-return]
        far = max((abs(s) * n for s, n in zip(a.strides, a.shape, strict=True)), default=1)
        return as_strided(a, (self.count, *a.shape), (far, *a.strides))

    def draw(self, rng: Twister, kernel: Any, operands: Any) -> Any:
        """Numbers for one slice, in the order of slices; with "same" from the same place."""
        at = self.next()
        if self.randomness == "same":
            if at < len(self.kept):
                rng.set_state(self.kept[at])
            else:
                self.kept.append(rng.get_state())
        return drawn(self.outer, rng, kernel, operands)


def lies_in(x: np.ndarray, a: np.ndarray) -> bool:
    """Whether `a` has no element outside of what `x` spans, as views of it have none."""
    if not (x.size and a.size):
        return not x.size and not a.size
    (low, high), (first, last) = map(np.lib.array_utils.byte_bounds, (x, a))
    return low <= first and last <= high
