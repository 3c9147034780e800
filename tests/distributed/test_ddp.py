"""DistributedDataParallel and what is built beside it, each program in its processes."""

from __future__ import annotations

import importlib.util
import subprocess
import sys
from pathlib import Path

import pytest

PROGRAMS = Path(__file__).parent / "programs"

pytestmark = pytest.mark.skipif(
    importlib.util.find_spec("mpi4py") is None,
    reason="mpi4py is not installed (pip install 'rushlight[distributed]')",
)


def program(name: str, *arguments: str) -> str:
    done = subprocess.run(
        [sys.executable, str(PROGRAMS / name), *arguments],
        capture_output=True,
        text=True,
        timeout=200,
        check=False,
    )
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout


@pytest.mark.parametrize("ranks", [1, 2, 4])
def test_data_parallel(ranks: int) -> None:
    assert program("ddp.py", str(ranks)) == f"well {ranks}\n"
