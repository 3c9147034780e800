"""Products of sparse matrices, by SciPy where it is installed and by NumPy."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from rushlight.kernels.sparse import products


def made(rng: Any, n: int = 6, k: int = 5) -> Any:
    """(a matrix, its values, their rows and their columns, out of order)."""
    a = rng.integers(-3, 4, (n, k)).astype(np.float32)
    a[rng.random((n, k)) < 0.5] = 0
    rows, cols = np.nonzero(a)
    order = rng.permutation(len(rows))
    return a, a[rows, cols][order], rows[order], cols[order]


@pytest.mark.parametrize("way", ["scipy", "numpy"])
def test_times_dense(rng: Any, way: str, monkeypatch: pytest.MonkeyPatch) -> None:
    if way == "scipy":
        pytest.importorskip("scipy")
    else:
        monkeypatch.setattr(products, "scipy", lambda: None)
        monkeypatch.setattr(products, "CHUNK", 8)  # several pieces
    a, values, rows, cols = made(rng)
    b = rng.integers(-3, 4, (5, 4)).astype(np.float32)
    found = products.times_dense(values, rows, cols, b, 6)
    assert found.dtype == np.float32
    assert np.array_equal(found, a @ b)
    half = products.times_dense(values.astype(np.float16), rows, cols, b.astype(np.float16), 6)
    assert half.dtype == np.float16
    assert np.array_equal(half, (a @ b).astype(np.float16))
    none = products.times_dense(values[:0], rows[:0], cols[:0], b, 6)
    assert none.shape == (6, 4)
    assert not none.any()


def test_sampled(rng: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(products, "CHUNK", 8)
    a = rng.standard_normal((4, 5)) + 1j * rng.standard_normal((4, 5))
    b = rng.standard_normal((3, 5)) + 1j * rng.standard_normal((3, 5))
    rows, cols = np.array([0, 3, 1, 1]), np.array([2, 0, 1, 2])
    assert np.allclose(products.sampled(a, b, rows, cols), (a @ b.conj().T)[rows, cols])


def test_pairs(rng: Any) -> None:
    a, values, rows, cols = made(rng)
    b, others, b_rows, b_cols = made(rng, 5, 4)
    mine, theirs = products.pairs(cols, b_rows, 5)
    assert (cols[mine] == b_rows[theirs]).all()
    found = np.zeros((6, 4), np.float32)
    np.add.at(found, (rows[mine], b_cols[theirs]), values[mine] * others[theirs])
    assert np.array_equal(found, a @ b)
