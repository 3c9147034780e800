"""Gradients of scatter_reduce where numbers are infinite, as in maxima that begin at -inf."""

from __future__ import annotations

import math

import pytest

import rushlight as torch

INF = math.inf


def gradients(x, src, reduce, **how):
    x, src = (torch.tensor(v, requires_grad=True) for v in (x, src))
    y = x.scatter_reduce(0, torch.tensor([0, 0, 2]), src, reduce, **how)
    y.backward(torch.tensor([1.0, 2.0, 3.0]))
    return x.grad.tolist(), src.grad.tolist()


@pytest.mark.parametrize("include_self", [True, False])
def test_maxima_that_begin_at_minus_infinity(include_self):
    to_x, to_src = gradients([-INF] * 3, [5.0, 7.0, 9.0], "amax", include_self=include_self)
    assert to_x == [0, 2, 0]
    assert to_src == [0, 1, 3]


@pytest.mark.parametrize("reduce", ["amin", "amax", "mean", "sum"])
def test_an_infinite_source(reduce):
    to_x, to_src = gradients([1.0, INF, -INF], [INF, 2.0, -INF], reduce)
    assert to_x[1] == 2
    assert not any(map(math.isnan, to_x + to_src))


def test_products_that_leave_out_what_was_there():
    to_x, to_src = gradients([-INF, 2.0, INF], [5.0, 7.0, 9.0], "prod", include_self=False)
    assert to_x == [0, 2, 0]
    assert to_src == pytest.approx([7, 5, 3])
