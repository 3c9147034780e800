"""Tiles of convolutions without margins: each product that sees the image stands in them once."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from rushlight.kernels.conv import reference
from rushlight.kernels.conv.tiles import Tiles, cut, left_out

BLOCK, LANES = 16, 8
# size, kernel, stride, padding, dilation, channels, positions of a tile
CASES = [
    ((5, 6), (3, 3), (1, 1), (1, 1), (1, 1), 4, 14),
    ((7, 7), (3, 3), (1, 1), (1, 1), (1, 1), 3, 14),
    ((4, 30), (3, 5), (1, 1), (1, 2), (1, 1), 2, 14),
    ((9, 8), (3, 2), (2, 1), (1, 1), (1, 3), 5, 6),
    ((2, 2), (3, 3), (1, 1), (1, 1), (1, 1), 2, 14),
    ((1, 20), (1, 20), (1, 1), (0, 19), (1, 1), 1, 4),
    ((3, 3), (1, 1), (1, 1), (2, 2), (1, 1), 7, 3),  # tiles that see nothing
    ((6, 6), (2, 2), (3, 3), (0, 0), (1, 1), 20, 14),
]


def products(case: Any, made: Tiles) -> list[tuple[int, int, int, int]]:
    """(output position, element of the window, where it lies in the image, block) of each product
    that the tables tell of, in order."""
    size, kernel, stride, _, dilation, channels, _ = case
    out = reference.out_size(size, kernel, stride, case[3], dilation)
    tables = {name: table.tolist() for name, table in made.tables.items()}
    found = []
    for number, corner, place, way in tables["tiles"]:
        shape = made.shapes[number]
        begin = tables["begin"][way]
        for block in range(len(begin) - 1):
            for entry in range(begin[block], begin[block + 1]):
                first = tables["row"][entry] // LANES
                for nr, bits in enumerate(shape.kinds[tables["kind"][entry]]):
                    for i in range(shape.rows * shape.columns):
                        if bits >> i & 1:
                            r, s = divmod(i, shape.columns)
                            at = corner + tables["offset"][entry] + nr * dilation[1]
                            at += r * stride[0] * size[1] + s * stride[1]
                            found.append((place + r * out[1] + s, first + nr, at, block))
    assert len(tables["begin"]) <= len(tables["tiles"])
    assert all(b[-1] - b[0] <= channels * kernel[0] * kernel[1] for b in tables["begin"])
    return found


@pytest.mark.parametrize("case", CASES)
def test_what_sees_the_image_is_multiplied_once_and_in_order(case: Any) -> None:
    size, kernel, stride, padding, dilation, channels, most = case
    out = reference.out_size(size, kernel, stride, padding, dilation)
    made = Tiles(size, kernel, stride, padding, dilation, out, channels, most, BLOCK, LANES)
    assert all(s.rows * s.columns <= most for s in made.shapes)
    assert made.count == len(made.tables["tiles"])
    assert [t[2] for t in made.tables["tiles"][:: made.across].tolist()] == sorted(
        t[2] for t in made.tables["tiles"][:: made.across].tolist()
    )
    wanted = {}
    for p in range(out[0] * out[1]):
        for k in range(channels * kernel[0] * kernel[1]):
            c, i, j = np.unravel_index(k, (channels, *kernel))
            y = p // out[1] * stride[0] - padding[0] + i * dilation[0]
            x = p % out[1] * stride[1] - padding[1] + j * dilation[1]
            if 0 <= y < size[0] and 0 <= x < size[1]:
                wanted[p, k] = (int((c * size[0] + y) * size[1] + x), k // BLOCK)
    found = products(case, made)
    assert {(p, k): (at, block) for p, k, at, block in found} == wanted
    assert len(found) == len(wanted)
    for p in range(out[0] * out[1]):  # sums are added in the order of a window
        own = [k for q, k, _, _ in found if q == p]
        assert own == sorted(own)
    all_products = out[0] * out[1] * channels * kernel[0] * kernel[1]
    share = left_out(size, kernel, stride, padding, dilation, out)
    assert share == pytest.approx(1 - len(wanted) / all_products)


@pytest.mark.parametrize(
    ("n", "most", "parts"),
    [(14, 14, [14]), (28, 14, [14, 14]), (7, 3, [3, 2, 2]), (1, 5, [1]), (32, 14, [11, 11, 10])],
)
def test_parts_are_few_and_alike(n: int, most: int, parts: list[int]) -> None:
    assert cut(n, most) == parts


def test_layers_share_kernels() -> None:
    """Shapes, of which kernels are made, do not depend on how many channels there are, nor on the
    size of a plane that is cut alike."""

    def shapes(n: int, channels: int) -> Any:
        return Tiles(
            (n, n), (3, 3), (1, 1), (1, 1), (1, 1), (n, n), channels, 14, 256, 32
        ).shapes  # fmt: skip

    assert shapes(28, 128) == shapes(28, 512)
    assert shapes(56, 64) == shapes(42, 64) == shapes(28, 128)
    assert shapes(14, 256) != shapes(28, 256)  # the first and the last position are in one tile
