"""Losses over classes: which kernel computes them, and what is refused."""

from __future__ import annotations

from typing import Any

import ml_dtypes
import numpy as np
import pytest

import rushlight
from rushlight.kernels import runtime
from rushlight.kernels.loss import select
from rushlight.kernels.meta import MetaArray
from rushlight.nn.functional import cross_entropy

NATIVE = pytest.mark.skipif(not runtime.available(), reason="no LLVM here, or RUSHLIGHT_JIT=0")


@pytest.mark.parametrize("least", [1, 1 << 60])
def test_classes_out_of_range_are_refused_and_ignored_ones_left_out(
    limits: Any, least: int
) -> None:
    x = rushlight.zeros(3, 4)
    with limits(LOSS_LEAST=least):
        with pytest.raises(IndexError, match="out of bounds"):
            cross_entropy(x, rushlight.tensor([0, 4, 1]))
        assert cross_entropy(x, rushlight.tensor([0, -100, 1])).isfinite()


def plan_of(x: Any, t: Any, w: Any = None, smoothing: float = 0.0, reduction: str = "none") -> Any:
    return select.plan_cross_entropy(
        select.line(x), select.line(t), select.line(w), -100, smoothing, reduction
    )


def grad_plan_of(x: Any, t: Any, g: Any = None) -> Any:
    return select.plan_cross_entropy_grad(
        select.line(g), select.line(x), select.line(t), None, -100, 0.0
    )


@NATIVE
def test_the_limit(limits: Any) -> None:
    """Kernels from so many scores on: rows of classes, or columns where positions follow."""
    flat, images = np.empty((8, 4), np.float32), np.empty((2, 4, 4), np.float32)
    t, places = np.zeros(8, np.int64), np.zeros((2, 4), np.int64)
    for least, ways in ((32, ("rows", "columns")), (33, ("numpy", "numpy"))):
        with limits(LOSS_LEAST=least):
            found = plan_of(flat, t), plan_of(images, places)
            assert tuple(p.way for p in found) == ways
            found = grad_plan_of(flat, t), grad_plan_of(images, places)
            assert tuple(p.way for p in found) == ways
            assert select.plan_log_sum_exp(flat.dtype, flat.shape, flat.strides).way == ways[0]
            assert (select.logsumexp(np.zeros((8, 4), np.float32)) is None) == (least == 33)


@NATIVE
def test_operands_are_brought_to_what_kernels_take(limits: Any, rng: np.random.Generator) -> None:
    """Targets of 32 bits, weights of another type, scores in another order: by copies."""
    x = rng.standard_normal((5, 9))
    t, w = np.arange(9) % 5, rng.random(5)
    with limits(LOSS_LEAST=1):
        others = np.asfortranarray(x.T), t.astype(np.int32), w.astype(np.float32)
        plan = plan_of(*others)
        assert plan.way == "rows"
        assert len(plan.launches) == 4
        found = select.cross_entropy(*others, "none", -100, 0.0)
        plain = np.ascontiguousarray(x.T), t, w.astype(np.float32).astype(np.float64)
        wanted = select.cross_entropy(*plain, "none", -100, 0.0)
        for a, b in zip(found, wanted, strict=True):
            np.testing.assert_array_equal(a, b)


def test_a_plan_is_made_of_metadata_and_kept(limits: Any) -> None:
    """Targets that are no class do not disturb it; what comes out is stated."""
    x = MetaArray((30, 7, 5), np.float16).standin()
    t = MetaArray((30, 5), np.int64).standin()
    w = MetaArray((7,), np.float32).standin()
    with limits():
        made = plan_of(x, t, w, 0.1)
        assert plan_of(x, t, w, 0.1) is made
        assert {k: (m.shape, m.dtype) for k, m in made.outputs.items()} == {
            "status": ((2,), np.int64), "sums": ((451,), np.float32),
            "loss": ((30, 5), np.float32), "factor": ((30, 5), np.float32),
        }  # fmt: skip
        assert plan_of(x, t).outputs["sums"].shape == (301,)
        assert made.returns == ("status", "sums", "loss")
        mean = plan_of(x, t, w, 0.1, "mean")
        assert mean.returns == ("status", "sums", "y")
        assert (mean.outputs["y"].shape, mean.outputs["y"].dtype) == ((), np.float32)


@pytest.mark.parametrize("least", [1, 1 << 60])
def test_no_class_is_read_where_a_target_is_none(limits: Any, least: int) -> None:
    """How many they are comes back, and the first is named."""
    x, t = np.zeros((3, 4), np.float32), np.array([0, 9, -3])
    with limits(LOSS_LEAST=least):
        status = plan_of(x, t).run(x, t, None, 0.0)[0]
        assert status.tolist() == [2, 0]
        with pytest.raises(IndexError, match=r"Target 9 is out of bounds[\s\S]*from -3 to 9"):
            select.cross_entropy(x, t, None, "mean", -100, 0.0)
        t[1:] = -100
        assert plan_of(x, t).run(x, t, None, 0.0)[0].tolist() == [0, 2]
        loss, sums = select.cross_entropy(x, t, None, "mean", -100, 0.0)
        assert sums[-1] == 1
        np.testing.assert_allclose(loss, np.log(4), rtol=1e-6)


@pytest.mark.parametrize("dtype", [np.float32, np.float64, np.float16, ml_dtypes.bfloat16])
@pytest.mark.parametrize("shape", [(5, 4), (2, 3, 5)])
def test_a_slope_for_all_is_the_same_as_one_for_each(dtype: Any, shape: Any, rng: Any) -> None:
    x = (rng.standard_normal(shape) * 3).astype(dtype)
    t = rng.integers(0, shape[1], select.without(shape, 1))
    _, sums = select.cross_entropy(x, t, None, "sum", -100, 0.0)
    g = np.asarray(0.37, dtype)
    one = select.cross_entropy_gradient(g, x, t, None, sums, "sum", -100, 0.0)
    each = np.full(t.shape, g)
    many = select.cross_entropy_gradient(each, x, t, None, sums, "none", -100, 0.0)
    assert one.dtype == dtype
    assert one.tobytes() == many.tobytes()


@pytest.mark.parametrize("least", [1, 1 << 60])
@pytest.mark.parametrize("smoothing", [0.0, 0.1])
@pytest.mark.parametrize("weighted", [False, True])
def test_the_gradient_of_a_mean_is_that_of_the_sum_divided(
    limits: Any, least: int, smoothing: float, weighted: bool, rng: Any
) -> None:
    x, t, w = rng.standard_normal((9, 4)), rng.integers(0, 4, 9), rng.random(4)
    given, how = (x, t, w if weighted else None), (2, smoothing)
    with limits(LOSS_LEAST=least):
        _, sums = select.cross_entropy(*given, "mean", *how)
        g = np.asarray(0.37)
        counted = w[t[t != 2]] if weighted else t[t != 2]
        assert sums[-1] == pytest.approx(counted.sum() if weighted else counted.size)
        of_mean = select.cross_entropy_gradient(g, *given, sums, "mean", *how)
        divided = np.asarray(g / sums[-1])
        of_sum = select.cross_entropy_gradient(divided, *given, sums, "sum", *how)
        assert of_mean.tobytes() == of_sum.tobytes()
