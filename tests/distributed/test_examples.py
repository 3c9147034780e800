"""The programs of examples/distributed run by the commands that their first lines give, small."""

from __future__ import annotations

import importlib.util
import os
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
PROGRAMS = ROOT / "examples" / "distributed"

pytestmark = pytest.mark.skipif(
    importlib.util.find_spec("mpi4py") is None,
    reason="mpi4py is not installed (pip install 'rushlight[distributed]')",
)


def ran(*command: object) -> tuple[str, str]:
    done = subprocess.run(
        [sys.executable, "-m", "rushlight", *map(str, command)],
        cwd=ROOT, env={**os.environ, "PYTHONPATH": str(ROOT), "OMP_NUM_THREADS": "1"},
        capture_output=True, text=True, timeout=150, check=False,
    )  # fmt: skip
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout, done.stderr


@pytest.mark.slow
def test_ddp_tutorial() -> None:
    out, errors = ran(PROGRAMS / "ddp_tutorial.py")
    basic, checkpoint = out.splitlines()
    assert basic.startswith("basic: loss ")
    assert basic.endswith("on 2 ranks, equal parameters")
    assert float(checkpoint.split()[2]) < 0.5
    assert errors == ""


@pytest.mark.long
def test_restarting() -> None:
    run = ("-m", "torch.distributed.run", "--nproc-per-node", 2)
    program = PROGRAMS / "restarting.py"
    straight, _ = ran(*run, program, "--epochs", 2)
    out, errors = ran(*run, "--max-restarts", 1, program, "--epochs", 2, "--die-in", 1)
    assert "rank 1 on " in errors
    assert "(restart 1 of 1)" in errors
    lines = out.splitlines()
    assert lines.pop(1) == "going on from epoch 1"
    assert lines == straight.splitlines()


@pytest.mark.long
def test_imagenet(tmp_path: Path) -> None:
    where = (PROGRAMS / "imagenet.py", "--multiprocessing-distributed", "--images", 32, "--out",
             tmp_path)  # fmt: skip
    out, _ = ran(*where, "--epochs", 1, "--workers", 1)
    assert "(16 images)" in out
    out, _ = ran(*where, "--epochs", 2, "--resume", tmp_path / "checkpoint.pth.tar")
    assert out.startswith("epoch 1 [0/1]")
    alone, _ = ran(PROGRAMS / "imagenet.py", "--images", 16, "--epochs", 1)
    assert "(8 images)" in alone


def test_all_are_listed() -> None:
    text = (ROOT / "examples" / "README.md").read_text(encoding="utf-8")
    assert all(f"`distributed/{p.name}`" in text for p in PROGRAMS.glob("*.py"))


@pytest.mark.parametrize("ranks", [2, 4])
def test_tensor_parallel(ranks: int) -> None:
    out, _ = ran(PROGRAMS / "tensor_parallel.py", "--world-size", ranks, "--steps", 3)
    mesh, loss = out.splitlines()
    assert mesh == f"mesh ({ranks // 2}, 2) (dp, tp): 12448 of 24736 numbers on a rank"
    assert float(loss.rpartition("at most ")[2].split()[0]) < 1e-5
