"""Programs of random public calls, run by PyTorch and by Rushlight: values, types, strides,
gradients, and who raises what.

The seed of a program is made of the run's and its number; `RUSHLIGHT_TEST_SEED` repeats a run, and
a program that differs is printed, shortened, as text that runs under either package. What may
differ, and why, stands in `random_calls/allowed.py`.
"""

from __future__ import annotations

import os

import pytest

SEED = int(os.environ.get("RUSHLIGHT_TEST_SEED", "1")) % 100_000
EACH = 20  # programs of one test
FIRST = 3  # tests of every run
# Tests of the long run, for many in about a minute:
#   RUSHLIGHT_TEST_SEED=121 RUSHLIGHT_TEST_PROGRAMS=10000 pytest tests/compare/test_random_calls.py
# With layers, optimisers, random numbers, transforms and blocks among the calls (`wider.py`), the
# first 2,000 programs showed 64 differences without a reason on the list, of the seeds 621
# to 624 14 of 35,000, of which two were ours (mended) and the others went onto the list.
ALL = int(os.environ.get("RUSHLIGHT_TEST_PROGRAMS", "200")) // EACH


def check(block: int) -> None:
    pytest.importorskip("torch")
    from tests.compare.random_calls import program

    different = []
    for number in range(block * EACH, (block + 1) * EACH):
        found = program.check(SEED * 100_000 + number)
        if found is not None:
            different.append(found.seed)
            print(program.shortened(found), "\n")
    assert not different, f"seeds of programs that differ: {different}"


@pytest.mark.parametrize("block", range(FIRST))
def test_programs(block: int) -> None:
    check(block)


@pytest.mark.long
@pytest.mark.parametrize("block", range(FIRST, ALL))
def test_many_programs(block: int) -> None:
    check(block)
