"""The choice of a convolution's kernel, by metadata alone; plans say what they do."""

from __future__ import annotations

from typing import Any

import ml_dtypes
import numpy as np
import pytest

from rushlight.kernels import runtime, tuning
from rushlight.kernels.conv import reference, select
from rushlight.kernels.matmul.select import has_amx

native = pytest.mark.skipif(not runtime.available(), reason="no LLVM here, or RUSHLIGHT_JIT=0")
vectors = pytest.mark.skipif(
    not runtime.available() or has_amx(), reason="for machine code without the matrix unit"
)


def operands(
    rng: np.random.Generator, x: Any, w: Any, how: Any, dtype: Any = np.float32
) -> tuple[np.ndarray, ...]:
    """x, w, bias and g of a convolution."""
    out = reference.out_size(x[2:], w[2:], *how[:3])
    shapes = (x, w, w[:1], (x[0], w[0], *out))
    return tuple(rng.standard_normal(s).astype(dtype) for s in shapes)


def plans(x: Any, w: Any, b: Any, g: Any, *how: Any) -> tuple[Any, ...]:
    """The three plans of a convolution, and what they run on."""
    of = {k: (a.dtype, a.shape, a.strides) for k, a in (("x", x), ("w", w), ("g", g))}
    return (
        (select.plan_forward(*of["x"], *of["w"], (b.dtype, b.strides), *how), (x, w, b)),
        (select.plan_input(*of["g"], *of["w"], x.shape[2:], *how), (g, w)),
        (select.plan_weight(*of["x"], *of["g"], w.shape[2:], *how), (x, g)),
    )


def references(x: Any, w: Any, b: Any, g: Any, *how: Any) -> tuple[np.ndarray, ...]:
    """What NumPy makes of it in float64."""
    x, w, b, g = (a.astype(np.float64) for a in (x, w, b, g))
    return (
        reference.forward(x, w, b, *how),
        reference.input_gradient(g, w, x.shape[2:], *how),
        reference.weight_gradient(x, g, w.shape[2:], *how),
    )


ONE = ((1, 1), (1, 1), (1, 1), 1)
WAYS = [  # x, w, stride and so on, the ways of the three directions
    ((4, 32, 14, 14), (32, 32, 3, 3), ONE, ("skipping", "skipping", "skipping")),
    ((2, 18, 20, 20), (16, 18, 3, 3), ((1, 1), (0, 0), (1, 1), 1),
     ("implicit_gemm", "col2im", "direct")),
    ((2, 18, 20, 20), (18, 18, 3, 3), ONE, ("implicit_gemm", "implicit_gemm", "implicit_gemm")),
    ((2, 16, 20, 20), (16, 16, 3, 3), ((2, 2), (1, 1), (1, 1), 1),
     ("implicit_gemm", "col2im", "skipping")),
    # more taps than columns are added up for, and windows of which a part is margin
    ((2, 16, 30, 30), (4, 16, 9, 9), ((1, 1), (0, 0), (1, 1), 1), ("implicit_gemm",) * 3),
    ((1, 128, 6, 6), (128, 128, 3, 3), ONE, ("im2col", "col2im", "implicit_gemm")),
    ((2, 32, 20, 20), (32, 1, 3, 3), ((1, 1), (1, 1), (1, 1), 32), ("depthwise",) * 3),
    ((2, 4, 3, 3), (4, 4, 3, 3), ONE, ("numpy", "numpy_of_flipped", "numpy")),
    ((8, 64, 4, 4), (32, 64, 4, 4), ((1, 1), (0, 0), (1, 1), 1),
     ("numpy", "numpy", "numpy")),
    ((40, 64, 4, 4), (32, 64, 4, 4), ((1, 1), (0, 0), (1, 1), 1),
     ("im2col", "one_window", "implicit_gemm")),
]  # fmt: skip


@vectors
@pytest.mark.skipif(tuning.ALWAYS, reason="small ones go to kernels too")
@pytest.mark.parametrize(("x", "w", "how", "ways"), WAYS)
def test_ways(rng: np.random.Generator, x: Any, w: Any, how: Any, ways: Any) -> None:
    """Each size goes its way, and comes to what NumPy makes of it."""
    given = operands(rng, x, w, how)
    found = plans(*given, *how)
    assert tuple(p.way for p, _ in found) == ways
    for (plan, arrays), wanted in zip(found, references(*given, *how), strict=True):
        got = plan.run(*arrays)
        assert got.dtype == np.float32
        assert np.abs(got - wanted).max() <= 3e-5 * np.abs(wanted).max()


@native
@pytest.mark.parametrize(("x", "w", "how", "_ways"), WAYS)
def test_a_plan_states_what_comes_out(
    rng: np.random.Generator, x: Any, w: Any, how: Any, _ways: Any
) -> None:
    given = operands(rng, x, w, how)
    terms = 2 * given[3].size * given[1][0].size
    for (plan, arrays), bias in zip(plans(*given, *how), (given[3].size, 0, 0), strict=True):
        (name,) = plan.returns
        y, meta = plan.run(*arrays), plan.outputs[name]
        assert (y.shape, y.dtype, y.strides) == (meta.shape, meta.dtype, meta.strides)
        assert plan.flops == terms + bias
        assert plan.bytes == sum(a.nbytes for a in arrays) + y.nbytes
        assert plan.name in plan.describe()


@native
def test_pointers_give_the_bits_of_arrays(rng: np.random.Generator, on_pointers: Any) -> None:
    """Plans whose launches are all native are what a compiled step runs."""
    seen = set()
    for x, w, how, _ in WAYS:
        given = operands(rng, x, w, how)
        for plan, arrays in plans(*given, *how):
            if all(hasattr(launch, "kernel") for launch in plan.launches):
                np.testing.assert_array_equal(on_pointers(plan, *arrays), plan.run(*arrays))
                seen.add(plan.way)
    assert "depthwise" in seen
    assert has_amx() or "implicit_gemm" in seen


@pytest.mark.parametrize("dtype", [np.int64, np.complex64])
def test_other_types_are_computed_by_numpy(rng: np.random.Generator, dtype: Any) -> None:
    x, w, b, g = operands(rng, (3, 16, 20, 20), (8, 16, 3, 3), ONE)
    given = [(4 * a).astype(dtype) for a in (x, w, b, g)]
    for (plan, arrays), wanted in zip(plans(*given, *ONE), references_of(given), strict=True):
        assert plan.way.startswith("numpy")
        np.testing.assert_array_equal(plan.run(*arrays), wanted)


@pytest.mark.parametrize("dtype", [np.float16, ml_dtypes.bfloat16])
@pytest.mark.parametrize("shapes", [((3, 16, 20, 20), (8, 16, 3, 3)), ((2, 3, 4, 4), (5, 3, 3, 3)),
                                    ((4, 32, 28, 28), (64, 32, 3, 3)), ((0, 2, 4, 4), (3, 2, 1, 1)),
                                    ((2, 8, 14, 14), (8, 1, 3, 3))])  # fmt: skip
def test_narrow_floats_are_rounded_once(
    rng: np.random.Generator, dtype: Any, shapes: Any
) -> None:
    """Convolutions in float32 of the same numbers, rounded: of bfloat16 with the one part by which
    a matrix unit has its numbers without an error, or in pairs."""
    how = (*ONE[:3], shapes[0][1] // shapes[1][1])
    given = [a.astype(dtype) for a in operands(rng, *shapes, how)]
    wide = [a.astype(np.float32) for a in given]
    both = zip(plans(*given, *how), plans(*wide, *how), strict=True)
    for (plan, arrays), (other, floats) in both:
        y, exact = plan.run(*arrays), other.run(*floats)
        assert y.dtype == dtype == plan.outputs[plan.returns[0]].dtype
        assert plan.name in plan.describe()
        if dtype == np.float16 or not (has_amx() or "pairs" in plan.way):
            np.testing.assert_array_equal(y, exact.astype(dtype))
        bits = 11 if dtype == np.float16 else 8
        scale = np.abs(exact).max(initial=1.0)
        np.testing.assert_allclose(
            y.astype(np.float32), exact, rtol=2.0**-bits, atol=1e-5 * scale
        )


@native
@pytest.mark.skipif(not has_amx(), reason="a CPU without a matrix unit")
@pytest.mark.parametrize("bad", [np.inf, -np.inf, np.nan, 3e38])
def test_what_the_unit_cannot_multiply_is_computed_by_vectors(
    rng: np.random.Generator, bad: float
) -> None:
    given = [
        a.astype(ml_dtypes.bfloat16)
        for a in operands(rng, (4, 32, 28, 28), (64, 32, 3, 3), ONE)
    ]
    given[0][1, 2, 3, 4] = bad
    wide = [a.astype(np.float32) for a in given]
    found = []
    for (plan, arrays), (other, floats) in zip(
        plans(*given, *ONE), plans(*wide, *ONE), strict=True
    ):
        found.append(plan.way)
        with np.errstate(all="ignore"):
            y, exact = plan.run(*arrays).astype(np.float32), other.run(*floats)
        scale = np.abs(exact[np.isfinite(exact)]).max()
        np.testing.assert_allclose(y, exact, rtol=2.0**-8, atol=1e-5 * scale)
    assert any("amx" in way for way in found)


def references_of(given: Any) -> tuple[np.ndarray, ...]:
    """What NumPy makes of it in the type itself."""
    x, w, b, g = given
    return (
        reference.forward(x, w, b, *ONE),
        reference.input_gradient(g, w, x.shape[2:], *ONE),
        reference.weight_gradient(x, g, w.shape[2:], *ONE),
    )


@native
def test_operands_of_any_strides(rng: np.random.Generator) -> None:
    """A copy of what does not lie dense is a launch of the plan; a bias of another type too."""
    x, w, b, g = operands(rng, (2, 16, 20, 20), (16, 16, 3, 3), ONE)
    wanted = [p.run(*arrays) for p, arrays in plans(x, w, b, g, *ONE)]
    views = [np.asfortranarray(a) for a in (x, w)] + [b.astype(np.float64), np.asfortranarray(g)]
    for (plan, arrays), y in zip(plans(*views, *ONE), wanted, strict=True):
        np.testing.assert_array_equal(plan.run(*arrays), y)
    broadcast = np.broadcast_to(g[:1, :1, :1, :1], g.shape)
    for (plan, arrays), y in zip(
        plans(x, w, b, broadcast, *ONE)[1:],
        [p.run(*a) for p, a in plans(x, w, b, broadcast.copy(), *ONE)[1:]],
        strict=True,
    ):
        np.testing.assert_array_equal(plan.run(*arrays), y)


@native
def test_nan_and_infinities_are_seen(rng: np.random.Generator) -> None:
    x, w, b, g = operands(rng, (2, 16, 20, 20), (16, 16, 3, 3), ONE)
    x[1, 3, 5, 5], g[0, 2, 7, 7], w[3, 3, 1, 1] = np.nan, np.inf, -np.inf
    with np.errstate(invalid="ignore"):
        wanted = references(x, w, b, g, *ONE)
        for (plan, arrays), y in zip(plans(x, w, b, g, *ONE), wanted, strict=True):
            got = plan.run(*arrays)
            np.testing.assert_array_equal(np.isnan(got), np.isnan(y))
            np.testing.assert_array_equal(np.isinf(got), np.isinf(y))


def test_fewer_positions_than_fit(rng: np.random.Generator) -> None:
    x, w, b, _ = operands(rng, (2, 16, 20, 20), (16, 16, 3, 3), ONE)
    whole = select.forward(x, w, b, *ONE)
    part = select.forward(x, w, b, *ONE, (19, 13))
    np.testing.assert_allclose(part, whole[:, :, :19, :13], rtol=1e-4, atol=1e-4)


@native
def test_a_transposed_convolution_adds_its_bias(rng: np.random.Generator) -> None:
    x, w, b, _ = operands(rng, (2, 16, 20, 20), (16, 16, 3, 3), ONE)
    alone = select.transposed(x, w, None, (20, 20), *ONE)
    np.testing.assert_array_equal(alone, select.input_gradient(x, w, (20, 20), *ONE))
    names = dict(zip(("stride", "padding", "dilation", "groups"), ONE, strict=True))
    plan = select.plan_of_transposed(x, w, b, size=(20, 20), **names)
    assert plan.name.startswith("conv_transpose.")
    column = b.reshape(-1, 1, 1)
    np.testing.assert_array_equal(plan.run(x, w, b), alone + column)
    np.testing.assert_array_equal(select.transposed(x, w, b, (20, 20), *ONE), alone + column)
