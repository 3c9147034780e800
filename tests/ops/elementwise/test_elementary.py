"""Powers and roots: infinities, truths, layouts, and the same bits in any number of elements."""

from __future__ import annotations

import math

import pytest

import rushlight as torch


def test_powers_of_truths() -> None:
    """The numbers True and False are exponents, which compute nothing; tensors of bools are not."""
    x = torch.tensor([True, False])
    assert torch.equal(x**True, x)
    assert torch.equal(torch.pow(x, False), torch.tensor([True, True]))
    for base, by in ((x, x), (x, torch.tensor(True)), (x[0], x[0]), (True, x), (False, x[0])):
        with pytest.raises(NotImplementedError, match="not implemented for 'Bool'"):
            torch.pow(base, by)
        with pytest.raises(NotImplementedError, match="not implemented for 'Bool'"):
            torch.pow(base, by, out=torch.ones(2, dtype=torch.bool))
    many = torch.ones(100_000, dtype=torch.bool)
    assert torch.equal(many**True, many)


@pytest.mark.parametrize("dtype", [torch.float32, torch.float64, torch.bfloat16])
def test_powers_that_are_roots(dtype):
    x = torch.tensor([-math.inf, -0.0, 0.0, math.inf, 4.0] * 8000).to(dtype).requires_grad_()
    for part in (slice(5), slice(None)):  # by NumPy, by a kernel
        one = x[part] ** -0.5
        assert [str(v) for v in one[:5].tolist()] == ["nan", "-inf", "inf", "0.0", "0.5"]
        (slope,) = torch.autograd.grad((x[part] ** 0.5).sum(), x)
        assert [str(v) for v in slope[:5].tolist()] == ["nan", "-inf", "inf", "0.0", "0.25"]
        (slope,) = torch.autograd.grad((x[part] ** 1.5).sum(), x)
        assert [str(v) for v in slope[:5].tolist()] == ["nan", "-0.0", "0.0", "inf", "3.0"]


@pytest.mark.parametrize("exponent", [0.5, -0.5, -1.0, 2.0, 3.0, -2.0])
def test_powers_are_the_same_in_any_number(exponent):
    x = torch.randn(40_000, generator=torch.Generator().manual_seed(3))
    whole = x**exponent
    parts = torch.cat([part**exponent for part in x.split(100)])
    assert torch.equal(whole.nan_to_num(9), parts.nan_to_num(9))


def test_complex_powers_that_are_roots():
    x = torch.tensor([complex(-math.inf, 0), 0j, complex(-4, 0)])
    assert str((x**0.5)[2].item()) == "2j"
    assert torch.equal((x**-1).nan_to_num(7), x.reciprocal().nan_to_num(7))
    assert torch.equal((x**-0.5).nan_to_num(7), x.rsqrt().nan_to_num(7))


def test_a_number_as_base_gives_rows():
    x = torch.ones(3, 2).T
    for y in (2.0**x, torch.pow(2, x), pow(True, x), torch.float_power(2.0, x), 2j**x):
        assert y.stride() == (3, 1)
    for y in (x**2.0, torch.tensor(2.0) ** x, torch.ldexp(x, x)):
        assert y.stride() == (1, 2)
    x = torch.ones(3, 2, requires_grad=True)
    (2.0**x.T).backward(torch.arange(6.0).reshape(2, 3))
    assert torch.allclose(x.grad, torch.arange(6.0).reshape(2, 3).T * (2 * math.log(2)))


def test_roots_of_what_has_gaps():
    x = torch.tensor([-math.inf, -0.0, 0.0, math.inf, 4.0] * 8000).reshape(-1, 100)[:, :90]
    for exponent in (0.5, -0.5, 2.0, -2.0):
        assert torch.equal((x**exponent).nan_to_num(9), (x.clone() ** exponent).nan_to_num(9))
