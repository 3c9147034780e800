"""Cross entropy and logsumexp by row kernels against NumPy's road, with gradients."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import rushlight
from rushlight.kernels import runtime
from rushlight.kernels.loss import select
from rushlight.nn.functional import cross_entropy
from rushlight.ops.core.record import registry

pytestmark = pytest.mark.skipif(not runtime.available(), reason="no LLVM here, or RUSHLIGHT_JIT=0")


@pytest.fixture
def always(limits: Any) -> Any:
    with limits(LOSS_LEAST=1):
        yield


def both(limits: Any, run: Any) -> tuple[Any, Any]:
    """What kernels give, and what NumPy gives."""
    with limits(LOSS_LEAST=1):
        got = run()
    with limits(LOSS_LEAST=1 << 60):
        return got, run()


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
@pytest.mark.parametrize("reduction", ["mean", "sum", "none"])
@pytest.mark.parametrize("shape", [(1, 1), (5, 3), (4, 16), (33, 130), (3, 9000)])
def test_cross_entropy(limits: Any, shape: Any, reduction: str, dtype: Any) -> None:
    rng = np.random.default_rng(0)
    a = (rng.standard_normal(shape) * 30 + 1000).astype(dtype)
    t = rushlight.from_numpy(rng.integers(0, shape[1], shape[0]))

    def run() -> Any:
        x = rushlight.from_numpy(a.copy()).requires_grad_()
        loss = cross_entropy(x, t, reduction=reduction)
        assert loss.grad_fn.name() == "NllLossBackward0"
        (loss * 0.7).sum().backward()
        return loss.detach().numpy(), x.grad.numpy()

    got, wanted = both(limits, run)
    eps = np.finfo(dtype).eps
    for g, w in zip(got, wanted, strict=True):
        assert g.shape == w.shape
        assert g.dtype == w.dtype
        np.testing.assert_allclose(g, w, rtol=40 * eps, atol=4 * eps * max(shape[0], 10))


@pytest.mark.parametrize("dtype", [np.float32, pytest.param(np.float64, marks=pytest.mark.long)])
@pytest.mark.parametrize("shape", [(33, 130), (3, 21, 5, 7), (2, 5, 70), (4, 30, 2)])
@pytest.mark.parametrize("weighted", [True, False])
@pytest.mark.parametrize("ignored", [-100, 2])
@pytest.mark.parametrize("smoothing", [0.0, 0.1])
def test_weights_ignored_classes_smoothing_and_positions(
    limits: Any, shape: Any, weighted: bool, ignored: int, smoothing: float, dtype: Any
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
        got, wanted = both(limits, lambda r=reduction: run(r))
        for g, w_ in zip(got, wanted, strict=True):
            assert g.shape == w_.shape
            top = float(np.abs(w_).max())
            np.testing.assert_allclose(g, w_, rtol=400 * eps, atol=100 * eps * top)


def test_scores_that_are_not_finite(limits: Any) -> None:
    a = np.zeros((5, 40), np.float32)
    a[0, 3], a[1, 3], a[2], a[3, 2] = np.inf, np.nan, -np.inf, -np.inf
    t = rushlight.full((5,), 2)

    def run() -> Any:
        return cross_entropy(rushlight.from_numpy(a), t, reduction="none").numpy()

    with np.errstate(all="ignore"):
        got, wanted = both(limits, run)
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


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_logsumexp(limits: Any, dtype: Any) -> None:
    a = (np.random.default_rng(0).standard_normal((6, 5, 37)) * 9).astype(dtype)
    a[0, 0], a[0, 1], a[0, 2, 4], a[0, 3, 4], a[0, 4, 1] = -np.inf, np.inf, np.inf, np.nan, -np.inf

    def run() -> Any:
        with np.errstate(all="ignore"):
            return registry["logsumexp"].fn(a, dim=-1, keepdim=True)

    got, wanted = both(limits, run)
    assert got.shape == wanted.shape
    np.testing.assert_allclose(got, wanted, rtol=8 * np.finfo(dtype).eps)


@pytest.mark.parametrize("threads", [1, 2, 3, 8])
def test_the_same_bits_for_any_number_of_threads(threads: int) -> None:
    before = rushlight.get_num_threads()
    x, t = np.random.default_rng(0).standard_normal((500, 100)), np.arange(500) % 100

    def everything() -> list[Any]:
        loss, sums = select.cross_entropy(x, t, None, "none", -100, 0.1)
        g = np.ones(500)
        dx = select.cross_entropy_gradient(g, x, t, None, sums, "none", -100, 0.1)
        return [loss, sums, dx]

    try:
        rushlight.set_num_threads(1)
        alone = everything()
        rushlight.set_num_threads(threads)
        for a, b in zip(everything(), alone, strict=True):
            np.testing.assert_array_equal(a, b)
    finally:
        rushlight.set_num_threads(before)


@pytest.mark.parametrize(
    "dtype",
    [
        "float32",
        "bfloat16",
        pytest.param("float64", marks=pytest.mark.long),
        pytest.param("float16", marks=pytest.mark.long),
    ],
)
@pytest.mark.parametrize("shape", [(7, 5), (4, 30), (3, 6, 2), (3, 6, 9), (2, 5, 3, 4), (6,)])
@pytest.mark.parametrize("reduction", ["mean", "sum", "none"])
@pytest.mark.parametrize("least", [1, 1 << 60])
def test_one_op_is_log_softmax_and_nll_loss(
    limits: Any, dtype: str, shape: Any, reduction: str, least: int
) -> None:
    """Of every size and type, by a kernel and by NumPy: in float64, with a formula of its own."""
    rng = np.random.default_rng(0)
    kind = getattr(rushlight, dtype)
    a = rushlight.tensor(rng.standard_normal(shape) * 4).to(kind)
    d = 1 if len(shape) > 1 else 0
    labels = rng.integers(0, shape[d], shape[:d] + shape[d + 1 :])
    flat = labels.reshape(-1)
    flat[:: max(3, len(flat))] = 2
    t = rushlight.tensor(labels)
    w = rushlight.tensor(rng.random(shape[d]) + 0.5).to(kind)
    eps = {"float32": 2e-6, "float64": 1e-14, "float16": 4e-3, "bfloat16": 3e-2}[dtype]
    ways = [(None, -100, 0.0), (w, -100, 0.0), (w, 2, 0.0), (None, 2, 0.3), (w, -100, 0.3)]
    for weight, ignored, smoothing in ways:
        if len(shape) == 1 and ignored == 2:
            continue  # nothing counts: 0 / 0
        x = a.clone().requires_grad_()
        with limits(LOSS_LEAST=least):
            how = {"ignore_index": ignored, "reduction": reduction, "label_smoothing": smoothing}
            loss = cross_entropy(x, t, weight, **how)
            (loss * 0.5).sum().backward()
        assert loss.dtype is kind
        X = a.double().clone().requires_grad_()
        logs = X.log_softmax(d)
        weights = rushlight.ones(shape[d]) if weight is None else weight
        weights = weights.double().reshape([-1 if i == d else 1 for i in range(len(shape))])
        hot = rushlight.zeros(shape, dtype=rushlight.float64)
        hot.scatter_(d, t.unsqueeze(d), 1.0)
        q = weights * (hot * (1 - smoothing) + smoothing / shape[d])
        counts = (t != ignored).double()
        wanted = -(q * logs).sum(d) * counts
        if reduction == "sum":
            wanted = wanted.sum()
        elif reduction == "mean":
            wanted = wanted.sum() / ((weights * hot).sum(d) * counts).sum()
        (wanted * 0.5).sum().backward()
        for got, best in ((loss, wanted), (x.grad, X.grad)):
            got, best = got.detach().double().numpy(), best.detach().numpy()
            top = max(1.0, float(np.abs(best).max()))
            np.testing.assert_allclose(got, best, rtol=eps, atol=eps * top)
