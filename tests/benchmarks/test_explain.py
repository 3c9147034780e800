"""What recording a step costs, in time of the processor and in memory, stays within its limits."""

from __future__ import annotations

import pytest

import rushlight
from benchmarks import explain


@pytest.mark.parametrize("name", ["MNIST", "GPT"])
def test_time(name: str) -> None:
    rushlight.manual_seed(0)
    plain, recorded, _ = explain.compare(name, rounds=2)
    assert min(recorded) <= explain.MOST_TIME * min(plain)


def test_memory() -> None:
    assert explain.memory("MNIST", True) <= explain.MOST_MEMORY * explain.memory("MNIST", False)
