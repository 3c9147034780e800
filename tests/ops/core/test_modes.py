"""Modes: what sees all public calls of a block, and what sees all operations of one."""

from __future__ import annotations

import threading
from typing import Any

import pytest
from rushlight.overrides import (
    TorchFunctionMode,
    _get_current_function_mode,
    _get_current_function_mode_stack,
)

import rushlight as torch
from rushlight.utils._python_dispatch import (
    TorchDispatchMode,
    _disable_current_modes,
    _get_current_dispatch_mode,
)


class Calls(TorchFunctionMode):
    """Writes down the names of functions."""

    def __init__(self):
        self.seen = []

    def __torch_function__(self, func, types, args=(), kwargs=None):
        self.seen.append(func.__name__)
        return func(*args, **(kwargs or {}))


class Operations(TorchDispatchMode):
    """Writes down operators."""

    def __init__(self):
        self.seen = []

    def __torch_dispatch__(self, func, types, args=(), kwargs=None):
        self.seen.append(str(func).removeprefix("aten."))
        return func(*args, **(kwargs or {}))


def iadd(x):
    x += 1


# (what is done, the functions that are called, the operators that are carried out)
TABLE = [
    (lambda x: x + 1, ["add"], ["add.Tensor"]),
    (lambda x: x > 1, ["gt"], ["gt.Scalar"]),
    (lambda x: x.add_(1), ["add_"], ["add_.Tensor"]),
    (iadd, ["add_"], ["add_.Tensor"]),
    (lambda x: x.relu_(), ["relu_"], ["relu_.default"]),
    (lambda x: x.zero_(), ["zero_"], ["zero_.default"]),
    (lambda x: x.fill_(2), ["fill_"], ["fill_.Scalar"]),
    (lambda x: x.copy_(x), ["copy_"], ["copy_.default"]),
    (lambda x: x.clamp_(0, 1), ["clamp_"], ["clamp_.default"]),
    (lambda x: x.uniform_(), ["uniform_"], ["uniform_.default"]),
    (lambda x: x.unsqueeze_(0), ["unsqueeze_"], ["unsqueeze_.default"]),
    (lambda x: x.view(-1).mul_(2), ["view", "mul_"], ["view.default", "mul_.Tensor"]),
    (lambda x: torch.zeros(2), ["zeros"], ["zeros.default"]),
    (lambda x: torch.randn(2), ["randn"], ["randn.default"]),
    (lambda x: torch.ones_like(x), ["ones_like"], ["ones_like.default"]),
    (lambda x: torch.mm(x, x.t()), ["t", "mm"], ["t.default", "mm.default"]),
    (lambda x: x.sum().item(), ["sum", "item"], ["sum.default"]),
    (lambda x: x.softmax(-1), ["softmax"], ["_softmax.default"]),
    (lambda x: x.sort(), ["sort"], ["sort.default"]),
    (lambda x: x.max(0), ["max"], ["max.dim"]),
    (lambda x: torch.cat([x, x]), ["cat"], ["cat.default"]),
    (lambda x: len(x), ["__len__"], []),
    (lambda x: x.dim(), ["dim"], []),
    (lambda x: x.requires_grad_(), ["requires_grad_"], []),
]


@pytest.mark.parametrize("row", range(len(TABLE)))
def test_what_modes_see(row: int) -> None:
    do, functions, operators = TABLE[row]
    methods = dict(vars(torch.Tensor))
    with Calls() as calls:
        do(torch.ones(2, 3))
    with Operations() as operations:
        do(torch.ones(2, 3))
    assert calls.seen == ["ones", *functions]
    assert operations.seen == ["ones.default", *operators]
    # Nothing stays behind.
    assert dict(vars(torch.Tensor)) == methods
    before = list(calls.seen)
    do(torch.ones(2, 3))
    assert calls.seen == before


def test_a_mode_may_answer_itself() -> None:
    class Twice(TorchFunctionMode):
        def __torch_function__(self, func, types, args=(), kwargs=None):
            if func is torch.Tensor.add_:
                args = (args[0], 2 * args[1])
            return func(*args, **(kwargs or {}))

    class Ones(TorchDispatchMode):
        def __torch_dispatch__(self, func, types, args=(), kwargs=None):
            if func is torch.ops.aten.zeros.default:
                return torch.ones(*args, **(kwargs or {}))
            return func(*args, **(kwargs or {}))

    x = torch.zeros(2)
    with Twice():
        x.add_(1)
    assert x.tolist() == [2, 2]
    with Ones():
        assert torch.zeros(2).tolist() == [1, 1]


def test_the_innermost_is_asked_first_and_functions_before_operators() -> None:
    order = []

    class Named(TorchFunctionMode):
        def __init__(self, name):
            self.name = name

        def __torch_function__(self, func, types, args=(), kwargs=None):
            order.append(self.name)
            return func(*args, **(kwargs or {}))

    class Below(TorchDispatchMode):
        def __torch_dispatch__(self, func, types, args=(), kwargs=None):
            order.append("operators")
            torch.zeros(1).add_(1)  # it is not asked about what it does itself
            return func(*args, **(kwargs or {}))

    x = torch.ones(2)
    outer, inner = Named("outer"), Named("inner")
    with outer, inner, Below() as below:
        x.add_(1)
        assert _get_current_function_mode() is inner
        assert _get_current_function_mode_stack() == [outer, inner]
        assert _get_current_dispatch_mode() is below
        with _disable_current_modes():
            x.add_(1)
    assert order == ["inner", "outer", "operators"]
    assert _get_current_dispatch_mode() is None


def test_other_threads_and_errors() -> None:
    x = torch.ones(2)
    with Calls() as calls:
        thread = threading.Thread(target=lambda: x.add_(1))
        thread.start()
        thread.join()
    assert calls.seen == []

    class Fails(TorchFunctionMode):
        def __torch_function__(self, func, types, args=(), kwargs=None):
            raise KeyError(func.__name__)

    with pytest.raises(KeyError, match="add_"), Fails():
        x.add_(1)
    x.add_(1)
    assert x.tolist() == [3, 3]


def test_gradients_go_on_through_a_mode() -> None:
    x = torch.ones(2, requires_grad=True)
    with Operations(), Calls():
        y = x * 3
        y.mul_(2)
    y.sum().backward()
    assert x.grad is not None
    assert x.grad.tolist() == [6, 6]


def test_what_libraries_ask_of_overrides() -> None:
    class Own:
        @classmethod
        def __torch_function__(cls, func, types, args=(), kwargs=None):
            return func.__name__

    own: Any = Own()
    overrides = torch.overrides
    assert overrides.has_torch_function((torch.ones(1), own))
    assert not overrides.has_torch_function((torch.ones(1), 1))
    assert overrides.is_tensor_like(own)
    assert not overrides.is_tensor_like([1])
    assert torch.add(torch.ones(1), own) == "add"

    def mine(x):
        if overrides.has_torch_function((x,)):
            return overrides.handle_torch_function(mine, (x,), x)
        return "plain"

    assert (mine(own), mine(torch.ones(1))) == ("mine", "plain")
    assert torch.zeros in overrides.get_ignored_functions()
    assert torch.add in overrides.get_overridable_functions()[torch]
    assert overrides.get_testing_overrides()[torch.add](1, 2) == -1
    assert overrides.is_tensor_method_or_property(torch.Tensor.add)


def test_names_of_functions() -> None:
    """As PyTorch 2.13 tells them."""
    from rushlight import overrides

    functions = (torch.add, torch.Tensor.add, torch.Tensor.add_, torch.Tensor.__add__,
                 torch.nn.functional.relu, torch.linalg.eigh, torch.zeros)  # fmt: skip
    assert [overrides.resolve_name(f) for f in functions] == [
        "torch.add", "torch.Tensor.add", "torch.Tensor.add_", "torch.Tensor.__add__",
        "torch.nn.functional.relu", "torch.linalg.eigh", "torch.zeros",
    ]  # fmt: skip
    assert overrides.resolve_name(len) is None


def test_modes_stand_below_the_tape() -> None:
    class Answers(TorchDispatchMode):
        def __torch_dispatch__(self, func, types, args=(), kwargs=None):
            told.append((str(func), torch.is_grad_enabled(), args[0].requires_grad))
            if func is torch.ops.aten.exp.default:
                return torch.zeros(2)  # what it gives has the history of the call
            return func(*args, **(kwargs or {}))

    told: list[Any] = []
    x = torch.ones(2, requires_grad=True)
    with Answers():
        y = x.exp()
        z = (y * 3).view(2, 1)
        z.mul_(2)
    assert type(y.grad_fn).__name__ == "ExpBackward0"
    assert told[0] == ("aten.exp.default", False, True)
    assert [name for name, *_ in told[1:4]] == [
        "aten.mul.Tensor",
        "aten.view.default",
        "aten.mul_.Tensor",
    ]
    assert z._version == 1
    z.sum().backward()
    assert x.grad is not None
    assert x.grad.tolist() == [0, 0]  # exp's rule multiplies with its result


def test_modes_are_told_of_backward() -> None:
    x = torch.ones(2, requires_grad=True)
    y = x.sin().sum()
    with Operations() as seen:
        y.backward()
    assert "cos.default" in seen.seen
    assert x.grad is not None
    assert x.grad.tolist() == torch.ones(2).cos().tolist()


def test_what_watches_otherwise_stands_above() -> None:
    x = torch.ones(2)
    with Operations() as seen, torch.autocast("cpu", torch.bfloat16):
        y = torch.mm(x[None], x[:, None])
    assert y.dtype == torch.bfloat16
    assert "_to_copy.default" in seen.seen
    with torch.autograd.forward_ad.dual_level(), Operations() as seen:
        dual = torch.autograd.forward_ad.make_dual(x, x).sin()
    assert "cos.default" in seen.seen  # the tangent's steps are operations as well
    assert dual.shape == (2,)


def test_factories_are_told_as_the_objects_that_they_are() -> None:
    """Tables of functions are made before a mode is entered, and compared with while it stands."""
    kept = {torch.empty, torch.rand, torch.zeros, torch.arange}
    told: list[str] = []

    class Narrow(TorchFunctionMode):
        def __torch_function__(
            self, func: Any, types: Any, args: Any = (), kwargs: Any = None
        ) -> Any:
            kwargs = dict(kwargs or {})
            if func in kept:
                assert func is getattr(torch, func.__name__)
                told.append(func.__name__)
                kwargs["dtype"] = torch.float64
            return func(*args, **kwargs)

    with Narrow():
        made = [torch.empty(1), torch.rand(1), torch.zeros(1), torch.ones(1)]
        layer = torch.nn.Linear(2, 2)  # its parameters are made by torch.empty, as in PyTorch
        with Narrow():
            torch.arange(2)
    assert [x.dtype for x in made] == [*[torch.float64] * 3, torch.float32]
    assert layer.weight.dtype is torch.float64
    assert told == ["empty", "rand", "zeros", "empty", "empty", "arange", "arange"]
    assert torch.empty(1).dtype is torch.float32


def test_a_mode_that_leaves_a_factory_alone() -> None:
    class Declines(TorchFunctionMode):
        def __torch_function__(
            self, func: Any, types: Any, args: Any = (), kwargs: Any = None
        ) -> Any:
            return NotImplemented

    with Declines():
        assert torch.ones(2).tolist() == [1.0, 1.0]
