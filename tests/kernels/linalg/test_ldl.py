"""L D L^T by Bunch and Kaufman: the factors give the matrix, zeros are reported."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from rushlight.kernels.linalg import ldl


def rebuilt(packed: Any, pivots: Any, hermitian: bool) -> Any:
    """The matrix that the factors of one matrix stand for."""
    n = len(packed)
    lower, d = np.tril(packed, -1) + np.eye(n, dtype=packed.dtype), np.diag(np.diag(packed))
    k, blocks = 0, []
    while k < n:
        width = 1 if pivots[k] > 0 else 2
        if width == 2:
            d[k + 1, k] = packed[k + 1, k]
            d[k, k + 1] = packed[k + 1, k].conj() if hermitian else packed[k + 1, k]
            lower[k + 1, k] = 0
        blocks.append((k, width))
        k += width
    out = np.eye(n, dtype=packed.dtype)
    for k, width in reversed(blocks):  # P1 L1 P2 L2 ..., from the right
        step = np.eye(n, dtype=packed.dtype)
        step[:, k : k + width] = lower[:, k : k + width]
        out = step @ out
        last, row = k + width - 1, abs(int(pivots[k + width - 1])) - 1
        out[[last, row]] = out[[row, last]]
    return out @ d @ (out.conj().T if hermitian else out.T)


@pytest.mark.parametrize("kind", ["real", "symmetric", "hermitian"])
@pytest.mark.parametrize("n", [1, 2, 3, 7, 12])
def test_factors_give_the_matrix(kind: str, n: int) -> None:
    rng = np.random.default_rng(n)
    a = rng.standard_normal((4, n, n)) * 1.0
    if kind != "real":
        a = a + 1j * rng.standard_normal((4, n, n))
    hermitian = kind == "hermitian"
    a = a + (a.conj() if hermitian else a).mT
    a[1] -= np.triu(np.tril(a[1]))  # zeros on the diagonal want blocks of two rows
    packed, pivots, info = ldl.factor(a, hermitian)
    assert packed.shape == a.shape
    assert pivots.shape == (4, n)
    for one, places, want, zero in zip(packed, pivots, a, info, strict=True):
        if n > 1:
            assert zero == 0
        np.testing.assert_allclose(rebuilt(one, places, hermitian), want, atol=1e-12 * n)


def test_a_zero_is_reported_from_one() -> None:
    info = ldl.factor(np.diag([1.0, 0.0, 2.0])[None], False)[2]
    assert info.tolist() == [2]
    assert ldl.factor(np.zeros((2, 2)), False)[2] == 1
