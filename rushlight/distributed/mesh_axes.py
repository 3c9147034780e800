"""Dimensions of a grid of ranks as numbers: sizes and steps, joined, walked, divided into lines.

Not here: groups and processes (`device_mesh.py`). Nothing in this file talks to anybody.
"""

from __future__ import annotations

import itertools
import math
from collections.abc import Sequence

# A dimension of a mesh: (size, step) of each part that was flattened into it, slowest first; parts
# of size 1 are left out.
Axis = tuple[tuple[int, int], ...]


def axis_of(size: int, step: int) -> Axis:
    return ((size, step),) if size != 1 else ()


def joined(axes: Sequence[Axis]) -> Axis:
    """One axis that runs through several, with neighbours that are one run put together."""
    out: list[tuple[int, int]] = []
    for size, step in (part for axis in axes for part in axis):
        if out and out[-1][1] == size * step:
            out[-1] = (out[-1][0] * size, step)
        else:
            out.append((size, step))
    return tuple(out)


def count(axis: Axis) -> int:
    return math.prod(size for size, _ in axis)


def places(axis: Axis) -> list[int]:
    """Where the steps of an axis lead, from 0.

    >>> places(((2, 4), (2, 1)))
    [0, 1, 4, 5]
    """
    found = [0]
    for size, step in axis:
        found = [at + i * step for at in found for i in range(size)]
    return found


def lines(axis: Axis, total: int) -> list[list[int]]:
    """The lines along an axis that together have each of `total` places once.

    >>> lines(((2, 2),), 4)
    [[0, 2], [1, 3]]
    """
    steps, free, out = places(axis), set(range(total)), []
    while free:
        first = min(free)
        line = [first + s for s in steps]
        free -= set(line)
        out.append(line)
    return out


def regular(shape: Sequence[int]) -> tuple[Axis, ...]:
    """The axes of a grid whose ranks stand one behind another."""
    return tuple(axis_of(n, math.prod(shape[d + 1 :])) for d, n in enumerate(shape))


def check_parts(names: tuple[str, ...], axes: list[Axis]) -> None:
    """KeyError for another order of dimensions; RuntimeError for ranks that come twice."""
    parts = joined(axes)
    if list(parts) != sorted(parts, key=lambda part: -part[1]):
        raise KeyError(
            f"Invalid mesh_dim_names {names} specified. Mesh dim indices should be in ascending "
            "order."
        )
    if any(a < n * b for (_, a), (n, b) in itertools.pairwise(parts)):
        raise RuntimeError(f"Slicing overlapping dim_names {names} is not allowed.")
