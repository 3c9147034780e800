"""Vector functions of arrays, the values they are tried on, and their errors in ulp."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from rushlight.kernels.codegen import vecmath, vecspecial
from rushlight.kernels.elementwise import contiguous

wide_longdouble = pytest.mark.skipif(
    np.finfo(np.longdouble).eps > 1e-18, reason="long double has no more digits than double here"
)

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
