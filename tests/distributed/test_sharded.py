"""Full shard: one program for each number of processes. What it checks stands in
programs/sharded*.py and programs/fully_sharded*.py, each of which is a program as well."""

from __future__ import annotations

import importlib.util

import pytest

from .test_processes import program

pytestmark = pytest.mark.skipif(
    importlib.util.find_spec("mpi4py") is None,
    reason="mpi4py is not installed (pip install 'rushlight[distributed]')",
)


@pytest.mark.slow
@pytest.mark.parametrize("ranks", [1, 2, 3, 4])
def test_full_shard(ranks: int) -> None:
    """With four ranks also the bytes of one: 0.25 of one process's counted, 0.29 at the peak."""
    assert program("full_shard.py", str(ranks)) == f"well {ranks}\n"


@pytest.mark.long
def test_full_shard_of_layers_that_tensor_parallelism_has_cut() -> None:
    """On a mesh of 2 by 2."""
    assert program("two_ways.py", "4") == "well 4\n"
