"""The loop around a kernel that takes as many draws as it needs."""

from __future__ import annotations

import numpy as np
import pytest

from rushlight.kernels import tuning
from rushlight.kernels.random import native_draws
from rushlight.kernels.random.mersenne_twister import Twister


@pytest.mark.parametrize("block", [1, 100, 1 << 15])
def test_draws_are_used_once_and_the_others_go_back(
    monkeypatch: pytest.MonkeyPatch, block: int
) -> None:
    """A kernel that takes 1, 2, 3, 1, 2, 3, … draws a number and cannot make the fifth."""
    monkeypatch.setattr(tuning, "RANDOM_BLOCK", block)
    stream, twin = Twister(3), Twister(3)
    taken: list[float] = []

    def call(draws: np.ndarray, progress: np.ndarray, count: int) -> None:
        at, used = int(progress[0]), 0
        while at < 200 and at != 5 and used + at % 3 + 1 <= count:
            taken.extend(draws[used : used + at % 3 + 1].tolist())
            used += at % 3 + 1
            at += 1
        if at == 5 and progress[0] == 5:
            used = 0
        progress[:] = at, used

    def otherwise(i: int) -> None:
        assert i == 5
        taken.extend(stream.doubles(7).tolist())

    native_draws.made(call, 200, stream, otherwise)
    wanted = sum(k % 3 + 1 for k in range(200) if k != 5) + 7
    assert taken == twin.doubles(wanted).tolist()
    np.testing.assert_array_equal(stream.get_state(), twin.get_state())
