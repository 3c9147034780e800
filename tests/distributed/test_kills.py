"""Ranks that are killed at random moments (programs/kills.py): `python
tests/distributed/programs/kills.py 100` is the same with a hundred kills, of about four seconds
each. RUSHLIGHT_TEST_FAULTS=1 adds ten kills of four ranks."""

from __future__ import annotations

import importlib.util
import os
import subprocess
import sys
from pathlib import Path

import pytest

PROGRAM = Path(__file__).parent / "programs" / "kills.py"
ROOT = Path(__file__).parents[2]

pytestmark = pytest.mark.skipif(
    importlib.util.find_spec("mpi4py") is None or not os.path.isdir("/proc/self"),
    reason="mpi4py is not installed, or there is no /proc",
)


@pytest.mark.long
@pytest.mark.parametrize(
    ("kills", "ranks"), [(3, 2), (10, 4)] if os.environ.get("RUSHLIGHT_TEST_FAULTS") else [(3, 2)]
)
def test_a_job_survives_its_kills(kills: int, ranks: int) -> None:
    done = subprocess.run(
        [sys.executable, str(PROGRAM), str(kills), str(ranks)],
        cwd=ROOT, env={**os.environ, "PYTHONPATH": str(ROOT), "OMP_NUM_THREADS": "1"},
        capture_output=True, text=True, timeout=60 + 20 * kills, check=False,
    )  # fmt: skip
    assert done.returncode == 0, done.stdout + done.stderr
    assert f"well: {kills} kills of " in done.stdout.splitlines()[-1]
