"""The gradients of a convolution in one plan have the bits that they have one by one."""

from __future__ import annotations

from itertools import product
from typing import Any

import numpy as np
import pytest

from rushlight.kernels import runtime
from rushlight.kernels.conv import gradients, reference, select
from rushlight.kernels.meta import MetaArray
from rushlight.kernels.reduce.select import add_reduce

NATIVE = pytest.mark.skipif(not runtime.available(), reason="no LLVM here, or RUSHLIGHT_JIT=0")
ONE, NONE, ALL = (1, 1), (0, 0), (True, True, True)
CASES = [
    ((1, 1, 4), (1, 1, 2), (1,), (0,), (1,), 1),  # by NumPy
    ((8, 16, 14, 14), (16, 16, 3, 3), ONE, ONE, ONE, 1),  # images share panels
    ((2, 8, 24, 24), (12, 8, 3, 3), ONE, ONE, ONE, 1),
    ((2, 8, 24, 25), (12, 4, 3, 2), (2, 1), NONE, (1, 2), 2),
    ((4, 32, 9, 9), (32, 1, 3, 3), ONE, ONE, ONE, 32),  # depthwise
    ((1, 64, 6, 6), (64, 64, 3, 3), ONE, ONE, ONE, 1),  # columns
    ((4, 64, 5, 5), (48, 64, 5, 5), ONE, NONE, ONE, 1),  # one window
    ((3, 4, 6, 7, 8), (6, 4, 2, 3, 2), (1, 2, 1), (1, 0, 1), (1, 1, 2), 1),
]


def operands(case: Any, transposed: bool = False, dtype: Any = np.float32) -> list[Any]:
    """g, x and w: of a transposed convolution g has the input's shape, and x that of the result."""
    rng = np.random.default_rng(0)
    x, w, *how = case
    y = (x[0], w[0], *reference.out_size(x[2:], w[2:], *how[:3]))
    shapes = (x, y, w) if transposed else (y, x, w)
    return [rng.standard_normal(s).astype(dtype) for s in shapes]


def together(g: Any, x: Any, w: Any, needs: Any, *how: Any) -> Any:
    """The plan of the gradients that are needed, as the rule asks for it."""
    return gradients.plans_together.make(None, g, x, w, *needs, *how, "highest")


def one_by_one(g: Any, x: Any, w: Any, how: Any, transposed: bool) -> list[Any]:
    size, kernel = x.shape[2:], w.shape[2:]
    if transposed:
        dx = select.forward(g, w, None, *how, size)
        dw = select.weight_gradient(g, x, kernel, *how)
    else:
        dx = select.input_gradient(g, w, size, *how)
        dw = select.weight_gradient(x, g, kernel, *how)
    return [dx, dw, add_reduce(g, (0, *range(2, g.ndim)))]


def same_bits(g: Any, x: Any, w: Any, how: Any, transposed: bool = False, needs: Any = ALL) -> None:
    plan = together(g, x, w, needs, *how, transposed)
    assert plan is not None
    found = gradients.in_places(plan.run(g, x, w), plan, needs)
    wanted = one_by_one(g, x, w, how, transposed)
    for ours, other, needed in zip(found, wanted, needs, strict=True):
        assert (ours is not None) == needed
        if needed:
            assert (ours.dtype, ours.shape, ours.strides) == (
                other.dtype, other.shape, other.strides,
            )  # fmt: skip
            assert ours.tobytes() == other.tobytes()


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
@pytest.mark.parametrize("transposed", [False, True])
@pytest.mark.parametrize("case", CASES)
def test_bits_of_three_plans(case: Any, transposed: bool, dtype: Any) -> None:
    same_bits(*operands(case, transposed, dtype), case[2:], transposed)


@pytest.mark.parametrize("needs", [n for n in product((False, True), repeat=3) if any(n)])
@pytest.mark.parametrize("transposed", [False, True])
def test_those_that_are_needed(needs: Any, transposed: bool) -> None:
    same_bits(*operands(CASES[1], transposed), CASES[1][2:], transposed, needs)


def test_layouts() -> None:
    g, x, w = operands(CASES[2])
    how = CASES[2][2:]
    same_bits(np.asfortranarray(g), x, w, how)
    same_bits(g, np.asfortranarray(x), w, how)
    same_bits(g, x, np.asfortranarray(w), how)
    same_bits(np.broadcast_to(np.float32(2), g.shape), x, w, how)
    same_bits(g.swapaxes(2, 3), x.swapaxes(2, 3), w.swapaxes(2, 3), how)


@NATIVE
def test_one_plan() -> None:
    g, x, w = operands(CASES[1])
    key = [v for a in (g, x, w) for v in (a.dtype, a.shape, a.strides)]
    plan = gradients.plan_gradients(*key, ALL, *CASES[1][2:], False)
    assert plan is not None
    assert plan.returns == ("dx", "dw", "db")
    assert plan.flops == 2 * 2 * g.size * 16 * 9 + g.size
    assert gradients.plan_gradients(*key, ALL, *CASES[1][2:], False) is plan


@NATIVE
@pytest.mark.usefixtures("without_amx")
def test_pointers_give_the_bits_of_arrays(on_pointers: Any) -> None:
    g, x, w = operands(CASES[1])
    key = [v for a in (g, x, w) for v in (a.dtype, a.shape, a.strides)]
    plan = gradients.plan_gradients(*key, ALL, *CASES[1][2:], False)
    assert plan is not None
    assert plan.way.endswith(", skipping, add")
    for ours, wanted in zip(on_pointers(plan, g, x, w), plan.run(g, x, w), strict=True):
        np.testing.assert_array_equal(ours, wanted)


def test_what_stays_in_three(limits: Any) -> None:
    """Large arrays, whose temporary ones should not be there at once; other types, and arrays that
    are not aligned, which NumPy adds."""
    g, x, w = operands(CASES[2])
    how = (ALL, *CASES[2][2:], False)
    with limits(CONV_TOGETHER=g.size + x.size + w.size - 1):
        assert together(g, x, w, *how) is None
    assert together(g.astype(np.complex64), x, w, *how) is None
    assert together(*(a.astype(np.complex64) for a in (g, x, w)), *how) is None
    room = np.empty(g.nbytes + 1, np.uint8)[1:].view(np.float32).reshape(g.shape)
    room[...] = g
    assert together(room, x, w, *how) is None


def test_no_elements() -> None:
    for x, w in (((0, 3, 5, 5), (4, 3, 3, 3)), ((2, 0, 5, 5), (4, 0, 3, 3))):
        case = (x, w, ONE, ONE, ONE, 1)
        same_bits(*operands(case), case[2:])


def test_metadata_is_enough() -> None:
    """Whether there is a plan is decided without arrays."""
    g, x, w = (MetaArray(a.shape, a.dtype, a.strides) for a in operands(CASES[1]))
    key = [v for a in (g, x, w) for v in (a.dtype, a.shape, a.strides)]
    assert gradients.plan_gradients(*key, ALL, *CASES[1][2:], False) is not None
