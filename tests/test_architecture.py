"""docs/architecture.md stays true: every function and file that it names exists."""

from __future__ import annotations

import importlib
import re
from pathlib import Path

import pytest

from rushlight.ops.core.record import registry

ROOT = Path(__file__).parents[1]
TEXT = (ROOT / "docs" / "architecture.md").read_text(encoding="utf-8")
MODULES = {
    "door": "autograd.door",
    "operators": "autograd.operators",
    "engine": "autograd.engine",
    "node": "autograd.node",
    "views": "autograd.views",
    "changes": "autograd.changes",
    "change_text": "autograd.change_text",
    "in_place": "autograd.in_place",
    "specialize": "autograd.specialize",
    "unbroadcast": "autograd.unbroadcast",
    "backward": "autograd.backward",
    "publish": "publish",
    "record": "ops.core.record",
}
NAMED = sorted(set(re.findall(rf"`({'|'.join(MODULES)})\.(\w+)", TEXT)))
FILES = sorted(set(re.findall(r"`((?:rushlight|tests|ops|autograd|kernels)/[\w/.]*)`", TEXT)))


@pytest.mark.parametrize(("module", "name"), [n for n in NAMED if n[1] != "py"])
def test_named_functions_exist(module: str, name: str) -> None:
    assert hasattr(importlib.import_module(f"rushlight.{MODULES[module]}"), name)


@pytest.mark.parametrize("path", FILES)
def test_named_files_exist(path: str) -> None:
    assert (ROOT / path).exists() or (ROOT / "rushlight" / path).exists()


def test_named_records_exist() -> None:
    for name in ("rsqrt", "sum", "add"):
        assert name in registry


def test_the_walk_is_true() -> None:
    import rushlight as torch

    a = torch.ones(2, requires_grad=True)
    c = a + torch.ones(2)
    node = c.grad_fn
    assert node.name() == "AddBackward0"
    assert node.edges == (a, None)
    assert node.saved == ()
    c.sum().backward()
    assert a.grad.tolist() == [1.0, 1.0]
