"""Single random numbers: the same as the tensors' of the same seed, and as much of the stream."""

from __future__ import annotations

import numpy as np
import pytest

import rushlight as torch
from rushlight.vision.transforms import draw


@pytest.mark.parametrize("dtype", [torch.float32, torch.float64])
def test_numbers_are_those_of_tensors(dtype: torch.dtype) -> None:
    torch.set_default_dtype(dtype)
    try:
        for low, high in ((0.0, 1.0), (-3.0, 5.5), (0.1, 0.10001), (2.0, 2.0)):
            torch.manual_seed(3)
            singles = [f(low, high) for _ in range(20) for f in (draw.uniform, _unit, _integer)]
            torch.manual_seed(3)
            wanted: list[float] = []
            for _ in range(20):
                wanted.append(torch.empty(1).uniform_(low, high).item())
                wanted.append(torch.rand(1).item())
                wanted.append(torch.randint(-2, 9, (1,)).item())
            assert singles == wanted
    finally:
        torch.set_default_dtype(torch.float32)


def _unit(low: float, high: float) -> float:
    return draw.unit()


def _integer(low: float, high: float) -> int:
    return draw.integer(-2, 9)


def test_chance_is_as_likely_as_said() -> None:
    hits = sum(draw.chance(0.3) for _ in range(2000))
    assert 450 < hits < 750
    assert not any(draw.chance(0.0) for _ in range(50))
    assert all(draw.chance(1.0) for _ in range(50))


def test_integers_cover_their_range() -> None:
    assert {draw.integer(-1, 3) for _ in range(200)} == {-1, 0, 1, 2}
    with pytest.raises(RuntimeError, match="'from' to be less than 'to'"):
        draw.integer(3, 3)


def test_a_state_saved_between_single_numbers_resumes() -> None:
    torch.manual_seed(0)
    draw.unit()
    state = torch.get_rng_state()
    first = [draw.unit() for _ in range(700)]  # over the end of a block of 624 words
    torch.set_rng_state(state)
    assert np.array_equal(torch.rand(700).tolist(), first)
