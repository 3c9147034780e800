"""Reading and writing by index in machine code: NumPy's results, and the rest is refused."""

from __future__ import annotations

import itertools
from collections.abc import Iterator
from typing import Any

import numpy as np
import pytest

from rushlight.kernels import runtime
from rushlight.kernels.runtime import few

pytestmark = pytest.mark.skipif(not runtime.available(), reason="no machine code here")
TYPES = (np.float32, np.float64, np.int64, bool, np.complex128, np.float16)
RNG = np.random.default_rng(0)


@pytest.fixture(autouse=True)
def loaded() -> None:
    few.load()


def alike(ours: Any, numpys: Any) -> None:
    numpys = np.asarray(numpys, order="C")
    assert (ours.shape, ours.strides, ours.dtype) == (numpys.shape, numpys.strides, numpys.dtype)
    assert ours.flags.num == numpys.flags.num
    assert ours.tobytes() == numpys.tobytes()


def numbers(shape: Any, dtype: Any) -> Any:
    return np.asarray(RNG.standard_normal(shape) * 4).astype(dtype)


@pytest.mark.parametrize("dtype", TYPES)
def test_taken_is_what_numpy_takes(dtype: Any) -> None:
    for shape, own in itertools.product(
        [(5,), (5, 3), (4, 1), (3, 2, 2), (1, 3)], [(), (1,), (4,), (2, 3), (1, 2, 1)]
    ):
        table, index = numbers(shape, dtype), RNG.integers(0, shape[0], own)
        alike(few.taken(table, np.asarray(index)), table[np.asarray(index)])


@pytest.mark.parametrize("dtype", TYPES)
def test_gathered_is_take_along_axis(dtype: Any) -> None:
    for shape in [(6,), (3, 4), (1, 4), (3, 1), (2, 3, 4), (2, 1, 3)]:
        for d, shorter in itertools.product(range(-len(shape), len(shape)), (0, 1)):
            own = [max(n - shorter, 1) for n in shape]
            own[d] = 5
            a, index = numbers(shape, dtype), RNG.integers(0, shape[d], own)
            part = [slice(0, n) for n in own]
            part[d] = slice(None)
            alike(few.gathered(a, index, d), np.take_along_axis(a[tuple(part)], index, d))


def sources(dtype: Any) -> Iterator[tuple[Any, Any, int, Any, list[tuple[Any, Any]]]]:
    """(array, index, dimension, source, (place, number) of each index in order); a source may be
    longer than the indices, or one number."""
    for shape in [(6,), (3, 4), (1, 4), (3, 1), (2, 3, 4)]:
        for d, shorter, more in itertools.product(range(len(shape)), (0, 1), (0, 1, None)):
            own = [max(n - shorter, 1) for n in shape]
            own[d] = 5
            a, index = numbers(shape, dtype), RNG.integers(0, shape[d], own)
            source = numbers(() if more is None else [n + more for n in own], dtype)
            found = []
            for at in np.ndindex(*own):
                to = (*at[:d], index[at], *at[d + 1 :])
                found.append((to, source if more is None else source[at]))
            yield a, index, d, source, found


@pytest.mark.parametrize("dtype", TYPES)
def test_placed_is_put_along_axis(dtype: Any) -> None:
    """Of several at one place the last one stays."""
    for a, index, d, source, found in sources(dtype):
        want, before = a.copy(), a.copy()
        for to, number in found:
            want[to] = number
        alike(few.placed(a, index, d, source), want)
        assert a.tobytes() == before.tobytes()


@pytest.mark.parametrize("dtype", [np.float32, np.int64])
def test_added_is_add_at(dtype: Any) -> None:
    """Of several at one place all count, in their order."""
    for a, index, d, source, found in sources(dtype):
        want, before = a.copy(), a.copy()
        for to, number in found:
            want[to] += number
        alike(few.added(a, index, d, source), want)
        assert a.tobytes() == before.tobytes()


def test_hot_has_ones_at_the_indices() -> None:
    for own, n in itertools.product([(), (1,), (4,), (2, 3)], (1, 2, 7)):
        index = np.asarray(RNG.integers(0, n, own))
        alike(few.hot(index, n), np.eye(n, dtype=np.int64)[index])


def test_ranked_are_the_places_of_a_stable_order() -> None:
    for shape, ties in itertools.product([(1,), (7,), (100,), (3, 5), (2, 3, 40)], (2, 1000)):
        a = RNG.integers(-ties, ties, shape).astype(np.float32)
        a[..., ::3] = -0.0
        if a.shape[-1] > 4:
            a[..., 1], a[..., 3] = np.nan, np.inf
            a[..., 4] = np.nan
        for largest in (False, True):
            key = np.where(np.isnan(a), np.inf, -a if largest else a)
            least = -np.inf if largest else np.inf
            order = np.lexsort((np.where(np.isnan(a), least, key), np.isnan(a) ^ largest))
            for k in {1, 2, shape[-1]} - {n for n in (1, 2) if n > shape[-1]}:
                alike(few.ranked(a, k, largest), order[..., :k].copy())
    a = np.zeros((3, 4), np.float32)
    for x, k, how in (
        (a, 0, True), (a, 5, True), (a, -1, True), (a, 2, 1), (a, 2.0, True), (a.T, 2, True),
        (a.astype(np.float64), 2, True), (a[0, 0], 1, True), (a[:0], 1, True), (None, 1, True),
        (np.zeros(5000, np.float32), 1, True), (np.zeros(4000, np.float32), 17, True),
    ):  # fmt: skip
        assert few.ranked(x, k, how) is None


def test_the_rest_is_refused() -> None:
    a, index = numbers((3, 4), np.float32), np.zeros((3, 2), np.int64)
    wrong = [
        index + 4, index - 1, index.astype(np.int32), index.T, index[:0], index[0], index[None],
        np.zeros((4, 2), np.int64), np.zeros((3, 5000), np.int64), index.tolist(), None,
        np.broadcast_to(index[:1], (3, 2)),
    ]  # fmt: skip
    one = np.float32(2).reshape(())
    for other in wrong:
        assert few.gathered(a, other, 1) is None
        assert few.placed(a, other, 1, one) is None
        assert few.added(a, other, 1, one) is None
    for d in (2, -3, True, 1.0, None, 1 << 70):
        assert few.gathered(a, index, d) is None
        assert few.placed(a, index, d, one) is None
    for dtype in (np.float64, np.int32, np.bool_):
        assert few.added(a.astype(dtype), index, 1, a.astype(dtype)) is None
    for source in (np.float64(2).reshape(()), a[:, :1], a[0], a.T, 2.0, np.zeros((1, 1), "f4")):
        assert few.placed(a, index, 1, source) is None
        assert few.added(a, index, 1, source) is None
    for other in (a.T, a[:, ::2], a[0, 0], None, a[:0]):
        assert few.gathered(other, index, 1) is None
        assert few.placed(other, index, 1, one) is None
    for other in (index + 3, index - 1, index.astype(np.int32), index.T, index[:0], None):
        assert few.taken(a, other) is None
    for other in (a.T, a[:0], a[:, :0], np.zeros(()), np.array(["a"]), np.array([None])):
        assert few.taken(other, index) is None
    assert few.taken(a, np.zeros((1,) * 8, np.int64)) is None
    assert few.taken(a, np.zeros(2000, np.int64)) is None
    for n in (0, -1, 1.0, True, 4097, 1 << 70):
        assert few.hot(index, n) is None
    for other in (index + 3, index - 1, index.T, index[:0], index.astype(np.int32), 1):
        assert few.hot(other, 3) is None


def test_no_reference_is_lost() -> None:
    import sys

    a, index, one = numbers((3, 4), np.float32), np.zeros((3, 2), np.int64), np.zeros((), "f4")
    counted = (a, index, one, a.dtype, index.dtype, None)
    before = [sys.getrefcount(x) for x in counted]
    for i in (index, index + 9):
        for _ in range(100):
            few.taken(a, i), few.gathered(a, i, 1), few.placed(a, i, 1, one), few.hot(i, 3)
            few.added(a, i, 1, one)
            few.expanded(a[:1], (2, 4)), few.assigned(a, a), few.apart(a, index)
    for x, n in zip(counted, before, strict=True):
        assert abs(sys.getrefcount(x) - n) < 50


def test_inside_looks_at_all_numbers() -> None:
    index = np.arange(1000).reshape(10, 100)
    for n in (1000, 1001, 1 << 40):
        assert few.inside(index, n) is True
    for n in (999, 0, -5):
        assert few.inside(index, n) is False
    for at in (0, 1, 17, 999):
        for value in (-1, 1000, -(1 << 63), (1 << 63) - 1):
            other = index.copy()
            other.reshape(-1)[at] = value
            assert few.inside(other, 1000) is False
    assert few.inside(np.zeros(0, np.int64), 0) is True
    assert few.inside(np.array(3), 4) is True
    for other in (index.T, index[:, ::2], index.astype(np.int32), index.astype(float), [1], None):
        assert few.inside(other, 1000) is None
    assert few.inside(index, 1 << 70) is None
    assert few.inside(index, 1000.0) is None
