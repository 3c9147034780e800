"""Which kernel pools, by metadata alone."""

from __future__ import annotations

from itertools import pairwise
from typing import Any

import numpy as np
import pytest

from rushlight.kernels import runtime, tuning
from rushlight.kernels.meta import MetaArray
from rushlight.kernels.pool import reference, select

NATIVE = pytest.mark.skipif(not runtime.available(), reason="no LLVM here, or RUSHLIGHT_JIT=0")


def test_what_no_kernel_takes() -> None:
    def way(x: Any, out: Any) -> str:
        return select.plan_adaptive_avg(x.dtype, x.shape, x.strides, out).name

    assert way(np.ones((2, 9), np.int64), (3,)) == "adaptive_avg.numpy"
    wide = np.ones((1, tuning.AVERAGE_POOL_WIDEST + 1), np.float32)
    assert way(wide, (3,)) == "adaptive_avg.numpy"
    assert way(np.ones((0, 3, 3), np.float32), (1, 1)) == "adaptive_avg.numpy"


def max_plans(x: Any, kernel: Any, stride: Any, padding: Any, dilation: Any) -> tuple[Any, ...]:
    """Maxima, their taps, and the gradient."""
    how = (kernel, stride, padding, dilation)
    size = x.shape[-len(kernel) :]
    out = reference.pool_size(size, *how, False)
    y = MetaArray((*x.shape[: -len(kernel)], *out), x.dtype)
    pooled = select.plan_max_pool(x.dtype, x.shape, x.strides, *how, out)
    taps = select.plan_max_tap(x.dtype, x.shape, x.strides, y.shape, y.strides, *how)
    meta = taps.outputs["taps"]
    put = select.plan_put_taps(x.dtype, y.shape, y.strides, meta.dtype, meta.strides, size, *how)
    return pooled, taps, put


TWO = ((2, 2), (2, 2), (0, 0), (1, 1))


@NATIVE
def test_the_limit_of_maxima(limits: Any) -> None:
    """By the elements of the result: 2 * 4 * 4."""
    x = MetaArray((2, 8, 8), np.float32)
    for least, way in ((32, "planes"), (33, "numpy")):
        with limits(MAX_POOL_LEAST=least):
            assert [p.way for p in max_plans(x, *TWO)] == [way] * 3
            assert max_plans(x, *TWO)[0] is max_plans(x, *TWO)[0]


@NATIVE
def test_windows_of_maxima(limits: Any) -> None:
    """Large ones, ones of one element and three dimensions are NumPy's."""
    largest = tuning.MAX_POOL_LARGEST
    with limits(MAX_POOL_LEAST=1):
        x = MetaArray((2, 3, 99, 99), np.float64)
        one = ((1, 1), (0, 0), (1, 1))
        assert max_plans(x, (1, largest), *one)[0].way == "planes"
        assert max_plans(x, (1, largest + 1), *one)[0].way == "numpy"
        assert max_plans(x, (1, 1), *one)[0].way == "numpy"
        three = ((2, 2, 2), (1, 1, 1), (0, 0, 0), (1, 1, 1))
        assert max_plans(MetaArray((2, 9, 9, 9), np.float64), *three)[0].way == "numpy"
        assert max_plans(MetaArray((2, 9, 9), np.float16), *TWO)[0].way == "numpy"
        assert max_plans(MetaArray((2, 9, 9), np.int64), *TWO)[0].way == "numpy"
        line = max_plans(MetaArray((2, 9), np.float32), (3,), (2,), (1,), (1,))
        assert [p.way for p in line] == ["planes", "planes or numpy", "planes"]  # with padding


def test_taps_of_large_windows_are_wider_numbers() -> None:
    x = MetaArray((1, 40, 40), np.float32)
    one = ((1, 1), (0, 0), (1, 1))
    assert max_plans(x, (15, 17), *one)[1].outputs["taps"].dtype == np.uint8
    assert max_plans(x, (16, 16), *one)[1].outputs["taps"].dtype == np.int32


@NATIVE
def test_the_limit_of_means(limits: Any) -> None:
    """By the elements of the input, or of what the transpose makes."""
    x, g = MetaArray((2, 8, 8), np.float32), MetaArray((2, 4, 4), np.float32)
    for least, way in ((128, "windows"), (129, "numpy")):
        with limits(AVERAGE_POOL_LEAST=least):
            of = (np.dtype("f4"), x.shape, x.strides)
            of_g = (np.dtype("f4"), g.shape, g.strides)
            window = ((2, 2), (2, 2), (0, 0))
            assert select.plan_avg_pool(*of, *window, (4, 4), True, None).way == way
            back = select.plan_avg_pool_transpose(*of_g, (8, 8), *window, True, None)
            assert back.way == way
            assert select.plan_adaptive_avg(*of, (3, 3)).way == way
            assert select.plan_adaptive_avg_transpose(*of_g, (8, 8)).way == way
            whole = "rows" if way == "windows" else "numpy"  # one window is a row
            assert select.plan_adaptive_avg(*of, (1, 1)).way == whole
            one = (np.dtype("f4"), (2, 1, 1), (4, 4, 4))
            assert select.plan_adaptive_avg_transpose(*one, (8, 8)).way == whole


def test_a_plan_is_made_of_metadata() -> None:
    x = MetaArray((10**6, 3, 32, 32), np.float32)
    pooled, taps, put = max_plans(x, *TWO)
    assert pooled.outputs["y"].shape == taps.outputs["taps"].shape == (10**6, 3, 16, 16)
    assert put.outputs["dx"].shape == x.shape
    assert pooled.flops == 4 * 10**6 * 3 * 16 * 16


def test_windows_that_hold_a_place() -> None:
    """Neighbours, for windows begin and end in order; none where a stride leaves a gap."""
    begin, end = select.holders(np.array([0, 2, 6]), np.array([3, 5, 8]), 9)
    found = [list(range(a, b)) for a, b in zip(begin.tolist(), end.tolist(), strict=True)]
    assert found == [[0], [0], [0, 1], [1], [1], [], [2], [2], []]


def test_windows_of_more_dimensions() -> None:
    """Lines of (depth, height) windows: depths 0..1 and 1..3 times heights 0..2 and 1..2, of 3."""
    lines, starts = np.zeros(1, np.int64), np.array([0, 1], np.int64)
    for first, last, source in (([0, 1], [1, 3], 3), ([0, 1], [2, 2], 2)):
        lines, starts = select.crossed(lines, starts, np.array(first), np.array(last), source)
    found = [lines[a:b].tolist() for a, b in pairwise(starts)]
    assert found == [[0, 1], [1], [2, 3, 4, 5], [3, 5]]


def test_planes_of_very_many_lines_need_no_tables() -> None:
    """Of 16 million lines the tables took minutes to write down, and most of the memory."""
    kind, long, strides = np.dtype(np.float32), (1, 1 << 24, 1), (4 << 24, 4, 4)
    size, ones = long[1:], (1, 1)
    for plan in (
        select.plan_avg_pool(kind, long, strides, ones, ones, (0, 0), size, True, None),
        select.plan_adaptive_avg(kind, long, strides, (1 << 23, 1)),
    ):
        assert plan.name.endswith(".numpy")
    whole = select.plan_adaptive_avg(kind, long, strides, ones)
    assert whole.name == "adaptive_avg.rows" or not runtime.available()


def test_margins_reach_as_far_as_windows() -> None:
    """All of the padding where no window goes beyond it, else what is looked at."""
    size = select.padded_size((7,), (3,), (2,), (1,), (1,), (4,))
    assert size == (9,)
    ceiled = select.padded_size((6,), (3,), (2,), (1,), (1,), (4,))  # the last window: 6, 7, 8
    assert ceiled == (9,)
    assert select.padded_size((8,), (2,), (2,), (0,), (1,), (4,)) == (8,)
