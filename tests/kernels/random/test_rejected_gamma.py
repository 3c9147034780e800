"""Gamma numbers by machine code: those of Python's loop, and the stream that it leaves behind."""

from __future__ import annotations

import numpy as np
import pytest

from rushlight.kernels import runtime, tuning
from rushlight.kernels.random import rejection
from rushlight.kernels.random.mersenne_twister import Twister

pytestmark = pytest.mark.skipif(not runtime.available(), reason="no machine code")


@pytest.mark.parametrize("block", [1, 40, tuning.RANDOM_BLOCK])
@pytest.mark.parametrize("dtype", [np.float32, np.float64])
@pytest.mark.parametrize("waiting", [None, 0.25])
def test_the_numbers_and_the_stream_are_the_loops(
    rng: np.random.Generator, monkeypatch: pytest.MonkeyPatch, dtype: type, block: int,
    waiting: float | None,
) -> None:  # fmt: skip
    """Also where the draws end within a number, and for what is no shape."""
    shapes = (rng.gamma(1.0, 2.0, 300) * rng.choice([0.01, 1.0, 10.0], 300)).astype(dtype)
    shapes[:6] = [0, np.nan, -0.5, np.inf, 1e-40, 1]
    monkeypatch.setattr(tuning, "RANDOM_BLOCK", block)
    found = []
    for least in (1, 1 << 62):
        monkeypatch.setattr(tuning, "RANDOM_REJECTED_LEAST", least)
        stream = Twister(7)
        stream.normal = waiting
        found.append((rejection.standard_gamma(shapes, stream), stream.get_state()))
    for got, wanted in zip(*found, strict=True):
        np.testing.assert_array_equal(got, wanted)


def test_a_number_that_wants_more_draws_than_there_are_is_made_of_more() -> None:
    """A call that is handed none makes none, and leaves everything as it was."""
    from rushlight.kernels.random import rejected_gamma

    out, progress, spare = np.full(1, -1.0), np.zeros(2, np.int64), np.array([1.0, -9.0])
    d, powers = np.array([2.0]), np.zeros(1)
    for draws, done in (([], 0), ([0.5], 0), ([0.5, 0.5], 0), ([0.5, 0.1, 0.3], 1)):
        given = np.array(draws)
        rejected_gamma.kernel().call(out, d, powers, spare, given, progress, 1, given.size)
        assert progress[0] == done
        if not done:  # the number that waits makes no gamma number, so two are drawn
            assert spare.tolist() == [1.0, -9.0]
            assert progress[1] == 0
    assert out[0] > 0
    assert progress[1] == 3
