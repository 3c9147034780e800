"""autograd.Function: programs compared with PyTorch."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

programs: list[Any] = []


def program(fn: Callable[[Any], Any]) -> Callable[[Any], Any]:
    programs.append(pytest.param(fn, id=fn.__name__))
    return fn


@pytest.mark.parametrize("fn", programs)
def test_program(fn: Callable[[Any], Any], both: Callable[..., Any]) -> None:
    both(fn)


def caught(fn: Callable[[], Any]) -> Any:
    try:
        return fn()
    except Exception as error:
        return error


def leaf(torch: Any, *values: float) -> Any:
    return torch.tensor(values, requires_grad=True)


def make(torch: Any, forward: Any, backward: Any = None, **others: Any) -> Any:
    """A Function class from plain functions."""
    body = {"forward": staticmethod(forward)}
    if backward is not None:
        body["backward"] = staticmethod(backward)
    body.update({k: staticmethod(v) for k, v in others.items()})
    return type("Mine", (torch.autograd.Function,), body)


@program
def basic(torch):
    def forward(ctx, x, k):
        ctx.save_for_backward(x)
        ctx.k = k
        return x * x * k

    def backward(ctx, g):
        (x,) = ctx.saved_tensors
        return 2 * x * g * ctx.k, None

    x = leaf(torch, 1.0, 2.0)
    y = make(torch, forward, backward).apply(x, 3)
    y.sum().backward()
    return y, x.grad, y.grad_fn.name(), type(y.grad_fn).__name__, y.is_leaf


@program
def setup_context(torch):
    def forward(x, k):
        return x * x * k

    def setup(ctx, inputs, output):
        x, k = inputs
        ctx.save_for_backward(x, output)
        ctx.k = k

    def backward(ctx, g):
        x, y = ctx.saved_tensors
        return 2 * x * g * ctx.k + 0 * y, None

    x = leaf(torch, 1.0, 2.0)
    y = make(torch, forward, backward, setup_context=setup).apply(x, 3)
    y.sum().backward()
    return y, x.grad


@program
def several_outputs(torch):
    def forward(ctx, x, w):
        ctx.save_for_backward(x, w)
        return x * w, x + w, x - w

    def backward(ctx, a, b, c):
        x, w = ctx.saved_tensors
        return a * w + b + c, a * x + b - c

    x, w = leaf(torch, 1.0, 2.0), leaf(torch, 3.0, 4.0)
    a, b, c = make(torch, forward, backward).apply(x, w)
    (a * 2 + c).sum().backward()
    return a, b, c, x.grad, w.grad, a.output_nr, c.output_nr


@program
def materialize_grads(torch):
    seen = []

    def forward(ctx, x, on):
        ctx.set_materialize_grads(on)
        return x * 2, x * 3

    def backward(ctx, a, b):
        seen.append((a, b))
        return (a * 2 if a is not None else 0) + (b * 3 if b is not None else 0), None

    mine = make(torch, forward, backward)
    out = []
    for on in (True, False):
        x = leaf(torch, 1.0, 2.0)
        mine.apply(x, on)[1].sum().backward()
        out.append(x.grad)
    return out, seen


@program
def needs_input_grad(torch):
    seen = []

    def forward(ctx, x, w, k):
        seen.append(ctx.needs_input_grad)
        return x * w

    def backward(ctx, g):
        seen.append(ctx.needs_input_grad)
        return g, None, None

    x = leaf(torch, 1.0)
    make(torch, forward, backward).apply(x, torch.ones(1), 5).backward()
    make(torch, forward, backward).apply(torch.ones(1), torch.ones(1), 5)
    with torch.no_grad():
        make(torch, forward, backward).apply(x, torch.ones(1), 5)
    return seen


@program
def non_differentiable_output(torch):
    def forward(ctx, x):
        s, i = x.sort()
        ctx.mark_non_differentiable(i)
        ctx.save_for_backward(i)
        return s, i

    def backward(ctx, g, gi):
        (i,) = ctx.saved_tensors
        return torch.zeros_like(g).scatter(0, i, g)

    x = leaf(torch, 3.0, 1.0, 2.0)
    s, i = make(torch, forward, backward).apply(x)
    (s * torch.tensor([1.0, 10.0, 100.0])).sum().backward()
    return s, i, i.requires_grad, x.grad


@program
def float_output_marked_non_differentiable(torch):
    def forward(ctx, x):
        a, b = x * 2, x * 3
        ctx.mark_non_differentiable(b)
        return a, b

    x = leaf(torch, 3.0, 1.0)
    a, b = make(torch, forward, lambda ctx, g, h: g * 2).apply(x)
    a.sum().backward()
    return a.requires_grad, b.requires_grad, x.grad


@program
def integer_output(torch):
    x = leaf(torch, 3.0, 1.0)
    y = make(torch, lambda ctx, t: (t * 2).long(), lambda ctx, g: g).apply(x)
    return y, y.requires_grad


@program
def mark_dirty(torch):
    def forward(ctx, x):
        x.mul_(3)
        ctx.mark_dirty(x)
        return x

    x = leaf(torch, 1.0, 2.0)
    a = x * 1
    y = make(torch, forward, lambda ctx, g: g * 3).apply(a)
    (y * y).sum().backward()
    return y is a, y, a._version, x.grad, a.grad_fn.name()


@program
def mark_dirty_leaf(torch):
    def forward(ctx, x):
        x.mul_(3)
        ctx.mark_dirty(x)
        return x

    make(torch, forward, lambda ctx, g: g).apply(leaf(torch, 1.0))


@program
def mark_dirty_view(torch):
    def forward(ctx, x):
        x.mul_(3)
        ctx.mark_dirty(x)
        return x

    x = leaf(torch, 1.0, 2.0, 3.0)
    a = x * 1
    y = make(torch, forward, lambda ctx, g: g * 3).apply(a[:2])
    (a * a).sum().backward()
    return a, y, x.grad


@program
def mark_dirty_not_returned(torch):
    def forward(ctx, x):
        x.mul_(3)
        ctx.mark_dirty(x)
        return x * 1

    make(torch, forward, lambda ctx, g: g).apply(leaf(torch, 1.0) * 1)


@program
def mark_dirty_with_saved_output(torch):
    def forward(ctx, x):
        x.exp_()
        ctx.mark_dirty(x)
        ctx.save_for_backward(x)
        return x

    def backward(ctx, g):
        (y,) = ctx.saved_tensors
        return g * y

    x = leaf(torch, 1.0, 2.0)
    y = make(torch, forward, backward).apply(x * 1)
    y.sum().backward()
    return x.grad


@program
def in_place_without_mark(torch):
    def forward(ctx, x):
        with torch.no_grad():
            x.add_(1)
        return x * 2

    x = leaf(torch, 1.0, 2.0)
    a = x * 1
    y = make(torch, forward, lambda ctx, g: g * 2).apply(a)
    y.sum().backward()
    return a, x.grad


@program
def returns_its_input(torch):
    x = leaf(torch, 1.0, 2.0)
    y = make(torch, lambda ctx, t: t, lambda ctx, g: g * 10).apply(x)
    y.sum().backward()
    return y is x, y.is_leaf, x.is_leaf, x.grad, y.grad_fn.name()


@program
def returns_a_view_of_its_input(torch):
    x = leaf(torch, 1.0, 2.0)
    a = x * 1
    y = make(torch, lambda ctx, t: t.view_as(t), lambda ctx, g: -g).apply(a)
    y.sum().backward()
    return x.grad, y._is_view()


@program
def view_from_function_changed_in_place(torch):
    x = leaf(torch, 1.0, 2.0)
    a = x * 1
    y = make(torch, lambda ctx, t: t[:1], lambda ctx, g: torch.cat([g, g * 0])).apply(a)
    y.mul_(2)


@program
def saved_tensor_changed(torch):
    def forward(ctx, x):
        ctx.save_for_backward(x)
        return x * x

    def backward(ctx, g):
        (x,) = ctx.saved_tensors
        return 2 * x * g

    x = leaf(torch, 1.0, 2.0)
    a = x * 1
    y = make(torch, forward, backward).apply(a)
    a.add_(1)
    y.sum().backward()


@program
def saved_output_changed(torch):
    def forward(ctx, x):
        y = x.exp()
        ctx.save_for_backward(y)
        return y

    def backward(ctx, g):
        (y,) = ctx.saved_tensors
        return y * g

    x = leaf(torch, 1.0, 2.0)
    y = make(torch, forward, backward).apply(x)
    y.add_(1)
    y.sum().backward()


@program
def twice_fails(torch):
    def forward(ctx, x):
        ctx.save_for_backward(x)
        return x * x

    def backward(ctx, g):
        (x,) = ctx.saved_tensors
        return 2 * x * g

    x = leaf(torch, 1.0, 2.0)
    y = make(torch, forward, backward).apply(x)
    y.sum().backward(retain_graph=True)
    y.sum().backward()
    return x.grad, caught(lambda: y.sum().backward()), caught(lambda: y.grad_fn.saved_tensors)


@program
def saved_tensors_identity(torch):
    out = []

    def forward(ctx, x, c):
        y = x * c
        ctx.save_for_backward(x, c, y, None)
        return y

    def backward(ctx, g):
        x_, c_, y_, none = ctx.saved_tensors
        out.append(
            (x_ is x, c_ is c, none, x_.requires_grad, y_.requires_grad, y_.grad_fn is not None)
        )
        return g * c_, None

    x, c = leaf(torch, 1.0, 2.0), torch.ones(2)
    make(torch, forward, backward).apply(x, c).sum().backward()
    return out


@program
def save_something_else(torch):
    def forward(ctx, x):
        ctx.save_for_backward(5)
        return x

    make(torch, forward, lambda ctx, g: g).apply(leaf(torch, 1.0))


@program
def double_backward(torch):
    def forward(ctx, x):
        ctx.save_for_backward(x)
        return x**3

    def backward(ctx, g):
        (x,) = ctx.saved_tensors
        return 3 * x * x * g

    x = leaf(torch, 1.0, 2.0)
    y = make(torch, forward, backward).apply(x)
    (g,) = torch.autograd.grad(y.sum(), x, create_graph=True)
    (h,) = torch.autograd.grad(g.sum(), x, create_graph=True)
    return g, h, torch.autograd.grad(h.sum(), x)


@program
def double_backward_through_saved_output(torch):
    def forward(ctx, x):
        y = x.exp()
        ctx.save_for_backward(y)
        return y

    def backward(ctx, g):
        (y,) = ctx.saved_tensors
        return y * g

    x = leaf(torch, 1.0, 2.0)
    y = make(torch, forward, backward).apply(x)
    (g,) = torch.autograd.grad(y.sum(), x, create_graph=True)
    (h,) = torch.autograd.grad(g.sum(), x, create_graph=True)
    return g, h, torch.autograd.grad(h.sum(), x)


@program
def once_differentiable(torch):
    from importlib import import_module

    once = import_module(torch.__name__ + ".autograd.function").once_differentiable

    def forward(ctx, x):
        ctx.save_for_backward(x)
        return x * x

    @once
    def backward(ctx, g):
        (x,) = ctx.saved_tensors
        return 2 * x * g

    x = leaf(torch, 1.0, 2.0)
    y = make(torch, forward, backward).apply(x)
    (g,) = torch.autograd.grad(y.sum(), x, create_graph=True)
    return g, caught(lambda: g.sum().backward())


@program
def too_few_gradients(torch):
    make(torch, lambda ctx, x, w: x * w, lambda ctx, g: g).apply(
        leaf(torch, 1.0), leaf(torch, 2.0)
    ).backward()


@program
def too_many_gradients(torch):
    make(torch, lambda ctx, x: x * 2, lambda ctx, g: (g, g)).apply(leaf(torch, 1.0)).backward()


@program
def too_many_but_none(torch):
    x = leaf(torch, 1.0)
    make(torch, lambda ctx, x: x * 2, lambda ctx, g: (g, None)).apply(x).backward()
    return x.grad


@program
def gradient_for_a_number(torch):
    make(torch, lambda ctx, x, k: x * k, lambda ctx, g: (g, g)).apply(
        leaf(torch, 1.0), 2.0
    ).backward()


@program
def gradient_of_wrong_shape(torch):
    make(torch, lambda ctx, x: x * 2, lambda ctx, g: torch.ones(5)).apply(
        leaf(torch, 1.0, 2.0)
    ).sum().backward()


@program
def gradient_that_broadcasts(torch):
    x = leaf(torch, 1.0, 2.0)
    make(torch, lambda ctx, x: x * 2, lambda ctx, g: g.sum()).apply(x).sum().backward()
    return x.grad


@program
def gradient_larger_than_its_input(torch):
    x = leaf(torch, 1.0, 2.0)
    make(torch, lambda ctx, x: x * 2, lambda ctx, g: g.expand(3, 2)).apply(x).sum().backward()
    return x.grad


@program
def gradient_of_another_type(torch):
    x = leaf(torch, 1.0, 2.0)
    make(torch, lambda ctx, x: x * 2, lambda ctx, g: g.double()).apply(x).sum().backward()
    return x.grad


@program
def gradient_no_tensor(torch):
    make(torch, lambda ctx, x: x * 2, lambda ctx, g: 5.0).apply(leaf(torch, 1.0)).backward()


@program
def gradient_none(torch):
    x = leaf(torch, 1.0)
    make(torch, lambda ctx, x: x * 2, lambda ctx, g: None).apply(x).backward()
    return x.grad


@program
def gradient_for_input_that_needs_none(torch):
    x, c = leaf(torch, 1.0), torch.ones(1)
    make(torch, lambda ctx, x, c: x * c, lambda ctx, g: (g, g)).apply(x, c).backward()
    return x.grad, c.grad


@program
def the_same_gradient_for_both(torch):
    x, w = leaf(torch, 1.0, 2.0), leaf(torch, 3.0, 4.0)
    make(torch, lambda ctx, a, b: a + b, lambda ctx, g: (g, g)).apply(x, w).sum().backward()
    x.grad.mul_(10)
    return x.grad, w.grad


@program
def a_gradient_that_the_function_keeps(torch):
    kept = torch.ones(2)
    x = leaf(torch, 1.0, 2.0)
    y = make(torch, lambda ctx, a: a * 1, lambda ctx, g: kept).apply(x).sum()
    y.backward(retain_graph=True)
    y.backward()
    return x.grad, kept


@program
def no_backward(torch):
    make(torch, lambda ctx, x: x * 2).apply(leaf(torch, 1.0)).backward()


@program
def vjp_instead_of_backward(torch):
    x = leaf(torch, 1.0)
    make(torch, lambda ctx, x: x * 2, vjp=lambda ctx, g: g * 2).apply(x).backward()
    return x.grad


@program
def no_forward(torch):
    class Empty(torch.autograd.Function):
        pass

    Empty.apply(leaf(torch, 1.0))


@program
def call_of_new_style(torch):
    make(torch, lambda ctx, x: x * 2, lambda ctx, g: g)()(leaf(torch, 1.0))


@program
def legacy_apply(torch):
    class Old(torch.autograd.Function):
        def forward(self, x):
            return x * 2

        def backward(self, g):
            return g * 2

    Old.apply(leaf(torch, 1.0))


@program
def outputs_in_a_list_or_not_tensors(torch):
    x = leaf(torch, 1.0)
    out = make(torch, lambda ctx, x: (x * 2, 5, "text", None), lambda ctx, *g: g[0] * 2).apply(x)
    out[0].backward()
    return out, x.grad


@program
def tuple_of_one(torch):
    x = leaf(torch, 1.0)
    out = make(torch, lambda ctx, x: (x * 2,), lambda ctx, g: g * 2).apply(x)
    return type(out).__name__, len(out), torch.autograd.grad(out[0], x)


@program
def inputs_in_lists_are_not_tracked(torch):
    x = leaf(torch, 1.0)
    y = make(torch, lambda ctx, xs: xs[0] * 2, lambda ctx, g: None).apply([x])
    return y.requires_grad


@program
def no_input_requires_grad(torch):
    y = make(torch, lambda ctx, x: x * 2, lambda ctx, g: g).apply(torch.ones(1))
    return y, y.grad_fn is None


@program
def under_no_grad(torch):
    x = leaf(torch, 1.0)
    with torch.no_grad():
        y = make(torch, lambda ctx, x: x * 2, lambda ctx, g: g).apply(x)
    return y


@program
def grad_mode_in_forward(torch):
    seen = []

    def forward(ctx, x):
        seen.append((torch.is_grad_enabled(), x.requires_grad, x.is_leaf))
        with torch.enable_grad():
            seen.append((x * 2).requires_grad)
        return x * 2

    x = leaf(torch, 1.0)
    make(torch, forward, lambda ctx, g: g).apply(x * 1)
    return seen


@program
def ctx_attributes_through_the_node(torch):
    def forward(ctx, x):
        ctx.mine = "kept"
        ctx.save_for_backward(x)
        return x * 2

    x = leaf(torch, 1.0)
    y = make(torch, forward, lambda ctx, g: g).apply(x)
    return y.grad_fn.mine, y.grad_fn.saved_tensors[0] is x, y.grad_fn.needs_input_grad


@program
def function_of_zero_tensors(torch):
    return make(torch, lambda ctx, k: torch.full((2,), k), lambda ctx, g: None).apply(3.0)


@program
def output_used_again_in_the_function(torch):
    def forward(ctx, x, w):
        y = x @ w
        ctx.save_for_backward(x, w)
        return y

    def backward(ctx, g):
        x, w = ctx.saved_tensors
        gx = g @ w.t() if ctx.needs_input_grad[0] else None
        gw = x.t() @ g if ctx.needs_input_grad[1] else None
        return gx, gw

    torch.manual_seed(0)
    x, w = torch.randn(3, 4), torch.randn(4, 2, requires_grad=True)
    f = make(torch, forward, backward).apply
    f(f(x, w) @ torch.randn(2, 4), w).sum().backward()
    return w.grad


@program
def straight_through(torch):
    x = leaf(torch, 0.2, 0.8)
    y = make(torch, lambda ctx, x: (x > 0.5).float(), lambda ctx, g: g).apply(x)
    (y * 3).sum().backward()
    return y, x.grad


@program
def gradient_reversal_in_a_module(torch):
    f = make(torch, lambda ctx, x, a: x.view_as(x), lambda ctx, g: (-g, None))
    torch.manual_seed(0)
    net = torch.nn.Linear(2, 2)
    x = torch.ones(1, 2, requires_grad=True)
    net(f.apply(x, 1.0)).sum().backward()
    return x.grad, net.weight.grad


@program
def jvp_forward_mode(torch):
    from importlib import import_module

    forward_ad = import_module(torch.__name__ + ".autograd.forward_ad")

    def forward(ctx, x, k):
        ctx.save_for_forward(x)
        ctx.x, ctx.k = x, k
        return x**2 * k

    f = make(
        torch,
        forward,
        lambda ctx, g: (2 * ctx.x * ctx.k * g, None),
        jvp=lambda ctx, t, _k: 2 * ctx.x * ctx.k * t,
    )
    with forward_ad.dual_level():
        d = forward_ad.make_dual(torch.tensor([1.0, 2.0]), torch.tensor([1.0, 10.0]))
        p, t = forward_ad.unpack_dual(f.apply(d, 3.0))
    return p, t


@program
def class_attributes_are_seen_by_ctx(torch):
    class Mine(torch.autograd.Function):
        factor = 4.0

        @staticmethod
        def forward(ctx, x):
            return x * Mine.factor

        @staticmethod
        def backward(ctx, g):
            return Mine.helper(g)

        @staticmethod
        def helper(g):
            return g * Mine.factor

    x = leaf(torch, 1.0)
    Mine.apply(x).backward()
    return x.grad


@program
def exception_in_forward_restores_the_mode(torch):
    def forward(ctx, x):
        raise KeyError("mine")

    x = leaf(torch, 1.0)
    got = caught(lambda: make(torch, forward, lambda ctx, g: g).apply(x))
    return got, torch.is_grad_enabled(), (x * 2).requires_grad


@program
def exception_in_backward_restores_the_mode(torch):
    def backward(ctx, g):
        raise KeyError("mine")

    x = leaf(torch, 1.0)
    y = make(torch, lambda ctx, x: x * 2, backward).apply(x)
    got = caught(y.backward)
    (x * 3).sum().backward()
    return got, torch.is_grad_enabled(), x.grad


@program
def gradcheck_of_a_function(torch):
    def forward(ctx, x):
        ctx.save_for_backward(x)
        return x.exp() * x

    def backward(ctx, g):
        (x,) = ctx.saved_tensors
        return g * x.exp() * (1 + x)

    x = torch.tensor([0.5, -1.0], dtype=torch.float64, requires_grad=True)
    f = make(torch, forward, backward).apply
    wrong = make(torch, forward, lambda ctx, g: g * ctx.saved_tensors[0]).apply
    check, second = torch.autograd.gradcheck, torch.autograd.gradgradcheck
    return (
        check(f, (x,)),
        second(f, (x,)),
        check(wrong, (x,), raise_exception=False),
        caught(lambda: check(wrong, (x,))),
        check(f, (x,), fast_mode=True),
        check(wrong, (x,), fast_mode=True, raise_exception=False),
    )
