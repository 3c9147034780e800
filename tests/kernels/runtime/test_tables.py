"""Tiles are compiled when a plan first needs them, and no plan calls one that is not there."""

from __future__ import annotations

import ctypes
import math
from collections.abc import Sequence
from typing import Any

import numpy as np
import pytest

from rushlight.kernels import runtime
from rushlight.kernels.codegen.ir import I64, Module
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


@pytest.mark.usefixtures("without_amx")
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
    table, *others = tables._tables.values()  # of packed rows, and of rows where they lie
    assert not any(place for other in others for place in other.places)
    first = table.places[2]
    assert [i for i, p in enumerate(table.places) if p] == [2]
    gemm.tile_symbols("float")
    assert table.is_full
    assert all(table.places)
    assert table.places[2] == first  # what may be running stays


# -- a table by itself -----------------------------------------------------------------------------


def numbered(seen: list[tuple[int, ...]]) -> Any:
    """Functions of sizes: each gives its size times ten."""

    def build(sizes: Sequence[int]) -> Module:
        seen.append(tuple(sizes))
        module = Module("numbered")
        for size in sizes:
            f = module.function(f"of_{size}", I64, [], private=True)
            f.ret(f.const(I64, 10 * size))
        names = ", ".join(f"ptr @of_{size}" for size in sizes)
        module.globals["tiles"] = f"@tiles = constant [{len(sizes)} x ptr] [{names}]"
        return module

    return build


def call(table: tables.Table, size: int) -> int:
    places = (ctypes.c_void_p * table.count).from_address(table.address)
    return int(ctypes.CFUNCTYPE(ctypes.c_int64)(places[size - 1])())


def test_sizes_are_filled_in_once(monkeypatch: pytest.MonkeyPatch) -> None:
    from rushlight.kernels.runtime import jit

    monkeypatch.setattr(tables, "_tables", {})
    monkeypatch.setattr(jit, "_loaded", {})
    monkeypatch.setenv("RUSHLIGHT_CACHE", "")
    table = tables.Table.of(("test_tables",), 5)
    assert tables.Table.of(("test_tables",), 5) is table
    assert tables.Table.of(("test_tables", 1), 5) is not table
    seen: list[tuple[int, ...]] = []
    build = numbered(seen)
    table.fill((2, 4), build)
    table.fill((4, 2), build)
    assert [bool(p) for p in table.places] == [False, True, False, True, False]
    assert [call(table, k) for k in (2, 4)] == [20, 40]
    kept = table.places[1]
    table.fill(None, build)
    assert table.is_full
    assert [call(table, k) for k in range(1, 6)] == [10, 20, 30, 40, 50]
    assert table.places[1] == kept  # it may be running
    before = len(seen)
    table.fill((1,), build)
    table.fill(None, build)
    assert len(seen) == before
    assert set(seen) <= {(2,), (4,), (1, 2, 3, 4, 5)}
