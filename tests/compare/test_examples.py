"""The examples about text print the same losses under PyTorch and under Rushlight."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

pytest.importorskip("torch")

EXAMPLES = Path(__file__).parents[2] / "examples"


def losses(how: list[str], folder: Path, program: str, options: tuple[Any, ...]) -> list[float]:
    """What a run says of each step, in order."""
    path = os.pathsep.join([str(EXAMPLES.parent), *filter(None, [os.environ.get("PYTHONPATH")])])
    done = subprocess.run(
        [sys.executable, *how, EXAMPLES / program, *map(str, options), "--out", folder],
        env={**os.environ, "OMP_NUM_THREADS": "1", "PYTHONPATH": path},
        capture_output=True,
        text=True,
    )
    assert done.returncode == 0, done.stderr
    return [float(loss) for loss in re.findall(r" loss (\d+\.\d+)", done.stdout)]


def agree(tmp_path: Path, program: str, *options: Any) -> None:
    """The first thirty losses are equal to a unit of the last digit printed, the last ones near."""
    options = (*options, "--log-interval", 1)
    ours = losses(["-m", "rushlight"], tmp_path / "rushlight", program, options)
    theirs = losses([], tmp_path / "torch", program, options)
    assert len(ours) == len(theirs) >= 80
    assert ours[:30] == pytest.approx(theirs[:30], rel=0, abs=1.01e-4)
    assert ours[-5:] == pytest.approx(theirs[-5:], rel=5e-2)


@pytest.mark.parametrize("dropout", [0, 0.1])
def test_char_gpt(tmp_path: Path, dropout: float) -> None:
    sizes = ("--width", 64, "--layers", 2, "--context", 16, "--batch-size", 24, "--length", 10)
    agree(tmp_path, "char_gpt.py", "--steps", 100, "--lr", 5e-3, "--dropout", dropout, *sizes)


@pytest.mark.parametrize("kind", ["RNN", "LSTM", "GRU"])
def test_char_rnn(tmp_path: Path, kind: str) -> None:
    agree(tmp_path, "char_rnn.py", "--model", kind, "--epochs", 4, "--width", 32, "--lr", 1e-2)
