"""Reductions and cumulative functions in every form, on PyTorch's samples."""

from __future__ import annotations

from pathlib import Path
from runpy import run_path

import pytest

pytest.importorskip("torch")
pytest.importorskip("expecttest")
run = run_path(str(Path(__file__).with_name("op_variants.py")))["run"]

NAMES = [
    "sum",
    "mean",
    "prod",
    "std",
    "var",
    "std_mean",
    "var_mean",
    "max",
    "min",
    "argmax",
    "argmin",
    "aminmax",
    "amax",
    "amin",
    "any",
    "all",
    "logsumexp",
    "cumsum",
    "cumprod",
    "cummax",
    "cummin",
    "nansum",
    "nanmean",
    "count_nonzero",
    "diff",
    "trapezoid",
    "trapz",
    "cumulative_trapezoid",
    "gradient",
]


@pytest.mark.parametrize("name", NAMES)
def test_every_form(name):
    run(name)


def test_logcumsumexp():
    run(
        "logcumsumexp", kinds=("float32", "float64", "bfloat16")
    )  # PyTorch's complex gradient is another
