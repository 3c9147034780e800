"""Products of pairs of bfloat16: all layouts, what is left to others, and two steps that have the
bits of the instruction."""

from __future__ import annotations

import dataclasses
from collections.abc import Iterator
from typing import Any

import ml_dtypes
import numpy as np
import pytest

from rushlight.kernels import runtime, tuning
from rushlight.kernels.matmul import narrow, pairs, select, tile
from rushlight.kernels.runtime import jit

from .test_narrow import near

BF16, F32 = np.dtype(ml_dtypes.bfloat16), np.dtype(np.float32)
pytestmark = pytest.mark.skipif(not runtime.available(), reason="no LLVM here, or RUSHLIGHT_JIT=0")


def forget() -> None:
    select.plan.cache_clear()
    pairs.kernel.cache_clear()


@pytest.fixture(autouse=True)
def taken(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """Pairs of any size are multiplied, whatever CPU this is."""
    monkeypatch.setattr(narrow, "makes_pairs", lambda: True)
    monkeypatch.setattr(select, "has_amx", lambda: False)
    monkeypatch.setattr(tuning, "MATMUL_PAIRS_SIDE", 2)
    monkeypatch.setattr(tuning, "MATMUL_PAIRS_LEAST", 1)
    forget()
    yield
    forget()


def drawn(rng: np.random.Generator, *shape: int, turned: bool = False) -> np.ndarray:
    if not turned:
        return rng.standard_normal(shape).astype(BF16)
    shape = (*shape[:-2], shape[-1], shape[-2])
    return rng.standard_normal(shape).astype(BF16).swapaxes(-1, -2)


def plan_of(a: np.ndarray, b: np.ndarray) -> Any:
    return select.plan(a.dtype, a.shape, a.strides, b.dtype, b.shape, b.strides, rounds=False)


def product(a: np.ndarray, b: np.ndarray) -> np.ndarray:
    """a @ b in float32, which was computed from pairs."""
    made = plan_of(a, b)
    assert made.way == "bfloat16 by pair_gemm"
    assert made.flops == 2 * made.outputs["y"].size * a.shape[-1]
    y: np.ndarray = made.run(a, b, None, 1.0, 0.0)
    return y


@pytest.mark.parametrize("a_turned", [False, True])
@pytest.mark.parametrize("b_turned", [False, True])
@pytest.mark.parametrize(
    ("m", "n", "k"),
    [(20, 20, 2), (17, 33, 46), (64, 130, 64), (30, 20, 1100), (300, 1100, 34), (100, 40, 514)],
)
def test_layouts(
    rng: np.random.Generator, m: int, n: int, k: int, a_turned: bool, b_turned: bool
) -> None:
    a, b = drawn(rng, m, k, turned=a_turned), drawn(rng, k, n, turned=b_turned)
    near(product(a, b), a, b, 24)


def test_every_height(rng: np.random.Generator) -> None:
    for m in range(17, 17 + 2 * tile.tile_rows("float")):
        a, b = drawn(rng, m, 40), drawn(rng, 40, 35)
        near(product(a, b), a, b, 24)


@pytest.mark.parametrize(
    ("a", "b"),
    [((3, 20, 18), (18, 24)), ((2, 3, 20, 18), (18, 24)), ((3, 20, 18), (3, 18, 24)),
     ((1, 20, 18), (5, 18, 24)), ((20, 18), (3, 18, 24))],
)  # fmt: skip
def test_batches(rng: np.random.Generator, a: tuple[int, ...], b: tuple[int, ...]) -> None:
    for turned in (False, True):
        x, y = drawn(rng, *a), drawn(rng, *b, turned=turned)
        near(product(x, y), x, y, 24)


def test_parts_of_arrays(rng: np.random.Generator) -> None:
    """Rows that begin at an odd element, and lie apart; what is beside them is not read."""
    whole = np.full((60, 101), np.nan, np.float32).astype(BF16)
    whole[:, 1:91] = rng.standard_normal((60, 90))
    wide = np.full((90, 200), np.nan, np.float32).astype(BF16)
    wide[:, 3:43] = rng.standard_normal((90, 40))
    rows, columns = whole[:, 1:91], wide[:, 3:43]
    assert plan_of(rows, columns).way != "bfloat16 by pair_gemm"  # rows 101 elements apart
    whole = np.pad(whole, ((0, 0), (0, 1)))
    near(product(whole[:, 1:91], columns), rows, columns, 24)


@pytest.mark.parametrize("shape", [(35,), (1,), (40, 35), (40, 1)])
def test_what_is_added(rng: np.random.Generator, shape: tuple[int, ...]) -> None:
    a, b, d = drawn(rng, 40, 90), drawn(rng, 90, 35), drawn(rng, *shape)
    y = select.added(d, a, b)
    assert y is not None
    assert y.dtype == BF16
    exact = a.astype(np.float64) @ b.astype(np.float64) + d.astype(np.float64)
    assert (np.abs(y.astype(np.float64) - exact) <= 2.0**-8 * np.abs(exact) + 1e-4).all()


def test_a_layer(rng: np.random.Generator) -> None:
    """x @ w.T + bias, rounded once."""
    x, w, bias = drawn(rng, 4, 10, 64), drawn(rng, 48, 64), drawn(rng, 48)
    y = select.linear(x, w.T, bias)
    exact = x.astype(np.float64) @ w.T.astype(np.float64) + bias.astype(np.float64)
    assert (np.abs(y.astype(np.float64) - exact) <= 2.0**-8 * np.abs(exact) + 1e-4).all()


@pytest.mark.parametrize(
    ("a", "b"),
    [((20, 21), (21, 24)), ((2, 2, 20, 18), (2, 2, 18, 24)), ((18,), (18, 24)), ((20, 18), (18,)),
     ((0, 18), (18, 20)), ((20, 0), (0, 20))],
)  # fmt: skip
def test_what_is_left_to_others(
    rng: np.random.Generator, a: tuple[int, ...], b: tuple[int, ...]
) -> None:
    """An odd k, two dims of products, vectors, nothing."""
    x, y = drawn(rng, *a), drawn(rng, *b)
    assert "pair" not in plan_of(x, y).way
    near(select.wide_product(x, y), x, y, 24)


def test_elements_that_lie_apart(rng: np.random.Generator) -> None:
    a, b = drawn(rng, 20, 80)[:, ::2], drawn(rng, 40, 48)[:, ::2]
    assert "pair" not in plan_of(a, drawn(rng, 40, 24)).way
    assert "pair" not in plan_of(drawn(rng, 20, 40), b).way
    near(select.wide_product(a, b), a, b, 24)


@pytest.mark.parametrize("bad", [np.inf, -np.inf, np.nan])
def test_what_is_not_finite(rng: np.random.Generator, bad: float) -> None:
    a, b = drawn(rng, 40, 64), drawn(rng, 64, 40)
    a[3, 5] = bad
    with np.errstate(all="ignore"):
        wanted = np.matmul(a.astype(F32), b.astype(F32))
    np.testing.assert_allclose(product(a, b), wanted, rtol=1e-5, atol=1e-4)


@pytest.mark.skipif(
    not runtime.available() or not pairs.is_fast(), reason="a CPU that multiplies no pairs"
)
def test_two_steps_have_the_bits_of_the_instruction(
    rng: np.random.Generator, monkeypatch: pytest.MonkeyPatch
) -> None:
    given = [(drawn(rng, m, k), drawn(rng, k, n)) for m, n, k in ((40, 50, 64), (70, 33, 700))]
    wanted = [product(a, b) for a, b in given]
    without = dataclasses.replace(jit.target(), has_dot=False)
    monkeypatch.setattr(jit, "target", lambda: without)
    forget()
    for (a, b), y in zip(given, wanted, strict=True):
        np.testing.assert_array_equal(product(a, b), y)
