"""Forward mode: dual numbers, a tensor with a tangent.

Inside `dual_level()`, `make_dual(x, t)` attaches a tangent, and every operation computes the
tangent of its result, J t. An op needs no rule of its own for this: its derivative rules are linear
in the incoming gradient, and differentiating them with respect to it gives J t.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from ..errors import message
from . import door, function, watch
from .backward import grad
from .node import TensorBase

__all__ = [
    "UnpackedDualTensor",
    "dual_level",
    "enter_dual_level",
    "exit_dual_level",
    "make_dual",
    "unpack_dual",
]

_levels: list[Any] = []


class UnpackedDualTensor(NamedTuple):
    """Primal and tangent of a dual tensor."""

    primal: Any
    tangent: Any


def enter_dual_level() -> int:
    """Open a level of forward mode; one at a time."""
    if _levels:
        raise RuntimeError("Nested forward mode AD is not supported at the moment")
    watcher = watch.watching(push)
    watcher.__enter__()
    _levels.append(watcher)
    return 0


def exit_dual_level(*, level: int | None = None) -> None:
    """Close the level: tangents are forgotten."""
    if not _levels:
        raise RuntimeError("Trying to exit a forward AD level but no level is open")
    _levels.pop().__exit__(None, None, None)


class dual_level:
    """A block in which tensors may carry tangents.

    >>> import rushlight as torch
    >>> import rushlight.autograd.forward_ad as fwAD
    >>> with fwAD.dual_level():
    ...     x = fwAD.make_dual(torch.tensor(2.0), torch.tensor(1.0))
    ...     fwAD.unpack_dual(x * x).tangent
    tensor(4.)
    """

    def __enter__(self) -> int:
        return enter_dual_level()

    def __exit__(self, *args: object) -> None:
        exit_dual_level()


def make_dual(tensor: Any, tangent: Any, *, level: int | None = None) -> Any:
    """A tensor with the values of `tensor` and this tangent."""
    if not _levels:
        raise RuntimeError(
            "Trying to create a dual Tensor for forward AD but no level exists, make sure to "
            "enter_dual_level() first."
        )
    if not (tensor.is_floating_point() or tensor.is_complex()):
        raise ValueError(
            f"Expected primal to be floating point or complex, but got: {tensor.dtype}"
        )
    if tensor.shape != tangent.shape or tensor.dtype != tangent.dtype:
        raise RuntimeError(
            message(
                "Expected tangent to have the size and dtype of the tensor",
                got=f"{tuple(tangent.shape)} {tangent.dtype!r}",
                wanted=f"{tuple(tensor.shape)} {tensor.dtype!r}",
            )
        )
    dual = tensor.view_as(tensor)
    dual._tangent = (_levels[-1], tangent)
    return dual


def unpack_dual(tensor: Any, *, level: int | None = None) -> UnpackedDualTensor:
    """(primal, tangent); the tangent is None for a tensor that is not dual."""
    return UnpackedDualTensor(tensor, tangent_of(tensor))


def tangent_of(t: Any) -> Any:
    kept = t.__dict__.get("_tangent") if isinstance(t, TensorBase) else None
    return kept[1] if kept is not None and _levels and kept[0] is _levels[-1] else None


def push(next_apply: Any, op: Any, inputs: tuple[Any, ...], kw: Any) -> Any:
    """The watcher: compute the result, and its tangent when an operand has one."""
    tangents = [tangent_of(t) for t in inputs]
    out = next_apply(op, inputs, kw)
    if op.rules is None or all(t is None for t in tangents):
        return out
    attach(out, linear(lambda *xs: next_apply(op, xs, kw), inputs, tangents))
    return out


def attach(out: Any, tangents: Any) -> None:
    for y, t in zip(out if isinstance(out, tuple) else (out,), tangents, strict=True):
        if t is not None:
            y._tangent = (_levels[-1], t)


def linear(run: Any, inputs: tuple[Any, ...], tangents: list[Any]) -> list[Any]:
    """J t of `run` at `inputs`: differentiate the vjp, which is linear in its vector."""
    live = any(
        t is not None and t.requires_grad for t in (*inputs, *tangents) if isinstance(t, TensorBase)
    )
    live = live and door.state.enabled
    with door.grad_enabled(True):
        places = [i for i, t in enumerate(tangents) if t is not None]
        xs = list(inputs)
        for i in places:
            xs[i] = (
                inputs[i].view_as(inputs[i])
                if live and inputs[i].requires_grad
                else inputs[i].detach().requires_grad_()
            )
        got = run(*xs)
        single = not isinstance(got, tuple)
        outs = (got,) if single else got
        result: list[Any] = []
        for y in outs:
            if not isinstance(y, TensorBase) or y._fn is None:
                zero = isinstance(y, TensorBase) and y._a.dtype.kind in "fcV"
                result.append(door.wrap(np.zeros_like(y._a)) if zero else None)
                continue
            u = door.wrap(np.zeros_like(y._a)).requires_grad_()
            gs = grad(
                (y,), [xs[i] for i in places], (u,), create_graph=True, allow_unused=True
            )
            pairs = [
                (g, tangents[i])
                for g, i in zip(gs, places, strict=True)
                if g is not None and g._fn is not None
            ]
            if not pairs:
                result.append(door.wrap(np.zeros_like(y._a)))
                continue
            ts = grad(
                [g for g, _ in pairs],
                (u,),
                [t for _, t in pairs],
                create_graph=live,
                allow_unused=True,
            )
            t = ts[0] if ts[0] is not None else door.wrap(np.zeros_like(y._a))
            result.append(t if live else t.detach())
    return result


def apply_function(cls: Any, args: tuple[Any, ...], kw: Any) -> Any:
    """Custom Functions in forward mode: their `jvp`."""
    tangents = [tangent_of(a) for a in args]
    if not _levels or all(t is None for t in tangents):
        return NotImplemented
    from .function import _ctx_class, _static, finish

    ctx = _ctx_class(cls)()
    ctx.needs_input_grad = tuple(isinstance(a, TensorBase) and a._fn is not None for a in args)
    with door.grad_enabled(False):
        if _static(cls, "setup_context") is not function.Function.__dict__["setup_context"]:
            out = cls.forward(*args, **kw)
            cls.setup_context(ctx, args, out)
        else:
            out = cls.forward(ctx, *args, **kw)
        got = cls.jvp(ctx, *tangents)
    out = finish(ctx, cls.__name__ + "Backward", args, out, cls.backward)
    attach(out, got if isinstance(got, tuple) else (got,))
    return out


function.apply_handlers.append(apply_function)


def check_forward(
    func: Any, args: Any, xs: list[Any], eps: float, atol: float, rtol: float
) -> None:
    """gradcheck's forward-mode part: J t for unit tangents against differences in a random
    direction."""
    from .gradcheck import GradcheckError, _as_tuple, _differentiable

    rng = np.random.default_rng(0)
    for i, x in enumerate(xs):
        u = rng.standard_normal(x._a.shape).astype(x._a.dtype)
        before = x._a.copy()
        np.copyto(x._a, before + eps * u)
        up = [np.array(o._a) for o in _differentiable(func(*args))]
        np.copyto(x._a, before - eps * u)
        down = [np.array(o._a) for o in _differentiable(func(*args))]
        np.copyto(x._a, before)
        with dual_level():
            dual = make_dual(x.detach(), door.wrap(u))
            outs = _as_tuple(func(*[dual if a is x else a for a in args]))
            got = [tangent_of(o) for o in _differentiable(outs)]
        for o, (t, a, b) in enumerate(zip(got, up, down, strict=True)):
            numeric = (a - b) / (2 * eps)
            value = np.zeros_like(numeric) if t is None else t._a
            if not np.allclose(value, numeric, rtol, atol):
                raise GradcheckError(
                    f"Jacobian computed with forward mode mismatch for output {o} with respect "
                    f"to input {i}"
                )
