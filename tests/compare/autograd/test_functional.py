"""autograd.functional, gradcheck, forward mode: programs compared with PyTorch."""

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


def pair(torch: Any) -> Any:
    return torch.tensor([1.0, 2.0]), torch.tensor([[3.0, 1.0], [0.5, 2.0]])


def cubes(x: Any) -> Any:
    return (x**3).sum(-1)


# -- jacobian and hessian --------------------------------------------------------------------------


@program
def jacobian_one(torch):
    j = torch.autograd.functional.jacobian
    x = torch.arange(6.0).reshape(2, 3)
    return j(lambda t: t.exp().sum(1), x), j(torch.exp, x[0]), j(lambda t: t.sum(), x), j(cubes, x)


@program
def jacobian_several(torch):
    j = torch.autograd.functional.jacobian
    a, b = pair(torch)
    one = j(lambda a, b: b @ a, (a, b))
    two = j(lambda a, b: (b @ a, a.sum()), (a, b))
    single_in = j(lambda a: (a * 2, a.sum()), a)
    return one, two, single_in, type(one).__name__, type(two).__name__


@program
def jacobian_unused(torch):
    j = torch.autograd.functional.jacobian
    a, b = pair(torch)
    return j(lambda a, b: a * 2, (a, b)), j(lambda a: torch.ones(2), a), j(lambda a: a.detach(), a)


@program
def jacobian_strict(torch):
    j = torch.autograd.functional.jacobian
    a, b = pair(torch)
    return (
        caught(lambda: j(lambda a, b: a * 2, (a, b), strict=True)),
        caught(lambda: j(lambda a: torch.ones(2), a, strict=True)),
        j(lambda a: a * 2, a, strict=True),
        caught(lambda: j(lambda a: a * 2, a, strict=True, create_graph=True)),
    )


@program
def jacobian_vectorized(torch):
    j = torch.autograd.functional.jacobian
    a, b = pair(torch)
    return (
        j(lambda a, b: (b @ a, a.sum()), (a, b), vectorize=True),
        j(lambda a, b: b @ a, (a, b), vectorize=True, strategy="forward-mode"),
        caught(lambda: j(cubes, a, strategy="forward-mode")),
        caught(lambda: j(cubes, a, strict=True, vectorize=True)),
    )


@program
def jacobian_create_graph(torch):
    x = torch.tensor([1.0, 2.0], requires_grad=True)
    j = torch.autograd.functional.jacobian(lambda t: t**3, x, create_graph=True)
    return j, torch.autograd.grad(j.sum(), x)


@program
def jacobian_leaves_no_trace(torch):
    x = torch.tensor([1.0, 2.0], requires_grad=True)
    j = torch.autograd.functional.jacobian(lambda t: t**3, x)
    return j, x.grad


@program
def jacobian_under_no_grad(torch):
    with torch.no_grad():
        return torch.autograd.functional.jacobian(lambda t: t**3, torch.tensor([1.0, 2.0]))


@program
def jacobian_bad_arguments(torch):
    j = torch.autograd.functional.jacobian
    a, _ = pair(torch)
    return (
        caught(lambda: j(lambda x: x, 5.0)),
        caught(lambda: j(lambda x, y: x, (a, 5.0))),
        caught(lambda: j(lambda x: 5.0, a)),
        caught(lambda: j(lambda x: (x, 5.0), a)),
    )


@program
def hessian_one(torch):
    h = torch.autograd.functional.hessian
    x = torch.tensor([1.0, 2.0, 0.5])
    return (
        h(lambda t: (t**3).sum(), x),
        h(lambda t: t.prod(), x),
        h(lambda t: t.sin().sum() ** 2, x, vectorize=True),
    )


@program
def hessian_several(torch):
    h = torch.autograd.functional.hessian
    a, b = pair(torch)
    f = lambda a, b: (a * b * a).sum() + (b**3).sum()  # noqa: E731
    forward = h(f, (a, b), vectorize=True, outer_jacobian_strategy="forward-mode")
    return (
        h(f, (a, b)),
        h(f, (a, b), vectorize=True),
        [[t.detach() for t in row] for row in forward],
    )


@program
def hessian_of_linear(torch):
    h = torch.autograd.functional.hessian
    x = torch.tensor([1.0, 2.0])
    return h(lambda t: t.sum(), x), caught(lambda: h(lambda t: t.sum(), x, strict=True))


@program
def hessian_create_graph(torch):
    x = torch.tensor([1.0, 2.0], requires_grad=True)
    h = torch.autograd.functional.hessian(lambda t: (t**4).sum(), x, create_graph=True)
    return h, torch.autograd.grad(h.sum(), x)


@program
def hessian_bad(torch):
    h = torch.autograd.functional.hessian
    x = torch.tensor([1.0, 2.0])
    return (
        caught(lambda: h(lambda t: t, x)),
        caught(lambda: h(lambda t: (t.sum(), t.sum()), x)),
        h(lambda t: t.sum().reshape(1) ** 2, x),
    )


# -- products --------------------------------------------------------------------------------------


@program
def vjp(torch):
    f = torch.autograd.functional.vjp
    a, b = pair(torch)
    return (
        f(lambda x: x.exp(), a, torch.tensor([1.0, 0.5])),
        f(lambda x: x.sum(), a),
        f(lambda a, b: b @ a, (a, b), torch.tensor([1.0, 0.5])),
        f(lambda a, b: (b @ a, a.sum()), (a, b), (torch.tensor([1.0, 0.5]), torch.tensor(2.0))),
        f(lambda a, b: a * 2, (a, b), torch.ones(2)),
    )


@program
def vjp_errors(torch):
    f = torch.autograd.functional.vjp
    a, b = pair(torch)
    return (
        caught(lambda: f(lambda x: x.exp(), a)),
        caught(lambda: f(lambda x: x.exp(), a, torch.ones(3))),
        caught(lambda: f(lambda x: x.exp(), a, (torch.ones(2), torch.ones(2)))),
        caught(lambda: f(lambda a, b: a * 2, (a, b), torch.ones(2), strict=True)),
        caught(lambda: f(lambda x: torch.ones(2), a, torch.ones(2), strict=True)),
        f(lambda x: torch.ones(2), a, torch.ones(2)),
    )


@program
def vjp_create_graph(torch):
    x = torch.tensor([1.0, 2.0], requires_grad=True)
    v = torch.tensor([1.0, 3.0], requires_grad=True)
    out, g = torch.autograd.functional.vjp(lambda t: t**3, x, v, create_graph=True)
    return out, g, torch.autograd.grad(g.sum(), (x, v))


@program
def jvp(torch):
    f = torch.autograd.functional.jvp
    a, b = pair(torch)
    return (
        f(lambda x: x.exp(), a, torch.tensor([1.0, 0.5])),
        f(lambda x: x * 2, torch.tensor([3.0])),
        f(lambda a, b: b @ a, (a, b), (torch.ones(2), torch.ones(2, 2))),
        f(lambda a, b: (b @ a, a.sum()), (a, b), (torch.ones(2), torch.ones(2, 2))),
        f(lambda a, b: a * 2, (a, b), (torch.ones(2), torch.ones(2, 2))),
        f(lambda x: torch.ones(2), a, torch.ones(2)),
    )


@program
def jvp_errors(torch):
    f = torch.autograd.functional.jvp
    a, b = pair(torch)
    return (
        caught(lambda: f(lambda x: x.exp(), a)),
        caught(lambda: f(lambda x: x.exp(), a, torch.ones(3))),
        caught(lambda: f(lambda a, b: a * 2, (a, b), (torch.ones(2),))),
        caught(
            lambda: f(lambda a, b: a * 2, (a, b), (torch.ones(2), torch.ones(2, 2)), strict=True)
        ),
    )


@program
def jvp_create_graph(torch):
    x = torch.tensor([1.0, 2.0], requires_grad=True)
    v = torch.tensor([1.0, 3.0], requires_grad=True)
    out, t = torch.autograd.functional.jvp(lambda t: t**3, x, v, create_graph=True)
    return out, t, torch.autograd.grad(t.sum(), (x, v))


@program
def hvp_and_vhp(torch):
    a, b = pair(torch)
    f = lambda a, b: (a @ b @ a) + (b**3).sum()  # noqa: E731
    v = (torch.tensor([1.0, -1.0]), torch.ones(2, 2))
    out = []
    for name in ("hvp", "vhp"):
        p = getattr(torch.autograd.functional, name)
        out.append(p(f, (a, b), v))
        out.append(p(lambda x: (x**3).sum(), a, torch.tensor([1.0, 2.0])))
        out.append(p(lambda x: x.sum(), a, torch.tensor([1.0, 2.0])))
        out.append(
            caught(lambda p=p: p(lambda x: x.sum(), a, torch.tensor([1.0, 2.0]), strict=True))
        )
        out.append(caught(lambda p=p: p(lambda x: x, a, torch.tensor([1.0, 2.0]))))
        out.append(caught(lambda p=p: p(lambda x: x.sum(), a, torch.ones(3))))
        out.append(caught(lambda p=p: p(lambda x: x.sum(), a)))
    return out


@program
def hvp_create_graph(torch):
    out = []
    for name in ("hvp", "vhp"):
        x = torch.tensor([1.0, 2.0], requires_grad=True)
        v = torch.tensor([1.0, 3.0], requires_grad=True)
        p = getattr(torch.autograd.functional, name)
        y, h = p(lambda t: (t**4).sum(), x, v, create_graph=True)
        out.append((y, h, torch.autograd.grad(h.sum(), (x, v))))
    return out


# -- gradcheck -------------------------------------------------------------------------------------


def wrong(torch: Any, factor: float = 1.001) -> Any:
    class Wrong(torch.autograd.Function):
        @staticmethod
        def forward(ctx, x):
            ctx.save_for_backward(x)
            return x * x

        @staticmethod
        def backward(ctx, g):
            (x,) = ctx.saved_tensors
            return 2 * factor * x * g + (0.1 if factor == 1 else 0)

    return Wrong.apply


@program
def gradcheck_passes(torch):
    check = torch.autograd.gradcheck
    x = torch.tensor([[0.5, -1.0], [2.0, 0.3]], dtype=torch.float64, requires_grad=True)
    w = torch.tensor([[0.1, 1.0], [1.5, 0.3]], dtype=torch.float64, requires_grad=True)
    out = []
    for fast in (False, True):
        out += [
            check(lambda a, b: a @ b, (x, w), fast_mode=fast),
            check(lambda a, b: (a @ b, (a * b).sum()), (x, w), fast_mode=fast),
            check(torch.sin, x, fast_mode=fast),
            check(lambda a, k: a * k, (x, 3.0), fast_mode=fast),
            check(lambda a: (a.sin(), a.argmax()), (x,), fast_mode=fast),
            check(torch.sin, x, check_forward_ad=True, fast_mode=fast),
            check(torch.sin, x, check_batched_grad=True, fast_mode=fast),
            check(torch.sin, x, check_grad_dtypes=True, fast_mode=fast),
            check(torch.sin, x, check_undefined_grad=False, fast_mode=fast),
            check(lambda a: a.detach() * 0 + 1, (x,), fast_mode=fast),
        ]
    return out


@program
def gradcheck_catches(torch):
    check = torch.autograd.gradcheck
    x = torch.tensor([0.5, -1.0, 2.0], dtype=torch.float64, requires_grad=True)
    out = []
    for fast in (False, True):
        for factor in (1.01, -1, 0, 2, 1):
            f = wrong(torch, factor)
            out.append(check(f, (x,), fast_mode=fast, raise_exception=False))
            out.append(caught(lambda f=f, fast=fast: check(f, (x,), fast_mode=fast)))
    return out


@program
def gradcheck_tolerances(torch):
    check = torch.autograd.gradcheck
    x = torch.tensor([0.5, -1.0, 2.0], dtype=torch.float64, requires_grad=True)
    f = wrong(torch, 1.01)
    return [
        check(f, (x,), rtol=0.1, raise_exception=False),
        check(f, (x,), atol=1.0, raise_exception=False),
        check(f, (x,), atol=1e-5, rtol=1e-3, raise_exception=False),
        check(torch.exp, (x,), eps=1e-3, atol=1e-2),
    ]


@program
def gradcheck_constant_that_is_not(torch):
    x = torch.tensor([0.5, -1.0], dtype=torch.float64, requires_grad=True)
    return [
        torch.autograd.gradcheck(
            lambda a: a.detach() * 2, (x,), raise_exception=False, fast_mode=fast
        )
        for fast in (False, True)
    ]


@program
def gradcheck_complex(torch):
    check = torch.autograd.gradcheck
    z = torch.tensor([1 + 2j, -0.5 + 0.3j], dtype=torch.complex128, requires_grad=True)
    x = torch.tensor([0.5, -1.0], dtype=torch.float64, requires_grad=True)
    fs = [
        torch.exp,
        torch.abs,
        lambda t: t * t.conj(),
        lambda t: t.real * t.imag,
        lambda t: t**3,
        torch.view_as_real,
    ]
    out = [[check(f, (z,), fast_mode=fast) for f in fs] for fast in (False, True)]
    out.append(check(lambda a: torch.complex(a, a * 2) * (1 + 2j), (x,)))
    out.append(check(lambda a: torch.complex(a, a * 2) ** 2, (x,), fast_mode=True))
    out.append(check(lambda a, b: a * b, (x, z)))
    return out


@program
def gradcheck_complex_catches(torch):
    class Unconjugated(torch.autograd.Function):
        @staticmethod
        def forward(ctx, z):
            ctx.save_for_backward(z)
            return z * z

        @staticmethod
        def backward(ctx, g):
            (z,) = ctx.saved_tensors
            return 2 * z * g

    z = torch.tensor([1 + 2j, -0.5 + 0.3j], dtype=torch.complex128, requires_grad=True)
    return [
        torch.autograd.gradcheck(Unconjugated.apply, (z,), fast_mode=fast, raise_exception=False)
        for fast in (False, True)
    ]


@program
def gradcheck_bad_inputs(torch):
    check = torch.autograd.gradcheck
    x = torch.tensor([0.5, -1.0], dtype=torch.float64, requires_grad=True)
    return (
        caught(lambda: check(torch.exp, (torch.ones(2, dtype=torch.float64),))),
        caught(lambda: check(torch.exp, (x[:1].expand(3),))),
        caught(
            lambda: check(torch.exp, (torch.ones(2, dtype=torch.float64),), raise_exception=False)
        ),
    )


@program
def gradgradcheck_passes_and_catches(torch):
    second = torch.autograd.gradgradcheck
    x = torch.tensor([0.5, -1.0, 2.0], dtype=torch.float64, requires_grad=True)
    w = torch.tensor([1.5, 1.0, -2.0], dtype=torch.float64, requires_grad=True)
    z = torch.tensor([1 + 2j, -0.5 + 0.3j], dtype=torch.complex128, requires_grad=True)

    class Wrong(torch.autograd.Function):
        @staticmethod
        def forward(ctx, x):
            ctx.save_for_backward(x)
            return x**3

        @staticmethod
        def backward(ctx, g):
            (x,) = ctx.saved_tensors
            return 3 * x * x.detach() * g

    out = []
    for fast in (False, True):
        out += [
            second(lambda a, b: a * b.exp(), (x, w), fast_mode=fast),
            second(torch.sin, x, gen_non_contig_grad_outputs=True, fast_mode=fast),
            second(lambda t: t**3, (z,), fast_mode=fast),
            second(
                torch.sin,
                (x,),
                torch.ones(3, dtype=torch.float64, requires_grad=True),
                fast_mode=fast,
            ),
            second(Wrong.apply, (x,), raise_exception=False, fast_mode=fast),
            caught(lambda fast=fast: second(Wrong.apply, (x,), fast_mode=fast)),
        ]
    return out


@program
def nondeterministic_backward(torch):
    class Random(torch.autograd.Function):
        @staticmethod
        def forward(ctx, x):
            return x * 1

        @staticmethod
        def backward(ctx, g):
            return g * (1 + torch.rand(1, dtype=torch.float64) * 1e-6)

    x = torch.tensor([0.5, -1.0], dtype=torch.float64, requires_grad=True)
    check = torch.autograd.gradcheck
    return (
        check(Random.apply, (x,), raise_exception=False),
        check(Random.apply, (x,), nondet_tol=1e-4),
        check(Random.apply, (x,), raise_exception=False, fast_mode=True),
    )


@program
def undefined_gradients(torch):
    class Two(torch.autograd.Function):
        @staticmethod
        def forward(ctx, x):
            ctx.set_materialize_grads(False)
            return x * 2, x * 3

        @staticmethod
        def backward(ctx, a, b):
            return a * 2 + b * 3

    x = torch.tensor([0.5, -1.0], dtype=torch.float64, requires_grad=True)
    return torch.autograd.gradcheck(
        Two.apply, (x,), check_undefined_grad=False, raise_exception=False
    )


# -- forward mode ----------------------------------------------------------------------------------


@program
def forward_mode(torch):
    fw = import_module(torch.__name__ + ".autograd.forward_ad")
    x, t = torch.tensor([1.0, 2.0]), torch.tensor([1.0, 0.5])
    w = torch.tensor([[1.0, 2.0], [3.0, 4.0]])
    out = []
    with fw.dual_level():
        d = fw.make_dual(x, t)
        for f in (
            lambda v: v * v,
            lambda v: v.exp().sum(),
            lambda v: w @ v,
            lambda v: v + 1,
            lambda v: v[0] * 3,
            lambda v: torch.cat([v, v * 2]),
            lambda v: v.softmax(0),
            lambda v: v.reshape(2, 1).t(),
            lambda v: v.max(),
        ):
            out.append(fw.unpack_dual(f(d))[1])
        out.append(fw.unpack_dual(x * 2)[1])
    return out


@program
def forward_mode_errors(torch):
    fw = import_module(torch.__name__ + ".autograd.forward_ad")
    x = torch.tensor([1.0, 2.0])
    out = [caught(lambda: fw.make_dual(x, x))]
    with fw.dual_level():
        out.append(caught(lambda: fw.make_dual(torch.tensor([1, 2]), torch.tensor([1, 2]))))
        out.append(caught(lambda: fw.make_dual(x, torch.ones(3))))
        out.append(caught(lambda: fw.enter_dual_level()))
    out.append(caught(lambda: fw.exit_dual_level()))
    return out


@program
def forward_over_reverse(torch):
    fw = import_module(torch.__name__ + ".autograd.forward_ad")
    with fw.dual_level():
        x = torch.tensor([1.0, 2.0], requires_grad=True)
        d = fw.make_dual(x, torch.tensor([1.0, 0.0]))
        (g,) = torch.autograd.grad((d**3).sum(), d, create_graph=True)
        p = fw.unpack_dual(g)
    return p.primal, p.tangent
