"""The bodies of batch and group norm as machine code: how LLVM reads channels.

What a channel has in an image is a stretch of memory. What it has in all images (or a group in
a sample) stays in the cache between its moments, the distances from the mean and the result.

Not here: the mathematics (`batch_norm.py`).
"""

from __future__ import annotations

import functools
from collections.abc import Sequence
from typing import Any

from ..codegen.half import computed
from ..codegen.interface import Interface, Kernel
from ..codegen.ir import F64, Function, Module, Pointer, Value, Variable, lanes, vector
from ..codegen.row_body import KINDS, RowBody
from ..codegen.row_kernels import Words, add_lines, chunked, line_arrays, part
from ..codegen.rows import Vectors
from ..runtime import jit

COLUMNS = 4  # vectors of columns that are computed together
ROWS = ("x", "y", "g", "dx")


class Channels:
    """A channel of x (images, channels, n): `n` neighbours in each image. A place `i` in it is
    (image, element)."""

    def __init__(self, f: Function, words: Words, e: str, names: tuple[str, ...]) -> None:
        self.words = dict(words)
        for k in names:
            self.words[k] = words[k].of(e if k in ROWS else computed(e))
        self.f, self.c, self.names = f, computed(e), names
        self.v = Vectors(f, words["n"], self.c)
        self.sqrt, self.fma, self.number = f.sqrt, f.fma, self.v.number

    def each_channel(self, index: Value, body: Any) -> None:
        """`body` for each channel of a chunk."""
        with self.f.range(*part(self.f, index, self.words["each"], self.words["channels"])) as c:
            self.number_of_channel = c
            body()

    def place(self, name: str, image: Value) -> Pointer:
        """The elements of the channel in an image."""
        w = self.words
        return w[name].at((image * w["channels"] + self.number_of_channel) * w["n"])  # type: ignore[no-any-return]

    def has(self, name: str) -> bool:
        return name in self.names

    def load(self, name: str, i: Any) -> Value:
        image, at = i
        return self.v.get(self.place(name, image), at)

    def store(self, name: str, i: Any, v: Value) -> None:
        image, at = i
        self.v.put(self.place(name, image), at, v)

    def one(self, name: str) -> Value:
        """The channel's number."""
        return self.words[name][self.number_of_channel]

    def set_one(self, name: str, value: Value) -> None:
        self.words[name][self.number_of_channel] = value

    @property
    def count(self) -> Value:
        """How many elements a channel has."""
        return self.f.convert(self.words["count"], self.c)

    def parameter(self, name: str) -> Value:
        return self.f.convert(self.words[name], self.c)

    def wide(self, number: Value) -> Value:
        return self.v.wide(number)

    def mean(self, value: Any) -> Value:
        (total,) = self.sums(1, lambda i: (value(i),))
        count = self.f.splat(self.f.convert(self.words["count"], F64), lanes(total.type))
        return self.f.convert(total / count, self.c)

    def totals(self, count: int, values: Any) -> list[Value]:
        return [self.f.convert(t, self.c) for t in self.sums(count, values)]

    def sums(self, count: int, values: Any) -> list[Value]:
        """Sums over the channel: a block of images at a time, those of the blocks in float64."""
        f, v, images = self.f, self.v, self.words["images"]
        totals = [f.var(f.const(F64, 0.0)) for _ in range(count)]
        with f.range(0, images, self.words["block"]) as first:
            end = first + self.words["block"]
            into = v.fours(count)
            with f.range(first, f.select(end < images, end, images)) as image:
                v.gather(into, lambda i: values((image, i)))
            for t, places in zip(totals, into, strict=True):
                t.set(t.get() + f.convert(v.total(places), F64))
        return [t.get() for t in totals]

    def each(self, write: Any) -> None:
        with self.f.range(self.words["images"]) as image:
            self.v.each(lambda i: write((image, i)))


class Columns(Channels):
    """The same where a channel is one number in each image: some columns at a time."""

    def __init__(self, f: Function, words: Words, e: str, names: tuple[str, ...]) -> None:
        super().__init__(f, words, e, names)
        self.v.n = words["channels"]
        self.v.w *= COLUMNS

    def each_channel(self, index: Value, body: Any) -> None:
        f, v = self.f, self.v
        self.number_of_channel = index * v.w
        with f.when(self.number_of_channel + v.w <= v.n) as branch:
            body()
        with branch.otherwise():
            v.tail(self.number_of_channel, lambda _: body())

    def place(self, name: str, image: Value) -> Pointer:
        return self.words[name].at(image * self.words["channels"])  # type: ignore[no-any-return]

    def one(self, name: str) -> Value:
        return self.v.get(self.words[name], self.number_of_channel)  # type: ignore[arg-type]

    def set_one(self, name: str, value: Value) -> None:
        self.v.put(self.words[name], self.number_of_channel, value)  # type: ignore[arg-type]

    def wide(self, number: Value) -> Value:
        return number

    def sums(self, count: int, values: Any) -> list[Value]:
        f, v, images = self.f, self.v, self.words["images"]
        double = f.const(vector(F64, v.w), 0.0)
        totals = [f.var(double) for _ in range(count)]
        with f.range(0, images, self.words["block"]) as first:
            end = first + self.words["block"]
            into: list[Variable] = [f.var(v.neutral("add")) for _ in range(count)]
            with f.range(first, f.select(end < images, end, images)) as image:
                found = values((image, self.number_of_channel))
                for place, term in zip(into, found, strict=True):
                    v.take(place, "add", term)
            for t, place in zip(totals, into, strict=True):
                t.set(t.get() + f.convert(place.get(), F64))
        return [t.get() for t in totals]

    def each(self, write: Any) -> None:
        with self.f.range(self.words["images"]) as image:
            write((image, self.number_of_channel))


class Groups(Channels):
    """A group of x (samples, groups, channels of a group, n): its channels lie one after the other,
    as images do in `Channels`; weight and bias are (channels)."""

    def place(self, name: str, image: Value) -> Pointer:
        at = self.number_of_channel * self.words["images"] + image
        return self.words[name].at(at * self.v.n)  # type: ignore[no-any-return]

    def channels(self, write: Any) -> None:
        with self.f.range(self.words["images"]) as image:
            write(OneChannel(self, image))

    def channel_means(self, count: int, values: Any) -> list[Value]:
        f = self.f
        totals = [f.var(f.const(F64, 0.0)) for _ in range(count)]
        with f.range(self.words["images"]) as image:
            for t, value in zip(totals, values(OneChannel(self, image)), strict=True):
                t.set(t.get() + f.convert(value, F64))
        elements = f.convert(self.words["count"], F64)
        return [f.convert(t.get() / elements, self.c) for t in totals]


class OneChannel:
    """A channel of a group."""

    def __init__(self, group: Groups, image: Value) -> None:
        self.group, self.image, self.v = group, image, group.v
        self.places = {k: group.place(k, image) for k in ROWS if group.has(k)}
        self.totals, self.each, self.wide = self.v.totals, self.v.each, self.v.wide

    def load(self, name: str, i: Value) -> Value:
        return self.v.get(self.places[name], i)

    def store(self, name: str, i: Value, v: Value) -> None:
        self.v.put(self.places[name], i, v)

    def channel(self, name: str) -> Value:
        """Its number."""
        w, group = self.group.words, self.group.number_of_channel
        return w[name][group % w["groups"] * w["images"] + self.image]

    def add_channel(self, name: str, v: Value) -> None:
        """Into the line of the sample."""
        w = self.group.words
        w[name][self.group.number_of_channel * w["images"] + self.image] = v


CHANNEL_INTS = {
    "n": "elements of a channel in an image",
    "images": "how many images there are",
    "channels": "how many channels there are",
    "each": "channels of a chunk",
    "block": "images whose sums are gathered in the type of the data",
    "count": "elements of a channel",
    "chunks": "pieces of work that threads share",
}
GROUP_INTS = {
    "n": "elements of a channel",
    "images": "channels of a group",
    "channels": "groups of all samples",
    "groups": "groups of a sample",
    "each": "groups of a chunk",
    "block": "channels whose sums are gathered in the type of the data",
    "count": "elements of a group",
    "chunks": "pieces of work that threads share",
}


def interface(
    body: RowBody, given: tuple[str, ...], ints: dict[str, str], of: str, sums: Sequence[str] = ()
) -> Interface:
    """What the kernel of a body is called with."""
    arrays = {k: f"{KINDS[body.kinds[k]].replace('row', of)}: {body.meanings[k]}" for k in given}
    arrays |= line_arrays(sums, "sample")
    return Interface(body.name, body.summary, arrays, ints, body.floats)


@functools.cache
def channel_kernel(body: RowBody, e: str, given: tuple[str, ...], columns: bool) -> Kernel:
    """The kernel of a body of batch norm: `columns` where a channel is one number in each image."""
    reader = Columns if columns else Channels
    made = interface(body, given, CHANNEL_INTS, "channel")

    def chunk(f: Function, words: Words, index: Value) -> None:
        h = reader(f, words, e, given)
        h.each_channel(index, lambda: body.write(h))

    return Kernel(made, (e, given, columns), lambda: chunked(made, chunk))


def columns_together(e: str) -> int:
    """Channels in a chunk of `Columns`."""
    return COLUMNS * jit.target().lanes // (2 if e == F64 else 1)


@functools.cache
def group_kernel(body: RowBody, e: str, given: tuple[str, ...]) -> Kernel:
    """The kernel of a body of group norm: dw and db have a line for each sample, which are added up
    in the end."""
    sums = [k for k in ("dw", "db") if k in given]
    made = interface(body, given, GROUP_INTS, "group", sums)

    def chunk(f: Function, words: Words, index: Value) -> None:
        h = Groups(f, words | {k: words[f"{k}_lines"] for k in sums}, e, given)
        h.each_channel(index, lambda: body.write(h))

    def finish(f: Function, words: Words) -> None:
        v = Vectors(f, words["groups"] * words["images"], computed(e))
        add_lines(v, sums, words, words["channels"] // words["groups"])

    def build() -> Module:
        return chunked(made, chunk, finish=finish if sums else None)

    return Kernel(made, (e, given), build)
