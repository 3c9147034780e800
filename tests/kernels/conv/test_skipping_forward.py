"""Convolutions from images without margins: the bits of those whose windows are packed."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from rushlight.kernels import runtime
from rushlight.kernels.conv import reference, select, skipping_forward
from rushlight.kernels.keys import forget_plans

pytestmark = [
    pytest.mark.skipif(not runtime.available(), reason="no LLVM here, or RUSHLIGHT_JIT=0"),
    pytest.mark.usefixtures("without_amx"),
]
IS_FAST = skipping_forward.is_fast
ONE, TWO, NONE = (1, 1), (2, 2), (0, 0)
# sizes of the images, weight, stride, padding, dilation, groups
CASES = [
    ((2, 40, 14, 14), (32, 40, 3, 3), ONE, ONE, ONE, 1),  # a row is a tile; two blocks of K
    ((3, 7, 7, 7), (64, 7, 3, 3), ONE, ONE, ONE, 1),  # tiles of two rows and of one
    ((21, 70, 4, 4), (33, 70, 3, 3), ONE, ONE, ONE, 1),  # images together; a panel of one output
    ((1, 5, 30, 57), (40, 5, 3, 3), ONE, ONE, ONE, 1),  # tiles with no edge, several bands
    ((2, 30, 15, 16), (20, 30, 3, 3), TWO, ONE, ONE, 1),
    ((2, 12, 9, 11), (36, 4, 3, 2), (2, 1), (1, 1), (1, 2), 3),
    ((2, 3, 20, 20), (16, 3, 7, 7), TWO, (3, 3), ONE, 1),
    ((4, 9, 2, 3), (32, 9, 3, 3), ONE, TWO, ONE, 1),  # what sees nothing but margin, too
    ((2, 16, 10, 10), (8, 16, 3, 3), ONE, NONE, ONE, 1),  # no margin at all
    ((5, 6, 40), (24, 6, 5), (1,), (2,), (1,), 1),  # one dimension
]


def operands(case: Any, dtype: Any, seed: int = 0) -> tuple[Any, Any, Any, Any]:
    """x, w, bias and the parameters."""
    rng = np.random.default_rng(seed)
    x, w, *how = case
    return *(rng.standard_normal(s).astype(dtype) for s in (x, w, w[:1])), how


def plan_of(x: Any, w: Any, bias: Any, how: Any) -> Any:
    key = [v for a in (x, w) for v in (a.dtype, a.shape, a.strides)]
    return select.plan_forward(*key, bias if bias is None else (bias.dtype, bias.strides), *how)


@pytest.fixture(autouse=True)
def _every_size(limits: Any, monkeypatch: pytest.MonkeyPatch) -> Any:
    monkeypatch.setattr(skipping_forward, "is_fast", lambda step: True)
    small = {"CONV_LEAST_WORK": 1, "CONV_FEW": 1, "CONV_SKIPPED_LEAST": 0}
    more = {"CONV_SKIPPING_FILLED": 0.0, "CONV_SKIPPING_MOST": 1 << 20}
    with limits(**small, **more, ZERO_PAD_LEAST=1, IM2COL_LEAST_WORK=1 << 40):
        yield
    forget_plans()


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
@pytest.mark.parametrize("case", CASES)
def test_the_bits_of_packed_windows(
    case: Any, dtype: Any, limits: Any, by_threads: Any, on_pointers: Any
) -> None:
    x, w, bias, how = operands(case, dtype)
    x[(0,) * x.ndim] = np.nan  # it reaches what it is a part of, no more
    x[(-1,) * x.ndim] = np.inf
    for b in (bias, None):
        plan = plan_of(x, w, b, how)
        assert plan.way == "skipping"
        found = by_threads(lambda plan=plan, b=b: plan.run(x, w, b))
        with limits(CONV_SKIPPED_LEAST=1 << 40):
            other = plan_of(x, w, b, how)
            assert other.way == "implicit_gemm"
            assert other.run(x, w, b).tobytes() == found.tobytes()
        assert on_pointers(plan, x, w, b).tobytes() == found.tobytes()
    x, w, bias, how = operands(case, np.float64)
    wanted = reference.forward(x, w, bias, *how)
    given = [a.astype(dtype) for a in (x, w, bias)]
    tolerance = 3e-5 if dtype == np.float32 else 1e-12
    ours = plan_of(*given, how).run(*given)
    assert np.abs(ours - wanted).max() <= tolerance * np.abs(wanted).max()


@pytest.mark.parametrize("case", [CASES[i] for i in (0, 1, 2, 3, 7)])  # others go by columns
def test_the_gradient_of_the_input(case: Any, limits: Any, by_threads: Any) -> None:
    """The convolution with the flipped kernel."""
    x, w, _, how = operands(case, np.float32)
    y = reference.forward(x, w, None, *how)
    key = [v for a in (y, w) for v in (a.dtype, a.shape, a.strides)]
    found = []
    for least, way in ((0, "skipping"), (1 << 40, "implicit_gemm")):
        with limits(CONV_SKIPPED_LEAST=least):
            plan = select.plan_input(*key, x.shape[2:], *how)
            assert plan.way == way
            found.append(by_threads(lambda plan=plan: plan.run(y, w)))
    assert found[0].tobytes() == found[1].tobytes()
    wanted = reference.input_gradient(
        y.astype(np.float64), w.astype(np.float64), x.shape[2:], *how
    )
    assert np.abs(found[0] - wanted).max() <= 3e-5 * np.abs(wanted).max()


def test_operands_that_lie_otherwise(by_threads: Any) -> None:
    x, w, bias, how = operands(CASES[0], np.float32)
    other = bias[::-1].copy()
    wanted = plan_of(x, w, other, how).run(x, w, other)
    last = np.ascontiguousarray(x.transpose(0, 2, 3, 1)).transpose(0, 3, 1, 2)
    turned = np.ascontiguousarray(w.transpose(2, 3, 0, 1)).transpose(2, 3, 0, 1)
    plan = plan_of(last, turned, bias[::-1], how)
    assert plan.way == "skipping"
    got = by_threads(lambda: plan.run(last, turned, bias[::-1]))
    assert got.tobytes() == wanted.tobytes()


def test_an_infinite_weight_makes_no_nan_of_a_margin() -> None:
    """As in PyTorch, where margins are not multiplied either."""
    x, w, _, how = operands(CASES[0], np.float32)
    w[0, 0, 0, 0] = np.inf
    y = plan_of(x, w, None, how).run(x, w, None)
    assert np.isfinite(y[:, 1:]).all()
    assert np.isfinite(y[:, 0, 0]).all()
    assert np.isfinite(y[:, 0, :, 0]).all()
    assert np.isinf(y[:, 0, 1:, 1:]).all()


def test_who_takes_it(limits: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    """Windows with enough in the margin, panels that are full, and code that is not too long."""

    def way(*case: Any) -> str:
        return str(plan_of(*operands(case, np.float32)).way)

    usual = ((8, 16, 14, 14), (32, 16, 3, 3), ONE, ONE, ONE, 1)
    with limits(CONV_SKIPPED_LEAST=8, CONV_SKIPPING_FILLED=0.8, CONV_SKIPPING_MOST=1024):
        assert way(*usual) == "skipping"
        assert way((8, 16, 14, 14), (32, 16, 3, 3), ONE, NONE, ONE, 1) == "implicit_gemm"
        assert way((8, 16, 56, 56), (32, 16, 3, 3), ONE, ONE, ONE, 1) == "implicit_gemm"
        half = skipping_forward.channels_of("float") // 2
        assert way((8, 16, 14, 14), (half, 16, 3, 3), ONE, ONE, ONE, 1) == "implicit_gemm"
        assert way((1, 16, 14, 200), (32, 16, 3, 3), ONE, ONE, ONE, 1) == "implicit_gemm"
        assert way((2, 8, 6, 6, 6), (32, 8, 3, 3, 3), (1,) * 3, (1,) * 3, (1,) * 3, 1) != "skipping"
        with limits(CONV_SKIPPING_MOST=20):
            assert way(*usual) == "implicit_gemm"
        monkeypatch.setattr(skipping_forward, "is_fast", IS_FAST)
        forget_plans()
        assert (way(*usual) == "skipping") is IS_FAST(1)


@pytest.mark.slow
@pytest.mark.parametrize("seed", range(3))
def test_random_problems(seed: int, limits: Any) -> None:
    """The bits of packed windows, over all that a convolution may be."""
    rng = np.random.default_rng(seed)
    for _ in range(8):
        dims, groups = int(rng.integers(1, 3)), int(rng.choice([1, 1, 2]))
        kernel, stride, padding, dilation = (
            tuple(int(v) for v in rng.integers(low, high, dims))
            for low, high in ((1, 5), (1, 4), (0, 4), (1, 3))
        )
        size = tuple(int(v) for v in rng.integers(1, 30, dims))
        if min(reference.out_size(size, kernel, stride, padding, dilation)) < 1:
            continue
        channels, outputs = int(rng.integers(1, 60)), groups * int(rng.integers(2, 40))
        x = (int(rng.integers(1, 9)), groups * channels, *size)
        case = (x, (outputs, channels, *kernel), stride, padding, dilation, groups)
        x, w, bias, how = operands(case, np.float32, seed)
        plan = plan_of(x, w, bias, how)
        assert plan.way in ("skipping", "depthwise")
        with limits(CONV_SKIPPED_LEAST=1 << 40):
            other = plan_of(x, w, bias, how)
            assert other.way in ("implicit_gemm", "depthwise")
            assert other.run(x, w, bias).tobytes() == plan.run(x, w, bias).tobytes(), case
