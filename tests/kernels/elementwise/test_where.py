"""Choosing by a mask: NumPy's values, bits of NaN and of zeros included."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import rushlight as torch
from rushlight.kernels import tuning
from rushlight.kernels.elementwise.where import fill_number, lower_triangle, where


@pytest.mark.parametrize("dtype", [np.float32, np.float64, np.int32, np.int64, np.float16])
@pytest.mark.parametrize("shape", [(3,), (700,), (30, 40)])
def test_like_numpy(rng: np.random.Generator, shape: Any, dtype: Any) -> None:
    mask = rng.random(shape) < 0.5
    a, b = ((rng.standard_normal(shape) * 9).astype(dtype) for _ in range(2))
    if np.dtype(dtype).kind == "f":
        a.flat[0], b.flat[1], a.flat[2] = np.nan, -0.0, np.inf
    for p, q in ((a, b), (a, dtype(0)), (dtype(0), b), (a, dtype(3)), (a, b[..., :1]), (a[-1:], b)):
        got, wanted = where(mask, p, q), np.where(mask, p, q)
        assert got.dtype == wanted.dtype
        assert got.tobytes() == wanted.tobytes()


@pytest.mark.parametrize(("n", "m"), [(0, 3), (3, 0), (1, 1), (4, 3), (3, 5), (70, 70)])
@pytest.mark.parametrize("k", [-5, -1, 0, 2, 90])
def test_triangles(n: int, m: int, k: int) -> None:
    mask = lower_triangle(n, m, k)
    assert np.array_equal(mask, np.tri(n, m, k, bool))
    if n * m <= tuning.TRIANGLE_KEPT:
        assert mask is lower_triangle(n, m, k)  # kept, so nobody may write to it
        assert not mask.flags.writeable


@pytest.mark.parametrize("dtype", ["float32", "float64", "int64", "bool"])
@pytest.mark.parametrize("shape", [(8, 4), (0, 3), (300, 200, 2)])
def test_a_number_where_a_mask_is_true(
    rng: np.random.Generator, shape: tuple[int, ...], dtype: str
) -> None:
    """Of masks of all dimensions and of the first ones: what NumPy's assignment writes."""
    for n in range(1, len(shape) + 1):
        a = rng.integers(0, 2, shape).astype(dtype)
        mask = rng.random(shape[:n]) < 0.5
        wanted = a.copy()
        wanted[mask] = 1
        fill_number(a, mask, 1)
        np.testing.assert_array_equal(a, wanted)


@pytest.mark.parametrize("value", [2, 2.5, -1.0])
def test_masked_fill_in_place_is_the_assignment(value: float) -> None:
    x, y = torch.arange(12.0).reshape(3, 4), torch.arange(12.0).reshape(3, 4)
    mask = x > 5
    before = x._version
    assert x.masked_fill_(mask, value) is x
    y[mask] = value
    assert x.tolist() == y.tolist() == x.clone().masked_fill(mask, value).tolist()
    assert x._version == before + 1
    with pytest.raises(RuntimeError, match="boolean masks"):
        x.masked_fill_(torch.tensor([1, 0, 1, 0]), value)
    whole = torch.arange(3)
    assert whole.masked_fill_(whole > 1, 2.5).tolist() == [0, 1, 2]  # cut, as in PyTorch
    row = torch.tensor([True, False, False, True])
    assert x.masked_fill_(row, 0.0)[:, 0].tolist() == [0.0, 0.0, 0.0]
