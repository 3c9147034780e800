"""Remainders and rounded quotients: NumPy's bits, of quotients near whole numbers and beyond the
digits of the type, of infinities, NaN, zeros and subnormal numbers."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from rushlight.kernels.codegen import quotients
from rushlight.kernels.elementwise import contiguous
from rushlight.kernels.runtime import jit

pytestmark = pytest.mark.skipif(not jit.available(), reason="no LLVM here, or RUSHLIGHT_JIT=0")

NUMPY: dict[str, Any] = {
    "fmod": np.fmod,
    "remainder": np.remainder,
    "floor_divide": lambda a, b: np.where(b == 0, a / b, np.floor_divide(a, b)),
    "trunc_divide": lambda a, b: np.trunc(a / b),
}


def run(name: str, a: np.ndarray, b: np.ndarray) -> np.ndarray:
    write = getattr(quotients, name)
    element = "float" if a.dtype == np.float32 else "double"
    kernel = contiguous.kernel(
        (f"test-{name}", name), lambda f, *v: [write(f, *v)], [(element, "array")] * 2, [element]
    )
    y = np.full_like(a, 7)
    each = contiguous.share_of(y.size)
    kernel.call(a, b, y, y.size, each, -(-y.size // each))
    return y


def pairs(dtype: Any) -> tuple[np.ndarray, np.ndarray]:
    rng = np.random.default_rng(1)
    info = np.finfo(dtype)
    edges = [0.0, 1, 0.1, 3, 7.5, 1e-3, info.max, info.tiny, info.smallest_subnormal,
             5 * info.smallest_subnormal, np.inf, np.nan, 2.0**23, 2.0**24 + 2]  # fmt: skip
    both = np.array([*edges, *(-x for x in edges)], dtype)
    a, b = (x.reshape(-1) for x in np.meshgrid(both, both))
    # multiples and their neighbours, whose quotients are rounded to whole numbers
    c = rng.uniform(0.1, 9, 3000).astype(dtype)
    d = (c * rng.integers(1, 9000, 3000)).astype(dtype)
    near = [np.nextafter(d, dtype(way)) for way in (-np.inf, np.inf)]
    far = (rng.standard_normal(2000) * 10.0 ** rng.integers(-30, 30, 2000)).astype(dtype)
    x = np.concatenate([a, d, *near, rng.permutation(far), rng.uniform(-9, 9, 4001).astype(dtype)])
    y = np.concatenate([b, c, c, c, far, rng.uniform(-2, 2, 4001).astype(dtype)])
    signs = rng.integers(0, 2, (2, x.size)) * 2 - 1
    return (x * signs[0]).astype(dtype), (y * signs[1]).astype(dtype)


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
@pytest.mark.parametrize("name", NUMPY)
def test_bits_of_numpy(name: str, dtype: Any) -> None:
    a, b = pairs(dtype)
    with np.errstate(all="ignore"):
        got, wanted = run(name, a, b), NUMPY[name](a, b).astype(dtype)
    same = (got == wanted) & (np.signbit(got) == np.signbit(wanted))
    same |= np.isnan(got) & np.isnan(wanted)
    i = int(np.argmin(same))
    assert same.all(), f"{name}({a[i]!r}, {b[i]!r}) = {got[i]!r}, not {wanted[i]!r}"
