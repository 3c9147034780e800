"""Sharded modules: programs of several processes, and what needs none."""

from __future__ import annotations

import importlib.util

import pytest

from .test_processes import program

pytestmark = pytest.mark.skipif(
    importlib.util.find_spec("mpi4py") is None,
    reason="mpi4py is not installed (pip install 'rushlight[distributed]')",
)


@pytest.mark.parametrize("ranks", [1, 2, 3, 4])
def test_fully_sharded_data_parallel(ranks: int) -> None:
    assert program("sharded.py", str(ranks)) == f"well {ranks}\n"


def test_what_else_fully_sharded_data_parallel_does() -> None:
    assert program("sharded_more.py", "2") == "well 2\n"
    assert program("sharded_more.py", "4", "hybrid") == "well 4\n"


def test_what_else_fully_shard_does() -> None:
    assert program("fully_sharded_more.py", "2") == "well 2\n"
    assert program("fully_sharded_more.py", "4", "hybrid", "ways") == "well 4\n"


def test_a_rank_of_four_has_a_quarter() -> None:
    """Parameters, gradients and state of the optimiser: 0.25 counted; at the peak 0.29 measured."""
    assert program("sharded_memory.py", "4") == "well 4\n"


@pytest.mark.parametrize("ranks", [1, 2, 3, 4])
def test_fully_shard(ranks: int) -> None:
    assert program("fully_sharded.py", str(ranks)) == f"well {ranks}\n"
