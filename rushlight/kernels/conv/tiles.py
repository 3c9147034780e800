"""The tiles of a convolution without a margin around its images: what each multiplies.

An output plane is cut into tiles, parts of a row, or some whole rows where these are short. Of each
tile, rows of the kernel that see nothing but margin are left out; an element that sees it from some
of the positions is multiplied for the others. All this depends on shapes alone, so plans hold it as
constants. The kernel that goes through it: `skipping_forward.py`.
"""

from __future__ import annotations

import functools
import math
from typing import Any, NamedTuple

import numpy as np

Array = Any
Ints = tuple[int, ...]


class Shape(NamedTuple):
    """A block of output positions. `kinds`: of elements of a window that follow one another in a
    row of the kernel, the positions that each is multiplied for, as bits; whole rows first."""

    rows: int
    columns: int
    kinds: tuple[Ints, ...]


class Tiles:
    """The tiles of an output plane.

    Args:
        size, kernel, stride, padding, dilation, out: of the convolution, in two dimensions.
        channels: of the image.
        most: positions of a tile.
        block: elements of a window of which a tile adds up the products at a time.
        lanes: numbers of a row of the weights.

    Attributes:
        shapes: of the tiles.
        across: tiles side by side.
        count: tiles.
        rows: rows of the highest tile.
        products: of a single number that the shapes' kinds have together.
        tables: `tiles`, `begin`, `offset`, `row` and `kind`, as `skipping_forward.INTERFACE` says.
    """

    def __init__(
        self, size: Ints, kernel: Ints, stride: Ints, padding: Ints, dilation: Ints, out: Ints,
        channels: int, most: int, block: int, lanes: int,
    ) -> None:  # fmt: skip
        columns = cut(out[1], most)
        rows = cut(out[0], most // max(columns))
        self.across, self.rows = len(columns), max(rows)
        self.count = len(rows) * len(columns)
        down, along = (
            seen(*of) for of in zip(size, kernel, stride, padding, dilation, out, strict=True)
        )
        places = [
            (high, wide, y, x)
            for high, y in zip(rows, starts(rows), strict=True)
            for wide, x in zip(columns, starts(columns), strict=True)
        ]
        # tiles that see the same margins are of one way
        ways = [(h, w, sets(down[y : y + h], along[x : x + w])) for h, w, y, x in places]
        steps = (size[0] * size[1], dilation[0] * size[1], dilation[1])
        entries = {way: entries_of(way[2], steps, channels, block) for way in dict.fromkeys(ways)}
        found: dict[tuple[int, int], set[Ints]] = {}
        for (high, wide, _), (_, kinds) in entries.items():
            found.setdefault((high, wide), set()).update(k for k in kinds if any(k))
            if self.across > 1:  # so that planes of two tiles and of more have one kernel
                found[high, wide].add(((1 << high * wide) - 1,) * kernel[1])
        self.shapes = tuple([
            # (there are tiles that see nothing at all)
            Shape(high, wide, tuple(sorted(kinds or {(1,)}, key=lambda k: (-len(k), k))))
            for (high, wide), kinds in found.items()
        ])
        self.products = sum(
            bits.bit_count() for s in self.shapes for kind in s.kinds for bits in kind
        )
        numbers, sizes = {way: i for i, way in enumerate(entries)}, list(found)
        tiles = [
            [sizes.index((h, w)), (y * stride[0] - padding[0]) * size[1] + x * stride[1]
             - padding[1], y * out[1] + x, numbers[way]]
            for (h, w, y, x), way in zip(places, ways, strict=True)
        ]  # fmt: skip
        ends = np.arange(0, channels * kernel[0] * kernel[1] + block, block)
        begin, parts, at = [], [], 0
        for (high, wide, _), (table, kinds) in entries.items():
            order = self.shapes[sizes.index((high, wide))].kinds
            number = np.array([order.index(k) if k in order else 0 for k in kinds])
            first, offset, kind = table.T
            begin.append(at + np.searchsorted(first, ends))
            parts.append(np.stack([offset, first * lanes, number[kind]]))
            at += len(first)
        offset, row, kind = np.concatenate(parts, 1)
        made = {"tiles": tiles, "begin": begin, "offset": offset, "row": row, "kind": kind}
        self.tables = {name: np.array(table, np.int32) for name, table in made.items()}


def entries_of(
    sets: tuple[Ints, ...], steps: Ints, channels: int, block: int
) -> tuple[Array, list[Ints]]:
    """What a tile multiplies, in order: a table of (the first element, how far it lies from the
    window's beginning, kind), and the kinds, each the positions of some elements in a row.

    They are rows of the kernel; those that lie in two blocks are taken element by element. `steps`:
    from a channel to the next, from a row of the kernel and from an element.
    """
    high, wide = len(sets), len(sets[0])
    kinds = list(sets)
    if channels * high * wide > block:
        kinds += [(bits,) for row in sets for bits in row]
    channel, y = (a.reshape(-1) for a in np.indices((channels, high)))
    first, offset = (channel * high + y) * wide, channel * steps[0] + y * steps[1]
    whole = first // block == (first + wide - 1) // block
    rows = np.stack([first, offset, y], 1)[whole & np.array([any(row) for row in sets])[y]]
    apart = np.flatnonzero(~whole)[:, None]
    x = np.arange(wide)
    kind = high + y[apart] * wide + x
    single = np.stack([first[apart] + x, offset[apart] + x * steps[2], kind], 2).reshape(-1, 3)
    is_seen = np.array([any(bits) for bits in kinds])
    table = np.concatenate([rows, single[is_seen[single[:, 2]]]]) if len(single) else rows
    # kinds that are alike are one
    known = list(dict.fromkeys(kinds))
    table[:, 2] = np.array([known.index(k) for k in kinds])[table[:, 2]]
    return table[np.argsort(table[:, 0])], known


def left_out(
    size: Ints, kernel: Ints, stride: Ints, padding: Ints, dilation: Ints, out: Ints
) -> float:
    """The share of the products with a margin that see nothing else."""
    each = zip(size, kernel, stride, padding, dilation, out, strict=True)
    return 1.0 - math.prod(float(seen(*of).mean()) for of in each)


def cut(n: int, most: int) -> list[int]:
    """n in as few parts as are possible of at most so many, as equal as can be."""
    parts = -(-n // most)
    return [n // parts + (i < n % parts) for i in range(parts)]


def starts(parts: list[int]) -> list[int]:
    """Where each part begins."""
    return [sum(parts[:i]) for i in range(len(parts))]


def seen(size: int, kernel: int, stride: int, padding: int, dilation: int, out: int) -> Array:
    """Of one dimension, for each output position, which elements of the kernel see the image."""
    at = np.arange(out)[:, None] * stride - padding + np.arange(kernel) * dilation
    return (at >= 0) & (at < size)


def sets(down: Array, along: Array) -> tuple[Ints, ...]:
    """For each row of the kernel, which positions of a tile each of its elements is multiplied for,
    as bits."""
    see = np.einsum("yi,xj->ijyx", down, along).reshape(down.shape[1], along.shape[1], -1)
    bits = see @ (1 << np.arange(see.shape[2]))
    return tuple([tuple(row) for row in bits.tolist()])


tiles_of = functools.lru_cache(maxsize=256)(Tiles)
