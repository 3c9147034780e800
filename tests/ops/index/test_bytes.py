"""Indices of bytes, which stand for masks and are told to be old."""

from __future__ import annotations

import warnings

import rushlight as torch


def test_the_warning_names_the_programs_line() -> None:
    x, mask = torch.arange(3), torch.tensor([1, 0, 1], dtype=torch.uint8)
    with warnings.catch_warnings(record=True) as told:
        warnings.simplefilter("default")
        assert x[mask].tolist() == [0, 2]
        assert x[mask, None].shape == (2, 1)
    assert len(told) == 2  # of two lines: each is told once
    assert {w.filename for w in told} == {__file__}
