"""Gradients at the edges, where calculus has no answer of its own: compared with PyTorch."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

programs: list[Any] = []
ODD = (0.0, -0.0, 1.0, -1.0, 2.0, float("nan"), float("inf"))


def program(fn: Callable[[Any], Any]) -> Callable[[Any], Any]:
    programs.append(pytest.param(fn, id=fn.__name__))
    return fn


@pytest.mark.parametrize("fn", programs)
def test_program(fn: Callable[[Any], Any], both: Callable[..., Any]) -> None:
    both(fn)


# -- infinite gradients, zeros to the zero, NaN ----------------------------------------------------


@program
def infinite_gradients_of_steps_are_zero(torch: Any) -> Any:
    out = []
    for name in ("floor", "round", "ceil", "trunc", "sign", "fix", "sgn"):
        x = torch.tensor([1.5, -0.5, 0.0], requires_grad=True)
        getattr(torch, name)(x).backward(torch.tensor([float("inf"), float("nan"), 1.0]))
        out.append(x.grad + 0)  # PyTorch's may be a tensor without memory
    for mode in ("floor", "trunc"):
        x, y = (torch.tensor([1.5, 2.0], requires_grad=True) for _ in range(2))
        torch.div(x, y, rounding_mode=mode).backward(torch.tensor([float("inf"), 1.0]))
        out += [x.grad + 0, y.grad + 0]
    return out


@program
def zero_to_the_zero(torch: Any) -> Any:
    out = []
    for a in ODD:
        for b in ODD:
            x, y = (torch.tensor(v, requires_grad=True) for v in (a, b))
            (x**y).backward()
            z = torch.tensor(b, requires_grad=True)
            (a**z).backward()
            w = torch.tensor(a, requires_grad=True)
            (w**b).backward()
            out += [x.grad, y.grad, z.grad, w.grad]
    return out


@program
def the_angle_of_the_origin(torch: Any) -> Any:
    x, y = (torch.zeros(2, requires_grad=True) for _ in range(2))
    torch.atan2(x, y).sum().backward()
    return x.grad, y.grad


@program
def acosh_below_minus_one(torch: Any) -> Any:
    x = torch.tensor([-3.0, -1.5, 1.5, 3.0, 0.5], requires_grad=True)
    torch.acosh(x).sum().backward()
    return x.grad


@program
def extremes_of_nan(torch: Any) -> Any:
    nan, out = float("nan"), []
    for name in ("maximum", "minimum", "fmax", "fmin", "max", "min"):
        x = torch.tensor([nan, nan, 1.0, 2.0, 3.0], requires_grad=True)
        y = torch.tensor([nan, 1.0, nan, 2.0, 2.0], requires_grad=True)
        getattr(torch, name)(x, y).sum().backward()
        out += [x.grad, y.grad]
    for name in ("amax", "amin", "max", "min"):
        x = torch.tensor([nan, 1.0, nan], requires_grad=True)
        getattr(torch, name)(x).backward()
        out.append(x.grad)
    return out


@program
def cholesky_solve_with_a_full_factor(torch: Any) -> Any:
    out = []
    for upper in (False, True):
        a = torch.tensor([[2.0, 0.3, 0.1], [0.5, 1.5, 0.2], [0.4, 0.7, 1.2]], requires_grad=True)
        b = torch.tensor([[1.0, 2.0], [0.5, 0.1], [0.3, 0.4]], requires_grad=True)
        (torch.cholesky_solve(b, a, upper=upper) ** 2).sum().backward()
        out += [a.grad, b.grad]
        a.grad = None
        (torch.cholesky_inverse(a, upper=upper) ** 2).sum().backward()
        out.append(a.grad)
    return out


# -- graphs ----------------------------------------------------------------------------------------


@program
def second_derivatives_through_changed_views(torch: Any) -> Any:
    out = []
    for name in ("sqrt_", "sigmoid_", "tanh_", "exp_", "rsqrt_", "reciprocal_", "tan_", "relu_"):
        x = torch.tensor([0.3, 0.4, 0.5, 0.6], requires_grad=True)
        y = x.clone()
        getattr(y[1:3], name)()
        (g,) = torch.autograd.grad((y**2).sum(), x, create_graph=True)
        (h,) = torch.autograd.grad((g**2).sum(), x)
        out += [g, h]
    return out


@program
def views_in_place_keep_their_history_under_no_grad(torch: Any) -> Any:
    out = []
    for name, args in (
        ("t_", ()), ("squeeze_", ()), ("unsqueeze_", (0,)), ("transpose_", (0, 1)),
    ):  # fmt: skip
        x = torch.ones(1, 3, requires_grad=True)
        y = (x * 2)[:]
        with torch.no_grad():
            getattr(y, name)(*args)
        y.sum().backward()
        with torch.no_grad():
            getattr(x, name)(*args)
        out += [y.requires_grad, x.requires_grad, x.is_leaf, list(x.shape), list(y.shape)]
    return out


@program
def checkpoints_compute_again_under_the_same_autocast(torch: Any) -> Any:
    checkpoint, seen = torch.utils.checkpoint.checkpoint, []
    layer = torch.nn.Linear(4, 4)

    def f(x: Any) -> Any:
        y = layer(x)
        seen.append(str(y.dtype).split(".")[-1])
        return y.float().sum()

    x = torch.ones(2, 4, requires_grad=True)
    for reentrant in (True, False):
        with torch.autocast("cpu", dtype=torch.bfloat16):
            y = checkpoint(f, x, use_reentrant=reentrant)
        y.backward()
    y = checkpoint(f, x, use_reentrant=False)
    with torch.autocast("cpu", dtype=torch.bfloat16):
        y.backward()
    return seen[:3] + seen[-1:]


# -- forward mode ----------------------------------------------------------------------------------


def dual(torch: Any, tangent: float = 3.0) -> Any:
    return torch.autograd.forward_ad.make_dual(torch.ones(2), torch.full((2,), tangent))


def tangent(torch: Any, t: Any) -> Any:
    return torch.autograd.forward_ad.unpack_dual(t).tangent


@program
def changes_in_place_carry_tangents(torch: Any) -> Any:
    out = []
    changes = [
        lambda t: t.copy_(dual(torch)),
        lambda t: t.add_(dual(torch)),
        lambda t: t[:1].copy_(dual(torch)[:1]),
        lambda t: t.__setitem__(1, dual(torch)[0]),
        lambda t: t.__setitem__(torch.tensor([1, 0]), dual(torch)),
        lambda t: t.add_(dual(torch)).exp_(),
    ]
    with torch.autograd.forward_ad.dual_level():
        for change in changes:
            t = torch.zeros(2)
            change(t)
            out.append(tangent(torch, t))
        for change in (
            *changes,
            lambda t: t.fill_(2.0),
            lambda t: t.zero_(),
            lambda t: t.mul_(2),
            lambda t: t[:1].mul_(5),
            lambda t: t.copy_(torch.zeros(2)),
        ):
            t = dual(torch, 7.0)
            change(t)
            out.append(tangent(torch, t))
    return out


@program
def functions_in_forward_mode_get_zeros_and_saved_tensors(torch: Any) -> Any:
    class Product(torch.autograd.Function):
        @staticmethod
        def forward(ctx: Any, a: Any, b: Any, k: int) -> Any:
            ctx.save_for_forward(a, b)
            return a * b * k

        @staticmethod
        def jvp(ctx: Any, ta: Any, tb: Any, tk: Any) -> Any:
            a, b = ctx.saved_tensors
            return (ta * b + tb * a) * 2 if tk is None else None

    x = torch.tensor([3.0, 4.0])
    with torch.autograd.forward_ad.dual_level():
        both = Product.apply(dual(torch), dual(torch), 2)
        return [
            tangent(torch, t) for t in (Product.apply(dual(torch), x, 2),
                                        Product.apply(x, dual(torch), 2), both)
        ]  # fmt: skip


@program
def forward_over_reverse(torch: Any) -> Any:
    x = torch.tensor([0.1, 0.2], dtype=torch.float64, requires_grad=True)
    return [
        torch.autograd.gradgradcheck(f, (x,), check_fwd_over_rev=True)
        for f in (lambda x: x.exp().sin(), lambda x: x.sigmoid() * x.tanh(), lambda x: x**3)
    ]


# -- hooks -----------------------------------------------------------------------------------------


@program
def hooks_return_gradients_or_nothing(torch: Any) -> Any:
    out = []
    for value in (1.0, "a", [1.0], (torch.ones(2),), torch.ones(3), torch.ones(2).double(), True):
        for place in range(6):
            x = torch.ones(2, requires_grad=True)
            y = x * 2
            node = y.grad_fn
            give = lambda *_, value=value: value  # noqa: E731
            give_one = lambda *_, value=value: (value,)  # noqa: E731
            register, hook = (
                (y.register_hook, give),
                (x.register_hook, give),
                (node.register_hook, give),
                (node.register_prehook, give),
                (node.register_prehook, give_one),
                (x.register_post_accumulate_grad_hook, give),
            )[place]
            register(hook)
            try:
                y.sum().backward()
                out.append(x.grad)
            except (RuntimeError, TypeError) as error:
                out += [type(error).__name__, str(error).split("\n")[0]]
    return out


# -- calls of older programs -----------------------------------------------------------------------


@program
def views_made_under_no_grad_require_gradients(torch: Any) -> Any:
    x = torch.ones(2, 3, requires_grad=True)
    with torch.no_grad():
        made = [x.view(6), x[0], x.t(), x.unbind()[0], x.split(1)[0], x.detach(), x * 2]
        array = x.numpy()
    out = [(v.requires_grad, v.is_leaf, v.grad_fn is None) for v in made]
    (made[0] * 2).sum().backward()
    try:
        made[1].mul_(2)
    except RuntimeError as error:
        out.append(type(error).__name__)
    return [*out, x.grad, float(array.sum())]


@program
def factors_in_front_of_tensors(torch: Any) -> Any:
    a, b, c = torch.ones(2, 2), torch.full((2, 2), 2.0), torch.full((2, 2), 3.0)
    return [
        torch.add(a, 0.5, b), a.sub(0.5, b), a.clone().add_(0.5, b), torch.addcmul(a, 0.5, b, c),
        a.clone().addcdiv_(0.5, b, c), a.addmm(0.5, b, c), torch.addmm(0.5, a, 2, b, c),
        a.clone().addmm_(0.5, 2, b, c), a[0].addmv(0.5, b, c[0]), a.addr(0.5, 2, b[0], c[0]),
        torch.baddbmm(0.5, a[None], b[None], c[None]), torch.addbmm(a, b[None], c[None]),
    ]  # fmt: skip


@program
def numbers_into_tensors(torch: Any) -> Any:
    t, z = torch.zeros(3), torch.ones(2, dtype=torch.complex64)
    t.copy_(2.0)
    z.real = 0
    z.imag = torch.tensor([1.0, 2.0])
    return t, torch.view_as_real(z)


@program
def nothing_to_compute(torch: Any) -> Any:
    f, none = torch.nn.functional, torch.full((2,), -100)
    expanded = torch.zeros(0, 1).expand(0, 3)
    return [
        f.cross_entropy(torch.zeros(2, 0), none),
        f.cross_entropy(torch.zeros(2, 0), torch.zeros(2, 0)),
        f.nll_loss(torch.zeros(2, 0), none),
        f.softmax(torch.zeros(0, 3, dtype=torch.int64), 1),
        expanded.div_(2), expanded.fill_(2), torch.zeros(()).mT,
    ]  # fmt: skip


@program
def similarity_of_integers(torch: Any) -> Any:
    return torch.cosine_similarity(torch.tensor([[1, 2]]), torch.tensor([[3, 4]]))


@program
def similarity_of_integers_and_floats(torch: Any) -> Any:
    return torch.cosine_similarity(torch.tensor([[1, 2]]), torch.tensor([[3.0, 4.0]]))


@program
def out_dims_of_one_result(torch: Any) -> Any:
    return torch.vmap(lambda v: v * 2, out_dims=(1,))(torch.ones(3, 2))
