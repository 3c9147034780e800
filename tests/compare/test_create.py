"""Factories of every type, on PyTorch's samples."""

from __future__ import annotations

from pathlib import Path
from runpy import run_path

import numpy as np
import pytest

import rushlight

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


def test_linspace_to_the_last_bit(rng):
    torch = pytest.importorskip("torch")
    for _ in range(300):
        low, high = (rng.standard_normal(2) * 10).tolist()
        n = int(rng.integers(1, 200))
        ours, theirs = (t.linspace(low, high, n).numpy() for t in (rushlight, torch))
        assert np.array_equal(ours, theirs), (low, high, n)
