"""Norms, factors and limits of many arrays at once: machine code against NumPy."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pytest

import rushlight as torch
from rushlight.kernels import runtime, tuning
from rushlight.kernels.multi_tensor import select

SHAPES = [(5,), (), (0, 3), (16,), (33, 7), (40000,), (1,), (300, 300), (2, 3, 4)]
needs_llvm = pytest.mark.skipif(not runtime.available(), reason="no LLVM here, or RUSHLIGHT_JIT=0")


def arrays(rng: np.random.Generator, dtype: Any, empty: bool = False) -> list[np.ndarray]:
    shapes = [s for s in SHAPES if empty or 0 not in s]
    return [np.asarray(rng.standard_normal(s), dtype) for s in shapes]


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
@pytest.mark.parametrize("order", [1.0, 2.0, math.inf])
@pytest.mark.parametrize("least", [1, 1 << 60])
def test_norm(
    order: float, dtype: Any, least: int, rng: np.random.Generator, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(tuning, "MULTI_TENSOR_LEAST", least)
    given = arrays(rng, dtype, empty=order < 3)
    flat = np.concatenate([a.ravel() for a in given]).astype(np.longdouble)
    wanted = np.linalg.norm(flat, order)
    found = select.norm(given, order)
    assert abs(found - float(wanted)) <= 1e-14 * float(wanted)
    for bad in (math.inf, -math.inf, math.nan):
        given[-4][3] = bad
        found = select.norm(given, order)
        assert math.isnan(found) if math.isnan(bad) else found == math.inf
        assert not select.finite(given)


@needs_llvm
@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_the_same_bits_for_any_number_of_threads(dtype: Any, rng: np.random.Generator) -> None:
    given = [*arrays(rng, dtype), rng.standard_normal(1_000_003).astype(dtype)]
    before, found = torch.get_num_threads(), set()
    try:
        for threads in (1, 2, 3, 8):
            torch.set_num_threads(threads)
            found.add((select.norm(given, 2), select.norm(given, 1)))
    finally:
        torch.set_num_threads(before)
    assert len(found) == 1


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
@pytest.mark.parametrize("least", [1, 1 << 60])
def test_scale_and_limit(
    dtype: Any, least: int, rng: np.random.Generator, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(tuning, "MULTI_TENSOR_LEAST", least)
    given = arrays(rng, dtype, empty=True)
    given += [
        rng.standard_normal((6, 5)).astype(dtype).T,
        rng.standard_normal((9, 4)).astype(dtype)[:, 1],
    ]
    given[0][:3] = np.nan, np.inf, -np.inf
    wanted = [a * dtype(0.3) for a in given]
    select.scale(given, 0.3)
    for a, b in zip(given, wanted, strict=True):
        np.testing.assert_array_equal(a, b)
    wanted = [np.clip(a, dtype(-0.2), dtype(0.1)) for a in given]
    select.limit(given, -0.2, 0.1)
    for a, b in zip(given, wanted, strict=True):
        np.testing.assert_array_equal(a, b)


@needs_llvm
def test_one_call_serves_dense_arrays(
    rng: np.random.Generator, monkeypatch: pytest.MonkeyPatch
) -> None:
    answers = []
    made = select.gathered

    def gathered(*args: Any) -> Any:
        found = made(*args)
        answers.append(found is not None)
        return found

    monkeypatch.setattr(tuning, "MULTI_TENSOR_LEAST", 1)
    monkeypatch.setattr(select, "gathered", gathered)
    given = arrays(rng, np.float32)
    select.scale(given, 2.0)
    select.limit([*given, given[7].T], -1, 1)  # the same memory twice is no job for threads
    select.scale([given[0][::2]], 2.0)
    assert answers == [True, False, False]


def test_results_of_large_operations_in_place() -> None:
    x = torch.arange(600_000, dtype=torch.float32)
    y = torch.empty(600_000)
    torch.add(x, 1, out=y)
    np.testing.assert_array_equal(y.numpy(), x.numpy() + 1)
    x[1:].mul_(2)
    np.testing.assert_array_equal(x.numpy(), np.arange(600_000, dtype=np.float32) * 2)


def test_what_is_not_plain_is_left_to_others() -> None:
    single, double = np.ones(3, np.float32), np.ones(3)
    assert select.plain([single, double]) is None
    assert select.plain([]) is None
    assert select.plain([np.ones(3, np.float16)]) is None
    assert select.plain([single, single.view(np.matrix)]) is None
    assert not select.has_norm([single, double], 2)
    assert not select.has_norm([single], 3)
    assert not select.has_norm([single, np.ones(0, np.float32)], math.inf)
    assert not select.has_norm([np.ones(0, np.float32)], 2)
    assert select.has_norm([single], 2)
    assert select.finite([single, double])
    assert not select.finite([single, double * np.inf])
