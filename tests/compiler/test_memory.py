"""The plan of a program's block of memory, and what making a program leaves behind."""

from __future__ import annotations

import gc
import random
import weakref
from typing import Any

import numpy as np
import pytest

import rushlight as torch
from rushlight.compiler.memory import planned
from rushlight.compiler.program import HELD


def test_arrays_that_live_together_lie_apart() -> None:
    numbers = random.Random(0)
    for _ in range(50):
        spans = []
        for _ in range(numbers.randrange(1, 30)):
            first = numbers.randrange(20)
            spans.append((numbers.randrange(0, 5000), first, first + numbers.randrange(6)))
        offsets, total = planned(spans)
        for i, (size, first, last) in enumerate(spans):
            assert offsets[i] % 64 == 0
            assert offsets[i] + size <= total
            for j in range(i):
                other, since, until = spans[j]
                if first <= until and since <= last and size and other:
                    assert offsets[i] + size <= offsets[j] or offsets[j] + other <= offsets[i]


def test_memory_is_used_again() -> None:
    spans = [(1000, k, k + 1) for k in range(100)]
    assert planned(spans)[1] == 2 * 1024


@pytest.mark.slow
@pytest.mark.parametrize("width", [8, 700])
def test_nothing_of_the_first_run_stays(width: int) -> None:
    """Without a look for cycles: arrays that the first run made die when eager's would."""
    torch.manual_seed(0)
    layers = [torch.nn.Linear(width, width), torch.nn.GELU(), torch.nn.Linear(width, width)]
    model = torch.nn.Sequential(*layers)
    optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
    x = torch.randn(2 * width, width)

    def step() -> Any:
        optimizer.zero_grad()
        loss = model(x).square().mean()
        loss.backward()
        optimizer.step()
        return loss

    compiled = torch.compile(step)
    gc.collect()
    gc.disable()
    try:
        compiled()
        first = [weakref.ref(p.grad._a) for p in model.parameters()]
        assert all(ref() is not None for ref in first)
        made = compiled.entries[0].program.values
        assert not any(v.kind != HELD and isinstance(v.example, np.ndarray) for v in made)
        compiled()
        assert all(ref() is None for ref in first)
    finally:
        gc.enable()
