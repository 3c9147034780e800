"""Where the points of a grid fall, a vector of points at a time: `reference.grid_taps` written for
LLVM, with the roundings of NumPy's.

Not here: what is read there (`grid_rows.py`).
"""

from __future__ import annotations

import math
from itertools import product
from typing import Any, NamedTuple

from ..codegen.ir import F64, I32, Function, Value, element, lanes, vector

FAR = 2.0**31  # elements, from where on a position is no index


class How(NamedTuple):
    """What a kernel's text depends on, beside its type.

    Args:
        dims: 2 for images, 3 for volumes.
        mode, padding_mode, align_corners: as in `grid_sample`.
    """

    dims: int
    mode: str
    padding_mode: str
    align_corners: bool

    @property
    def side(self) -> int:
        """Elements that are read along a dimension."""
        return {"nearest": 1, "bilinear": 2, "bicubic": 4}[self.mode]

    @property
    def taps(self) -> int:
        """Elements that are read for a point."""
        return int(self.side**self.dims)


class Side(NamedTuple):
    """A dimension of a vector of points."""

    places: list[Value]  # int32, for each tap
    inside: list[Value]
    weight: list[Value]
    slope: list[Value]  # of the weights, by the coordinate


class Cells:
    """Writes the cells of vectors of points.

    Args:
        f: the function that is written.
        how: what is sampled.
        sizes: of the image's dimensions, int64.
        e: the type of coordinates, "float" or "double".
        lanes: points of a vector.
    """

    def __init__(self, f: Function, how: How, sizes: list[Value], e: str, lanes: int) -> None:
        self.f, self.how, self.sizes, self.e, self.lanes = f, how, sizes, e, lanes
        self.of_points = vector(e, lanes)

    def number(self, value: Any) -> Value:
        return self.f.const(self.of_points, value)

    def sides(self, coordinates: list[Value]) -> list[Side]:
        """All dimensions; `coordinates` are in the order of a grid: x, which images have last."""
        return [self.side(g, n) for g, n in zip(reversed(coordinates), self.sizes, strict=True)]

    def taps(self, sides: list[Side], outside: Value) -> list[Value]:
        """The place in the image of each tap, int32; `outside` where it is not in it."""
        f, found = self.f, []
        for corner in product(range(self.how.side), repeat=self.how.dims):
            flat: Any = None
            inside: Any = None
            for side, t, n in zip(sides, corner, self.sizes, strict=True):
                width = f.splat(f.convert(n, I32), self.lanes)
                flat = side.places[t] if flat is None else flat * width + side.places[t]
                inside = side.inside[t] if inside is None else inside & side.inside[t]
            found.append(f.select(inside, flat, f.splat(outside, self.lanes)))
        return found

    def weights(self, sides: list[Side]) -> list[Value]:
        """The weight of each tap."""
        return [
            math.prod((side.weight[t] for side, t in zip(sides[1:], corner[1:], strict=True)),
                      start=sides[0].weight[corner[0]])
            for corner in product(range(self.how.side), repeat=self.how.dims)
        ]  # fmt: skip

    def slopes(self, sides: list[Side], dim: int) -> list[Value]:
        """How the weight of each tap changes with the coordinate of a dimension."""
        found = []
        for corner in product(range(self.how.side), repeat=self.how.dims):
            others = [sides[j].weight[t] for j, t in enumerate(corner) if j != dim]
            found.append(math.prod(others, start=sides[dim].slope[corner[dim]]))
        return found

    def gradients(self, sides: list[Side], along: list[Value]) -> list[Value]:
        """The gradients by the coordinates, in the order of a grid, of those by the weights."""
        found = []
        for d in reversed(range(self.how.dims)):
            terms = [a * s for a, s in zip(along, self.slopes(sides, d), strict=True)]
            found.append(sum(terms[1:], start=terms[0]))
        return found

    def side(self, g: Value, size: Value) -> Side:
        """One dimension, in the order of `reference.grid_cells`."""
        f, how, number = self.f, self.how, self.number
        wide = f.convert(size, F64)
        last = f.convert(wide - 1.0, self.e)
        half = (wide - 1.0 if how.align_corners else wide) * 0.5
        slope = f.splat(f.convert(half, self.e), self.lanes)
        offset = number(0.0 if how.align_corners else -0.5)
        if how.padding_mode != "zeros":  # 0 * inf would be nan
            g = f.select(g == g, g, number(-1e9))
            g = f.select(f.fabs(g) == math.inf, f.same("copysign", number(1e9), g), g)
        at = g + 1.0
        where = at * slope + offset
        of_where, slopes = offset, slope
        if how.mode != "bicubic" and how.padding_mode != "zeros":
            if how.padding_mode == "reflection":
                where, sign = self.reflected(where, size)
                of_where = where - sign * slope * at
                slopes = slopes * sign
            end = f.splat(last, self.lanes)
            low, high = where <= 0.0, where >= end
            slopes = f.select(low | high, number(0.0), slopes)
            where = f.select(low, number(0.0), f.select(high, end, where))
            of_where = f.select(low | high, where, of_where)
        good = f.fabs(where) < FAR  # false for nan
        where = f.select(good, where, number(-100.0))
        slopes = f.select(good, slopes, number(0.0))
        of_where = f.select(good, of_where, number(-100.0))
        cell = f.same("rint" if how.mode == "nearest" else "floor", where)
        t = at * slopes + (of_where - cell)
        index, inside = self.indices(f.convert(cell, I32), size)
        weight, change = self.curves(t)
        return Side(index, inside, weight, [c * slopes for c in change])

    def reflected(self, where: Value, size: Value) -> tuple[Value, Value]:
        """`reference.reflected`: positions that lie inside, and -1 where they run backwards."""
        f, number = self.f, self.number
        corners = self.how.align_corners
        low = 0.0 if corners else -0.5
        wide = f.convert(size, element(where.type))
        span = f.splat(wide - 1.0 if corners else wide, self.lanes)
        apart = where - low
        sign = f.select(apart < 0.0, number(-1.0), number(1.0))
        turns, rest = self.divided(f.fabs(apart), span)
        odd = self.odd(turns)
        found = f.select(odd, span - rest, rest) + low
        sign = f.select(odd, -sign, sign)
        some = span > 0.0
        return f.select(some, found, number(0.0)), f.select(some, sign, number(0.0))

    def divided(self, x: Value, by: Value) -> tuple[Value, Value]:
        """Quotient and remainder of positive numbers: exact where the quotient is, and behind that
        still a remainder that is none too large."""
        f = self.f
        turns = f.same("floor", x / by)
        rest = f.fma(-turns, by, x)
        low = rest < 0.0  # the quotient had been rounded up
        turns, rest = f.select(low, turns - 1.0, turns), f.select(low, rest + by, rest)
        high = rest >= by
        turns, rest = f.select(high, turns + 1.0, turns), f.select(high, rest - by, rest)
        zero = f.const(x.type, 0.0)
        return turns, f.select(rest > zero, f.select(rest < by, rest, by), zero)

    def odd(self, n: Value) -> Value:
        """Whether whole numbers are odd."""
        return n - self.f.same("floor", n * 0.5) * 2.0 == 1.0

    def indices(self, cell: Value, size: Value) -> tuple[list[Value], list[Value]]:
        """The positions that a cell reads along a dimension, and which of them are inside."""
        f, how = self.f, self.how
        n = f.splat(f.convert(size, I32), self.lanes)
        found = []
        for t in range(how.side):
            index = cell + (t - 1 if how.mode == "bicubic" else t)
            if how.mode == "bicubic" and how.padding_mode != "zeros":
                if how.padding_mode == "reflection":
                    index = self.mirrored(index, size)
                index = f.select(index < 0, f.const(index.type, 0), index)
                index = f.select(index < n, index, n - 1)
            found.append(index)
        return found, [f.compare("lt", index, n, unsigned=True) for index in found]

    def mirrored(self, index: Value, size: Value) -> Value:
        """Indices mirrored at the borders; in float64, where int32 is exact and division quick."""
        f = self.f
        corners = self.how.align_corners
        wide = f.convert(size, F64)
        span = f.splat(wide - 1.0 if corners else wide, self.lanes)
        apart = f.convert(index, vector(F64, self.lanes))
        if not corners:
            apart = apart + 0.5
        turns, rest = self.divided(f.fabs(apart), span)
        rest = f.select(self.odd(turns), span - rest, rest)
        if not corners:
            rest = rest - 0.5
        rest = f.select(span > 0.0, rest, f.const(rest.type, 0.0))
        return f.convert(f.same("rint", rest), I32)

    def curves(self, t: Value) -> tuple[list[Value], list[Value]]:
        """Weights of the taps of a cell at position t, and their slopes."""
        from .reference import grid_weights

        if self.how.mode == "nearest":
            return [self.number(1.0)], [self.number(0.0)]
        weight, slope = grid_weights(t, self.how.mode)
        return weight, [s if isinstance(s, Value) else self.number(s) for s in slope]


def coordinates(
    f: Function, grid: Any, first: Value, dims: int, width: int, left: Value | None
) -> list[Value]:  # fmt: skip
    """The coordinates of the points from `first` on, a vector for each dimension.

    Args:
        grid: (points, dims).
        left: how many there are, where they are fewer than lanes.
    """
    many = dims * width
    if left is None:
        whole = grid.load(first * dims, many)
    else:
        there = f.iota(vector(I32, many)) < f.convert(left * dims, I32)
        whole = grid.load_masked(first * dims, there, 0)
    return [f.shuffle(whole, None, [dims * i + d for i in range(width)]) for d in range(dims)]


def of_points(
    f: Function, grid: Any, values: list[Value], first: Value, left: Value | None
) -> None:  # fmt: skip
    """Write a vector of points, of which `values` has the coordinates: `coordinates` turned."""
    dims, width = len(values), lanes(values[0].type)
    joined = [*values, *values[len(values) - 1 :] * (dims % 2)]  # pairs; the last is not taken
    while len(joined) > 1:
        n = lanes(joined[0].type)
        pairs = zip(joined[::2], joined[1::2], strict=True)
        joined = [f.shuffle(a, b, list(range(2 * n))) for a, b in pairs]
    order = [d * width + i for i in range(width) for d in range(dims)]
    whole, into = f.shuffle(joined[0], None, order), grid.at(first * dims)
    if left is None:
        into.store(whole)
    else:
        into.store_masked(whole, 0, f.iota(vector(I32, dims * width)) < f.convert(left * dims, I32))
