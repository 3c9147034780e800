"""Tiles are compiled when a plan first needs them, and no plan calls one that is not there."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pytest

from rushlight.kernels import runtime
from rushlight.kernels.matmul import select
from rushlight.kernels.runtime import tables

pytestmark = pytest.mark.skipif(not runtime.available(), reason="no LLVM here, or RUSHLIGHT_JIT=0")


@pytest.fixture
def _empty(monkeypatch: pytest.MonkeyPatch) -> None:
    """Tables without a tile, for kernels that are linked anew."""
    from rushlight.kernels.matmul import gemm, small_gemm
    from rushlight.kernels.runtime import jit

    monkeypatch.setattr(tables, "_tables", {})
    monkeypatch.setattr(jit, "_loaded", {})
    for module in (gemm, small_gemm):
        monkeypatch.setattr(module, "kernel", module.kernel.__wrapped__)


def product(a: np.ndarray, b: np.ndarray, limits: Any) -> tuple[str, np.ndarray]:
    """a @ b by a plan that is made now: the way, and the result."""
    with limits():
        plan = select.plan(a.dtype, a.shape, a.strides, b.dtype, b.shape, b.strides)
        return plan.name, plan.run(a, b, None, 1.0, 0.0)


@pytest.mark.usefixtures("_empty")
@pytest.mark.parametrize("seed", range(12))
def test_a_product_finds_the_tiles_that_it_calls(seed: int, limits: Any) -> None:
    """A tile that is missing is a null pointer, which a process does not survive."""
    rng = np.random.default_rng(seed)
    for _ in range(3):
        m, n, k = (int(rng.integers(17, 300)) for _ in range(3))
        batch = (int(rng.integers(1, 4)),) if rng.random() < 0.4 else ()
        a = rng.standard_normal((*batch, m, k)).astype(np.float32)
        b = rng.standard_normal((*batch, k, n)).astype(np.float32)
        name, y = product(a, b, limits)
        assert name.startswith("matmul.")
        wide = a.astype(np.float64) @ b.astype(np.float64)
        assert np.abs(y - wide).max() <= 1e-6 * k * max(1.0, np.abs(wide).max() / math.sqrt(k))


@pytest.mark.usefixtures("_empty")
def test_few_tiles_are_compiled(limits: Any) -> None:
    a, b = np.ones((70, 300), np.float32), np.ones((300, 200), np.float32)
    product(a, b, limits)
    ((key, table),) = [(k, t) for k, t in tables._tables.items() if any(t.places)]
    assert key[0] in ("tile", "small_tile")
    assert sum(p is not None for p in table.places) <= 8
    assert not table.is_full


def test_all_at_once_and_one_by_one(monkeypatch: pytest.MonkeyPatch) -> None:
    from rushlight.kernels.matmul import gemm

    monkeypatch.setattr(tables, "_tables", {})
    gemm.tile_symbols("float", (3,))
    (table,) = tables._tables.values()
    first = table.places[2]
    assert [i for i, p in enumerate(table.places) if p] == [2]
    gemm.tile_symbols("float")
    assert table.is_full
    assert all(table.places)
    assert table.places[2] == first  # what may be running stays
