"""docs/compiler.md stays true: what it names exists, and the step that it follows is as it says."""

from __future__ import annotations

import importlib
import re
from pathlib import Path

import pytest

import rushlight as torch
from benchmarks.work import ROWS
from rushlight import compiler

ROOT = Path(__file__).parents[2]
TEXT = (ROOT / "docs" / "compiler.md").read_text(encoding="utf-8")
FOLDER = ROOT / "rushlight" / "compiler"
MODULES = "|".join(p.stem for p in FOLDER.glob("[!_]*.py"))
NAMED = sorted(set(re.findall(rf"`({MODULES})\.(\w+)((?:\.\w+)*)(?:\(|`)", TEXT)))
FILES = sorted(set(re.findall(r"`((?:\w+/)*\w+\.py)`", TEXT)))


@pytest.mark.parametrize(("module", "name", "rest"), [n for n in NAMED if n[1] != "py"])
def test_named_functions_exist(module: str, name: str, rest: str) -> None:
    found = getattr(importlib.import_module(f"rushlight.compiler.{module}"), name)
    for part in rest.split(".")[1:]:
        found = getattr(found, part)


@pytest.mark.parametrize("path", FILES)
def test_named_files_exist(path: str) -> None:
    roots = (ROOT, ROOT / "rushlight", FOLDER)
    assert any((root / path).exists() for root in roots)


def test_all_files_of_the_compiler_are_in_the_table() -> None:
    listed = set(re.findall(r"`(\w+)\.py`", TEXT))
    assert {p.stem for p in FOLDER.glob("[!_]*.py")} - listed <= {"config"}


def test_the_walk_is_true() -> None:
    torch.manual_seed(0)
    step = torch.compile(ROWS["mnist_step"].make(torch, batch=2))
    step()
    told = compiler.explain(step)()
    assert not told.why
    text = repr(told.parts[0].program)
    for line in ("SGD.zero_grad()", "SGD.step()", "= convolution(", "bernoulli_(", "gradient(",
                 "NllLossBackward0"):  # fmt: skip
        assert line in text, line
    for words in ("model.drop.p is 0.5", "grad mode is True"):
        assert words in told.guards
        assert words in TEXT
    assert f"{len(told.parts[0].program.lines)} lines of this step" in TEXT
