"""Convolutions of pairs of bfloat16: the three directions, what is left to float32, and two steps
that have the bits of the instruction."""

from __future__ import annotations

import dataclasses
from collections.abc import Iterator
from typing import Any

import ml_dtypes
import numpy as np
import pytest

import rushlight
from rushlight.kernels import runtime, tuning
from rushlight.kernels.conv import direct_weight, implicit_gemm, select
from rushlight.kernels.matmul import pairs
from rushlight.kernels.runtime import jit

from .test_select import ONE, operands, plans, references

BF16 = np.dtype(ml_dtypes.bfloat16)
pytestmark = pytest.mark.skipif(not runtime.available(), reason="no LLVM here, or RUSHLIGHT_JIT=0")
PLANS = (select.plan_forward, select.plan_input, select.plan_weight)
PAIRS = "bfloat16 by implicit_gemm of pairs"
DIRECT = "bfloat16 by direct of pairs"
STRIDE, GROUPS = ((2, 2), (1, 1), (1, 1), 1), ((1, 1), (1, 1), (1, 1), 2)
CASES = [  # x, w, stride and so on, the ways of the three directions; None: not of pairs
    ((2, 16, 20, 20), (16, 16, 3, 3), ONE, (PAIRS, PAIRS, DIRECT)),
    ((4, 16, 20, 20), (18, 16, 3, 3), ONE, (PAIRS, PAIRS, PAIRS)),
    ((2, 16, 33, 17), (16, 16, 3, 3), STRIDE, (PAIRS, None, PAIRS)),
    ((4, 16, 24, 24), (32, 8, 3, 3), GROUPS, (PAIRS, PAIRS, DIRECT)),
    ((2, 16, 30, 30), (8, 16, 5, 5), ((1, 1), (4, 4), (2, 2), 1), (PAIRS,) * 3),
    ((2, 16, 20, 20), (16, 16, 1, 1), ((1, 1), (0, 0), (1, 1), 1), (PAIRS, PAIRS, DIRECT)),
    ((8, 32, 7, 7), (32, 32, 3, 3), ONE, (PAIRS,) * 3),  # images share panels
    ((2, 300, 12, 12), (20, 300, 3, 3), ONE, (PAIRS, PAIRS, PAIRS)),  # several blocks of K
    ((2, 8, 600), (16, 8, 5), ((1,), (2,), (1,), 1), (PAIRS, PAIRS, DIRECT)),
    ((2, 8, 8, 9, 10), (8, 8, 3, 3, 3), ((1,) * 3, (1,) * 3, (1,) * 3, 1), (PAIRS, PAIRS, PAIRS)),
    # odd numbers of channels, outputs, images
    ((2, 3, 40, 40), (16, 3, 3, 3), ONE, (None, PAIRS, DIRECT)),
    ((2, 16, 20, 20), (15, 16, 3, 3), ONE, (PAIRS, None, DIRECT)),
    ((3, 16, 20, 20), (16, 16, 3, 3), ONE, (PAIRS, PAIRS, None)),
    ((2, 32, 20, 20), (32, 1, 3, 3), ((1, 1), (1, 1), (1, 1), 32), (None,) * 3),  # depthwise
    ((0, 16, 20, 20), (16, 16, 3, 3), ONE, (None,) * 3),
]  # fmt: skip


def forget() -> None:
    for plan in PLANS:
        plan.cache_clear()
    for kernel in (implicit_gemm.kernel, direct_weight.kernel, pairs.kernel):
        kernel.cache_clear()


@pytest.fixture(autouse=True)
def taken(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """Pairs are multiplied, whatever CPU this is, and no matrix unit is there."""
    monkeypatch.setattr(select, "makes_pairs", lambda: True)
    monkeypatch.setattr(select, "uses_amx", lambda group: False)
    forget()
    yield
    forget()


def drawn(rng: np.random.Generator, x: Any, w: Any, how: Any) -> tuple[np.ndarray, ...]:
    return operands(rng, x, w, how, BF16)


@pytest.mark.parametrize(("x", "w", "how", "ways"), CASES)
def test_directions(rng: np.random.Generator, x: Any, w: Any, how: Any, ways: Any) -> None:
    """Each is what NumPy makes of the same numbers in float64, rounded once."""
    given = drawn(rng, x, w, how)
    terms = 2 * given[3].size * given[1][0].size
    both = zip(plans(*given, *how), references(*given, *how), ways, (True, 0, 0), strict=True)
    for (plan, arrays), wanted, way, biased in both:
        assert ("pairs" in plan.way) == bool(way)
        # with shorter vectors fewer lanes are empty
        if way and jit.target().lanes == 16 and not tuning.ALWAYS:
            assert plan.way == way
        y = plan.run(*arrays)
        assert y.dtype == BF16
        if way:
            assert plan.flops == terms + biased * given[3].size
        wrong = np.abs(y.astype(np.float64) - wanted)
        assert (wrong <= 2.0**-8 * np.abs(wanted) + 3e-5 * np.abs(wanted).max(initial=0)).all()


def test_operands_with_gaps(rng: np.random.Generator) -> None:
    """They are left to float32, which copies them first."""
    x, w, b, g = drawn(rng, (2, 16, 20, 20), (16, 16, 3, 3), ONE)
    spread = np.repeat(x, 2, axis=3)[:, :, :, ::2]
    (plan, arrays), _, _ = plans(spread, w, b, g, *ONE)
    assert "pairs" not in plan.way
    wanted = references(x, w, b, g, *ONE)[0]
    got = plan.run(*arrays).astype(np.float64)
    np.testing.assert_allclose(got, wanted, rtol=2.0**-7, atol=1e-2)


def test_without_a_bias(rng: np.random.Generator) -> None:
    x, w, b, _ = drawn(rng, (2, 16, 20, 20), (16, 16, 3, 3), ONE)
    plan = select.plan_of(x, w, stride=(1, 1), padding=(1, 1), dilation=(1, 1), groups=1)
    other = select.plan_of(x, w, b, stride=(1, 1), padding=(1, 1), dilation=(1, 1), groups=1)
    assert plan.way == PAIRS
    nothing = np.zeros_like(b)
    np.testing.assert_array_equal(plan.run(x, w, None), other.run(x, w, nothing))


@pytest.mark.parametrize("bad", [np.inf, -np.inf, np.nan])
def test_what_is_not_finite(rng: np.random.Generator, bad: float) -> None:
    """It reaches the windows that hold it, and no others."""
    given = drawn(rng, (2, 16, 20, 20), (16, 16, 3, 3), ONE)
    given[0][1, 2, 3, 4] = bad
    (plan, arrays), *_ = plans(*given, *ONE)
    assert plan.way == PAIRS
    y = plan.run(*arrays).astype(np.float32)
    inside = np.zeros((2, 16, 20, 20), bool)
    inside[1, :, 2:5, 3:6] = True
    np.testing.assert_array_equal(np.isfinite(y), ~inside)


@pytest.mark.parametrize("threads", [2, 3])
def test_the_same_bits_for_any_number_of_threads(rng: np.random.Generator, threads: int) -> None:
    given = drawn(rng, (8, 32, 14, 14), (32, 32, 3, 3), ONE)
    before = rushlight.get_num_threads()
    try:
        for plan, arrays in plans(*given, *ONE):
            assert "pairs" in plan.way
            rushlight.set_num_threads(1)
            alone = plan.run(*arrays)
            rushlight.set_num_threads(threads)
            np.testing.assert_array_equal(plan.run(*arrays), alone)
    finally:
        rushlight.set_num_threads(before)


def test_pointers_give_the_bits_of_arrays(rng: np.random.Generator, on_pointers: Any) -> None:
    given = drawn(rng, (8, 32, 14, 14), (32, 32, 3, 3), ONE)
    seen = 0
    for plan, arrays in plans(*given, *ONE):
        if all(hasattr(launch, "kernel") for launch in plan.launches):
            np.testing.assert_array_equal(on_pointers(plan, *arrays), plan.run(*arrays))
            seen += 1
    assert seen


@pytest.mark.skipif(
    not runtime.available() or not pairs.is_fast(), reason="a CPU that multiplies no pairs"
)
@pytest.mark.parametrize(("x", "w", "how", "_ways"), CASES[:4])
def test_two_steps_have_the_bits_of_the_instruction(
    rng: np.random.Generator, monkeypatch: pytest.MonkeyPatch, x: Any, w: Any, how: Any, _ways: Any
) -> None:
    given = drawn(rng, x, w, how)
    wanted = [plan.run(*arrays) for plan, arrays in plans(*given, *how)]
    without = dataclasses.replace(jit.target(), has_dot=False)
    monkeypatch.setattr(jit, "target", lambda: without)
    forget()
    for (plan, arrays), y in zip(plans(*given, *how), wanted, strict=True):
        np.testing.assert_array_equal(plan.run(*arrays), y)
