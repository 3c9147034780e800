"""Products of narrow floats: in float32, rounded once; those of bfloat16 by one product of a matrix
unit, where there is one."""

from __future__ import annotations

from typing import Any

import ml_dtypes
import numpy as np
import pytest

from rushlight.kernels import runtime
from rushlight.kernels.matmul import select
from rushlight.kernels.matmul.select import has_amx
from tests.kernels.matmul.products import layer_gradients

BF16, F16, F32 = np.dtype(ml_dtypes.bfloat16), np.dtype(np.float16), np.dtype(np.float32)
TYPES = [F16, BF16, np.dtype(ml_dtypes.float8_e5m2)]
SHAPES = [
    ((3,), (3,)), ((4, 3), (3,)), ((3,), (3, 5)), ((4, 3), (3, 5)), ((2, 4, 3), (3, 5)),
    ((2, 1, 4, 3), (5, 3, 2)), ((0, 3), (3, 2)), ((2, 0), (0, 3)), ((1, 700), (700, 90)),
    ((40, 90), (90, 33)), ((256, 256), (256, 192)), ((3, 160, 160), (3, 160, 160)),
]  # fmt: skip
unit = pytest.mark.skipif(
    not runtime.available() or not has_amx(), reason="a CPU without a matrix unit"
)


def drawn(rng: np.random.Generator, shape: tuple[int, ...], dtype: Any) -> np.ndarray:
    return rng.standard_normal(shape).astype(dtype)


def has_own_sums(plan: Any) -> bool:
    """Whether a plan adds products of bfloat16 up in another order than those of float32."""
    by_unit = plan.outputs["y"].dtype == BF16 and has_amx()
    return by_unit or plan.way.endswith("pair_gemm")


def near(y: np.ndarray, a: np.ndarray, b: np.ndarray, bits: int) -> None:
    """y is a @ b, but for the sums in float32 and a rounding to so many bits."""
    exact = np.matmul(a.astype(np.float64), b.astype(np.float64))
    size = np.matmul(np.abs(a.astype(np.float64)), np.abs(b.astype(np.float64)))
    wrong = np.abs(y.astype(np.float64) - exact)
    assert (wrong <= 2.0**-bits * np.abs(exact) + 2.0**-20 * size + 1e-30).all()


@pytest.mark.parametrize("turned", [False, True])
@pytest.mark.parametrize(("a", "b"), SHAPES)
@pytest.mark.parametrize("dtype", TYPES, ids=str)
def test_a_product(rng: np.random.Generator, dtype: Any, a: Any, b: Any, turned: bool) -> None:
    x, y = drawn(rng, a, dtype), drawn(rng, b, dtype)
    if turned and y.ndim > 1:
        y = np.ascontiguousarray(y.swapaxes(-1, -2)).swapaxes(-1, -2)
    found, wide = select.product(x, y), select.wide_product(x, y)
    assert (found.dtype, wide.dtype) == (dtype, F32)
    assert found.shape == wide.shape == np.matmul(x.astype(F32), y.astype(F32)).shape
    np.testing.assert_array_equal(found, wide.astype(dtype))
    near(wide, x, y, 24)
    if not has_own_sums(select.plan_product(x, y)):
        np.testing.assert_array_equal(wide, select.product(x.astype(F32), y.astype(F32)))


@pytest.mark.parametrize("dtype", TYPES, ids=str)
@pytest.mark.parametrize("shape", [(3, 2, 4), (1, 300, 40), (70, 64, 96), (0, 3, 2)])
def test_a_layer_with_a_bias_is_rounded_once(
    rng: np.random.Generator, dtype: Any, shape: tuple[int, int, int]
) -> None:
    rows, inner, columns = shape
    x, w = drawn(rng, (rows, inner), dtype), drawn(rng, (columns, inner), dtype)
    b = drawn(rng, (columns,), dtype)
    y = select.linear(x, w.T, b)
    assert y.dtype == dtype
    if not has_own_sums(select.plan_linear(x, w, b)):
        wanted = select.linear(x.astype(F32), w.T.astype(F32, order="K"), b.astype(F32))
        np.testing.assert_array_equal(y, wanted.astype(dtype))
    if dtype == BF16:
        ones = np.ones((rows, 1), np.float32)
        wide = [np.hstack([x.astype(F32), ones]), np.vstack([w.T.astype(F32), b.astype(F32)])]
        near(y, *wide, 8)


@pytest.mark.parametrize("shape", [(90,), (1,), (), (1, 1), (1, 90), (400, 1), (400, 90)])
@pytest.mark.parametrize("dtype", [F16, BF16], ids=str)
def test_what_is_added_to_a_product_broadcasts(
    rng: np.random.Generator, dtype: Any, shape: tuple[int, ...]
) -> None:
    """A single number too, of which no kernel may read as many as there are columns."""
    x, w, d = (np.asarray(drawn(rng, s, dtype)) for s in ((400, 200), (200, 90), shape))
    room = np.full(d.size + 4096, 1e4, dtype)  # what lies behind the numbers
    room[: d.size] = d.ravel()
    y = select.added(room[: d.size].reshape(shape), x, w)
    if y is not None:
        whole = np.broadcast_to(d.astype(F32), (400, 90)).astype(np.float64)
        exact = np.matmul(x.astype(np.float64), w.astype(np.float64)) + whole
        bits = 8 if dtype == BF16 else 11
        assert (np.abs(y.astype(np.float64) - exact) <= 2.0**-bits * np.abs(exact) + 1e-2).all()


@pytest.mark.parametrize("bias", [False, True])
@pytest.mark.parametrize("lead", [(6,), (2, 3), (128,)])
@pytest.mark.parametrize("dtype", [F16, BF16], ids=str)
def test_gradients_of_a_layer_stay_in_float32(
    rng: np.random.Generator, dtype: Any, lead: tuple[int, ...], bias: bool
) -> None:
    """The engine rounds them, once, behind what it adds up. (The sum may be rounded here.)"""
    g, x = drawn(rng, (*lead, 96), dtype), drawn(rng, (*lead, 64), dtype)
    w = drawn(rng, (96, 64), dtype)
    found = layer_gradients(g, x, w, bias)
    assert found is not None
    assert [y.dtype for y in found[:2]] == [F32, F32]
    rows_g, rows_x = g.reshape(-1, 96), x.reshape(-1, 64)
    near(found[0].reshape(-1, 64), rows_g, w, 24)
    near(found[1], rows_g.T, rows_x, 24)
    if bias:
        other = layer_gradients(g.astype(F32), x.astype(F32), w.astype(F32), True)
        assert other is not None
        assert found[2].dtype in (F32, dtype)
        np.testing.assert_array_equal(found[2].astype(dtype), other[2].astype(dtype))


def test_the_plan_says_what_is_done() -> None:
    a = np.ones((256, 256), BF16)
    plan = select.plan_product(a, a)
    assert plan.name.startswith("matmul.bfloat16 by ")
    assert plan.flops == 2 * 256**3
    assert plan.outputs["y"].dtype == BF16
    if runtime.available() and has_amx():
        assert plan.way == "bfloat16 by amx_gemm"


@unit
@pytest.mark.parametrize("bad", [np.inf, -np.inf, np.nan, 3e38])
def test_what_the_unit_cannot_multiply_is_computed_by_vectors(
    rng: np.random.Generator, bad: float
) -> None:
    a, b = drawn(rng, (256, 256), BF16), drawn(rng, (256, 256), BF16)
    a[3, 5] = bad
    with np.errstate(all="ignore"):
        y, wanted = select.wide_product(a, b), np.matmul(a.astype(F32), b.astype(F32))
    np.testing.assert_allclose(y, wanted, rtol=1e-5, atol=1e-4)


@unit
def test_the_unit_needs_one_product(rng: np.random.Generator) -> None:
    """All digits are there with one part, as other numbers have them with three."""
    from rushlight.kernels.matmul import amx_gemm

    a, b = drawn(rng, (256, 256), BF16), drawn(rng, (256, 256), BF16)
    near(select.wide_product(a, b), a, b, 24)
    used = [getattr(launch, "kernel", None) for launch in select.plan_product(a, b).launches]
    assert amx_gemm.kernel(1, "bfloat") in used
    used = [
        getattr(launch, "kernel", None)
        for launch in select.plan_product(a.astype(F32), b.astype(F32)).launches
    ]
    assert amx_gemm.kernel(3) in used
