"""Custom Functions in forward mode: their `jvp`, and what it has to return.

Not here: tangents of operations (`forward_ad.py`), what backward makes of a Function
(`function_node.py`).
"""

from __future__ import annotations

from typing import Any

from ..errors import message
from . import door, forward_ad, function, function_node
from .node import TensorBase


def apply_function(cls: Any, args: tuple[Any, ...], kw: Any) -> Any:
    """Custom Functions in forward mode: their `jvp`."""
    tangents = [forward_ad.tangent_of(a) for a in args]
    if not forward_ad._enabled or all(t is None for t in tangents):
        return NotImplemented
    versions = [None if t is None else t._changes() for t in tangents]
    before = list(tangents)
    with forward_ad.without_tangents():  # `jvp` differentiates what it computes
        ctx, raw = function.forwarded(cls, args, kw)
        dirty, plain = ctx._dirty, ctx._non_differentiable
        backward = function.backward_of(cls)
        out = function_node.finish(ctx, cls.__name__ + "Backward", args, raw, backward)
    if ctx._materialize:
        tangents = [
            door.zeros_of(a)
            if t is None and isinstance(a, TensorBase) and a._a.dtype.kind in "fcVW"
            else t
            for t, a in zip(tangents, args, strict=True)
        ]
    ctx._in_jvp = True
    try:
        got = cls.jvp(ctx, *tangents)
    finally:
        ctx._in_jvp = False
        ctx.saved_for_forward = ()
    got = got if isinstance(got, tuple) else (got,)
    raws = raw if isinstance(raw, tuple) else (raw,)
    outs = out if isinstance(out, tuple) else (out,)
    check_tangents(raws, got, plain)
    places = {id(a): i for i, a in reversed(list(enumerate(args)))}
    for r, y, t in zip(raws, outs, got, strict=True):
        i = places.get(id(r), -1)
        if t is None:
            continue
        if any(r is d for d in dirty) and i >= 0:
            if before[i] is None:
                forward_ad.set_tangent(y, t, changed=True)
            else:
                check_changed(t, before[i], versions[i])
        else:
            set_view(y, t, r, args, before)
        forward_ad.keep_with_output(y)
    return out


def check_changed(tangent: Any, before: Any, version: Any) -> None:
    """Raise unless `jvp` changed a tangent in place, as `forward` did its tensor."""
    for failed, what, hint in (
        (
            tangent._changes() == version,
            "modifying the forward mode gradients inplace. If the forward is modifying an input "
            "inplace, then the jvp function must modify the corresponding gradient inplace.",
            "tangent.mul_(2) in place of tangent * 2",
        ),
        (
            tangent is not before,
            "returning the forward mode gradients as-is. If the forward is modifying an input "
            "inplace, then the jvp function must modify the gradient inplace and return it as-is.",
            "return the tangent itself",
        ),
    ):
        if failed:
            raise RuntimeError(message(f"An inplace custom Function is not {what}", hint=hint))


def set_view(y: Any, tangent: Any, raw: Any, args: Any, before: Any) -> None:
    """The tangent of an output, which is a view if the output is a view of an input."""
    of = forward_ad.viewed(y)
    for a, t in zip(args, before, strict=True) if of is not None else ():
        if not isinstance(a, TensorBase) or (a is not of[0] and a is not raw and not same(a, of)):
            continue
        if t is None:
            forward_ad.set_tangent(y, tangent, changed=True)
            return
        if tangent._v is None:
            raise RuntimeError(
                message(
                    "A custom Function's forward is returning a view (or an input as-is) but the "
                    "jvp is not returning a view.",
                    hint="return a view of the tangent, e.g. t.view_as(t) for an input as-is",
                )
            )
        if tangent._v.base is not (t if t._v is None else t._v.base):
            given = "the given" if t._v is None else "the same base as the given"
            raise RuntimeError(
                message(
                    "A custom Function is returning a view but the jvp is not returning a view of "
                    f"{given} grad input.",
                    hint="take the same view of the tangent that forward takes of the input",
                )
            )
        break
    forward_ad.set_tangent(y, tangent)


def same(a: Any, of: Any) -> bool:
    """Whether a tensor is a view of the same base as what has the view (base, chain)."""
    its = forward_ad.viewed(a)
    return its is not None and its[0] is of[0]


def check_tangents(outs: tuple[Any, ...], got: tuple[Any, ...], plain: Any) -> None:
    """Raise unless `jvp` returned a tangent, or None, for each output, of its size."""
    if len(outs) != len(got):
        raise RuntimeError(
            message(
                "Function's jvp returned an invalid number of forward gradients "
                f"(expected {len(outs)} but got {len(got)})",
                hint="return one tangent, or None, for each output of forward",
            )
        )
    for i, (y, t) in enumerate(zip(outs, got, strict=True)):
        if t is None:
            continue
        if not isinstance(y, TensorBase) or y._a.dtype.kind not in "fcVW":
            raise RuntimeError(
                message(
                    f"Function's jvp returned a gradient at position {i}, but the corresponding "
                    "forward output is not a differentiable Tensor. You should return None at that "
                    "position instead.",
                    got=f"a tangent for a {type(y).__name__}",
                )
            )
        if t.shape != y.shape:
            raise forward_ad.size_error(y, t)


function.apply_handlers.append(apply_function)
