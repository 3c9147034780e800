"""The example, unmodified: `import torch` is Rushlight, or PyTorch where it is there."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

pytest.importorskip("sklearn", reason="the example needs rushlight[examples]")

ROOT = Path(__file__).parents[2]
PROGRAM = ROOT / "examples" / "transfer_learning.py"


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


SMALL = ("--source-images", "256", "--epochs", "3")


def test_under_rushlight(tmp_path: Path) -> None:
    lines = run("-m", "rushlight", options=(*SMALL, "--out", str(tmp_path)))
    assert [line.split()[0] for line in lines] == ["source", "target", "accuracy"]
    assert (tmp_path / "source.pt").stat().st_size > 40_000_000


def test_under_pytorch(tmp_path: Path) -> None:
    pytest.importorskip("torch", reason="PyTorch is not installed")
    try:
        import torchvision  # noqa: F401
    except (ImportError, RuntimeError):
        pytest.skip("torchvision is not installed, or not for this PyTorch")
    assert run(options=(*SMALL, "--out", str(tmp_path)))[-1].startswith("accuracy")
