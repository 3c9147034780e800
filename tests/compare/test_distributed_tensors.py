"""DTensors beside PyTorch's on gloo: where results lie, what they are, and their gradients."""

from __future__ import annotations

import importlib.util
import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

pytest.importorskip("torch")
pytestmark = pytest.mark.skipif(
    importlib.util.find_spec("mpi4py") is None, reason="mpi4py is not installed"
)
ROOT = Path(__file__).parents[2]
PROGRAM = ROOT / "tests" / "distributed" / "programs" / "like_pytorch.py"

# Where ours lie otherwise: joined dimensions of which a later one is cut are whole (PyTorch has
# parts of parts), and rows of an embedding that another rank has are zeros (PyTorch has them wrong,
# with a mask).
OTHERWISE = {
    "flatten S(1)": (["_S(0, 4)"], ["R"]),
    "embedding rows": (["MaskP(sum, torch.Size([6, 4]), 0)"], ["P(sum)"]),
}


def told(*command: str) -> Any:
    done = subprocess.run(
        [sys.executable, *command, str(PROGRAM), "2"],
        cwd=ROOT, env={**os.environ, "PYTHONPATH": str(ROOT), "OMP_NUM_THREADS": "1"},
        capture_output=True, text=True, timeout=200, check=False,
    )  # fmt: skip
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout.splitlines()[-1])


def test_placements_values_and_gradients() -> None:
    theirs, ours = told(), told("-m", "rushlight")
    assert list(ours) == list(theirs)
    for name, wanted in theirs.items():
        got = ours[name]
        if name in OTHERWISE:
            assert (wanted[0], got[0]) == OTHERWISE[name]
            # not the placement and the local values, but shape, strides and gradients
            wanted, got = [*wanted[1:3], *wanted[4:]], [*got[1:3], *got[4:]]
        assert got == wanted, name
