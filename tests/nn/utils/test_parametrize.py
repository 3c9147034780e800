"""Parametrisations, ready-made and one's own, and the older weight and spectral norms."""

from __future__ import annotations

import copy
import pickle
from typing import Any

import numpy as np
import pytest

import rushlight as torch
from rushlight import nn
from rushlight.nn.utils import parametrizations as P
from rushlight.nn.utils import parametrize as p


class Symmetric(nn.Module):
    def forward(self, x: Any) -> Any:
        return x.triu() + x.triu(1).mT

    def right_inverse(self, x: Any) -> Any:
        return x.triu()


class Sum(nn.Module):
    def forward(self, a: Any, b: Any) -> Any:
        return a + b

    def right_inverse(self, x: Any) -> Any:
        return x / 4, x * 3 / 4


class Cut(nn.Module):
    def forward(self, x: Any) -> Any:
        return x[:1]


def test_property_replaces_the_parameter() -> None:
    m = p.register_parametrization(nn.Linear(3, 3), "weight", Symmetric())
    assert torch.equal(m.weight, m.weight.mT)
    assert isinstance(m, nn.Linear)
    assert type(m).__name__ == "ParametrizedLinear"
    assert [n for n, _ in m.named_parameters()] == ["bias", "parametrizations.weight.original"]
    m(torch.ones(1, 3)).sum().backward()
    assert m.parametrizations.weight.original.grad is not None
    m.weight = torch.arange(9.0).reshape(3, 3)
    assert m.weight.tolist() == [[0, 1, 2], [1, 4, 5], [2, 5, 8]]


def test_instances_do_not_share_the_class() -> None:
    a, b = nn.Linear(3, 3), nn.Linear(3, 3)
    p.register_parametrization(a, "weight", Symmetric())
    assert not p.is_parametrized(b)
    assert isinstance(b.weight, nn.Parameter)


def test_removal() -> None:
    m = p.register_parametrization(nn.Linear(3, 3), "weight", Symmetric())
    value = m.weight.detach().numpy()
    p.remove_parametrizations(m, "weight")
    assert type(m) is nn.Linear
    np.testing.assert_array_equal(m.weight.detach().numpy(), value)
    m = p.register_parametrization(nn.Linear(3, 3), "weight", Symmetric())
    original = m.parametrizations.weight.original
    p.remove_parametrizations(m, "weight", leave_parametrized=False)
    assert m.weight is original
    with pytest.raises(ValueError, match="does not have a parametrization on weight"):
        p.remove_parametrizations(m, "weight")


def test_several_originals() -> None:
    m = p.register_parametrization(nn.Linear(2, 2), "weight", Sum())
    names = [n for n, _ in m.parametrizations.weight.named_parameters()]
    assert names == ["original0", "original1"]
    m.weight = torch.full((2, 2), 4.0)
    assert m.parametrizations.weight.original1.tolist() == [[3, 3], [3, 3]]
    with pytest.raises(ValueError, match="in terms of a sequence of tensors"):
        p.remove_parametrizations(m, "weight", leave_parametrized=False)
    p.remove_parametrizations(m, "weight")
    assert m.weight.tolist() == [[4, 4], [4, 4]]
    assert m.weight.requires_grad


def test_cache() -> None:
    m = p.register_parametrization(nn.Linear(3, 3), "weight", Symmetric())
    with p.cached():
        assert m.weight is m.weight
    assert m.weight is not m.weight


def test_state_dict_and_deepcopy_but_no_pickle() -> None:
    a = p.register_parametrization(nn.Linear(3, 3), "weight", Symmetric())
    b = p.register_parametrization(nn.Linear(3, 3), "weight", Symmetric())
    b.load_state_dict(a.state_dict())
    assert torch.equal(a.weight, b.weight)
    c = copy.deepcopy(a)
    with torch.no_grad():
        c.parametrizations.weight.original.zero_()
    assert c.weight.abs().sum() == 0
    assert a.weight.abs().sum() > 0
    with pytest.raises(RuntimeError, match="only supported through state_dict"):
        pickle.dumps(a)


@pytest.mark.parametrize(
    ("act", "text"),
    [
        (lambda m: p.register_parametrization(m, "nope", Symmetric()), "does not have a parameter"),
        (lambda m: p.register_parametrization(m, "weight", Cut()), "may not change the shape"),
        (lambda m: p.ParametrizationList([], m.weight), "requires one or more modules"),
        (lambda m: P.orthogonal(m, "bias"), "Expected a matrix or batch"),
        (lambda m: P.orthogonal(m, orthogonal_map="x"), "orthogonal_map has to be one of"),
        (lambda m: P.spectral_norm(m, "nope"), "has no parameter or buffer with name 'nope'"),
        (lambda m: P.spectral_norm(m, n_power_iterations=0), "to be positive"),
    ],
)
def test_misuse(act: Any, text: str) -> None:
    m = nn.Linear(3, 3)
    with pytest.raises(ValueError, match=text):
        act(m)
    assert type(m) is nn.Linear
    assert isinstance(m.weight, nn.Parameter)


def test_weight_norm() -> None:
    m = nn.Linear(3, 4)
    before = m.weight.detach().numpy().copy()
    P.weight_norm(m)
    np.testing.assert_allclose(m.weight.detach().numpy(), before, rtol=1e-6)
    with torch.no_grad():
        m.parametrizations.weight.original0.fill_(2.0)
    np.testing.assert_allclose(np.linalg.norm(m.weight.detach().numpy(), axis=1), 2, rtol=1e-6)


def test_weight_norm_reads_files_of_the_old_one() -> None:
    with pytest.warns(FutureWarning, match="is deprecated in favor of"):
        old = nn.utils.weight_norm(nn.Linear(3, 4))
    new = P.weight_norm(nn.Linear(3, 4))
    new.load_state_dict(old.state_dict())
    x = torch.ones(1, 3)
    assert torch.equal(old(x), new(x))
    nn.utils.remove_weight_norm(old)
    assert isinstance(old.weight, nn.Parameter)
    np.testing.assert_allclose(old(x).detach().numpy(), new(x).detach().numpy(), rtol=1e-6)


def top(w: Any) -> float:
    return float(np.linalg.svd(w.detach().numpy().reshape(w.shape[0], -1))[1][0])


def test_spectral_norm() -> None:
    m = nn.Linear(5, 4)
    with torch.no_grad():
        m.weight.copy_(torch.eye(4, 5) * torch.tensor([[3.0], [1.0], [0.5], [0.1]]))
    P.spectral_norm(m)
    for _ in range(5):
        m(torch.ones(1, 5)).sum().backward()
    assert top(m.weight) == pytest.approx(1, rel=1e-3)
    m.eval()
    assert torch.equal(m.weight, m.weight)


def test_old_spectral_norm() -> None:
    m = nn.Conv2d(2, 3, 2)
    with torch.no_grad():  # singular values 3, 1 and 1/2: 20 steps suffice
        m.weight.copy_((torch.eye(3, 8) * torch.tensor([[3.0], [1.0], [0.5]])).view(3, 2, 2, 2))
    nn.utils.spectral_norm(m, n_power_iterations=20)
    m(torch.ones(1, 2, 3, 3)).sum().backward()
    assert m.weight_orig.grad is not None
    assert top(m.weight) == pytest.approx(1, rel=1e-3)
    with pytest.raises(RuntimeError, match="Cannot register two spectral_norm hooks"):
        nn.utils.spectral_norm(m)
    nn.utils.remove_spectral_norm(m)
    assert isinstance(m.weight, nn.Parameter)
    assert not m._state_dict_hooks
    with pytest.raises(ValueError, match="not found in"):
        nn.utils.remove_spectral_norm(m)


@pytest.mark.parametrize("kind", ["matrix_exp", "cayley", "householder"])
@pytest.mark.parametrize("shape", [(4, 4), (3, 5), (5, 3)])
@pytest.mark.parametrize("trivial", [True, False])
def test_orthogonal(kind: str, shape: tuple[int, int], trivial: bool) -> None:
    m = P.orthogonal(nn.Linear(*shape), orthogonal_map=kind, use_trivialization=trivial)
    w = m.weight.detach().numpy()
    small = w @ w.T if w.shape[0] <= w.shape[1] else w.T @ w
    np.testing.assert_allclose(small, np.eye(len(small)), atol=1e-5)
    m.weight.sum().backward()
    assert m.parametrizations.weight.original.grad.isfinite().all()


def test_orthogonal_assignment() -> None:
    m = P.orthogonal(nn.Linear(3, 3))
    m.weight = torch.eye(3)
    np.testing.assert_allclose(m.weight.detach().numpy(), np.eye(3), atol=1e-6)
