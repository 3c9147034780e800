"""The one door, on two levels.

`apply(op, inputs, kw)`: every operation on tensors. It takes the arrays out of the tensors,
promotes their types, has the op's array function performed, wraps the result and, when a gradient
is needed, records a node. Whoever may change what is done (anomaly mode, forward mode, autocast) is
a *watcher*: `with watching(fn)` swaps `apply` for a version that calls
`fn(next_apply, op, inputs, kw)`.

`perform(record, arrays, kw)`: every computation on arrays, be it an operation's, a derivative
rule's, or a `Step` (`steps.py`) of the engine, of an in-place change, of an optimiser. Whoever
looks on is an *observer* (`observe.py`), who sees all of them and changes nothing.

When nobody watches or looks on, nothing is tested.

Not here: what is computed (`ops/`), the bare operators' short cuts (`operators.py`), views and
in-place changes (`views.py`), backward (`engine.py`).
"""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

import numpy as np

from .. import dtypes
from ..kernels.elementwise import select as elementwise
from ..kernels.meta import MetaArray
from .call_errors import broadcast_error, memory_error, type_error
from .node import (
    LEAF,
    Cut,
    Extras,
    Freed,
    Node,
    Out,
    TensorBase,
    freed_error,
    inplace_error,
    tick,
    user_line,
)

_new = object.__new__
ndarray = np.ndarray
FLOAT16 = np.dtype(
    np.float16
).num  # types that NumPy computes narrowly: this one, and all of ml_dtypes
FIRST_USER_TYPE = 256
F32, F64 = np.dtype(np.float32), np.dtype(np.float64)
ONE_INPUT = (True,)


class _State(threading.local):
    """Each thread's grad mode and watchers."""

    enabled = True
    inference = False
    watchers: tuple[Any, ...] = ()
    observers: tuple[Any, ...] = ()
    autocast: Any = None  # (op, types of operands) -> the types that autocast gives them
    within = False  # a record that is shown is running: what it calls is a part of it
    packers: tuple[Any, ...] = ()  # saved_tensors_hooks, innermost last


state = _State()
Tensor: Any = TensorBase  # the full classes, bound by rushlight/tensor.py
Parameter: Any = TensorBase


def bind(tensor_class: type, parameter_class: type) -> None:
    """Tell the door which class to make (the layers above are not imported here)."""
    global Tensor, Parameter
    Tensor, Parameter = tensor_class, parameter_class


def wrap(a: Any) -> Any:
    """A Tensor around an array, without history and without copying."""
    t = _new(Tensor)
    if a.__class__ is not ndarray and a.__class__ is not MetaArray:
        a = perform(steps.as_array, (a,), {})
    t._a = a
    t._fn = t._vc = t._v = t._x = None
    return t


# -- the door ------------------------------------------------------------------------------------


def perform(record: Any, arrays: Any, kw: dict[str, Any]) -> Any:
    """Compute what a record says on arrays. The specialised functions of `specialize.py` call
    `record.fn` themselves, as this does; observed, all of it comes through here."""
    return record.fn(*arrays, **kw)


bare_perform = perform


def apply(op: Any, inputs: tuple[Any, ...], kw: dict[str, Any]) -> Any:
    """Run `op` on tensors (numbers and None may stand where the op allows) and record it.

    `op.core` is `general` written out for calls of the common sort (`specialize.py`).
    """
    return op.core(kw, *inputs)


def general(op: Any, inputs: tuple[Any, ...], kw: dict[str, Any]) -> Any:
    """`apply` for every operation and all kinds of operands: the text of a call.

    `specialize.py` prunes this text, and those of `finish` and `record`, by what a record says:
    tests of the record are decided, and the functions of the next section are written out for the
    operands that it has.
    """
    arrays, edges, notes, low, narrow = taken(op, inputs)
    out = computed(op, inputs, arrays, kw, narrow)
    if op.outputs != 1:
        return several(op, inputs, kw, out, tracked(edges), low, narrow)
    if out.__class__ is not ndarray:
        out = as_array(out)
    if not op.fresh and not op.view:  # noqa: SIM102 - what is asked of the record stands alone
        if handed_on(out, arrays):
            out = own(out, arrays)
    y = _new(Tensor)
    y._a = out
    if op.view:
        attach_view(op, kw, inputs[0], y, None)
    else:
        y._vc = y._v = None
    if not tracked(edges):
        y._fn = None
        y._x = first_cut(notes)
        return y
    return finish(op, inputs, kw, y, low, narrow)


def finish(
    op: Any, inputs: tuple[Any, ...], kw: dict[str, Any], y: Any, low: int = 0, narrow: Any = None
) -> Any:
    """Give the result of tracked operands its node, or the note why it has none."""
    out = y._a
    if op.rules is None:
        y._fn = None
        y._x = cut(f"{op.name}, which has no derivative")
        return y
    dtype = out.dtype
    if not may_carry(op, dtype):
        y._fn = None
        y._x = cut(f"a result of type {dtypes.from_numpy(dtype)!r} ({op.name})")
        return y
    if not state.enabled:
        y._fn = None
        y._x = cut("inference_mode" if state.inference else "no_grad")
        return y
    y._x = None
    y._fn = record(op, inputs, kw, out, out.shape, dtype, low, narrow)
    if op.view and op.keep_y:
        y._fn.extras().cells = {0: y._vc}
    return y


def record(
    op: Any,
    inputs: tuple[Any, ...],
    kw: dict[str, Any],
    out: Any,
    shape: Any,
    dtype: Any,
    low: int,
    narrow: Any,
) -> Node:
    """Make the node of a call: its edges, and those values that its rules keep."""
    node: Any = _new(class_of(op, dtype, low, narrow))
    node.edges = places(inputs)
    node.saved = kept_values(op, inputs, out, node)
    if op.rule_names:
        node.kw = rule_parameters(op, inputs, kw)
    if op.outputs != 1:
        node.n_out = 1
    node.seq = tick()
    node.shape = shape
    node.dtype = dtype
    node.x = None
    node.code, node.lasti = user_line()
    return node


# -- what the text says in a word ------------------------------------------------------------------


def taken(op: Any, inputs: tuple[Any, ...]) -> tuple[list[Any], list[Any], list[Any], int, Any]:
    """The arrays of operands in the types that the operation computes in, the places on the tape
    and the notes of those that have one, how many arrays were narrow, and the narrow type of the
    result."""
    arrays, edges, notes = [], [], []
    low = 0
    for t in inputs:
        if isinstance(t, TensorBase):
            if t._v is not None and t._v.seen != t._vc.count:  # type: ignore[union-attr]
                refresh(t)
            a = t._a
            arrays.append(a)
            if t._fn is not None:
                edges.append(t._fn)
            if t._x is not None:
                notes.append(t._x)
            dtype = a.dtype
            if dtype is not F32 and dtype is not F64:
                num = dtype.num
                if num == FLOAT16 or num >= FIRST_USER_TYPE:
                    low += 1
        else:
            arrays.append(t)
    narrow = None
    if op.promote is not None:
        arrays, narrow = promote(op, arrays)
    elif low and op.widen:
        arrays, narrow = widen(arrays)
    return arrays, edges, notes, low, narrow


def computed(
    op: Any, inputs: tuple[Any, ...], arrays: list[Any], kw: dict[str, Any], narrow: Any
) -> Any:
    """What comes out on arrays; stand-ins without numbers have shapes and types computed alone."""
    for a in arrays:
        if a.__class__ is MetaArray:
            out = op.infer(arrays, kw)
            break
    else:
        try:
            out = perform(op, arrays, kw)
        except ValueError as error:
            raise broadcast_error(op, inputs, error) from None
        except MemoryError as error:
            raise memory_error(op, error) from None
        except TypeError as error:
            raise type_error(op, arrays, error) from None
    return out if narrow is None else narrow_down(out, narrow)


def as_array(out: Any) -> Any:
    """A result that NumPy made a scalar of, as an array; stand-ins as they are."""
    return out if out.__class__ is MetaArray else perform(steps.as_array, (out,), {})


def handed_on(out: Any, arrays: list[Any]) -> bool:
    """Whether a result may be an operand, or share its memory."""
    return out.__class__ is ndarray and (out.base is not None or any(out is x for x in arrays))


def tracked(edges: list[Any]) -> bool:
    """Whether one of the operands has a place on the tape."""
    return bool(edges)


def first_cut(notes: list[Any]) -> Cut | None:
    """The first note that says where an upstream history ended."""
    return cut_of(*notes) if notes else None


def cut(why: str) -> Cut:
    """A note made here."""
    return Cut(why)


def may_carry(op: Any, dtype: Any) -> bool:
    """Whether values of a type can have gradients."""
    return dtype.kind in "fcV"


def class_of(op: Any, dtype: Any, low: int, narrow: Any) -> type:
    """The class of a call's node."""
    if dtype is F32 and not low and narrow is None and op.float_node is not None:
        return op.float_node  # type: ignore[no-any-return]
    return op.node_class(dtype, low or narrow is not None)  # type: ignore[no-any-return]


def places(inputs: tuple[Any, ...]) -> tuple[Any, ...]:
    """Where the gradients of operands go."""
    edges = []
    for t in inputs:
        fn = t._fn if isinstance(t, TensorBase) else None
        edges.append(t if fn is LEAF else fn)
    return tuple(edges)


def kept_values(op: Any, inputs: tuple[Any, ...], out: Any, node: Node) -> tuple[Any, ...]:
    """(y, *inputs), None for what no rule reads whose gradient is wanted; () for nothing."""
    edges = node.edges
    keep = op.kept(tuple([e is not None for e in edges]) if len(edges) > 1 else ONE_INPUT)
    if keep is None:
        return ()
    saved = tuple([t if k else None for t, k in zip((out, *inputs), keep)])  # noqa: B905 - equal by making
    return pack(saved, node) if state.packers else saved


def rule_parameters(op: Any, inputs: tuple[Any, ...], kw: dict[str, Any]) -> dict[str, Any]:
    """The parameters of a call that rules may read, and the operands' shapes if one does."""
    kw = {**op.defaults, **kw}
    if op.wants_shapes:
        kw["shapes"] = tuple([t._a.shape if isinstance(t, TensorBase) else () for t in inputs])
    return kw


# -- several results -------------------------------------------------------------------------------


def several(
    op: Any,
    inputs: tuple[Any, ...],
    kw: dict[str, Any],
    out: Any,
    tracked: bool,
    low: int,
    narrow: Any,
) -> Any:
    """Wrap the outputs of an op with several; those that can carry a gradient share one node.

    `specialize.py` prunes this text too, for records that say how many outputs they have.
    """
    ys = wrapped(op, inputs, kw, out)
    if not tracked:
        return ys
    if op.rules is None:
        return ys
    if not state.enabled:
        return noted(ys, cut("inference_mode" if state.inference else "no_grad"))
    if not op.outputs:  # noqa: SIM102 - as many as the operands' shapes say
        if len(ys) == 1:  # a split in one part: the engine hands such a node one gradient
            return alone(op, inputs, kw, ys[0], low, narrow)
    node = record(op, inputs, kw, kept_outputs(op, ys), shapes(ys), types(ys), low, narrow)
    node.n_out = len(ys)  # type: ignore[misc]
    return attached(op, ys, node)


def wrapped(op: Any, inputs: tuple[Any, ...], kw: dict[str, Any], out: Any) -> tuple[Any, ...]:
    """A tensor for each output, without history."""
    ys = tuple([wrap(a) for a in out])
    if op.view:
        for nr, y in enumerate(ys):
            attach_view(op, kw, inputs[0], y, nr)
    return ys


def noted(ys: tuple[Any, ...], note: Cut) -> tuple[Any, ...]:
    """Outputs with the note why they have no history."""
    for y in ys:
        y._x = note
    return ys


def alone(
    op: Any, inputs: tuple[Any, ...], kw: dict[str, Any], y: Any, low: int, narrow: Any
) -> tuple[Any, ...]:
    """The only output there is, with a node of its own."""
    a = y._a
    if a.dtype.kind in "fcV":
        y._fn = record(op, inputs, kw, (a,), a.shape, a.dtype, low, narrow)
    return (y,)


def kept_outputs(op: Any, ys: tuple[Any, ...]) -> tuple[Any, ...]:
    """The outputs' arrays for the rules; an output that no rule needs may be changed in place."""
    return tuple([y._a if op.saves is None or nr in op.saves else None for nr, y in enumerate(ys)])


def shapes(ys: tuple[Any, ...]) -> tuple[Any, ...]:
    """The outputs' shapes."""
    return tuple([y._a.shape for y in ys])


def types(ys: tuple[Any, ...]) -> tuple[Any, ...]:
    """The outputs' types."""
    return tuple([y._a.dtype for y in ys])


def attached(op: Any, ys: tuple[Any, ...], node: Node) -> tuple[Any, ...]:
    """Outputs with their places at the node, those that gradients can come to."""
    for nr, y in enumerate(ys):
        if y._a.dtype.kind in "fcV" and (op.differentiable is None or nr in op.differentiable):
            y._fn = Out(node, nr)
    return ys


noting: Callable[[Node], None] | None = (
    None  # anomaly mode: told of nodes that do not come from `apply`
)
bare_apply = apply


# -- types ---------------------------------------------------------------------------------------


def promote(op: Any, arrays: list[Any]) -> tuple[list[Any], Any]:
    """Bring the operands to one type by PyTorch's rules; returns them and the narrow result type.

    Tensors with dimensions win over 0-d tensors, and these over Python numbers, unless the weaker
    one is of a higher category (float over int). Types below float32 are computed in float32.
    """
    first = arrays[0].dtype if arrays and arrays[0].__class__ is ndarray else None
    if first is F32 or first is F64:
        for a in arrays:
            if a.__class__ is not ndarray or a.dtype is not first:
                break
        else:
            return arrays, None
    dims = zeros = numbers = None
    for a in arrays:
        if a is None:
            continue
        if isinstance(a, (ndarray, MetaArray)):
            d = dtypes.from_numpy(a.dtype)
            if a.ndim:
                dims = d if dims is None or dims is d else dtypes.promote_types(dims, d)
            else:
                zeros = d if zeros is None or zeros is d else dtypes.promote_types(zeros, d)
        else:
            d = dtypes.scalar_dtype(a)
            numbers = d if numbers is None or numbers is d else dtypes.promote_types(numbers, d)
    common = dtypes.combine(dims, zeros, numbers)
    if op.promote == "float" and common.category < dtypes.FLOAT:
        common = dtypes.get_default_dtype()
    if common.low and op.kind == "elementwise" and elementwise.takes_low(op.name, op.ufunc, arrays):
        return [as_operand(a, common.np) for a in arrays], None
    target = np.dtype(np.float32) if common.low else common.np
    cast = [a if a is None else cast_to(a, target) for a in arrays]
    return cast, (common.np if common.low else None)


def as_operand(a: Any, low: Any) -> Any:
    """An operand of a kernel of a narrow type: an array of it, or a number as it is."""
    if a is None:
        return a
    if a.__class__ is ndarray and a.ndim:
        return a if a.dtype == low else perform(steps.cast, (a,), {"dtype": low})
    return float(a)


def cast_to(a: Any, target: Any) -> Any:
    """An operand as an array of type `target` (no copy when it is one already)."""
    if isinstance(a, (ndarray, MetaArray)):
        return a if a.dtype == target else perform(steps.cast, (a,), {"dtype": target})
    return perform(steps.number, (), {"value": a, "dtype": target})


def widen(arrays: list[Any]) -> tuple[list[Any], Any]:
    """float32 in place of the narrower types; the narrow type is the result's if no wider one is
    there."""
    narrow: Any = None
    wide = False
    out = []
    for a in arrays:
        if isinstance(a, (ndarray, MetaArray)):
            num = a.dtype.num
            if num == FLOAT16 or num >= FIRST_USER_TYPE:
                narrow = a.dtype if narrow is None or narrow == a.dtype else np.dtype(np.float32)
                a = perform(steps.cast, (a,), {"dtype": F32})
            elif a.dtype.kind in "fc" and a.ndim:
                wide = True
        out.append(a)
    return out, (None if wide else narrow)


def narrow_down(out: Any, narrow: Any) -> Any:
    """Round float32 results back to the narrow type."""
    if isinstance(out, tuple):
        return tuple(narrow_down(a, narrow) for a in out)
    return perform(steps.cast, (out,), {"dtype": narrow}) if out.dtype == np.float32 else out


def own(a: Any, arrays: list[Any]) -> Any:
    """The array itself, or a copy when an op handed an input (or a view of one) through."""
    if a.base is not None or any(a is x for x in arrays):
        for x in arrays:
            if x.__class__ is ndarray and np.may_share_memory(a, x):
                return perform(steps.copy, (a,), {})
    return a


# -- recording -----------------------------------------------------------------------------------


class Packed:
    """A saved value that went through saved_tensors_hooks."""

    __slots__ = ("unpack", "value")

    def __init__(self, value: Any, unpack: Any) -> None:
        self.value = value
        self.unpack = unpack


def pack(saved: tuple[Any, ...], node: Any) -> tuple[Any, ...]:
    """Send saved tensors through the innermost saved_tensors_hooks."""
    pack_hook, unpack_hook = state.packers[-1]
    out = []
    for s in saved:
        if s.__class__ is ndarray:
            s = wrap(s)
        if isinstance(s, TensorBase):
            with grad_enabled(False):
                s = Packed(pack_hook(s), unpack_hook)
        out.append(s)
    return tuple(out)


class Alias(Node):
    """Stands between an unpacked saved value and the leaf whose value it is."""

    __slots__ = ()

    def run(self, g: Any, tensors: bool, wanted: Any = None) -> Any:
        return (g,)


def reattached(node: Node, i: int, t: Any) -> Any:
    """A value that came back from an unpack hook, with the history of what was packed."""
    edge = node if i == 0 else node.edges[i - 1]
    y = wrap(t._a)
    y._fn = alias(edge) if isinstance(edge, TensorBase) else edge
    return y


def alias(leaf: Any) -> Node:
    """A node that hands its gradient on to `leaf`."""
    node: Node = _new(Alias)
    node.edges, node.saved, node.kw, node.x = (leaf,), (), None, None
    node.seq, node.shape, node.dtype = tick(), leaf._a.shape, leaf._a.dtype
    node.code, node.lasti = user_line()
    return node


class OpNode(Node):
    """A node that runs the rules of an op record. Its subclasses are named as PyTorch's nodes."""

    __slots__ = ("n_out",)
    op: Any
    rules: Any
    rule_kw: Any
    joint = False
    nothing: tuple[Any, ...] = ()  # (None, None, ...) for a fixed number of inputs

    def values(self, tensors: bool) -> list[Any]:
        """The saved (y, *inputs), checked against in-place changes."""
        saved = self.saved
        if saved.__class__ is Freed:
            raise freed_error(self, saved)
        if not saved:
            return [None] * (len(self.edges) + 1)
        out = []
        for i, s in enumerate(saved):
            if s.__class__ is Packed:
                s = s.unpack(s.value)
                s = reattached(self, i, s) if tensors else s._a
            elif isinstance(s, TensorBase):
                cell = s._vc
                if cell is not None and cell.stamp > self.seq:
                    raise inplace_error(self, s._a.shape, cell)
                if not tensors:
                    s = s._a
            elif (
                i == 0 and s is not None
            ):  # the output, kept as an array: a Tensor would be a cycle
                if self.x is not None and self.x.cells is not None:
                    for nr, cell in self.x.cells.items():
                        if cell.stamp > self.seq and (
                            s.__class__ is not tuple or s[nr] is not None
                        ):
                            shape = self.shape if s.__class__ is not tuple else self.shape[nr]
                            raise inplace_error(self, shape, cell)
                if tensors:
                    s = self.output(s)
            out.append(s)
        return out

    def visible(self) -> list[int]:
        """All edges but those of masks and indices, and of operands that were left out."""
        rules, hidden = self.op.rules, self.op.optional
        if self.joint or len(rules) != len(self.edges):
            rules = None
        return [
            i
            for i, e in enumerate(self.edges)
            if e is not None or not (i in hidden or (rules is not None and rules[i] is None))
        ]

    def output(self, y: Any) -> Any:
        """The saved output as a Tensor of this node again."""
        if y.__class__ is tuple:
            out = tuple(None if a is None else wrap(a) for a in y)
            for nr, t in enumerate(out):
                if t is not None and t._a.dtype.kind in "fcV":
                    t._fn = self if self.n_out == 1 else Out(self, nr)
            return out
        t = wrap(y)
        t._fn = self
        return t

    def run(self, g: Any, tensors: bool, wanted: Any = None) -> Any:
        saved = self.saved
        if not saved:
            values: Any = self.nothing
        elif tensors or saved.__class__ is Freed:
            values = self.values(tensors)
        else:
            values = []
            for s in saved:
                if s is not None:
                    kind = s.__class__
                    if kind is Tensor or kind is Parameter:
                        cell = s._vc
                        if cell is not None and cell.stamp > self.seq:
                            raise inplace_error(self, s._a.shape, cell)
                        s = s._a
                    elif kind is not ndarray or self.x is not None:
                        values = self.values(False)
                        break
                values.append(s)
        kw = self.kw
        if self.joint:
            return self.run_joint(g, values, tensors, wanted)
        out: list[Any] = []
        given = (g, *(values or (None,) * (len(self.edges) + 1)))
        for i, edge in enumerate(self.edges):
            if edge is None or (wanted is not None and not wanted[i]):
                out.append(None)
                continue
            picked = {} if kw is None else {n: kw[n] for n in self.rule_kw[i]}
            if tensors:  # the rule's own operations pass the door
                out.append(self.rules[i](*given, **picked))
            else:
                out.append(perform(self.step(i), given, picked))
        return out

    run_shown = run  # `run` of a class may be a specialised one, which performs unseen

    @classmethod
    def step(cls, i: int) -> Any:
        """The derivative rule for input `i` as a record."""
        found = cls.__dict__.get("steps")
        if found is None:
            found = tuple([steps.Step(f"{cls.__name__}[{j}]", r) for j, r in enumerate(cls.rules)])
            cls.steps = found  # type: ignore[attr-defined]
        return found[i]

    def run_joint(self, g: Any, values: Any, tensors: bool, wanted: Any) -> Any:
        """One rule for all inputs."""
        needs = tuple(
            e is not None and (wanted is None or wanted[i]) for i, e in enumerate(self.edges)
        )
        kw = self.kw
        picked = {n: kw[n] for n in self.rule_kw[0]} if kw is not None else {}
        if self.op.wants_needs:
            picked["needs"] = needs
        given = (g, *(values or (None,) * (len(needs) + 1)))
        got = self.rules[0](*given, **picked) if tensors else perform(self.step(0), given, picked)
        return tuple(r if need else None for r, need in zip(got, needs, strict=True))

    def _saved(self, name: str) -> Any:
        """`node._saved_self`, `_saved_other`, `_saved_result`, or a parameter of the call."""
        names = {"result": 0, "self": 1, "input": 1, "other": 2}
        names.update({n: i + 1 for i, n in enumerate(self.op.inputs)})
        if name in names and names[name] <= len(self.edges):
            return self.values(True)[names[name]]
        if self.kw is not None and name in self.kw:
            return self.kw[name]
        raise AttributeError(f"'{self.name()}' object has no attribute '_saved_{name}'")


def saved_names(op: Any) -> dict[str, property]:
    """The attributes `_saved_self`, ... of an operation's nodes.

    As properties: with a `__getattr__` Python 3.11 keeps nothing of what it learns about the
    attributes of a class, and each read takes five times as long.
    """
    names = dict.fromkeys(("result", "self", "input", "other", *op.inputs, *op.defaults))

    def saved(name: str) -> property:
        return property(lambda node: node._saved(name))

    return {f"_saved_{name}": saved(name) for name in names}


# -- why a gradient stops ------------------------------------------------------------------------


def cut_of(*xs: Any) -> Cut | None:
    """The first note among the `_x` fields of some tensors."""
    for x in xs:
        if x is not None:
            cut = x if x.__class__ is Cut else x.cut
            if cut is not None:
                return cut
    return None


def nothing(g: Any) -> Any:
    """Zeros like a gradient, for rules that lose it (g * 0.0 would make NaN of inf and NaN)."""
    if isinstance(g, TensorBase):
        return wrap(perform(steps.full, (), {"shape": g._a.shape, "value": 0, "dtype": g._a.dtype}))
    return np.zeros(g.shape, g.dtype)


def extras(t: Any) -> Extras:
    """The Extras of a tensor, made when first needed."""
    x = t._x
    if x.__class__ is not Extras:
        x = t._x = Extras(x)
    return x


# -- grad mode and watchers ----------------------------------------------------------------------


@contextmanager
def grad_enabled(on: bool) -> Iterator[None]:
    """Grad mode of this thread, for a block (the public contexts are in grad_mode.py)."""
    before = state.enabled
    state.enabled = on
    try:
        yield
    finally:
        state.enabled = before


_watch_count = _general_count = 0
_watch_lock = threading.Lock()
# Told (True) when calls have to go the general way, and (False) when they need no longer.
on_general: list[Callable[[bool], None]] = []
_innermost = bare_apply  # what `apply_watched` ends with: `apply_shown` while somebody observes
on_watch: list[Callable[[bool], None]] = []  # as well, but for watchers alone


def apply_shown(op: Any, inputs: tuple[Any, ...], kw: dict[str, Any]) -> Any:
    """`apply` for when some thread is observed."""
    return span("op", op, inputs, lambda: bare_apply(op, inputs, kw))


def apply_watched(op: Any, inputs: tuple[Any, ...], kw: dict[str, Any]) -> Any:
    """`apply` for when some thread watches: this thread's watchers are called, innermost first."""
    watchers = state.watchers
    if not watchers:
        return _innermost(op, inputs, kw)
    state.watchers = watchers[:-1]
    try:
        return watchers[-1](apply_watched, op, inputs, kw)
    finally:
        state.watchers = watchers


def set_watched(change: int) -> None:
    """Count those who need to see every call; swap the door when the first comes or the last
    goes."""
    global _watch_count, apply
    with _watch_lock:
        before = _watch_count
        _watch_count += change
        if (before == 0) != (_watch_count == 0):
            apply = apply_watched if _watch_count else _innermost
            for tell in on_watch:
                tell(bool(_watch_count))
    set_general(change)


def set_general(change: int) -> None:
    """Count those for whom no call may take a short way: watchers, and observers as one."""
    global _general_count
    with _watch_lock:
        before = _general_count
        _general_count += change
        if (before == 0) != (_general_count == 0):
            for tell in on_general:
                tell(bool(_general_count))


def set_shown(shown: bool) -> None:
    """Announce every call, or no longer: told by `observe.py`."""
    global _innermost, apply
    with _watch_lock:
        _innermost = apply_shown if shown else bare_apply
        if not _watch_count:
            apply = _innermost


def arriving(op: Any, *arrays: Any) -> list[Any]:
    """The types in which operands (None is left out) reach an operation: their own, or what
    autocast makes of them by the record's policy. For checks of types before the door."""
    types = [a.dtype for a in arrays if a is not None]
    return types if state.autocast is None else state.autocast(op, types)


@contextmanager
def watching(fn: Callable[..., Any]) -> Iterator[None]:
    """Let `fn(next_apply, op, inputs, kw)` stand at the door of this thread for a block."""
    watch(fn)
    try:
        yield
    finally:
        unwatch(fn)


def watch(fn: Callable[..., Any]) -> None:
    """Let `fn` stand at the door of this thread until `unwatch(fn)`."""
    set_watched(1)
    state.watchers = (*state.watchers, fn)


def unwatch(fn: Callable[..., Any]) -> None:
    """Send `fn` away, which need not be the one that came last."""
    watchers = state.watchers
    for i in range(len(watchers) - 1, -1, -1):
        if watchers[i] is fn:
            state.watchers = (*watchers[:i], *watchers[i + 1 :])
            break
    set_watched(-1)


from . import steps  # noqa: E402

# Functions of `views.py` and `observe.py`, which stand above this file and put them here when they
# are loaded; whoever imports a module of this package has loaded them.
attach_view: Any = None
refresh: Any = None
enter: Any = None
leave: Any = None
observe: Any = None
observing: Any = None
span: Any = None
unobserve: Any = None


def take(**functions: Any) -> None:
    """Take functions of the files above this one."""
    globals().update(functions)
