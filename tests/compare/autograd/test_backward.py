"""backward, grad, grad modes, leaves and their flags: programs compared with PyTorch."""

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
    """The result of a call, or the exception it raised."""
    try:
        return fn()
    except Exception as error:
        return error


def leaf(torch: Any, *values: float) -> Any:
    return torch.tensor(values, requires_grad=True)


# -- backward --------------------------------------------------------------------------------------


@program
def scalar(torch):
    x = leaf(torch, 1.0, 2.0, 3.0)
    y = (x * x).sum()
    out = y.backward()
    return x.grad, out, y, x.is_leaf, y.is_leaf


@program
def with_gradient(torch):
    x = leaf(torch, 1.0, 2.0, 3.0)
    y = x * 2 + x.sin()
    y.backward(torch.tensor([1.0, 0.1, 0.01]))
    return x.grad


@program
def gradient_of_wrong_shape(torch):
    x = leaf(torch, 1.0, 2.0, 3.0)
    (x * 2).backward(torch.ones(2))


@program
def gradient_is_a_number(torch):
    x = leaf(torch, 1.0, 2.0, 3.0)
    (x * 2).sum().backward(1.0)


@program
def non_scalar(torch):
    leaf(torch, 1.0, 2.0).exp().backward()


@program
def one_element_of_many_dimensions(torch):
    x = torch.ones(1, 1, 1, requires_grad=True)
    (x * 3).backward()
    return x.grad


@program
def backward_of_a_leaf(torch):
    x = torch.tensor(3.0, requires_grad=True)
    x.backward()
    x.backward()
    return x.grad


@program
def no_history(torch):
    torch.ones(1).backward()


@program
def twice_fails(torch):
    x = leaf(torch, 1.0, 2.0)
    y = (x * x).sum()
    y.backward()
    return caught(y.backward), x.grad


@program
def twice_without_saved_values(torch):
    x = leaf(torch, 1.0, 2.0)
    y = (x + 1).sum()
    y.backward()
    y.backward()
    return x.grad


@program
def retain_graph(torch):
    x = leaf(torch, 1.0, 2.0)
    y = (x * x).sum()
    y.backward(retain_graph=True)
    y.backward(retain_graph=True)
    y.backward()
    return x.grad, caught(y.backward)


@program
def create_graph(torch):
    x = leaf(torch, 1.0, 2.0)
    y = (x**3).sum()
    y.backward(create_graph=True)
    first = x.grad.clone()
    g = x.grad
    x.grad = None
    g.sum().backward()
    return first, g, x.grad


@program
def inputs_selects(torch):
    x, w = leaf(torch, 1.0, 2.0), leaf(torch, 3.0, 4.0)
    y = (x * w).sum()
    y.backward(inputs=[x])
    return x.grad, w.grad


@program
def inputs_one_tensor(torch):
    x, w = leaf(torch, 1.0, 2.0), leaf(torch, 3.0, 4.0)
    (x * w).sum().backward(inputs=w)
    return x.grad, w.grad


@program
def inputs_non_leaf(torch):
    x = leaf(torch, 1.0, 2.0)
    h = x * 2
    (h * h).sum().backward(inputs=[h])
    return h.grad, x.grad


@program
def inputs_leaf_and_non_leaf(torch):
    x = leaf(torch, 1.0, 2.0)
    h = x * 2
    (h * h).sum().backward(inputs=[h, x])
    return h.grad, x.grad


@program
def inputs_empty(torch):
    leaf(torch, 1.0).sum().backward(inputs=[])


@program
def inputs_without_path(torch):
    x, w = leaf(torch, 1.0), leaf(torch, 2.0)
    (x * 2).sum().backward(inputs=[w])
    return x.grad, w.grad


@program
def inputs_not_requiring_grad(torch):
    x, w = leaf(torch, 1.0), torch.ones(1)
    (x * w).sum().backward(inputs=[w])


@program
def inputs_keeps_other_graph(torch):
    x, w = leaf(torch, 1.0, 2.0), leaf(torch, 3.0, 4.0)
    a, b = x.exp(), w.exp()
    (a.sum() + b.sum()).backward(inputs=[x])
    b.sum().backward()
    return x.grad, w.grad


@program
def several_roots(torch):
    x = leaf(torch, 1.0, 2.0)
    h = x * x
    torch.autograd.backward([h.sum(), (h * 3).sum(), h], [None, None, torch.tensor([1.0, 10.0])])
    return x.grad


@program
def the_same_root_twice(torch):
    x = leaf(torch, 1.0, 2.0)
    y = (x * x).sum()
    torch.autograd.backward([y, y])
    return x.grad


@program
def root_is_in_the_graph_of_another(torch):
    x = leaf(torch, 1.0, 2.0)
    a = (x * x).sum()
    b = a * 3
    torch.autograd.backward([a, b])
    return x.grad


@program
def roots_count_mismatch(torch):
    x = leaf(torch, 1.0)
    torch.autograd.backward([x.sum(), x.sum()], [None])


@program
def accumulation(torch):
    x = leaf(torch, 1.0, 2.0)
    for _ in range(3):
        (x * x).sum().backward()
    return x.grad


@program
def leaf_used_many_times(torch):
    x = leaf(torch, 0.5, 2.0)
    y = x
    for i in range(20):
        y = y * x + x / (i + 1)
    y.sum().backward()
    return x.grad


@program
def diamond(torch):
    x = leaf(torch, 1.0, 2.0)
    a = x.exp()
    b, c = a * 2, a.sin()
    (b * c + a).sum().backward()
    return x.grad


# -- grad ------------------------------------------------------------------------------------------


@program
def grad_basic(torch):
    x, w = leaf(torch, 1.0, 2.0), leaf(torch, 3.0, 4.0)
    got = torch.autograd.grad((x * w).sum(), [x, w])
    return type(got).__name__, got, x.grad, w.grad


@program
def grad_of_intermediate(torch):
    x = leaf(torch, 1.0, 2.0)
    h = x * 2
    y = (h * h).sum()
    return torch.autograd.grad(y, (h, x))


@program
def grad_one_tensor_each(torch):
    x = leaf(torch, 1.0, 2.0)
    return torch.autograd.grad((x * x).sum(), x)


@program
def grad_of_itself(torch):
    x = leaf(torch, 1.0)
    y = x.exp().sum()
    return torch.autograd.grad(y, [y, x])


@program
def grad_same_input_twice(torch):
    x = leaf(torch, 1.0, 3.0)
    return torch.autograd.grad((x * x).sum(), [x, x])


@program
def grad_unused(torch):
    x, w = leaf(torch, 1.0), leaf(torch, 2.0)
    torch.autograd.grad((x * 2).sum(), [x, w])


@program
def grad_allow_unused(torch):
    x, w = leaf(torch, 1.0), leaf(torch, 2.0)
    return torch.autograd.grad((x * 2).sum(), [x, w], allow_unused=True)


@program
def grad_materialize(torch):
    x, w = leaf(torch, 1.0), leaf(torch, 2.0, 5.0)
    return torch.autograd.grad((x * 2).sum(), [x, w], materialize_grads=True)


@program
def grad_materialize_create_graph(torch):
    x, w = leaf(torch, 1.0), leaf(torch, 2.0, 5.0)
    return torch.autograd.grad((x * 2).sum(), [x, w], materialize_grads=True, create_graph=True)


@program
def grad_materialize_conflict(torch):
    x = leaf(torch, 1.0)
    torch.autograd.grad(x.sum(), x, materialize_grads=True, allow_unused=False)


@program
def grad_input_without_requires_grad(torch):
    x = leaf(torch, 1.0)
    torch.autograd.grad(x.sum(), torch.ones(1))


@program
def grad_output_without_history(torch):
    torch.autograd.grad(torch.ones(1).sum(), leaf(torch, 1.0))


@program
def grad_several_outputs(torch):
    x, w = leaf(torch, 1.0, 2.0), leaf(torch, 3.0, 4.0)
    y, z = x * w, (x + w).sum()
    return torch.autograd.grad([y, z], [x, w], [torch.tensor([1.0, 0.5]), None])


@program
def grad_create_graph_third_order(torch):
    x = torch.tensor(2.0, requires_grad=True)
    y = x**4
    out = []
    for _ in range(4):
        (y,) = torch.autograd.grad(y, x, create_graph=True)
        out.append(y)
    return out


@program
def grad_batched(torch):
    x = leaf(torch, 1.0, 2.0, 3.0)
    y = x * x
    return torch.autograd.grad(y, x, torch.eye(3), is_grads_batched=True)


@program
def grad_batched_several(torch):
    x, w = leaf(torch, 1.0, 2.0), leaf(torch, 3.0, 4.0)
    y, z = x * w, x.sum()
    return torch.autograd.grad(
        (y, z), (x, w), (torch.eye(2), torch.tensor([1.0, 2.0])), is_grads_batched=True
    )


@program
def grad_batched_double(torch):
    x = leaf(torch, 1.0, 2.0, 3.0)
    (j,) = torch.autograd.grad(x**3, x, torch.eye(3), is_grads_batched=True, create_graph=True)
    return j, torch.autograd.grad(j.sum(), x)


@program
def grad_retain(torch):
    x = leaf(torch, 1.0, 2.0)
    y = (x * x).sum()
    a = torch.autograd.grad(y, x, retain_graph=True)
    b = torch.autograd.grad(y, x)
    return a, b, caught(lambda: torch.autograd.grad(y, x))


@program
def grad_wrong_number_of_outputs(torch):
    x = leaf(torch, 1.0)
    torch.autograd.grad([x.sum(), x.sum()], [x], [None])


@program
def grad_of_integer_output(torch):
    x = leaf(torch, 1.0)
    torch.autograd.grad(x.long().sum(), x)


@program
def gradient_penalty(torch):
    torch.manual_seed(0)
    w = torch.randn(4, 3, requires_grad=True)
    x = torch.randn(2, 4, requires_grad=True)
    y = (x @ w).tanh().sum()
    (g,) = torch.autograd.grad(y, x, create_graph=True)
    ((g.norm(2, dim=1) - 1) ** 2).mean().backward()
    return g, w.grad, x.grad


# -- grad modes ------------------------------------------------------------------------------------


@program
def no_grad_forms(torch):
    x = leaf(torch, 1.0)

    @torch.no_grad()
    def f(t):
        return (t * 2).requires_grad, torch.is_grad_enabled()

    @torch.no_grad
    def g(t):
        return (t * 2).requires_grad

    with torch.no_grad():
        inside = x * 2
        new = torch.ones(1, requires_grad=True)
    return inside, f(x), g(x), torch.is_grad_enabled(), new.requires_grad, f.__name__


@program
def nested_modes(torch):
    seen = [torch.is_grad_enabled()]
    with torch.no_grad():
        seen.append(torch.is_grad_enabled())
        with torch.enable_grad():
            seen.append(torch.is_grad_enabled())
            with torch.set_grad_enabled(False):
                seen.append(torch.is_grad_enabled())
            seen.append(torch.is_grad_enabled())
        seen.append(torch.is_grad_enabled())
    seen.append(torch.is_grad_enabled())
    return seen


@program
def set_grad_enabled_function(torch):
    seen = []
    torch.set_grad_enabled(False)
    seen.append(torch.is_grad_enabled())
    torch.set_grad_enabled(True)
    seen.append(torch.is_grad_enabled())

    @torch.set_grad_enabled(False)
    def f():
        return torch.is_grad_enabled()

    seen += [torch.is_grad_enabled(), f(), torch.is_grad_enabled()]
    with torch.set_grad_enabled(mode=False):
        seen.append(torch.is_grad_enabled())
    seen.append(torch.is_grad_enabled())
    return seen


@program
def mode_after_an_exception(torch):
    try:
        with torch.no_grad():
            raise KeyError("x")
    except KeyError:
        pass
    return torch.is_grad_enabled()


@program
def generator_under_no_grad(torch):
    seen = []

    @torch.no_grad()
    def gen():
        seen.append(("in", torch.is_grad_enabled()))
        got = yield 1
        seen.append((got, torch.is_grad_enabled()))
        try:
            yield 2
        except ValueError:
            seen.append(("thrown", torch.is_grad_enabled()))
            yield 3
        return 4

    g = gen()
    seen.append((next(g), torch.is_grad_enabled()))
    seen.append((g.send("sent"), torch.is_grad_enabled()))
    seen.append((g.throw(ValueError()), torch.is_grad_enabled()))
    try:
        next(g)
    except StopIteration as stop:
        seen.append((stop.value, torch.is_grad_enabled()))
    return seen


@program
def generator_with_a_mode_inside(torch):
    def gen():
        with torch.no_grad():
            yield torch.is_grad_enabled()

    g = gen()
    return next(g), torch.is_grad_enabled(), list(g), torch.is_grad_enabled()


@program
def one_context_object_entered_twice(torch):
    mode = torch.no_grad()
    seen = []
    for _ in range(2):
        with mode:
            seen.append(torch.is_grad_enabled())
        seen.append(torch.is_grad_enabled())
    return seen


@program
def inference_mode(torch):
    x = leaf(torch, 1.0, 2.0)
    with torch.inference_mode():
        y = x * 2
        z = torch.ones(2)
        inside = torch.is_inference_mode_enabled(), torch.is_grad_enabled()
    return y, z, y.is_inference(), inside, x.is_inference(), (x * 1).is_inference()


@program
def inference_tensor_added(torch):
    x = leaf(torch, 1.0, 2.0)
    with torch.inference_mode():
        y = torch.ones(2) * 2
    z = x + y
    z.sum().backward()
    return z, x.grad


@program
def inference_tensor_clone(torch):
    x = leaf(torch, 1.0, 2.0)
    with torch.inference_mode():
        y = torch.ones(2) * 2
    c = y.clone()
    (x * c).sum().backward()
    return c.is_inference(), x.grad


@program
def what_is_an_inference_tensor(torch):
    x, n = leaf(torch, 1.0, 2.0), torch.ones(2)
    with torch.inference_mode():
        i = torch.ones(2)
        made = [
            i,
            n * 2,
            n.clone(),
            n[torch.tensor([0])],
            n.to(torch.float64),
            torch.tensor([1.0]),
            torch.nn.Parameter(torch.ones(2)),
            torch.add(n, 1, out=torch.empty(2)),
            torch.cat([n, n]),
            n.max(0)[0],
            i[0],
            i.view(2, 1),
            n.view(2, 1),
            x.view(2, 1),
            n.detach(),
            n.split(1)[0],
            n.reshape(2),
            n.add_(1),
        ]
        inside = i._is_view(), n.view(2, 1)._is_view(), i.view(2, 1)._is_view()
    later = [i * 2, i.clone(), i.view(2), i.detach(), x + i, torch.cat([i, i]), n]
    flags = [(t.is_inference(), t.requires_grad) for t in [*made, *later]]
    return flags, inside


@program
def what_inference_tensors_refuse(torch):
    x, n = leaf(torch, 1.0, 2.0), torch.ones(2)
    with torch.inference_mode():
        i = torch.ones(2)
        v, w = x.view(2, 1), n.view(2, 1)
        learnt = torch.ones(2, requires_grad=True)

    class Keeps(torch.autograd.Function):
        @staticmethod
        def forward(ctx, a, b):
            ctx.save_for_backward(b)
            return a * b

        @staticmethod
        def backward(ctx, g):
            return g * ctx.saved_tensors[0], None

    (x + learnt).sum().backward()
    return [
        caught(lambda: i.add_(1)),
        caught(lambda: i.view(2).mul_(2)),
        caught(lambda: torch.relu_(i)),
        caught(lambda: i.copy_(n)),
        caught(lambda: i.__setitem__(0, 1.0)),
        caught(lambda: torch.add(n, 1, out=i)),
        caught(lambda: i.t_()),
        caught(lambda: i._version),
        caught(lambda: i.requires_grad_()),
        caught(lambda: i.requires_grad_(False).requires_grad),
        caught(lambda: x * i),
        caught(lambda: x.clone().mul_(i)),
        caught(lambda: x * learnt),
        caught(lambda: Keeps.apply(x, i)),
        caught(lambda: v.add_(1)),
        caught(lambda: w.add_(1).requires_grad),
        caught(lambda: n.add_(i).is_inference()),
        caught(lambda: learnt.sum().requires_grad),
        learnt.grad,
    ]  # the values of `i` apart: PyTorch refuses when it has written


@program
def views_whose_base_changed(torch):
    out = []
    for mode in (torch.no_grad, torch.inference_mode, torch.enable_grad):
        for of_leaf in (True, False):
            x = leaf(torch, 1.0, 2.0)
            base = x if of_leaf else x * 1
            with mode():
                v, w, (u, _) = base.view(2, 1), base.view(2)[1:], base.unbind()
            with torch.no_grad():
                base.add_(1)
            for t in (v, w, u):
                for use in (
                    lambda t: t.requires_grad,
                    lambda t: t.is_leaf,
                    lambda t: (t * 2).requires_grad,
                    lambda t: "Invalid" in repr(t),
                ):
                    out.append(caught(lambda t=t, use=use: use(t)))
    return out


@program
def views_that_functions_return(torch):
    class AsItIs(torch.autograd.Function):
        @staticmethod
        def forward(ctx, x):
            return x

        @staticmethod
        def backward(ctx, g):
            return g

    class Flat(AsItIs):
        @staticmethod
        def forward(ctx, x):
            return x.view(-1)

    class Two(torch.autograd.Function):
        @staticmethod
        def forward(ctx, x):
            return x.view(-1), x * 2

        @staticmethod
        def backward(ctx, g, h):
            return g

    out = []
    for function in (AsItIs, Flat, Two):
        for grad in (True, False):
            for change in (lambda q, y: y.add_(1), lambda q, y: q.add_(1)):
                q = torch.ones(2, requires_grad=grad) * 1
                y = function.apply(q)
                y = y[0] if isinstance(y, tuple) else y
                out.append((y._is_view(), y._base is q))
                out.append(caught(lambda q=q, y=y, change=change: change(q, y).requires_grad))
                out.append(caught(lambda y=y: y.grad_fn is None))
    return out


@program
def inference_decorator(torch):
    @torch.inference_mode()
    def f(x):
        return x * 2

    @torch.inference_mode(mode=False)
    def g(x):
        return x * 2

    x = leaf(torch, 1.0)
    return f(x).requires_grad, f(x).is_inference(), g(x).requires_grad


@program
def inference_mode_off_inside(torch):
    x = leaf(torch, 1.0)
    with torch.inference_mode(), torch.inference_mode(False):
        y = x * 2
        seen = torch.is_grad_enabled(), torch.is_inference_mode_enabled()
    return y, seen


@program
def enable_grad_inside_inference(torch):
    x = leaf(torch, 1.0)
    with torch.inference_mode(), torch.enable_grad():
        y = x * 2
    return y.requires_grad


# -- leaves and flags ------------------------------------------------------------------------------


@program
def flags(torch):
    a = torch.ones(2)
    b = a.requires_grad_()
    c = b * 2
    d = c.detach()
    out = [
        b is a,
        a.is_leaf,
        c.is_leaf,
        d.is_leaf,
        d.requires_grad,
        c.requires_grad,
        a.grad_fn is None,
    ]
    a.requires_grad_(False)
    e = torch.ones(2, requires_grad=True)
    e.requires_grad = False
    return out, a.requires_grad, c.requires_grad, e.requires_grad, (a * 2).is_leaf


@program
def requires_grad_of_integers(torch):
    torch.ones(2, dtype=torch.int64).requires_grad_()


@program
def integer_factory_with_grad(torch):
    torch.tensor([1, 2], requires_grad=True)


@program
def requires_grad_false_of_non_leaf(torch):
    x = leaf(torch, 1.0)
    (x * 2).requires_grad_(False)


@program
def requires_grad_true_of_non_leaf(torch):
    x = leaf(torch, 1.0)
    return (x * 2).requires_grad_(True)


@program
def detach_shares_memory(torch):
    x = leaf(torch, 1.0, 2.0)
    d = x.detach()
    d[0] = 10
    return x, d, x._version, d._version


@program
def detach_inplace(torch):
    x = leaf(torch, 1.0, 2.0)
    y = x * 2
    z = y * 3
    r = y.detach_()
    z.sum().backward()
    return r is y, y.requires_grad, y.is_leaf, x.grad


@program
def detach_inplace_of_view(torch):
    x = leaf(torch, 1.0, 2.0) * 1
    x[0:1].detach_()


@program
def data_attribute(torch):
    x = leaf(torch, 1.0, 2.0)
    y = x * x
    x.data.mul_(3)
    y.sum().backward()
    old = x.grad.clone()
    x.data = torch.tensor([7.0, 8.0])
    return old, x, x.data.requires_grad, x._version


@program
def data_of_another_shape(torch):
    x = leaf(torch, 1.0, 2.0)
    x.data = torch.ones(3, 2)
    (x * 2).sum().backward()
    return x, x.grad


@program
def retain_grad(torch):
    x = leaf(torch, 1.0, 2.0)
    h = x * 2
    h.retain_grad()
    h.retain_grad()
    y = (h * h).sum()
    before = h.grad
    y.backward(retain_graph=True)
    first = h.grad.clone()
    y.backward()
    return before, first, h.grad, h.retains_grad, x.retains_grad, x.grad, h.is_leaf


@program
def retain_grad_without_requires_grad(torch):
    torch.ones(1).retain_grad()


@program
def retain_grad_of_leaf(torch):
    x = leaf(torch, 1.0)
    x.retain_grad()
    (x * 2).sum().backward()
    return x.grad, x.retains_grad


@program
def retain_grad_sees_hooks(torch):
    x = leaf(torch, 1.0)
    h = x * 2
    h.retain_grad()
    h.register_hook(lambda g: g * 10)
    (h * 3).sum().backward()
    return h.grad, x.grad


@program
def assign_grad(torch):
    x = leaf(torch, 1.0, 2.0)
    x.grad = torch.tensor([5.0, 6.0])
    (x * 2).sum().backward()
    kept = x.grad
    x.grad = None
    return kept, x.grad


@program
def assign_grad_of_wrong_shape(torch):
    x = leaf(torch, 1.0, 2.0)
    x.grad = torch.ones(3)


@program
def assign_grad_of_wrong_type(torch):
    x = leaf(torch, 1.0, 2.0)
    x.grad = torch.ones(2, dtype=torch.float64)


@program
def assign_grad_a_number(torch):
    x = leaf(torch, 1.0, 2.0)
    x.grad = 3.0


@program
def grad_object_is_kept(torch):
    x = leaf(torch, 1.0, 2.0)
    (x * 2).sum().backward()
    g = x.grad
    (x * 2).sum().backward()
    return g is x.grad, g, g._version > 0 or True


@program
def grads_do_not_share_memory(torch):
    a, b = leaf(torch, 1.0, 2.0), leaf(torch, 3.0, 4.0)
    v = torch.ones(2)
    (a + b).backward(v)
    a.grad.mul_(10)
    return a.grad, b.grad, v


@program
def grad_of_identity_is_not_the_users_gradient(torch):
    a = leaf(torch, 1.0, 2.0)
    v = torch.ones(2)
    a.backward(v)
    a.grad.mul_(10)
    return a.grad, v


@program
def grad_results_may_not_change_when_one_is_changed(torch):
    a, b = leaf(torch, 1.0, 2.0), leaf(torch, 3.0, 4.0)
    ga, gb = torch.autograd.grad((a + b).sum(), [a, b])
    ga.mul_(10) if ga.is_contiguous() else None
    return gb.shape


@program
def grads_are_contiguous(torch):
    w = torch.ones(3, 4, requires_grad=True)
    x = torch.arange(8.0).reshape(2, 4)
    (x @ w.t()).sum().backward()
    v = torch.ones(3, requires_grad=True)
    v.expand(2, 3).sum().backward()
    s = torch.ones(2, 3, requires_grad=True)
    s.sum().backward()
    return [(t.grad.is_contiguous(), t.grad.stride()) for t in (w, v, s)]


@program
def grads_follow_the_layout_of_the_leaf(torch):
    w = torch.ones(3, 4).t().requires_grad_()
    (w * torch.arange(12.0).reshape(4, 3)).sum().backward()
    return w.grad.stride(), w.grad


@program
def zero_dimensional_and_empty(torch):
    s = torch.tensor(2.0, requires_grad=True)
    e = torch.ones(0, 3, requires_grad=True)
    (s * s + e.sum()).backward()
    return s.grad, e.grad


@program
def empty_output_with_gradient(torch):
    e = torch.ones(0, requires_grad=True)
    (e * 2).backward(torch.ones(0))
    return e.grad


@program
def empty_output(torch):
    e = torch.ones(0, requires_grad=True)
    (e * 2).backward()


@program
def broadcasting(torch):
    a, b = torch.ones(3, 1, requires_grad=True), torch.ones(1, 4, requires_grad=True)
    c = torch.tensor(2.0, requires_grad=True)
    (a * b * c + torch.arange(24.0).reshape(2, 3, 4) * b).sum().backward()
    return a.grad, b.grad, c.grad


@program
def broadcast_with_double_backward(torch):
    a, b = torch.ones(3, 1, requires_grad=True), torch.full((4,), 2.0, requires_grad=True)
    ga, gb = torch.autograd.grad((a * b * b).sum(), [a, b], create_graph=True)
    return torch.autograd.grad(ga.sum() + (gb * gb).sum(), [a, b])


@program
def mixed_types(torch):
    a = torch.ones(2, requires_grad=True)
    b = torch.ones(2, dtype=torch.float64, requires_grad=True)
    h = torch.ones(2, dtype=torch.float16, requires_grad=True)
    i = torch.tensor([2, 3])
    (a * b * i + h).sum().backward()
    return a.grad, b.grad, h.grad


@program
def bfloat16(torch):
    a = torch.full((3,), 1.5, dtype=torch.bfloat16, requires_grad=True)
    (a * a).sum().backward()
    return a.grad


@program
def half_chain(torch):
    a = torch.full((3,), 0.5, dtype=torch.float16, requires_grad=True)
    y = (a.exp() * a).tanh().sum()
    y.backward()
    return y, a.grad


@program
def type_cast_in_the_graph(torch):
    a = torch.ones(2, requires_grad=True)
    (a.double() * 2).half().sum().backward()
    return a.grad


@program
def complex_holomorphic(torch):
    z = torch.tensor([1 + 2j, -0.5 + 1j], requires_grad=True)
    out = []
    for f in (
        lambda t: t * t,
        lambda t: t.exp(),
        lambda t: 1 / t,
        lambda t: t.sin() * t,
        lambda t: t**3,
        lambda t: t.sqrt(),
        lambda t: t.log(),
        lambda t: t.tanh(),
    ):
        (g,) = torch.autograd.grad(f(z).abs().sum(), z)
        out.append(g)
    return out


@program
def complex_to_real(torch):
    z = torch.tensor([1 + 2j, -0.5 + 1j], requires_grad=True)
    out = []
    for f in (
        lambda t: t.real,
        lambda t: t.imag,
        lambda t: t.abs(),
        lambda t: t.angle(),
        lambda t: (t * t.conj()).real,
        lambda t: torch.view_as_real(t),
    ):
        y = f(z)
        out.append(torch.autograd.grad(y.sum(), z)[0])
    return out


@program
def real_to_complex(torch):
    x, y = leaf(torch, 1.0, 2.0), leaf(torch, 3.0, -1.0)
    z = torch.complex(x, y)
    (z * z * (1 + 2j)).abs().sum().backward()
    w = torch.polar(x.detach().requires_grad_(), y.detach().requires_grad_())
    return x.grad, y.grad, w


@program
def complex_root_needs_gradient(torch):
    z = torch.tensor([1 + 2j], requires_grad=True)
    (z * z).sum().backward()


@program
def complex_with_gradient(torch):
    z = torch.tensor([1 + 2j, 3j], requires_grad=True)
    (z * z).backward(torch.tensor([1 + 0j, 1j]))
    return z.grad


@program
def complex_times_real_leaf(torch):
    x = leaf(torch, 1.0, 2.0)
    z = x * (2 + 1j)
    z.abs().sum().backward()
    return z, x.grad


@program
def repr_of_grad_fn(torch):
    x = leaf(torch, 1.0)
    y = x.exp()
    text = repr(y.grad_fn)
    return y.grad_fn.name(), text[: text.index(" ")], str(y)


@program
def argument_retain_variables(torch):
    x = leaf(torch, 1.0)
    y = (x * x).sum()
    y.backward(retain_graph=True)
    return x.grad


@program
def copies_of_leaves(torch):
    import copy
    import pickle

    x = leaf(torch, 1.0, 2.0)
    (x * 2).sum().backward()
    c = copy.deepcopy(x)
    p = pickle.loads(pickle.dumps(x))
    c.data.mul_(2)
    return c, c.grad, c.is_leaf, p, p.is_leaf, x


@program
def deepcopy_of_non_leaf(torch):
    import copy

    copy.deepcopy(leaf(torch, 1.0) * 2)


@program
def gradient_of_integers_is_cut(torch):
    x = leaf(torch, 1.5, 2.5)
    i = x.long()
    m = x > 2
    return i, m, (x.round().long() * 2).requires_grad, x.argmax().requires_grad


@program
def set_materialized_zero_gradients(torch):
    x = leaf(torch, 1.0, 2.0)
    y = x.round() * 2
    y.sum().backward()
    return y, x.grad


@program
def max_gives_values_and_indices(torch):
    x = torch.tensor([[1.0, 5.0], [7.0, 2.0]], requires_grad=True)
    v, i = x.max(1)
    v.sum().backward()
    return v, i, x.grad, i.requires_grad


@program
def gradient_with_history(torch):
    x = leaf(torch, 1.0, 2.0)
    v = leaf(torch, 3.0, 4.0)
    (x * x).backward(v, create_graph=True)
    g = x.grad
    (gv,) = torch.autograd.grad(g.sum(), v)
    return g, gv
