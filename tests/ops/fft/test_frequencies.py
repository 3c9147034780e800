"""Frequencies of transforms: edges and errors."""

from __future__ import annotations

import pytest

import rushlight as torch


def test_frequencies_of_no_terms():
    assert torch.fft.fftfreq(0).shape == (0,)
    assert torch.fft.rfftfreq(0).isnan().tolist() == [True]
    assert torch.fft.rfftfreq(-1).tolist() == [0.0]
    assert torch.fft.rfftfreq(-2).shape == (0,)
    assert torch.fft.fftfreq(4, 0)[1:].tolist() == [float("inf"), -float("inf"), -float("inf")]
    for call in (lambda: torch.fft.fftfreq(-1), lambda: torch.fft.rfftfreq(-4)):
        with pytest.raises(RuntimeError, match="negative dimension -1"):
            call()
    for n in (1.5, True):
        with pytest.raises(TypeError, match="must be int, not"):
            torch.fft.rfftfreq(n)
