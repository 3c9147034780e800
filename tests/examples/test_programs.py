"""Programs in the manner of PyTorch's examples run by `python -m rushlight`, at small size."""

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

import rushlight

ROOT = Path(__file__).parents[2]
PROGRAMS = ROOT / "examples" / "programs"
material = runpy.run_path(str(Path(__file__).with_name("material.py")))

needs_pillow = pytest.mark.skipif(
    importlib.util.find_spec("PIL") is None, reason="needs rushlight[vision]"
)


@pytest.fixture(scope="module")
def digits(tmp_path_factory: pytest.TempPathFactory) -> Path:
    found: Path = material["digits"](tmp_path_factory.mktemp("digits"))
    return found


@pytest.fixture(scope="module")
def text(tmp_path_factory: pytest.TempPathFactory) -> Path:
    found: Path = material["text"](tmp_path_factory.mktemp("text"))
    return found


@pytest.fixture
def run(tmp_path: Path) -> Any:
    """Run a program in an empty folder; what it prints. Nothing may go to stderr."""

    def once(program: str, *options: object) -> str:
        path = os.pathsep.join([str(ROOT), *filter(None, [os.environ.get("PYTHONPATH")])])
        done = subprocess.run(
            [sys.executable, "-m", "rushlight", str(PROGRAMS / program), *map(str, options)],
            cwd=tmp_path,
            env={**os.environ, "PYTHONPATH": path, "OMP_NUM_THREADS": "1"},
            capture_output=True,
            text=True,
            timeout=120,
        )
        assert done.returncode == 0, done.stdout + done.stderr
        assert done.stderr == ""
        return done.stdout

    return once


def numbers(label: str, output: str) -> list[float]:
    return [float(n) for n in re.findall(rf"{label}:?\s*(-?[0-9.]+)", output)]


def is_png(path: Path) -> bool:
    return path.read_bytes()[:8] == b"\x89PNG\r\n\x1a\n"


@needs_pillow
def test_hogwild(run: Any, digits: Path, tmp_path: Path) -> None:
    sizes = ("--epochs", 4, "--batch-size", 20, "--lr", 0.05, "--log-interval", 3)
    out = run("mnist_hogwild/main.py", "--data", digits, *sizes, "--save_model")
    assert len(set(re.findall(r"^(\d+)\tTrain", out, re.M))) == 2
    losses = numbers("Loss", out)
    assert sum(losses[-6:]) < 0.9 * sum(losses[:6])
    weights = rushlight.load(tmp_path / "mnist_hogwild.pt")
    assert weights["conv1.weight"].shape == (10, 1, 5, 5)
    assert "Test set: Average loss" in out


@needs_pillow
def test_hogwild_dry_run(run: Any, digits: Path) -> None:
    out = run("mnist_hogwild/main.py", "--data", digits, "--epochs", 1, "--dry-run")
    assert out.count("Train Epoch") == 2


@needs_pillow
def test_vae(run: Any, digits: Path, tmp_path: Path) -> None:
    out = run("vae/main.py", "--data", digits, "--epochs", 3, "--batch-size", 50)
    epochs = numbers("Average loss", out)
    assert epochs[2] < 0.8 * epochs[0]
    for epoch in (1, 2, 3):
        assert is_png(tmp_path / f"results/sample_{epoch}.png")
        assert is_png(tmp_path / f"results/reconstruction_{epoch}.png")


@needs_pillow
@pytest.mark.parametrize("dataset", ["fake", "mnist", "folder"])
def test_dcgan(run: Any, digits: Path, tmp_path: Path, dataset: str) -> None:
    small = ("--batchSize", 4, "--ngf", 4, "--ndf", 4, "--manualSeed", 1, "--outf", "out")
    where: tuple[object, ...] = ()
    if dataset == "mnist":
        where = ("--dataroot", digits, "--workers", 0)
    if dataset == "folder":
        from PIL import Image

        for kind in ("red", "blue"):
            (tmp_path / "pictures" / kind).mkdir(parents=True)
            for i in range(4):
                Image.new("RGB", (70, 80), kind).save(tmp_path / f"pictures/{kind}/{i}.png")
        where = ("--dataroot", tmp_path / "pictures", "--workers", 0)
    out = run("dcgan/main.py", "--dataset", dataset, "--dry-run", *small, *where)
    assert len(numbers("Loss_D", out)) == 1
    assert is_png(tmp_path / "out/real_samples.png")
    assert is_png(tmp_path / "out/fake_samples_epoch_000.png")
    generator = rushlight.load(tmp_path / "out/netG_epoch_0.pth")
    assert generator["main.0.weight"].shape == (100, 32, 4, 4)
    if dataset == "fake":  # and go on from the weights
        run("dcgan/main.py", "--dataset", "fake", "--dry-run", *small, "--workers", 0, "--netG",
            "out/netG_epoch_0.pth", "--netD", "out/netD_epoch_0.pth")  # fmt: skip


@pytest.mark.parametrize("model", ["RNN_TANH", "RNN_RELU", "LSTM", "GRU", "Transformer"])
def test_language_model(run: Any, text: Path, tmp_path: Path, model: str) -> None:
    sizes = ("--emsize", 16, "--nhid", 16, "--batch_size", 4, "--bptt", 10, "--lr", 5)
    out = run(
        "word_language_model/main.py", "--data", text, "--model", model, "--epochs", 3, *sizes,
        "--log-interval", 5, *([] if model == "Transformer" else ["--tied"]),
    )  # fmt: skip
    train = numbers(r"\| loss", out)
    assert train[-1] < 0.85 * train[0]
    assert numbers("test loss", out)[0] < 2.6  # a word out of 20: 3.0
    out = run(
        "word_language_model/generate.py", "--data", text, "--checkpoint", "model.pt",
        "--words", 30,
    )  # fmt: skip
    words = (tmp_path / "generated.txt").read_text().split()
    assert len(words) == 30
    known = set((text / "train.txt").read_text().split()) | {"<eos>"}
    assert set(words) <= known


def test_language_model_dry_run(run: Any, text: Path) -> None:
    out = run("word_language_model/main.py", "--data", text, "--epochs", 1, "--dry-run")
    assert out.count("ms/batch") == 1


@needs_pillow
def test_siamese_network(run: Any, digits: Path, tmp_path: Path) -> None:
    sizes = ("--epochs", 1, "--batch-size", 8, "--test-batch-size", 8, "--dry-run")
    out = run("siamese_network/main.py", "--data", digits, *sizes, "--save-model")
    assert len(numbers("Loss", out)) == 1
    weights = rushlight.load(tmp_path / "siamese_network.pt")
    assert weights["resnet.0.weight"].shape == (64, 1, 7, 7)


def test_regression(run: Any) -> None:
    out = run("regression/main.py", "--seed", 1)
    learned, actual = (
        [float(n) for n in re.findall(r"([+-][0-9.]+)", line.split("y =")[1])]
        for line in out.splitlines()[1:]
    )
    assert numbers("Loss", out)[0] < 1e-3
    assert learned == pytest.approx(actual, abs=0.5)


@pytest.mark.parametrize("program", ["reinforce", "actor_critic"])
def test_reinforcement_learning(run: Any, program: str) -> None:
    out = run(f"reinforcement_learning/{program}.py", "--episodes", 40, "--log-interval", 10)
    rewards = numbers("Average reward", out)
    assert len(rewards) == 4
    assert rewards[-1] > rewards[0]
