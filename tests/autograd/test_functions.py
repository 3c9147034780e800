"""Custom Functions: what they change, hand through and return views of; what their ctx keeps."""

from __future__ import annotations

from typing import Any

import pytest

import rushlight as torch
from rushlight.autograd import Function
from rushlight.autograd import forward_ad as fwAD


def test_a_ctx_that_outlives_its_graph_has_the_saved_tensors() -> None:
    kept = []

    class Id(Function):
        @staticmethod
        def forward(ctx: Any, x: Any) -> Any:
            ctx.save_for_backward(x)
            return x

        @staticmethod
        def backward(ctx: Any, g: Any) -> Any:
            kept.append(ctx)
            return g

    p = torch.zeros(1, requires_grad=True)
    y = Id.apply(p)
    y.backward(retain_graph=True)
    del y
    assert kept[0].saved_tensors[0] is p


def test_a_view_that_a_function_made_without_grad_mode_says_so() -> None:
    class Alias(Function):
        @staticmethod
        def forward(ctx: Any, x: Any) -> Any:
            return x[:]

        @staticmethod
        def backward(ctx: Any, g: Any) -> Any:
            return g

    x = torch.rand(2, requires_grad=True)
    with torch.no_grad():
        y = Alias.apply(x)
    with pytest.raises(RuntimeError, match="A view was created in no_grad mode and is being"):
        y.zero_()
    with pytest.raises(RuntimeError, match="created inside a custom Function"):
        Alias.apply(x.clone()).zero_()


def test_a_changed_view_is_the_only_output() -> None:
    class Add(Function):
        @staticmethod
        def forward(ctx: Any, a: Any, b: Any) -> Any:
            ctx.mark_dirty(a.add_(b))
            return a, a + b

        @staticmethod
        def backward(ctx: Any, ga: Any, gb: Any) -> Any:
            return ga + gb, ga + 2 * gb

    a, b = torch.ones(2, requires_grad=True), torch.ones(2, requires_grad=True)
    c, d = Add.apply(a.clone(), b)
    (c * d).sum().backward()
    assert a.grad.tolist() == [5.0, 5.0]
    with pytest.raises(RuntimeError, match="modifies inplace an input that is a view of another"):
        Add.apply(a.clone().view_as(a), b)


def inplace(changes: bool) -> Any:
    class Double(Function):
        @staticmethod
        def forward(ctx: Any, x: Any) -> Any:
            ctx.mark_dirty(x.mul_(2))
            return x

        @staticmethod
        def backward(ctx: Any, g: Any) -> Any:
            return g * 2

        @staticmethod
        def jvp(ctx: Any, t: Any) -> Any:
            return t.mul_(2) if changes else t * 2

    return Double


def test_jvp_changes_the_tangent_of_what_forward_changes() -> None:
    with fwAD.dual_level():
        t = torch.ones(2)
        x = fwAD.make_dual(torch.ones(2), t)
        y = inplace(True).apply(x)
        assert y is x
        assert fwAD.unpack_dual(y).tangent is t
        assert t.tolist() == [2.0, 2.0]
        x = fwAD.make_dual(torch.ones(2), torch.ones(2))
        with pytest.raises(RuntimeError, match="not modifying the forward mode gradients inplace"):
            inplace(False).apply(x)


@pytest.mark.parametrize(
    ("way", "words"),
    [
        (lambda t: t[:2], None),
        (lambda t: t[:2].clone(), "the jvp is not returning a view"),
        (lambda t: t[:2].clone()[:], "not returning a view of the given grad input"),
    ],
)
def test_jvp_returns_a_view_where_forward_does(way: Any, words: str | None) -> None:
    class Head(Function):
        @staticmethod
        def forward(ctx: Any, x: Any) -> Any:
            return x[:2]

        @staticmethod
        def backward(ctx: Any, g: Any) -> Any:
            return g

        @staticmethod
        def jvp(ctx: Any, t: Any) -> Any:
            return way(t)

    with fwAD.dual_level():
        for x in (torch.ones(4), torch.ones(4, requires_grad=True)):
            t = torch.arange(4.0)
            dual = fwAD.make_dual(x, t)
            if words is None:
                got = fwAD.unpack_dual(Head.apply(dual)).tangent
                assert got._base is t
                assert got.tolist() == [0.0, 1.0]
                continue
            with pytest.raises(RuntimeError, match=words):
                Head.apply(dual)


def test_jvp_sees_what_was_saved_for_forward_alone() -> None:
    seen = []

    class Times(Function):
        @staticmethod
        def forward(ctx: Any, x: Any, y: Any) -> Any:
            ctx.save_for_backward(x, y)
            ctx.save_for_forward(y)
            return x * y

        @staticmethod
        def backward(ctx: Any, g: Any) -> Any:
            x, y = ctx.saved_tensors
            return g * y, g * x

        @staticmethod
        def jvp(ctx: Any, tx: Any, ty: Any) -> Any:
            seen.append(len(ctx.saved_tensors))
            return tx * ctx.saved_tensors[0]

    x, y = torch.tensor(2.0, requires_grad=True), torch.tensor(3.0, requires_grad=True)
    with fwAD.dual_level():
        z = Times.apply(fwAD.make_dual(x, torch.tensor(1.0)), y)
        assert fwAD.unpack_dual(z).tangent.item() == 3.0
        z.backward()
    assert seen == [1]
    assert (x.grad.item(), y.grad.item()) == (3.0, 2.0)


def test_the_class_of_a_functions_nodes_is_an_attribute_of_it() -> None:
    class Twice(torch.autograd.Function):
        @staticmethod
        def forward(ctx: Any, x: Any) -> Any:
            return x * 2

        @staticmethod
        def backward(ctx: Any, g: Any) -> Any:
            return g * 2

    y = Twice.apply(torch.ones(1, requires_grad=True))
    assert type(y.grad_fn) is Twice._backward_cls
    assert Twice._backward_cls._forward_cls is Twice
    assert y.grad_fn.name() == "TwiceBackward"
