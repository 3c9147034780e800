"""Sparse arrays: between coordinates, compressed rows and columns, and dense arrays."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from rushlight.kernels.sparse import arrays
from rushlight.kernels.sparse.arrays import Compressed, Coo


def made(rng: Any, shape: tuple[int, ...] = (5, 7)) -> Any:
    dense = rng.integers(-2, 3, shape).astype(np.float32)
    dense[rng.random(shape) < 0.5] = 0
    return dense


@pytest.mark.parametrize("sparse_dim", [0, 1, 2, 3])
def test_coordinates_and_back(rng: Any, sparse_dim: int) -> None:
    dense = made(rng, (4, 3, 2))
    coo = Coo(*arrays.parts_of(dense, sparse_dim), dense.shape, True)
    assert coo.sparse_dim == sparse_dim
    assert (coo.ndim, coo.size, coo.dtype, len(coo)) == (3, 24, np.float32, 4)
    assert np.array_equal(arrays.dense_of(coo), dense)


@pytest.mark.parametrize("by_row", [True, False])
def test_compressed_and_back(rng: Any, by_row: bool) -> None:
    dense = made(rng)
    coo = Coo(*arrays.parts_of(dense, 2), dense.shape, True)
    matrix = arrays.compressed(coo, by_row=by_row)
    assert matrix.__class__ is Compressed
    assert len(matrix.pointers) == dense.shape[0 if by_row else 1] + 1
    assert np.array_equal(arrays.dense_of(matrix), dense)
    back = arrays.coo_of(matrix)
    assert back.coalesced == by_row
    assert np.array_equal(arrays.coalesced(back).indices, coo.indices)


def test_equal_coordinates_are_added_up() -> None:
    coo = Coo(np.array([[1, 0, 1], [2, 0, 2]]), np.array([1.0, 2.0, 3.0]), (2, 3))
    once = arrays.coalesced(coo)
    assert once.coalesced
    assert once.indices.tolist() == [[0, 1], [0, 2]]
    assert once.values.tolist() == [2.0, 4.0]
    truths = Coo(np.array([[0, 0]]), np.array([True, True]), (1,))
    assert arrays.coalesced(truths).values.tolist() == [True]


def test_sums(rng: Any) -> None:
    a, b = made(rng), made(rng)
    x = Coo(*arrays.parts_of(a, 2), a.shape, True)
    y = Coo(*arrays.parts_of(b, 2), b.shape, True)
    assert np.array_equal(arrays.dense_of(x + y), a + b)
    assert np.array_equal(arrays.dense_of(arrays.compressed(x) + y), a + b)
    assert np.array_equal(x + b, a + b)
    assert np.array_equal(arrays.added(a, y, 3), a + 3 * b)


def test_coordinates_as_numbers(rng: Any) -> None:
    shape = (3, 4, 5)
    places = np.stack([rng.integers(0, n, 9) for n in shape])
    keys = arrays.keys_of(places, shape)
    assert keys.tolist() == np.ravel_multi_index(tuple(places), shape).tolist()
    assert np.array_equal(arrays.places_of(keys, shape), places)


def test_looked_up() -> None:
    coo = Coo(np.array([[0, 2, 5]]), np.ones(3), (9,), True)
    at, there = arrays.looked_up(coo, np.array([[2, 3, 8, 0]]))
    assert there.tolist() == [True, False, False, True]
    assert at[there].tolist() == [1, 0]
    nothing = Coo(np.zeros((1, 0), np.int64), np.zeros(0), (9,), True)
    assert not arrays.looked_up(nothing, np.array([[2]]))[1].any()


def test_no_ndarray_unasked(rng: Any) -> None:
    coo = Coo(*arrays.parts_of(made(rng), 2), (5, 7), True)
    with pytest.raises(NotImplementedError, match="does not become an ndarray"):
        np.asarray(coo)
    copy = coo.copy()
    copy.values[...] = 0
    assert coo.values.any()
    assert coo.astype(np.float64).dtype == np.float64
