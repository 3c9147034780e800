"""Dimensions of grids as sizes and steps."""

from __future__ import annotations

import pytest

from rushlight.distributed.mesh_axes import axis_of, check_parts, count, joined, lines, regular


def test_dimensions_of_a_grid_join_to_the_whole() -> None:
    axes = regular((2, 3, 4))
    assert axes == (((2, 12),), ((3, 4),), ((4, 1),))
    assert joined(axes) == ((24, 1),)
    assert count(joined([axes[0], axes[2]])) == 8
    assert axis_of(1, 5) == ()


def test_lines_have_each_place_once() -> None:
    for axis in regular((2, 3, 4)):
        found = lines(axis, 24)
        assert sorted(place for line in found for place in line) == [*range(24)]
        assert {len(line) for line in found} == {count(axis)}


def test_parts_stand_in_order_and_apart() -> None:
    outer, inner = regular((2, 4))
    check_parts(("dp", "tp"), [outer, inner])
    with pytest.raises(KeyError, match="ascending order"):
        check_parts(("tp", "dp"), [inner, outer])
    with pytest.raises(RuntimeError, match="overlapping"):
        check_parts(("dp", "more"), [outer, ((8, 1),)])
