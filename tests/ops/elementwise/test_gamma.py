"""The gamma function's family: orders, edges, errors."""

from __future__ import annotations

import math

import pytest

import rushlight as torch


def test_polygamma_wants_an_order():
    with pytest.raises(RuntimeError, match="does not support negative n"):
        torch.polygamma(-1, torch.ones(2))
    assert torch.polygamma(0, torch.ones(1)).item() == pytest.approx(-0.5772157)
    assert torch.ones(1).polygamma(1).item() == pytest.approx(math.pi**2 / 6)


def test_incomplete_gamma_at_zero():
    nan = torch.tensor(float("nan"))
    assert torch.igamma(nan, torch.tensor(0.0)).item() == 0
    assert torch.igammac(nan, torch.tensor(0.0)).item() == 1
    assert torch.igamma(torch.tensor(0.0), torch.tensor(0.0)).isnan()


def test_orders_of_polygamma_are_whole_numbers():
    for n in (True, 1.0):
        with pytest.raises(TypeError, match="must be int"):
            torch.polygamma(n, torch.ones(2))


def test_zeta_of_infinity():
    y = torch.special.zeta(torch.tensor(math.inf), torch.tensor([0.5, 1.0, 2.0, -0.5, -1.0]))
    assert [str(v) for v in y.tolist()] == ["inf", "1.0", "nan", "inf", "inf"]
