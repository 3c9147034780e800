"""Rounding of whole numbers, and what is not rounded."""

from __future__ import annotations

import pytest

import rushlight as torch


def test_whole_numbers_are_rounded_without_decimals_alone():
    n = torch.ones(2, dtype=torch.int64)
    assert n.round().tolist() == [1, 1]
    with pytest.raises(NotImplementedError, match="'Long'"):
        n.round(decimals=0)


def test_what_is_unknown_is_named_before_the_type_of_out():
    for name in ("ceil", "floor", "trunc", "sign"):
        with pytest.raises(NotImplementedError):
            getattr(torch, name)(torch.ones(2) * 1j, out=torch.ones(2))
