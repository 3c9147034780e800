"""Poisson numbers by machine code: those of Python's loop, and the stream that it leaves behind."""

from __future__ import annotations

import math

import numpy as np
import pytest

from rushlight.kernels import runtime, tuning
from rushlight.kernels.random import distributions, rejected_poisson
from rushlight.kernels.random.mersenne_twister import Twister

pytestmark = pytest.mark.skipif(not runtime.available(), reason="no machine code")


@pytest.mark.parametrize("block", [1, 40, tuning.RANDOM_BLOCK])
@pytest.mark.parametrize("factor", [0.1, 3.0, 100.0])
def test_the_numbers_and_the_stream_are_the_loops(
    rng: np.random.Generator, monkeypatch: pytest.MonkeyPatch, factor: float, block: int
) -> None:
    """Also where the draws end within a number, for what is no rate, and past the table."""
    rates = rng.gamma(1.0, 2.0, 400) * factor
    rates[:8] = [0, np.nan, -0.5, np.inf, 1e-40, 1e5, 70000.0, 10.0]
    monkeypatch.setattr(tuning, "RANDOM_BLOCK", block)
    found = []
    for least in (1, 1 << 62):
        monkeypatch.setattr(tuning, "RANDOM_REJECTED_LEAST", least)
        stream = Twister(7)
        found.append((distributions.poisson(rates, stream), stream.get_state()))
    for got, wanted in zip(*found, strict=True):
        np.testing.assert_array_equal(got, wanted)


def test_the_table_is_pythons_and_grows() -> None:
    short = rejected_poisson.log_factorials(np.array([3.0, np.nan, np.inf, 1e9]))
    long = rejected_poisson.log_factorials(np.array([300.0]))
    assert len(long) >= 300 + 12 * 17
    assert long[: len(short)].tolist() == short.tolist()
    assert long[:400].tolist() == [math.lgamma(k + 1) for k in range(400)]
    assert len(rejected_poisson.log_factorials(np.array([6e4]))) <= rejected_poisson.MOST_FACTORIALS
