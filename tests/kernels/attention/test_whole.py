"""Weights by two products and a softmax are those of NumPy's formula in float64."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from rushlight.kernels.attention import reference, whole

SHAPES = [(2, 3, 4, 5, 8), (2, 2, 70, 33, 16), (1, 4, 128, 128, 32)]


@pytest.mark.parametrize("shape", SHAPES)
@pytest.mark.parametrize("causal", [False, True])
@pytest.mark.parametrize("masked", ["", "bool", "float", "rows"])
@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_weights(shape: Any, causal: bool, masked: str, dtype: Any, rng: Any) -> None:
    b, h, rows, columns, width = shape
    q, k = rng.normal(size=(b, h, rows, width)), rng.normal(size=(b, h, columns, width))
    mask = None
    if masked == "bool":
        mask = rng.random((rows, columns)) < 0.6
        mask[1] = False  # a row that sees nothing
    elif masked:
        mask = rng.normal(size=(b, 1, rows, columns) if masked == "float" else (columns,))
    narrow = None if mask is None or mask.dtype == bool else mask.astype(dtype)
    given = [a.astype(dtype) for a in (q, k)]
    found = whole.weights(*given, mask if narrow is None else narrow, 0.3, causal, True)
    assert found.dtype == dtype
    exact = [a.astype(np.float64) for a in given]
    wide = mask if narrow is None else narrow.astype(np.float64)
    expected = reference.weights(*exact, wide, 0.3, causal, True)
    np.testing.assert_allclose(found, expected, rtol=2e-5, atol=1e-6)
    assert ((found == 0) == (expected == 0)).all()


def test_what_sees_nothing_is_nan_unless_it_is_safe(rng: Any) -> None:
    q, k = rng.normal(size=(2, 3, 4)), rng.normal(size=(2, 5, 4))
    mask = np.ones((3, 5), bool)
    mask[1] = False
    assert np.isnan(whole.weights(q, k, mask, 1.0, False, False)[:, 1]).all()
    safe = whole.weights(q, k, mask, 1.0, False, True)
    assert (safe[:, 1] == 0).all()
    q[0, 1, 0] = q[1, 2, 1] = np.nan  # which are no rows of nothing, where a mask shows them
    found = whole.weights(q, k, mask, 1.0, False, True)
    assert np.isnan(found[1, 2]).all()
    assert not np.isnan(found[0, [0, 2]]).any()


def test_of_nothing(rng: Any) -> None:
    q = rng.normal(size=(2, 3, 4))
    assert whole.weights(q, np.zeros((2, 0, 4)), None, 1.0, False, True).shape == (2, 3, 0)
