"""torch.func: programs compared with PyTorch."""

from __future__ import annotations

from collections.abc import Callable
from importlib import import_module
from typing import Any

import pytest

programs: list[Any] = []


def program(fn: Callable[[Any], Any]) -> Callable[[Any], Any]:
    programs.append(pytest.param(fn, id=fn.__name__))
    return fn


@pytest.mark.parametrize("fn", programs)
def test_program(fn: Callable[[Any], Any], both: Callable[..., Any]) -> None:
    both(fn, rtol=1e-4, atol=1e-5)


def caught(fn: Callable[[], Any]) -> Any:
    try:
        return fn()
    except Exception as error:
        return error


def func(torch: Any) -> Any:
    return import_module(torch.__name__ + ".func")


@program
def vmap_basic(torch):
    v = func(torch).vmap
    a, b = torch.arange(6.0).reshape(3, 2), torch.arange(6.0).reshape(3, 2) + 1
    return (
        v(torch.dot)(a, b),
        v(torch.dot, in_dims=1)(a, b),
        v(torch.mv, in_dims=(None, 0))(torch.ones(2, 2), a),
        v(torch.mv, in_dims=(None, 1), out_dims=1)(torch.ones(2, 3), a),
        v(lambda x: x * 2, out_dims=-1)(a),
        v(lambda x, k: x * k, in_dims=(0, None))(a, 3.0),
        torch.vmap(torch.sum)(a),
    )


@program
def vmap_trees(torch):
    v = func(torch).vmap
    a = torch.arange(6.0).reshape(3, 2)
    d = {"x": a, "y": (a + 1, a * 2)}
    return (
        v(lambda t: t["x"] + t["y"][0] * t["y"][1])(d),
        v(lambda t: {"s": t["x"].sum(), "p": (t["y"][0].prod(),)})(d),
        v(lambda t, k: t["x"] * k, in_dims=({"x": 0, "y": None}, 0))(d, torch.arange(3.0)),
        v(lambda x: (x, x.sum()), out_dims=(1, 0))(a),
    )


@program
def vmap_nested(torch):
    v = func(torch).vmap
    a, b = torch.arange(6.0).reshape(3, 2), torch.arange(8.0).reshape(4, 2)
    return v(v(torch.dot, in_dims=(None, 0)), in_dims=(0, None))(a, b)


@program
def vmap_errors(torch):
    v = func(torch).vmap
    a = torch.arange(6.0).reshape(3, 2)
    return [
        caught(lambda: v(torch.dot)(a, torch.ones(2, 2))),
        caught(lambda: v(lambda: a)()),
        caught(lambda: v(torch.sum, in_dims=(0, 0))(a)),
        caught(lambda: v(torch.sum, in_dims=None)(a)),
        caught(lambda: v(torch.sum, in_dims=(None,))(a)),
        caught(lambda: v(torch.sum, in_dims=5)(a)),
        caught(lambda: v(lambda x: 5)(a)),
        caught(lambda: v(lambda x, y: x)(a, 5)),
        caught(lambda: v(torch.sum, randomness="x")(a)),
        caught(lambda: v(lambda x: x + torch.randn(2))(a)),
        caught(lambda: v(torch.sum, out_dims=3)(a)),
    ]


@program
def vmap_randomness(torch):
    v = func(torch).vmap
    a = torch.zeros(3, 2)
    torch.manual_seed(0)
    different = v(lambda x: x + torch.rand(2), randomness="different")(a)
    same = v(lambda x: x + torch.rand(2), randomness="same")(a)
    return bool((different[0] != different[1]).any()), bool((same[0] == same[1]).all())


@program
def vmap_is_differentiable(torch):
    v = func(torch).vmap
    x = torch.arange(6.0).reshape(3, 2).requires_grad_()
    w = torch.tensor([1.0, 2.0], requires_grad=True)
    v(lambda t: (t * w).sin())(x).sum().backward()
    return x.grad, w.grad


@program
def vmap_of_a_function(torch):
    class Cube(torch.autograd.Function):
        @staticmethod
        def forward(x):
            return x**3

        @staticmethod
        def setup_context(ctx, inputs, output):
            ctx.save_for_backward(*inputs)

        @staticmethod
        def backward(ctx, g):
            (x,) = ctx.saved_tensors
            return 3 * x * x * g

        @staticmethod
        def vmap(info, in_dims, x):
            seen.append((info.batch_size, info.randomness, in_dims))
            return Cube.apply(x), in_dims[0]

    seen = []
    x = torch.arange(6.0).reshape(3, 2)
    out = func(torch).vmap(Cube.apply)(x), func(torch).vmap(Cube.apply, in_dims=1, out_dims=1)(x)
    return out, seen


@program
def grads(torch):
    g = func(torch).grad
    x, w = torch.tensor(2.0), torch.tensor(3.0)
    f = lambda x, w: x**2 * w  # noqa: E731
    return (
        g(f)(x, w),
        g(f, argnums=1)(x, w),
        g(f, argnums=(0, 1))(x, w),
        g(f, argnums=-1)(x, w),
        g(g(f))(x, w),
        g(g(g(lambda x: x**4)))(x),
        g(lambda x: (x**2, x * 3), has_aux=True)(x),
        func(torch).grad_and_value(f)(x, w),
        func(torch).grad_and_value(lambda x: (x**2, {"a": x * 3}), has_aux=True)(x),
        g(lambda d: (d["a"] * d["b"]).sum())({"a": torch.ones(2), "b": torch.arange(2.0)}),
        g(lambda x, w: x * 2)(x, w),
    )


@program
def grad_of_the_unused(torch):
    x = torch.tensor(2.0)
    return func(torch).grad(lambda x, w: x * 2, argnums=1)(x, torch.ones(3))


@program
def grad_errors(torch):
    g = func(torch).grad
    x = torch.tensor([1.0, 2.0])
    return [
        caught(lambda: g(lambda t: t)(x)),
        caught(lambda: g(lambda t: 5)(x)),
        caught(lambda: g(lambda t: t.sum(), argnums=2)(x)),
        caught(lambda: g(lambda t: t.sum(), argnums=(0, 0))(x)),
        caught(lambda: g(lambda t: t.sum(), has_aux=True)(x)),
        caught(lambda: g(lambda t: t.sum(), argnums="x")(x)),
    ]


@program
def grad_with_outer_autograd(torch):
    w = torch.tensor(3.0, requires_grad=True)
    x = torch.tensor(2.0)
    inner = func(torch).grad(lambda t: t**2 * w)(x)
    inner.backward()
    y = torch.tensor(2.0, requires_grad=True)
    second = func(torch).grad(lambda t: t**3)(y)
    second.backward()
    plain = func(torch).grad(lambda t: t**3)(x)
    return inner, w.grad, second, y.grad, plain


@program
def grad_under_no_grad(torch):
    w = torch.tensor(3.0, requires_grad=True)
    with torch.no_grad():
        return func(torch).grad(lambda t: t**2 * w)(torch.tensor(2.0))


@program
def detach_inside(torch):
    g = func(torch).grad
    return g(lambda x: x * x.detach())(torch.tensor(3.0)), g(lambda x: (x * 2).sin())(
        torch.tensor(3.0)
    )


@program
def vjps(torch):
    v = func(torch).vjp
    x, w = torch.tensor([1.0, 2.0]), torch.tensor([3.0, 4.0])
    out = []
    y, f = v(lambda a, b: a * b, x, w)
    out += [y, f(torch.ones(2)), f(torch.tensor([1.0, 0.5]))]
    y, f = v(torch.sin, x)
    out += [y, f(torch.ones(2))]
    y, f = v(lambda a: (a.sum(), {"p": a * 2}), x)
    out += [y, f((torch.tensor(1.0), {"p": torch.ones(2)}))]
    y, f, aux = v(lambda a: (a * 2, a.sum()), x, has_aux=True)
    out += [y, f(torch.ones(2)), aux]
    return out


@program
def jvps(torch):
    j = func(torch).jvp
    x, w = torch.tensor([1.0, 2.0]), torch.tensor([3.0, 4.0])
    t = torch.tensor([1.0, 0.5])
    return (
        j(lambda a, b: a * b, (x, w), (t, t)),
        j(lambda a: (a.sum(), a**2), (x,), (t,)),
        j(lambda a: (a * 2, a.sum()), (x,), (t,), has_aux=True),
        caught(lambda: j(torch.sin, x, t)),
        caught(lambda: j(torch.sin, (x,), (t, t))),
        func(torch).linearize(torch.sin, x)[1](t),
    )


@program
def jacobians(torch):
    x, w = torch.tensor([1.0, 2.0]), torch.tensor([[3.0, 4.0], [0.5, 1.0], [2.0, 2.0]])
    out = []
    for name in ("jacrev", "jacfwd"):
        j = getattr(func(torch), name)
        out += [
            j(lambda a: a**2)(x),
            j(lambda a: a.sum())(x),
            j(lambda w, a: w @ a)(w, x),
            j(lambda w, a: w @ a, argnums=1)(w, x),
            j(lambda w, a: w @ a, argnums=(0, 1))(w, x),
            j(lambda a: (a**2, {"s": a.sum()}))(x),
            j(lambda a: (a**2, a.sum()), has_aux=True)(x),
            j(lambda d: d["a"] * d["b"])({"a": x, "b": x * 2}),
            j(j(lambda a: a**3))(x),
        ]
    return out


@program
def hessians(torch):
    h = func(torch).hessian
    x = torch.tensor([1.0, 2.0])
    return (
        h(lambda a: (a**3).sum())(x),
        h(lambda a: a.prod())(x),
        h(lambda a, b: (a * b * a).sum(), argnums=(0, 1))(x, x),
    )


@program
def per_sample_gradients(torch):
    f = func(torch)
    torch.manual_seed(0)
    net = torch.nn.Sequential(torch.nn.Linear(3, 4), torch.nn.Tanh(), torch.nn.Linear(4, 2))
    params = {k: v.detach() for k, v in net.named_parameters()}
    x, y = torch.randn(5, 3), torch.tensor([0, 1, 1, 0, 1])

    def loss(p, xi, yi):
        out = f.functional_call(net, p, (xi.unsqueeze(0),))
        return torch.nn.functional.cross_entropy(out, yi.unsqueeze(0))

    return f.vmap(f.grad(loss), in_dims=(None, 0, 0))(params, x, y)


@program
def ensemble(torch):
    f = func(torch)
    torch.manual_seed(0)
    nets = [torch.nn.Linear(3, 2) for _ in range(4)]
    params, buffers = f.stack_module_state(nets)
    x = torch.randn(5, 3)
    out = f.vmap(lambda p, b, x: f.functional_call(nets[0], (p, b), (x,)), in_dims=(0, 0, None))(
        params, buffers, x
    )
    out.sum().backward()
    return out, params, buffers, [p.grad for p in params.values()]


@program
def stack_errors(torch):
    f = func(torch).stack_module_state
    one, two = torch.nn.Linear(1, 1), torch.nn.Linear(1, 1).eval()
    return [
        caught(lambda: f([])),
        caught(lambda: f([one, two])),
        caught(lambda: f([one, torch.nn.ReLU()])),
    ]


@program
def functional_call_errors(torch):
    f = func(torch).functional_call
    net = torch.nn.Linear(1, 1)
    w = {"weight": torch.ones(1, 1)}
    return [
        f(net, {**w, "bias": torch.zeros(1)}, torch.ones(2, 1)),
        caught(lambda: f(net, [w, w], torch.ones(1))),
        caught(lambda: f(net, 5, torch.ones(1))),
        caught(lambda: f(net, w, torch.ones(1), strict=True)),
    ]


@program
def maml_like(torch):
    f = func(torch)
    w = torch.tensor([0.5, -0.3])
    x, y = torch.arange(6.0).reshape(3, 2), torch.tensor([1.0, 2.0, 0.0])
    inner = lambda w, x, y: ((x @ w - y) ** 2).mean()  # noqa: E731

    def outer(w):
        adapted = w - 0.1 * f.grad(inner)(w, x, y)
        return inner(adapted, x * 2, y)

    return f.grad(outer)(w), f.hessian(outer)(w)


@program
def values_of_slices(torch):
    v = func(torch).vmap
    a, k = torch.arange(6.0).reshape(3, 2), torch.ones(())
    return (
        caught(lambda: v(lambda x: x.sum().item() * x)(a)),
        caught(lambda: v(lambda x: x if x.sum() > 0 else -x)(a)),
        caught(lambda: v(lambda x: x * float((x * 2).exp().sum()))(a)),
        v(lambda x: x * k.item() if k > 0 else x)(a),
        v(lambda x: x * 2, out_dims=(1,))(a),
        v(lambda x: x)(a)[0].tolist(),
        caught(lambda: v(lambda k, x: k.add_(x.sum()), (None, 0))(k, a)),
        k,
        v(lambda x: x.new_zeros(2).add_(x))(a),
        v(lambda x: x.clone().mul_(k))(a),
    )


@program
def batches_of_no_slices(torch):
    v = func(torch).vmap
    a = torch.zeros(0, 2)
    return (
        v(lambda x: x.sum())(a),
        v(lambda x: (x.exp(), x.sum()), out_dims=(1, 0))(a),
        v(lambda x, y: x + y, in_dims=(0, None))(a, torch.ones(2)),
    )


@program
def refusals_of_transforms(torch):
    f = func(torch)
    x = torch.ones(3)
    hooks = torch.autograd.graph.saved_tensors_hooks

    class WithCtx(torch.autograd.Function):
        @staticmethod
        def forward(ctx, x):
            return x * 2

        @staticmethod
        def backward(ctx, g):
            return g * 2

    def hooked(x):
        with hooks(lambda t: t, lambda t: t):
            return x.sin().sum()

    def within_hooks(call):
        with hooks(lambda t: t, lambda t: t):
            return call()

    return [
        caught(call)
        for call in (
            lambda: f.grad(lambda x: x.detach().requires_grad_().sum())(x),
            lambda: f.jvp(lambda x: x.clone().requires_grad_(), (x,), (x,)),
            lambda: f.vmap(lambda x: x.clone().requires_grad_())(x),
            lambda: f.grad(lambda x: (x * torch.ones(3, requires_grad=True)).sum())(x).detach(),
            lambda: f.grad(lambda x: WithCtx.apply(x).sum())(x),
            lambda: f.vmap(WithCtx.apply)(x),
            lambda: f.grad(hooked)(x),
            lambda: within_hooks(lambda: f.grad(lambda x: x.sin().sum())(x)),
            lambda: x.clone().requires_grad_(),
            lambda: f.grad(lambda x: (x.sum(), 1), has_aux=True)(x),
            lambda: f.grad(torch.mul, argnums=[0])(x, x),
            lambda: f.vjp(lambda x: None, x),
            lambda: f.vjp(lambda x: (x, x), x)[1](((x,), x)),
            lambda: f.jvp(torch.sin, (x,), [x]),
            lambda: f.jvp(torch.sin, (1.0,), (x,)),
            lambda: f.jvp(torch.sin, (), ()),
            lambda: f.jvp(lambda y: x, (x,), (x,), strict=True),
            lambda: f.jacrev(torch.sin, chunk_size=0)(x),
            lambda: f.jacrev(torch.conj)(x * 1j),
            lambda: f.jacfwd(lambda x: ())(x),
        )
    ]


def functorch(torch: Any) -> Any:
    ours = torch.__name__ == "rushlight"
    return import_module("rushlight.functorch" if ours else "functorch")


@program
def modules_as_functions(torch):
    import warnings

    warnings.simplefilter("ignore", FutureWarning)
    f = functorch(torch)
    net = torch.nn.Sequential(torch.nn.Linear(2, 1), torch.nn.BatchNorm1d(1)).eval()
    with torch.no_grad():
        for p in net.parameters():
            p.fill_(0.5)
    x = torch.ones(3, 2)
    call, params, buffers = f.make_functional_with_buffers(net)
    linear, own = f.make_functional(net[0], disable_autograd_tracking=True)
    stacked = f.combine_state_for_ensemble([net[0], net[0]])
    return (
        call(params, buffers, x),
        [p.requires_grad for p in params],
        linear([p * 2 for p in own], x),
        [p.requires_grad for p in own],
        f.vmap(stacked[0], (0, 0, None))(stacked[1], stacked[2], x),
        caught(lambda: f.make_functional(net)),
        caught(lambda: f.combine_state_for_ensemble([])),
        f.functionalize(lambda x: x.clone().add_(1))(x),
        caught(lambda: f.functionalize(lambda x: x, remove="all")(x)),
    )


@program
def results_that_are_views(torch):
    v = func(torch).vmap
    x = torch.arange(12.0).clone().view(3, 4).clone()
    rows = v(lambda t: t[1:])(x)
    turned = v(lambda t: t.view(2, 2).T, out_dims=1)(x)
    changed = v(lambda t: t.cos_())(x)
    p = torch.ones(3, 2, requires_grad=True)
    v(lambda t: t[:1])(p).sum().backward()
    bases = [y._base is x for y in (rows, turned)]
    return (
        bases,
        rows,
        turned,
        changed,
        x,
        p.grad,
        v(lambda t: t)(x[:1]),
        v(lambda a, b: a + b)(x, b=x[:, 0, None]),
    )


@program
def random_numbers_of_slices(torch):
    v, x, g = func(torch).vmap, torch.full((3, 2), 0.5), torch.Generator()
    return [
        caught(lambda f=f, mode=mode: v(f, randomness=mode)(x).shape)
        for mode in ("error", "same", "different")
        for f in (
            lambda t: torch.bernoulli(t, generator=g),
            lambda t: torch.normal(t, 1.0),
            lambda t: t.clone().normal_(),
            lambda t: torch.nn.functional.dropout(t),
        )
    ]
