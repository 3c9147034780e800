"""Our convolutions against NumPy's in float64, over dimensions, strides, paddings and groups."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np
import pytest

import rushlight
from rushlight.kernels import runtime
from rushlight.kernels.conv import reference, select

pytestmark = pytest.mark.skipif(not runtime.available(), reason="no LLVM here, or RUSHLIGHT_JIT=0")


@pytest.fixture(autouse=True)
def _every_size(limits: Any) -> Iterator[None]:
    least = {"CONV_LEAST_WORK": 1, "CONV_FEW": 1, "DEPTHWISE_LEAST": 1, "ZERO_PAD_LEAST": 1}
    margins = {"CONV_SKIPPED_LEAST": 1 << 40, "CONV_SKIPPING_LONG": 1 << 40}  # are multiplied
    with limits(**least, **margins, IM2COL_LEAST_WORK=1 << 20):
        yield


def problem(rng: np.random.Generator) -> dict[str, Any]:
    dims = int(rng.integers(1, 4))
    pick = lambda low, high: tuple(int(v) for v in rng.integers(low, high, dims))  # noqa: E731
    groups = int(rng.choice([1, 1, 1, 2, 3]))
    return {
        "groups": groups,
        "channels": groups * int(rng.integers(1, 6)),
        "outputs": groups * int(rng.integers(1, 20)),
        "kernel": pick(1, 5),
        "stride": pick(1, 4),
        "padding": pick(0, 3),
        "dilation": pick(1, 3),
        "size": pick(8, 14 if dims == 3 else 30),
        "n": int(rng.integers(1, 5)),
    }


@pytest.mark.slow
@pytest.mark.parametrize(
    "seed", [0, 1, *(pytest.param(seed, marks=pytest.mark.long) for seed in range(2, 10))]
)
@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_random_problems(seed: int, dtype: Any) -> None:
    rng = np.random.default_rng(seed)
    for _ in range(15):
        q = problem(rng)
        where = (q["stride"], q["padding"], q["dilation"])
        if min(reference.out_size(q["size"], q["kernel"], *where)) < 1:
            continue
        x = rng.standard_normal((q["n"], q["channels"], *q["size"])).astype(dtype)
        w = rng.standard_normal((q["outputs"], q["channels"] // q["groups"], *q["kernel"]))
        w, b = w.astype(dtype), rng.standard_normal(q["outputs"]).astype(dtype)
        wide = [a.astype(np.float64) for a in (x, w, b)]
        tolerance = 3e-5 if dtype == np.float32 else 1e-12  # of the largest value

        def close(got: Any, wanted: Any, tolerance: float = tolerance, q: Any = q) -> None:
            assert got.shape == wanted.shape
            assert np.abs(got - wanted).max() <= tolerance * np.abs(wanted).max(), q

        y = reference.forward(*wide, *where, q["groups"])
        close(select.forward(x, w, b, *where, q["groups"]), y)
        g = rng.standard_normal(y.shape).astype(dtype)
        given = (x, g, q["kernel"], *where, q["groups"])
        wide_given = (wide[0], g.astype(np.float64), *given[2:])
        wanted = reference.weight_gradient(*wide_given)
        close(select.weight_gradient(*given), wanted)
        back = (q["size"], *where, q["groups"])
        given = (g.astype(np.float64), wide[1], *back)
        wanted = reference.input_gradient(*given)
        close(select.input_gradient(g, w, *back), wanted)


@pytest.mark.usefixtures("without_amx")
def test_a_vector_of_positions_over_several_lines() -> None:
    """Lines shorter than a vector, with a stride whose span looks like neighbours."""
    rng = np.random.default_rng(0)
    for width, stride in ((5, 1), (7, 1), (13, 3), (16, 1), (17, 1), (31, 2)):
        x = rng.standard_normal((2, 1, width, width)).astype(np.float32)
        w = rng.standard_normal((3, 1, 2, 2)).astype(np.float32)
        how = ((stride,) * 2, (0, 0), (1, 1), 1)
        key = (x.dtype, x.shape, x.strides, w.dtype, w.shape, w.strides, None)
        assert select.plan_forward(*key, *how).name == "conv.implicit_gemm"
        got = select.forward(x, w, None, *how)
        for i in range(got.shape[2]):
            for j in range(got.shape[3]):
                patch = x[:, 0, i * stride : i * stride + 2, j * stride : j * stride + 2]
                wanted = np.einsum("nab,oab->no", patch, w[:, 0])
                np.testing.assert_allclose(got[:, :, i, j], wanted, rtol=1e-4, atol=1e-5)


@pytest.mark.parametrize("threads", [2, 3, 8])
def test_the_same_bits_for_any_number_of_threads(threads: int) -> None:
    rng = np.random.default_rng(0)
    x = rng.standard_normal((6, 5, 20, 20)).astype(np.float32)
    w = rng.standard_normal((33, 5, 3, 3)).astype(np.float32)
    g = rng.standard_normal((6, 33, 20, 20)).astype(np.float32)
    one, two, pad = (1, 1), (2, 2), (1, 1)
    small = np.ascontiguousarray(g[:, :, :10, :10])
    tiny = np.ascontiguousarray(g[:, :, :4, :4])
    small_x = x[:, :, :4, :4]
    before = rushlight.get_num_threads()

    def both() -> tuple[Any, ...]:
        return (select.forward(x, w, None, one, pad, one, 1),
                select.weight_gradient(x, g, (3, 3), one, pad, one, 1),
                select.input_gradient(small, w, (20, 20), two, pad, one, 1),
                select.input_gradient(tiny, w, (8, 8), two, pad, one, 1),
                select.input_gradient(tiny, w, (4, 4), one, pad, one, 1),
                select.forward(x[:, :, :7, :7], w, None, one, pad, one, 1),
                select.weight_gradient(small_x, tiny, (3, 3), one, pad, one, 1))  # fmt: skip

    try:
        rushlight.set_num_threads(1)
        alone = both()
        rushlight.set_num_threads(threads)
        for a, b in zip(both(), alone, strict=True):
            np.testing.assert_array_equal(a, b)
    finally:
        rushlight.set_num_threads(before)


@pytest.mark.usefixtures("without_amx")
@pytest.mark.parametrize("dtype", [np.float32, np.float64])
@pytest.mark.parametrize("groups", [1, 2])
def test_images_that_share_panels(
    groups: int, dtype: Any, limits: Any, on_pointers: Any, by_threads: Any
) -> None:
    """Results lie at the places of their images and have the bits that an image has alone; nothing
    is copied by NumPy. Whole vectors of an image, parts of one, and several images in one."""
    rng, one = np.random.default_rng(0), (1, 1)
    for n, *size in ((2, 1, 1), (70, 1, 3), (9, 3, 5), (5, 4, 4), (3, 7, 19), (3, 16, 8)):
        x, w, g, b = (
            rng.standard_normal(s).astype(dtype)
            for s in ((n, 4, *size), (34, 4 // groups, 3, 3), (n, 34, *size), (34,))
        )
        how = (one, one, one, groups)
        key = (x.dtype, x.shape, x.strides, w.dtype, w.shape, w.strides, (b.dtype, b.strides), *how)
        back = (g.dtype, g.shape, g.strides, w.dtype, w.shape, w.strides, tuple(size), *how)
        found = []
        for full in (1, 1 << 30):
            with limits(CONV_FULL=full, CONV_LEAST_WORK=1, CONV_FEW=1, ZERO_PAD_LEAST=1):
                plans = ((select.plan_forward(*key), (x, w, b)), (select.plan_input(*back), (g, w)))
                for plan, arrays in plans:
                    assert plan.way == "implicit_gemm"
                    y = by_threads(lambda plan=plan, arrays=arrays: plan.run(*arrays))
                    np.testing.assert_array_equal(on_pointers(plan, *arrays), y)
                    found.append(y)
        for alone, shared in zip(found[:2], found[2:], strict=True):
            np.testing.assert_array_equal(alone, shared)
        whole = [rng.integers(-4, 5, a.shape).astype(dtype) for a in (x, g)]
        key = [v for a in whole for v in (a.dtype, a.shape, a.strides)]
        with limits(CONV_FULL=1 << 30, CONV_LEAST_WORK=1, CONV_FEW=1, ZERO_PAD_LEAST=1):
            plan = select.plan_weight(*key, (3, 3), *how)
            assert plan.way in ("implicit_gemm", "direct")
            np.testing.assert_array_equal(
                on_pointers(plan, *whole), reference.weight_gradient(*whole, (3, 3), *how)
            )


@pytest.mark.usefixtures("without_amx")
@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_a_last_panel_of_any_width(dtype: Any, limits: Any) -> None:
    """A position has the same bits in a panel that is full and in one of a single vector."""
    rng, how = np.random.default_rng(0), ((1, 1), (0, 0), (1, 1), 1)
    x = rng.standard_normal((1, 5, 1, 70)).astype(dtype)
    w, b = rng.standard_normal((20, 5, 1, 1)).astype(dtype), rng.standard_normal(20).astype(dtype)
    with limits(CONV_FULL=1):
        whole = select.forward(x, w, b, *how)
        for width in range(1, 70):
            part = np.ascontiguousarray(x[..., :width])
            np.testing.assert_array_equal(select.forward(part, w, b, *how), whole[..., :width])
