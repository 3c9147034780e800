"""Kernels for images of few channels that are sampled at the points of a grid, and their gradients:
the sums of `grid_rows.py`, in the same order, of images as they lie.

    sampled     y[n, c, p] = 0 + x[n, c, at[0]] * weight[0] + …
    scattered   dx[n, c, at[t]] += g[n, c, p] * weight[t]
    sloped      dgrid[n, p] = the sum over t of (g[n, :, p] . x[n, :, at[t]]) times its slope

A vector of points is computed at a time, and its elements are gathered; those that are added to a
gradient go there one after the other. What lies outside is not read, and counts as 0.

Not here: places and weights (`grid_cells.py`), when it is used (`select.py`).
"""

from __future__ import annotations

import functools
from typing import Any

from ..codegen.interface import Interface, Kernel
from ..codegen.ir import I32, I64, Module, Value, vector
from .grid_cells import Cells, How, coordinates, of_points
from .grid_rows import GRID, SHARED, Chunk
from .taps import gathered

SAMPLED = Interface(
    "grid_sampled_planes",
    "y[n, c, p] = the sum of weight * x[n, c, place] over the taps of a point",
    arrays={
        "x": "(images, channels, positions)", "grid": GRID, "y": "(images, channels, points)",
    },
    ints=SHARED,
)  # fmt: skip
SCATTERED = Interface(
    "grid_scattered_planes",
    "dx[n, c, place] = the sum of weight * g[n, c, p] over the taps that read it",
    arrays={
        "g": "(images, channels, points)", "grid": GRID, "dx": "(images, channels, positions)",
    },
    ints=SHARED,
)  # fmt: skip
SLOPED = Interface(
    "grid_sloped_planes",
    "dgrid[n, p, d] = the sum of slope * (g[n, :, p] . x[n, :, place]) over the taps of a point",
    arrays={
        "g": "(images, channels, points)", "x": "(images, channels, positions)", "grid": GRID,
        "dgrid": "(images, points, dims)",
    },
    ints=SHARED,
)  # fmt: skip
INTERFACES = {"sampled": SAMPLED, "scattered": SCATTERED, "sloped": SLOPED}
OUTSIDE = -1  # the place of what is not in the image


class Planes(Chunk):
    """Writes a kernel."""

    interfaces = INTERFACES

    def build(self) -> Module:
        image, share, cells = self.begin()
        f, word = self.f, self.word
        channels, points = word["channels"], word["points"]
        planes = {"grid": points * self.how.dims, "dgrid": points * self.how.dims}
        planes |= {k: channels * points for k in ("g", "y")}
        planes |= {k: channels * self.positions for k in ("x", "dx")}
        self.of_image = {
            k: word[k].of(self.e).at(image * size) for k, size in planes.items() if k in word
        }
        start = share * word["each"]
        stop = f.select(start + word["each"] < points, start + word["each"], points)
        if self.what == "scattered":  # a share is a channel
            self.of_image["dx"] = self.of_image["dx"].at(share * self.positions)
            self.of_image["g"] = self.of_image["g"].at(share * points)
            self.clear()
            start, stop = f.const(I64, 0), points
            self.places = f.buffer(I32, self.how.taps * self.w)
            self.numbers = f.buffer(self.e, self.how.taps * self.w)
            self.nowhere = f.buffer(self.e, 1)
        whole = stop - (stop - start) % self.w
        with f.range(start, whole, self.w) as p:
            self.block(cells, p, None)
        with f.when(whole < stop):
            self.block(cells, whole, stop - whole)
        f.ret()
        self.interface.write(self.module, "chunks")
        return self.module

    def block(self, cells: Cells, p: Value, left: Value | None) -> None:
        """A vector of points."""
        f, w = self.f, self.w
        sides = cells.sides(coordinates(f, self.of_image["grid"], p, self.how.dims, w, left))
        places = cells.taps(sides, f.const(I32, OUTSIDE))
        mask = None if left is None else f.iota(vector(I32, w)) < f.convert(left, I32)
        {"sampled": self.sample, "scattered": self.scatter, "sloped": self.slope}[self.what](
            cells, sides, places, p, mask, left
        )

    def sample(
        self, cells: Cells, sides: Any, places: list[Value], p: Value, mask: Value | None,
        _left: Value | None,
    ) -> None:  # fmt: skip
        f, weights = self.f, cells.weights(sides)
        there = [at >= 0 for at in places]
        with f.range(self.word["channels"]) as c:
            x = self.of_image["x"].at(c * self.positions)
            total = f.const(vector(self.e, self.w), 0.0)
            for at, inside, weight in zip(places, there, weights, strict=True):
                total = total + gathered(f, x, at, inside) * weight
            y = self.of_image["y"].at(c * self.word["points"])
            y.store(total, p) if mask is None else y.store_masked(total, p, mask)

    def clear(self) -> None:
        """Zeros all over a plane."""
        f, dx, n = self.f, self.of_image["dx"], self.positions
        zero, whole = f.const(vector(self.e, self.w), 0.0), n - n % self.w
        with f.range(0, whole, self.w) as i:
            dx.store(zero, i)
        with f.range(whole, n) as i:
            dx[i] = 0.0

    def scatter(
        self, cells: Cells, sides: Any, places: list[Value], p: Value, mask: Value | None,
        left: Value | None,
    ) -> None:  # fmt: skip
        f, dx, w = self.f, self.of_image["dx"], self.w
        g = self.load(self.of_image["g"], p, mask)
        for t, (at, weight) in enumerate(zip(places, cells.weights(sides), strict=True)):
            self.places.store(at, t * w)
            self.numbers.store(g * weight, t * w)
        with f.range(w if left is None else left) as i:
            for t in range(len(places)):
                at = f.convert(self.places[i + t * w], I64)
                into = f.select(at >= 0, dx.at(at), self.nowhere).of(self.e)
                into[0] = into[0] + self.numbers[i + t * w]

    def slope(
        self, cells: Cells, sides: Any, places: list[Value], p: Value, mask: Value | None,
        left: Value | None,
    ) -> None:  # fmt: skip
        f = self.f
        sums = [f.var(f.const(vector(self.e, self.w), 0.0)) for _ in places]
        there = [at >= 0 for at in places]
        with f.range(self.word["channels"]) as c:
            x = self.of_image["x"].at(c * self.positions)
            g = self.load(self.of_image["g"].at(c * self.word["points"]), p, mask)
            for at, inside, total in zip(places, there, sums, strict=True):
                total.set(f.fma(gathered(f, x, at, inside), g, total.get()))
        along = [total.get() for total in sums]
        found = cells.gradients(sides, along)
        of_points(f, self.of_image["dgrid"], found, p, left)


@functools.cache
def kernel(what: str, e: str, how: How) -> Kernel:
    """The kernel of "sampled", "scattered" or "sloped"."""
    key = (what, e, *how)
    return Kernel(INTERFACES[what], key, lambda: Planes(what, e, how).build())
