"""Products by NumPy: operands that BLAS cannot read, and the sums around kernels' products."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from rushlight.kernels.matmul import reference


@pytest.mark.parametrize("cut", [slice(None), slice(None, None, 2), slice(None, None, -1)])
def test_products_of_strided_operands(cut: slice, rng: np.random.Generator) -> None:
    a, b = rng.normal(size=(3, 6, 6))[:, cut, cut], rng.normal(size=(6, 6))[cut, cut]
    np.testing.assert_allclose(reference.product(a, b), a.copy() @ b.copy())
    np.testing.assert_allclose(reference.product(a.mT, b.T), a.mT.copy() @ b.T.copy())
    np.testing.assert_allclose(reference.product(a[0], b), a[0].copy() @ b.copy())


def test_a_stack_times_one_matrix_is_one_product(rng: np.random.Generator) -> None:
    a, b = rng.normal(size=(3, 4, 5)), rng.normal(size=(5, 6))
    np.testing.assert_allclose(reference.product(a, b), np.einsum("bij,jk->bik", a, b))


def test_what_is_added_to_a_product(rng: np.random.Generator) -> None:
    y, d = rng.normal(size=(4, 5)), rng.normal(size=(5,))
    expected = 2 * y - 0.5 * d
    reference.scale_and_add(y, d, 2.0, -0.5)
    np.testing.assert_allclose(y, expected)


def test_slices_of_a_long_sum_and_the_rest(rng: np.random.Generator) -> None:
    a, b, d = rng.normal(size=(3, 10)), rng.normal(size=(10, 2)), rng.normal(size=(3, 2))
    parts = np.stack([a[:, :4] @ b[:4], a[:, 4:8] @ b[4:8]])
    got = reference.added_slices(parts, a, b, d, 3.0, 0.5, rest=2)
    np.testing.assert_allclose(got, 3 * (a @ b) + 0.5 * d)


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
@pytest.mark.parametrize(
    "shapes", [((1,), (1, 4)), ((1, 1), (1, 4)), ((4, 1), (1,)), ((4, 1), (1, 1))]
)
def test_zero_times_nan_is_nan(shapes: Any, dtype: Any) -> None:
    """Of one number NumPy's `dot` makes a scaling by BLAS, which leaves out what is times 0."""
    for first, second in ((0, np.nan), (np.nan, 0)):
        y = reference.product(np.full(shapes[0], first, dtype), np.full(shapes[1], second, dtype))
        assert np.isnan(y).all()
