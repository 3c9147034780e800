"""The type of a result for every pair of operands: tensors, 0-d tensors, Python numbers."""

from __future__ import annotations

import itertools

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
    "complex128",
]
NUMBERS = [True, 2, 2.5, 1 + 2j]
PAIRS = list(itertools.product(TYPES, TYPES))


def name(d):
    return str(d).removeprefix("torch.")


@pytest.mark.parametrize(("a", "b"), PAIRS)
def test_pairs_of_tensors(a, b):
    for shape_a, shape_b in itertools.product([(2,), ()], repeat=2):
        theirs = torch.result_type(
            torch.ones(shape_a, dtype=getattr(torch, a)),
            torch.ones(shape_b, dtype=getattr(torch, b)),
        )
        x = rushlight.ones(shape_a, dtype=getattr(rushlight, a))
        y = rushlight.ones(shape_b, dtype=getattr(rushlight, b))
        if name(theirs) == "complex32":
            continue
        assert name(rushlight.result_type(x, y)) == name(theirs), (shape_a, shape_b)
        assert name((x * y).dtype) == name(theirs)
        assert name(rushlight.where(rushlight.ones(shape_a).bool(), x, y).dtype) == name(theirs)
    assert name(rushlight.promote_types(getattr(rushlight, a), getattr(rushlight, b))) == name(
        torch.promote_types(getattr(torch, a), getattr(torch, b))
    )
    assert rushlight.can_cast(getattr(rushlight, a), getattr(rushlight, b)) == torch.can_cast(
        getattr(torch, a), getattr(torch, b)
    )


@pytest.mark.parametrize("a", TYPES)
@pytest.mark.parametrize("number", NUMBERS)
def test_numbers(a, number):
    for shape in ((2,), ()):
        theirs = torch.result_type(torch.ones(shape, dtype=getattr(torch, a)), number)
        if name(theirs) == "complex32":
            continue
        x = rushlight.ones(shape, dtype=getattr(rushlight, a))
        assert name(rushlight.result_type(x, number)) == name(theirs)
        assert name((x * number).dtype) == name(theirs)
        assert name((number * x).dtype) == name(theirs)


@pytest.mark.parametrize("default", ["float32", "float64"])
@pytest.mark.parametrize("a", TYPES)
def test_division_and_means_use_the_default_type(a, default):
    old = rushlight.get_default_dtype(), torch.get_default_dtype()
    rushlight.set_default_dtype(getattr(rushlight, default))
    torch.set_default_dtype(getattr(torch, default))
    try:
        for lib_op in ("sqrt", "sigmoid", "exp"):
            x, y = (lib.ones(2).to(getattr(lib, a)) for lib in (rushlight, torch))
            assert name(getattr(x, lib_op)().dtype) == name(getattr(y, lib_op)().dtype)
        assert name((x / 2).dtype) == name((y / 2).dtype)
        assert name((x / x).dtype) == name((y / y).dtype)
        assert name(x.sum().dtype) == name(y.sum().dtype)
        assert name(rushlight.tensor([1.5, 2]).dtype) == name(torch.tensor([1.5, 2]).dtype)
    finally:
        rushlight.set_default_dtype(old[0])
        torch.set_default_dtype(old[1])


@pytest.mark.parametrize(("a", "b"), PAIRS)
def test_cat_and_in_place(a, b):
    def run(lib):
        x, y = lib.ones(2).to(getattr(lib, a)), lib.ones(2).to(getattr(lib, b))
        joined = name(lib.cat([x, y]).dtype)
        try:
            x += y
        except RuntimeError as e:
            return joined, type(e).__name__, "can't be cast" in str(e)
        return joined, name(x.dtype), np.asarray(x.to(lib.complex128).numpy()).tolist()

    ours, theirs = run(rushlight), run(torch)
    if "complex32" not in theirs:
        assert ours == theirs


@pytest.mark.parametrize("a", [*TYPES, "complex32"])
def test_a_type_that_is_not_held(a):
    def asked(lib):
        c, d = lib.complex32, getattr(lib, a)
        return (
            name(lib.promote_types(c, d)),
            name(lib.promote_types(d, c)),
            lib.can_cast(c, d),
            lib.can_cast(d, c),
        )

    assert asked(rushlight) == asked(torch)
