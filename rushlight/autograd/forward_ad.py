"""Forward mode: dual numbers, a tensor with a tangent.

Inside `dual_level()`, `make_dual(x, t)` attaches a tangent, and every operation computes the
tangent of its result, J t. An op needs no rule of its own for this: its derivative rules are linear
in the incoming gradient, and differentiating them with respect to it gives J t.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from ..errors import message
from . import door, function, op_node, views, watch
from .backward import grad
from .node import Out, TensorBase

__all__ = [
    "UnpackedDualTensor",
    "dual_level",
    "enter_dual_level",
    "exit_dual_level",
    "make_dual",
    "unpack_dual",
]

_levels: list[Any] = []
_current_level = -1  # as PyTorch counts them
_enabled = True


def _is_fwd_grad_enabled() -> bool:
    """Whether tangents are computed."""
    return _enabled


class _set_fwd_grad_enabled:
    """Switch tangents on or off, at once and, as a block, until its end."""

    def __init__(self, mode: bool) -> None:
        global _enabled
        self.before, _enabled = _enabled, bool(mode)

    def __enter__(self) -> None:
        pass

    def __exit__(self, *args: object) -> None:
        global _enabled
        _enabled = self.before


class UnpackedDualTensor(NamedTuple):
    """Primal and tangent of a dual tensor."""

    primal: Any
    tangent: Any


def enter_dual_level() -> int:
    """Open a level of forward mode; one at a time."""
    global _current_level
    if _levels:
        raise RuntimeError("Nested forward mode AD is not supported at the moment")
    watcher = watch.watching(push)
    watcher.__enter__()
    _levels.append(watcher)
    views.writers.append(written)
    _current_level = 0
    return 0


def exit_dual_level(*, level: int | None = None) -> None:
    """Close the level: tangents are forgotten."""
    global _current_level
    if not _levels:
        raise RuntimeError("Trying to exit a forward AD level but no level is open")
    _levels.pop().__exit__(None, None, None)
    views.writers.remove(written)
    _current_level = -1


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
    if tensor.shape != tangent.shape:
        raise size_error(tensor, tangent)
    if tangent_of(tangent) is not None:
        raise RuntimeError(
            "Trying to set a forward gradient that itself already has a forward gradient at the "
            "same level, which is not supported."
        )
    if tensor.dtype != tangent.dtype:
        raise RuntimeError(
            message(
                "Expected tangent to have the size and dtype of the tensor",
                got=f"{tuple(tangent.shape)} {tangent.dtype!r}",
                wanted=f"{tuple(tensor.shape)} {tensor.dtype!r}",
            )
        )
    dual = tensor.view_as(tensor)
    if tensor._fn is None:  # a change in place is of the tensor's values, and of this tangent alone
        dual._v = None
    dual._tangent = (_levels[-1], tangent)
    return dual


def unpack_dual(tensor: Any, *, level: int | None = None) -> UnpackedDualTensor:
    """(primal, tangent); the tangent is None for a tensor that is not dual."""
    return UnpackedDualTensor(tensor, tangent_of(tensor))


def tangent_of(t: Any) -> Any:
    """The tangent of a tensor; of a view, the part of its base's: either may have been changed in
    place since."""
    if not isinstance(t, TensorBase) or not _levels:
        return None
    if t._v is not None:
        whole = own_tangent(t._v.base)
        if whole is not None:
            return views.along(t._v.chain, whole)
    return own_tangent(t)


def own_tangent(t: Any) -> Any:
    kept = t.__dict__.get("_tangent")
    return kept[1] if kept is not None and kept[0] is _levels[-1] else None


def written(target: Any, result: Any) -> None:
    """The writer: after a change in place, the tangent of the result is that of the target."""
    tangent, before = tangent_of(result), tangent_of(target)
    if tangent is None and before is None:
        return
    if tangent is None:
        tangent = door.zeros_of(target)
    base = None if target._v is None else target._v.base
    whole = None if base is None else own_tangent(base)
    if base is None or (whole is None and before is not None):
        target._tangent = (_levels[-1], tangent)
        return
    whole = door.wrap(np.zeros_like(base._a) if whole is None else whole._a.copy())
    with door.grad_enabled(False):
        np.copyto(views.along(target._v.chain, whole)._a, tangent._a, casting="unsafe")
    base._tangent = (_levels[-1], whole)


def push(next_apply: Any, op: Any, inputs: tuple[Any, ...], kw: Any) -> Any:
    """The watcher: compute the result, and its tangent when an operand has one."""
    tangents = [tangent_of(t) for t in inputs]
    out = next_apply(op, inputs, kw)
    if op.rules is None or not _enabled or all(t is None for t in tangents):
        return out
    attach(out, linear(lambda *xs: next_apply(op, xs, kw), inputs, tangents))
    return out


def attach(out: Any, tangents: Any) -> None:
    for y, t in zip(out if isinstance(out, tuple) else (out,), tangents, strict=True):
        if t is None:
            continue
        y._tangent = (_levels[-1], t)
        node, nr = (y._fn.node, y._fn.nr) if y._fn.__class__ is Out else (y._fn, 0)
        if isinstance(node, op_node.OpNode) and views.op_keeps_output(node):
            x = node.extras()
            x.tangents = {**(x.tangents or {}), nr: y._tangent}


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
                else inputs[i].detach()._require_grad()
            )
        got = run(*xs)
        single = not isinstance(got, tuple)
        outs = (got,) if single else got
        result: list[Any] = []
        for y in outs:
            if not isinstance(y, TensorBase) or y._fn is None:
                zero = isinstance(y, TensorBase) and y._a.dtype.kind in "fcV"
                result.append(door.zeros_of(y) if zero else None)
                continue
            u = door.zeros_of(y)._require_grad()
            gs = grad((y,), [xs[i] for i in places], (u,), create_graph=True, allow_unused=True)
            pairs = [
                (g, tangents[i])
                for g, i in zip(gs, places, strict=True)
                if g is not None and g._fn is not None
            ]
            if not pairs:
                result.append(door.zeros_of(y))
                continue
            ts = grad(
                [g for g, _ in pairs],
                (u,),
                [t for _, t in pairs],
                create_graph=live,
                allow_unused=True,
            )
            t = ts[0] if ts[0] is not None else door.zeros_of(y)
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
    if ctx._materialize:
        tangents = [
            door.zeros_of(a)
            if t is None and isinstance(a, TensorBase) and a._a.dtype.kind in "fcV"
            else t
            for t, a in zip(tangents, args, strict=True)
        ]
    kept = ctx._to_save
    ctx._to_save = getattr(ctx, "saved_for_forward", kept)  # what `jvp` finds as saved_tensors
    got = cls.jvp(ctx, *tangents)
    ctx._to_save = kept
    if not isinstance(got, tuple):
        got = (got,)
    check_tangents(out if isinstance(out, tuple) else (out,), got)
    out = finish(ctx, cls.__name__ + "Backward", args, out, function.backward_of(cls))
    attach(out, got)
    return out


def check_tangents(outs: tuple[Any, ...], got: tuple[Any, ...]) -> None:
    """Raise unless `jvp` returned a tangent, or None, for each output, of its size."""
    if len(outs) != len(got):
        raise RuntimeError(
            message(
                "Function's jvp returned an invalid number of forward gradients "
                f"(expected {len(outs)} but got {len(got)})",
                hint="return one tangent, or None, for each output of forward",
            )
        )
    for y, t in zip(outs, got, strict=True):
        if t is not None and t.shape != y.shape:
            raise size_error(y, t)
        if t is not None and y._a.dtype.kind not in "fcV":
            raise RuntimeError(
                "The jvp of a custom Function returned a forward gradient for an output that is "
                "not differentiable. You should return None at that position instead."
            )


def size_error(tensor: Any, tangent: Any) -> RuntimeError:
    """A tangent of another size than its tensor's."""
    return RuntimeError(
        "Trying to set a forward gradient that has a different size than that of the original "
        f"Tensor, this is not supported. Tensor is of size {list(tensor.shape)} while the given "
        f"forward gradient is of size {list(tangent.shape)}."
    )


function.apply_handlers.append(apply_function)


def check_forward(
    func: Any, args: Any, xs: list[Any], eps: float, atol: float, rtol: float
) -> None:
    """gradcheck's forward-mode part: J t for unit tangents against differences in a random
    direction."""
    from .gradcheck import GradcheckError, _as_tuple, _differentiable, numbers, put

    rng = np.random.default_rng(0)
    for i, x in enumerate(xs):
        u = rng.standard_normal(x._a.shape).astype(x._a.dtype)
        before = numbers(x)
        put(x, before + eps * u)
        up = [numbers(o) for o in _differentiable(func(*args))]
        put(x, before - eps * u)
        down = [numbers(o) for o in _differentiable(func(*args))]
        put(x, before)
        with dual_level():
            dual = make_dual(x.detach().requires_grad_(), door.wrap(u))
            outs = _as_tuple(func(*[dual if a is x else a for a in args]))
            got = [tangent_of(o) for o in _differentiable(outs)]
        for o, (t, a, b) in enumerate(zip(got, up, down, strict=True)):
            numeric = (a - b) / (2 * eps)
            value = np.zeros_like(numeric) if t is None else numbers(t)
            if not np.allclose(value, numeric, rtol, atol):
                raise GradcheckError(
                    f"Jacobian computed with forward mode mismatch for output {o} with respect "
                    f"to input {i}"
                )
