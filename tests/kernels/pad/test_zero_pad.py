"""Margins around images, against NumPy's."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np
import pytest

import rushlight
from rushlight.kernels import runtime
from rushlight.kernels.pad import reference, select

pytestmark = pytest.mark.skipif(not runtime.available(), reason="no LLVM here, or RUSHLIGHT_JIT=0")


@pytest.fixture(autouse=True)
def _every_size(limits: Any) -> Iterator[None]:
    with limits(ZERO_PAD_LEAST=1):
        yield


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
@pytest.mark.parametrize("threads", [1, 3])
def test_margins(dtype: Any, threads: int) -> None:
    """Around an image of one, two and three dimensions, of zeros and of other values."""
    rng = np.random.default_rng(0)
    before = rushlight.get_num_threads()
    rushlight.set_num_threads(threads)
    try:
        for size, padding in (
            ((5,), (3,)), ((64,), (0,)), ((37,), (20,)), ((7, 9), (1, 2)), ((1, 33), (0, 1)),
            ((40, 32), (2, 0)), ((3, 4, 5), (1, 2, 3)), ((2, 1, 17), (2, 0, 1)), ((0, 3), (1, 1)),
        ):  # fmt: skip
            x = rng.standard_normal((2, 3, *size)).astype(dtype)
            x[0, 0] = np.nan
            around = [(0, 0), (0, 0), *[(p, p) for p in padding]]
            for value in (0, -np.inf, 2.5):
                wanted = np.pad(x, around, constant_values=value)
                made = select.plan(x.dtype, x.shape, x.strides, select.both_sides(padding), value)
                assert made.name == ("pad.zero_pad" if x.size else "pad.numpy")
                got = made.run(x)
                assert got.dtype == dtype
                np.testing.assert_array_equal(got, wanted)
                np.testing.assert_array_equal(select.around(x, padding, value), wanted)
    finally:
        rushlight.set_num_threads(before)


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_sides_differ_and_crop(rng: np.random.Generator, dtype: Any) -> None:
    """More on one side than on the other, and less than nothing."""
    for shape, pad in (
        ((3, 40), (1, 5)), ((3, 40), (-3, 7)), ((2, 9, 30), (4, -20, -2, 3)), ((5,), (0, 3)),
        ((2, 3, 4, 18), (-1, 1, 2, 0, 0, -2)), ((2, 3, 4, 18), (0, 0, -4, 9, 3, 3)),
    ):  # fmt: skip
        x = rng.standard_normal(shape).astype(dtype)
        for value in (0, 1.5, float("nan")):
            made = select.plan(x.dtype, x.shape, x.strides, pad, value)
            assert made.name == "pad.zero_pad"
            np.testing.assert_array_equal(made.run(x), reference.constant(x, pad, value))


def test_pointers_give_the_bits_of_arrays(rng: np.random.Generator, on_pointers: Any) -> None:
    x = rng.standard_normal((4, 7, 9)).astype(np.float32)
    made = select.plan(x.dtype, x.shape, x.strides, (1, 2, 3, 0), 0.5)
    np.testing.assert_array_equal(on_pointers(made, x), made.run(x))
