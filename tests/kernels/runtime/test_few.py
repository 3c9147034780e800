"""Small steps in machine code: what they make is what NumPy makes, and they refuse the rest."""

from __future__ import annotations

import itertools
from typing import Any

import numpy as np
import pytest

import rushlight
from rushlight.kernels import runtime
from rushlight.kernels.runtime import few

pytestmark = pytest.mark.skipif(not runtime.available(), reason="no machine code here")
TYPES = (np.float32, np.float64, np.int64, bool, np.complex128, np.uint8)


@pytest.fixture(autouse=True)
def loaded() -> None:
    few.load()


class Sub(np.ndarray):
    """An array of another class."""


@pytest.mark.parametrize("dtype", [*TYPES, np.float16, np.int32, np.int8])
def test_assigned_is_copyto(dtype: Any) -> None:
    for shape in ((), (1,), (7,), (2, 3), (1, 2, 1)):
        a = np.asarray(np.arange(np.prod(shape, dtype=int)).reshape(shape) + 1).astype(dtype)
        to = np.zeros((*shape, 2), dtype).reshape(-1)
        assert few.assigned(to[: a.size].reshape(shape), a) is True
        assert to.tobytes() == np.concatenate([a.reshape(-1), np.zeros(a.size, dtype)]).tobytes()
    line = np.arange(8).astype(dtype)
    want = line[:-1].copy()
    assert few.assigned(line[1:], line[:-1]) is True
    assert line[1:].tobytes() == want.tobytes()


def test_assigned_refuses_the_rest() -> None:
    a = np.ones((2, 3), np.float32)
    fixed = np.zeros((2, 3), np.float32)
    fixed.flags.writeable = False
    empty = np.zeros((2, 3), np.float32)
    for to, given in (
        (fixed, a), (empty, a.astype(np.float64)), (empty, a[0]), (empty, a.T.copy().T),
        (empty, 1.0), (empty.view(Sub), a), (np.zeros((3, 2), np.float32), a), (empty[:, :2], a),
        (np.zeros(5000), np.ones(5000)), (np.array(["a"]), np.array(["b"])),
        (np.array([None]), np.array([None])),
    ):  # fmt: skip
        assert few.assigned(to, given) is None
    assert not empty.any()


def test_apart_is_not_sharing_memory() -> None:
    whole = np.arange(24.0)
    parts = [whole, whole[:6], whole[5:8], whole[6:], whole[6:7], whole[3:3]]
    parts += [whole.reshape(4, 6)[1]]
    parts += [whole.astype(np.float32), np.zeros(())]
    for a, b in itertools.product(parts, parts):
        apart = few.apart(a, b)
        assert apart in (True, None)
        if a.size and b.size:
            assert bool(apart) is not np.shares_memory(a, b)
    assert few.apart(whole[::2], np.zeros(3)) is None
    assert few.apart(whole, None) is None


# -- keys of plans ---------------------------------------------------------------------------------


def test_layouts_differ_where_plans_may() -> None:
    a = np.zeros((2, 3), np.float32)
    things = [
        a, a.T, a[:, :2], a[:1], a[0], np.zeros((), np.float32), np.zeros((3, 2), np.float32),
        np.zeros((2, 3, 1), np.float32), np.zeros((2, 3), np.int32), np.zeros((2, 3), np.float64),
        np.zeros((2, 3), ">f4"), np.zeros((2, 3), np.uint32), np.broadcast_to(a[0], (2, 3)),
        np.zeros(25, np.uint8)[1:].view(np.float32).reshape(2, 3),
        np.zeros((2, 3), rushlight.bfloat16.np), np.zeros((2, 3), rushlight.float8_e5m2.np),
        "", "mean", "sum", "none", None, True, False, 0, 1, -1, 1 << 40, 0.0, 1.0, -0.0, 2.5, (),
        (0,), (1,), (0, 0), (1, 2),
    ]  # fmt: skip
    keys = [few.layouts(thing) for thing in things]
    assert None not in keys
    assert len(set(keys)) == len(keys)
    pairs = [few.layouts(x, y) for x in things for y in things]
    assert len(set(pairs)) == len(pairs)


def test_layouts_are_equal_where_plans_are() -> None:
    a = np.zeros((4, 6), np.float32)
    assert few.layouts(a, None, 2.5) == few.layouts(np.ones_like(a), None, 5 / 2)
    assert few.layouts(a[:2]) == few.layouts(a[2:])
    assert few.layouts() == b""


def test_what_has_no_key() -> None:
    a = np.zeros(3, np.float32)
    other = [
        a.view(Sub), np.zeros(3, "V4"), np.zeros(3, "U4"), np.zeros(3, object), "a" * 17, (1, "a"),
        "\ud800", (1.0,), [1], 1 << 70, np.float32(1), np.broadcast_to(a[:1], 1 << 33), (1,) * 9,
        np.zeros(3, "datetime64[s]"), np.zeros((1,) * 9),
    ]  # fmt: skip
    for thing in other:
        assert few.layouts(thing) is None
        assert few.layouts(a, thing, a) is None
    assert few.layouts(*[a] * 13) is None


def test_kinds_are_layouts_without_the_values_of_numbers() -> None:
    a = np.zeros((2, 3), np.float32)
    assert few.kinds(a, 1.5, 3) == few.kinds(np.ones_like(a), 2.5, -7)
    things = [a, a.T, None, 1, 1.0, True, False, "none", "tanh", (1, 2), (1, 3)]
    assert len({few.kinds(x) for x in things}) == len(things)
    for x in (a, None, True, "none", (1, 2)):
        assert few.kinds(x) == few.layouts(x)
    assert few.kinds(1 << 70) is None
    assert few.kinds(np.float64(1.0)) is None


@pytest.mark.parametrize("where", ["machine code", "Python"])
def test_of_classes(where: str) -> None:
    check = few.of_classes if where == "machine code" else few.of_classes_by_python
    classes, inner = {int, str, np.ndarray}, {int, float}
    for things, expected in (
        ((), True), ((1, "a"), True), ((1, 2.5), False), ((1, (1, 2.0)), True), ((1, ()), True),
        ((1, (1, "a")), False), (((1,), None), False), ((np.zeros(2), (1,)), True),
        ((True,), False), ((np.float64(1),), False), ((Sub((2,)),), False), (([1],), False),
    ):  # fmt: skip
        assert check(things, classes, inner) is expected
    assert check((1, 2), set(), inner) is False
    odd = type("Meta", (type,), {"__hash__": None})("Odd", (), {})()
    assert check((1, odd), classes, inner) is False
    assert check(((1, odd),), classes, inner) is False
    assert check(((1,), 1), {tuple, int}, set()) is True
