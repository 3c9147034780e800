"""The tool that compares errors of trees: a tree has its own, and a coarser one is told."""

from __future__ import annotations

import shutil
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
pytestmark = pytest.mark.long


def compared(old: object, new: object, *more: str) -> tuple[int, str]:
    """Exit status and text of a run."""
    tool = str(ROOT / "tools" / "small_row_errors.py")
    done = subprocess.run(
        [sys.executable, tool, str(old), str(new), *more], capture_output=True, text=True
    )
    return done.returncode, done.stdout + done.stderr


def test_a_tree_has_its_own_errors() -> None:
    status, text = compared(ROOT, ROOT, "--only", "rms_norm", "--draws", "3")
    assert status == 0, text
    assert text.count("1.000 ± 0.000    1.00  same bits") == 12, text
    status, text = compared(ROOT, ROOT, "--programs", "--only", "mlp", "--draws", "2")
    assert status == 0, text
    assert "mlp step 1, gradients" in text


def test_a_larger_error_is_told(tmp_path: Path) -> None:
    shutil.copytree(
        ROOT / "rushlight", tmp_path / "rushlight", ignore=shutil.ignore_patterns("__pycache__")
    )
    coarser = """
plain = softmax
def softmax(input, dim=None, **kw):
    y = plain(input, dim, **kw)
    return y if y.dtype is float64 else y + 1e-6
"""
    with open(tmp_path / "rushlight" / "__init__.py", "a", encoding="utf-8") as file:
        file.write(coarser)
    status, text = compared(ROOT, tmp_path, "--only", "softmax", "--draws", "20")
    assert status == 1, text
    first = text.splitlines()[1]
    assert first.startswith("softmax 64x10 result "), text
    assert first.endswith("  LARGER"), text
    assert text.rstrip().endswith("some errors are larger")
