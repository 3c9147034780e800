"""Branches and loops as functions, and functions of sizes."""

from __future__ import annotations

from typing import Any

import pytest
from rushlight._higher_order_ops import associative_scan, cond, scan, while_loop

import rushlight as torch


def test_a_branch_and_its_gradient() -> None:
    x = torch.tensor([1.0, 4.0], requires_grad=True)
    y = torch.cond(x.sum() > 3, torch.sqrt, torch.neg, (x,))
    y.sum().backward()
    assert y.tolist() == [1.0, 2.0]
    assert x.grad.tolist() == [0.5, 0.25]
    assert cond is torch.cond
    assert cond(False, torch.sqrt, torch.neg, [x]).tolist() == [-1.0, -4.0]
    assert cond(torch.tensor(0.0), lambda: 1, lambda: 2) == 2


@pytest.mark.parametrize("pred", [torch.tensor([True, False]), "yes", None])
def test_no_condition(pred: Any) -> None:
    with pytest.raises(RuntimeError, match="Expected pred to be bool or"):
        torch.cond(pred, torch.sqrt, torch.neg, (torch.ones(1),))


def test_a_loop() -> None:
    start = (torch.tensor(0), torch.ones(1))
    i, x = while_loop(lambda i, x: i < 3, lambda i, x: (i + 1, x * 2), start)
    assert (i.item(), x.item()) == (3, 8.0)
    assert while_loop(lambda i: i < 0, lambda i: (i,), (5,)) == (5,)
    with pytest.raises(RuntimeError, match=r"does not return what it takes[\s\S]*tuple of 1"):
        while_loop(lambda i: i < 3, lambda i: (i, i), (0,))


def test_scans() -> None:
    xs = torch.arange(6.0).reshape(3, 2)
    carry, ys = scan(lambda c, x: (c + x, c * x), torch.zeros(2), xs)
    assert carry.tolist() == [6.0, 9.0]
    assert ys.tolist() == [[0, 0], [0, 3], [8, 20]]
    carry, ys = scan(lambda c, x: (c + x, c * x), torch.zeros(2), xs, reverse=True)
    assert carry.tolist() == [6.0, 9.0]
    assert ys.tolist() == [[0, 8], [8, 15], [0, 0]]
    total, both = scan(lambda c, x: (c + x["a"], {"b": x["a"]}), torch.zeros(3), {"a": xs}, dim=1)
    assert total.tolist() == [1.0, 5.0, 9.0]
    assert torch.equal(both["b"], xs)
    with pytest.raises(RuntimeError, match="not of one length"):
        scan(lambda c, x: (c, c), 0, [torch.ones(2), torch.ones(3)])
    with pytest.raises(RuntimeError, match=r"^scan: there is no slice[\s\S]*along dim 1"):
        scan(lambda c, x: (c, c), 0, torch.ones(2, 0), dim=1)
    with pytest.raises(RuntimeError, match=r"^associative_scan: there is no slice"):
        associative_scan(torch.add, torch.ones(0), 0)


@pytest.mark.parametrize("length", [1, 2, 3, 7, 8])
@pytest.mark.parametrize("reverse", [False, True])
def test_partial_results(length: int, reverse: bool) -> None:
    x = torch.arange(1.0, 2 * length + 1).reshape(2, length).requires_grad_()
    found = associative_scan(torch.add, x, 1, reverse)
    expected = x.flip(1).cumsum(1).flip(1) if reverse else x.cumsum(1)
    assert torch.equal(found, expected)
    (mine,) = torch.autograd.grad(found.square().sum(), x)
    assert torch.equal(mine, torch.autograd.grad(expected.square().sum(), x)[0])


def test_order_counts() -> None:
    """The function is associative, and need not be commutative: products of matrices."""
    torch.manual_seed(0)
    x = torch.randn(5, 2, 2, dtype=torch.float64)
    found = associative_scan(lambda a, b: a @ b, x, 0)
    assert torch.allclose(found[-1], torch.linalg.multi_dot(list(x)))


def test_numbers() -> None:
    assert (torch.sym_int(3.7), torch.sym_int(-3.7), torch.sym_float(2)) == (3, -3, 2.0)
    assert isinstance(torch.sym_max(1, 2.0), float)
    assert isinstance(torch.sym_min(1, 2.0), float)
    assert torch.sym_max(3, 2) == 3
    assert torch.sym_not(0) is True
    assert torch.sym_sqrt(9) == 3.0
    assert torch.sym_sum([1, 2, 3]) == 6 == torch.sym_sum(1, 2, 3)
    assert torch.sym_fresh_size(3) == 3
    assert torch.sym_ite(False, 1, 2) == 2
    for wrong in ((1, 2, 3), (True, 2, 3.0)):
        with pytest.raises(AssertionError):
            torch.sym_ite(*wrong)
