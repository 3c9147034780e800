"""`make_tensor` gives what was asked for."""

from __future__ import annotations

import pytest

import rushlight as torch
from rushlight.testing import make_tensor


@pytest.mark.parametrize(
    "dtype", [torch.float32, torch.float64, torch.int64, torch.uint8, torch.bool, torch.complex64]
)
def test_make_tensor(dtype: torch.dtype) -> None:
    t = make_tensor((3, 4), dtype=dtype)
    assert t.shape == (3, 4)
    assert t.dtype is dtype
    assert not make_tensor(3, 4, dtype=dtype, noncontiguous=True).is_contiguous()


def test_make_tensor_keeps_to_the_limits_of_the_type() -> None:
    t = torch.testing.make_tensor((50,), dtype=torch.uint8, low=-9, high=9)
    assert t.min() >= 0
    assert t.max() < 9


def test_numbers_of_eight_bits() -> None:
    x = torch.testing.make_tensor((9,), dtype=torch.float8_e5m2, device="cpu", low=-2, high=2)
    assert x.dtype is torch.float8_e5m2
    assert bool((x.float().abs() <= 2).all())
