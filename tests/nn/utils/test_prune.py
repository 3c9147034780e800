"""Pruning: what is masked, in which order, and back."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import rushlight as torch
from rushlight import nn
from rushlight.nn.utils import prune


def layer() -> nn.Linear:
    m = nn.Linear(4, 4)
    with torch.no_grad():
        m.weight.copy_(torch.arange(1.0, 17.0).reshape(4, 4))
    return m


def zeros(m: Any) -> int:
    return int((m.weight == 0).sum())


def test_smallest_values_go() -> None:
    m = prune.l1_unstructured(layer(), "weight", amount=0.25)
    assert m.weight_mask.tolist()[0] == [0, 0, 0, 0]
    assert zeros(m) == 4
    assert [n for n, _ in m.named_parameters()] == ["bias", "weight_orig"]
    m(torch.ones(1, 4)).sum().backward()
    assert m.weight_orig.grad[0].abs().sum() == 0
    assert m.weight_orig.grad[1].abs().sum() > 0


def test_pruning_twice_takes_from_what_is_left() -> None:
    m = layer()
    prune.l1_unstructured(m, "weight", 4)
    prune.l1_unstructured(m, "weight", 4)
    assert zeros(m) == 8
    prune.ln_structured(m, "weight", 1, n=2, dim=0)
    assert zeros(m) == 12
    (hook,) = m._forward_pre_hooks.values()
    assert len(hook) == 3
    prune.remove(m, "weight")
    assert zeros(m) == 12
    assert isinstance(m.weight, nn.Parameter)
    assert not prune.is_pruned(m)


@pytest.mark.parametrize("dim", [0, 1, -1])
def test_structured(dim: int) -> None:
    m = prune.ln_structured(layer(), "weight", 1, n=1, dim=dim)
    w = m.weight.detach().numpy()
    assert not np.take(w, 0, axis=dim).any()
    assert zeros(m) == 4
    m = prune.random_structured(layer(), "weight", 0.5, dim=dim)
    assert zeros(m) == 8


def test_others() -> None:
    assert zeros(prune.random_unstructured(layer(), "weight", 5)) == 5
    assert zeros(prune.identity(layer(), "weight")) == 0
    assert zeros(prune.custom_from_mask(layer(), "weight", torch.eye(4))) == 12
    scores = -torch.arange(16.0).reshape(4, 4)
    m = prune.l1_unstructured(layer(), "weight", 3, importance_scores=scores - 1)
    assert m.weight_mask[0, :3].tolist() == [0, 0, 0]


def test_global() -> None:
    net = nn.Sequential(layer(), layer())
    with torch.no_grad():
        net[1].weight.mul_(100)
    prune.global_unstructured([(m, "weight") for m in net], prune.L1Unstructured, amount=16)
    assert [zeros(m) for m in net] == [16, 0]
    assert prune.is_pruned(net)
    with pytest.raises(TypeError, match='Only "unstructured" PRUNING_TYPE'):
        prune.global_unstructured([(net[0], "weight")], prune.LnStructured, amount=1, n=1)


@pytest.mark.parametrize(
    ("act", "error", "text"),
    [
        (lambda: prune.L1Unstructured("x"), TypeError, "Invalid type for amount"),
        (lambda: prune.L1Unstructured(1.5), ValueError, "should either be a float in the range"),
        (lambda: prune.L1Unstructured(-1), ValueError, "non-negative"),
        (lambda: prune.l1_unstructured(layer(), "weight", 99), ValueError, "should be smaller"),
        (lambda: prune.ln_structured(layer(), "bias", 1, 1, 0), ValueError, "multidimensional"),
        (lambda: prune.ln_structured(layer(), "weight", 1, 1, 5), IndexError, "Invalid index 5"),
        (lambda: prune.remove(layer(), "weight"), ValueError, "has to be pruned before"),
    ],
)
def test_misuse(act: Any, error: type[Exception], text: str) -> None:
    with pytest.raises(error, match=text):
        act()


def test_a_failed_pruning_leaves_the_parameter() -> None:
    m = layer()
    with pytest.raises(ValueError, match="should be smaller"):
        prune.l1_unstructured(m, "weight", 99)
    assert list(m._parameters) == ["bias", "weight"]
    assert not m._forward_pre_hooks
    assert m(torch.ones(1, 4)).shape == (1, 4)
