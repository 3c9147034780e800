"""The main example: a few epochs of it, and a resumed run that equals an uninterrupted one."""

from __future__ import annotations

import gzip
import runpy
import struct
import sys
from pathlib import Path

import numpy as np
import pytest

import rushlight

for needed in ("PIL", "matplotlib", "sklearn", "tqdm"):
    pytest.importorskip(needed, reason="the example needs rushlight[examples]")

PROGRAM = Path(__file__).parents[2] / "examples" / "mnist.py"


@pytest.fixture
def run(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]):
    def once(*options: object) -> list[str]:
        monkeypatch.setattr(sys, "argv", [str(PROGRAM), *map(str, options)])
        runpy.run_path(str(PROGRAM), run_name="__main__")
        return capsys.readouterr().out.splitlines()

    return once


def test_digits_are_learned_and_a_run_can_be_resumed(run, tmp_path: Path) -> None:
    whole = run("--epochs", 6, "--out", tmp_path / "whole")
    name, accuracy = whole[-1].split()
    assert name == "accuracy"
    assert float(accuracy) > 0.3  # of ten classes, after a tenth of the usual epochs
    state = rushlight.load(tmp_path / "whole" / "checkpoint.pt")
    assert len(state["history"]["accuracy"]) == 6
    assert state["history"]["train loss"][-1] < state["history"]["train loss"][0]
    assert (tmp_path / "whole" / "curves.png").read_bytes()[:4] == b"\x89PNG"

    run("--epochs", 3, "--out", tmp_path / "parts")
    resumed = run("--epochs", 6, "--out", tmp_path / "parts", "--resume")
    assert resumed[0].startswith("epoch 4")
    assert resumed[-1] == whole[-1]
    again = rushlight.load(tmp_path / "parts" / "checkpoint.pt")
    assert again["history"] == state["history"]
    for key, value in state["model"].items():
        assert again["model"][key].tolist() == value.tolist()
    assert run("--epochs", 6, "--out", tmp_path / "parts", "--resume")[-1] == whole[-1]


@pytest.mark.slow
def test_mnist_from_a_folder(run, tmp_path: Path) -> None:
    rng = np.random.default_rng(0)
    for part, count in (("train", 130), ("t10k", 20)):
        images = rng.integers(0, 256, (count, 28, 28), np.uint8)
        labels = rng.integers(0, 10, count).astype(np.uint8)
        for name, array in (("images-idx3", images), ("labels-idx1", labels)):
            head = bytes([0, 0, 8, array.ndim]) + struct.pack(f">{array.ndim}i", *array.shape)
            path = tmp_path / f"{part}-{name}-ubyte.gz"
            path.write_bytes(gzip.compress(head + array.tobytes()))
    out = tmp_path / "out"
    lines = run("--data", "mnist", "--root", tmp_path, "--epochs", 1, "--out", out)
    assert lines[-1].startswith("accuracy 0.")
    with pytest.raises(SystemExit, match="trained on mnist"):
        run("--data", "digits", "--out", out, "--resume")


def test_no_epochs(run, tmp_path: Path) -> None:
    with pytest.raises(SystemExit, match="at least 1"):
        run("--epochs", 0, "--out", tmp_path)


def test_nothing_to_continue_from(run, tmp_path: Path) -> None:
    with pytest.raises(SystemExit, match="continue from"):
        run("--resume", "--out", tmp_path)
