"""The plan of a program's block of memory."""

from __future__ import annotations

import random

from rushlight.compiler.memory import planned


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
