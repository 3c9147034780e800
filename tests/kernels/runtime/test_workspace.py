"""Workspace: kept for the next kernel of a thread, within bounds."""

from __future__ import annotations

import threading
from typing import Any

from rushlight.kernels.runtime.workspace import MOST_KEPT, aligned, workspace


def test_the_next_one_gets_the_same() -> None:
    first = workspace(1000)
    assert workspace(500) is first
    assert first.nbytes >= 1000
    assert first.ctypes.data % 64 == 0


def test_a_large_one_is_given_back() -> None:
    kept = workspace(100)
    assert workspace(MOST_KEPT + 1).nbytes == MOST_KEPT + 1
    assert workspace(100) is kept


def test_threads_have_their_own() -> None:
    found: list[Any] = []
    thread = threading.Thread(target=lambda: found.append(workspace(100)))
    thread.start()
    thread.join()
    assert found[0] is not workspace(100)


def test_aligned_memory_is_nobody_elses() -> None:
    a, b = aligned(10), aligned(10)
    assert a.ctypes.data != b.ctypes.data
    assert a.nbytes == 10
