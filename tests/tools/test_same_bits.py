"""The tool that compares trees: a tree is the same as itself, and a difference is told."""

from __future__ import annotations

import shutil
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
ONCE = ("--threads", "1", "--amx", "1", "--jit", "0")


def compared(old: object, new: object, *more: str) -> tuple[int, str]:
    """Exit status and text of a run."""
    tool = str(ROOT / "tools" / "same_bits.py")
    done = subprocess.run(
        [sys.executable, tool, str(old), str(new), *ONCE, *more],
        capture_output=True,
        text=True,
    )
    return done.returncode, done.stdout + done.stderr


@pytest.fixture
def other_steps(tmp_path: Path) -> Path:
    """A tree whose SGD does something else to the first parameter."""
    shutil.copytree(
        ROOT / "rushlight", tmp_path / "rushlight", ignore=shutil.ignore_patterns("__pycache__")
    )
    changed = """
from .optim import SGD
plain = SGD.step
def step(self, closure=None):
    plain(self, closure)
    with no_grad():
        self.param_groups[0]["params"][0].mul_(1.5)
SGD.step = step
"""
    with open(tmp_path / "rushlight" / "__init__.py", "a", encoding="utf-8") as file:
        file.write(changed)
    return tmp_path


@pytest.mark.slow
def test_a_tree_is_the_same_as_itself() -> None:
    status, text = compared(ROOT, ROOT, "--only", "mlp", "--steps", "2")
    assert status == 0, text
    assert "same bits over 2 steps" in text


@pytest.mark.slow
def test_a_difference_is_told(other_steps: Path) -> None:
    status, text = compared(ROOT, other_steps, "--only", "mnist", "--steps", "2")
    assert status == 1, text
    first = text.splitlines()[1]
    assert first.startswith("  step 1: parameter conv1.weight: at most "), text
    assert text.rstrip().endswith("not the same bits")


def test_what_is_no_tree(tmp_path: Path) -> None:
    status, text = compared(tmp_path, ROOT)
    assert status == 2
    assert [line.split()[0] for line in text.splitlines()[1:]] == ["got", "wanted", "try"]
