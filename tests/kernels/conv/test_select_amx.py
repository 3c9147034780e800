"""Convolutions on the matrix unit against float64, and where they leave the work to others."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pytest

import rushlight
from rushlight.kernels.conv import reference, select_amx
from rushlight.kernels.elementwise import select as elementwise
from rushlight.kernels.matmul import select as matmul

pytestmark = pytest.mark.skipif(
    not elementwise.jit() or not matmul.has_amx(), reason="no machine code, or a CPU without AMX"
)


@pytest.fixture(autouse=True)
def _every_size(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("LEAST_WORK", "FEW", "FEW_OF_WEIGHT", "USEFUL", "USEFUL_OF_WEIGHT"):
        monkeypatch.setattr(select_amx, name, 0)


def normal(rng: np.random.Generator, *shape: int) -> np.ndarray:
    return rng.standard_normal(shape, dtype=np.float32)


def windows_of(x: np.ndarray, kernel: Any, stride: Any, padding: Any, dilation: Any) -> np.ndarray:
    """(N, C, *kernel, *out) in float64."""
    x = np.pad(x.astype(np.float64), [(0, 0), (0, 0)] + [(p, p) for p in padding])
    out = reference.out_size(x.shape[2:], kernel, stride, (0,) * len(kernel), dilation)
    return reference.windows(x, kernel, stride, dilation, out)


def close(got: Any, want: np.ndarray, size: np.ndarray, terms: int) -> None:
    """Within a few roundings of the sum of the terms' absolute values."""
    assert got is not None
    assert got.shape == want.shape
    assert (np.abs(got - want) <= (terms / 16 + 8) * 2.0**-24 * size + 1e-30).all()


@pytest.mark.parametrize("seed", range(60))
def test_random_convolutions(seed: int) -> None:
    rng = np.random.default_rng(seed)
    groups = int(rng.choice([1, 1, 1, 2, 3]))
    c, o = (int(rng.choice([1, 3, 16, 32, 40, 64])) for _ in range(2))
    n, d = int(rng.choice([1, 2, 9])), int(rng.choice([1, 2, 2]))
    kernel, stride, dilation, padding = (
        tuple(int(v) for v in rng.integers(low, high, d))
        for low, high in ((1, 5), (1, 4), (1, 3), (0, 3))
    )
    size = tuple(
        int(rng.integers(max(1, (k - 1) * e + 1 - 2 * p), 20))
        for k, e, p in zip(kernel, dilation, padding, strict=True)
    )
    x, w = normal(rng, n, groups * c, *size), normal(rng, groups * o, c, *kernel)
    bias = normal(rng, groups * o) if seed % 2 else None
    out = reference.out_size(size, kernel, stride, padding, dilation)
    terms, p = c * math.prod(kernel), math.prod(out)
    seen = windows_of(x, kernel, stride, padding, dilation).reshape(n, groups, terms, p)
    w64 = w.astype(np.float64).reshape(groups, o, terms)

    y = select_amx.forward(x, w, bias, stride, padding, dilation, groups, out)
    want, bound = (np.matmul(f(w64), f(seen)).reshape(n, -1, *out) for f in (np.array, np.abs))
    if bias is not None:
        column = bias.reshape(-1, *[1] * d)
        want, bound = want + column, bound + np.abs(column)
    close(y, want, bound, terms)

    g = normal(rng, *want.shape)
    g64 = g.astype(np.float64).reshape(n, groups, o, p)
    dw = select_amx.weight(x, g, kernel, stride, padding, dilation, groups)
    want, bound = (
        np.matmul(f(g64), f(seen).swapaxes(2, 3)).sum(0).reshape(w.shape)
        for f in (np.array, np.abs)
    )
    close(dw, want, bound, n * p)

    around = tuple(e * (k - 1) - q for e, k, q in zip(dilation, kernel, padding, strict=True))
    if max(stride) == 1 and min(around) >= 0:
        dx = select_amx.forward(g, w, None, stride, around, dilation, groups, size, turned=True)
        exact = [
            reference.conv_input(
                f(g.astype(np.float64)), f(w.astype(np.float64)), size, stride, padding, dilation,
                groups,
            )
            for f in (np.array, np.abs)
        ]  # fmt: skip
        close(dx, exact[0], exact[1], o * math.prod(kernel))


def test_many_images_are_taken_in_blocks(monkeypatch: pytest.MonkeyPatch) -> None:
    rng = np.random.default_rng(0)
    x, w = normal(rng, 7, 32, 9, 9), normal(rng, 32, 32, 3, 3)
    how = ((1, 1), (1, 1), (1, 1), 1)
    g = normal(rng, 7, 32, 9, 9)
    whole = select_amx.forward(x, w, None, *how, (9, 9))
    gradient = select_amx.weight(x, g, (3, 3), *how)
    monkeypatch.setattr(select_amx, "MOST", 1)
    monkeypatch.setattr(select_amx, "TOGETHER", 1)
    np.testing.assert_array_equal(select_amx.forward(x, w, None, *how, (9, 9)), whole)
    np.testing.assert_allclose(
        select_amx.weight(x, g, (3, 3), *how), gradient, rtol=1e-5, atol=2e-5
    )


@pytest.mark.parametrize("value", [np.inf, np.nan, 1e38])
@pytest.mark.parametrize("place", ["x", "w", "g"])
def test_numbers_that_cannot_be_split_are_left_to_others(place: str, value: float) -> None:
    rng = np.random.default_rng(1)
    x, w, g = normal(rng, 2, 32, 8, 8), normal(rng, 32, 32, 3, 3), normal(rng, 2, 32, 8, 8)
    {"x": x, "w": w, "g": g}[place].flat[777] = value
    how = ((1, 1), (1, 1), (1, 1), 1)
    forward = select_amx.forward(x, w, None, *how, (8, 8))
    assert (forward is None) == (place != "g")
    gradient = select_amx.weight(x, g, (3, 3), *how)
    assert (gradient is None) == (place != "w")
    y = reference.conv(x, w, None, *how)
    if place != "g":
        wide = reference.conv(x.astype(np.float64), w.astype(np.float64), None, *how)
        np.testing.assert_array_equal(np.isnan(y), np.isnan(wide))
        with np.errstate(over="ignore"):
            np.testing.assert_array_equal(np.isinf(y), np.isinf(wide.astype(np.float32)))


def test_threads_give_the_same_bits() -> None:
    rng = np.random.default_rng(2)
    x, w, g = normal(rng, 3, 64, 20, 20), normal(rng, 48, 64, 3, 3), normal(rng, 3, 48, 10, 10)
    how = ((2, 2), (1, 1), (1, 1), 1)
    before = rushlight.get_num_threads()
    found = set()
    try:
        for threads in (1, 2, 3, 8):
            rushlight.set_num_threads(threads)
            y = select_amx.forward(x, w, None, *how, (10, 10))
            dw = select_amx.weight(x, g, (3, 3), *how)
            assert y is not None
            assert dw is not None
            found.add(y.tobytes() + dw.tobytes())
    finally:
        rushlight.set_num_threads(before)
    assert len(found) == 1


def test_other_types_and_dims_are_left_to_others() -> None:
    x, w = np.ones((2, 32, 8, 8)), np.ones((32, 32, 3, 3))
    how = ((1, 1), (1, 1), (1, 1), 1)
    assert select_amx.forward(x, w, None, *how, (8, 8)) is None
    x3, w3 = np.ones((1, 32, 4, 4, 4), np.float32), np.ones((32, 32, 1, 1, 1), np.float32)
    three = ((1,) * 3, (0,) * 3, (1,) * 3, 1)
    assert select_amx.forward(x3, w3, None, *three, (4, 4, 4)) is None
