"""Examples and programs train compiled as they do eagerly: the same parameters, to the bit."""

from __future__ import annotations

import importlib.util
import os
import re
import subprocess
import sys
from pathlib import Path
from runpy import run_path
from typing import Any

import pytest

ROOT = Path(__file__).parents[2]
RUNNER = Path(__file__).with_name("compiled_runner.py")
MODES = ("eager", "modules", "functions")
material = run_path(str(Path(__file__).with_name("material.py")))
SMALL_GPT = ("--width", 32, "--layers", 2, "--context", 32)
PROGRAMS: dict[str, tuple[Any, ...]] = {
    "mnist": ("--epochs", 1, "--out", "."),
    "autoencoder": ("--epochs", 1, "--out", "."),
    "vae": ("--epochs", 1, "--out", "."),
    "wgan": ("--steps", 20, "--head-start", 5, "--out", "."),
    "dcgan": ("--epochs", 1, "--batch-size", 128, "--width", 8, "--lr", 2e-3, "--out", "."),
    "multi_loss": ("--epochs", 1),
    "custom_function": ("--steps", 50),
    "char_rnn": ("--epochs", 1, "--out", "."),
    "char_gpt": ("--steps", 50, "--length", 30, "--out", ".", *SMALL_GPT),
    "programs/regression/main": ("--seed", 1),
    "programs/vae/main": ("--data", "digits", "--epochs", 1, "--batch-size", 20),
    "programs/dcgan/main": ("--dataset", "fake", "--dry-run", "--batchSize", 4, "--ngf", 4,
                            "--ndf", 4, "--manualSeed", 1, "--outf", "out", "--workers", 0),
    "programs/siamese_network/main": ("--data", "digits", "--epochs", 1, "--batch-size", 8,
                                      "--test-batch-size", 8, "--dry-run"),
    "programs/reinforcement_learning/reinforce": ("--episodes", 8, "--log-interval", 4),
    "programs/reinforcement_learning/actor_critic": ("--episodes", 8, "--log-interval", 4),
    **{f"programs/word_language_model/main:{model}": (
           "--data", "text", "--model", model, "--epochs", 1, "--emsize", 16, "--nhid", 16,
           "--batch_size", 4, "--bptt", 10, "--lr", 5, "--log-interval", 5)
       for model in ("LSTM", "Transformer")},
}  # fmt: skip
# Nothing is there to be replayed: each module is called once, or calls an `autograd.Function`.
EAGER = {"programs/siamese_network/main", "custom_function"}


@pytest.mark.skipif(not hasattr(os, "fork"), reason="the runner forks")
@pytest.mark.parametrize("name", PROGRAMS)
def test_a_program_ends_where_it_ends_eagerly(name: str, tmp_path: Path) -> None:
    for needed in ("PIL", "matplotlib", "sklearn", "tqdm"):
        if importlib.util.find_spec(needed) is None:
            pytest.skip("needs rushlight[examples]")
    for mode in MODES:
        folder = tmp_path / mode
        folder.mkdir()
        if "digits" in PROGRAMS[name]:
            material["digits"](folder / "digits", train=160)
        if "text" in PROGRAMS[name]:
            material["text"](folder / "text")
    program = ROOT / "examples" / f"{name.partition(':')[0]}.py"
    command = [sys.executable, RUNNER, tmp_path, program, *PROGRAMS[name]]
    path = os.pathsep.join([str(ROOT), *filter(None, [os.environ.get("PYTHONPATH")])])
    done = subprocess.run(
        [str(part) for part in command],
        env={**os.environ, "PYTHONPATH": path, "OMP_NUM_THREADS": "1", "MPLBACKEND": "Agg"},
        capture_output=True,
        text=True,
        timeout=900,
    )
    assert done.returncode == 0, done.stderr
    told = {mode: (tmp_path / mode / "output").read_text(encoding="utf-8") for mode in MODES}
    found = {mode: re.findall(r"digest (\w+)", text)[-1] for mode, text in told.items()}
    replayed = {mode: int(re.findall(r"replayed (\d+)", text)[-1]) for mode, text in told.items()}
    assert found["modules"] == found["functions"] == found["eager"]
    assert replayed["eager"] == 0
    assert replayed["modules"] > 0 or name in EAGER
