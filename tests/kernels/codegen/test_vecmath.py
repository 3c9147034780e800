"""Errors of the vector functions in ulp, on dense, random and extreme values."""

from __future__ import annotations

from typing import Any

import mpmath
import numpy as np
import pytest

from rushlight.kernels.codegen import vecmath, vecspecial
from rushlight.kernels.elementwise import contiguous
from rushlight.kernels.runtime import jit
from rushlight.kernels.special import gamma
from rushlight.kernels.special import reference as libm

pytestmark = pytest.mark.skipif(not jit.available(), reason="no LLVM here, or RUSHLIGHT_JIT=0")
wide_longdouble = pytest.mark.skipif(
    np.finfo(np.longdouble).eps > 1e-18, reason="long double has no more digits than double here"
)

NAMES = [
    "exp", "exp2", "expm1", "log", "log2", "log10", "log1p", "sin", "cos", "tan", "tanh", "sinh",
    "cosh", "sigmoid", "asin", "acos", "atan", "asinh", "acosh", "atanh",
]  # fmt: skip
INVERSE = {"asin": "arcsin", "acos": "arccos", "atan": "arctan", "asinh": "arcsinh",
           "acosh": "arccosh", "atanh": "arctanh"}  # fmt: skip
EDGES = [0.0, -0.0, 1, -1, 0.5, -0.5, np.inf, -np.inf, np.nan, 88.7, 88.73, -87.3, -103.9, 127, 128,
         -149, 709.7, 709.79, 89.4, 710.4, -708.5, -745.1, 1023.9, 1024, -1074, 1e5, 1e30, 2**-100,
         ]  # fmt: skip


@np.errstate(all="ignore")
def reference(name: str, x: np.ndarray) -> np.ndarray:
    if name == "sigmoid":
        z = np.exp(-np.abs(x))
        return np.where(x < 0, z, x.dtype.type(1)) / (1 + z)
    return getattr(np, INVERSE.get(name, name))(x)


@np.errstate(invalid="ignore")
def wider(x: np.ndarray, dtype: Any) -> np.ndarray:
    """x in a type of more digits (among the bit patterns are signalling NaNs)."""
    return x.astype(dtype)


def run(name: str, *xs: np.ndarray) -> np.ndarray:
    write = getattr(vecmath, name, None) or getattr(vecspecial, name)
    element = "float" if xs[0].dtype == np.float32 else "double"
    kernel = contiguous.kernel(
        (f"test-{name}", name), lambda f, *v: [write(f, *v)], [(element, "array")] * len(xs),
        [element],
    )  # fmt: skip
    y = np.full_like(xs[0], 7)
    each = contiguous.share_of(y.size)
    kernel.call(*xs, y, y.size, each, -(-y.size // each))
    return y


@np.errstate(all="ignore")
def worst(got: np.ndarray, wanted: np.ndarray) -> tuple[float, int]:
    """The largest error in ulp and where it is; infinite where one is NaN and the other is not."""
    rounded = wanted.astype(got.dtype)
    least = np.finfo(got.dtype).smallest_subnormal
    place = np.spacing(np.maximum(np.abs(rounded), least)).astype(wanted.dtype)
    error = np.abs((got.astype(wanted.dtype) - wanted) / place).astype(np.float64)
    error[(np.isnan(got) & np.isnan(wanted)) | (got == rounded)] = 0
    error[np.isnan(error)] = np.inf
    i = int(np.argmax(error))
    return float(error[i]), i


@np.errstate(all="ignore")
def values(dtype: Any, seed: int = 0) -> np.ndarray:
    rng = np.random.default_rng(seed)
    if dtype is np.float32:
        dense = np.arange(0, 2**32, 20011, dtype=np.uint64).astype(np.uint32).view(np.float32)
    else:
        dense = rng.integers(0, 2**64, 100_000, dtype=np.uint64).view(np.float64)
    spread = [rng.uniform(-b, b, 50_000) for b in (1, 10, 120, 800, 1e5)]
    near_one = 1 + rng.uniform(-0.5, 0.5, 50_000) ** 3
    return np.concatenate([dense, *spread, near_one, EDGES]).astype(dtype)


@pytest.mark.parametrize("name", NAMES)
def test_float32_within_two_ulp(name: str) -> None:
    x = values(np.float32)
    y = run(name, x)
    error, i = worst(y, reference(name, wider(x, np.float64)))
    assert error <= 2, f"{name}({x[i]!r}) = {y[i]!r}"


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


@wide_longdouble
@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_angles_of_points(dtype: Any) -> None:
    x = values(dtype)
    y = np.random.default_rng(3).permutation(x)
    edges = np.array(EDGES, dtype)
    x = np.concatenate([x, np.repeat(edges, len(edges))])
    y = np.concatenate([y, np.tile(edges, len(edges))])
    with np.errstate(all="ignore"):
        wanted = np.arctan2(wider(y, np.longdouble), wider(x, np.longdouble))
    got = run("atan2", y, x)
    error, i = worst(got, wanted)
    assert error <= (2 if dtype is np.float32 else 4), f"atan2({y[i]!r}, {x[i]!r}) = {got[i]!r}"
    zero = wanted == 0
    np.testing.assert_array_equal(np.signbit(got[zero]), np.signbit(wanted[zero]))


def log_of_gamma(x: Any) -> Any:
    return mpmath.log(abs(mpmath.gamma(x)))


@pytest.mark.parametrize(
    ("name", "exact", "low", "bound"),
    [("erfinv", mpmath.erfinv, -1, 5), ("lgamma", log_of_gamma, 0, 8),
     ("digamma", mpmath.digamma, 0, 4)],
)  # fmt: skip
@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_gamma_and_erfinv(name: str, exact: Any, low: float, bound: float, dtype: Any) -> None:
    """float32: 2 ulp (lgamma 4). float64: some more; left of 0, near zeros, an absolute error."""
    rng = np.random.default_rng(4)
    if name == "erfinv":
        x = np.concatenate([rng.uniform(-1, 1, 300), 1 - 10.0 ** rng.uniform(-15, -1, 100)])
        x = x[np.abs(x.astype(dtype)) < 1]
    else:
        parts = [rng.uniform(0, 12, 300), rng.uniform(-8, 0, 200), 10.0 ** rng.uniform(-30, 30, 60),
                 1 + rng.uniform(-1e-3, 1e-3, 50), 2 + rng.uniform(-1e-3, 1e-3, 50),
                 1.46 + rng.uniform(-0.01, 0.01, 50)]  # fmt: skip
        x = np.concatenate(parts)
    x = x.astype(dtype)
    y = run(name, x)
    with mpmath.workdps(50):
        for a, got in zip(x.tolist(), y.tolist(), strict=True):
            wanted = exact(mpmath.mpf(a))
            place = float(np.spacing(np.abs(dtype(float(wanted)))))
            if dtype is np.float32:
                most = 2 * place
            else:
                most = (
                    bound * place if a >= low else max(bound * place, 2e-15 + 4e-15 * abs(wanted))
                )
            assert abs(mpmath.mpf(got) - wanted) <= most, f"{name}({a!r}) = {got!r}"
    edges = np.array([*EDGES, -2, 2, 3, 1.5, -1.5, 8, 9.99, 10, 1e-40, -1e-40], dtype)
    with np.errstate(all="ignore"):
        wanted = (getattr(libm, name, None) or getattr(gamma, name))(edges)
        np.testing.assert_allclose(run(name, edges), wanted, rtol=1e-6)


def test_every_lane_is_computed_alike() -> None:
    x = values(np.float32)[:5000]
    for name in NAMES:
        whole = run(name, x)
        for start in (1, 7, 15):
            part = run(name, x[start:].copy())
            np.testing.assert_array_equal(part, whole[start:])
