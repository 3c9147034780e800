"""Products with packed panels: odd sizes, strides, batches, biases, several blocks of K and N."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from rushlight.kernels import runtime, tuning
from rushlight.kernels.matmul import gemm, packing_tile, select, small_gemm, tile

from .products import check, plan_of

pytestmark = pytest.mark.skipif(not runtime.available(), reason="no LLVM here, or RUSHLIGHT_JIT=0")


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
@pytest.mark.parametrize(
    ("m", "k", "n"), [(257, 130, 129), (300, 513, 200), (400, 70, 1100), (130, 200, 513)]
)
def test_against_float64(
    m: int, k: int, n: int, dtype: Any, rng: np.random.Generator, on_pointers: Any, limits: Any
) -> None:
    with limits(MATMUL_LEAST_PACKED=1, MATMUL_AMX_LEAST=1 << 60):
        for turned in (False, True):
            a = rng.standard_normal((m, k)).astype(dtype)
            b = rng.standard_normal((n, k) if turned else (k, n)).astype(dtype)
            check(a, b.T if turned else b, "gemm", on_pointers)


def test_a_batch(rng: np.random.Generator, on_pointers: Any, limits: Any) -> None:
    with limits(MATMUL_LEAST_PACKED=1, MATMUL_AMX_LEAST=1 << 60):
        a = rng.standard_normal((3, 260, 40)).astype(np.float32)
        b = rng.standard_normal((3, 40, 150)).astype(np.float32)
        check(a, b, "gemm", on_pointers)


@pytest.mark.parametrize(
    ("m", "k", "n", "way"),
    [
        (130, 1100, 96, "gemm"), (300, 1400, 33, "gemm"), (300, 1400, 31, "small_gemm"),
        (127, 1100, 130, "small_gemm"), (130, 500, 140, "small_gemm"),
    ],
)  # fmt: skip
def test_rows_that_lie_side_by_side(
    m: int, k: int, n: int, way: str, rng: np.random.Generator, limits: Any, without_amx: None
) -> None:
    """Gradients of weights are packed from fewer rows and columns on; the error is that of BLAS (in
    one product of these sizes it is 1 % more or less by chance)."""
    errors = np.zeros(2)
    with limits(MATMUL_LEAST_PACKED=1 << 20):
        for _ in range(16):
            a = rng.standard_normal((k, m)).astype(np.float32).T
            b = rng.standard_normal((k, n)).astype(np.float32)
            assert plan_of(a, b).name == f"matmul.{way}"
            assert plan_of(np.ascontiguousarray(a), b).name != "matmul.gemm" or m > 256
            exact = a.astype(np.float64) @ b.astype(np.float64)
            errors += [np.mean((y - exact) ** 2) for y in (select.product(a, b), a @ b)]
    assert np.sqrt(errors[0] / errors[1]) <= 1.02


def test_a_bias_belongs_to_the_first_block(rng: np.random.Generator, limits: Any) -> None:
    with limits(MATMUL_LEAST_PACKED=1, MATMUL_AMX_LEAST=1 << 60):
        x, w = rng.standard_normal((300, 600)), rng.standard_normal((600, 140))
        bias = rng.standard_normal(140)
        y = select.linear(x, w, bias)
        np.testing.assert_allclose(y, x @ w + bias, rtol=1e-12, atol=1e-11)


def product_by(
    a: np.ndarray, b: np.ndarray, rows: int, depth: int, batch: int = 1, block: int = gemm.KC,
    chunks: int = gemm.CHUNKS,
) -> np.ndarray:  # fmt: skip
    """a @ b by the kernel, with what a plan would decide given."""
    from rushlight.kernels.meta import MetaArray
    from rushlight.kernels.plan import Launch, Plan

    m, k, n = a.shape[-2], a.shape[-1], b.shape[-1]
    element, size = select.ELEMENTS[a.dtype], a.itemsize
    of_a, of_b = ([s // size for s in x.strides] for x in (a, b))
    launch = Launch(
        gemm.kernel(element, gemm.panel_heights(element, m), rows), a="a", a_row=of_a[-2],
        a_col=of_a[-1], a_batch=of_a[0], b="b", b_row=of_b[-2], b_col=of_b[-1], b_batch=of_b[0],
        c="y", c_row=n, c_batch=m * n, m=m, n=n, k=k, batch=batch, packed="panels",
        accumulate=0, mode=0, rows=rows, block=block, depth=depth, chunks=chunks,
    )  # fmt: skip
    room = gemm.packed_size(element, n, batch, depth) * size
    outputs = {"y": MetaArray((batch, m, n), a.dtype)}
    found: np.ndarray = Plan("t", ("a", "b"), outputs, [launch], workspace={"panels": room}).run(
        a, b
    )
    return found


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
@pytest.mark.parametrize(
    ("m", "k", "n"), [(1, 5, 3), (11, 700, 40), (33, 300, 1050), (600, 270, 40)]
)
def test_the_bits_do_not_depend_on_packing(
    m: int, k: int, n: int, dtype: Any, rng: np.random.Generator, by_threads: Any
) -> None:
    """Neither on where A is read nor on how much of B is packed at a time; blocks alone matter."""
    for turned in (False, True):
        a = rng.standard_normal((2, k, m) if turned else (2, m, k)).astype(dtype)
        a = a.swapaxes(1, 2) if turned else a
        b = rng.standard_normal((2, k, n)).astype(dtype)
        first = product_by(a, b, gemm.PACKED, 256, 2)
        atol = 1e-9 if dtype is np.float64 else 1e-3
        np.testing.assert_allclose(first, a.astype(float) @ b, atol=atol)
        fused = [gemm.FUSED] if turned and packing_tile.is_fast() else []
        for rows in (gemm.PACKED, gemm.DIRECT, *fused):
            for depth in (256, 512, 1024):
                given = (a, b, rows, depth, 2)
                got = by_threads(lambda given=given: product_by(*given))
                np.testing.assert_array_equal(got, first)


@pytest.mark.parametrize("dtype", [np.float32, np.float64, np.int32])
@pytest.mark.parametrize(
    ("m", "k", "n", "turned"),
    [(192, 300, 513, True), (96, 513, 300, False), (200, 130, 128, False), (150, 300, 32, True),
     (150, 100, 96, True)],
)
def test_panels_give_the_bits_of_products_without(
    m: int, k: int, n: int, turned: bool, dtype: Any, rng: np.random.Generator, limits: Any
) -> None:
    """Where packing is quicker for what `small_gemm.py` would compute, blocks of K are its own."""
    a, bias = (rng.standard_normal(s) * 5 for s in ((m, k), (n,)))
    b = rng.standard_normal((n, k) if turned else (k, n)) * 5
    a, b, bias = a.astype(dtype), b.astype(dtype), bias.astype(dtype)
    b = b.T if turned else b
    found = []
    narrow = (150, 100)
    with limits(MATMUL_PACKED_LARGE=1, MATMUL_PACKED_NARROW=narrow, MATMUL_AMX_LEAST=1 << 60):
        assert select.plan_product(a, b).way == "gemm"
        assert f" block={small_gemm.KC}" in select.plan_product(a, b).describe()
        found.append([select.product(a, b), select.linear(a, b, bias)])
        with limits(MATMUL_PACKED_LARGE=1 << 40, MATMUL_PACKED_NARROW=(1 << 40, 1)):
            assert select.plan_product(a, b).way == "small_gemm"
            found.append([select.product(a, b), select.linear(a, b, bias)])
    for one, other in zip(*found, strict=True):
        np.testing.assert_array_equal(one, other)


def test_low_tiles_have_the_bits_of_high_ones(rng: np.random.Generator) -> None:
    """Rows are multiplied alike however numbers of A are read (`FOLDED`), at every height."""
    b = rng.standard_normal((1, 300, 70)).astype(np.float32)
    a = rng.standard_normal((1, tile.tile_rows("float"), 300)).astype(np.float32)
    whole = product_by(a, b, gemm.PACKED, 512)
    for m in range(1, a.shape[1]):
        np.testing.assert_array_equal(product_by(a[:, :m], b, gemm.PACKED, 512), whole[:, :m])


def test_chunks_are_as_many_as_are_wanted(rng: np.random.Generator) -> None:
    """One thread takes all columns of its rows; the bits are those of many chunks."""
    a, b = (rng.standard_normal(s).astype(np.float32) for s in ((1, 20, 300), (1, 300, 1100)))
    wanted = product_by(a, b, gemm.PACKED, 512)
    for chunks in (1, 7):
        np.testing.assert_array_equal(product_by(a, b, gemm.PACKED, 512, chunks=chunks), wanted)


def test_narrow_products_with_half_a_panel_that_is_empty(limits: Any) -> None:
    """They are computed as they lie."""
    with limits(MATMUL_PACKED_NARROW=(100, 100), MATMUL_AMX_LEAST=1 << 60):
        a, nr = np.ones((100, 100), np.float32), 2 * tile.lanes_of("float")
        for n, way in ((nr, "gemm"), (nr // 2 + 1, "gemm"), (nr // 2, "small_gemm"),
                       (nr + 1, "small_gemm")):  # fmt: skip
            assert select.plan_product(a, np.ones((n, 100), np.float32).T).way == way
            assert select.plan_product(a, np.ones((100, n), np.float32)).way == "small_gemm"


def test_how_rows_are_packed(limits: Any) -> None:
    """By a loop; where they lie side by side by tiles, if columns are near or there are few to
    multiply by; not at all for one panel of columns."""
    with limits(MATMUL_LEAST_PACKED=1, MATMUL_AMX_LEAST=1 << 60):
        a, b = np.ones((300, 200), np.float32), np.ones((200, 128), np.float32)
        assert f" rows={gemm.PACKED}" in select.plan_product(a, b).describe()
        fused = gemm.FUSED if packing_tile.is_fast() else gemm.PACKED
        for shape, columns, rows in (
            ((300, 200), 600, fused), ((512, 200), tuning.MATMUL_FUSED, fused),
            ((512, 200), tuning.MATMUL_FUSED + 1, gemm.PACKED),
        ):  # fmt: skip
            turned = np.ones(shape[::-1], np.float32).T
            b = np.ones((shape[1], columns), np.float32)
            assert f" rows={rows}" in select.plan_product(turned, b).describe()
