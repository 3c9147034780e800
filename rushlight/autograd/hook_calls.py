"""Calling hooks during a backward: of tensors, of nodes before and after they run, and retain_grad.

Registering them is in `hooks.py`, `tensor.py` and `node.py`; when they are called is decided by
`engine.py`.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from ..errors import message
from . import door
from .node import Node, TensorBase

ndarray = np.ndarray


def as_tensor(g: Any) -> Any:
    return g if g is None or isinstance(g, TensorBase) else door.wrap(g)


def back(g: Any, tensors: bool) -> Any:
    """A hook's result in the engine's own form."""
    if g is None or tensors:
        return g
    return door.resolved(g._a) if isinstance(g, TensorBase) else g


def run_hooks(hooks: dict[int, Any], g: Any, tensors: bool) -> Any:
    """Tensor hooks in the order of their registration; each may replace the gradient."""
    t = as_tensor(g)
    for fn in list(hooks.values()):
        got = fn(t)
        if got is not None:
            t = fits(fn, t, got)
    return back(t, tensors)


def fits(fn: Any, g: Any, got: Any) -> Any:
    """What a hook returned for the gradient `g`: a tensor of its size and type, or None."""
    if got is None:
        return None
    if not isinstance(got, TensorBase):
        kind = type(got)
        home = "" if kind.__module__ == "builtins" else kind.__module__ + "."
        raise TypeError(
            message(
                f"expected Variable, but hook returned '{home}{kind.__name__}'",
                wanted="a Tensor in the gradient's place, or None to leave it as it is",
            )
        )
    if g is None:
        raise RuntimeError("can't replace a None gradient with a non-None value")
    called = "hook '" + getattr(fn, "__name__", "?") + "'"
    if got._a.shape != g._a.shape:
        raise RuntimeError(
            message(
                f"{called} has changed the size of value",
                got=f"{tuple(got._a.shape)}",
                wanted=f"{tuple(g._a.shape)}",
            )
        )
    if got._a.dtype != g._a.dtype:
        was, now = (v.type().replace("rushlight", "torch") for v in (g, got))  # type: ignore[attr-defined]
        raise RuntimeError(
            message(
                f"{called} has changed the type of value (was {was} got {now})",
                hint="return grad.to(the gradient's own dtype)",
            )
        )
    return got


def fit_all(fn: Any, gs: tuple[Any, ...], got: Any) -> tuple[Any, ...]:
    """What a node's hook returned for its gradients: a tuple of as many."""
    if not isinstance(got, tuple):
        raise TypeError(
            message(
                f"expected tuple, but hook returned '{type(got).__name__}'",
                wanted="a tuple with a gradient, or None, in each place; or None for no change",
            )
        )
    if len(got) != len(gs):
        name = getattr(fn, "__name__", "?")
        raise RuntimeError(
            f"hook '{name}' has returned an incorrect number of values "
            f"(got {len(got)}, but expected {len(gs)})"
        )
    return tuple(fits(fn, g, v) for g, v in zip(gs, got, strict=True))


def tensor_hooks(node: Node, x: Any, g: Any, tensors: bool) -> Any:
    """Hooks and retain_grad of the tensors that are this node's outputs."""
    if x.tensor_hooks:
        for nr, hooks in list(x.tensor_hooks.items()):
            if node.n_out == 1:
                g = run_hooks(hooks, g, tensors)
            elif g[nr] is not None or node.tells_none:
                g[nr] = run_hooks(hooks, g[nr], tensors)
    if x.retains:
        for nr, ref in list(x.retains.items()):
            t = ref()
            got = g if node.n_out == 1 else g[nr]
            if t is not None and got is not None:
                e = door.extras(t)
                new = got if tensors else door.wrap(got.copy())
                e.grad = new if e.grad is None else e.grad + new
    return g


def pre_hooks(node: Node, x: Any, g: Any, tensors: bool) -> Any:
    single = node.n_out == 1
    gs = (as_tensor(g),) if single else tuple(as_tensor(v) for v in g)
    for fn in list(x.pre_hooks.values()):
        got = fn(gs)
        if got is not None:
            gs = fit_all(fn, gs, got)
    return back(gs[0], tensors) if single else [back(v, tensors) for v in gs]


def post_hooks(node: Node, x: Any, g: Any, results: Any, tensors: bool) -> Any:
    outs = (as_tensor(g),) if node.n_out == 1 else tuple(as_tensor(v) for v in g)
    seen = node.visible()
    ins = tuple(
        as_tensor(r if r is None or isinstance(r, TensorBase) else np.asarray(r))
        for r in (results[i] for i in seen)
    )
    for fn in list(x.post_hooks.values()):
        got = fn(ins, outs)
        if got is not None:
            ins = fit_all(fn, ins, got)
    out = [None] * len(results)
    for i, v in zip(seen, ins, strict=True):
        out[i] = back(v, tensors)
    return out
