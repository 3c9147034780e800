"""Errors in ulp of inverse functions, gamma functions and angles."""

from __future__ import annotations

from typing import Any

import mpmath
import numpy as np
import pytest

from rushlight.kernels.runtime import jit
from rushlight.kernels.special import gamma
from rushlight.kernels.special import reference as libm

from .ulps import EDGES, INVERSE, reference, run, values, wide_longdouble, wider, worst

pytestmark = pytest.mark.skipif(not jit.available(), reason="no LLVM here, or RUSHLIGHT_JIT=0")


@pytest.mark.parametrize("name", INVERSE)
def test_float32_within_two_ulp(name: str) -> None:
    x = values(np.float32)
    y = run(name, x)
    error, i = worst(y, reference(name, wider(x, np.float64)))
    assert error <= 2, f"{name}({x[i]!r}) = {y[i]!r}"


@pytest.mark.slow
@wide_longdouble
@pytest.mark.parametrize("name", INVERSE)
def test_float64_within_four_ulp(name: str) -> None:
    x = values(np.float64)
    y = run(name, x)
    error, i = worst(y, reference(name, wider(x, np.longdouble)))
    assert error <= 4, f"{name}({x[i]!r}) = {y[i]!r}"


@pytest.mark.parametrize("name", INVERSE)
def test_every_lane_is_computed_alike(name: str) -> None:
    x = values(np.float32)[:5000]
    whole = run(name, x)
    for start in (1, 7, 15):
        np.testing.assert_array_equal(run(name, x[start:].copy()), whole[start:])


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


@pytest.mark.slow
@wide_longdouble
@pytest.mark.parametrize("name", ["entr", "xlogy", "xlog1py"])
@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_products_with_logarithms(name: str, dtype: Any) -> None:
    x = values(dtype)
    edges = np.array(EDGES, dtype)
    x = np.concatenate([x, np.repeat(edges, len(edges))])
    y = np.concatenate([np.random.default_rng(3).permutation(values(dtype)),
                        np.tile(edges, len(edges))])  # fmt: skip
    operands = (x,) if name == "entr" else (x, y)
    wide = [wider(v, np.longdouble) for v in operands]
    with np.errstate(all="ignore"):
        logarithm = (np.log1p if name == "xlog1py" else np.log)(wide[-1])
        wanted = wide[0] * (-logarithm if name == "entr" else logarithm)
    if name == "entr":
        wanted[x == 0], wanted[x < 0] = 0, -np.inf
    else:
        wanted[(x == 0) & ~np.isnan(y)] = 0
    error, i = worst(run(name, *operands), wanted)
    assert error <= (2 if dtype is np.float32 else 5), f"{name} of {[v[i] for v in operands]}"
