"""Some rounds of `endings.py`: forks, signals and exits while kernels run."""

from __future__ import annotations

import pytest

from rushlight.kernels.runtime import jit

from .endings import PROGRAMS, run

ROUNDS = 1


@pytest.mark.long
@pytest.mark.skipif(not jit.available(), reason="no LLVM here, or RUSHLIGHT_JIT=0")
@pytest.mark.parametrize("name", PROGRAMS)
def test_it_ends_as_it_should(name: str) -> None:
    for number in range(ROUNDS):
        assert not run(name, number * 7)
