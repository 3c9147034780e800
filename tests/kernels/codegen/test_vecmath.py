"""Errors of the vector functions in ulp, on dense, random and extreme values."""

from __future__ import annotations

from typing import Any

import mpmath
import numpy as np
import pytest

from rushlight.kernels.runtime import jit

from .ulps import EDGES, reference, run, values, wide_longdouble, wider, worst

pytestmark = pytest.mark.skipif(not jit.available(), reason="no LLVM here, or RUSHLIGHT_JIT=0")

NAMES = [
    "exp", "exp2", "expm1", "log", "log2", "log10", "log1p", "sin", "cos", "tan", "tanh", "sinh",
    "cosh", "sigmoid",
]  # fmt: skip


@pytest.mark.parametrize("name", NAMES)
def test_float32_within_two_ulp(name: str) -> None:
    x = values(np.float32)
    y = run(name, x)
    error, i = worst(y, reference(name, wider(x, np.float64)))
    assert error <= 2, f"{name}({x[i]!r}) = {y[i]!r}"


@pytest.mark.slow
@wide_longdouble
@pytest.mark.parametrize("name", NAMES)
def test_float64_within_four_ulp(name: str) -> None:
    x = values(np.float64)
    y = run(name, x)
    error, i = worst(y, reference(name, wider(x, np.longdouble)))
    assert error <= 4, f"{name}({x[i]!r}) = {y[i]!r}"


@pytest.mark.parametrize("name", ["erf", "erfc"])
@pytest.mark.parametrize(("dtype", "bound"), [(np.float32, 2), (np.float64, 4)])
def test_error_functions(name: str, dtype: Any, bound: float) -> None:
    rng = np.random.default_rng(1)
    parts = [rng.uniform(-6, 6, 700), rng.uniform(-1.1, 1.1, 500), rng.uniform(0, 27, 500), EDGES]
    x = np.concatenate(parts).astype(dtype)
    y = run(name, x)
    tiny = float(np.finfo(dtype).smallest_subnormal)
    with mpmath.workdps(40):
        for a, got in zip(x.tolist(), y, strict=True):
            exact = getattr(mpmath, name)(mpmath.mpf(a))
            with np.errstate(all="ignore"):
                rounded = dtype(float(exact))
            if got == rounded or (np.isnan(got) and np.isnan(rounded)):
                continue
            place = float(np.spacing(np.maximum(np.abs(rounded), dtype(tiny))))
            assert abs(mpmath.mpf(float(got)) - exact) <= bound * mpmath.mpf(place), (
                f"{name}({a!r})"
            )


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_powers(dtype: Any) -> None:
    rng = np.random.default_rng(2)
    x = np.concatenate([rng.uniform(0, 10, 20_000), rng.uniform(-3, 3, 2000), np.repeat(EDGES, 28)])
    y = np.concatenate([rng.uniform(-9, 9, 20_000), rng.integers(-4, 5, 2000), np.tile(EDGES, 28)])
    x, y = x.astype(dtype), y.astype(dtype)
    with np.errstate(all="ignore"):
        wanted = x.astype(np.longdouble) ** y.astype(np.longdouble)
    error, i = worst(run("pow", x, y), wanted)
    assert error <= 4, f"{x[i]!r} ** {y[i]!r}"


def test_every_lane_is_computed_alike() -> None:
    x = values(np.float32)[:5000]
    for name in NAMES:
        whole = run(name, x)
        for start in (1, 7, 15):
            part = run(name, x[start:].copy())
            np.testing.assert_array_equal(part, whole[start:])


@pytest.mark.parametrize("name", ["logaddexp", "logaddexp2"])
@pytest.mark.parametrize(("dtype", "of"), [(np.float32, np.float64), (np.float64, np.longdouble)])
def test_sums_of_exponentials(name: str, dtype: Any, of: Any) -> None:
    """Within 3 ulp of the larger operand: where the two cancel, digits are lost, as by NumPy."""
    rng = np.random.default_rng(1)
    a = np.concatenate([rng.uniform(-9, 9, 3000), rng.uniform(-900, 900, 999), EDGES, EDGES[::-1]])
    a = a.astype(dtype)
    b = np.concatenate([a[:2000], rng.permutation(a)])[: a.size].astype(dtype)
    got = run(name, a, b)
    with np.errstate(all="ignore"):
        exact = getattr(np, name)(a.astype(of), b.astype(of))
        place = np.spacing(np.maximum(np.abs(np.where(a > b, a, b)), dtype(1)))
        error = np.abs(got - exact) / place
    error[(got == exact.astype(dtype)) | (np.isnan(got) & np.isnan(exact))] = 0
    assert not np.isnan(error).any()
    assert error.max() <= 3, (a[error.argmax()], b[error.argmax()])
