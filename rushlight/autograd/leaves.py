"""Leaves: a gradient that has arrived runs the leaf's hooks and is captured, or added into `.grad`.

Nearly all are a leaf's first gradient, the only one it is sent in this backward, and there is no
hook: `first_gradient`, for which there is machine code (`leaves_code.py`).

Not here: the engine that sends it (`engine.py`).
"""

from __future__ import annotations

from sys import getrefcount
from typing import Any

import numpy as np

from .. import storage
from ..kernels.copy import select as copying
from ..kernels.elementwise.sums import add_into
from ..kernels.meta import OuterArray, SparseArray, UnresolvedArray
from ..kernels.runtime import few
from . import door, steps
from .hook_calls import as_tensor, fits, pre_hooks, run_hooks
from .node import Extras, TensorBase
from .observe import span
from .unbroadcast import add, fitted, total

ndarray = np.ndarray
_new = object.__new__


def first_gradient_by_python(leaf: Any, g: Any) -> bool:
    """Make an array that nobody else knows the first gradient of a leaf, as it is.

    False, and nothing is done, where it must be fitted, copied or added, or a hook is to be called.
    """
    x, a = leaf._x, leaf._a
    if (
        g.__class__ is not ndarray
        or x.__class__ is not Extras
        or not (x.grad is x.hooks is x.post_hooks is x.accumulator is None)
        or a.__class__ is not ndarray
        or g.dtype is not a.dtype
        or g.base is not None
        or g.shape != a.shape
        or g.strides != a.strides
    ):
        return False
    t = _new(door.Tensor)
    t._a = g
    t._fn = t._vc = t._v = t._x = None
    x.grad = t
    return True


def load() -> None:
    """Put the function of machine code into its place."""
    global first_gradient
    from . import leaves_code

    first_gradient = leaves_code.function(door.Tensor)


first_gradient = few.late(globals(), "first_gradient", load, first_gradient_by_python)


def finish_leaf(
    leaf: Any,
    g: Any,
    owned: bool,
    tensors: bool,
    targets: Any,
    captured: Any,
    capture: bool,
    inputs: Any,
) -> None:
    """A leaf has its whole gradient: run its hooks, then keep or capture it."""
    if inputs is not None and id(leaf) not in targets:
        return
    x = leaf._x
    if x.__class__ is Extras:
        if x.hooks:
            given, g = g, None if g is None else run_hooks(x.hooks, g, tensors)
            owned = g is not given and unheld(g)
        node = None if x.accumulator is None or capture else x.accumulator()
        if node is not None and node.x is not None and node.x.pre_hooks:
            given, g = g, pre_hooks(node, node.x, g, tensors)
            owned = g is not given and unheld(g)
    if inputs is not None and capture:
        if not (owned or g is None or tensors):
            g = door.perform(steps.copy, (g,), {})
        captured[id(leaf), 0] = g
        return
    if g is None:
        return
    accumulate(leaf, g, tensors, owned)
    x = leaf._x
    if x.post_hooks:
        for fn in list(x.post_hooks.values()):
            if fits(fn, leaf, fn(leaf)) is not None:
                raise RuntimeError("Tensor post accumulate grad hooks should return None.")
    node = None if x.accumulator is None else x.accumulator()
    if node is not None and node.x is not None and node.x.post_hooks:
        for fn in list(node.x.post_hooks.values()):
            fn((), (as_tensor(g),))


def unheld(g: Any) -> bool:
    """Whether what a hook returned is an array that the caller alone has (its
    variable, our parameter and that of `getrefcount` are three)."""
    return g.__class__ is ndarray and g.base is None and getrefcount(g) == 3


@steps.step()
def copied_gradient(g: Any, like: Any) -> Any:
    """A copy of a gradient in the memory order of its leaf."""
    own = np.empty_like(like) if like.__class__ is ndarray else np.empty(g.shape, g.dtype)
    copying.into(own, g)
    return own


@steps.step(outputs=0, mutates=(0,))
def accumulated(total: Any, g: Any) -> None:
    """Add a gradient to those of before, in place."""
    add_into(total, g)


def shown_leaf(leaf: Any, g: Any, *rest: Any) -> None:
    """`finish_leaf`, announced to observers."""
    capture = rest[4]
    span("leaf", leaf, (g, capture), lambda: finish_leaf(leaf, g, *rest))


def accumulate_special(x: Any, old: Any, g: Any, owned: bool) -> None:
    """Add a gradient where it, or the one of before, is sparse, or that is unresolved: a dense one
    stays where it is."""
    if old is None:
        x.grad = door.wrap(g if owned else door.perform(steps.copy, (g,), {}))
    elif old._fn is not None or not isinstance(old._a, SparseArray):
        total = door.perform(add, (door.resolved(old._a), g), {})
        if old._fn is not None:
            x.grad = door.wrap(total)
            return
        door.put(old._a, total)
        if old._vc is not None:
            old._vc.bump("backward")
    elif isinstance(g, SparseArray):
        old._a = door.perform(add, (g, old._a), {})
    else:
        x.grad = door.wrap(door.perform(add, (g, old._a), {}))


def added(old: Any, g: Any) -> Any:
    """Gradients as Tensors that nothing is recorded of: a plain one is added to where it lies."""
    sparse = isinstance(g._a, SparseArray)
    if old is None:
        return g.clone() if sparse or g.__class__ is door.Tensor else g.detach()
    if old.__class__ is door.Tensor and old._fn is None and (sparse or g.__class__ is door.Tensor):
        return old.add_(g)
    return old + g


def accumulate(leaf: Any, g: Any, tensors: bool, owned: bool = False) -> None:
    """Add `g` into `leaf.grad`; the first gradient is copied unless nobody else can hold it."""
    x = door.extras(leaf)
    old = x.grad
    if old is None and owned and g.__class__ is ndarray and g.strides == leaf._a.strides:
        x.grad = door.wrap(g)  # the engine has made shape and type fit
        return
    if isinstance(g, TensorBase):
        if tensors and not door.state.enabled:
            x.grad = added(old, g)
            return
        if tensors:
            x.grad = (g.clone() if g._fn is None else g) if old is None else total(g, old)
            return
        if g._a.__class__ is OuterArray:
            x.grad = added(old, g)
            return
        g = door.resolved(g._a)
        owned = False
    g = fitted(g, leaf._a.shape, leaf._a.dtype, leaf)
    if (g.__class__ is not ndarray and isinstance(g, SparseArray)) or (
        old is not None
        and old._a.__class__ is not ndarray
        and isinstance(old._a, (SparseArray, UnresolvedArray))
    ):
        accumulate_special(x, old, g, owned)
        return
    if old is None:
        if g.__class__ is ndarray and (not owned or g.strides != leaf._a.strides):
            g = door.perform(copied_gradient, (g, leaf._a), {})
        x.grad = door.wrap(g)
    elif old._fn is not None:
        x.grad = door.wrap(door.perform(add, (old._a, g), {}))
    elif g.__class__ is ndarray:
        if storage.locked:
            storage.unlocked(old._a)
        door.perform(accumulated, (old._a, g), {})
        if old._vc is not None:
            old._vc.bump("backward")
