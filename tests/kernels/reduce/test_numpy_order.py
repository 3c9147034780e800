"""Sums in NumPy's own order: the bits of its pairwise sums, and of its sums along an outer axis."""

from __future__ import annotations

import numpy as np
import pytest

from rushlight.kernels import runtime
from rushlight.kernels.reduce import numpy_order

pytestmark = pytest.mark.skipif(not runtime.available(), reason="needs machine code")
TYPES = [("float", np.float32), ("double", np.float64)]


@pytest.mark.parametrize(("element", "dtype"), TYPES)
@pytest.mark.parametrize("n", [1, 5, 7, 8, 9, 64, 127, 128, 129, 300, 1023, 5000])
def test_pairwise(element: str, dtype: type, n: int) -> None:
    x = np.random.default_rng(n).standard_normal((3, n)).astype(dtype)
    y = np.empty(3, dtype)
    numpy_order.kernel("pairs", element).call(x, y, 3, n, 1, n, 1)
    assert y.tobytes() == np.add.reduce(x, axis=1).tobytes()


@pytest.mark.parametrize(("element", "dtype"), TYPES)
@pytest.mark.parametrize("columns", [2, 15, 16, 17, 100])
def test_along(element: str, dtype: type, columns: int) -> None:
    x = np.random.default_rng(columns).standard_normal((13, columns)).astype(dtype)
    y = np.empty(columns + 1, dtype)
    y[-1] = 7
    numpy_order.kernel("along", element, True).call(x, y, columns, 13, columns, 0, 1)
    assert y[:-1].tobytes() == np.add.reduce(x, axis=0).tobytes()
    assert y[-1] == 7


@pytest.mark.parametrize(("element", "dtype"), TYPES)
def test_lanes(element: str, dtype: type) -> None:
    numbers = np.random.default_rng(0)
    a, b = (numbers.standard_normal(s).astype(dtype) for s in ((5, 32), 32))
    y = np.empty(5, dtype)
    numpy_order.kernel("lanes", element).call(a, b, y, 5, 32, 32, 1)
    np.testing.assert_allclose(y, a.astype(np.float64) @ b, rtol=1e-4)
