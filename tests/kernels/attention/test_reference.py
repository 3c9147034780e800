"""Attention by NumPy against the definition, written out in float64."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from rushlight.kernels.attention import reference


def softmax(x: Any) -> Any:
    e = np.exp(x - x.max(-1, keepdims=True))
    return e / e.sum(-1, keepdims=True)


@pytest.mark.parametrize("mask", [None, "bool", "added"])
def test_against_the_definition(mask: str | None, rng: np.random.Generator) -> None:
    q, k, v = (rng.standard_normal((2, 5, n)) for n in (4, 4, 3))
    added = None
    bias = np.zeros((5, 5))
    if mask == "bool":
        added = rng.random((5, 5)) < 0.7
        added[:, 0] = True
        bias = np.where(added, 0.0, -np.inf)
    elif mask == "added":
        added = bias = rng.standard_normal((5, 5))
    scores = q @ k.swapaxes(-1, -2) * 0.5 + bias
    out, kept = reference.forward(q, k, v, added, 0.5, causal=False)
    np.testing.assert_allclose(out, softmax(scores) @ v, atol=1e-12)
    np.testing.assert_allclose(kept, np.log(np.exp(scores).sum(-1)), atol=1e-12)


def test_causal_rows_see_what_came_before(rng: np.random.Generator) -> None:
    q, k, v = (rng.standard_normal((1, 4, 2)) for _ in range(3))
    out, _ = reference.forward(q, k, v, None, 1.0, causal=True)
    np.testing.assert_allclose(out[:, 0], v[:, 0])


def test_a_row_that_sees_nothing_is_zero() -> None:
    q = np.ones((1, 2, 3))
    sees = np.array([[True, True], [False, False]])
    out, kept = reference.forward(q, q, q, sees, 1.0, causal=False)
    assert (out[0, 1] == 0).all()
    assert kept[0, 1] == np.inf
    unsafe = reference.weights(q, q, np.zeros((2, 2), bool), 1.0, False, safe=False)
    assert np.isnan(unsafe).all()
