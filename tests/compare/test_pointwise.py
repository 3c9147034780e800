"""Pointwise functions of every type and form, on PyTorch's samples."""

from __future__ import annotations

from pathlib import Path
from runpy import run_path

import pytest

pytest.importorskip("torch")
pytest.importorskip("expecttest")
run = run_path(str(Path(__file__).with_name("op_variants.py")))["run"]

NAMES = [
    "clamp",
    "clamp_min",
    "clamp_max",
    "addcmul",
    "addcdiv",
    "hypot",
    "nan_to_num",
    "copysign",
    "heaviside",
    "logaddexp",
    "logaddexp2",
    "gcd",
    "lcm",
    "float_power",
    "ldexp",
    "frexp",
    "isclose",
    "allclose",
    "equal",
    "isin",
    "deg2rad",
    "rad2deg",
    "positive",
    "nextafter",
    "lerp",
    "acos",
    "acosh",
    "add",
    "asin",
    "asinh",
    "atan",
    "atan2",
    "atanh",
    "bitwise_and",
    "bitwise_left_shift",
    "bitwise_not",
    "bitwise_or",
    "bitwise_right_shift",
    "bitwise_xor",
    "ceil",
    "cos",
    "cosh",
    "eq",
    "exp",
    "exp2",
    "expm1",
    "floor",
    "floor_divide",
    "fmax",
    "fmin",
    "frac",
    "ge",
    "gt",
    "isfinite",
    "isinf",
    "isnan",
    "isneginf",
    "isposinf",
    "le",
    "log",
    "log10",
    "log1p",
    "log2",
    "logical_and",
    "logical_not",
    "logical_or",
    "logical_xor",
    "lt",
    "maximum",
    "minimum",
    "mul",
    "ne",
    "neg",
    "pow",
    "reciprocal",
    "remainder",
    "round",
    "rsqrt",
    "sign",
    "signbit",
    "sin",
    "sinh",
    "sqrt",
    "square",
    "sub",
    "tan",
    "tanh",
    "true_divide",
    "trunc",
]


@pytest.mark.parametrize("name", NAMES)
def test_every_form(name):
    run(name)


@pytest.mark.parametrize("name", ["fmod", "rsub"])
def test_lenient_about_numbers_first(name):
    run(name, errors=False)


def test_division():
    run(
        "div", kinds=("float32", "float64", "int64", "complex128")
    )  # PyTorch rounds narrow quotients before truncating
