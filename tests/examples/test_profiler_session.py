"""The profiler example, unmodified: its `import torch` gives Rushlight.

Under PyTorch it runs in `tests/compare/test_profiler.py`.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
PROGRAM = ROOT / "examples" / "profiler_session.py"


def run(tmp_path: Path, *interpreter: str) -> str:
    """The output of a short run; its assertions have held when it ends well."""
    options = ["--steps", "8", "--batch-size", "8", "--out", str(tmp_path)]
    path = os.pathsep.join([str(ROOT), *filter(None, [os.environ.get("PYTHONPATH")])])
    got = subprocess.run(
        [sys.executable, *interpreter, str(PROGRAM), *options],
        capture_output=True,
        text=True,
        env={**os.environ, "PYTHONPATH": path},
    )
    assert got.returncode == 0, got.stderr
    return got.stdout


@pytest.mark.slow
def test_under_rushlight(tmp_path: Path) -> None:
    out = run(tmp_path, "-m", "rushlight")
    assert "Self CPU time total" in out
    assert "aten::conv" in out
    assert out.splitlines()[-1].startswith("trace of 5 steps")
    assert json.loads((tmp_path / "trace.json").read_text())["traceEvents"]
