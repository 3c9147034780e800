"""Losses whose reduction is a number: functions of `nn.functional`, for whose words it stands."""

from __future__ import annotations

import inspect
import warnings
from typing import Any

import pytest

import rushlight as torch
import rushlight.nn.functional as F

A, B, ONES = torch.tensor([[0.2, 0.8]]), torch.tensor([[0.6, 0.4]]), torch.ones(1)
LOSSES: dict[str, tuple[Any, ...]] = {
    "kl_div": (A.log(), B),
    "binary_cross_entropy_with_logits": (A, B),
    "cosine_embedding_loss": (A, B, ONES),
    "hinge_embedding_loss": (A, torch.tensor([[1.0, -1.0]])),
    "margin_ranking_loss": (A[0], B[0], ONES),
    "triplet_margin_loss": (A, B, A + 1),
    "ctc_loss": (torch.full((3, 1, 2), 0.5).log(), torch.tensor([[1]]), (3,), (1,)),
}


@pytest.mark.parametrize("number", [0, 1, 2])
@pytest.mark.parametrize("name", LOSSES)
def test_a_number_is_a_word(name: str, number: int) -> None:
    words = {"reduction": ("none", "mean", "sum")[number]}
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # kl_div's word "mean" warns; the number does not
        expected = getattr(F, name)(*LOSSES[name], **words)
    assert torch.equal(getattr(torch, name)(*LOSSES[name], reduction=number), expected)


def test_poisson() -> None:
    for log_input in (True, False):
        found = torch.poisson_nll_loss(A, B, log_input, True, 1e-6, 2)
        expected = F.poisson_nll_loss(A, B, log_input, True, eps=1e-6, reduction="sum")
        assert torch.equal(found, expected)


def test_other_numbers_and_words() -> None:
    with pytest.raises(TypeError, match=r"'reduction' must be int, not str[\s\S]*1 for 'mean'"):
        torch.kl_div(A, B, "mean")
    with pytest.raises(TypeError, match="must be int, not bool"):
        torch.hinge_embedding_loss(A, B, 1.0, True)
    with pytest.raises(ValueError, match=r"reduction=3[\s\S]*0 \(none\), 1 \(mean\), 2 \(sum\)"):
        torch.kl_div(A, B, 3)
    with pytest.raises(ValueError, match=r"mode=-1"):
        torch.embedding_bag(A, torch.tensor([0]), torch.tensor([0]), mode=-1)


def test_bags() -> None:
    w, i, o = torch.eye(3), torch.tensor([0, 1, 2, 1]), torch.tensor([0, 2, 2])
    bags, of, size, rows = torch.embedding_bag(w, i, o)
    assert torch.equal(bags, F.embedding_bag(i, w, o, mode="sum"))
    assert (of.tolist(), size.tolist(), rows.tolist()) == ([], [0, 0, 0], [0, 0, 0])
    bags, of, size, rows = torch.embedding_bag(w, i, o, False, 1)
    assert torch.equal(bags, F.embedding_bag(i, w, o, mode="mean"))
    assert (of.tolist(), size.tolist(), rows.tolist()) == ([0, 0, 2, 2], [2, 0, 2], [2, 0, 2])
    bags, of, size, rows = torch.embedding_bag(w, i, o, mode=2, padding_idx=1)
    assert (of.tolist(), size.tolist()) == ([0, 0, 2, 2], [1, 0, 1])
    assert rows.tolist() == [[0, 0, 0], [0, 0, 0], [2, 2, 2]]


def test_rows_are_shrunk_in_place() -> None:
    w = torch.tensor([[3.0, 4.0], [3.0, 4.0]])
    assert torch.embedding_renorm_(w, torch.tensor([1]), 1.0, 2.0) is w
    assert torch.allclose(w, torch.tensor([[3.0, 4.0], [0.6, 0.8]]))


def test_bilinear() -> None:
    x, y, w, b = torch.ones(2, 3), torch.ones(2, 4), torch.ones(5, 3, 4), torch.ones(5)
    assert torch.equal(torch.bilinear(x, y, w, b), torch.full((2, 5), 13.0))


def test_signatures_are_those_of_the_operators() -> None:
    found = str(inspect.signature(torch.kl_div)).replace("'", "")
    assert found.startswith("(input: Any, target: Any, reduction: int = 1, *, log_target: bool")
