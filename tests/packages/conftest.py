"""Programs with packages of the field, unmodified, under the drop-in.

Each test starts a Python of its own (`python -m rushlight`), for a process has one `torch`. A
package that is not installed skips its test visibly; `requirements.txt` has the versions.
"""

from __future__ import annotations

import importlib.util
import os
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

ROOT = Path(__file__).parent.parent.parent


@pytest.fixture
def run(tmp_path: Path) -> Callable[[str, str], str]:
    """`run(package, program)`: what the program prints, in a folder of its own."""

    def start(package: str, program: str) -> str:
        if importlib.util.find_spec(package) is None:
            pytest.skip(f"{package} is not installed: tests/packages/requirements.txt")
        file = tmp_path / "program.py"
        file.write_text(program, encoding="utf-8")
        env = {k: v for k, v in os.environ.items() if not k.startswith("PYTEST_")}
        env["PYTHONPATH"] = os.pathsep.join(
            [str(ROOT), *[p for p in env.get("PYTHONPATH", "").split(os.pathsep) if p]]
        )
        env |= {"OMP_NUM_THREADS": "1", "HF_HUB_OFFLINE": "1", "MPLBACKEND": "Agg"}
        done = subprocess.run(
            [sys.executable, "-W", "ignore", "-m", "rushlight", str(file)],
            cwd=tmp_path, env=env, capture_output=True, text=True, timeout=600, check=False,
        )  # fmt: skip
        assert done.returncode == 0, done.stdout + done.stderr
        return done.stdout

    return start
