"""Special functions as ops: names, types, gradients, in-place forms. Values:
tests/kernels/special/test_reference.py."""

from __future__ import annotations

import math

import numpy as np
import pytest

import rushlight as torch
from rushlight.autograd import gradcheck, gradgradcheck

SAME = {
    "expit": "sigmoid",
    "gammaln": "lgamma",
    "psi": "digamma",
    "gammainc": "igamma",
    "gammaincc": "igammac",
    "exp2": "exp2",
    "expm1": "expm1",
    "log1p": "log1p",
    "erf": "erf",
    "logit": "logit",
}


@pytest.mark.parametrize("name", SAME)
def test_names_in_torch_and_in_special(name):
    x = torch.tensor([0.2, 0.7], dtype=torch.float64)
    args = (x, x + 1) if "inc" in name else (x,)
    ours, theirs = getattr(torch.special, name)(*args), getattr(torch, SAME[name])(*args)
    np.testing.assert_allclose(ours.numpy(), theirs.numpy(), rtol=1e-14)


@pytest.mark.parametrize(
    ("name", "x", "wanted"),
    [
        ("erf", 0.5, 0.5204998778130465),
        ("erfc", 3.0, 2.209049699858544e-05),
        ("erfinv", 0.5, 0.4769362762044699),
        ("lgamma", 4.5, 2.453736570842442),
        ("digamma", 1.0, -0.5772156649015329),
        ("i0", 1.0, 1.2660658777520084),
        ("sinc", 0.5, 2 / math.pi),
        ("special.ndtri", 0.75, 0.6744897501960817),
        ("special.log_ndtr", -10.0, -53.23128515051247),
        ("special.bessel_j0", 1.0, 0.7651976865579666),
        ("special.airy_ai", 1.0, 0.1352924163128814),
        ("special.airy_ai", -4.0, -0.0702655329492895),
        ("special.bessel_y1", 1.0, -0.7812128213002887),
        ("special.erfcx", 10.0, 0.05614099274382259),
    ],
)
def test_known_values(name, x, wanted):
    f = torch
    for part in name.split("."):
        f = getattr(f, part)
    assert f(torch.tensor(x, dtype=torch.float64)).item() == pytest.approx(wanted, rel=2e-15)
    assert f(torch.tensor(x)).item() == pytest.approx(wanted, rel=2e-7)


@pytest.mark.parametrize("dtype", [torch.float16, torch.bfloat16, torch.float32, torch.float64])
def test_types_stay(dtype):
    x = torch.tensor([0.25, 0.5], dtype=dtype)
    for f in (torch.erf, torch.lgamma, torch.special.i1e, lambda t: torch.polygamma(2, t)):
        assert f(x).dtype is dtype


def test_integers_become_floats():
    assert torch.erf(torch.tensor([1, 2])).dtype is torch.float32
    assert torch.xlogy(torch.tensor([0, 2]), torch.tensor([0, 1])).tolist() == [0, 0]


def test_in_place_and_out():
    x = torch.tensor([0.5])
    assert x.erf_() is x
    assert x.item() == pytest.approx(math.erf(0.5))
    out = torch.empty(1)
    assert torch.lgamma(torch.tensor([3.0]), out=out) is out
    assert out.item() == pytest.approx(math.log(2))


UNARY = {
    "erf": (-2, 2),
    "erfc": (-2, 2),
    "erfinv": (-0.8, 0.8),
    "lgamma": (0.5, 4),
    "digamma": (0.5, 4),
    "i0": (-3, 3),
    "sinc": (0.2, 2),
    "logit": (0.2, 0.8),
    "special.entr": (0.2, 3),
    "special.erfcx": (-1, 3),
    "special.ndtr": (-2, 2),
    "special.ndtri": (0.2, 0.8),
    "special.log_ndtr": (-5, 2),
    "special.i0e": (0.2, 3),
    "special.i1": (0.2, 3),
    "special.i1e": (0.2, 3),
    "special.bessel_j0": (0.2, 9),
    "special.bessel_j1": (0.2, 9),
    "special.bessel_y0": (0.5, 9),
    "special.bessel_y1": (0.5, 9),
}


@pytest.mark.parametrize("name", UNARY)
def test_gradients_of_both_orders(name):
    f = torch
    for part in name.split("."):
        f = getattr(f, part)
    x = torch.linspace(*UNARY[name], 5, dtype=torch.float64).requires_grad_()
    assert gradcheck(f, (x,))
    assert gradgradcheck(f, (x,), atol=1e-4)


def test_gradients_with_two_arguments():
    a = torch.tensor([0.5, 2.0], dtype=torch.float64)
    x = torch.tensor([0.7, 1.5], dtype=torch.float64, requires_grad=True)
    for f in (torch.igamma, torch.igammac, torch.special.zeta):
        assert gradcheck(lambda t, f=f: f(a + 1, t), (x,))
    assert gradcheck(torch.xlogy, (a.clone().requires_grad_(), x))
    assert gradcheck(lambda t: torch.polygamma(1, t), (x,))
    assert gradcheck(lambda t: torch.mvlgamma(t + 2, 3), (x,))
    with pytest.raises(RuntimeError, match=r"igamma.*not implemented"):
        torch.igamma(a.clone().requires_grad_(), x).sum().backward()


def test_zero_times_log_zero():
    x = torch.zeros(1, requires_grad=True)
    torch.xlogy(x, torch.zeros(1)).backward()
    assert x.grad.item() == 0


@pytest.mark.parametrize(("name", "other"), [("xlogy", (0.0, -1.0)), ("xlog1py", (-1.0, -3.0))])
def test_a_gradient_of_zero_times_an_infinite_logarithm_is_zero(name, other):
    x = torch.tensor([2.0, 3.0], requires_grad=True)
    getattr(torch.special, name)(x, torch.tensor(other)).backward(torch.zeros(2))
    assert x.grad.tolist() == [0, 0]


def test_the_derivative_of_logit_outside_of_its_range():
    """NaN, or 0 where eps has changed x, both ways."""
    x = torch.tensor([-1.0, 0.5, 2.0, float("nan")])
    for eps, outside in ((None, float("nan")), (0.1, 0.0)):
        leaf = x.clone().requires_grad_()
        (g,) = torch.autograd.grad(torch.logit(leaf, eps).sum(), leaf)
        _, t = torch.func.jvp(lambda x, eps=eps: torch.logit(x, eps), (x,), (torch.ones(4),))
        assert str(g.tolist()) == str(t.tolist()) == str([outside, 4.0, outside, outside])


def test_derivatives_by_logarithms_of_small_integers():
    """They are as exact as the result, whatever NumPy's logarithm of an int8 is."""
    for dtype in (torch.uint8, torch.int8, torch.bool, torch.int64):
        whole = torch.tensor([2, 3, 1]).to(dtype)
        for f in (
            torch.pow,
            lambda a, x: torch.xlogy(x, a),
            lambda a, x: torch.special.xlog1py(x, a),
        ):
            found = []
            for a in (whole, whole.double()):
                x = torch.tensor([0.3, 0.7, 1.2], requires_grad=True)
                f(a, x).sum().backward()
                found.append(x.grad)
            assert torch.allclose(*found, rtol=1e-6)


def test_xlogy_hands_no_gradient_to_a_zero_beside_no_logarithm() -> None:
    """Not even one of NaN: the product is 0 there, whatever stands in it."""
    for f, b in ((torch.xlogy, -2.0), (torch.special.xlog1py, -3.0)):
        x = torch.tensor([0.0, 0.0, 1.0], requires_grad=True)
        f(x, torch.full((3,), b)).backward(torch.tensor([math.nan, 2.0, 0.0]))
        assert x.grad.tolist() == [0.0, 0.0, 0.0]
