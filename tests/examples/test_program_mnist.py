"""The MNIST program, which says `import torch`, under `python -m rushlight`."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from runpy import run_path

import pytest

pytest.importorskip("PIL", reason="torchvision's images need rushlight[vision]")

ROOT = Path(__file__).parents[2]
PROGRAM = ROOT / "examples" / "programs" / "mnist" / "main.py"
digits = run_path(str(Path(__file__).with_name("material.py")))["digits"]


@pytest.fixture
def run(tmp_path: Path) -> Callable[..., str]:
    """Run the program with its home in a folder of its own."""
    home = tmp_path / "home" / ".torch"
    digits(home / "datasets", train=320, test=40)
    env = os.environ | {"HOME": str(tmp_path / "home"), "PYTHONPATH": str(ROOT)}
    env.pop("TORCH_HOME", None)

    def start(*options: object) -> str:
        command = [sys.executable, "-m", "rushlight", str(PROGRAM), "--batch-size", "8", *options]
        done = subprocess.run(
            [str(part) for part in command],
            cwd=tmp_path,
            env=env,
            capture_output=True,
            text=True,
            timeout=300,
            check=False,
        )
        assert done.returncode == 0, done.stderr
        return done.stdout

    return start


def test_it_learns_and_resumes_in_the_middle_of_an_epoch(run, tmp_path: Path) -> None:
    told = run("--epochs", 2, "--num-workers", 0, "--lr", 0.05, "--log-losses", "whole.txt")
    assert "Test set: Average loss" in told
    assert (tmp_path / "home" / ".torch" / "models" / "mnist.pt").is_file()
    whole = [float(line) for line in (tmp_path / "whole.txt").read_text().splitlines()]
    assert len(whole) == 80
    assert sum(whole[-10:]) < 0.9 * sum(whole[:10])

    # stopped between checkpoints, twice, with dropout: nothing is seen twice, nothing left out
    own = ("--epochs", 2, "--num-workers", 2, "--lr", 0.05, "--save", tmp_path / "own.pt")
    run(*own, "--max-steps", 27)
    assert "resumed at epoch 1, batch 20" in run(*own, "--resume", "--max-steps", 58)
    assert "resumed at epoch 2, batch 10" in run(*own, "--resume", "--log-losses", "parts.txt")
    assert (tmp_path / "parts.txt").read_text() == (tmp_path / "whole.txt").read_text()
