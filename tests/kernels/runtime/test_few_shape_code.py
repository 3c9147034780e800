"""Views and joined arrays in machine code: what they make is what NumPy makes, nobody can tell."""

from __future__ import annotations

import itertools
from typing import Any

import numpy as np
import pytest

from rushlight.kernels import runtime
from rushlight.kernels.runtime import few

pytestmark = pytest.mark.skipif(not runtime.available(), reason="no machine code here")
TYPES = (np.float32, np.float64, np.int64, bool, np.complex128, np.uint8)


@pytest.fixture(autouse=True)
def loaded() -> None:
    few.load()


def alike(ours: Any, numpys: Any) -> bool:
    """Whether nobody can tell two arrays apart."""
    flags = [(x.flags.num, x.shape, x.strides, x.dtype, x.__class__) for x in (ours, numpys)]
    return flags[0] == flags[1] and ours.tobytes() == numpys.tobytes()


def shapes(n: int) -> Any:
    """Shapes of n elements, with and without sizes of 1."""
    for k in range(4):
        for shape in itertools.product((1, 2, 3, 4, 6, 12, 24), repeat=k):
            if np.prod(shape, dtype=int) == n:
                yield shape


def test_another_shape_is_numpys() -> None:
    for old, new in itertools.product(shapes(24), shapes(24)):
        a = np.arange(24.0, dtype=np.float32).reshape(old)
        got = few.reshaped(a, new)
        want = a.reshape(new)
        assert alike(got, want)
        assert got.base is want.base
        for i in range(len(new)):
            assert alike(few.reshaped(a, (*new[:i], -1, *new[i + 1 :])), want)


@pytest.mark.parametrize("dtype", TYPES)
def test_types_owners_and_flags(dtype: Any) -> None:
    whole = np.arange(12).astype(dtype)
    for a in (whole, whole[4:8], whole.reshape(3, 4), np.ones((), dtype), np.ones((1, 1), dtype)):
        for write in (True, False):
            b = a.view()
            b.flags.writeable = write
            got, want = few.reshaped(b, (-1, 1, 1)), b.reshape(-1, 1, 1)
            assert alike(got, want)
            assert got.base is want.base


def test_sizes_of_one_with_odd_strides() -> None:
    a = np.ndarray((1, 4), np.float32, np.arange(4.0, dtype=np.float32), 0, (400, 4))
    for shape in ((4, 1), (2, 2), (1, 4), (-1, 4), (1, -1), (1, 1, 4)):
        assert alike(few.reshaped(a, shape), a.reshape(shape))


class Sub(np.ndarray):
    """An array of another class."""


def test_other_operands_are_refused() -> None:
    a = np.zeros((4, 6), np.float32)
    for shape in (
        (5, 5), (-1, -1), (-2, 12), (0, -1), (7, -1), (24.0,), (True, 24), [24], (1 << 70, -1),
        (1 << 40, 1 << 40), (np.int64(24),), (1,) * 9,
    ):  # fmt: skip
        assert few.reshaped(a, shape) is None
    for other in (a.T, a[:, :3], a[:0], a.view(Sub), None, 1.0, "text"):
        assert few.reshaped(other, (-1,)) is None


def test_any_strides(rng: np.random.Generator) -> None:
    """Views as NumPy's where there is one, None where it copies: of parts, turned, repeated and
    reversed arrays, and of those with dims of one element."""
    views = 0
    for _ in range(3000):
        whole = np.zeros(rng.integers(1, 5, rng.integers(1, 6)) * 2, np.float32)
        cut = [slice(0, n // 2 * 2, rng.choice([1, 1, 1, 2])) if rng.random() < 0.7
               else slice(0, rng.integers(1, n + 1)) for n in whole.shape]  # fmt: skip
        a = whole[tuple(cut)]
        if rng.random() < 0.5:
            a = a.transpose(rng.permutation(a.ndim))
        if rng.random() < 0.2:
            a = np.broadcast_to(a, (2, *a.shape))
        if rng.random() < 0.2:
            a = a[::-1]
        left, shape = a.size, []
        while left > 1 and len(shape) < 6:
            n = int(rng.choice([d for d in range(2, left + 1) if left % d == 0]))
            shape.append(n)
            left //= n
        if left > 1 or rng.random() < 0.3:
            shape.append(left)
        for _ in range(rng.integers(0, 2)):
            shape.insert(int(rng.integers(0, len(shape) + 1)), 1)
        try:
            want = a.reshape(shape, copy=False)
        except ValueError:
            want = None
        got = few.reshaped(a, tuple(shape))
        if want is None:
            assert got is None
            continue
        views += 1
        assert alike(got, want)
        assert got.base is want.base
    assert 500 < views < 2900


def test_no_reference_is_lost() -> None:
    import sys

    a, shape = np.zeros((4, 6), np.float32), (24,)
    counted = (a, shape, a.dtype, None, False)
    before = [sys.getrefcount(x) for x in counted]
    for _ in range(100):
        few.reshaped(a, shape)
        few.reshaped(a, (5,))
        few.joined((a, a), 0)
        few.joined((a, a.T), 0)
        few.joined((a, a), 7)
    for x, n in zip(counted, before, strict=True):
        assert abs(sys.getrefcount(x) - n) < 50


def test_joined_is_concatenate() -> None:
    for shape in [(3,), (1,), (2, 3), (1, 3), (2, 1), (1, 1), (2, 3, 4), (1, 2, 1), (2, 1, 3)]:
        for d in range(-len(shape), len(shape)):
            for sizes in ((1, 2), (3,), (2, 2, 1)):
                parts = []
                for i, n in enumerate(sizes):
                    own = list(shape)
                    own[d] = n
                    part = np.arange(np.prod(own)).reshape(own) + 100 * i
                    parts.append(part.astype(np.float32))
                want = np.concatenate(parts, axis=d)
                got = few.joined(tuple(parts), d)
                assert got.flags.owndata
                assert got.tobytes() == want.tobytes()
                assert got.shape == want.shape
                assert alike(got, np.ascontiguousarray(want))
                assert got.strides == want.strides or not want.flags.c_contiguous


def test_beside_finds_the_whole_of_its_parts() -> None:
    """What would be joined or stacked is a view where it lies in one array like that."""
    whole = np.arange(120, dtype=np.float32).reshape(2, 3, 4, 5)
    for order in ((0, 1, 2, 3), (1, 0, 2, 3), (3, 1, 0, 2)):
        a = whole.transpose(order)
        for d in range(4):
            for cuts in ([1], [1, 2], range(1, a.shape[d])):
                cuts = [n for n in cuts if n < a.shape[d]]
                parts = tuple(np.split(a, cuts, d))
                got = few.beside(parts, d, False)
                assert alike(got, a)
                assert got.base is parts[0].base
            rows = tuple(np.moveaxis(a, d, 0))
            for new in range(4):
                got = few.beside(rows, new, True)
                np.testing.assert_array_equal(got, np.stack(rows, new))
                assert np.shares_memory(got, whole)


def test_beside_refuses_what_lies_otherwise() -> None:
    whole = np.arange(24, dtype=np.float32).reshape(4, 6).copy()
    a, b = whole[:, :2], whole[:, 2:]
    assert few.beside((a, b), 1, False) is not None
    own = np.zeros((4, 2), np.float32)
    windows = np.lib.stride_tricks.as_strided(whole[0], (2, 12), (4, 8))
    for parts, d, new in (
        ((b, a), 1, False), ((a, b), 0, False), ((a,), 1, False), ((own, own), 1, False),
        ((whole[:2], whole[3:]), 0, False), ((whole[:2, :3], whole[2:, :3]), 0, False),
        ((a, a), 0, True), ((whole[0], whole[2]), 0, True), ((whole[0],), 0, True),
        ((whole[:, ::2], whole[:, 1::2]), 1, False), ([a, b], 1, False), ((a, None), 1, False),
        ((a, b.view(np.int32)), 1, False), ((a, b.astype(np.float64)), 1, False), ((), 0, False),
        ((a, b), 2, False), ((a, b), -1, False), ((a[:0], b[:0]), 1, False),
        ((windows[0], windows[1]), 0, True), ((a.view(Sub), b.view(Sub)), 1, False),
    ):  # fmt: skip
        assert few.beside(parts, d, new) is None
    del whole


@pytest.mark.parametrize("dtype", TYPES)
def test_joined_of_types(dtype: Any) -> None:
    a = np.arange(6).astype(dtype).reshape(2, 3)
    assert alike(few.joined((a, a, a), 1), np.concatenate((a, a, a), axis=1))


def test_joined_refuses_the_rest() -> None:
    a = np.zeros((2, 3), np.float32)
    for arrays, d in (
        ((a, a.astype(np.float64)), 0), ((a, a.T), 0), ((a, a[:, ::2]), 0), ((a, a[0]), 0),
        ((a, np.zeros((2, 4), np.float32)), 0), ((a, a), 2), ((a, a), -3), ((a, a), True),
        ((a, a), 1 << 80), ((), 0), ([a, a], 0), ((a,) * 17, 0), ((a, a.view(Sub)), 0),
        ((a, None), 0), ((a[:0], a), 0), ((a[None, None], a[None, None]), 0),
        ((np.zeros(4000, np.float32), np.zeros(4000, np.float32)), 0), ((a[0, 0], a[0, 0]), 0),
    ):  # fmt: skip
        assert few.joined(arrays, d) is None


def places(a: Any) -> list[int]:
    """The strides that mean something."""
    return [s for s, n in zip(a.strides, a.shape, strict=True) if n > 1]


def test_expanded_is_broadcast_to() -> None:
    for old in ((), (1,), (3,), (1, 1), (3, 1), (1, 4), (3, 4), (2, 1, 3)):
        whole = np.arange(np.prod(old, dtype=int)).reshape(old).astype(np.float32)
        for a in (whole, np.asfortranarray(whole), whole.astype(np.int64)):
            for new in itertools.product((1, 2, 3, 4), repeat=len(old) + 1):
                for shape in (new, new[1:]):
                    try:
                        want = np.broadcast_to(a, shape)
                    except ValueError:
                        assert few.expanded(a, shape) is None
                        continue
                    got = few.expanded(a, shape)
                    assert (got.shape, got.dtype) == (shape, a.dtype)
                    assert got.base is (a if a.base is None else a.base)
                    assert got.tobytes() == want.tobytes()
                    assert got.flags.writeable
                    assert places(got) == places(want)
    a = np.zeros((1, 3), np.float32)
    assert few.expanded(a, (-1, -1)).shape == (1, 3)
    assert few.expanded(a[0], (2, -1)).shape == (2, 3)
    a.flags.writeable = False
    assert not few.expanded(a, (2, 3)).flags.writeable
    for other in ((3,), (0, 3), (-2, 3), (2, 4), (-1, 1, 3), (2.0, 3), [2, 3], (1,) * 9, None):
        assert few.expanded(a, other) is None
    for other in (a.view(Sub), a[:0], None):
        assert few.expanded(other, (2, 3)) is None
