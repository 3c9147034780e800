"""NumPy's BLAS has one thread in the calls that say so, and what it had before afterwards."""

from __future__ import annotations

import os
import threading
from collections.abc import Callable, Iterator

import numpy as np
import pytest

import rushlight
from rushlight import config
from rushlight.kernels import runtime
from rushlight.kernels.runtime import blas

found = config.blas_threads()
pytestmark = pytest.mark.skipif(found is None, reason="NumPy's BLAS is no OpenBLAS here")


@pytest.fixture
def two() -> Iterator[Callable[[], int]]:
    """BLAS with two threads; tells how many it has."""
    assert found is not None
    tell, put = found
    before = tell()
    put(2)
    yield tell
    put(before)


def test_one_thread_inside(two: Callable[[], int]) -> None:
    with blas.one_thread:
        assert two() == 1
        with blas.one_thread:
            assert two() == 1
        assert two() == 1
    assert two() == 2


def test_an_exception_puts_it_back(two: Callable[[], int]) -> None:
    with pytest.raises(ValueError, match="shapes"), blas.one_thread:
        np.dot(np.ones((2, 3)), np.ones((2, 3)))
    assert two() == 2


def test_the_last_to_go_puts_it_back(two: Callable[[], int]) -> None:
    inside, go = threading.Barrier(2), threading.Event()

    def other() -> None:
        with blas.one_thread:
            inside.wait()
            go.wait()

    thread = threading.Thread(target=other)
    with blas.one_thread:
        thread.start()
        inside.wait()
    assert two() == 1
    go.set()
    thread.join()
    assert two() == 2


@pytest.mark.skipif(not hasattr(os, "fork"), reason="no fork here")
@pytest.mark.filterwarnings("ignore:This process .* is multi-threaded:DeprecationWarning")
def test_a_child_does_not_inherit_it(two: Callable[[], int]) -> None:
    with blas.one_thread:
        child = os.fork()
        if child == 0:
            os._exit(0 if two() == 2 else 1)
    assert os.waitpid(child, 0)[1] == 0


@pytest.mark.skipif(not runtime.available(), reason="no LLVM here, or RUSHLIGHT_JIT=0")
@pytest.mark.parametrize(
    ("a", "b", "dtype", "threads"),
    [
        ((128, 512), (512, 10), np.float32, 1),
        ((300, 200), (200,), np.float64, 1),
        ((20, 20), (20, 20), np.float32, 2),  # never shared: not worth setting
        ((128, 512), (512, 10), np.complex64, 2),
    ],
)
def test_which_products_are_alone(
    a: tuple[int, ...], b: tuple[int, ...], dtype: type, threads: int,
    two: Callable[[], int], monkeypatch: pytest.MonkeyPatch,
) -> None:  # fmt: skip
    seen = []
    monkeypatch.setattr(np, "dot", lambda x, y: seen.append(two()))
    blas.dot(np.ones(a, dtype), np.ones(b, dtype))
    assert seen == [threads]


def test_set_num_threads_reaches_blas(two: Callable[[], int]) -> None:
    before = rushlight.get_num_threads()
    try:
        rushlight.set_num_threads(1)
        assert two() == 1
    finally:
        rushlight.set_num_threads(before)
