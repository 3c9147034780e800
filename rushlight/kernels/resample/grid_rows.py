"""Kernels for images that are sampled at the points of a grid, and their gradients.

The channels of a position lie beside each other: a point reads some rows of the image. Behind the
rows of an image there is one more, of zeros, which stands for what lies outside.

    sampled     y[n, p] = 0 + x[n, at[0]] * weight[0] + x[n, at[1]] * weight[1] + …
    scattered   dx[n, at[t]] += g[n, p] * weight[t]
    sloped      dgrid[n, p] = the sum over t of (g[n, p] . x[n, at[t]]) times the weight's slope

Points are taken sixteen at a time: places and weights are computed in vectors and put on the stack,
then each point goes through its rows. Rows that several points add to belong to one thread, which
takes the points in order.

Not here: places and weights (`grid_cells.py`), how images get into rows (`select.py`).
"""

from __future__ import annotations

import functools
from collections.abc import Callable
from typing import Any

from ..codegen.interface import Interface, Kernel
from ..codegen.ir import F64, I32, I64, PTR, Module, Pointer, Value, vector
from ..matmul.gemv import totals
from ..runtime import jit, threads
from .grid_cells import Cells, How, coordinates, of_points

SIZES = {"depth": "of a volume; 1 of images", "height": "of the image", "width": "of the image"}
SHARED = {
    "images": "images", "channels": "elements of a row", "points": "of an image's grid", **SIZES,
    "each": "what a chunk has: points, of kinds that add channels",
    "shares": "chunks of an image",
    "chunks": "pieces of work, which threads share",
}  # fmt: skip
GRID = "(images, points, dims), x first"
SAMPLED = Interface(
    "grid_sampled",
    "y[n, p] = the sum of weight * x[n, place] over the taps of a point",
    arrays={
        "x": "(images, positions + 1, channels), the last row zeros", "grid": GRID,
        "y": "(images, points, channels)",
    },
    ints=SHARED,
)  # fmt: skip
SCATTERED = Interface(
    "grid_scattered",
    "dx[n, place] = the sum of weight * g[n, p] over the taps that read it",
    arrays={
        "g": "(images, points, channels)", "grid": GRID,
        "dx": "(images, positions + 1, channels); the last row has what lies outside",
    },
    ints=SHARED,
)  # fmt: skip
SLOPED = Interface(
    "grid_sloped",
    "dgrid[n, p, d] = the sum of slope * (g[n, p] . x[n, place]) over the taps of a point",
    arrays={
        "g": "(images, points, channels)",
        "x": "(images, positions + 1, channels), the last row zeros", "grid": GRID,
        "dgrid": "(images, points, dims)",
    },
    ints=SHARED,
)  # fmt: skip
INTERFACES = {"sampled": SAMPLED, "scattered": SCATTERED, "sloped": SLOPED}


class Chunk:
    """What kernels of rows and of planes begin with.

    Args:
        what: "sampled", "scattered" or "sloped".
        e: the type of elements and coordinates.
        how: what is sampled.
    """

    interfaces: dict[str, Interface]

    def __init__(self, what: str, e: str, how: How) -> None:
        self.what, self.e, self.how = what, e, how
        self.w = jit.target().lanes // (2 if e == F64 else 1)
        self.interface = self.interfaces[what]
        self.module = Module(self.interface.name)

    def begin(self) -> tuple[Value, Value, Cells]:
        """The beginning of a chunk: its image, its share of that, and what computes taps."""
        threads.declare_run(self.module)
        args = [("context", PTR), ("index", I64)]
        self.f = f = self.module.function("chunk", None, args, private=True)
        self.word = word = self.interface.words(f.args["context"])
        index = f.args["index"]
        image, share = index // word["shares"], index % word["shares"]
        sizes = [word[k] for k in SIZES][3 - self.how.dims :]
        self.positions = word["depth"] * word["height"] * word["width"]
        return image, share, Cells(f, self.how, sizes, self.e, self.w)

    def load(self, a: Pointer, at: Value, mask: Value | None) -> Value:
        return a.load(at, self.w) if mask is None else a.load_masked(at, mask, 0)


class Rows(Chunk):
    """Writes a kernel."""

    interfaces = INTERFACES

    def build(self) -> Module:
        image, share, cells = self.begin()
        f, word = self.f, self.word
        channels, points = word["channels"], word["points"]
        start = share * word["each"]
        bound = channels if self.what == "scattered" else points
        stop = f.select(start + word["each"] < bound, start + word["each"], bound)
        self.first: Any
        self.last: Any
        self.first, self.last = (start, stop) if self.what == "scattered" else (0, channels)
        self.of_image = {
            k: word[k].of(self.e).at(image * rows * width)
            for k, rows, width in (
                ("grid", points, self.how.dims), ("g", points, channels),
                ("y", points, channels), ("dgrid", points, self.how.dims),
                ("x", self.positions + 1, channels), ("dx", self.positions + 1, channels),
            )
            if k in word
        }  # fmt: skip
        if self.what == "scattered":
            self.clear()
            start, stop = f.const(I64, 0), points
        taps = self.how.taps
        self.places = f.buffer(I64, taps * self.w)
        self.numbers = f.buffer(self.e, taps * self.w)
        whole = stop - (stop - start) % self.w
        with f.range(start, whole, self.w) as p:
            self.block(cells, p, None)
        with f.when(whole < stop):
            self.block(cells, whole, stop - whole)
        f.ret()
        self.interface.write(self.module, "chunks")
        return self.module

    def block(self, cells: Cells, p: Value, left: Value | None) -> None:
        """A vector of points: places and weights, then their rows."""
        f, w = self.f, self.w
        given = coordinates(f, self.of_image["grid"], p, self.how.dims, w, left)
        sides = cells.sides(given)
        channels = f.splat(self.word["channels"], w)
        for t, at in enumerate(cells.taps(sides, f.convert(self.positions, I32))):
            self.places.store(f.convert(at, I64) * channels, t * w)
        if self.what != "sloped":
            for t, weight in enumerate(cells.weights(sides)):
                self.numbers.store(weight, t * w)
        with f.range(w if left is None else left) as i:
            rows = [self.places[i + t * w] for t in range(self.how.taps)]
            {"sampled": self.sample, "scattered": self.scatter, "sloped": self.slope}[self.what](
                p + i, i, rows
            )
        if self.what == "sloped":
            self.combine(cells, sides, p, left)

    # -- rows --------------------------------------------------------------------------------------

    def vectors(self, write: Callable[[Value, Value | None], None]) -> None:
        """The columns of a row that the chunk has, a vector at a time."""
        f, w = self.f, self.w
        first, last = f.const(I64, self.first), f.const(I64, self.last)
        whole = last - (last - first) % w
        with f.range(first, whole, w) as j:
            write(j, None)
        with f.when(whole < last):
            write(whole, f.iota(vector(I32, w)) < f.convert(last - whole, I32))

    def store(self, row: Pointer, v: Value, j: Value, mask: Value | None) -> None:
        row.store(v, j) if mask is None else row.store_masked(v, j, mask)

    def factors(self, i: Value) -> list[Value]:
        """The weights of a point, in all lanes."""
        many = range(self.how.taps)
        return [self.f.splat(self.numbers[i + t * self.w], self.w) for t in many]

    def sample(self, p: Value, i: Value, rows: list[Value]) -> None:
        x, y = self.of_image["x"], self.of_image["y"].at(p * self.word["channels"])
        lines, factors = [x.at(r) for r in rows], self.factors(i)

        def write(j: Value, mask: Value | None) -> None:
            total = self.f.const(vector(self.e, self.w), 0.0)
            for line, factor in zip(lines, factors, strict=True):
                total = total + self.load(line, j, mask) * factor
            self.store(y, total, j, mask)

        self.vectors(write)

    def clear(self) -> None:
        """Zeros in the columns of all rows."""
        f, dx = self.f, self.of_image["dx"]
        zero = f.const(vector(self.e, self.w), 0.0)
        with f.range(self.positions + 1) as r:
            row = dx.at(r * self.word["channels"])
            self.vectors(lambda j, mask: self.store(row, zero, j, mask))

    def scatter(self, p: Value, i: Value, rows: list[Value]) -> None:
        dx, g = self.of_image["dx"], self.of_image["g"].at(p * self.word["channels"])
        lines, factors = [dx.at(r) for r in rows], self.factors(i)

        def write(j: Value, mask: Value | None) -> None:
            v = self.load(g, j, mask)
            for line, factor in zip(lines, factors, strict=True):  # two taps may be one place
                self.store(line, self.load(line, j, mask) + v * factor, j, mask)

        self.vectors(write)

    def slope(self, p: Value, i: Value, rows: list[Value]) -> None:
        """The products of a point's gradient with the rows that it read, onto the stack."""
        f, x, g = self.f, self.of_image["x"], self.of_image["g"].at(p * self.word["channels"])
        lines = [x.at(r) for r in rows]
        sums = [f.var(f.const(vector(self.e, self.w), 0.0)) for _ in lines]

        def add(j: Value, mask: Value | None) -> None:
            v = self.load(g, j, mask)
            for line, total in zip(lines, sums, strict=True):
                total.set(f.fma(self.load(line, j, mask), v, total.get()))

        self.vectors(add)
        for k in range(0, len(sums), 4):
            for t, total in enumerate(totals(f, [s.get() for s in sums[k : k + 4]]), k):
                self.numbers.store(total, i + t * self.w)

    def combine(self, cells: Cells, sides: Any, p: Value, left: Value | None) -> None:
        """The gradient of a vector of points, from what is on the stack."""
        along = [self.numbers.load(t * self.w, self.w) for t in range(self.how.taps)]
        of_points(self.f, self.of_image["dgrid"], cells.gradients(sides, along), p, left)


@functools.cache
def kernel(what: str, e: str, how: How) -> Kernel:
    """The kernel of "sampled", "scattered" or "sloped"."""
    key = (what, e, *how)
    return Kernel(INTERFACES[what], key, lambda: Rows(what, e, how).build())


