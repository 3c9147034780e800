"""Batch, group and instance norm: what a channel has in an image is a stretch of memory.

What one channel has in all images (or one group in a sample) stays in the cache between its
moments, the distances from the mean and the result. Names as in `layer_norm.py`.
"""

from __future__ import annotations

from typing import Any

from ..codegen.half import computed
from ..codegen.ir import F64, Function, Pointer, Value, Variable, lanes, vector
from ..codegen.rows import Term, Vectors, Words, compiled, module_of, part
from ..runtime import jit
from .layer_norm import add_lines, inverse_std

COLUMNS = 4  # vectors of columns that are computed together

# -- channels: x (images, channels, n), everything else (channels) -------------------------------


class Channels:
    """Where the elements of a channel are: `n` neighbours in each image."""

    def __init__(self, f: Function, words: Words, e: str, names: tuple[str, ...]) -> None:
        for k in names:
            words[k] = words[k].of(e if k in ("x", "y", "g", "dx") else computed(e))
        self.f, self.words, self.c = f, words, computed(e)
        self.v = Vectors(f, words["n"], self.c)

    def channels(self, index: Value, body: Any) -> None:
        with self.f.range(*part(self.f, index, self.words["each"], self.words["channels"])) as c:
            self.channel = c
            body()

    def at(self, name: str, image: Value) -> Pointer:
        """The elements of the channel in an image."""
        w = self.words
        return w[name].at((image * w["channels"] + self.channel) * w["n"])  # type: ignore[no-any-return]

    def number(self, name: str) -> Value:
        """The channel's number."""
        return self.words[name][self.channel]  # type: ignore[no-any-return]

    def keep(self, name: str, value: Value) -> None:
        """Write the channel's number."""
        self.words[name][self.channel] = value

    def wide(self, number: Value) -> Value:
        return self.v.wide(number)

    def sums(self, count: int, values: Any) -> list[Value]:
        """Sums over the channel of `values(image, i)`: a block of images at a time, those of the
        blocks in float64."""
        f, v, images = self.f, self.v, self.words["images"]
        totals = [f.var(f.const(F64, 0.0)) for _ in range(count)]
        with f.range(0, images, self.words["block"]) as first:
            end = first + self.words["block"]
            into = v.fours(count)
            with f.range(first, f.select(end < images, end, images)) as image:
                v.gather(into, lambda i: values(image, i))
            for t, places in zip(totals, into, strict=True):
                t.set(t.get() + f.convert(v.total(places), F64))
        return [t.get() for t in totals]

    def each(self, write: Any) -> None:
        with self.f.range(self.words["images"]) as image:
            self.v.each(lambda i: write(image, i))


class Columns(Channels):
    """The same where a channel is one number in each image: some columns at a time."""

    def __init__(self, f: Function, words: Words, e: str, names: tuple[str, ...]) -> None:
        super().__init__(f, words, e, names)
        self.v.n = words["channels"]
        self.v.w *= COLUMNS

    def channels(self, index: Value, body: Any) -> None:
        f, v = self.f, self.v
        self.channel = index * v.w
        with f.when(self.channel + v.w <= v.n) as branch:
            body()
        with branch.otherwise():
            v.tail(self.channel, lambda _: body())

    def at(self, name: str, image: Value) -> Pointer:
        return self.words[name].at(image * self.words["channels"])  # type: ignore[no-any-return]

    def number(self, name: str) -> Value:
        return self.v.get(self.words[name], self.channel)

    def keep(self, name: str, value: Value) -> None:
        self.v.put(self.words[name], self.channel, value)

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
                for place, term in zip(into, values(image, self.channel), strict=True):
                    v.take(place, "add", term)
            for t, place in zip(totals, into, strict=True):
                t.set(t.get() + f.convert(place.get(), F64))
        return [t.get() for t in totals]

    def each(self, write: Any) -> None:
        with self.f.range(self.words["images"]) as image:
            write(image, self.channel)


def channel_forward(h: Channels, names: tuple[str, ...], training: bool) -> None:
    """y = x scale + shift with scale = rstd w, shift = b - mean scale."""
    f, v, words = h.f, h.v, h.words
    if training:
        count = f.convert(words["count"], F64)

        def mean_of(values: Any) -> Value:
            (total,) = h.sums(1, values)
            many = f.splat(count, lanes(total.type))
            return f.convert(total / many, h.c)

        mean = mean_of(lambda image, i: (v.get(h.at("x", image), i),))
        middle = h.wide(mean)

        def square(image: Value, i: Value) -> tuple[Term]:
            d = v.get(h.at("x", image), i) - middle
            return ((d, d),)

        var = mean_of(square)
        h.keep("mean", mean)
        h.keep("var", var)
    else:
        mean, var = h.number("mean"), h.number("var")
    scale = inverse_std(f, var, words["eps"])
    if "w" in names:
        scale = scale * h.number("w")
    shift = -mean * scale
    if "b" in names:
        shift = shift + h.number("b")
    scale, shift = h.wide(scale), h.wide(shift)

    def write(image: Value, i: Value) -> None:
        v.put(h.at("y", image), i, f.fma(v.get(h.at("x", image), i), scale, shift))

    h.each(write)


def channel_backward(h: Channels, names: tuple[str, ...], training: bool) -> None:
    """dw = sum g xh, db = sum g, dx = rstd w (g - db / count - xh dw / count).

    By fixed moments dx = g rstd w.
    """
    f, v, words = h.f, h.v, h.words
    mean = h.wide(h.number("mean"))
    rstd = inverse_std(f, h.number("var"), words["eps"])

    def apart(image: Value, i: Value) -> Value:
        return v.get(h.at("x", image), i) - mean

    def products(image: Value, i: Value) -> tuple[Term, Value]:
        g = v.get(h.at("g", image), i)
        return (g, apart(image, i)), g

    along, level = h.sums(2, products)
    dw, db = f.convert(along, h.c) * rstd, f.convert(level, h.c)
    h.keep("dw", dw)
    h.keep("db", db)
    if "dx" not in names:
        return
    scale = h.wide(rstd * h.number("w") if "w" in names else rstd)
    if training:
        share = f.const(h.c, 1.0) / f.convert(words["count"], h.c)
        slope, less = h.wide(-(dw * share) * rstd), h.wide(db * share)

    def write(image: Value, i: Value) -> None:
        g = v.get(h.at("g", image), i)
        if training:
            g = f.fma(apart(image, i), slope, g - less)
        v.put(h.at("dx", image), i, g * scale)

    h.each(write)


CHANNEL_NUMBERS = {
    "n": "int", "images": "int", "channels": "int", "each": "int", "block": "int", "count": "int",
    "eps": "float",
}  # fmt: skip


def channel_kernel(
    e: str, names: tuple[str, ...], training: bool, columns: bool, backward: bool
) -> Any:
    """A function of (*names, *CHANNEL_NUMBERS, chunks).

    Forward: x, w, b, mean, var, y; backward: g, x, w, mean, var, dx, dw, db. When `training` the
    moments are x's own: the forward writes them.
    """
    name = "norm_channels" + "_grad" * backward
    place = Columns if columns else Channels
    write = channel_backward if backward else channel_forward

    def chunk(f: Function, words: Words, index: Value) -> None:
        h = place(f, words, e, names)
        h.channels(index, lambda: write(h, names, training))

    return compiled(
        (name, e, names, training, columns),
        lambda: module_of(name, names, CHANNEL_NUMBERS, chunk),
    )


def columns_together(e: str) -> int:
    """Channels in a chunk of `Columns`."""
    return COLUMNS * jit.target().lanes // (2 if e == F64 else 1)


# -- groups: x (samples, groups, channels of a group, n), w and b (channels) ---------------------


class Groups(Channels):
    """A group of a sample: its channels lie one after the other, as images do in `Channels`."""

    def at(self, name: str, image: Value) -> Pointer:
        return self.words[name].at((self.channel * self.words["images"] + image) * self.v.n)  # type: ignore[no-any-return]

    def parameter(self, name: str, image: Value) -> Value:
        """The number of a channel of the group."""
        w = self.words
        return w[name][self.channel % w["groups"] * w["images"] + image]  # type: ignore[no-any-return]


def group_forward(h: Groups, names: tuple[str, ...]) -> None:
    """y = x scale + shift with scale = rstd w, shift = b - mean scale."""
    f, v, words = h.f, h.v, h.words
    count = f.convert(words["count"], F64)
    (total,) = h.sums(1, lambda image, i: (v.get(h.at("x", image), i),))
    mean = f.convert(total / count, h.c)
    middle = h.wide(mean)

    def square(image: Value, i: Value) -> tuple[Term]:
        d = v.get(h.at("x", image), i) - middle
        return ((d, d),)

    (total,) = h.sums(1, square)
    var = f.convert(total / count, h.c)
    rstd = inverse_std(f, var, words["eps"])
    h.keep("mean", mean)
    h.keep("var", var)
    with f.range(words["images"]) as image:
        scale = rstd * h.parameter("w", image) if "w" in names else rstd
        shift = -mean * scale
        if "b" in names:
            shift = shift + h.parameter("b", image)
        scale, shift = h.wide(scale), h.wide(shift)
        x, y = h.at("x", image), h.at("y", image)

        def write(i: Value, x: Any = x, y: Any = y, a: Value = scale, b: Value = shift) -> None:
            v.put(y, i, f.fma(v.get(x, i), a, b))

        v.each(write)


def group_backward(h: Groups, names: tuple[str, ...]) -> None:
    """dx = rstd (h - mean(h) - xh mean(h xh)) with h = g w; a channel's sums of g xh and of g."""
    f, v, words = h.f, h.v, h.words
    mean = h.wide(h.number("mean"))
    rstd = inverse_std(f, h.number("var"), words["eps"])
    along, level = (f.var(f.const(F64, 0.0)) for _ in range(2))
    with f.range(words["images"]) as image:
        x, g = h.at("x", image), h.at("g", image)

        def products(i: Value, x: Any = x, g: Any = g) -> tuple[Term, Value]:
            value = v.get(g, i)
            return (value, v.get(x, i) - mean), value

        a, b = v.totals(2, products)
        a = a * rstd
        line = h.channel * words["images"] + image
        for k, value in (("dw", a), ("db", b)):
            if k in names:
                words[k][line] = value
        if "w" in names:
            w = h.parameter("w", image)
            a, b = a * w, b * w
        along.set(along.get() + f.convert(a, F64))
        level.set(level.get() + f.convert(b, F64))
    if "dx" not in names:
        return
    count = f.convert(words["count"], F64)
    slope = h.wide(f.convert(-along.get() / count, h.c) * rstd)
    less = h.wide(f.convert(level.get() / count, h.c))
    wide_rstd = h.wide(rstd)
    with f.range(words["images"]) as image:
        scale = h.wide(h.parameter("w", image)) if "w" in names else None
        x, g, dx = (h.at(k, image) for k in ("x", "g", "dx"))

        def write(i: Value, x: Any = x, g: Any = g, dx: Any = dx, w: Any = scale) -> None:
            value = v.get(g, i) if w is None else v.get(g, i) * w
            v.put(dx, i, f.fma(v.get(x, i) - mean, slope, value - less) * wide_rstd)

        v.each(write)


GROUP_NUMBERS = {
    "n": "int", "images": "int", "channels": "int", "groups": "int", "each": "int", "block": "int",
    "count": "int", "eps": "float",
}  # fmt: skip


def group_kernel(e: str, names: tuple[str, ...], backward: bool) -> Any:
    """A function of (*names, *GROUP_NUMBERS, chunks).

    "images" is how many channels a group has, "channels" the number of all groups of all samples.
    Forward: x, w, b, mean, var, y; backward: g, x, w, mean, var, dx, dw, db. dw and db have a
    line for each sample; the result is in the first.
    """
    name = "norm_groups" + "_grad" * backward
    write = group_backward if backward else group_forward

    def chunk(f: Function, words: Words, index: Value) -> None:
        h = Groups(f, words, e, names)
        h.channels(index, lambda: write(h, names))

    def finish(f: Function, words: Words) -> None:
        h = Groups(f, words, e, names)
        h.v.n = words["groups"] * words["images"]
        add_lines(h.v, words, names, words["channels"] // words["groups"])

    end = finish if {"dw", "db"} & {*names} else None
    return compiled((name, e, names), lambda: module_of(name, names, GROUP_NUMBERS, chunk, end))
