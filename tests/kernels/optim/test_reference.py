"""NumPy's side of the optimisers: primitives, scratch memory, blocks, other types and layouts."""

from __future__ import annotations

import threading
from typing import Any

import ml_dtypes
import numpy as np
import pytest

from rushlight.kernels import tuning
from rushlight.kernels.optim import reference
from rushlight.kernels.optim.formulas import Operators

Arrays = reference.Arrays


def drift(xp: Any, k: Any, p: Any, g: Any, m: Any = None) -> tuple[Any, ...]:
    """A formula of a test: m = 0.9 m + g g, p = p - 0.1 sqrt(m) - g; without m p = p - g."""
    if m is not None:
        m = xp.plus_(xp.mul_(m, k.keep), xp.mul(g, g))
        p = xp.axpy_(p, xp.sqrt(m), k.minus)
    return xp.plus_(p, xp.neg(g)), m


HOW: dict[str, Any] = {"formula": drift, "flags": (), "taken": ("keep", "minus")}


def wanted(p: Any, g: Any, m: Any) -> tuple[Any, Any]:
    """The same in the type of the operands, in the same order."""
    t = p.dtype.type
    m = m * t(0.9) + g * g
    return p + np.sqrt(m) * t(-0.1) + -g, m


def numbers(dtype: Any) -> np.ndarray:
    return np.array([0.9, -0.1], dtype)


SHAPES = [(), (1,), (0, 3), (7,), (33, 5), (300,)]


@pytest.mark.parametrize("block", [4, 64, 1 << 14])
@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_blocks_change_no_bit(
    block: int, dtype: Any, rng: np.random.Generator, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Parameters of any size, one after the other, and again when their scratch memory is known."""
    monkeypatch.setattr(tuning, "OPTIM_BLOCK", block)
    monkeypatch.setattr(reference._namespace, "arrays", Arrays())
    arrays = [np.asarray(rng.random(s), dtype) for s in SHAPES for _ in range(3)]
    best = [wanted(*arrays[i : i + 3]) for i in range(0, len(arrays), 3)]
    gradients = [a.copy() for a in arrays[1::3]]
    mine = [a.copy() for a in arrays]
    for _ in range(2):
        for a, b in zip(mine, arrays, strict=True):
            a[...] = b
        reference.update(mine, numbers(dtype), states=("m",), **HOW)
        for (p, m), i in zip(best, range(0, len(mine), 3), strict=True):
            np.testing.assert_array_equal(mine[i], p)
            np.testing.assert_array_equal(mine[i + 2], m)
        for a, b in zip(mine[1::3], gradients, strict=True):
            np.testing.assert_array_equal(a, b)


@pytest.mark.parametrize("block", [8, 1 << 14])
def test_layouts(block: int, rng: np.random.Generator, monkeypatch: pytest.MonkeyPatch) -> None:
    """Turned ones share an order, others are updated where they lie."""
    monkeypatch.setattr(tuning, "OPTIM_BLOCK", block)
    monkeypatch.setattr(reference._namespace, "arrays", Arrays())
    plain = [rng.random((6, 8)) for _ in range(3)]
    best = wanted(*plain)
    turned = [np.asfortranarray(a) for a in plain]
    mixed = [np.asfortranarray(plain[0]), plain[1].copy(), np.zeros((6, 16))[:, ::2]]
    mixed[2][...] = plain[2]
    for arrays in (turned, mixed):
        reference.update(arrays, numbers(np.float64), states=("m",), **HOW)
        np.testing.assert_array_equal(arrays[0], best[0])
        np.testing.assert_array_equal(arrays[2], best[1])
    assert reference._flatten([plain[0], None, plain[1]]) is not None
    order = reference._flatten([turned[0], turned[2]])
    assert order is not None
    assert order[0].ndim == 1
    assert reference._flatten([turned[0], plain[1]]) is None


def test_a_state_that_is_not_there(rng: np.random.Generator) -> None:
    p, g = rng.random((2, 5))
    best = p + -g
    reference.update([p, g], numbers(np.float64), states=(None,), **HOW)
    np.testing.assert_array_equal(p, best)


@pytest.mark.parametrize("dtype", [np.float16, ml_dtypes.bfloat16])
def test_narrow_types_are_rounded_once(dtype: Any, rng: np.random.Generator) -> None:
    arrays = [rng.random((9, 4)).astype(dtype) for _ in range(3)]
    best = wanted(*(a.astype(np.float32) for a in arrays))
    reference.update(arrays, numbers(np.float32), states=("m",), **HOW)
    for got, value in zip(arrays[::2], best, strict=True):
        np.testing.assert_array_equal(got, value.astype(dtype))


def test_complex_numbers_are_pairs(rng: np.random.Generator) -> None:
    arrays = [(rng.random((4, 3)) + 1j * rng.random((4, 3))) for _ in range(3)]
    parts = [wanted(*(f(a) for a in arrays)) for f in (np.real, np.imag)]
    reference.update(arrays, numbers(np.float64), states=("m",), **HOW)
    for k in (0, 1):
        np.testing.assert_array_equal(arrays[2 * k].real, parts[0][k])
        np.testing.assert_array_equal(arrays[2 * k].imag, parts[1][k])


def test_types_that_are_worked_in() -> None:
    single, double = np.dtype("f4"), np.dtype("f8")
    found = [reference.work_dtype(np.dtype(t)) for t in ("f2", ml_dtypes.bfloat16, "f4", "c8")]
    assert found == [single] * 4
    assert reference.work_dtype(double) == reference.work_dtype(np.dtype("c16")) == double


PRIMITIVES = {  # formula of x, y, z and the numbers a, b
    "mul_": (lambda x, y, a, b: x * a, 1, 1), "div_": (lambda x, y, a, b: x / a, 1, 1),
    "plus_": (lambda x, y, a, b: x + a, 1, 1), "sqrt_": (lambda x, y, a, b: np.sqrt(x), 1, 0),
    "maximum_": (lambda x, y, a, b: np.maximum(x, a), 1, 1),
    "clip_": (lambda x, y, a, b: np.clip(x, a, b), 1, 2),
    "axpy_": (lambda x, y, a, b: x + y * a, 2, 1),
    "mix_": (lambda x, y, a, b: x * a + y * b, 2, 2),
    "set_": (lambda x, y, a, b: y, 2, 0), "neg": (lambda x, y, a, b: -x, 1, 0),
    "axpy": (lambda x, y, a, b: x + y * a, 2, 1), "mul": (lambda x, y, a, b: x * y, 2, 0),
    "plus": (lambda x, y, a, b: x + a, 1, 1), "minus": (lambda x, y, a, b: x - y, 2, 0),
    "sqrt": (lambda x, y, a, b: np.sqrt(x), 1, 0), "abs": (lambda x, y, a, b: abs(x), 1, 0),
    "sign": (lambda x, y, a, b: np.sign(np.nan_to_num(x, nan=0)), 1, 0),
}  # fmt: skip


@pytest.mark.parametrize("name", PRIMITIVES)
def test_primitives(name: str, rng: np.random.Generator) -> None:
    """Those with a `_` overwrite their first operand, all others none; NaN passes through."""
    formula, operands, count = PRIMITIVES[name]
    x, y = (rng.random((4, 5)).astype(np.float32) for _ in range(2))
    x[0, 0] = np.nan
    a, b = np.float32(0.25), np.float32(0.75)
    best, before = formula(x, y, a, b), (x.copy(), y.copy())
    xp = Arrays()
    xp._begin(x)
    got = getattr(xp, name)(*(x, y)[:operands], *(a, b)[:count])
    np.testing.assert_array_equal(got, best)
    assert (got is x) == name.endswith("_")
    if not name.endswith("_"):
        np.testing.assert_array_equal(x, before[0])
        assert not np.shares_memory(got, y)
        assert hasattr(Operators, name) or name in ("sqrt", "abs", "sign")
    np.testing.assert_array_equal(y, before[1])


@pytest.mark.parametrize("name", ["addcmul_", "addcdiv_"])
def test_products_and_quotients_that_are_added(name: str, rng: np.random.Generator) -> None:
    x, a, b = rng.random((3, 20))
    best = x + (a * b if name == "addcmul_" else a / b) * 0.3
    xp = Arrays()
    xp._begin(x)
    assert getattr(xp, name)(x, a, b, 0.3) is x
    np.testing.assert_array_equal(x, best)


def test_where(rng: np.random.Generator) -> None:
    x, y = rng.standard_normal((2, 9))
    xp = Arrays()
    xp._begin(x)
    np.testing.assert_array_equal(xp.where(x > 0, y, 0.5), np.where(x > 0, y, 0.5))


def test_threads_have_scratch_memory_of_their_own() -> None:
    seen = [reference._namespace.arrays]
    other = threading.Thread(target=lambda: seen.append(reference._namespace.arrays))
    other.start()
    other.join()
    assert seen[0] is not seen[1]
