"""Losses against PyTorch: values, gradients, options, errors and warnings."""

from __future__ import annotations

import warnings
from typing import Any

import numpy as np
import pytest

import rushlight

torch = pytest.importorskip("torch")
F, TF = rushlight.nn.functional, torch.nn.functional
REDUCTIONS = ("mean", "sum", "none")
pytestmark = pytest.mark.filterwarnings("ignore:reduction. .mean. divides")


@pytest.mark.parametrize("reduction", REDUCTIONS)
@pytest.mark.parametrize(
    ("name", "kw"),
    [
        ("mse_loss", {}),
        ("l1_loss", {}),
        ("smooth_l1_loss", {}),
        ("smooth_l1_loss", {"beta": 0.3}),
        ("smooth_l1_loss", {"beta": 0.0}),
        ("huber_loss", {}),
        ("huber_loss", {"delta": 0.4}),
        ("soft_margin_loss", {}),
        ("hinge_embedding_loss", {"margin": 0.7}),
        ("poisson_nll_loss", {}),
        ("kl_div", {}),
        ("kl_div", {"log_target": True}),
    ],
)
def test_of_numbers(name: str, kw: dict[str, Any], reduction: str, same: Any, rng: Any) -> None:
    x, t = rng.standard_normal((4, 5)), rng.standard_normal((4, 5))
    fixed: tuple[int, ...] = ()
    if name in ("soft_margin_loss", "hinge_embedding_loss"):
        t, fixed = np.sign(t), (1,)
    if name == "kl_div":
        t = np.exp(t) if not kw else t
    order = 1 if name == "kl_div" else 2
    kw = {"fixed": fixed, "order": order, "reduction": reduction, **kw}
    same(getattr(F, name), getattr(TF, name), x, t, **kw)


@pytest.mark.parametrize("reduction", REDUCTIONS)
@pytest.mark.parametrize("name", ["mse_loss", "l1_loss", "huber_loss"])
def test_weighted(name: str, reduction: str, same: Any, rng: Any) -> None:
    x, t, w = rng.standard_normal((3, 4, 5))
    same(
        lambda a, b, c: getattr(F, name)(a, b, weight=c, reduction=reduction),
        lambda a, b, c: getattr(TF, name)(a, b, weight=c, reduction=reduction),
        x, t, w,
    )  # fmt: skip


def test_batchmean_and_full(same: Any, rng: Any) -> None:
    x, t = rng.standard_normal((4, 5)), np.abs(rng.standard_normal((4, 5)))
    same(F.kl_div, TF.kl_div, x, t, reduction="batchmean")
    for log_input in (True, False):
        a = x if log_input else np.abs(x) + 0.1
        same(
            F.poisson_nll_loss, TF.poisson_nll_loss, a, 3 * t, fixed=(1,), log_input=log_input,
            full=True,
        )  # fmt: skip


@pytest.mark.parametrize("reduction", REDUCTIONS)
def test_binary(reduction: str, same: Any, rng: Any) -> None:
    p, t = rng.uniform(0.05, 0.95, (4, 5)), rng.uniform(0, 1, (4, 5))
    x, w, pos = rng.standard_normal((4, 5)) * 4, rng.uniform(0.5, 2, (5,)), rng.uniform(1, 3, (5,))
    f, tf = F.binary_cross_entropy, TF.binary_cross_entropy
    same(f, tf, p, t, order=2, reduction=reduction)
    same(f, tf, p, t, weight=w, reduction=reduction)
    hard = np.round(p)
    same(f, tf, hard, np.round(t), fixed=(1,), reduction=reduction)
    f, tf = F.binary_cross_entropy_with_logits, TF.binary_cross_entropy_with_logits
    same(f, tf, x, t, order=2, reduction=reduction)
    same(f, tf, x, t, weight=w, pos_weight=pos, reduction=reduction)
    same(f, tf, 100 * x, np.round(t), fixed=(1,), reduction=reduction)
    f, tf = F.multilabel_soft_margin_loss, TF.multilabel_soft_margin_loss
    same(f, tf, x, np.round(t), fixed=(1,), weight=w, reduction=reduction)


@pytest.mark.parametrize("reduction", REDUCTIONS)
@pytest.mark.parametrize("shape", [(4,), (6, 4), (2, 4, 3), (2, 4, 3, 2)])
@pytest.mark.parametrize("name", ["nll_loss", "cross_entropy"])
def test_of_classes(name: str, shape: tuple[int, ...], reduction: str, same: Any, rng: Any) -> None:
    f, tf = getattr(F, name), getattr(TF, name)
    x = rng.standard_normal(shape)
    t_shape = (*shape[:1], *shape[2:]) if len(shape) > 1 else ()
    t = np.asarray(rng.integers(0, 4, t_shape))
    w = rng.uniform(0.5, 2, 4)
    same(f, tf, x, t, order=2, reduction=reduction)
    same(f, tf, x, t, weight=w, reduction=reduction)
    if len(shape) > 1:
        same(f, tf, x, t, ignore_index=int(t.flat[0]), reduction=reduction)
        t.flat[1] = -100
        same(f, tf, x, t, weight=w, reduction=reduction)
    if name == "cross_entropy":
        same(f, tf, x, t, label_smoothing=0.2, reduction=reduction)
        same(f, tf, x, t, weight=w, label_smoothing=0.2, reduction=reduction)
        p = rng.uniform(0, 1, shape)
        same(f, tf, x, p, order=2, reduction=reduction)
        same(f, tf, x, p, weight=w, label_smoothing=0.1, reduction=reduction)


@pytest.mark.parametrize("reduction", REDUCTIONS)
def test_margins_of_classes(reduction: str, same: Any, rng: Any) -> None:
    x, t, w = rng.standard_normal((5, 4)), rng.integers(0, 4, 5), rng.uniform(0.5, 2, 4)
    f, tf = F.multi_margin_loss, TF.multi_margin_loss
    same(f, tf, x, t, reduction=reduction)
    same(f, tf, x, t, p=2, margin=0.5, weight=w, reduction=reduction)
    same(f, tf, x[0], t[:1].reshape(()), reduction=reduction)
    rows = np.array([[1, 3, -1, 2], [0, -1, 1, 1], [-1, 0, 0, 0], [2, 1, 0, 3], [3, -1, -1, -1]])
    same(F.multilabel_margin_loss, TF.multilabel_margin_loss, x, rows, reduction=reduction)
    same(F.multilabel_margin_loss, TF.multilabel_margin_loss, x[0], rows[0], reduction=reduction)


@pytest.mark.parametrize("reduction", REDUCTIONS)
def test_of_pairs_and_triplets(reduction: str, same: Any, rng: Any) -> None:
    a, b, c = rng.standard_normal((3, 4, 5))
    sign = np.sign(rng.standard_normal(4))
    f, tf = F.cosine_embedding_loss, TF.cosine_embedding_loss
    same(f, tf, a, b, sign, fixed=(2,), margin=0.2, reduction=reduction)
    same(f, tf, a[0], b[0], np.asarray(1.0), fixed=(2,), reduction=reduction)
    f, tf = F.margin_ranking_loss, TF.margin_ranking_loss
    same(f, tf, a[:, 0], b[:, 0], sign, fixed=(2,), margin=0.3, reduction=reduction)
    for swap in (False, True):
        kw = {"swap": swap, "reduction": reduction}
        same(F.triplet_margin_loss, TF.triplet_margin_loss, a, b, c, **kw)
        same(F.triplet_margin_loss, TF.triplet_margin_loss, a, b, c, p=1, margin=0.4, **kw)
        same(
            F.triplet_margin_with_distance_loss, TF.triplet_margin_with_distance_loss, a, b, c,
            distance_function=lambda x, y: ((x - y) ** 2).sum(-1), **kw,
        )  # fmt: skip


def test_distances(same: Any, rng: Any) -> None:
    a, b = rng.standard_normal((2, 3, 4, 5))
    for dim in (0, 1, -1):
        same(F.cosine_similarity, TF.cosine_similarity, a, b, dim=dim, order=2)
    same(F.cosine_similarity, TF.cosine_similarity, a, b[:1], dim=2)
    a[0, 0] = 0
    same(F.cosine_similarity, TF.cosine_similarity, a, b, dim=2, eps=3.0)
    same(F.cosine_similarity, TF.cosine_similarity, a, b, dim=2)
    for p in (1.0, 2.0, 3.0, float("inf")):
        same(F.pairwise_distance, TF.pairwise_distance, a, b, p=p, keepdim=p == 3)


@pytest.mark.parametrize("reduction", REDUCTIONS)
def test_gaussian(reduction: str, same: Any, rng: Any) -> None:
    x, t = rng.standard_normal((2, 4, 5))
    for shape in ((4, 5), (4, 1), (4,)):
        v = rng.uniform(0, 2, shape)
        v.flat[0] = 0
        same(
            F.gaussian_nll_loss, TF.gaussian_nll_loss, x, t, v, full=True, eps=0.01,
            reduction=reduction,
        )  # fmt: skip


@pytest.mark.parametrize("reduction", REDUCTIONS)
def test_ctc(reduction: str, same: Any, rng: Any) -> None:
    x = rng.standard_normal((8, 3, 5))
    rows = rng.integers(1, 5, (3, 3))
    rows[0] = 2  # repeated labels need a blank between them
    flat = np.concatenate([rows[0], rows[1, :2], rows[2, :1]])

    def run(lib: Any) -> Any:
        f = lib.nn.functional

        def loss(a: Any, t: Any, ins: Any, lens: Any, **kw: Any) -> Any:
            return f.ctc_loss(f.log_softmax(a, -1), t, ins, lens, reduction=reduction, **kw)

        return loss

    ins, lens = np.array([8, 6, 7]), np.array([3, 2, 1])
    same(run(rushlight), run(torch), x, rows, ins, lens)
    same(run(rushlight), run(torch), x, flat, ins, lens)
    same(run(rushlight), run(torch), x, rows, np.array([8, 6, 2]), np.array([3, 2, 3]),
         zero_infinity=True)  # fmt: skip
    same(run(rushlight), run(torch), x, rows, ins, np.array([3, 0, 2]), blank=0)
    same(run(rushlight), run(torch), x[:, 0], rows[0], np.array([8]), np.array([3]))


def test_linear_cross_entropy(same: Any, rng: Any) -> None:
    x, w, b = rng.standard_normal((6, 4)), rng.standard_normal((3, 4)), rng.standard_normal(3)
    t = rng.integers(0, 3, 6)
    same(
        lambda a, c, d: F.linear_cross_entropy(a, c, rushlight.from_numpy(t), linear_bias=d),
        lambda a, c, d: TF.linear_cross_entropy(a, c, torch.from_numpy(t), linear_bias=d),
        x, w, b,
    )  # fmt: skip


@pytest.mark.parametrize(
    ("size_average", "reduce"),
    [(None, False), (False, None), (True, True), (False, True), (True, False)],
)
def test_the_old_arguments(size_average: Any, reduce: Any, same: Any, rng: Any) -> None:
    x, t = rng.standard_normal((2, 4, 5))
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        for name in ("mse_loss", "l1_loss", "smooth_l1_loss", "kl_div", "soft_margin_loss"):
            same(
                getattr(F, name), getattr(TF, name), x, np.abs(t), fixed=(1,),
                size_average=size_average, reduce=reduce,
            )  # fmt: skip
    with pytest.warns(UserWarning, match="size_average and reduce args will be deprecated"):
        F.mse_loss(rushlight.ones(2), rushlight.ones(2), reduce=False)


def test_errors(same_error: Any) -> None:
    def both(fn: Any, words: str) -> None:
        same_error(lambda: fn(rushlight, F), lambda: fn(torch, TF), words)

    def longs(t: Any, *values: int) -> Any:
        return t.tensor(values)

    both(lambda t, f: f.nll_loss(t.ones(3, 5), longs(t, 1, 2, 3, 4)),
         r"Expected input batch_size \(3\) to match target batch_size \(4\)")  # fmt: skip
    both(lambda t, f: f.cross_entropy(t.ones(2, 5), longs(t, 1, 5)), "Target 5 is out of bounds")
    both(lambda t, f: f.nll_loss(t.ones(2, 5), t.ones(2, 2, dtype=t.int64)),
         "0D or 1D target tensor expected, multi-target not supported")  # fmt: skip
    both(lambda t, f: f.nll_loss(t.ones(2, 5), longs(t, 1, 2), weight=t.ones(3)),
         "weight tensor should be defined either for all 5 classes")  # fmt: skip
    both(lambda t, f: f.cross_entropy(t.ones(2, 5), t.ones(2)), "Long")
    both(lambda t, f: f.cross_entropy(t.ones(2, 5), t.ones(2, 5, dtype=t.int64)),
         "Expected floating point type for target with class probabilities")  # fmt: skip
    both(lambda t, f: f.cross_entropy(t.ones(2, 5), longs(t, 1, 2), label_smoothing=2.0),
         "label_smoothing must be between 0.0 and 1.0")  # fmt: skip
    both(lambda t, f: f.mse_loss(t.ones(2), t.ones(2), reduction="x"), "is not a valid value")
    both(lambda t, f: f.binary_cross_entropy(2 * t.ones(2), t.ones(2)),
         "all elements of input should be between 0 and 1")  # fmt: skip
    both(lambda t, f: f.binary_cross_entropy(t.ones(2), t.ones(3)), "Using a target size")
    both(lambda t, f: f.binary_cross_entropy_with_logits(t.ones(2), t.ones(3)),
         "must be the same as input size")  # fmt: skip
    both(lambda t, f: f.cosine_embedding_loss(t.ones(2, 3), t.ones(2, 3), t.ones(2, 1)),
         "0D or 1D target tensor expected")  # fmt: skip
    both(lambda t, f: f.triplet_margin_loss(t.ones(2, 3), t.ones(2, 3), t.ones(3)),
         "same number of dimensions|should have same dimension")  # fmt: skip
    both(lambda t, f: f.gaussian_nll_loss(t.ones(2), t.ones(2), -t.ones(2)), "negative entry")
    with pytest.warns(UserWarning, match="Using a target size .* that is different to the input"):
        F.mse_loss(rushlight.ones(2, 1), rushlight.ones(2))
