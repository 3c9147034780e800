"""Programs from before 0.4: Variable, volatile, retain_variables, Functions that are objects."""

from __future__ import annotations

from typing import Any

import pytest

import rushlight as torch
from rushlight.autograd import Function, Variable


class Linear(Function):
    """The old style: `__init__` takes parameters, forward and backward are methods."""

    def __init__(self, scale: float) -> None:
        super().__init__()
        self.scale = scale

    def forward(self, x: Any, w: Any) -> Any:
        self.save_for_backward(x, w)
        return x * w * self.scale

    def backward(self, g: Any) -> Any:
        x, w = self.saved_tensors
        return g * w * self.scale, g * x * self.scale


def test_function_objects() -> None:
    x = Variable(torch.tensor([1.0, 2.0]), requires_grad=True)
    w = Variable(torch.tensor([3.0, 4.0]), requires_grad=True)
    y = Linear(2.0)(x, w)
    y.sum().backward()
    assert x.grad.tolist() == [6.0, 8.0]
    assert w.grad.tolist() == [2.0, 4.0]
    assert y.grad_fn.name() == "Linear"


def test_function_object_with_several_outputs_and_needs_input_grad() -> None:
    class Both(Function):
        def forward(self, a: Any, b: Any) -> Any:
            self.mark_non_differentiable()
            return a + b, a - b

        def backward(self, g: Any, h: Any) -> Any:
            assert self.needs_input_grad == (True, False)
            return g + h, None

    a = Variable(torch.ones(2), requires_grad=True)
    s, d = Both()(a, Variable(torch.ones(2)))
    (s + 2 * d).sum().backward()
    assert a.grad.tolist() == [3.0, 3.0]


def test_retain_variables() -> None:
    x = Variable(torch.ones(2), requires_grad=True)
    y = (x * x).sum()
    y.backward(retain_variables=True)
    y.backward()
    assert x.grad.tolist() == [4.0, 4.0]
    z = (x * x).sum()
    torch.autograd.backward([z], [None], retain_variables=True)
    z.backward()


def test_creator_and_data() -> None:
    x = Variable(torch.ones(2), requires_grad=True)
    y = x * 2
    assert y.creator is y.grad_fn
    assert x.creator is None
    x.data.fill_(5)
    assert x.tolist() == [5.0, 5.0]
    assert x.data.requires_grad is False


def test_grad_variables_is_deprecated() -> None:
    x = Variable(torch.ones(2), requires_grad=True)
    with pytest.warns(FutureWarning, match="grad_variables"):
        torch.autograd.backward([x * 2], grad_variables=[torch.ones(2)])
    assert x.grad.tolist() == [2.0, 2.0]


@pytest.fixture
def volatile() -> Any:
    with pytest.warns(UserWarning, match="volatile was removed"):
        return Variable(torch.ones(2), volatile=True)


def test_volatile_spreads_and_wins(volatile: Any) -> None:
    w = Variable(torch.ones(2), requires_grad=True)
    y = volatile * w
    z = (y + w).sum()
    assert not y.requires_grad
    assert not z.requires_grad
    assert (y.volatile, z.volatile, w.volatile) == (True, True, False)
    assert (w * 2).requires_grad
    with pytest.raises(RuntimeError, match="the history ended with volatile"):
        z.backward()


def test_volatile_through_a_module(volatile: Any) -> None:
    net = torch.nn.Linear(2, 1)
    assert not net(volatile).requires_grad
    assert net(torch.ones(2)).requires_grad


def test_volatile_ends_with_its_tensors(volatile: Any) -> None:
    y = volatile * 2
    assert not y.requires_grad
    y.volatile = False
    assert not y.volatile
    y.requires_grad_()
    assert (y * 2).requires_grad


def test_volatile_and_requires_grad_exclude_each_other() -> None:
    with pytest.raises(RuntimeError, match="can't be volatile and require_grad at the same time"):
        Variable(torch.ones(1), requires_grad=True, volatile=True)


def test_mark_shared_storage_warns() -> None:
    class Old(Function):
        def forward(self, x: Any) -> Any:
            self.mark_shared_storage((x, x))
            return x * 2

        def backward(self, g: Any) -> Any:
            return g * 2

    with pytest.warns(FutureWarning, match="mark_shared_storage"):
        Old()(Variable(torch.ones(1), requires_grad=True)).backward()


def test_in_place_function() -> None:
    from rushlight.autograd.function import InplaceFunction

    class Twice(InplaceFunction):
        @staticmethod
        def forward(ctx: Any, x: Any, inplace: bool) -> Any:
            if inplace:
                ctx.mark_dirty(x)
                return x.mul_(2)
            return x * 2

        @staticmethod
        def backward(ctx: Any, g: Any) -> Any:
            return g * 2, None

    for inplace in (False, True):
        x = torch.ones(2, requires_grad=True)
        Twice.apply(x * 1, inplace).sum().backward()
        assert x.grad.tolist() == [2.0, 2.0]
