"""What is added up behind the rows of a loss: NumPy's bits, and how many targets count."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from rushlight.kernels import runtime
from rushlight.kernels.loss import select

pytestmark = pytest.mark.skipif(not runtime.available(), reason="no LLVM here, or RUSHLIGHT_JIT=0")


@pytest.fixture(autouse=True)
def always(limits: Any) -> Any:
    with limits(LOSS_LEAST=1):
        yield


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
@pytest.mark.parametrize("weighted", [False, True])
@pytest.mark.parametrize("n", [1, 2, 7, 8, 9, 127, 128, 129, 136, 300, 1023, 5000, 70_001])
def test_sums_are_numpys(n: int, weighted: bool, dtype: type) -> None:
    """Of losses and of factors, and what is divided, over rows of every number."""
    rng = np.random.default_rng(n)
    x, t = (rng.standard_normal((n, 3)) * 9).astype(dtype), rng.integers(0, 3, n)
    w = rng.standard_normal(3).astype(dtype) if weighted else None
    t[rng.random(n) < 0.2] = -100
    losses, sums = select.cross_entropy(x, t, w, "none", -100, 0.0)
    counted = t != -100
    total = np.add.reduce(w[t * counted] * counted) if weighted else dtype(counted.sum())
    assert sums[-1].tobytes() == total.tobytes()
    added = np.add.reduce(losses)
    with np.errstate(all="ignore"):
        wanted = {"sum": added, "mean": added / total}
    for reduction, value in wanted.items():
        found, again = select.cross_entropy(x, t, w, reduction, -100, 0.0)
        assert found.shape == ()
        np.testing.assert_array_equal(found, value)
        assert again.tobytes() == sums.tobytes()


@pytest.mark.parametrize("shape", [(4,), (3, 4, 5, 7), (2, 4, 90), (5, 4, 1)])
@pytest.mark.parametrize("smoothing", [0.0, 0.1])
def test_positions_are_added_up_as_they_lie(shape: Any, smoothing: float) -> None:
    rng = np.random.default_rng(0)
    x = rng.standard_normal(shape).astype(np.float32)
    t = rng.integers(0, 4, select.without(shape, select.class_dim(x)))
    losses, sums = select.cross_entropy(x, t, None, "none", 9, smoothing)
    assert losses.shape == t.shape
    assert sums.shape == ((3 if smoothing else 2) * t.size + 1,)
    found = select.cross_entropy(x, t, None, "sum", 9, smoothing)[0]
    assert found.tobytes() == np.add.reduce(losses, axis=None).tobytes()


def test_a_sum_of_negative_zeros_is_zero() -> None:
    """As NumPy's: it begins with one."""
    x, w = np.array([[800.0, 0, 0]] * 9), np.array([-1.0, 1, 1])
    t = np.zeros(9, np.int64)
    assert np.signbit(select.cross_entropy(x, t, w, "none", -100, 0.0)[0]).all()
    assert not np.signbit(select.cross_entropy(x, t, w, "sum", -100, 0.0)[0])


def test_nothing_that_counts_has_no_mean() -> None:
    x, t = np.zeros((3, 4), np.float32), np.full(3, -100)
    y, sums = select.cross_entropy(x, t, None, "mean", -100, 0.0)
    assert np.isnan(y)
    assert sums[-1] == 0
    assert select.cross_entropy(x, t, None, "sum", -100, 0.0)[0] == 0


@pytest.mark.parametrize("reduction", ["none", "sum", "mean"])
def test_pointers_give_the_bits_of_arrays(on_pointers: Any, reduction: str) -> None:
    rng = np.random.default_rng(0)
    x, t, w = rng.standard_normal((150, 6)), rng.integers(0, 6, 150), rng.random(6)
    of = select.line(x), select.line(t), select.line(w)
    plan = select.plan_cross_entropy(*of, 2, 0.1, reduction)
    weights = float(w.sum())
    given, found = plan.run(x, t, w, weights), on_pointers(plan, x, t, w, weights=weights)
    for a, b in zip(given, found, strict=True):
        assert a.tobytes() == b.tobytes()
    g = rng.standard_normal(150 if reduction == "none" else ())
    along = select.line(g) if reduction == "none" else None
    plan = select.plan_cross_entropy_grad(along, *of, 2, 0.1, reduction == "mean")
    one = plan.run(g, x, t, w, given[1], weights)
    assert one.tobytes() == on_pointers(plan, g, x, t, w, given[1], weights=weights).tobytes()
