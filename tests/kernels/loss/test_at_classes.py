"""nll_loss and its gradient by kernels: NumPy's bits, and only where nobody looks at targets."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import ml_dtypes
import numpy as np
import pytest

from rushlight.kernels import indices, runtime
from rushlight.kernels.loss import at_classes, select
from rushlight.ops.nn.loss_classes import nll, nll_backward

NATIVE = pytest.mark.skipif(not runtime.available(), reason="no LLVM here, or RUSHLIGHT_JIT=0")
SHAPES = [(1,), (9,), (1, 1), (5, 4), (700, 33), (2, 3, 5), (3, 7, 9, 11)]
DTYPES = [np.float32, np.float64]


@pytest.fixture
def known() -> Iterator[list[Any]]:
    """All that is asked of indices holds, and is written down."""
    asked: list[Any] = []

    def answer(index: Any, low: int, high: int) -> bool:
        asked.append((low, high))
        return True

    with indices.answered(answer):
        yield asked


def problem(rng: np.random.Generator, shape: Any, dtype: Any) -> tuple[Any, Any, Any]:
    x = (rng.standard_normal(shape) * 3).astype(dtype)
    x.flat[0], x.flat[-1] = np.nan, -np.inf
    d = select.class_dim(x)
    t = rng.integers(0, shape[d], select.without(shape, d))
    return x, np.asarray(t), (rng.random(shape[d]) + 0.5).astype(dtype)


def bits(a: Any) -> Any:
    return a.shape, a.strides, a.dtype, a.tobytes()


@NATIVE
@pytest.mark.parametrize("shape", SHAPES)
@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize("weighted", [False, True])
@pytest.mark.parametrize("reduction", ["none", "sum", "mean"])
@pytest.mark.parametrize("turned", [False, True])
def test_the_bits_are_numpys(
    shape: Any, dtype: Any, weighted: bool, reduction: str, turned: bool, rng: Any
) -> None:
    x, t, w = problem(rng, shape, dtype)
    x = np.asfortranarray(x) if turned else x
    how = {"reduction": reduction, "ignore_index": -100}
    w = w if weighted else None
    wanted = nll.fn(x, t, w, **how)
    g = np.asarray(rng.standard_normal(np.shape(wanted)).astype(dtype))
    slope = nll_backward.fn(g, t, w, shape=shape, **how)
    looked: list[Any] = []
    with indices.answered(lambda *a: looked.append(a) is None):
        found = nll.fn(x, t, w, **how)
        found_slope = nll_backward.fn(g, t, w, shape=shape, **how)
    assert len(looked) == 2
    assert bits(np.asarray(found)) == bits(np.asarray(wanted))
    assert bits(found_slope) == bits(slope)


@NATIVE
def test_what_it_is_asked_for(known: list[Any], rng: Any) -> None:
    """Types whose products round otherwise, targets that lie apart, classes that do not count and
    nothing at all are left to NumPy."""
    x, t, w = problem(rng, (6, 4), np.float32)
    assert at_classes.losses(x, t, w, 4, -100) is not None
    assert known == [(0, 4)]
    for low in (np.float16, ml_dtypes.bfloat16):
        assert at_classes.losses(x.astype(low), t, None, 4, -100) is None
        assert at_classes.slopes(np.ones((), low), t, None, (6, 4), False, -100) is None
    assert at_classes.losses(x, t, w.astype(np.float64), 4, -100) is None
    assert at_classes.losses(x, t.astype(np.uint8), None, 4, -100) is None
    assert at_classes.losses(x, np.repeat(t, 2)[::2], None, 4, -100) is None
    assert at_classes.losses(x[:0], t[:0], None, 4, -100) is None
    assert len(known) == 1
    one = np.ones((), np.float32)
    for weight in (None, w):
        assert at_classes.losses(x, t, weight, 4, 2) is None
        assert at_classes.slopes(one, t, weight, (6, 4), True, 2) is None


def test_eager_calls_do_not_ask(rng: Any, monkeypatch: Any) -> None:
    x, t, _ = problem(rng, (6, 4), np.float32)
    monkeypatch.setattr(select, "within", lambda *_: pytest.fail("eager calls count anyway"))
    assert at_classes.losses(x, t, None, 4, -100) is None
    assert at_classes.slopes(np.ones((), np.float32), t, None, (6, 4), True, -100) is None
    nll.fn(x, t, reduction="mean", ignore_index=-100)
    select.cross_entropy(x, t, None, "mean", -100, 0.0)


@pytest.mark.parametrize("shape", SHAPES)
@pytest.mark.parametrize("weighted", [False, True])
@pytest.mark.parametrize("smoothing", [0.0, 0.2])
@pytest.mark.parametrize("reduction", ["none", "sum", "mean"])
def test_cross_entropy_of_classes_that_all_count(
    shape: Any, weighted: bool, smoothing: float, reduction: str, rng: Any
) -> None:
    """The same bits where it does not look at how many targets do not count."""
    x, t, w = problem(rng, shape, np.float32)
    how = (x, t, w if weighted else None, reduction, -100, smoothing)
    wanted = select.cross_entropy(*how)
    looked: list[Any] = []
    with indices.answered(lambda *a: looked.append(a) is None):
        found = select.cross_entropy(*how)
    assert len(looked) == 1
    assert [bits(a) for a in found] == [bits(a) for a in wanted]
