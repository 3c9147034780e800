"""Normalisation over a batch wants a quotient that is finite."""

from __future__ import annotations

import pytest

import rushlight as torch


def test_eps_is_positive_in_training():
    for eps in (0.0, -1.0):
        with pytest.raises(ValueError, match="eps must be positive during training"):
            torch.nn.BatchNorm1d(2, eps=eps)(torch.ones(3, 2))
    assert torch.nn.BatchNorm1d(2, eps=0.0).eval()(torch.ones(3, 2)).tolist() == [[1.0, 1.0]] * 3
    with pytest.raises(ValueError, match="eps must be non-negative"):
        torch.nn.BatchNorm1d(2, eps=-1.0).eval()(torch.ones(3, 2))


def test_all_layers_come_with_a_star():
    names: dict[str, object] = {}
    exec("from rushlight.nn.modules import *", names)
    assert names["GRU"] is torch.nn.GRU
    assert names["MultiheadAttention"] is torch.nn.MultiheadAttention
