"""Single elements added at indices by machine code: the bits of NumPy's `add.at`."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np
import pytest

import rushlight
from rushlight.kernels import runtime
from rushlight.kernels.sparse import select

pytestmark = pytest.mark.skipif(not runtime.available(), reason="no LLVM here, or RUSHLIGHT_JIT=0")


@pytest.fixture(autouse=True)
def _every_size(limits: Any) -> Iterator[None]:
    with limits(CSR_SLICES_LEAST=1, CSR_NARROW=2):
        yield


def made(rng: Any, shape: tuple[int, ...], d: int, count: int, dtype: Any = np.float32) -> Any:
    """(out, index, source)."""
    wide = (*shape[:d], count, *shape[d + 1 :])
    out, source = (rng.standard_normal(s).astype(np.float64) * 99 for s in (shape, wide))
    return out.astype(dtype), rng.integers(0, shape[d], wide), source.astype(dtype)


@pytest.mark.parametrize("dtype", [np.float32, np.float64, np.int64, np.int32, np.float16])
@pytest.mark.parametrize("shape", [(50,), (7, 3), (3, 7), (2, 5, 20), (1, 9, 1), (40, 2, 3)])
def test_along_each_dimension(rng: Any, shape: tuple[int, ...], dtype: Any) -> None:
    for d in range(len(shape)):
        out, index, source = made(rng, shape, d, 30, dtype)
        wanted = out.copy()
        np.add.at(wanted, select.grid(index, d), source)
        for i in (index, index.astype(np.int32), np.asfortranarray(index), index - shape[d]):
            found = out.copy()
            select.scatter_add(found, i, np.asfortranarray(source), d)
            np.testing.assert_array_equal(found, wanted)


def test_in_a_part_of_an_array(rng: Any) -> None:
    """Where an index is shorter along other dimensions, or an array does not lie dense."""
    out, index, source = made(rng, (6, 9), 0, 30)
    for array, k in ((out.copy(), 5), (np.asfortranarray(out), 9)):
        wanted = array.copy()
        np.add.at(wanted, select.grid(index[:, :k], 0), source[:, :k])
        select.scatter_add(array, index[:, :k], source[:, :k], 0)
        np.testing.assert_array_equal(array, wanted)


def test_in_a_line(rng: Any) -> None:
    out, index, source = made(rng, (30,), 0, 400)
    wanted, found = out.copy(), out.copy()
    np.add.at(wanted, index, source)
    select.add_slices(found, index, source, 0)
    np.testing.assert_array_equal(found, wanted)


def test_an_index_outside_writes_nothing(rng: Any) -> None:
    out, index, source = made(rng, (6, 9), 1, 30)
    before = out.copy()
    for bad in (9, -10):
        index[5, 3] = bad
        with pytest.raises(IndexError, match="out of bounds"):
            select.scatter_add(out, index, source, 1)
    np.testing.assert_array_equal(out, before)


@pytest.mark.parametrize("d", [0, 1, 2])
@pytest.mark.parametrize("threads", [2, 3, 8])
def test_the_same_bits_for_any_number_of_threads(rng: Any, threads: int, d: int) -> None:
    before = rushlight.get_num_threads()
    out, index, source = made(rng, (9, 40, 50), d, 3000 if d else 300)
    one, more = out.copy(), out.copy()
    try:
        rushlight.set_num_threads(1)
        select.scatter_add(one, index, source, d)
        rushlight.set_num_threads(threads)
        select.scatter_add(more, index, source, d)
    finally:
        rushlight.set_num_threads(before)
    np.testing.assert_array_equal(more, one)
    np.add.at(out, select.grid(index, d), source)
    np.testing.assert_array_equal(more, out)


@pytest.mark.parametrize("dtype", [np.float32, np.float64, np.int64, np.int16, bool, np.complex64])
@pytest.mark.parametrize("shape", [(50,), (7, 3), (3, 7), (2, 5, 20), (1, 9, 1), (40, 2, 3)])
def test_elements_written(rng: Any, shape: tuple[int, ...], dtype: Any) -> None:
    for d in range(len(shape)):
        out, index, source = made(rng, shape, d, 30, dtype)
        for x in (source, np.asfortranarray(source), np.array(1).astype(dtype)):
            wanted, found = out.copy(), out.copy()
            wanted[select.grid(index, d)] = x  # of those that meet the last one stays
            select.scatter(found, index, x, d, known=True)
            np.testing.assert_array_equal(found, wanted)


def test_for_the_first_columns(rng: Any) -> None:
    """An index may be shorter along the first dimension, and a source lie apart."""
    out, index, source = made(rng, (9, 40), 1, 300)
    wanted, found = out.copy(), out.copy()
    np.add.at(wanted, select.grid(index[:5], 1), source[:5])
    assert select.at_columns(out, index[:5], source[:5], 1)
    select.scatter_add(found, index[:5], np.repeat(source, 2, 1)[:5, ::2], 1)
    np.testing.assert_array_equal(found, wanted)
