"""How joined tensors lie in memory: as PyTorch lays them, by the strides of what is joined."""

from __future__ import annotations

from typing import Any

import pytest

import rushlight as torch
from rushlight.nn import functional as F


def inner(*shape: int) -> Any:
    return torch.ones(shape).contiguous(memory_format=torch.channels_last)


X = inner(2, 2, 3, 4)


@pytest.mark.parametrize(
    ("parts", "dim", "strides"),
    [
        ((X, X), 1, (48, 1, 16, 4)),
        ((X[:, :, :2], X[:, :, 1:]), 2, (32, 1, 8, 2)),  # parts with gaps
        ((X[:, :, :2], inner(2, 2, 2, 4)), 2, (32, 1, 8, 2)),
        ((inner(1, 2, 1, 4), inner(1, 2, 1, 4)), 1, (16, 1, 16, 4)),
        ((X, torch.ones(2, 2, 3, 4)), 1, (48, 12, 4, 1)),
        ((X[:, :, ::2], X[:, :, ::2]), 2, (32, 16, 4, 1)),
        ((torch.ones(2, 1, 3, 4), X), 1, (36, 12, 4, 1)),  # rows, though either order fits
        ((X[0][None], X[0][None]), 1, (48, 12, 4, 1)),
    ],
)
def test_channels_stay_innermost(parts: Any, dim: int, strides: Any) -> None:
    y = torch.cat(parts, dim)
    assert y.stride() == strides
    assert bool((y == 1).all())


def test_one_image_of_a_batch_lies_in_rows_when_it_is_computed_with() -> None:
    image = X[0][None]  # PyTorch's step of the new dimension says so
    assert image.stride() == (2, 1, 8, 2)
    assert F.interpolate(image, scale_factor=1.0).stride() == (24, 12, 4, 1)
    assert F.interpolate(X[:1], scale_factor=1.0).stride() == (24, 1, 8, 2)
    assert image.to(memory_format=torch.channels_last).stride() == (24, 1, 8, 2)
