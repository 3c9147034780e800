"""Views: the version cells that they share with their base, and their history.

A view remembers its base and the chain of view ops that leads to it. When their memory is changed
in place (`changes.py`), the base gets another history, and every view of that base derives its own
anew when it is next used (`refresh`), as in PyTorch.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from .. import storage
from ..kernels.meta import MetaArray, UnresolvedArray
from ..kernels.runtime import few
from . import door, op_node
from .node import LEAF, Cell, Extras, Out, TensorBase

_new: Any = object.__new__  # by machine code later (`specialize.renew`)
QUIET = ("no_grad", "inference")  # how views are made that nothing was recorded of


class View:
    """How a differentiable view came from its base."""

    __slots__ = ("chain", "made", "of", "seen")

    def __init__(self, base: Any, chain: tuple[Any, ...], seen: int, made: str) -> None:
        self.of = base
        self.chain = chain  # ((op, kw, output number or None), ...)
        self.seen = seen  # the version for which the view's `_fn` is true
        self.made = made  # "", or why it may not change: "several", "function", one of QUIET

    @property
    def base(self) -> Any:
        """The tensor that the chain starts from, also after `base.t_()` made that one a view
        itself."""
        of = self.of
        while of._v is not None:
            of = self.of = of._v.of
        return of


def cell(t: Any) -> Cell:
    """The version cell of a tensor, made when first needed and shown to the node that made it."""
    c: Cell | None = t._vc
    if c is None:
        c = t._vc = Cell()
        fn = t._fn
        if fn is not None and fn is not LEAF:
            node, nr = (fn.node, fn.nr) if fn.__class__ is Out else (fn, 0)
            if isinstance(node, op_node.OpNode) and not op_keeps_output(node, nr):
                return c  # nothing of it that a change could spoil
            c = t._vc = node.output_cells().setdefault(nr, c)
    return c


def linked_by_python(
    viewed: Any, a: Any, op: Any, kw: dict[str, Any], nr: int | None, mode: str
) -> Any:
    """A tensor around an array, which is a view of `viewed` (or of what that is a view of), with
    neither a history nor a note yet."""
    y = _new(door.Tensor)
    y._a = a
    y._fn = y._x = None
    version = viewed._vc
    if version is None:
        version = cell(viewed)
    y._vc = version
    link = y._v = _new(View)
    link.seen = version.count  # what `y._fn` will say is true for this version
    before = viewed._v
    if before is None:
        link.of = viewed
        link.chain = ((op, kw, nr),)
        link.made = mode
    else:
        link.of = before.of if before.of._v is None else before.base
        link.chain = (*before.chain, (op, kw, nr))
        link.made = before.made or mode
    return y


def load() -> None:
    """Put the function of machine code into its place."""
    global linked
    from . import views_code

    linked = views_code.function(door.Tensor, View, cell, linked_by_python)


linked: Callable[..., Any] = linked_by_python
few.when_loaded(load)


def attach_view(op: Any, kw: dict[str, Any], viewed: Any, y: Any, nr: int | None) -> None:
    """Make `y` a view of `viewed` (or of what that is a view of)."""
    mode = "several" if nr is not None else "" if door.state.enabled else door.quiet()
    t = linked(viewed, y._a, op, kw, nr, mode)
    y._vc, y._v = t._vc, t._v


def views_of(op: Any, kw: dict[str, Any], viewed: Any, out: Any) -> tuple[Any, ...]:
    """A view of `viewed` around each array of a tuple, as `attach_view` makes one."""
    version = viewed._vc
    if version is None:
        version = cell(viewed)
    of, chain, made, before = viewed, (), "several", viewed._v
    if before is not None:
        of = before.of if before.of._v is None else before.base
        chain, made = before.chain, before.made or made
    note = None if viewed._x is None else door.cut_of(viewed._x)
    new, seen = _new, version.count
    ys = []
    for nr, a in enumerate(out):
        if a.__class__ is np.ndarray:
            y = new(door.Tensor)
            y._a = a
            y._fn = None
        else:
            y = door.wrap(a)
        y._vc = version
        link = y._v = new(View)
        link.of = of
        link.seen = seen
        link.made = made
        link.chain = (*chain, (op, kw, nr))
        y._x = note
        ys.append(y)
    return tuple(ys)


def attach_chain(chain: tuple[Any, ...], viewed: Any, y: Any) -> None:
    """Make `y` the view of `viewed`, of which nothing is recorded, to which several ops lead."""
    op, kw, nr = chain[0]
    attach_view(op, kw, viewed, y, nr)
    if len(chain) > 1:
        y._v.chain = (*y._v.chain, *chain[1:])


def refresh(t: Any) -> None:
    """Derive a view's history from its base, after somebody changed their storage in place."""
    v = t._v
    base = v.base
    if v.made and (base._fn is not None or (t._fn is not None and t._fn is not LEAF)):
        if not door.state.enabled:
            return
        from .refused import view_error

        raise view_error(t, None)
    v.seen = t._vc.count
    if base._fn is None:
        return
    with door.grad_enabled(True):
        again = base
        again = along(v.chain, again)
    old = retained_at(t)
    t._fn = again._fn
    if old is not None and t._fn is not None:
        keep_retaining(t, old)


def along(chain: tuple[Any, ...], t: Any) -> Any:
    """The view of `t` that a chain of view ops leads to."""
    for op, kw, nr in chain:
        t = door.apply(op, (t,), kw)
        if nr is not None:
            t = t[nr]
    return t


as_strided: Any = None  # the record (`ops/shape/views.py`), which makes any view of a storage


def resized(t: Any, own: bool) -> None:
    """After a view was given other sizes: it is another view of its base, or none where it has
    memory of its `own` by now."""
    link = t._v
    if link is None or t._a.__class__ is MetaArray:
        return
    if own or not over_base(t):
        t._v = t._vc = None


def over_base(t: Any) -> bool:
    """Let a view be one of its base by where it lies in memory: what `as_strided` sees may lie
    beside the view that it was made of. False where the base has other elements."""
    link = t._v
    base, a = link.base, t._a
    if a.__class__ is not np.ndarray or base._a.__class__ is not np.ndarray:
        return False
    if base._a.dtype != a.dtype:
        return False
    strides = [tuple([s // a.itemsize for s in x.strides]) for x in (a, base._a)]
    how = {
        "size": a.shape, "stride": strides[0], "storage_offset": storage.storage_offset(a),
        "laid": (strides[1], storage.storage_offset(base._a)),
    }  # fmt: skip
    link.of, link.chain = base, ((as_strided, how, None),)
    return True


def overlaps_itself(a: Any) -> bool:
    """Whether an expanded dimension makes several elements one memory location."""
    return a.size > 1 and any(s == 0 and n > 1 for s, n in zip(a.strides, a.shape, strict=True))


def holds_several(a: np.ndarray) -> bool:
    """Whether an array has more elements than the memory between its ends: windows of `unfold`."""
    ends = sum([(n - 1) * (s if s > 0 else -s) for n, s in zip(a.shape, a.strides, strict=True)])
    return ends + a.itemsize < a.nbytes


def stand_in(t: Any) -> Any:
    """What a node keeps of an operand: rules compute on arrays, so of an unresolved tensor it is
    one of the same history and version with the array that it stands for."""
    if not isinstance(t, TensorBase) or t._a.__class__ is not UnresolvedArray:
        return t
    y = door.wrap(door.resolved(t._a))
    y._vc = cell(t)
    y._fn = op_node.alias(t) if t._fn is LEAF else t._fn
    return y


def needs_grad(inputs: Any) -> bool:
    return any(isinstance(t, TensorBase) and t._fn is not None for t in inputs)


def retained_at(t: Any) -> Any:
    """The place in the graph where a tensor's retain_grad stands, if it was called."""
    kept = t._x.__class__ is Extras and t._x.retains and t._fn is not LEAF
    return t._fn if kept else None


def keep_retaining(target: Any, old: Any) -> None:
    """retain_grad speaks of the tensor's latest value: move it from the node before the change."""
    node, nr = (old.node, old.nr) if old.__class__ is Out else (old, 0)
    if node.x is not None and node.x.retains:
        node.x.retains.pop(nr, None)
    target.retain_grad()


def op_keeps_output(node: Any, nr: int = 0) -> bool:
    """Whether a node has saved a result of its own; `nr`: which, where it has several."""
    if not node.saved or node.saved.__class__ is not tuple:
        return False
    y = node.saved[0]
    return (y[nr] if y.__class__ is tuple else y) is not None


door.take(attach_view=attach_view, views_of=views_of, refresh=refresh, stand_in=stand_in)
