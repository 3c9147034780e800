"""What recording a step costs: memory stays within its limit, and times are measured; how long they
are is for `python -m benchmarks.explain` to say, on an idle machine."""

from __future__ import annotations

import pytest

import rushlight
from benchmarks import explain


def test_time() -> None:
    rushlight.manual_seed(0)
    plain, recorded, behind = explain.compare("MNIST", rounds=1)
    assert len(plain) == len(recorded) == 1
    assert min(*plain, *recorded, behind) > 0


@pytest.mark.slow
def test_memory() -> None:
    explain.memory("MNIST", True)  # what machine code it needs is there from now on
    assert explain.memory("MNIST", True) <= explain.MOST_MEMORY * explain.memory("MNIST", False)
