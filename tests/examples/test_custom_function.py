"""The example, unmodified: `import torch` is Rushlight, or PyTorch where it is there."""

from __future__ import annotations

import importlib.util
import os
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
PROGRAM = ROOT / "examples" / "custom_function.py"


def run(*interpreter: str, options: tuple[str, ...] = ()) -> list[str]:
    """The lines of a short run; its assertions have held when it ends well."""
    path = os.pathsep.join([str(ROOT), *filter(None, [os.environ.get("PYTHONPATH")])])
    got = subprocess.run(
        [sys.executable, *interpreter, str(PROGRAM), *options],
        capture_output=True,
        text=True,
        env={**os.environ, "PYTHONPATH": path},
    )
    assert got.returncode == 0, got.stderr
    return got.stdout.splitlines()


def test_under_rushlight() -> None:
    lines = run("-m", "rushlight", options=("--steps", "150"))
    assert lines[0] == "derivatives are right; the wrong one was found"
    assert float(lines[-1].split()[1]) > 0.9


@pytest.mark.skipif(importlib.util.find_spec("torch") is None, reason="PyTorch is not installed")
def test_under_pytorch() -> None:
    assert run(options=("--steps", "150"))[-1].startswith("accuracy")
