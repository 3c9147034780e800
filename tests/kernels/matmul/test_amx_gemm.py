"""Products on the matrix unit against float64: as exact as float32, and right where it cannot be
used. What they are made of is looked at on any CPU."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import rushlight
from rushlight.kernels import runtime, tuned, tuning
from rushlight.kernels.keys import forget_plans
from rushlight.kernels.matmul import amx, amx_gemm, gemm, select
from rushlight.kernels.meta import MetaArray
from rushlight.kernels.narrow import BFLOAT16 as BF16
from rushlight.kernels.plan import Launch, Plan
from rushlight.kernels.runtime.workspace import aligned

from .products import exact, foreign_assembly

LLVM = pytest.mark.skipif(not runtime.available(), reason="no LLVM here, or RUSHLIGHT_JIT=0")
UNIT = pytest.mark.skipif(
    not runtime.available() or not select.has_amx(), reason="no machine code, or a CPU without AMX"
)


def multiplied(
    a: np.ndarray,
    b: np.ndarray,
    parts: int = 3,
    bias_col: Any = None,
    bias_row: Any = None,
    onto: Any = None,
) -> np.ndarray:
    """The kernel itself, on stacks of matrices."""
    from rushlight.kernels.matmul import amx_gemm
    from rushlight.kernels.runtime import threads

    threads.ready()
    (batch, m, k), n = a.shape, b.shape[2]
    c = np.full((batch, m, n), np.nan, np.float32) if onto is None else onto.copy()
    room = aligned(amx_gemm.packed_bytes(m, n, k, batch, parts))
    of_a, of_b = ([s // 4 for s in x.strides] for x in (a, b))
    launch = Launch(
        amx_gemm.kernel(parts), a="a", a_row=of_a[1], a_col=of_a[2], a_batch=of_a[0], b="b",
        b_row=of_b[1], b_col=of_b[2], b_batch=of_b[0], c="c", c_row=n, c_batch=m * n,
        bias_row="bias_row", bias_col="bias_col", packed="room", m=m, n=n, k=k, batch=batch,
        accumulate=int(onto is not None),
    )  # fmt: skip
    names = ("a", "b", "c", "bias_row", "bias_col", "room")
    Plan("test.amx_gemm", names, {}, [launch]).run(a, b, c, bias_row, bias_col, room)
    return c


def operand(rng: np.random.Generator, shape: tuple[int, ...], how: int) -> np.ndarray:
    """Random numbers of many sizes: contiguous, transposed, with gaps, or turned round."""
    batch, rows, columns = shape
    x = rng.standard_normal((batch, 2 * rows, 2 * columns), dtype=np.float32)
    x *= np.exp(rng.uniform(-20, 20, x.shape)).astype(np.float32)
    if how == 1:
        return np.ascontiguousarray(x[:, :rows, :columns].swapaxes(1, 2)).swapaxes(1, 2)
    if how == 2:
        return x[:, ::2, ::2]
    if how == 3:
        return np.ascontiguousarray(x[:, :rows, :columns])[:, ::-1, ::-1]
    return np.ascontiguousarray(x[:, :rows, :columns])


@UNIT
@pytest.mark.parametrize("seed", range(40))
def test_random_shapes_and_layouts(seed: int) -> None:
    rng = np.random.default_rng(seed)
    batch = int(rng.choice([1, 1, 2, 5]))
    m, n, k = (int(rng.choice([1, 7, 16, 17, 32, 33, 64, 100, 130])) for _ in range(3))
    if seed >= 36:  # more than one block
        m, n, k = (int(x) for x in rng.integers(1000, 1100, 3))
        batch = 1
    a, b = (
        operand(rng, (batch, *s), int(h))
        for s, h in zip(((m, k), (k, n)), rng.integers(0, 4, 2), strict=True)
    )
    column = rng.standard_normal(n, dtype=np.float32) if seed % 3 == 1 else None
    row = rng.standard_normal(m, dtype=np.float32) if seed % 4 == 2 else None
    onto = rng.standard_normal((batch, m, n), dtype=np.float32) if seed % 5 == 3 else None
    got = multiplied(a, b, bias_col=column, bias_row=row, onto=onto)
    want, size = exact(a, b)
    for extra in (column, None if row is None else row[:, None], onto):
        if extra is not None:
            want, size = want + extra, size + np.abs(extra)
    # what is left out of a product is below 3 * 2**-25 of it; then sums are rounded
    assert (np.abs(got - want) <= (k / 16 + 8) * 2.0**-24 * size).all()


@pytest.mark.slow
@UNIT
def test_as_exact_as_float32() -> None:
    rng = np.random.default_rng(0)
    a, b = (rng.standard_normal((1, 512, 512), dtype=np.float32) for _ in range(2))
    want, size = exact(a, b)

    def error(x: np.ndarray) -> float:
        return float(np.sqrt(np.mean(((x - want) / size) ** 2)))

    assert error(multiplied(a, b)) < 0.5 * 2.0**-24
    assert error(multiplied(a, b)) < 1.5 * error(np.matmul(a, b))
    assert 2.0**-22 < error(multiplied(a, b, 2)) < 2.0**-18
    assert 2.0**-14 < error(multiplied(a, b, 1)) < 2.0**-9


@UNIT
@pytest.mark.parametrize("which", ["a", "b", "both"])
@pytest.mark.parametrize("value", [np.inf, -np.inf, np.nan, 3e38, -2e33])
@pytest.mark.parametrize("shape", [(40, 70, 50), (70, 40, 50), (1100, 40, 1030)])
def test_numbers_that_cannot_be_split(
    which: str, value: float, shape: tuple[int, int, int]
) -> None:
    rng = np.random.default_rng(1)
    m, n, k = shape
    a = rng.standard_normal((1, m, k), dtype=np.float32)
    b = rng.standard_normal((1, k, n), dtype=np.float32)
    a[0, :, 3] = rng.integers(-2, 3, m)  # zeros and powers of two meet the large number too
    if which != "b":
        a[0, m // 2, 5] = a[0, -1, -1] = value
    if which != "a":
        b[0, 5, n // 3] = b[0, -1, -1] = value
    column = rng.standard_normal(n, dtype=np.float32)
    with np.errstate(over="ignore", invalid="ignore"):
        want = np.matmul(a.astype(np.float64), b.astype(np.float64)) + column
        size = np.abs(a).astype(np.float64) @ np.abs(b) + 1
        want32 = want.astype(np.float32)
        got = multiplied(a, b, bias_col=column)
        special = ~np.isfinite(want32) | (np.abs(want) > 1e38)
        np.testing.assert_array_equal(np.isnan(got), np.isnan(want))
        np.testing.assert_array_equal(
            got[special & np.isinf(want)], want32[special & np.isinf(want)]
        )
        fine = ~special
        assert (np.abs(got - want)[fine] <= ((k + 2) * 2.0**-24 * size)[fine]).all()


@UNIT
def test_zeros_stay_zeros_and_small_numbers_are_not_lost() -> None:
    a = np.zeros((1, 64, 64), np.float32)
    b = np.ones((1, 64, 64), np.float32)
    assert not multiplied(a, b).any()
    rng = np.random.default_rng(2)
    a = (rng.standard_normal((1, 64, 64)) * 1e-30).astype(np.float32)
    b = (rng.standard_normal((1, 64, 64)) * 1e10).astype(np.float32)
    want, size = exact(a, b)
    assert (np.abs(multiplied(a, b) - want) <= 12 * 2.0**-24 * size).all()


@UNIT
def test_threads_give_the_same_bits() -> None:
    rng = np.random.default_rng(3)
    a = rng.standard_normal((3, 150, 1100), dtype=np.float32)
    b = rng.standard_normal((3, 1100, 170), dtype=np.float32)
    before = rushlight.get_num_threads()
    try:
        found = []
        for threads in (1, 2, 3, 8):
            rushlight.set_num_threads(threads)
            found.append(multiplied(a, b).tobytes())
    finally:
        rushlight.set_num_threads(before)
    assert len(set(found)) == 1


@UNIT
def test_the_precision_that_was_set_is_used(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(tuning, "MATMUL_AMX_LEAST", 1)
    rng = np.random.default_rng(4)
    a, b = (rng.standard_normal((160, 160), dtype=np.float32) for _ in range(2))
    forget_plans()
    found = {}
    try:
        for precision in ("highest", "high", "medium"):
            rushlight.set_float32_matmul_precision(precision)
            found[precision] = (rushlight.tensor(a) @ rushlight.tensor(b)).numpy()
    finally:
        rushlight.set_float32_matmul_precision("highest")
        forget_plans()
    for precision, parts in (("highest", 3), ("high", 2), ("medium", 1)):
        np.testing.assert_array_equal(found[precision], multiplied(a[None], b[None], parts)[0])


# -- on any CPU ------------------------------------------------------------------------------------


@pytest.mark.slow
@LLVM
@pytest.mark.parametrize(
    ("parts", "products"), [pytest.param(1, 1, marks=pytest.mark.long), (3, 6)]
)
def test_the_module_compiles_for_a_cpu_with_the_unit(
    parts: int, products: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    """It sets the unit up wherever it uses it and gives it back; each tile of the result takes so
    many products of the parts: 1 + 2 + 2 + 4 tiles, in a loop each."""
    monkeypatch.setattr(tuned, "emulated", lambda: False)
    text = amx_gemm.AmxGemm(parts).build().text()
    assembly, called = foreign_assembly(text, "sapphirerapids")
    assert called == {"pool_run", "plain_run", "aligned_alloc", "free"}
    assert assembly.count("tdpbf16ps") == 9 * products
    assert assembly.count("ldtilecfg") == 2  # the two ways to compute: shared rows, shared columns
    assert assembly.count("tilerelease") >= 2
    assert assembly.count("tilestored") >= 9


@LLVM
def test_the_interface_is_that_of_the_plain_product() -> None:
    """Without the mode, for nothing stays packed, and A is never read where it lies; what is left
    to vectors is called with all."""
    wanted = dict(gemm.INTERFACE.types)
    for name in ("mode", *gemm.PACKING):
        del wanted[name]
    assert wanted == amx_gemm.INTERFACE.types
    assert amx_gemm.INTERFACE.optional == gemm.INTERFACE.optional


@LLVM
@pytest.mark.parametrize("parts", [1, 2, 3])
def test_the_room_for_packed_panels(parts: int) -> None:
    """Of the operand with fewer lines: 32 lines by 32 elements of k are 4 KB for two parts; never
    less than the vectors need that take over."""
    from rushlight.kernels.matmul import gemm

    def room(m: int, n: int, k: int, batch: int = 1) -> int:
        return amx_gemm.packed_bytes(m, n, k, batch, parts)

    step = 2 * parts * amx.TILE
    plain = 4 * gemm.packed_size("float", 4000, 1, gemm.KC)
    assert room(1000, 4000, 1000) == max(32 * 32 * step, plain)
    assert room(65, 64, 33) >= 2 * 2 * step
    assert room(65, 64, 33, 7) >= 7 * 2 * 2 * step
    largest = room(1024, 1024, 1024)
    assert room(10**6, 10**6, 10**6) >= largest  # one block, however large the product is
    assert room(10**6, 1024, 10**6) == largest
    many = amx_gemm.ROOM // (2 * 2 * step)
    most = max(amx_gemm.ROOM, 4 * gemm.packed_size("float", 64, many, gemm.KC))
    assert room(64, 64, 64, 10**6) <= most  # some products of a batch at a time


@LLVM
def test_without_the_unit_nothing_falls_on_it(
    monkeypatch: pytest.MonkeyPatch, limits: Any
) -> None:
    """Neither a plan nor a kernel: its first instruction would end the process."""
    monkeypatch.setattr(amx, "available", lambda: False)
    monkeypatch.setattr(select, "uses_amx", lambda _group: False)
    with limits(MATMUL_AMX_LEAST=1, MATMUL_AMX_SIDE=1, MATMUL_LEAST_PACKED=1):
        for m, k, n in ((64, 64, 64), (512, 512, 512), (2000, 300, 700)):
            a, b = MetaArray((m, k), np.float32), MetaArray((k, n), np.float32)
            plan = select.plan(a.dtype, a.shape, a.strides, b.dtype, b.shape, b.strides)
            assert "amx" not in plan.describe()
    amx_gemm.kernel.cache_clear()
    with pytest.raises(RuntimeError, match="no matrix unit"):
        amx_gemm.kernel(3)


@LLVM
def test_with_the_unit_large_products_fall_on_it(
    monkeypatch: pytest.MonkeyPatch, limits: Any
) -> None:
    """A plan is made of metadata, so it can be looked at where it cannot be run."""
    monkeypatch.setattr(amx, "available", lambda: True)
    monkeypatch.setattr(select, "uses_amx", lambda _group: True)

    def way(m: int, k: int, n: int, dtype: Any = np.float32) -> str:
        a, b = MetaArray((m, k), dtype), MetaArray((k, n), dtype)
        return select.plan(a.dtype, a.shape, a.strides, b.dtype, b.shape, b.strides).way

    try:
        with limits(MATMUL_AMX_LEAST=1 << 18, MATMUL_AMX_SIDE=64):
            assert way(64, 64, 64) == "amx_gemm"
            assert way(63, 65, 80) != "amx_gemm"  # a side is too short
            assert way(64, 64, 64, np.float64) != "amx_gemm"
        with limits(MATMUL_AMX_LEAST=(1 << 18) + 1, MATMUL_AMX_SIDE=64):
            assert way(64, 64, 64) != "amx_gemm"
    finally:
        amx_gemm.kernel.cache_clear()


@UNIT
@pytest.mark.parametrize("bias", [False, True])
@pytest.mark.parametrize("lies", ["NN", "NT", "TN", "TT"])
@pytest.mark.parametrize(
    "shape", [(256, 256, 256), (8, 768, 512), (130, 1100, 300), (1037, 64, 33), (300, 2500, 70)]
)
def test_bfloat16_is_multiplied_as_it_is(
    rng: np.random.Generator, shape: tuple[int, int, int], lies: str, bias: bool
) -> None:
    """However rows and columns lie, with odd sizes, blocks of k and of lines, and a bias."""
    m, k, n = shape
    a, b = rng.standard_normal((m, k)), rng.standard_normal((k, n))
    d = rng.standard_normal(n).astype(BF16)
    a, b = (
        np.asarray(x.astype(BF16), order="F" if way == "T" else "C")
        for x, way in zip((a, b), lies, strict=True)
    )
    plan = select.plan(
        BF16, a.shape, a.strides, BF16, b.shape, b.strides, "highest",
        *((d.shape, d.strides) if bias else (None, ())), rounds=False,
    )  # fmt: skip
    if plan.way == "bfloat16 by amx_gemm":
        assert not any(name.endswith("a_wide") for name in plan.outputs)
    else:
        assert "slices" in plan.way  # of a long k and a small result
    y = plan.run(a, b, d if bias else None, 1.0, float(bias))
    wide = a.astype(np.float64), b.astype(np.float64)
    exact, size = wide[0] @ wide[1], np.abs(wide[0]) @ np.abs(wide[1])
    if bias:
        exact, size = exact + d.astype(np.float64), size + np.abs(d.astype(np.float64))
    assert y.dtype == np.float32
    assert (np.abs(y - exact) <= 2.0**-21 * size).all()


@UNIT
def test_infinities_of_bfloat16_stay_in_their_sums(rng: np.random.Generator) -> None:
    a, b = (rng.standard_normal((128, 128)).astype(BF16) for _ in range(2))
    a[3, 5], a[7, 1], b[2, 9] = np.inf, np.nan, 3e38
    with np.errstate(all="ignore"):
        y, wanted = select.wide_product(a, b), a.astype(np.float32) @ b.astype(np.float32)
    np.testing.assert_allclose(y, wanted, rtol=1e-5, atol=1e-4)
