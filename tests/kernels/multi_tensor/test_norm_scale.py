"""Norms, factors, limits and copies by kernels: on pointers too, and for numbers that are none."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pytest

from rushlight.kernels import runtime
from rushlight.kernels.codegen import tensor_lists
from rushlight.kernels.multi_tensor import reference, select

pytestmark = pytest.mark.skipif(not runtime.available(), reason="no LLVM here, or RUSHLIGHT_JIT=0")
SHAPES = [(5,), (), (33, 7), (40000,), (1,), (2, 3, 4)]


def given(rng: np.random.Generator, dtype: Any) -> list[np.ndarray]:
    return [np.asarray(rng.standard_normal(s), dtype) for s in SHAPES]


def table_of(arrays: list[np.ndarray], writes: tuple[bool, ...]) -> tuple[np.ndarray, int]:
    table = np.empty(tensor_lists.room(len(arrays) // len(writes), len(writes)), np.int64)
    element = "float" if arrays[0].dtype == np.float32 else "double"
    return table, tensor_lists.gather(element, len(writes), writes)(arrays, table)


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
@pytest.mark.parametrize("order", [1.0, 2.0, math.inf])
def test_norms(order: float, dtype: Any, rng: np.random.Generator) -> None:
    arrays = given(rng, dtype)
    table, total = table_of(arrays, (False,))
    plan = select.plan_norm(np.dtype(dtype), order, len(arrays), total)
    assert plan.run(table) == pytest.approx(reference.norm(arrays, order=order), rel=1e-14)
    arrays[3][39999] = math.nan
    assert math.isnan(plan.run(table))


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
@pytest.mark.parametrize(("name", "numbers"), [("scale", [0.3]), ("limit", [-0.4, 0.2])])
def test_in_place_on_pointers(
    name: str, numbers: list[float], dtype: Any, rng: np.random.Generator, on_pointers: Any
) -> None:
    arrays = given(rng, dtype)
    arrays[2][0, :3] = np.nan, np.inf, -np.inf
    wanted, mine = ([a.copy() for a in arrays] for _ in range(2))
    values = np.array(numbers, dtype)
    getattr(reference, name)(wanted, values)
    table, total = table_of(arrays, (True,))
    plan = select.plan_in_place(name, np.dtype(dtype), len(arrays), total)
    plan.run(table, values)
    on_pointers(plan, table_of(mine, (True,))[0], values)
    for a, b, c in zip(arrays, mine, wanted, strict=True):
        np.testing.assert_array_equal(a, c)
        np.testing.assert_array_equal(b, c)
    assert plan.mutates == ("table",)
    assert plan.bytes == 2 * sum(a.nbytes for a in arrays)
