"""Forward mode: dual numbers, a tensor with a tangent.

Inside `dual_level()`, `make_dual(x, t)` attaches a tangent, and every operation computes the
tangent of its result, J t. An op needs no rule of its own for this: its derivative rules are linear
in the incoming gradient, and differentiating them with respect to it gives J t.
"""

from __future__ import annotations

import importlib
from typing import Any, NamedTuple

import numpy as np

from ..errors import message
from ..kernels.meta import UnresolvedArray
from . import changes, door, function_node, op_node, views, watch
from .backward import grad
from .node import LEAF, Out, TensorBase

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


class without_tangents:
    """A block in which no tangents are computed. (What is switched by a constructor stays so when
    Ctrl-C comes between it and the block.)"""

    __slots__ = ("before",)

    def __enter__(self) -> None:
        global _enabled
        self.before, _enabled = _enabled, False

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
    importlib.import_module(f"{__package__}.forward_functions")  # Functions ask it from now on
    watcher = watch.watching(push)
    try:
        watcher.__enter__()
        _levels[:] = [watcher]
        changes.change_watchers += [watching]
        _current_level = 0
    except BaseException:
        watcher.leave()
        raise
    return 0


def exit_dual_level(*, level: int | None = None) -> None:
    """Close the level: tangents are forgotten."""
    if not _levels:
        raise RuntimeError("Trying to exit a forward AD level but no level is open")
    _close()


def _close() -> None:
    """Close the level, if there is one; where this is interrupted it is called again."""
    global _current_level
    if not _levels:
        return
    _levels[0].leave()
    changes.change_watchers[:] = [w for w in changes.change_watchers if w is not watching]
    _current_level = -1
    _levels[:] = []


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
        try:
            exit_dual_level()
        except BaseException:
            _close()
            raise


def make_dual(tensor: Any, tangent: Any, *, level: int | None = None) -> Any:
    """A tensor with the values of `tensor` and this tangent."""
    if not _levels:
        raise RuntimeError(
            "Trying to create a dual Tensor for forward AD but no level exists, make sure to "
            "enter_dual_level() first."
        )
    for t, called in ((tensor, "primal"), (tangent, "tangent")):
        if not (t.is_floating_point() or t.is_complex()):
            raise ValueError(
                f"Expected {called} to be floating point or complex, but got: {t.dtype}"
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
    dual = apart(tensor)
    set_tangent(dual, tangent)
    return dual


def unpack_dual(tensor: Any, *, level: int | None = None) -> UnpackedDualTensor:
    """(primal, tangent); the tangent is None for a tensor that is not dual. The primal is a new
    tensor of the same memory and history, without the tangent."""
    if not _levels:
        return UnpackedDualTensor(tensor, None)
    return UnpackedDualTensor(apart(tensor), tangent_of(tensor))


def apart(tensor: Any) -> Any:
    """A view of a tensor for backward, and another tensor for forward mode: neither has a part in
    the tangent of the other."""
    with without_tangents():
        y = tensor.view_as(tensor)
    if tensor._fn is None:  # nor for backward: a change of either is of values alone
        y._v = None
    y.__dict__["_of"] = (_levels[-1], None)
    return y


# -- tangents of tensors and of their views --------------------------------------------------------
# A tangent is in `_tangent` of its tensor, beside its level. The tangent of a view is a view of the
# base's tangent, so that a change of either is one of both, as in PyTorch. What a tensor is a view
# of for forward mode is in `_of` (level, (base, chain) or None) where that is not what it is a view
# of for backward: of a dual tensor, and views of it.


def viewed(t: Any) -> Any:
    """(base, chain of view ops) of what is a view for forward mode, else None."""
    kept = t.__dict__.get("_of")
    if kept is not None and kept[0] is _levels[-1]:
        return kept[1]
    return None if t._v is None else (t._v.base, t._v.chain)


def tangent_of(t: Any) -> Any:
    """The tangent of a tensor; of a view without one, that part of its base's."""
    if not isinstance(t, TensorBase) or not _levels:
        return None
    own = own_tangent(t)
    if own is not None:
        return own
    of = viewed(t)
    whole = None if of is None else own_tangent(of[0])
    if whole is None:
        return None
    with without_tangents():
        part = views.along(of[1], whole)
    t.__dict__["_tangent"] = (_levels[-1], part)
    return part


def own_tangent(t: Any) -> Any:
    kept = t.__dict__.get("_tangent")
    return kept[1] if kept is not None and kept[0] is _levels[-1] else None


def set_tangent(t: Any, tangent: Any, changed: bool = False) -> None:
    """Give a tensor its tangent, in the tensor's own layout: views of both go the same ways. If a
    view was `changed`, that is a part of its base's tangent."""
    of = viewed(t) if changed else None
    if of is not None and own_tangent(of[0]) is None:
        base, chain = of
        if fits(tangent, base) and fits(tangent, t):
            base._tangent = (_levels[-1], tangent)
        else:
            whole = laid_as(base)
            base._tangent = (_levels[-1], whole)
            with without_tangents():
                part = views.along(chain, whole)
                part.copy_(tangent)
            tangent = part
    elif not fits(tangent, t):
        own = laid_as(t)
        with without_tangents():
            own.copy_(tangent)
        tangent = own
    t._tangent = (_levels[-1], tangent)


def fits(tangent: Any, t: Any) -> bool:
    """Whether a tangent lies in memory as its tensor does, so that views of both are alike."""
    a: Any = tangent._a
    b: Any = t._a
    if a.shape != b.shape:
        return False
    if a.__class__ not in FLAT or b.__class__ not in FLAT or a.size == 0:
        return True
    if bits(a) != bits(b):
        return False
    if any(s != r for s, r, n in zip(a.strides, b.strides, a.shape, strict=True) if n != 1):
        return False
    return bool(door.state.transforms) or stored(tangent) == stored(t)


def bits(a: Any) -> tuple[bool, bool]:
    """How the memory of an array is read."""
    return (a.conj, a.neg) if a.__class__ is UnresolvedArray else (False, False)


FLAT = (np.ndarray, UnresolvedArray)


def stored(t: Any) -> int:
    """How many elements the memory of a tensor has."""
    a: Any = t._a
    a = a.raw if a.__class__ is UnresolvedArray else a
    if a.base is None:
        return int(a.size)
    return int(t.untyped_storage().nbytes() // a.dtype.itemsize)


def laid_as(t: Any) -> Any:
    """Zeros that lie in memory as a tensor does."""
    a = t._a
    if a.__class__ not in FLAT:
        return door.zeros_of(t)
    flat = door.wrap(np.zeros(stored(t), a.dtype))
    made = flat.as_strided(t.shape, t.stride(), t.storage_offset()).detach()
    return door.wrap(a.over(made._a)) if a.__class__ is UnresolvedArray else made


class _Changes(changes.ChangeWatcher):
    """After a change in place, the tangent of the result is that of what was changed."""

    def operands(self, target: Any, inputs: tuple[Any, ...]) -> tuple[Any, ...]:
        """Copies, where derivatives of the tangent will want the values from before the change."""
        tangent = tangent_of(target) if _enabled and door.state.enabled else None
        if tangent is None or (tangent._fn is None and target._fn is None):
            return inputs
        own = changes.before_change(target)
        own.__dict__["_tangent"] = (_levels[-1], tangent.clone())
        return tuple([own if x is target else x for x in inputs])

    def after(self, target: Any, result: Any) -> None:
        if not _enabled:
            return
        tangent, before = tangent_of(result), tangent_of(target)
        if before is None and tangent is None:
            return
        if before is None:
            set_tangent(target, tangent, changed=True)
            return
        with without_tangents():
            if before._fn is LEAF and door.state.enabled:  # it cannot be written to
                before = before.clone()
                target._tangent = (_levels[-1], before)
            if tangent is None:
                before.zero_()
            else:
                before.copy_(tangent)


watching = _Changes()


def push(next_apply: Any, op: Any, inputs: tuple[Any, ...], kw: Any) -> Any:
    """The watcher: compute the result, and its tangent when an operand has one."""
    tangents = [tangent_of(t) if _enabled else None for t in inputs]
    out = next_apply(op, inputs, kw)
    if op.view:
        follow(op, inputs[0], kw, out)
    if op.rules is None or all(t is None for t in tangents):
        return out
    if op.view and tangents[0] is not None:
        attach(out, next_apply(op, (tangents[0],), kw))
        return out
    try:
        found = linear(lambda *xs: next_apply(op, xs, kw), inputs, tangents)
    except NotImplementedError as error:
        raise NotImplementedError(
            message(
                f"Trying to use forward AD with {op.name} that does not support it because it has "
                "not been implemented yet.",
                got=str(error).split("\n")[0],
                hint="backward(), or the operation outside of the dual level",
            )
        ) from None
    attach(out, found)
    return out


def follow(op: Any, t: Any, kw: Any, out: Any) -> None:
    """Note what views of a dual tensor, and of views of it, are views of."""
    kept = t.__dict__.get("_of")
    if kept is None or kept[0] is not _levels[-1]:
        return
    base, chain = kept[1] or (t, ())
    for nr, y in enumerate(out) if isinstance(out, tuple) else ((None, out),):
        y.__dict__["_of"] = (_levels[-1], (base, (*chain, (op, kw, nr))))


def attach(out: Any, tangents: Any) -> None:
    """Give results their tangents."""
    one = not isinstance(out, tuple)
    tangents = (tangents,) if isinstance(tangents, TensorBase) else tangents
    for y, t in zip((out,) if one else out, tangents, strict=True):
        if t is None:
            continue
        set_tangent(y, t)
        keep_with_output(y)


def keep_with_output(y: Any) -> None:
    """Where a node keeps this result, it keeps its tangent, too."""
    node, nr = (y._fn.node, y._fn.nr) if y._fn.__class__ is Out else (y._fn, 0)
    if isinstance(node, op_node.OpNode):
        keeps = views.op_keeps_output(node)
    else:
        keeps = isinstance(node, function_node.FunctionNode)
    if keeps:
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
                zero = isinstance(y, TensorBase) and y._a.dtype.kind in "fcVW"
                result.append(door.zeros_of(y) if zero else None)
                continue
            u = door.ones_of(y)._require_grad()  # no zeros, for which some rules ask
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


def size_error(tensor: Any, tangent: Any) -> RuntimeError:
    """A tangent of another size than its tensor's."""
    return RuntimeError(
        "Trying to set a forward gradient that has a different size than that of the original "
        f"Tensor, this is not supported. Tensor is of size {list(tensor.shape)} while the given "
        f"forward gradient is of size {list(tangent.shape)}."
    )
