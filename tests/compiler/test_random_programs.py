"""Random programs, compiled and as they are: everything equal, to the bit.

The seed of a program is made of the run's and its number; `RUSHLIGHT_TEST_SEED` repeats a run, and
a program that differs is printed.
"""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from tests.compiler import program_runs, programs
from tests.compiler.twins import Twin, same

SEED = int(os.environ.get("RUSHLIGHT_TEST_SEED", "1")) % 100_000
EACH = 10  # programs of one test
FIRST = 3  # tests of every run
# Tests of the long run: RUSHLIGHT_TEST_PROGRAMS=5000 for many, in an hour.
ALL = int(os.environ.get("RUSHLIGHT_TEST_PROGRAMS", "60")) // EACH


def check(numbers: range, folder: Path) -> None:
    different = []
    for number in numbers:
        program = programs.written(SEED * 100_000 + number)
        path = folder / f"program_{program.seed}.py"
        path.write_text(program.source, encoding="utf-8")

        def run(t: Twin, program: programs.Program = program, path: Path = path) -> None:
            program_runs.run(program, path, t)

        try:
            same(run, program.seed)
        except AssertionError as error:
            different.append(program.seed)
            print(program.source)
            print(f"seed {program.seed}, {program.form}, {program.optimizer}:\n{error}")
            for k, call in enumerate(program.calls):
                print(k, *call)
    assert not different, f"seeds of programs that differ: {different}"


@pytest.mark.slow
@pytest.mark.eager
@pytest.mark.parametrize(
    "block", [0, *(pytest.param(n, marks=pytest.mark.long) for n in range(1, FIRST))]
)
def test_programs(block: int, tmp_path: Path) -> None:
    check(range(block * EACH, (block + 1) * EACH), tmp_path)


@pytest.mark.eager
@pytest.mark.long
@pytest.mark.parametrize("block", range(FIRST, ALL))
def test_many_programs(block: int, tmp_path: Path) -> None:
    check(range(block * EACH, (block + 1) * EACH), tmp_path)
