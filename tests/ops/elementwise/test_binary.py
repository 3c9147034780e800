"""Functions of two numbers: exponents, the next number, results in given tensors."""

from __future__ import annotations

import math

import pytest

import rushlight as torch


def test_truths_are_no_exponents_of_floats():
    truths = torch.tensor([True, False])
    for call in (lambda: torch.ldexp(torch.ones(2), truths), lambda: torch.ones(2).ldexp_(truths)):
        with pytest.raises(NotImplementedError, match="ldexp_cpu_exp"):
            call()
    assert torch.ldexp(torch.ones(2, dtype=torch.int64), truths).tolist() == [2, 1]


@pytest.mark.parametrize("dtype", [torch.float16, torch.bfloat16, torch.float32, torch.float64])
def test_the_next_number_is_one_of_the_type(dtype):
    step = torch.finfo(dtype).eps
    for n in (1, 100_000):
        x = torch.ones(n, dtype=dtype, requires_grad=True)
        y = torch.nextafter(x, 2 * x)
        assert y.dtype is dtype
        assert y[0].item() == 1 + step
        y.sum().backward()
        assert x.grad[0] == 1
        assert torch.equal(x.detach().clone().nextafter_(2 * x.detach()), y)
    smallest = torch.nextafter(torch.zeros(1, dtype=dtype), torch.ones(1, dtype=dtype))
    assert smallest.item() == torch.finfo(dtype).smallest_normal * step


def test_ldexps_derivative_is_as_exact_as_its_exponents() -> None:
    # the logarithm of 2 came in float32
    other = torch.tensor([1.5, -0.5], dtype=torch.float64, requires_grad=True)
    torch.ldexp(torch.ones(2, dtype=torch.float64), other).sum().backward()
    want = [math.log(2) * 2**1.5, math.log(2) * 2**-0.5]
    assert other.grad.tolist() == pytest.approx(want, rel=1e-14)


def test_ldexp_may_write_over_its_exponents() -> None:
    x, e = torch.ones(2, 3), torch.ones(3)
    with pytest.warns(UserWarning, match="was resized"):
        y = torch.ldexp(x, e, out=e)
    assert y is e
    assert e.tolist() == [[2, 2, 2]] * 2
    scaled = torch.ones(3)
    with pytest.raises(RuntimeError, match="doesn't match the broadcast shape"):
        torch.ldexp(scaled, x, out=scaled)
