"""The recurrent network that invents names, at a small size, of each kind."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import pytest


@pytest.mark.parametrize("kind", ["RNN", "LSTM", "GRU"])
def test_it_learns(run_example: Any, tmp_path: Path, kind: str) -> None:
    options = ("--epochs", 4, "--width", 32, "--layers", 1, "--lr", 2e-2, "--names", 8)
    out, _ = run_example("char_rnn", "--model", kind, *options)
    assert out.splitlines()[-1].startswith("nats a letter: held out")
    names = (tmp_path / "names.txt").read_text(encoding="utf-8").splitlines()
    assert len(names) == 8
    assert all(re.fullmatch("[a-z]{0,20}", name) for name in names)


def test_a_file(run_example: Any, tmp_path: Path) -> None:
    data = tmp_path / "names.txt"
    lines = [a + b + c for a in "bdgk" for b in ("a", "oo", "i") for c in ("na", "ra", "mi", "to")]
    data.write_text("\n".join([*lines, *map(str.upper, lines[:3])]), encoding="utf-8")
    options = ("--epochs", 12, "--batch-size", 8, "--width", 24, "--lr", 1e-2)
    out, _ = run_example("char_rnn", "--data", data, *options)
    assert out.startswith("44 names to learn from, 12 letters")
