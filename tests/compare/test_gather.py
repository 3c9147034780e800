"""Picking and placing by index in every form, on PyTorch's samples."""

from __future__ import annotations

from pathlib import Path
from runpy import run_path

import pytest

pytest.importorskip("torch")
pytest.importorskip("expecttest")
run = run_path(str(Path(__file__).with_name("op_variants.py")))["run"]

NAMES = [
    "gather",
    "scatter",
    "scatter_add",
    "scatter_reduce",
    "index_select",
    "index_copy",
    "index_fill",
    "index_put",
    "index_reduce",
    "masked_select",
    "masked_scatter",
    "take",
    "take_along_dim",
    "put",
    "nonzero",
    "nonzero_static",
    "argwhere",
]


@pytest.mark.parametrize("name", NAMES)
def test_every_form(name):
    run(name)


@pytest.mark.parametrize("name", ["index_add", "masked_fill"])
def test_without_the_errors_texts(name):
    run(name, errors=False)
