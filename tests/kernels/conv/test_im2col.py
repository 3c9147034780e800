"""Convolutions by columns: the copy against NumPy's windows, and the choice."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import rushlight
from rushlight.kernels import runtime
from rushlight.kernels.conv import launches, reference, select
from rushlight.kernels.conv.problem import Conv
from rushlight.kernels.meta import MetaArray
from rushlight.kernels.plan import Draft

pytestmark = pytest.mark.skipif(not runtime.available(), reason="no LLVM here, or RUSHLIGHT_JIT=0")


def problem(x: Any, kernel: Any, stride: Any, padding: Any, dilation: Any, out: Any) -> Any:
    """The numbers of a convolution of x, and a draft of its plan."""
    w = MetaArray((1, x.shape[1], *kernel), x.dtype)
    c = Conv.of(x, w, out, stride, padding, dilation, 1, "highest")
    return c, Draft({"x": MetaArray(x.shape, x.dtype, x.strides)})


def columns(x: Any, *how: Any) -> Any:
    """The columns of x, by the launches that a plan has for them."""
    c, d = problem(x, *how)
    name, meta = launches.columns(c, d)
    if name == "x":
        return x.reshape(meta.shape[::-1]).T
    return d.plan("columns", (name,)).run(x)


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
@pytest.mark.parametrize("threads", [1, 3])
def test_columns_are_the_windows(rng: np.random.Generator, dtype: Any, threads: int) -> None:
    """One image and several, every stride, padding beyond the kernel; NaN stays where it is."""
    before = rushlight.get_num_threads()
    rushlight.set_num_threads(threads)
    try:
        for _ in range(60):
            dims = int(rng.integers(1, 3))
            pick = lambda low, high: tuple(int(v) for v in rng.integers(low, high, dims))  # noqa: E731, B023
            kernel, stride, padding = pick(1, 5), pick(1, 5), pick(0, 6)
            dilation, size = pick(1, 3), pick(1, 40)
            out = reference.out_size(size, kernel, stride, padding, dilation)
            if min(out) < 1:
                continue
            n, c = int(rng.choice([1, 2, 17])), int(rng.integers(1, 4))
            x = rng.standard_normal((n, c, *size)).astype(dtype)
            x[0, 0, ..., 0] = np.nan
            wide = np.pad(x, [(0, 0), (0, 0), *[(p, p) for p in padding]])
            wanted = reference.windows(wide, kernel, stride, dilation, out)
            got = columns(x, kernel, stride, padding, dilation, out)
            assert got.dtype == dtype
            got = np.moveaxis(got.reshape(c, *kernel, *out, n), -1, 0)
            np.testing.assert_array_equal(got, wanted)
    finally:
        rushlight.set_num_threads(before)


def test_the_only_window_needs_no_copy(rng: np.random.Generator) -> None:
    """The product reads the image itself."""
    x = rng.standard_normal((3, 4, 5, 5))
    one, none = (1, 1), (0, 0)
    c, d = problem(x, (5, 5), one, none, one, one)
    name, meta = launches.columns(c, d)
    assert name == "x"
    assert meta.shape == (100, 3)
    assert not d.launches


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
@pytest.mark.parametrize("groups", [1, 2])
@pytest.mark.parametrize("n", [1, 3])
def test_small_integers_are_exact(
    rng: np.random.Generator, monkeypatch: pytest.MonkeyPatch, limits: Any, dtype: Any,
    groups: int, n: int,
) -> None:  # fmt: skip
    """All three products by columns, against NumPy: any misplaced element shows."""
    monkeypatch.setattr(select, "product_by_amx", lambda c: c.groups == 1)
    monkeypatch.setattr(select, "by_amx", lambda *_: False)
    few = {"IM2COL_LEAST_WORK": 1, "IM2COL_FEW": 1 << 30, "CONV_LEAST_WORK": 1, "CONV_FEW": 1}
    for size, kernel, stride, padding in (
        ((7, 7), (3, 3), (1, 1), (1, 1)), ((6, 5), (3, 2), (2, 1), (0, 1)),
        ((4, 4), (4, 4), (1, 1), (0, 0)), ((19,), (3,), (2,), (2,)),
        ((8, 9), (1, 1), (2, 2), (0, 0)),
    ):  # fmt: skip
        draw = lambda *shape: rng.integers(-4, 5, shape).astype(dtype)  # noqa: E731
        how = (stride, padding, (1,) * len(size))
        out = reference.out_size(size, kernel, *how)
        x, w, b = draw(n, 6, *size), draw(10, 6 // groups, *kernel), draw(10)
        g = draw(n, 10, *out)
        x_key, g_key = ((v.dtype, v.shape, v.strides) for v in (x, g))
        w_key, b_key = (w.dtype, w.shape, w.strides), (b.dtype, b.strides)
        with limits(**few, DEPTHWISE_LEAST=1):
            plans = [
                (select.plan_forward(*x_key, *w_key, b_key, *how, groups), (x, w, b)),
                (select.plan_weight(*x_key, *g_key, kernel, *how, groups), (x, g)),
                (select.plan_input(*g_key, *w_key, size, *how, groups), (g, w)),
            ]
        assert plans[0][0].name == "conv.im2col"
        if groups == 1:
            assert plans[1][0].name == "conv_weight.im2col"
        assert plans[2][0].name in ("conv_input.col2im", "conv_input.one_window")
        wanted = [
            reference.forward(x, w, b, *how, groups),
            reference.weight_gradient(x, g, kernel, *how, groups),
            reference.input_gradient(g, w, size, *how, groups),
        ]
        for (plan, operands), r in zip(plans, wanted, strict=True):
            a = plan.run(*operands)
            assert a.flags.c_contiguous
            assert plan.outputs[plan.returns[0]].shape == a.shape
            np.testing.assert_array_equal(a, r)
