"""The programs of examples/programs under PyTorch and under Rushlight print the same numbers."""

from __future__ import annotations

import importlib.util
import os
import re
import runpy
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

pytest.importorskip("torch")

ROOT = Path(__file__).parents[2]
PROGRAMS = ROOT / "examples" / "programs"
material = runpy.run_path(str(ROOT / "tests" / "examples" / "material.py"))
needs_torchvision = pytest.mark.skipif(
    importlib.util.find_spec("torchvision") is None or importlib.util.find_spec("PIL") is None,
    reason="needs torchvision and Pillow",
)

# Where torchvision's compiled operators do not fit PyTorch, declaring those that it names on import
# is enough for its Python parts; children of the program need it too.
DECLARE = """
import importlib.util
import sys
if importlib.util.find_spec("torchvision"):
    import torch
    try:
        import torchvision
    except (ImportError, RuntimeError):
        for name in [n for n in sys.modules if n.partition(".")[0] == "torchvision"]:
            del sys.modules[name]
        kept = torch.library.Library("torchvision", "FRAGMENT")
        for name in ("nms", "qnms"):
            kept.define(name + "(Tensor dets, Tensor scores, float iou_threshold) -> Tensor")
"""


def printed(how: list[str], path: list[Path], folder: Path, options: tuple[Any, ...]) -> list[str]:
    folder.mkdir(exist_ok=True)
    env = {**os.environ, "OMP_NUM_THREADS": "1", "PYTHONWARNINGS": "ignore"}
    env["PYTHONPATH"] = os.pathsep.join([*map(str, path), env.get("PYTHONPATH", "")])
    program, *rest = map(str, options)
    done = subprocess.run(
        [sys.executable, *how, str(PROGRAMS / program), *rest],
        cwd=folder,
        env=env,
        capture_output=True,
        text=True,
        timeout=200,
    )
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout.splitlines()


@pytest.fixture
def agree(tmp_path: Path) -> Any:
    """Both print the same lines; their numbers, times and process ids aside, within `rel`."""

    def check(*options: Any, rel: float = 1e-4) -> list[str]:
        (tmp_path / "sitecustomize.py").write_text(DECLARE, encoding="utf-8")
        theirs = printed([], [tmp_path], tmp_path / "torch", options)
        ours = printed(["-m", "rushlight"], [ROOT], tmp_path / "rushlight", options)
        assert len(ours) == len(theirs)
        for mine, yours in zip(ours, theirs, strict=True):
            a, b = (
                re.sub(r"^\d+\t|ms/batch *[\d.]+|time: *[\d.]+s", "", line)
                for line in (mine, yours)
            )
            number = r"-?\d+\.\d+"
            assert re.sub(number, "#", a).split() == re.sub(number, "#", b).split()
            values = [float(v) for v in re.findall(number, b)]
            # one unit of the last digit that is printed
            assert [float(v) for v in re.findall(number, a)] == pytest.approx(
                values, rel=rel, abs=1.01e-2 if "|" in b else 2e-4
            ), yours
        return ours

    return check


@needs_torchvision
def test_vae(agree: Any, tmp_path: Path) -> None:
    data = material["digits"](tmp_path / "digits")
    lines = agree("vae/main.py", "--data", data, "--epochs", 2, "--batch-size", 50)
    assert len(lines) == 7


@needs_torchvision
def test_hogwild_of_one_process(agree: Any, tmp_path: Path) -> None:
    data = material["digits"](tmp_path / "digits")
    sizes = ("--epochs", 2, "--batch-size", 50, "--log-interval", 2, "--num-processes", 1)
    lines = agree("mnist_hogwild/main.py", "--data", data, *sizes, rel=1e-3)
    assert sum("Loss" in line for line in lines) == 6


@needs_torchvision
def test_dcgan(agree: Any, tmp_path: Path) -> None:
    data = material["digits"](tmp_path / "digits", 12)
    small = ("--batchSize", 4, "--ngf", 4, "--ndf", 4, "--manualSeed", 1, "--workers", 0)
    lines = agree(
        "dcgan/main.py", "--dataset", "mnist", "--dataroot", data, "--niter", 1, *small, rel=2e-3
    )
    assert sum("Loss_D" in line for line in lines) == 3


@needs_torchvision
def test_siamese_network(agree: Any, tmp_path: Path) -> None:
    data = material["digits"](tmp_path / "digits")
    sizes = ("--epochs", 1, "--batch-size", 8, "--test-batch-size", 8, "--dry-run")
    agree("siamese_network/main.py", "--data", data, *sizes, rel=1e-3)


@pytest.mark.parametrize("model", ["RNN_TANH", "GRU", "LSTM", "Transformer"])
def test_language_model(agree: Any, tmp_path: Path, model: str) -> None:
    text = material["text"](tmp_path / "text", 60)
    sizes = ("--emsize", 16, "--nhid", 16, "--batch_size", 4, "--bptt", 10, "--epochs", 1)
    options = ("--data", text, "--model", model, *sizes, "--lr", 2, "--log-interval", 2)
    lines = agree("word_language_model/main.py", *options, rel=1e-3)
    assert any("test loss" in line for line in lines)


def test_regression(agree: Any) -> None:
    agree("regression/main.py", "--seed", 1, rel=1e-2)


@pytest.mark.parametrize("program", ["reinforce", "actor_critic"])
def test_reinforcement_learning(agree: Any, program: str) -> None:
    lines = agree(
        f"reinforcement_learning/{program}.py", "--episodes", 6, "--log-interval", 2, rel=1e-2
    )
    assert len(lines) == 3
