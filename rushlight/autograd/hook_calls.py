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
    return g._a if isinstance(g, TensorBase) else g


def run_hooks(hooks: dict[int, Any], g: Any, tensors: bool) -> Any:
    """Tensor hooks in the order of their registration; each may replace the gradient."""
    if g is None:
        return None
    t = as_tensor(g)
    for fn in list(hooks.values()):
        got = fn(t)
        if got is not None:
            if not isinstance(got, TensorBase):
                raise TypeError(f"expected Tensor, but hook returned '{type(got).__name__}'")
            if got._a.shape != t._a.shape:
                raise RuntimeError(
                    message(
                        "hook '" + getattr(fn, "__name__", "?") + "' has changed the size of value",
                        got=f"{tuple(got._a.shape)}",
                        wanted=f"{tuple(t._a.shape)}",
                    )
                )
            t = got
    return back(t, tensors)


def tensor_hooks(node: Node, x: Any, g: Any, tensors: bool) -> Any:
    """Hooks and retain_grad of the tensors that are this node's outputs."""
    if x.tensor_hooks:
        for nr, hooks in list(x.tensor_hooks.items()):
            if node.n_out == 1:
                g = run_hooks(hooks, g, tensors)
            else:
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
            gs = tuple(got) if isinstance(got, (tuple, list)) else (got,)
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
            ins = tuple(got) if isinstance(got, (tuple, list)) else (got,)
    out = [None] * len(results)
    for i, v in zip(seen, ins, strict=True):
        out[i] = back(v, tensors)
    return out
