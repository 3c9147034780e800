"""Dropout: what is kept, what is scaled, what a seed gives."""

from __future__ import annotations

import numpy as np
import pytest

import rushlight as torch

F = torch.nn.functional
PYTORCH_SEED_0 = [0, 0, 1, 0, 0, 0, 1, 1, 0, 1, 1, 1]


def test_kept_elements_are_scaled_and_the_gradient_has_the_same_mask() -> None:
    x = torch.ones(1000, requires_grad=True)
    y = F.dropout(x, 0.2)
    y.sum().backward()
    assert set(y.tolist()) == {0.0, 1.25}
    assert 700 < int((y != 0).sum()) < 900
    assert (x.grad == y).all()


def test_evaluation_returns_the_input_itself() -> None:
    x = torch.ones(3)
    for name in ("dropout", "alpha_dropout", "feature_alpha_dropout"):
        assert getattr(F, name)(x, 0.5, training=False) is x
    assert F.dropout(x, 0.0) is x
    assert not F.dropout(x, 1.0).any()


def test_a_seed_gives_the_mask_that_pytorch_gives() -> None:
    torch.manual_seed(0)
    kept = F.dropout(torch.ones(12), 0.5) != 0
    assert kept.int().tolist() == PYTORCH_SEED_0


def test_channels_live_or_die_whole() -> None:
    for name, shape in (("dropout1d", (8, 9, 4)), ("dropout2d", (8, 9, 2, 2))):
        y = getattr(F, name)(torch.ones(*shape), 0.5).flatten(2)
        assert ((y == 0).all(2) | (y == 2).all(2)).all()
    y = F.dropout1d(torch.ones(50, 4), 0.5)
    assert ((y == 0).all(1) | (y == 2).all(1)).all()


def test_alpha_dropout_keeps_mean_and_variance() -> None:
    x = torch.randn(200_000)
    y = F.alpha_dropout(x, 0.3, training=True)
    assert y.mean().item() == pytest.approx(0, abs=0.02)
    assert y.var().item() == pytest.approx(1, abs=0.03)


def test_inplace() -> None:
    x = torch.ones(20)
    assert F.dropout(x, 0.5, inplace=True) is x
    assert set(np.unique(x.numpy())) <= {0.0, 2.0}


def test_errors() -> None:
    with pytest.raises(ValueError, match="has to be between 0 and 1, but got -1"):
        F.dropout(torch.ones(2), -1)
    with pytest.raises(RuntimeError, match="Expected 2D or 3D input, but received a 4D"):
        F.dropout1d(torch.ones(1, 1, 1, 1))
    with pytest.warns(UserWarning, match="Received a 2-D input to dropout2d"):
        F.dropout2d(torch.ones(2, 2))
