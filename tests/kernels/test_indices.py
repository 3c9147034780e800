"""Whether indices are in range, by NumPy, and answered by somebody else."""

from __future__ import annotations

import threading
from typing import Any

import numpy as np

from rushlight.kernels import indices


def test_bytes_are_numbers_too() -> None:
    assert indices.within(np.array([255], np.uint8), 0, 256)
    assert not indices.within(np.array([255], np.uint8), 0, 255)


def test_somebody_else_answers() -> None:
    asked: list[Any] = []

    def answer(index: Any, low: int, high: int) -> bool:
        asked.append((index.shape, low, high))
        return True

    bad = np.array([9])
    assert not indices.asked()
    with indices.answered(answer):
        assert indices.asked()
        assert indices.within(bad, 0, 3)
        found: list[bool] = []
        thread = threading.Thread(target=lambda: found.append(indices.within(bad, 0, 3)))
        thread.start()
        thread.join()
        assert found == [False]  # another thread looks for itself
    assert asked == [((1,), 0, 3)]
    assert not indices.asked()
    assert not indices.within(bad, 0, 3)


def test_expanded_indices_are_looked_at_once() -> None:
    line = np.array([3, 0, 4])
    for index in (np.broadcast_to(line[:, None], (3, 10**9)), np.broadcast_to(line, (10**9, 3))):
        assert indices.within(index, 0, 5)
        assert not indices.within(index, 0, 4)
        assert not indices.within(index, 1, 5)
