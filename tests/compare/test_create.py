"""Factories of every type, on PyTorch's samples."""

from __future__ import annotations

from pathlib import Path
from runpy import run_path

import pytest

pytest.importorskip("torch")
pytest.importorskip("expecttest")
run = run_path(str(Path(__file__).with_name("op_variants.py")))["run"]


@pytest.mark.parametrize(
    "name",
    ["eye", "full", "full_like", "ones", "ones_like", "zeros", "zeros_like", "scalar_tensor"],
)
def test_factories(name):
    run(name)


@pytest.mark.parametrize("name", ["new_full", "new_ones", "new_zeros"])
def test_methods(name):
    run(name)


@pytest.mark.parametrize("name", ["arange", "linspace", "logspace"])
def test_ranges(name):
    run(name, errors=False, kinds=("float32", "float64", "int64", "int32", "uint8"))
