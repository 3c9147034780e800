"""nn.init: ranges, moments and structure of what is filled in, and the errors."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pytest

import rushlight as torch
from rushlight.nn import init


@pytest.mark.parametrize(
    ("name", "param", "gain"),
    [
        ("linear", None, 1),
        ("conv_transpose2d", None, 1),
        ("sigmoid", None, 1),
        ("tanh", None, 5 / 3),
        ("relu", None, math.sqrt(2)),
        ("leaky_relu", None, math.sqrt(2 / 1.0001)),
        ("leaky_relu", 1, 1),
        ("selu", None, 0.75),
    ],
)
def test_gain(name: str, param: Any, gain: float) -> None:
    assert init.calculate_gain(name, param) == pytest.approx(gain)


def test_gain_errors() -> None:
    with pytest.raises(ValueError, match="negative_slope True not a valid number"):
        init.calculate_gain("leaky_relu", True)
    with pytest.raises(ValueError, match="Unsupported nonlinearity swish"):
        init.calculate_gain("swish")


def test_simple_fills() -> None:
    w = torch.empty(2, 3, requires_grad=True)
    assert init.constant_(w, 3.0) is w
    assert w.requires_grad
    assert w.grad_fn is None
    assert float(w.detach().sum()) == 18
    assert float(init.ones_(w).detach().sum()) == 6
    assert float(init.zeros_(w).detach().sum()) == 0
    np.testing.assert_array_equal(init.eye_(w).detach().numpy(), np.eye(2, 3))


@pytest.mark.parametrize(
    ("fill", "std", "bound"),
    [
        (lambda w: init.uniform_(w, -2, 2), 4 / math.sqrt(12), 2),
        (lambda w: init.normal_(w, 0, 3), 3, None),
        (init.xavier_uniform_, math.sqrt(2 / 300), math.sqrt(6 / 300)),
        (lambda w: init.xavier_normal_(w, 2.0), 2 * math.sqrt(2 / 300), None),
        (lambda w: init.kaiming_uniform_(w, 1.0), math.sqrt(1 / 200), math.sqrt(3 / 200)),
        (
            lambda w: init.kaiming_normal_(w, mode="fan_out", nonlinearity="relu"),
            math.sqrt(2 / 100),
            None,
        ),
        (lambda w: init.trunc_normal_(w, 0, 1, -1, 1), 0.5396, 1),
        (lambda w: init.trunc_normal_(w, 0, 1, 2, 3), None, 3),
    ],
)
def test_spread(fill: Any, std: float | None, bound: float | None) -> None:
    w = fill(torch.empty(100, 200)).numpy()
    if std is not None:
        assert w.std() == pytest.approx(std, rel=0.03)
    if bound is not None:
        assert np.abs(w).max() <= bound


def test_truncated_tail_lies_in_its_interval() -> None:
    w = init.trunc_normal_(torch.empty(1000), 0, 1, 2, 3).numpy()
    assert w.min() >= 2
    assert w.mean() == pytest.approx(2.31, abs=0.03)
    with pytest.warns(UserWarning, match="mean is more than 2 std from"):
        init.trunc_normal_(torch.empty(3), 0, 1, 4, 5)


@pytest.mark.parametrize("shape", [(4, 4), (3, 8), (8, 3), (4, 2, 3)])
def test_orthogonal(shape: tuple[int, ...]) -> None:
    w = init.orthogonal_(torch.empty(shape), gain=2).numpy().reshape(shape[0], -1)
    small = w @ w.T if w.shape[0] <= w.shape[1] else w.T @ w
    np.testing.assert_allclose(small, 4 * np.eye(len(small)), atol=1e-5)


def test_sparse() -> None:
    w = init.sparse_(torch.empty(10, 4), 0.25).numpy()
    assert ((w == 0).sum(0) == 3).all()


@pytest.mark.parametrize("groups", [1, 2])
def test_dirac_passes_channels_through(groups: int) -> None:
    w = init.dirac_(torch.empty(4, 2, 3, 3), groups)
    assert float(w.sum()) == 2 * groups
    assert float(w[0, 0, 1, 1]) == 1
    if groups == 2:
        assert float(w[2, 0, 1, 1]) == 1


@pytest.mark.parametrize(
    ("act", "text"),
    [
        (lambda: init.eye_(torch.empty(3)), "Only tensors with 2 dimensions"),
        (lambda: init.dirac_(torch.empty(3, 3)), "Only tensors with 3, 4, or 5 dimensions"),
        (lambda: init.dirac_(torch.empty(3, 3, 3), 2), "must be divisible by groups"),
        (lambda: init.sparse_(torch.empty(3), 0.1), "Only tensors with 2 dimensions"),
        (lambda: init.orthogonal_(torch.empty(3)), "2 or more dimensions"),
        (lambda: init.xavier_uniform_(torch.empty(3)), "fewer than 2 dimensions"),
        (lambda: init.kaiming_normal_(torch.empty(3, 3), mode="x"), "Mode x not supported"),
    ],
)
def test_errors(act: Any, text: str) -> None:
    with pytest.raises(ValueError, match=text):
        act()


def test_nothing_to_fill() -> None:
    with pytest.warns(UserWarning, match="zero-element tensors is a no-op"):
        init.kaiming_uniform_(torch.empty(0, 3))


def test_old_names() -> None:
    with pytest.warns(FutureWarning, match=r"`nn.init.normal` is now deprecated in favor of"):
        init.normal(torch.empty(2))
    assert init.xavier_uniform.__name__ == "xavier_uniform"


def test_generator() -> None:
    one, two = torch.Generator().manual_seed(3), torch.Generator().manual_seed(3)
    a = init.xavier_normal_(torch.empty(3, 3), generator=one)
    b = init.xavier_normal_(torch.empty(3, 3), generator=two)
    assert torch.equal(a, b)
