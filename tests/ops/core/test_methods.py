"""In which order the dimensions of a tensor lie, where several would do."""

from __future__ import annotations

import pytest

import rushlight as torch


@pytest.mark.parametrize(
    ("shape", "order", "expected"),
    [
        ((1, 3), (1, 0), (0, 1)),  # rows of one element: contiguous, whatever its strides say
        ((3, 1), (1, 0), (0, 1)),
        ((2, 3), (1, 0), (1, 0)),
        ((3, 1, 2), (2, 0, 1), (1, 2, 0)),
        ((2, 3, 4, 5), (0, 3, 1, 2), (0, 2, 3, 1)),
        ((2, 3, 1, 1), (0, 1, 2, 3), (0, 1, 2, 3)),
        ((2, 1, 1, 3), (0, 3, 1, 2), (0, 2, 3, 1)),
    ],
)
def test_dim_order(shape, order, expected):
    assert torch.zeros(shape).permute(order).dim_order() == expected


def test_dim_order_of_expanded_dimensions():
    """They have no place of their own and stay where they are."""
    assert torch.zeros(3, 2).mT.unsqueeze(0).expand(4, 2, 3).dim_order() == (0, 2, 1)


def test_ambiguous_dim_order():
    x = torch.zeros(1, 3).mT
    for ambiguous in (True, [], [torch.channels_last]):
        with pytest.raises(RuntimeError, match="does not have unique dim order"):
            x.dim_order(ambiguity_check=ambiguous)
    assert x.dim_order(ambiguity_check=[torch.contiguous_format]) == (0, 1)
    assert torch.zeros(2, 3).dim_order(ambiguity_check=True) == (0, 1)
    assert torch.zeros(2, 3).dim_order(ambiguity_check=[]) == (0, 1)
    with pytest.raises(RuntimeError, match="does not have unique dim order"):
        torch.zeros(2, 3).unsqueeze(0).expand(2, 2, 3).dim_order(ambiguity_check=True)
    for wrong in ("contiguous", [1], 1):
        with pytest.raises(TypeError, match="must be a bool or a list of memory formats"):
            x.dim_order(ambiguity_check=wrong)
