"""Changes in place: what may be changed, how it is done, and the graph that follows.

Changing a view in place makes the base's history `CopySlices(old history, chain, change)`; how its
other views learn of it is in `views.py`.
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from .. import storage
from ..dtypes import type_name
from ..errors import message
from ..kernels.meta import MetaArray, UnresolvedArray
from ..kernels.runtime import few
from . import door, lines, op_node, operators, overlaps, steps
from .lines import user_line
from .node import LEAF, Cell, Freed, Node, TensorBase, freed_error, tick
from .views import (
    View,
    along,
    cell,
    holds_several,
    keep_retaining,
    needs_grad,
    op_keeps_output,
    overlaps_itself,
    refresh,
    retained_at,
)

_getframe = sys._getframe
_seen: list[Any] = [None]  # the code of the line that changed something last (`lines.line_from`)


def all_changed(tensors: Sequence[Any], name: str, by: Any = None) -> None:
    """Note that values were changed in place, of tensors without history: `Cell.bump` for each,
    looking for the user's line once, or not at all where the same call has made the node `by`."""
    # who calls this is a function of this package, so the user is behind it at the earliest
    line = lines.line_from(_getframe(2), _seen) if by is None else (by.code, by.lasti)
    if noted(tensors, name, *line):
        return
    for t in tensors:
        c = t._vc or cell(t)
        c.count += 1
        c.stamp = tick()
        c.what = name
        c.code, c.lasti = line
        if t._v is not None and not t._v.made and t._v.base._fn is None:
            t._v.seen = c.count  # one that may not change is asked when it is next used


class ChangeWatcher:
    """Who looks on while tensors are changed in place. While there is one, changes go the long
    way, in which a result is computed first and then written."""

    def before(self, target: Any) -> None:
        """A tensor is about to be changed."""

    def operands(self, target: Any, inputs: tuple[Any, ...]) -> tuple[Any, ...]:
        """What the result is computed of, if not of the operands themselves."""
        return inputs

    def check(self, target: Any, result: Any) -> None:
        """Raise if a result may not be written into a tensor."""

    def after(self, target: Any, result: Any) -> None:
        """A result was written into a tensor."""


change_watchers: list[ChangeWatcher] = []


def check_inplace(t: Any, name: str, same: bool = False) -> None:
    """Raise before an in-place change that PyTorch forbids (`same`: all elements get one value)."""
    a = t._a.raw if t._a.__class__ is UnresolvedArray else t._a
    if a.__class__ is np.ndarray:
        if not same and overlaps_itself(a):
            raise RuntimeError(
                message(
                    f"{name}: unsupported operation: more than one element of the written-to "
                    "tensor refers to a single memory location.",
                    got=f"an expanded tensor of shape {tuple(t._a.shape)}",
                    hint="Please clone() the tensor before performing the operation",
                )
            )
        if not t._a.flags.writeable:
            unlock(t, name)
    for watcher in change_watchers:
        watcher.before(t)
    if t._x is not None:
        check_inference(t, name)
    if not door.state.enabled:
        return
    v = t._v
    if v is not None and v.made and (t._fn is not None or v.base._fn is not None):
        from .refused import view_error

        raise view_error(t, name)
    if v is None or t._fn is LEAF:
        if t._fn is LEAF:
            raise RuntimeError(
                message(
                    "a leaf Variable that requires grad is being used in an in-place operation.",
                    got=f"{name} on a leaf of shape {tuple(t._a.shape)}",
                    wanted="a tensor without requires_grad, or one that an operation made",
                    hint="with torch.no_grad(): ... to change a parameter; or the out-of-place "
                    "form",
                )
            )
        return
    if v.base._fn is LEAF:
        raise RuntimeError(
            message(
                "a view of a leaf Variable that requires grad is being used in an in-place "
                "operation.",
                got=f"{name} on a view of shape {tuple(t._a.shape)}",
                hint="with torch.no_grad(): ... to change a parameter; or clone() first",
            )
        )


def hands_on(name: str, t: Any) -> bool:
    """Whether PyTorch records a change in place: not what has no derivative, nor a copy of floats
    into integers."""
    return not name.startswith("logical_") and (name != "copy_" or t._a.dtype.kind in "fcVW")


def refuse_made(t: Any, name: str, operands: tuple[Any, ...]) -> None:
    """Raise before a view that may not change takes part in a history by one of the operands, be it
    of integers, which hand no gradient on."""
    if t._v is not None and t._v.made and door.state.enabled and needs_grad(operands):
        from .refused import view_error

        raise view_error(t, name)


def unlock(t: Any, name: str) -> None:
    """Before read-only memory is written to: a lazy clone gets its own; raise for any other."""
    if not storage.unlocked(t._a):
        raise RuntimeError(
            message(
                f"{name}: the tensor's memory is read-only",
                hint="t = t.clone() makes a writable copy",
            )
        )


def unlock_all(tensors: Sequence[Any]) -> None:
    """The same for tensors that are written to without a check; asked while there are lazy clones
    (`storage.locked`) alone."""
    for t in tensors:
        storage.unlocked(t._a)


def check_inference(t: Any, name: str) -> None:
    """Raise before an in-place change of an inference tensor outside of inference_mode."""
    if door.is_inference(t) and not door.state.inference:
        from .refused import inplace_error

        raise inplace_error(name, t)


def apply_inplace(op: Any, target: Any, rest: tuple[Any, ...], kw: dict[str, Any]) -> Any:
    """`target.op_(*rest)`: compute, check, write into the target's memory, record.

    `op.change` is `in_place.change` written out for this operation.
    """
    return op.change(kw, target, *rest)


def apply_written(op: Any, target: Any, rest: tuple[Any, ...], kw: dict[str, Any]) -> Any:
    """A change in place for all operands and all who watch: a result first, then written."""
    if apply_unrecorded(op, target, rest, kw):
        return target
    name = op.inplace_name
    if not isinstance(target, TensorBase):
        raise TypeError(
            f"{name}(): argument 'input' (position 1) must be Tensor, not {type(target).__name__}"
        )
    check_inplace(target, name)
    if target._v is not None and target._v.made and hands_on(name, target):
        refuse_made(target, name, rest)
    if op.apart is not None and rest:
        overlaps.refuse(name, target, rest, op.apart == "wholly")
    inputs = (target, *rest)
    for watcher in change_watchers:
        inputs = watcher.operands(target, inputs)
    # the node of the result is of use to a watcher alone: its tangent may have a history
    with door.grad_enabled(door.state.enabled and bool(change_watchers)):
        result = door.apply(op, inputs, kw)
    for watcher in change_watchers:
        watcher.check(target, result)
    write_inplace(target, result._a, name, op, rest, kw)
    for watcher in change_watchers:
        watcher.after(target, result)
    return target


def apply_unrecorded(op: Any, target: Any, rest: tuple[Any, ...], kw: dict[str, Any]) -> bool:
    """The short way where nothing is recorded and no operand may share the target's memory: of all
    that is asked and noted on the long way only the user's line is left."""
    if not changeable(target) or (target._v is not None and target._v.made):
        return False
    shared, enabled = target._vc, door.state.enabled
    for t in rest:
        if isinstance(t, TensorBase) and (
            t is target
            or (shared is not None and t._vc is shared)
            or (enabled and (t._fn is not None or t._v is not None))
        ):
            return False
    a, y = target._a, door.apply(op, (target, *rest), kw)._a
    if y.__class__ is np.ndarray and y.shape == a.shape and y.dtype is a.dtype:
        door.put(a, y)
        all_changed((target,), op.inplace_name)
    else:
        write_inplace(target, y, op.inplace_name, op, rest, kw)
    return True


def take_written(fn: Callable[..., Any]) -> None:
    """Let `fn` stand in the place of `apply_written`."""
    global apply_written
    apply_written = fn


def changeable(t: Any) -> bool:
    """Whether a tensor's values can be changed where they lie: no history to record or to spare,
    and nothing that `check_inplace` would forbid."""
    return unhindered(t) and t._a.flags.carray  # contiguous, aligned and writeable


def both_changeable(s: Any, t: Any) -> bool:
    """`changeable(s) and changeable(t)`, quicker for tensors of which there is nothing to tell;
    False where one is None."""
    found = both_free(s, t)
    return changeable(s) and changeable(t) if found is None else found  # type: ignore[no-any-return]


def load() -> None:
    """Put the functions of machine code into their places."""
    global noted, both_free
    from . import changes_code

    made = changes_code.functions(door.Tensor, change_watchers)
    noted, both_free = made["noted"], made["both_free"]


# By machine code: `all_changed` for tensors that have a cell and are no views, and whether two
# plain tensors may be changed, None where that is to be looked at.
noted: Callable[..., bool] = few.refused  # type: ignore[assignment]
both_free: Callable[[Any, Any], bool | None] = few.refused
few.when_loaded(load)


def unhindered(t: Any) -> bool:
    """`changeable` but for the memory, which may be read-only or lie in any order."""
    if change_watchers:
        return False
    kind = t.__class__
    if kind is not operators.plain_tensor and kind is not operators.plain_parameter:
        return False
    if t._a.__class__ is not np.ndarray:
        return False
    if t._fn is not None and (t._fn is not LEAF or door.state.enabled):
        return False
    if t._v is not None and t._v.base._fn is not None:
        return False
    return t._x is None or not t._x.inference or door.state.inference


constant: Any = None  # the record of a fill, whose gradient is zero (`ops/shape/convert.py`)


def write_inplace(
    target: Any, a: Any, name: str, op: Any, rest: tuple[Any, ...], kw: Any
) -> None:
    """Store `a` in the target's memory, and the op in its history."""
    from .. import dtypes

    t = target._a
    if a.shape != t.shape:
        raise RuntimeError(
            message(
                f"{name}: output with shape {list(t.shape)} doesn't match the broadcast shape "
                f"{list(a.shape)}",
                got=f"{tuple(t.shape)} written with a result of shape {tuple(a.shape)}",
                wanted="a result of the tensor's own shape",
                hint="the out-of-place form, which makes a new tensor",
            )
        )
    if a.dtype != t.dtype:
        source, into = dtypes.from_numpy(a.dtype), dtypes.from_numpy(t.dtype)
        if not dtypes.can_cast(source, into):
            raise RuntimeError(
                message(
                    f"{name}: result type {type_name(source)} can't be cast to the desired "
                    f"output type {type_name(into)}",
                    hint=f"x = x.to({source!r}) first, or the out-of-place form",
                )
            )
    inputs = (target, *rest)
    tracked = door.state.enabled and t.dtype.kind in "fcVW" and needs_grad(inputs)
    if op.rules is None and tracked:  # `x.ge_(y)`: nothing of the old values goes on
        op, inputs, kw = constant, (target,), {"value": 0}
    if tracked and target._v is not None and target._v.seen != target._vc.count:
        refresh(target)
    node_inputs = inputs
    if tracked:
        door.refuse_inference(op, inputs)
    # the rules want the values from before the change, of the target and of what shares its memory
    if tracked:
        keep = op.kept(tuple(needs_grad((x,)) for x in inputs)) or ()
        node_inputs = tuple(
            before_change(x) if k and (x is target or shares(x, target)) else x
            for x, k in zip(inputs, keep[1:] or (False,) * len(inputs), strict=True)
        )
    spare(target)
    if t.__class__ is not MetaArray:
        if t.__class__ is np.ndarray and not t.flags.forc and holds_several(t):
            door.perform(steps.write_changed, (t, a), {})
        else:
            door.put(t, a)
    c = cell(target)
    c.bump(name)
    if not tracked:
        if target._v is not None and not target._v.made and target._v.base._fn is None:
            target._v.seen = c.count
        return
    narrow = dtypes.from_numpy(t.dtype).low and op.compute
    node = door.record(op, node_inputs, kw, t, t.shape, t.dtype, int(narrow), None)
    rebase(target, node, c)


def spare(target: Any) -> None:
    """Before a change: copy the values for the node that made them, where PyTorch's node of that
    name does not need them (a pool keeps its maxima to find them again; PyTorch keeps indices).
    """
    made = target if target._v is None else target._v.base
    node = made._fn
    if not isinstance(node, op_node.OpNode) or not node.op.copies:
        return
    if node.saved.__class__ is tuple and node.saved[:1] and node.saved[0] is made._a:
        node.saved = (door.perform(steps.copy, (made._a,), {"order": "C"}), *node.saved[1:])
        cell(made)
        node.output_cells().clear()


def shares(x: Any, target: Any) -> bool:
    return isinstance(x, TensorBase) and x._vc is not None and x._vc is target._vc


def before_change(x: Any) -> Any:
    """A copy of a tensor that is about to change, with its history."""
    y = door.wrap(door.perform(steps.copy, (door.resolved(x._a),), {}))
    if x._v is not None and x._v.seen != x._vc.count:
        refresh(x)
    y._fn = op_node.alias(x) if x._fn is LEAF else x._fn
    return y


def rebase(target: Any, node: Any, c: Cell) -> None:
    """Make `node` (whose first input was the target's old value) the history of target and base."""
    if op_keeps_output(node):
        node.output_cells()[0] = c
    if door.noting is not None:
        door.noting(node)
    old = retained_at(target)
    v = target._v
    if v is None:
        target._fn = node
    else:
        base = v.base
        before = retained_at(base)
        base._fn = CopySlices(base, v, node)
        if before is not None:
            keep_retaining(base, before)
        if door.noting is not None:
            door.noting(base._fn)
        v.seen = -1
        refresh(target)
    if old is not None:
        keep_retaining(target, old)


class CopySlices(Node):
    """History of a base whose view was changed in place: the gradient outside the view passes
    by."""

    __slots__ = ("chain", "fn", "strides")

    def __init__(self, base: Any, v: View, fn: Any) -> None:
        old = base._fn
        self.edges = (base if old is LEAF else old, *fn.edges[1:])
        self.fn = fn
        self.chain = v.chain
        self.saved = fn.saved and ("fn",)
        self.kw = None
        self.seq = tick()
        self.shape = base._a.shape
        self.strides = base._a.strides  # `as_strided` finds its elements by how the base lies
        self.dtype = base._a.dtype
        self.code, self.lasti = user_line()
        self.x = None

    def name(self) -> str:
        """PyTorch's name of it, with the C++ namespace."""
        return "torch::autograd::CopySlices"

    def run(self, g: Any, tensors: bool, wanted: Any = None) -> Any:
        if self.saved.__class__ is Freed:
            raise freed_error(self, self.saved)
        if tensors:
            whole = g.clone()
            if self.lies_apart(whole._a):
                laid = door.perform(steps.copy_laid, (whole._a,), {"strides": self.strides})
                whole = door.wrap(laid).copy_(g)
            part = along(self.chain, whole)
            fn = self.fn
            if op_keeps_output(fn):  # its output is the view after the change, which came from here
                base = door.wrap(MetaArray(self.shape, self.dtype))
                base._fn = self
                fn.extras().history = along(self.chain, base)._fn
            try:
                got = list(fn.run(part.clone(), True))
            finally:
                if fn.x is not None:
                    fn.x.history = None
            if got[0] is None:
                part.zero_()
            else:
                part.copy_(got[0])
            return (whole, *got[1:])
        perform = door.perform
        if self.lies_apart(g):
            whole = part = perform(steps.copy_laid, (g,), {"strides": self.strides})
        else:
            whole = part = perform(steps.copy, (g,), {})
        for op, kw, nr in self.chain:
            unresolved = part.__class__ is UnresolvedArray
            part = door.viewed(op, part, kw) if unresolved else perform(op, (part,), kw)
            part = part if nr is None else part[nr]
        if part.__class__ is UnresolvedArray:
            given = door.resolved(part)
        else:
            given = perform(steps.copy, (part,), {})
        got = list(self.fn.run_shown(given, False))
        if got[0] is None:
            perform(steps.store, (part,), {"value": 0})
        else:
            door.put(part, got[0])
        return (whole, *got[1:])

    run_shown = run

    def lies_apart(self, g: Any) -> bool:
        """Whether a gradient lies in memory in another order than the base; RuntimeError where the
        base has several elements in one place, whose gradients cannot be told apart."""
        if (
            0 in self.strides
            and 0 not in self.shape
            and any(step == 0 and n > 1 for step, n in zip(self.strides, self.shape, strict=True))
        ):
            raise RuntimeError(
                message(
                    "unsupported operation: more than one element of the written-to tensor refers "
                    "to a single memory location.",
                    got=f"the gradient of an expanded tensor of shape {tuple(self.shape)}, of "
                    f"which a view was changed at {self.line()}",
                    hint="Please clone() the tensor before performing the operation",
                )
            )
        return g.__class__ is np.ndarray and g.strides != self.strides

    def release(self, freed: Freed) -> None:
        self.fn.release(freed)
        if self.saved:
            self.saved = freed

