"""Convolutions by columns: the copy against NumPy's windows, and the choice."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import rushlight
from rushlight.kernels.conv import reference, select, select_amx, select_im2col
from rushlight.kernels.elementwise import select as elementwise

pytestmark = pytest.mark.skipif(not elementwise.jit(), reason="no LLVM here, or RUSHLIGHT_JIT=0")


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
@pytest.mark.parametrize("threads", [1, 3])
def test_columns_are_the_windows(rng: np.random.Generator, dtype: Any, threads: int) -> None:
    """One image and several, every stride, padding beyond the kernel; NaN stays where it is."""
    before = rushlight.get_num_threads()
    rushlight.set_num_threads(threads)
    try:
        for _ in range(60):
            dims = int(rng.integers(1, 3))
            pick = lambda low, high: tuple(int(v) for v in rng.integers(low, high, dims))  # noqa: E731, B023
            kernel, stride, padding = pick(1, 5), pick(1, 5), pick(0, 6)
            dilation, size = pick(1, 3), pick(1, 40)
            out = reference.out_size(size, kernel, stride, padding, dilation)
            if min(out) < 1:
                continue
            n, c = int(rng.choice([1, 2, 17])), int(rng.integers(1, 4))
            x = rng.standard_normal((n, c, *size)).astype(dtype)
            x[0, 0, ..., 0] = np.nan
            wide = np.pad(x, [(0, 0), (0, 0), *[(p, p) for p in padding]])
            wanted = reference.windows(wide, kernel, stride, dilation, out)
            got = select_im2col.columns(x, kernel, stride, padding, dilation, out)
            assert got.dtype == dtype
            got = np.moveaxis(got.reshape(c, *kernel, *out, n), -1, 0)
            np.testing.assert_array_equal(got, wanted)
    finally:
        rushlight.set_num_threads(before)


def test_the_only_window_needs_no_copy(rng: np.random.Generator) -> None:
    x = rng.standard_normal((3, 4, 5, 5))
    one, none = (1, 1), (0, 0)
    assert np.shares_memory(select_im2col.columns(x, (5, 5), one, none, one, one), x)


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
@pytest.mark.parametrize("groups", [1, 2])
@pytest.mark.parametrize("n", [1, 3])
def test_small_integers_are_exact(
    rng: np.random.Generator, monkeypatch: pytest.MonkeyPatch, dtype: Any, groups: int, n: int
) -> None:
    """All three products by columns, against NumPy: any misplaced element shows."""
    monkeypatch.setattr(select_im2col, "LEAST_WORK", 1)
    monkeypatch.setattr(select_im2col, "FEW", 1 << 30)
    monkeypatch.setattr(select_im2col, "by_unit", lambda _d, _n, _w, groups, _p: groups == 1)
    monkeypatch.setattr(select_amx, "chosen", lambda *_: False)
    for size, kernel, stride, padding in (
        ((7, 7), (3, 3), (1, 1), (1, 1)), ((6, 5), (3, 2), (2, 1), (0, 1)),
        ((4, 4), (4, 4), (1, 1), (0, 0)), ((19,), (3,), (2,), (2,)),
        ((8, 9), (1, 1), (2, 2), (0, 0)),
    ):  # fmt: skip
        draw = lambda *shape: rng.integers(-4, 5, shape).astype(dtype)  # noqa: E731
        how = (stride, padding, (1,) * len(size))
        out = reference.out_size(size, kernel, *how)
        x, w, b = draw(n, 6, *size), draw(10, 6 // groups, *kernel), draw(10)
        g = draw(n, 10, *out)
        assert select_im2col.suited(x.dtype, w.dtype, n, w.shape, groups, 1)
        found = [
            reference.conv(x, w, b, *how, groups),
            reference.conv_weight(x, g, kernel, *how, groups),
            reference.conv_input(g, w, size, *how, groups),
        ]
        with monkeypatch.context() as m:
            m.setattr(select_im2col, "usable", lambda *_: False)
            m.setattr(select, "FEW", 1 << 60)
            wanted = [
                reference.conv(x, w, b, *how, groups),
                reference.conv_weight(x, g, kernel, *how, groups),
                reference.conv_input(g, w, size, *how, groups),
            ]
        for a, r in zip(found, wanted, strict=True):
            assert a.flags.c_contiguous
            np.testing.assert_array_equal(a, r)
