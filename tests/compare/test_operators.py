"""Python's operators over all pairs of types: values, result types and refusals."""

from __future__ import annotations

import itertools
import operator
import warnings

import numpy as np
import pytest

import rushlight

torch = pytest.importorskip("torch")

TYPES = [
    "bool",
    "uint8",
    "int8",
    "int16",
    "int32",
    "int64",
    "float16",
    "bfloat16",
    "float32",
    "float64",
    "complex64",
]
NUMBERS = [True, False, 2, 2.5, 1 + 2j, -1]
SCALARS = [np.float32(2.0), np.int64(2), np.float64(1.5)]
BINARY = [
    "add",
    "sub",
    "mul",
    "truediv",
    "floordiv",
    "mod",
    "pow",
    "and_",
    "or_",
    "xor",
    "lshift",
    "rshift",
]
COMPARE = ["lt", "le", "gt", "ge", "eq", "ne"]
IN_PLACE = [
    "iadd",
    "isub",
    "imul",
    "itruediv",
    "ifloordiv",
    "imod",
    "ipow",
    "iand",
    "ior",
    "ixor",
    "ilshift",
    "irshift",
]


def outcome(fn, a, b):
    """(type, shape, values) of a result, or the error's class."""
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            y = fn(a, b)
    except (RuntimeError, TypeError) as e:
        return type(e)
    d = str(y.dtype).removeprefix("torch.")
    y = y.float() if d in ("bfloat16", "float16") else y
    return None if d == "complex32" else (d, tuple(y.shape), np.asarray(y.numpy()))


def agree(ours, theirs, where):
    if theirs is None or (
        isinstance(theirs, type) and issubclass(theirs, NotImplementedError) and "float16" in where
    ):
        return  # PyTorch has half-precision complex numbers
    if isinstance(theirs, type) or isinstance(ours, type):
        assert isinstance(theirs, type), (where, ours, theirs)
        assert isinstance(ours, type), (where, ours, theirs)
        assert issubclass(ours, theirs) or issubclass(theirs, ours), (where, ours, theirs)
        return
    assert ours[:2] == theirs[:2], (where, ours, theirs)
    rtol = 2e-2 if ours[0] in ("bfloat16", "float16") or "bfloat16" in where else 1e-5
    np.testing.assert_allclose(ours[2], theirs[2], rtol=rtol, err_msg=str(where))


def value(lib, kind, data):
    return lib.tensor(data).to(getattr(lib, kind))


def pairs():
    for a, b in itertools.product(TYPES, TYPES):
        for left, right in itertools.product([[3, 1, 2], 3], [[2, 3, 1], 2]):
            yield a, left, b, right


@pytest.mark.parametrize("name", BINARY + COMPARE)
def test_tensors(name):
    fn = getattr(operator, name)
    for a, left, b, right in pairs():
        got = [outcome(fn, value(lib, a, left), value(lib, b, right)) for lib in (rushlight, torch)]
        agree(*got, (name, a, left, b, right))


@pytest.mark.parametrize("name", BINARY + COMPARE)
def test_numbers_on_both_sides(name):
    fn = getattr(operator, name)
    for a, data, number in itertools.product(TYPES, [[3, 1, 2], 3], NUMBERS):
        if name == "pow" and a == "bool":
            continue  # PyTorch computes bool ** True, and nothing else of the kind
        got = [outcome(fn, value(lib, a, data), number) for lib in (rushlight, torch)]
        agree(*got, (name, a, data, number))
        got = [outcome(fn, number, value(lib, a, data)) for lib in (rushlight, torch)]
        agree(*got, (name, number, a, data))


@pytest.mark.parametrize("name", ["add", "sub", "mul", "truediv", "pow"])
@pytest.mark.parametrize("scalar", SCALARS, ids=repr)
def test_numpy_scalars_are_numbers(name, scalar):
    fn = getattr(operator, name)
    for a in ("int64", "float32", "float64"):
        for args in ((0, 1), (1, 0)):
            got = []
            for lib in (rushlight, torch):
                both = value(lib, a, [3, 1, 2]), scalar
                got.append(outcome(fn, both[args[0]], both[args[1]]))
            agree(*got, (name, a, scalar, args))


@pytest.mark.parametrize("name", IN_PLACE)
def test_in_place(name):
    fn = getattr(operator, name)
    for a, left, b, right in pairs():
        if name == "ipow" and a == "bool":
            continue
        got = [outcome(fn, value(lib, a, left), value(lib, b, right)) for lib in (rushlight, torch)]
        agree(*got, (name, a, left, b, right))


@pytest.mark.parametrize("name", ["neg", "pos", "invert", "abs"])
def test_one_operand(name):
    fn = getattr(operator, name)
    for a in TYPES:
        got = [
            outcome(lambda x, _: fn(x), value(lib, a, [3, 0, 1]), None)
            for lib in (rushlight, torch)
        ]
        agree(*got, (name, a))


def test_division_by_zero_and_extremes():
    def run(lib):
        x = lib.tensor([1.0, -1.0, 0.0, float("inf"), float("nan"), -0.0])
        ys = [
            x / 0,
            x // 0,
            x % 0,
            x**0,
            0 ** x.abs(),
            x // 2,
            x % -2,
            x.floor(),
            x.sign(),
            x.round(),
        ]
        ys += [
            lib.fmod(x, 0.0),
            lib.div(x, 0, rounding_mode="trunc"),
            x.clamp(0, 1),
            lib.maximum(x, x.flip(0)),
            x.nan_to_num(),
        ]
        i = lib.tensor([-7, 7, -8])
        ys += [
            i // 2,
            i % 3,
            i // -2,
            i % -3,
            lib.fmod(i, 3),
            lib.div(i, 2, rounding_mode="trunc"),
            i >> 1,
            i << 2,
            i**2,
            ~i,
        ]
        return [y.numpy() for y in ys]

    for k, (a, b) in enumerate(zip(run(rushlight), run(torch), strict=True)):
        np.testing.assert_array_equal(a, b, err_msg=str(k))


def test_integer_division_by_zero_raises():
    for lib in (rushlight, torch):
        x = lib.tensor([1, 2])
        for fn in (operator.floordiv, operator.mod):
            with pytest.raises(RuntimeError, match="ZeroDivisionError"):
                fn(x, 0)
