"""One block of memory for all arrays of a program that do not outlive a run.

Each array has a size and the first and last line at which it is needed; arrays that are never
needed at the same time may lie in the same place. Large ones are placed first, each in the tightest
gap that is free for as long as it lives.
"""

from __future__ import annotations

from bisect import insort
from collections.abc import Sequence

ALIGNMENT = 64


def planned(spans: Sequence[tuple[int, int, int]]) -> tuple[list[int], int]:
    """(the offset of each array, bytes of the block), given (bytes, first line, last line) of each.

    >>> planned([(64, 0, 1), (128, 1, 2), (64, 2, 3)])
    ([128, 0, 128], 192)
    """
    offsets = [0] * len(spans)
    placed: list[tuple[int, int, int, int]] = []  # begin, end, first, last; in order of begin
    total = 0
    order = sorted(range(len(spans)), key=lambda k: (-spans[k][0], spans[k][1]))
    for k in order:
        size = -(-max(1, spans[k][0]) // ALIGNMENT) * ALIGNMENT
        first, last = spans[k][1:]
        best, room, at = -1, 0, 0
        for begin, end, since, until in placed:
            if until < first or last < since:
                continue
            gap = begin - at
            if gap >= size and (best < 0 or gap < room):
                best, room = at, gap
            at = max(at, end)
        if best < 0:
            best = at
        offsets[k] = best
        insort(placed, (best, best + size, first, last))
        total = max(total, best + size)
    return offsets, total
