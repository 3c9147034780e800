"""What is special about losses: definitions, ignored targets, extremes, errors, warnings."""

from __future__ import annotations

from itertools import product
from typing import Any

import numpy as np
import pytest

import rushlight as torch

F = torch.nn.functional


def test_cross_entropy_is_minus_the_log_of_the_probability(rng: Any) -> None:
    x, t = rng.standard_normal((5, 4)), rng.integers(0, 4, 5)
    p = np.exp(x) / np.exp(x).sum(1, keepdims=True)
    loss = F.cross_entropy(torch.from_numpy(x), torch.from_numpy(t), reduction="none")
    np.testing.assert_allclose(loss.numpy(), -np.log(p[np.arange(5), t]))
    hot = F.one_hot(torch.from_numpy(t), 4).double()
    same = F.cross_entropy(torch.from_numpy(x), hot, reduction="none")
    np.testing.assert_allclose(same.numpy(), loss.numpy())


def test_ignored_targets_count_nowhere() -> None:
    x = torch.zeros(3, 4, requires_grad=True)
    loss = F.cross_entropy(x, torch.tensor([1, -100, 2]))
    assert loss.item() == pytest.approx(np.log(4))
    loss.backward()
    assert not x.grad[1].any()
    assert F.cross_entropy(x, torch.tensor([-100] * 3)).isnan()
    assert F.cross_entropy(x, torch.tensor([-100] * 3), reduction="sum").item() == 0


def test_an_ignored_target_hides_an_infinite_score() -> None:
    x = torch.tensor([[-1.0, float("-inf")], [-1.0, -2.0]])
    assert F.nll_loss(x, torch.tensor([5, 0]), ignore_index=5).item() == 1


def test_logits_do_not_overflow() -> None:
    x = torch.tensor([800.0, -800.0], requires_grad=True)
    loss = F.binary_cross_entropy_with_logits(x, torch.tensor([1.0, 0.0]))
    loss.backward()
    assert loss.item() == 0
    assert not x.grad.any()
    assert F.binary_cross_entropy(torch.tensor([0.0]), torch.tensor([1.0])).item() == 100


def paths(labels: list[int], steps: int, classes: int) -> Any:
    """All sequences of classes that stand for these labels."""
    for path in product(range(classes), repeat=steps):
        merged = [c for i, c in enumerate(path) if i == 0 or path[i - 1] != c]
        if [c for c in merged if c != 0] == labels:
            yield path


@pytest.mark.parametrize("labels", [[1], [1, 2], [2, 2], []])
def test_ctc_sums_over_all_alignments(labels: list[int], rng: Any) -> None:
    logs = torch.from_numpy(rng.standard_normal((5, 1, 3))).log_softmax(-1)
    p = np.exp(logs.numpy()[:, 0])
    total = sum(np.prod(p[np.arange(5), list(path)]) for path in paths(labels, 5, 3))
    targets = torch.tensor([labels or [0]])
    loss = F.ctc_loss(logs, targets, [5], [len(labels)], reduction="sum")
    assert loss.item() == pytest.approx(-np.log(total))


def test_ctc_that_cannot_fit_is_infinite() -> None:
    logs = torch.zeros(2, 1, 3).log_softmax(-1).requires_grad_()
    args = (logs, torch.tensor([[1, 1]]), [2], [2])
    assert F.ctc_loss(*args).item() == float("inf")
    loss = F.ctc_loss(*args, zero_infinity=True)
    loss.backward()
    assert loss.item() == 0
    assert not logs.grad.any()


def test_cosine_similarity_of_zero() -> None:
    x = torch.zeros(1, 3, requires_grad=True)
    y = F.cosine_similarity(x, torch.ones(1, 3))
    y.backward()
    assert y.item() == 0
    assert np.isfinite(x.grad.numpy()).all()


def test_reductions_of_nothing() -> None:
    empty = torch.zeros(0, 3)
    assert F.mse_loss(empty, empty).isnan()
    assert F.mse_loss(empty, empty, reduction="sum").item() == 0


def test_errors_name_what_is_wrong() -> None:
    x = torch.zeros(3, 5)
    with pytest.raises(ValueError, match=r"Expected input batch_size \(3\) to match target"):
        F.cross_entropy(x, torch.tensor([1, 2, 3, 4]))
    with pytest.raises(IndexError, match=r"Target 5 is out of bounds[\s\S]*0 <= target < 5"):
        F.cross_entropy(x, torch.tensor([1, 5, 3]))
    with pytest.raises(RuntimeError, match=r"multi-target not supported[\s\S]*squeeze"):
        F.cross_entropy(x, torch.tensor([[1], [2], [3]]))
    with pytest.raises(RuntimeError, match=r"scalar type Long but found Float[\s\S]*target.long"):
        F.nll_loss(x, torch.zeros(3))
    with pytest.raises(ValueError, match="not a valid value for reduction"):
        F.l1_loss(x, x, reduction="average")
    with pytest.raises(RuntimeError, match=r"between 0 and 1[\s\S]*with_logits"):
        F.binary_cross_entropy(x - 1, x)
    with pytest.raises(ValueError, match="margin must be greater than 0"):
        F.triplet_margin_loss(x, x, x, margin=0)


def test_warnings() -> None:
    with pytest.warns(UserWarning, match="Using a target size"):
        F.l1_loss(torch.ones(3, 1), torch.ones(3))
    with pytest.warns(UserWarning, match="'batchmean' divides only by the batch size"):
        F.kl_div(torch.zeros(2, 2), torch.ones(2, 2))
    with pytest.warns(UserWarning, match="please use reduction='sum' instead"):
        loss = F.mse_loss(torch.ones(3), torch.zeros(3), size_average=False)
    assert loss.item() == 3


@pytest.mark.slow
@pytest.mark.parametrize("reduction", ["mean", "sum"])
def test_large_losses_are_the_sums_of_the_single_ones(reduction: str) -> None:
    torch.manual_seed(0)
    x, t = torch.rand(130, 140), torch.rand(130, 140)
    for name in ("mse_loss", "l1_loss", "smooth_l1_loss", "huber_loss", "binary_cross_entropy",
                 "binary_cross_entropy_with_logits"):  # fmt: skip
        loss = getattr(F, name)
        for a, b in ((x, t), (x.T, t.T), (x.double(), t.double())):
            each = loss(a, b, reduction="none").double()
            wanted = each.mean() if reduction == "mean" else each.sum()
            got = loss(a, b, reduction=reduction)
            assert abs(got.item() - wanted.item()) <= 1e-6 * abs(wanted.item())
            grads = []
            for way in (reduction, "none"):
                leaf = a.clone().requires_grad_()
                y = loss(leaf, b, reduction=way)
                y = y if way == reduction else getattr(y, reduction)()
                y.backward()
                grads.append(leaf.grad)
            torch.testing.assert_close(grads[0], grads[1], rtol=1e-5, atol=1e-7)


def test_l1_loss_of_nan_and_of_equal_numbers() -> None:
    x = torch.full((100, 100), float("nan"), requires_grad=True)
    F.l1_loss(x, torch.zeros(100, 100)).backward()
    assert (x.grad == 0).all()
    y = torch.ones(100, 100, requires_grad=True)
    F.l1_loss(y, torch.ones(100, 100), reduction="sum").backward()
    assert (y.grad == 0).all()


def test_probabilities_beyond_their_range_in_large_arrays() -> None:
    x = torch.full((100, 100), 0.5)
    for bad in (1.5, -0.1, float("nan")):
        x[3, 4] = bad
        with pytest.raises(RuntimeError, match="between 0 and 1"):
            F.binary_cross_entropy(x, torch.ones(100, 100))


def test_soft_margins_have_the_shape_of_the_input():
    x = torch.ones(3)
    with pytest.raises(RuntimeError, match="doesn't match the broadcast shape"):
        F.soft_margin_loss(x, torch.ones(2, 3))
    with pytest.raises(TypeError, match="must be Tensor, not float"):
        F.soft_margin_loss(0.5, x)
    # classes are those of the input: the target has more
    loss = F.multilabel_soft_margin_loss(x, torch.ones(2, 3), reduction="none")
    assert torch.allclose(loss, torch.full((3,), 2 / 3 * 0.31326166))


def test_cross_entropy_of_probabilities_of_nothing_or_of_a_number():
    nothing = torch.ones(0, 3)
    assert F.cross_entropy(nothing, nothing).isnan()
    assert F.cross_entropy(nothing, nothing, reduction="sum") == 0
    with pytest.raises(IndexError, match="no dimensions"):
        F.cross_entropy(torch.tensor(1.0), torch.tensor(1.0))
    with pytest.raises(RuntimeError, match="class probabilities, got Long"):
        F.cross_entropy(torch.tensor(1.0), torch.tensor(1))
    with pytest.raises(NotImplementedError, match="log_softmax"):
        F.cross_entropy(nothing.int(), torch.ones(0, dtype=torch.int32))


def test_weighted_squares_of_complex_numbers():
    x, y = torch.tensor([1j, 1j]), torch.tensor([2j, 2j])
    assert F.mse_loss(x, y, weight=torch.ones(2)).item() == -1
    with pytest.raises(NotImplementedError, match="'ComplexFloat'"):
        F.mse_loss(x, y)


@pytest.mark.parametrize(
    ("call", "words"),
    [
        (lambda: F.kl_div(2, torch.ones(2)), "argument 'input' .* must be Tensor"),
        (lambda: F.kl_div(torch.ones(2), 2), "argument 'target' .* must be Tensor"),
        (lambda: F.cosine_similarity(torch.ones(2, 2), 1), "argument 'x2' .* must be Tensor"),
        (lambda: torch.embedding(True, torch.ones(2)), "argument 'weight' .* must be Tensor"),
    ],
)
def test_numbers_are_no_tensors(call, words):
    with pytest.raises(TypeError, match=words):
        call()


@pytest.mark.parametrize("loss", ["nll_loss", "cross_entropy"])
def test_weights_of_classes_have_no_gradient(loss):
    """Said where the loss is computed, not where it goes backward."""
    x, t = torch.ones(2, 3, requires_grad=True), torch.tensor([0, 2])
    w = torch.ones(3, requires_grad=True)
    call = getattr(F, loss)
    with pytest.raises(RuntimeError, match=r"'nll_loss_forward' .* argument 'weight'"):
        call(x, t, w)
    with pytest.raises(RuntimeError, match=r"'nll_loss2d_forward' .* argument 'weight'"):
        call(x[..., None], t[:, None], w)
    call(x, t, w.detach()).backward()
    with torch.no_grad():
        call(x, t, w)
    with pytest.raises(RuntimeError, match=r"'nll_loss_forward' .* argument 'weight'"):
        F.cross_entropy(x, t, w, label_smoothing=0.1)


def test_sizes_are_named_before_types():
    n = torch.ones(2, 3, dtype=torch.int64)
    with pytest.raises(ValueError, match="var is of incorrect size"):
        F.gaussian_nll_loss(n, n, n[0])
    with pytest.raises(ValueError, match="1D target must have size 1"):
        F.linear_cross_entropy(torch.ones(5), torch.ones(4, 5), torch.tensor([0, 1, 2]))
    one = F.linear_cross_entropy(torch.ones(5), torch.ones(4, 5), torch.tensor([0]))
    assert one.item() == pytest.approx(1.3862943649291992)


def test_a_single_sample_takes_a_target_of_one():
    x = torch.tensor([1.0, 2.0])
    for name in ("nll_loss", "cross_entropy"):
        loss = getattr(F, name)
        assert loss(x, torch.tensor([1])).item() == loss(x, torch.tensor(1)).item()
        with pytest.raises(ValueError, match="1D target must have size 1"):
            loss(x, torch.tensor([0, 1, 1]))
    with pytest.raises(ValueError, match="only p == 1 and p == 2"):
        F.multi_margin_loss(x.int(), torch.tensor(1), 3)


def test_margins_that_are_just_kept_have_no_slope():
    x = torch.tensor([[1.0, 0.0, 2.0], [0.0, 1.0, float("nan")]], requires_grad=True)
    loss = torch.nn.functional.multi_margin_loss(x, torch.tensor([0, 1]), reduction="sum")
    loss.backward()
    assert loss.item() == pytest.approx(2 / 3)
    third = 1 / 3
    assert x.grad.tolist() == [[pytest.approx(-third), 0.0, pytest.approx(third)], [0.0, 0.0, 0.0]]
    x = torch.tensor([0.0, 1.0, 0.5], requires_grad=True)
    torch.nn.functional.multilabel_margin_loss(x, torch.tensor([1, -1, 0])).backward()
    assert x.grad.tolist() == [0.0, pytest.approx(-third), pytest.approx(third)]


def test_a_class_without_a_batch_says_how_to_get_one():
    wrong = r"batch_size \(1\) to match target batch_size \(0\)"
    with pytest.raises(ValueError, match=wrong) as error:
        torch.nn.functional.cross_entropy(torch.zeros(1, 3), torch.tensor(2))
    assert "target.unsqueeze(0)" in str(error.value)
