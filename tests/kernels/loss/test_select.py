"""Cross entropy and logsumexp by row kernels against NumPy's road, with gradients."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import rushlight
from rushlight.kernels.elementwise import select as elementwise
from rushlight.kernels.loss import select
from rushlight.nn.functional import cross_entropy
from rushlight.ops.core.record import registry

pytestmark = pytest.mark.skipif(not elementwise.jit(), reason="no LLVM here, or RUSHLIGHT_JIT=0")


@pytest.fixture
def always(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(select, "LEAST", 1)


def both(monkeypatch: pytest.MonkeyPatch, run: Any) -> tuple[Any, Any]:
    """What kernels give, and what the plain road gives."""
    monkeypatch.setattr(select, "LEAST", 1)
    got = run()
    monkeypatch.setattr(select, "LEAST", 1 << 60)
    return got, run()


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
@pytest.mark.parametrize("reduction", ["mean", "sum", "none"])
@pytest.mark.parametrize("shape", [(1, 1), (5, 3), (4, 16), (33, 130), (3, 9000)])
def test_cross_entropy(monkeypatch: Any, shape: Any, reduction: str, dtype: Any) -> None:
    rng = np.random.default_rng(0)
    a = (rng.standard_normal(shape) * 30 + 1000).astype(dtype)
    t = rushlight.from_numpy(rng.integers(0, shape[1], shape[0]))

    def run() -> Any:
        x = rushlight.from_numpy(a.copy()).requires_grad_()
        loss = cross_entropy(x, t, reduction=reduction)
        assert loss.grad_fn.name() == "NllLossBackward0"
        (loss * 0.7).sum().backward()
        return loss.detach().numpy(), x.grad.numpy()

    got, wanted = both(monkeypatch, run)
    eps = np.finfo(dtype).eps
    for g, w in zip(got, wanted, strict=True):
        assert g.shape == w.shape
        assert g.dtype == w.dtype
        np.testing.assert_allclose(g, w, rtol=40 * eps, atol=4 * eps * max(shape[0], 10))


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
@pytest.mark.parametrize("shape", [(33, 130), (3, 21, 5, 7), (2, 5, 70), (4, 30, 2)])
@pytest.mark.parametrize("weighted", [True, False])
@pytest.mark.parametrize("ignored", [-100, 2])
@pytest.mark.parametrize("smoothing", [0.0, 0.1])
def test_weights_ignored_classes_smoothing_and_positions(
    monkeypatch: Any, shape: Any, weighted: bool, ignored: int, smoothing: float, dtype: Any
) -> None:
    """The one op, by kernels, against log_softmax and nll_loss, by NumPy."""
    rng = np.random.default_rng(0)
    a = (rng.standard_normal(shape) * 5 + 100).astype(dtype)
    labels = rng.integers(0, shape[1], (shape[0], *shape[2:]))
    if ignored < 0:
        labels[labels == 1] = ignored
    t = rushlight.from_numpy(labels)
    w = rushlight.from_numpy(rng.random(shape[1]).astype(dtype)) if weighted else None

    def run(reduction: str) -> Any:
        x = rushlight.from_numpy(a.copy()).requires_grad_()
        how = {"ignore_index": ignored, "reduction": reduction, "label_smoothing": smoothing}
        loss = cross_entropy(x, t, w, **how)
        (loss * 0.7).sum().backward()
        return loss.detach().numpy(), x.grad.numpy()

    eps = np.finfo(dtype).eps
    for reduction in ("mean", "sum", "none"):
        got, wanted = both(monkeypatch, lambda r=reduction: run(r))
        for g, w_ in zip(got, wanted, strict=True):
            assert g.shape == w_.shape
            top = float(np.abs(w_).max())
            np.testing.assert_allclose(g, w_, rtol=400 * eps, atol=100 * eps * top)


def test_scores_that_are_not_finite(monkeypatch: Any) -> None:
    a = np.zeros((5, 40), np.float32)
    a[0, 3], a[1, 3], a[2], a[3, 2] = np.inf, np.nan, -np.inf, -np.inf
    t = rushlight.full((5,), 2)

    def run() -> Any:
        return cross_entropy(rushlight.from_numpy(a), t, reduction="none").numpy()

    with np.errstate(all="ignore"):
        got, wanted = both(monkeypatch, run)
    np.testing.assert_allclose(got, wanted, rtol=1e-6)


@pytest.mark.usefixtures("always")
def test_gradients() -> None:
    rushlight.manual_seed(0)
    x = rushlight.randn(4, 6, dtype=rushlight.float64, requires_grad=True)
    t = rushlight.tensor([0, 5, 2, 2])
    for reduction in ("mean", "sum", "none"):
        w = rushlight.rand(6, dtype=rushlight.float64)
        for how in ({}, {"weight": w, "ignore_index": 2}, {"weight": w, "label_smoothing": 0.2}):
            f = lambda x, how=how, r=reduction: cross_entropy(x, t, reduction=r, **how)  # noqa: E731
            assert rushlight.autograd.gradcheck(f, (x,))
            assert rushlight.autograd.gradgradcheck(f, (x,))


@pytest.mark.usefixtures("always")
def test_classes_out_of_range_are_refused_and_ignored_ones_left_out() -> None:
    x = rushlight.zeros(3, 4)
    with pytest.raises(IndexError, match="out of bounds"):
        cross_entropy(x, rushlight.tensor([0, 4, 1]))
    assert cross_entropy(x, rushlight.tensor([0, -100, 1])).isfinite()


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_logsumexp(monkeypatch: Any, dtype: Any) -> None:
    a = (np.random.default_rng(0).standard_normal((6, 5, 37)) * 9).astype(dtype)
    a[0, 0], a[0, 1], a[0, 2, 4], a[0, 3, 4], a[0, 4, 1] = -np.inf, np.inf, np.inf, np.nan, -np.inf

    def run() -> Any:
        with np.errstate(all="ignore"):
            return registry["logsumexp"].fn(a, dim=-1, keepdim=True)

    got, wanted = both(monkeypatch, run)
    assert got.shape == wanted.shape
    np.testing.assert_allclose(got, wanted, rtol=8 * np.finfo(dtype).eps)


@pytest.mark.parametrize("threads", [1, 2, 3, 8])
def test_the_same_bits_for_any_number_of_threads(threads: int) -> None:
    before = rushlight.get_num_threads()
    x = np.random.default_rng(0).standard_normal((500, 100))
    try:
        rushlight.set_num_threads(1)
        x = x.reshape(*x.shape, 1)
        alone = select.log_sums(x)
        rushlight.set_num_threads(threads)
        np.testing.assert_array_equal(select.log_sums(x), alone)
    finally:
        rushlight.set_num_threads(before)
