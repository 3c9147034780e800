"""The MNIST program under PyTorch and under `python -m rushlight`: the first hundred losses.

RUSHLIGHT_MNIST names a folder that holds MNIST (`MNIST/raw/*`); without it, small drawn digits do.
"""

from __future__ import annotations

import gzip
import os
import shutil
import subprocess
import sys
from pathlib import Path
from runpy import run_path

import pytest

pytest.importorskip("torch")
pytest.importorskip("PIL")
ROOT = Path(__file__).parents[2]
PROGRAM = ROOT / "examples" / "programs" / "mnist" / "main.py"
RECORD = ROOT / "tests" / "breadth" / "record.py"
digits = run_path(str(ROOT / "tests" / "examples" / "material.py"))["digits"]

# torchvision's compiled operations need not fit the installed PyTorch; none of them is used.
PYTORCH = f"""
import runpy, sys
record = runpy.run_path({str(RECORD)!r})
record["vision"]()
del sys.argv[0]
runpy.run_path(sys.argv[0], run_name="__main__")
"""


@pytest.fixture
def data(tmp_path: Path) -> Path:
    """A folder with the four files, unpacked, which both programs read."""
    folder = tmp_path / "data"
    given = os.environ.get("RUSHLIGHT_MNIST")
    if given:
        shutil.copytree(given, folder)
    else:
        digits(folder, train=1000, test=40)
    for path in sorted((folder / "MNIST" / "raw").glob("*.gz")):
        path.with_suffix("").write_bytes(gzip.decompress(path.read_bytes()))
    return folder


def losses(where: Path, *command: str) -> list[float]:
    file = where / "losses.txt"
    env = os.environ | {"PYTHONPATH": str(ROOT)}
    done = subprocess.run(
        [sys.executable, "-W", "ignore", *command, "--log-losses", str(file)],
        cwd=where,
        env=env,
        capture_output=True,
        text=True,
        timeout=600,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    return [float(line) for line in file.read_text().splitlines()]


def test_the_losses_are_pytorchs(data: Path, tmp_path: Path) -> None:
    if not run_path(str(RECORD))["has_vision"]():
        pytest.skip("torchvision is not installed")
    options = f"--no-dropout --max-steps 100 --num-workers 4 --data {data} --save x.pt".split()
    theirs = losses(tmp_path, "-c", PYTORCH, str(PROGRAM), *options)
    ours = losses(tmp_path, "-m", "rushlight", str(PROGRAM), *options)
    assert len(theirs) == len(ours) == 100
    worst = max(abs(a - b) for a, b in zip(theirs, ours, strict=True))
    print(f"largest difference of the first 100 losses: {worst:.2e}")
    assert worst < 1e-4

    # and the checkpoint that Rushlight wrote last continues in PyTorch
    more = [*options[:2], "104", *options[3:], "--resume"]
    assert len(losses(tmp_path, "-c", PYTORCH, str(PROGRAM), *more)) == 104
