"""Every call of torch.distributed on 1 to 4 ranks: all that comes out, beside PyTorch with gloo."""

from __future__ import annotations

import importlib.util
import os
import pickle
import subprocess
import sys
from pathlib import Path

import pytest

pytest.importorskip("torch")
pytestmark = pytest.mark.skipif(
    importlib.util.find_spec("mpi4py") is None,
    reason="mpi4py is not installed (pip install 'rushlight[distributed]')",
)

PROGRAM = Path(__file__).with_name("many_collectives.py")
ROOT = Path(__file__).parents[2]


@pytest.mark.parametrize("ranks", [1, 2, 3, 4])
def test_every_call_gives_what_gloo_gives(ranks: int, tmp_path: Path) -> None:
    started = {}
    for which in ("torch", "rushlight"):
        (tmp_path / which).mkdir()
        started[which] = subprocess.Popen(
            [sys.executable, "-W", "ignore", str(PROGRAM), which, str(ranks), tmp_path / which],
            cwd=ROOT,
            env={**os.environ, "PYTHONPATH": str(ROOT), "OMP_NUM_THREADS": "1"},
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
        )
    said = {which: process.communicate(timeout=240)[0] for which, process in started.items()}
    for which, process in started.items():
        assert process.returncode == 0, said[which]
    for rank in range(ranks):
        theirs, mine = (
            pickle.loads((tmp_path / which / f"{rank}.pickle").read_bytes()) for which in started
        )
        assert len(theirs) == len(mine) > 1000
        call = ""
        for a, b in zip(theirs, mine, strict=True):
            call = call if a[0] == "then" else a[0]
            assert b == a, f"rank {rank}, {call}: PyTorch {a}, Rushlight {b}"
