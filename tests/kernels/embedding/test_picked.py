"""Elements picked along a dimension by a kernel: NumPy's, for every type and layout; indices that
are out of range are told, not read by."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from rushlight.kernels import runtime
from rushlight.kernels.embedding import along, gather, select

pytestmark = pytest.mark.skipif(not runtime.available(), reason="no LLVM here, or RUSHLIGHT_JIT=0")
CASES = [((64, 30), (64, 40), 1), ((64, 30), (50, 40), 1), ((64, 30), (900, 30), 0),
         ((6, 70, 5), (4, 300, 5), 1), ((900,), (20000,), 0), ((3, 50, 7, 11), (3, 15, 7, 11), 1),
         ((40, 3, 1), (40, 90, 1), 1)]  # fmt: skip


@pytest.mark.parametrize("dtype", ["float32", "float64", "int64", "int16", "bool", "complex64"])
@pytest.mark.parametrize(("shape", "of_index", "d"), CASES)
def test_all_layouts(dtype: str, shape: Any, of_index: Any, d: int, rng: Any) -> None:
    a, index = rng.integers(0, 100, shape).astype(dtype), rng.integers(0, shape[d], of_index)
    wanted = gather.gather(a, index, d)
    for x in (a, np.asfortranarray(a)):
        for i in (index, index.astype(np.int32), np.asfortranarray(index)):
            for known in (False, True):
                found = select.elements(x, i, d, known=known)
                assert found.dtype == a.dtype
                assert found.flags.c_contiguous
                np.testing.assert_array_equal(found, wanted)
    some = np.where(index % 3 == 0, index - shape[d], index)
    np.testing.assert_array_equal(select.elements(a, some, d, wraps=True), wanted)


def test_the_same_with_any_number_of_threads(rng: Any, by_threads: Any) -> None:
    a, index = rng.random((300, 200)), rng.integers(0, 200, (300, 170))
    found = by_threads(lambda: select.elements(a, index, 1))
    np.testing.assert_array_equal(found, gather.gather(a, index, 1))


@pytest.mark.parametrize("place", [0, 5000, 12799])
def test_an_index_out_of_range_is_told(place: int, rng: Any) -> None:
    a = rng.random((64, 200))
    for wraps, low in ((False, -1), (True, -201)):
        for bad in (200, low, 1 << 62, -(1 << 62)):
            index = rng.integers(0, 200, (64, 200))
            index.reshape(-1)[place] = bad
            assert select.elements(a, index, 1, wraps=wraps) is None


def test_what_is_left_to_numpy(rng: Any) -> None:
    a, index = rng.random((8, 9, 400)), np.zeros((8, 9, 400), np.int64)
    assert select.by_kernel(a, index, 2)
    assert not select.by_kernel(a, index[:, :5], 2)  # shorter in the middle
    assert not select.by_kernel(a.astype(np.complex128), index, 2)
    assert not select.by_kernel(a.astype(object), index, 2)
    assert not select.by_kernel(np.asfortranarray(a), index[..., :300], 2)  # few of many
    assert not select.by_kernel(a[0], index, 1)


@pytest.mark.parametrize("shape", [(7,), (5, 700), (3, 4, 700)])
def test_single_elements_along_the_last_dimension(shape: Any, rng: Any) -> None:
    a = rng.random(shape)
    index = rng.integers(0, shape[-1], 900)
    assert along.pays(a, index, len(shape) - 1)
    found = along.take(a, index, len(shape) - 1)
    np.testing.assert_array_equal(found, np.take(a, index, -1))
