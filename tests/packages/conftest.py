"""Programs with packages of the field, unmodified, under the drop-in.

Each test starts a Python of its own (`python -m rushlight`), for a process has one `torch`. A
package that is not installed skips its test visibly; the files `requirements*.txt` have the
versions. RUSHLIGHT_TEST_PACKAGES=FOLDER says that all are in that folder
(`pip install --no-deps --target FOLDER -r ...`): one that is not there fails its test.
"""

from __future__ import annotations

import importlib.machinery
import importlib.util
import os
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

# What programs compare numbers by: those of PyTorch, which ran the same programs.
NEAR = """
import torch
def near(found, wanted):
    found = torch.as_tensor([float(v) for v in found] if isinstance(found, list) else found)
    wanted = torch.as_tensor(wanted).detach().float()
    torch.testing.assert_close(found.detach().float(), wanted, rtol=1e-3, atol=2e-4)
"""

ROOT = Path(__file__).parent.parent.parent
FOLDER = os.environ.get("RUSHLIGHT_TEST_PACKAGES", "")


def present(package: str) -> bool:
    """Whether a package is in the folder of packages."""
    return bool(FOLDER) and importlib.machinery.PathFinder.find_spec(package, [FOLDER]) is not None


@pytest.fixture
def run(tmp_path: Path) -> Callable[[str, str], str]:
    """`run(package, program)`: what the program prints, in a folder of its own."""

    def start(package: str, program: str) -> str:
        if importlib.util.find_spec(package) is None and not present(package):
            say = pytest.fail if FOLDER else pytest.skip
            say(f"{package} is not installed: tests/packages/requirements*.txt")
        file = tmp_path / "program.py"
        file.write_text(program, encoding="utf-8")
        (tmp_path / "near.py").write_text(NEAR, encoding="utf-8")
        env = {k: v for k, v in os.environ.items() if not k.startswith("PYTEST_")}
        places = [str(ROOT), *env.get("PYTHONPATH", "").split(os.pathsep), FOLDER]
        env["PYTHONPATH"] = os.pathsep.join(p for p in places if p)
        env |= {"OMP_NUM_THREADS": "1", "HF_HUB_OFFLINE": "1", "MPLBACKEND": "Agg"}
        done = subprocess.run(
            [sys.executable, "-W", "ignore", "-m", "rushlight", str(file)],
            cwd=tmp_path, env=env, capture_output=True, text=True, timeout=600, check=False,
        )  # fmt: skip
        assert done.returncode == 0, done.stdout + done.stderr
        return done.stdout

    return start


@pytest.fixture
def figures(run: Callable[[str, str], str]) -> Callable[[str, str], list[float]]:
    """`figures(package, program)`: the numbers in the last line that the program prints."""

    def printed(package: str, program: str) -> list[float]:
        return [float(x) for x in run(package, program).splitlines()[-1].split()]

    return printed
