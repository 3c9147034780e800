"""Changes in place of everyday operands: the result is computed where the target lies.

`change` is the text of such a call. `change_text.py` prunes it for a record, as `call_text.py` does
`door.general`: `specialize.change` makes what `changes.apply_inplace` calls, `specialize.inplace`
public methods. Whatever else there is goes the long way, `changes.apply_written`, in which a result
is computed first and then written: other operands, targets that may not be changed, whoever looks
on or watches.

Not here: the long way, and the history that a change leaves behind (`changes.py`).
"""

from __future__ import annotations

from typing import Any

import numpy as np

from . import changes, door, op_node, operators, watch
from .lines import user_line
from .node import LEAF, Out, TensorBase, tick
from .observe import on_observe
from .views import cell, holds_several, needs_grad, overlaps_itself

ndarray = np.ndarray
FOR_ALL_INTEGERS = (np.add, np.subtract, np.multiply)  # a quotient or a power is not
# The long way says what is wrong. Not for a lack of memory: it could do again what is half done.
REFUSED = (ValueError, TypeError, OverflowError)


def change(op: Any, inputs: tuple[Any, ...], kw: dict[str, Any]) -> Any:
    """`inputs[0]` becomes the result of `op`, in its memory.

    As in `door.general`, lines are matched as they are spelt, and stand for what `change_text.py`
    writes out for the operands that a record has.
    """
    if op.into is None:
        return written(op, inputs, kw)
    arrays, edges = taken(op, inputs)
    if arrays is None:
        return written(op, inputs, kw)
    if tracked(edges):
        if state.enabled:
            return recorded(op, inputs, kw, arrays)
        if with_history(edges[0]):
            return written(op, inputs, kw)
    if not overwritten(op, arrays, kw):
        return written(op, inputs, kw)
    count(inputs[0], op.inplace_name)
    return inputs[0]


state = door.state
tracked = any  # whether one of the operands has a place on the tape


def taken(op: Any, inputs: tuple[Any, ...]) -> tuple[list[Any] | None, list[Any]]:
    """The arrays of operands, the target's first, and their places on the tape; None in place of
    the arrays where the result may not be computed into the target's."""
    kinds = (operators.plain_tensor, operators.plain_parameter)
    target = inputs[0]
    if target.__class__ not in kinds or changes.change_watchers:
        return None, []
    a, v, x = target._a, target._v, target._x
    if a.__class__ is not ndarray or not holds_type(op, a.dtype):
        return None, []
    if not a.flags.carray and not lies_well(op, a):
        return None, []
    if v is not None and v.base._fn is not None:
        return None, []  # its base gets a history by it, or has one to spare
    if x is not None and x.inference and not state.inference:
        return None, []
    arrays: list[Any] = [a]
    edges = [target._fn]
    for i, b in enumerate(inputs[1:], 1):
        if b.__class__ in kinds:
            y = b._a
            if y.__class__ is not ndarray or (y.dtype is not a.dtype and not of_indices(op, i)):
                return None, []
            if b is target and not by_elements(op):
                return None, []
            if (a.base is not None or y.base is not None) and np.may_share_memory(a, y):
                return None, []
            if b._v is not None and b._v.seen != b._vc.count:
                door.refresh(b)
            arrays.append(y)
            edges.append(b._fn)
        elif b is None or (
            takes_number(op, i)
            and (b.__class__ is int or (b.__class__ is float and a.dtype.kind == "f"))
        ):
            arrays.append(b)
        else:
            return None, []
    return arrays, edges


def holds_type(op: Any, dtype: Any) -> bool:
    """Whether results are of the target's type where all operands are."""
    if dtype is door.F32 or dtype is door.F64:
        return True
    if for_integers(op):
        return dtype.kind in "iu"  # a step's number, a table of counts
    return moves(op) or (adds_integers(op) and dtype.kind in "iu")


def lies_well(op: Any, a: Any) -> bool:
    """Whether an array that is not in rows can be written to where it lies: not read-only memory,
    nor such in which one place is several elements."""
    whole = op.into.strided and a.flags.behaved
    return whole and not overlaps_itself(a) and not holds_several(a)


def moves(op: Any) -> bool:
    """Whether an operation moves values of whatever type, and computes with none."""
    return op.kind == "op" and op.numerics.low == "keep" and op.accepts is None


def adds_integers(op: Any) -> bool:
    """Whether an operation takes integers as they come, and results are of their type."""
    return op.kind == "op" and op.promote is None and op.accepts is None


def for_integers(op: Any) -> bool:
    """Whether an operation makes integers of integers, by NumPy's function."""
    return any(op.ufunc is fn for fn in FOR_ALL_INTEGERS)


def of_indices(op: Any, i: int) -> bool:
    """Whether operand `i` is of whole numbers, whatever the type of the target."""
    return i in op.into.indices


def takes_number(op: Any, i: int) -> bool:
    """Whether operand `i` may be a number."""
    return op.numbers is None or i in op.numbers


def by_elements(op: Any) -> bool:
    """Whether an element of the result depends on the same one of operands of its shape."""
    return op.kind == "elementwise"  # type: ignore[no-any-return]


def with_history(fn: Any) -> bool:
    """Whether a target is a result with a history, whose nodes may have to be spared."""
    return fn is not None and fn is not LEAF


def overwritten(op: Any, arrays: list[Any], kw: dict[str, Any]) -> bool:
    """Compute into the target's memory; False where it is as it was: the long way says why."""
    if state.observers and not shown_as_it_is(op):
        return False
    try:
        door.perform(op.into, arrays, kw)
    except REFUSED:
        return False
    return True


def shown_as_it_is(op: Any) -> bool:
    """Whether who looks on is shown the change itself: one function of NumPy, or what writes to a
    few places. Of other formulas it is a result and its writing, into which a compiler can join
    what stands before and behind."""
    return op.ufunc.__class__ is np.ufunc or bool(op.into.indices)


def count(target: Any, name: str) -> None:
    """Note that a tensor without history has been changed."""
    c = target._vc or cell(target)
    c.count += 1
    c.stamp = tick()
    c.what = name
    c.code, c.lasti = user_line()
    v = target._v
    if v is not None and not v.made:
        v.seen = c.count  # one that may not change is asked when it is next used


def recorded(op: Any, inputs: tuple[Any, ...], kw: dict[str, Any], arrays: Any) -> Any:
    """`change` of what has a history, or gets one by an operand."""
    target = inputs[0]
    before = target._fn
    if (
        op.rules is None
        or before is LEAF
        or target._v is not None
        or target._x is not None
        or target.__class__ is not operators.plain_tensor
    ):
        return written(op, inputs, kw)
    if target._a.dtype.kind != "f":
        return written(op, inputs, kw)
    for b in inputs[1:]:
        if b is target or (isinstance(b, TensorBase) and b._x is not None and b._x.inference):
            return written(op, inputs, kw)
    made = before.node if before.__class__ is Out else before
    if isinstance(made, op_node.OpNode) and made.op.copies:
        return written(op, inputs, kw)
    operands = inputs
    keep = op.kept(tuple([needs_grad((x,)) for x in inputs]))
    if keep and keep[1]:  # a rule reads what was there
        operands = (changes.before_change(target), *inputs[1:])
    if not overwritten(op, arrays, kw):
        return written(op, inputs, kw)
    a = target._a
    c = target._vc or cell(target)
    c.count += 1
    c.stamp, c.what = tick(), op.inplace_name  # before the node's own tick: it keeps the new values
    node = door.record(op, operands, kw, a, a.shape, a.dtype, 0, None)
    c.code, c.lasti = node.code, node.lasti
    changes.rebase(target, node, c)
    return target


# -- the other ways --------------------------------------------------------------------------------


def written(op: Any, inputs: tuple[Any, ...], kw: dict[str, Any]) -> Any:
    """The long way."""
    return changes.apply_written(op, inputs[0], inputs[1:], kw)


otherwise = written  # where `change`, pruned for a record, sends what it does not take
_seen = change  # the ways that there are for what is shown


def shown(op: Any, inputs: tuple[Any, ...], kw: dict[str, Any]) -> Any:
    """`otherwise` for when some thread is observed."""
    return door.span("inplace", op, inputs, lambda: _seen(op, inputs, kw))


def _on_watch(watched: bool) -> None:
    """Whoever watches may change what is done, so the operation has to pass `door.apply`."""
    global _seen
    _seen = written if watched else change


def _on_observe(observed: bool) -> None:
    global otherwise
    otherwise = shown if observed else written


watch.on_watch.append(_on_watch)
on_observe.append(_on_observe)
