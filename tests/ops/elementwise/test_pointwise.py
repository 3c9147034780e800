"""where, lerp and other pointwise functions: types, NaN, layouts and errors."""

from __future__ import annotations

import math

import numpy as np
import pytest

import rushlight as torch


def test_where():
    c = torch.tensor([True, False])
    assert torch.where(c, 1.5, 0).dtype is torch.float32
    assert torch.where(c, torch.tensor([1, 2]), 0.5).dtype is torch.float32
    assert torch.ones(2).where(c, torch.tensor(7.0)).tolist() == [1.0, 7.0]
    with pytest.raises(RuntimeError, match="expected condition to be a boolean tensor"):
        torch.where(torch.ones(2), 1.0, 0.0)


def test_no_gradient_comes_from_the_side_not_chosen():
    x = torch.tensor([0.0, 4.0], requires_grad=True)
    torch.where(x > 0, x.sqrt(), torch.zeros(2)).sum().backward()
    assert x.grad[1].item() == 0.25


def test_mixtures():
    a, b = torch.zeros(2), torch.full((2,), 4.0)
    assert torch.lerp(a, b, 0.25).tolist() == [1.0, 1.0]
    assert torch.addcmul(a, b, b, value=0.5).tolist() == [8.0, 8.0]
    assert torch.addcdiv(a, b, b + 4, value=2).tolist() == [1.0, 1.0]
    with pytest.raises(RuntimeError, match="expected dtype"):
        torch.lerp(a, b.double(), 0.5)
    with pytest.raises(RuntimeError, match="Integer division with addcdiv"):
        torch.addcdiv(torch.tensor([1]), torch.tensor([1]), torch.tensor([2]))


def test_special_values():
    x = torch.tensor([math.nan, math.inf, -math.inf, 1.0])
    top = torch.finfo(torch.float32).max
    assert x.nan_to_num().tolist() == [0.0, top, -top, 1.0]
    assert x.nan_to_num(1, posinf=2, neginf=3).tolist() == [1.0, 2.0, 3.0, 1.0]
    assert x.sign().tolist() == [0.0, 1.0, -1.0, 1.0]
    assert torch.logaddexp(x[2], x[2]).item() == -math.inf
    assert torch.heaviside(torch.tensor([-1.0, 0.0, 2.0]), torch.tensor(0.5)).tolist() == [
        0.0,
        0.5,
        1.0,
    ]
    assert torch.hypot(torch.tensor(3e30), torch.tensor(4e30)).item() == pytest.approx(5e30)


def test_integers():
    assert torch.gcd(torch.tensor([12, 0]), torch.tensor([18, 5])).tolist() == [6, 5]
    assert torch.lcm(torch.tensor([4]), torch.tensor([6])).tolist() == [12]
    assert (torch.tensor([6]) & 3).item() == 2
    assert (True ^ torch.tensor([True])).item() is False
    with pytest.raises(NotImplementedError, match=r"bitwise_and_cpu.*Float"):
        torch.tensor([1.0]) & 1
    with pytest.raises(RuntimeError, match="negative integer powers"):
        torch.tensor([2]) ** -1
    assert (2 ** torch.tensor([1.0, 3.0])).tolist() == [2.0, 8.0]
    assert torch.float_power(torch.tensor([2]), -1).item() == 0.5


def test_bools_are_not_subtracted():
    t = torch.tensor([True])
    with pytest.raises(RuntimeError, match="two bool tensors"):
        t - t
    with pytest.raises(RuntimeError, match="with a bool tensor"):
        torch.tensor([1.0]) - t
    with pytest.raises(RuntimeError, match="with a bool tensor"):
        1 - t


def test_closeness():
    a = torch.tensor([1.0, math.nan])
    assert torch.isclose(a, a).tolist() == [True, False]
    assert torch.allclose(a, a, equal_nan=True)
    assert torch.equal(torch.tensor([1]), torch.tensor([1]))
    assert not torch.equal(torch.ones(2), torch.ones(3))
    assert torch.isin(torch.tensor([1, 2, 3]), torch.tensor([2, 3])).tolist() == [False, True, True]
    with pytest.raises(RuntimeError, match="did not match"):
        torch.allclose(a, a.double())


def test_questions():
    assert torch.is_floating_point(torch.ones(1))
    assert not torch.is_complex(torch.ones(1))
    assert torch.numel(torch.ones(2, 3)) == 6
    assert torch.is_nonzero(torch.tensor([2]))
    assert torch.result_type(torch.tensor([1]), 1.0) is torch.float32
    with pytest.raises(RuntimeError, match="no values is ambiguous"):
        torch.is_nonzero(torch.ones(0))


def test_frexp_takes_numbers_apart():
    mantissa, exponent = torch.frexp(torch.tensor([8.0, -0.75]))
    assert (mantissa.tolist(), exponent.tolist()) == ([0.5, -0.75], [4, 0])
    assert torch.ldexp(mantissa, exponent).tolist() == [8.0, -0.75]


def test_only_tensors_where_pytorch_wants_tensors():
    with pytest.raises(TypeError, match="must be Tensor, not int"):
        torch.maximum(torch.ones(2), 1)
    with pytest.raises(TypeError, match="must be Tensor, not float"):
        torch.gt(1.0, torch.ones(2))


def test_each_element_by_a_python_function():
    x = torch.tensor([1.0, 2.0])
    assert x.apply_(lambda v: v * 10) is x
    assert x.tolist() == [10.0, 20.0]
    assert x.map_(torch.tensor([1.0, 2.0]), lambda a, b: a + b).tolist() == [11.0, 22.0]
    with pytest.raises(RuntimeError, match="requires grad"):
        x.requires_grad_().apply_(abs)


def test_floors_of_quotients_lie_as_their_operands():
    x = torch.ones(4, 3).t()
    y = torch.floor_divide(x, torch.zeros(1, 4).expand(3, 4))
    assert y.stride() == (1, 3)
    assert y.isinf().all()
    assert torch._conj_physical(torch.ones(1, 3).expand(2, 3)).stride() == (3, 1)


@pytest.mark.parametrize("name", ["add", "sub"])
def test_an_alpha_that_is_a_bool_is_for_bools(name):
    x = torch.tensor([1, 2])
    for call in (lambda: getattr(torch, name)(x, x, alpha=True), lambda: x.add_(1, alpha=True)):
        with pytest.raises(RuntimeError, match="Boolean alpha only supported for Boolean results"):
            call()
    assert torch.add(x > 1, x > 1, alpha=True).tolist() == [False, True]


def test_zeros_for_a_gradient_of_any_kind() -> None:
    """Products of arrays without dimensions are NumPy scalars."""
    from rushlight.ops.elementwise.arithmetic import nothing

    assert nothing(np.float64("inf")) == 0
    assert nothing(np.array([np.inf], np.float32)).dtype == np.float32
    assert torch.equal(nothing(torch.tensor(float("inf"))), torch.tensor(0.0))


def test_quotients_of_whole_numbers_are_not_added():
    x, n = torch.ones(2), torch.ones(2, dtype=torch.int64)
    with pytest.raises(RuntimeError, match="Integer division with addcdiv"):
        torch.addcdiv(x, n, n)
    assert torch.addcdiv(x, n, x).tolist() == [2, 2]


def test_none_is_no_operand() -> None:
    x = torch.ones(2)
    for name in ("eq", "lt", "add", "mul", "maximum", "logical_and", "atan2", "bitwise_and", "pow"):
        with pytest.raises((TypeError, NotImplementedError), match="must be Tensor, not NoneType"):
            getattr(x, name)(None)
        with pytest.raises(TypeError, match="must be Tensor, not NoneType"):
            getattr(torch, name)(x, None)
    assert (x == None) is False  # noqa: E711
    assert (x != None) is True  # noqa: E711


def test_methods_take_no_out() -> None:
    x = torch.ones(2)
    for call in (
        lambda: x.add(x, out=x), lambda: x.exp(out=x), lambda: x.max(x, out=x),
        lambda: x.nanmean(out=x), lambda: x.sum(0, out=x), lambda: x.mm(x, out=x),
    ):  # fmt: skip
        with pytest.raises(TypeError, match="out"):
            call()


@pytest.mark.parametrize("dtype", [torch.float32, torch.float64, torch.bfloat16])
def test_nan_to_num_of_many_numbers_and_of_few(dtype):
    some = [math.nan, math.inf, -math.inf, -0.0, 2.5]
    for wanted, how in (
        ([7.0, 2.0, 3.0, -0.0, 2.5], {"nan": 7, "posinf": 2, "neginf": 3}),
        ([math.inf, math.nan, 3.0, -0.0, 2.5], {"nan": math.inf, "posinf": math.nan, "neginf": 3}),
    ):
        for times in (1, 4000):
            x = torch.tensor(some * times, dtype=dtype)
            found, right = x.nan_to_num(**how), torch.tensor(wanted * times, dtype=dtype)
            assert torch.equal(found.isnan(), right.isnan())
            found, right = (y.masked_fill(y.isnan(), 1.0) for y in (found, right))
            assert torch.equal(found, right)
            assert torch.equal(found.signbit(), right.signbit())
    finite = torch.ones(3, dtype=dtype)
    assert finite.nan_to_num() is not finite
    assert finite.nan_to_num().data_ptr() != finite.data_ptr()
