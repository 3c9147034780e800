"""A matrix that stays split and packed for the matrix unit."""

from __future__ import annotations

import numpy as np
import pytest

from rushlight.kernels import runtime, tuned, tuning
from rushlight.kernels.matmul import amx, amx_packed, packed, select
from rushlight.kernels.matmul.packed import AmxPacked

from .products import exact, foreign_assembly

LLVM = pytest.mark.skipif(not runtime.available(), reason="no LLVM here, or RUSHLIGHT_JIT=0")
UNIT = pytest.mark.skipif(
    not runtime.available() or not select.has_amx(), reason="no machine code, or a CPU without AMX"
)


@UNIT
@pytest.mark.parametrize("rows", [1, 16, 33, 200])
@pytest.mark.parametrize("turned", [False, True])
def test_a_matrix_that_stays_packed(rows: int, turned: bool) -> None:
    rng = np.random.default_rng(rows)
    b = rng.standard_normal((70, 150), dtype=np.float32)
    b = np.ascontiguousarray(b.T).T if turned else b
    kept = AmxPacked(b)
    for again in range(2):
        a = rng.standard_normal((rows, 70), dtype=np.float32)
        bias = rng.standard_normal(150, dtype=np.float32) if again else None
        onto = rng.standard_normal((rows, 150), dtype=np.float32)
        c = onto.copy()
        kept.into(a, c, bias, accumulate=bool(again))
        want, size = exact(a[None], b[None])
        if again:
            want, size = want + bias + onto, size + np.abs(bias) + np.abs(onto)
        assert (np.abs(c - want[0]) <= 12 * 2.0**-24 * size[0]).all()
    assert kept.plain is None


@UNIT
@pytest.mark.parametrize("where", ["a", "b"])
def test_a_packed_matrix_and_numbers_that_cannot_be_split(where: str) -> None:
    rng = np.random.default_rng(5)
    a, b = (rng.standard_normal((64, 64), dtype=np.float32) for _ in range(2))
    (a if where == "a" else b)[3, 4] = np.inf
    kept = AmxPacked(b)
    c = np.ones((64, 64), np.float32)
    kept.into(a, c, accumulate=True)
    np.testing.assert_allclose(c, a @ b + 1, rtol=1e-4, atol=1e-4)
    kept.into(np.ones((64, 64), np.float32), c)
    np.testing.assert_allclose(c, np.ones((64, 64), np.float32) @ b, rtol=1e-4, atol=1e-4)


# -- on any CPU ------------------------------------------------------------------------------------


@pytest.mark.slow
@LLVM
@pytest.mark.parametrize("parts", [pytest.param(1, marks=pytest.mark.long), 3])
def test_the_module_compiles_for_a_cpu_with_the_unit(
    parts: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    """`pack` needs no tiles, `run` sets the unit up once and gives it back."""
    monkeypatch.setattr(tuned, "emulated", lambda: False)
    text = amx_packed.AmxPacked(parts).build().text()
    assembly, called = foreign_assembly(text, "sapphirerapids")
    assert called == {"pool_run"}
    assert assembly.count("tdpbf16ps") == 9 * {1: 1, 3: 6}[parts]
    assert assembly.count("ldtilecfg") == assembly.count("tilerelease") == 1
    assert {"py_pack:", "py_run:"} <= set(assembly.split())


@LLVM
@pytest.mark.parametrize("parts", [1, 2, 3])
def test_sizes(parts: int) -> None:
    """Panels of 32 lines and steps of 32 elements of k, each begun one whole."""
    step = 2 * parts * amx.TILE
    for lines, k, steps in ((1, 1, 1), (32, 32, 1), (33, 32, 2), (32, 33, 2), (70, 100, 12)):
        assert amx_packed.panel_bytes(lines, k, parts) == steps * step
    # a chunk has up to four panels of columns, and there shall be two chunks
    assert [amx_packed.group_of(32 * n) for n in (1, 2, 4, 7, 8, 100)] == [1, 1, 2, 3, 4, 4]


@LLVM
def test_without_the_unit_nothing_falls_on_it(monkeypatch: pytest.MonkeyPatch) -> None:
    b = np.ones((128, 128), np.float32)
    monkeypatch.setattr(amx, "available", lambda: False)
    monkeypatch.setattr(packed, "uses_amx", lambda _group: False)
    assert type(packed.packed(b, 10**6)) is packed.Packed
    amx_packed.kernels.cache_clear()
    with pytest.raises(RuntimeError, match="no matrix unit"):
        amx_packed.kernels(3)


@LLVM
def test_with_the_unit_many_rows_fall_on_it(monkeypatch: pytest.MonkeyPatch) -> None:
    """float32 matrices with long sides, for enough rows."""
    monkeypatch.setattr(packed, "uses_amx", lambda _group: True)
    monkeypatch.setattr(packed, "AmxPacked", lambda b: ("unit", b.shape))
    monkeypatch.setattr(tuning, "MATMUL_AMX_ROWS", 16)
    monkeypatch.setattr(tuning, "MATMUL_AMX_SIDE", 64)
    b = np.ones((64, 70), np.float32)
    assert packed.packed(b, 16) == ("unit", (64, 70))
    for other, rows in ((b, 15), (b[:63], 16), (b[:, :63], 16), (b.astype(np.float64), 16)):
        assert type(packed.packed(other, rows)) is packed.Packed
