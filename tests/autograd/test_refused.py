"""Errors of calls that PyTorch refuses as well, by their words."""

from __future__ import annotations

from typing import Any

import pytest

import rushlight as torch
import rushlight.autograd.forward_ad as fw
from rushlight.autograd import graph
from rushlight.autograd.functional import hessian, hvp, vhp

X = torch.ones(2, requires_grad=True)


class Both(torch.autograd.Function):
    @staticmethod
    def forward(ctx: Any, x: Any) -> Any:
        return x * 2

    @staticmethod
    def backward(ctx: Any, g: Any) -> Any:
        return g * 2

    @staticmethod
    def vjp(ctx: Any, g: Any) -> Any:
        return g * 2


def edge_not_reached() -> Any:
    y = torch.ones(2, requires_grad=True) * 1
    edge = graph.get_gradient_edge(y)
    return torch.autograd.grad((X * 1).sum(), edge, allow_unused=True, materialize_grads=True)


def data_of_integers() -> None:
    torch.ones(2, requires_grad=True).data = torch.ones(2, dtype=torch.int64)


def data_of_another_layout() -> None:
    torch.ones(2).data = torch.ones(2).to_sparse()


def hooks_disabled_within() -> None:
    with (
        graph.saved_tensors_hooks(lambda t: t, lambda t: t),
        graph.disable_saved_tensors_hooks("not here"),
    ):
        raise AssertionError("entered")


def twice() -> None:
    y = (X * X).sum()
    y.backward()
    y.backward()


def linear(x: Any) -> Any:
    return (x * 2).sum()


V = torch.ones(2)
REFUSED = {
    "no inputs": (lambda: torch.autograd.grad(X.sum(), []), "cannot be empty"),
    "edge": (edge_not_reached, "materialize_grads cannot be used when the given input is a"),
    "batch": (
        lambda: torch.autograd.grad(X * 1, X, torch.ones(2), is_grads_batched=True),
        "If `is_grads_batched=True`, we interpret the first",
    ),
    "integers": (data_of_integers, "must be floating point or complex dtype"),
    "layout": (data_of_another_layout, "incompatible tensor type"),
    "both": (lambda: Both.apply(X), "Implementing both 'backward' and 'vjp'"),
    "hooks": (hooks_disabled_within, "not here"),
    "backward twice": (twice, "Specify retain_graph=True"),
    "vhp": (lambda: vhp(linear, V, V, strict=True), "with respect to input 0 is"),
    "hvp": (lambda: hvp(linear, V, V, strict=True), "with respect to input 0 is"),
    "hessian": (
        lambda: hessian(lambda x: (x**3).sum(), V, strict=True, vectorize=True),
        "not supported together",
    ),
}


@pytest.mark.parametrize("name", REFUSED)
def test_refused(name: str) -> None:
    call, words = REFUSED[name]
    with pytest.raises(RuntimeError, match=words):
        call()


def test_forward_mode_refuses_what_would_lose_a_tangent() -> None:
    with fw.dual_level():
        dual = fw.make_dual(torch.ones(2), torch.zeros(2))
        with pytest.raises(RuntimeError, match="it is an out= function"):
            torch.add(torch.ones(2), 1, out=dual)
        with pytest.raises(RuntimeError, match="that has a different size"):
            fw.make_dual(torch.ones(2), torch.ones(3))
        with pytest.raises(RuntimeError, match="already has a forward gradient at the same level"):
            fw.make_dual(torch.ones(2), dual)
        assert repr(dual) == "tensor([1., 1.], tangent=tensor([0., 0.]))"


def test_functions_of_forward_mode_alone_are_checked() -> None:
    class Only(torch.autograd.Function):
        @staticmethod
        def forward(ctx: Any, x: Any) -> Any:
            return x * 2

        @staticmethod
        def jvp(ctx: Any, t: Any) -> Any:
            return t * 2

    x = torch.ones(2, dtype=torch.float64, requires_grad=True)
    ways = {"check_forward_ad": True, "check_backward_ad": False}
    assert torch.autograd.gradcheck(Only.apply, (x,), **ways)


def test_outputs_that_are_no_tensors_have_no_gradient() -> None:
    seen = []

    class Mixed(torch.autograd.Function):
        @staticmethod
        def forward(ctx: Any, x: Any, k: int) -> Any:
            free = x.clone()
            ctx.mark_non_differentiable(free)
            ctx._materialize_non_diff_grads = False
            return k, x * 2, free

        @staticmethod
        def backward(ctx: Any, *grads: Any) -> Any:
            seen.extend(g is None for g in grads)
            return grads[1] * 2, None

    Mixed.apply(X, 3)[1].sum().backward()
    assert seen == [True, False, True]


def test_setup_context_gets_the_defaults_of_forward() -> None:
    class Times(torch.autograd.Function):
        @staticmethod
        def forward(x: Any, k: float = 3.0) -> Any:
            return x * k

        @staticmethod
        def setup_context(ctx: Any, inputs: Any, output: Any) -> None:
            _, ctx.k = inputs

        @staticmethod
        def backward(ctx: Any, g: Any) -> Any:
            return g * ctx.k, None

    x = torch.ones(2, requires_grad=True)
    Times.apply(x).sum().backward()
    assert x.grad.tolist() == [3.0, 3.0]
