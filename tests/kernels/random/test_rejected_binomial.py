"""Binomial numbers by machine code: those of Python's loop, and the stream as it leaves it."""

from __future__ import annotations

import numpy as np
import pytest

from rushlight.kernels import runtime, tuning
from rushlight.kernels.random import rejection
from rushlight.kernels.random.mersenne_twister import Twister

pytestmark = pytest.mark.skipif(not runtime.available(), reason="no machine code")


@pytest.mark.parametrize("block", [1, 40, tuning.RANDOM_BLOCK])
@pytest.mark.parametrize("factor", [1.0, 10.0, 1000.0])
def test_the_numbers_and_the_stream_are_the_loops(
    rng: np.random.Generator, monkeypatch: pytest.MonkeyPatch, factor: float, block: int
) -> None:
    """Also where the draws end within a number, at the edges, and for counts that are not whole."""
    counts = np.floor(rng.gamma(1.0, 4.0, 400) * factor)
    probs = rng.random(400) * rng.choice([0.01, 1.0], 400)
    counts[:9] = [0, np.nan, -0.5, np.inf, 3.5, 1e9, 33.25, 5, 5]
    probs[:9] = [0.5, 0.5, 0.5, 0.5, 0.3, 0.3, 0.9, np.nan, 2]
    monkeypatch.setattr(tuning, "RANDOM_BLOCK", block)
    found = []
    for least in (1, 1 << 62):
        monkeypatch.setattr(tuning, "RANDOM_REJECTED_LEAST", least)
        stream = Twister(7)
        found.append((rejection.binomial(counts, probs, stream), stream.get_state()))
    for got, wanted in zip(*found, strict=True):
        np.testing.assert_array_equal(got, wanted)
