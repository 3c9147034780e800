"""The one door, on two levels.

`apply(op, inputs, kw)`: every operation on tensors. It takes the arrays out of the tensors,
promotes their types, has the op's array function performed, wraps the result and, when a gradient
is needed, records a node. Whoever may change what is done (anomaly mode, forward mode, autocast) is
a *watcher*: `with watch.watching(fn)` swaps `apply` for a version that calls
`fn(next_apply, op, inputs, kw)`.

`perform(record, arrays, kw)`: every computation on arrays, be it an operation's, a derivative
rule's, or a `Step` (`steps.py`) of the engine, of an in-place change, of an optimiser. Whoever
looks on is an *observer* (`observe.py`), who sees all of them and changes nothing.

When nobody watches or looks on, nothing is tested.

Not here: what is computed (`ops/`), watchers (`watch.py`), observers (`observe.py`), the nodes
(`op_node.py`), the bare operators' short cuts (`operators.py`), views and in-place changes
(`views.py`, `changes.py`), backward (`engine.py`).
"""

from __future__ import annotations

import threading
from collections.abc import Callable
from typing import Any

import numpy as np

from .. import dtypes
from ..kernels.elementwise.formula import takes_low
from ..kernels.meta import MetaArray, OuterArray, SparseArray, UnresolvedArray
from ..kernels.narrow import FIRST_USER_TYPE, FLOAT16
from ..kernels.runtime import few
from . import steps
from .call_errors import (
    broadcast_error,
    dims_error,
    is_too_large,
    memory_error,
    too_much,
    type_error,
)
from .lines import user_line
from .node import LEAF, Cut, Extras, InferenceCut, Node, Out, TensorBase, tick

_new: Callable[[Any], Any] = object.__new__  # by machine code later (`specialize.renew`)
ndarray = np.ndarray
F32, F64 = np.dtype(np.float32), np.dtype(np.float64)
C32 = dtypes.complex32.np
ONE_INPUT = (True,)


class _State(threading.local):
    """Each thread's grad mode and watchers."""

    enabled = True
    inference = False
    watchers: tuple[Any, ...] = ()
    observers: tuple[Any, ...] = ()
    listening: tuple[Any, ...] = ()  # observers of methods (`methods.py`)
    autocast: Any = None  # while it is on: the types it gives to operands, calls with them cast
    within = False  # a record that is shown is running: what it calls is a part of it
    transforms = 0  # how many functions of `torch.func` are being transformed
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
        if isinstance(a, SparseArray):
            return sparse_class(Tensor)._sparse(a)
        if a.__class__ is Kept:
            return a.again()
        a = as_array(a)
    t._a = a  # no `__init__` has run: every field has to be set
    t._fn = t._vc = t._v = None
    t._x = None if born[0] is None else born_here()
    return t


class Kept:
    """What a node keeps of a result whose class computes for it: a tensor of its own.

    The result itself would hold the node that holds it. It is `detach`ed when it is saved and again
    when it is used, as in PyTorch.
    """

    __slots__ = ("tensor",)

    def __init__(self, t: Any) -> None:
        own = getattr(t, "saved_alias", None)  # of classes that are told of each `detach`
        with grad_enabled(False):
            self.tensor = t.detach() if own is None else own()

    def again(self) -> Any:
        """A tensor of the same values, without history."""
        t = self.tensor
        own = getattr(t, "saved_alias", None)
        return t.detach() if own is None else own()


def zeros_of(t: Any) -> Any:
    """Zeros like a tensor; where its class computes for it, of that class."""
    if t._a.__class__ is OuterArray:
        return t.new_zeros(t._a.shape)
    return wrap(np.zeros_like(t._a))


def ones_of(t: Any) -> Any:
    """Ones like a tensor, as `zeros_of`."""
    if t._a.__class__ is OuterArray:
        return t.new_ones(t._a.shape)
    return wrap(np.ones_like(t._a))


def sparse_class(kind: Any) -> Any:
    """The class of sparse tensors that stands for Tensor or Parameter."""
    from ..sparse import core

    return core.SparseParameter if issubclass(kind, Parameter) else core.SparseTensor


# -- the door ------------------------------------------------------------------------------------


def perform(record: Any, arrays: Any, kw: dict[str, Any]) -> Any:
    """Compute what a record says on arrays. The specialised functions of `specialize.py` call
    `record.fn` themselves, as this does; observed, all of it comes through here."""
    try:
        return record.fn(*arrays, **kw)
    except MemoryError as error:
        raise memory_error(record.name, error) from None
    except ValueError as error:
        if not is_too_large(error):
            raise
        raise too_much(record.name, error) from None


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
    operands that it has. So its lines are matched as they are spelt (`call_text.body` has those
    that it replaces), and each test of the record stands alone in its line.
    """
    arrays, edges, notes, low, narrow = taken(op, inputs, kw)
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
        if op.view:
            y._x = viewed_cut(notes)
        else:
            y._x = first_cut(notes)
        return y
    if of_inference(notes):  # noqa: SIM102 - the first test stands alone in the pruned text
        if refuse_inference(op, inputs):
            return apart(inputs, y)
    return finish(op, inputs, kw, y, low, narrow)


def general_in_rows(op: Any, inputs: tuple[Any, ...], kw: dict[str, Any]) -> Any:
    """`general` for a record that says `rows`: where a number stands first, which no short way
    takes, the result lies in rows however the other operand lies."""
    y = general(op, inputs, kw)
    a = y._a
    by_number = not isinstance(inputs[0], TensorBase)
    if by_number and a.__class__ is ndarray and not a.flags.c_contiguous:
        y._a = perform(steps.copy, (a,), {"order": "C"})
    return y


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
        if op.view:
            return quiet_view(inputs[0], y)
        y._fn = None
        y._x = cut("inference_mode" if state.inference else "no_grad")
        return y
    y._x = None
    y._fn = record(op, inputs, kw, out, out.shape, dtype, low, narrow)
    if op.view and op.keep_y:
        y._fn.output_cells()[0] = y._vc
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
    node.seq = tick()  # whoever changes a kept value from now on stamps it later
    node.shape = shape
    node.dtype = dtype
    node.x = None
    node.code, node.lasti = user_line()
    return node


# -- what the text says in a word ------------------------------------------------------------------


def taken(
    op: Any, inputs: tuple[Any, ...], kw: dict[str, Any]
) -> tuple[list[Any], list[Any], list[Any], int, Any]:
    """The arrays of operands in the types that the operation computes in, the places on the tape
    and the notes of those that have one, how many arrays were narrow, and the narrow type of the
    result."""
    arrays, edges, notes = [], [], []
    low = 0
    for t in inputs:
        if isinstance(t, TensorBase):
            # before `_fn` is read: the memory of a view may have got another history
            v = t._v
            if v is not None and v.seen != t._vc.count and op.rules is not None:  # type: ignore[union-attr]
                refresh(t)
            a = t._a
            if a.__class__ is UnresolvedArray and not op.view:
                a = resolved(a)
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
    else:
        if op.accepts is not None:
            op.accepts.check_operand(arrays[0], kw.get("dim"))
        if low and op.widen:
            if op.unmixed is not None:
                op.unmixed(*arrays, **kw)
            arrays, narrow = widen(arrays)
        elif low and op.compute and any(a.__class__ is ndarray and a.dtype == C32 for a in arrays):
            arrays, narrow = widen(arrays)  # of complex numbers no operation computes narrow ones
    return arrays, edges, notes, low, narrow


def computed(
    op: Any, inputs: tuple[Any, ...], arrays: list[Any], kw: dict[str, Any], narrow: Any
) -> Any:
    """What comes out on arrays; stand-ins without numbers have shapes and types computed alone."""
    for a in arrays:
        if a.__class__ is MetaArray:
            try:
                out = op.infer(arrays, kw)
            except ValueError as error:
                raise broadcast_error(op, inputs, error) from None
            break
        if a.__class__ is UnresolvedArray:
            out = viewed(op, a, kw)
            break
    else:
        try:
            out = perform(op, arrays, kw)
        except ValueError as error:
            raise broadcast_error(op, inputs, error) from None
        except IndexError as error:
            raise dims_error(op.name, error) from None
        except TypeError as error:
            raise type_error(op, arrays, error) from None
    return out if narrow is None else narrow_down(out, narrow)


def as_array(out: Any) -> Any:
    """A result that NumPy made a scalar of, as an array; stand-ins as they are."""
    if out.__class__ is MetaArray or out.__class__ is UnresolvedArray:
        return out
    return perform(steps.as_array, (out,), {})


def resolved(a: Any) -> Any:
    """The array that an UnresolvedArray stands for; others as they are."""
    if a.__class__ is not UnresolvedArray:
        return a
    return perform(steps.resolve, (a.raw,), {"conj": a.conj, "neg": a.neg})


def memory(a: Any) -> Any:
    """The memory of an UnresolvedArray as it is, for who asks how it lies; others as they are."""
    return a.raw if a.__class__ is UnresolvedArray else a


def viewed(op: Any, a: Any, kw: dict[str, Any]) -> Any:
    """A view of an UnresolvedArray: a view of its memory, read in the same way, unless the record
    says how its bits come out."""
    if op.numerics.bits is not None:
        return op.numerics.bits(a, **kw)
    out = perform(op, (a.raw,), kw)
    return tuple([a.over(part) for part in out]) if isinstance(out, tuple) else a.over(out)


def put(into: Any, values: Any) -> None:
    """Write values into an array, or so into the memory of an UnresolvedArray that they are read
    from it."""
    if into.__class__ is UnresolvedArray:
        turn = {"conj": into.conj, "neg": into.neg}
        into, values = into.raw, perform(steps.resolve, (values,), turn)
    if perform is not bare_perform or not few.assigned(into, values):
        perform(steps.write, (into, values), {})


def resolved_for(arrays: Any) -> tuple[list[Any], Callable[[], None]]:
    """Arrays for a computation that may write to any of them, and what writes back to those that
    were unresolved. For computations that do not pass `apply`; asked while `made` alone."""
    plain = [resolved(a) for a in arrays]

    def back() -> None:
        for a, b in zip(arrays, plain, strict=True):
            if a is not b:
                put(a, b)

    return plain, back


def handed_on(out: Any, arrays: list[Any]) -> bool:
    """Whether a result may be an operand, or share its memory."""
    return out.__class__ is ndarray and (out.base is not None or any(out is x for x in arrays))


def tracked(edges: list[Any]) -> bool:
    """Whether one of the operands has a place on the tape."""
    return bool(edges)


def first_cut(notes: list[Any]) -> Cut | None:
    """The first note that says where an upstream history ended."""
    return result_cut(*notes) if notes else born_here()


def viewed_cut(notes: list[Any]) -> Cut | None:
    """The note of a view: that of the tensor which is viewed."""
    return cut_of(*notes) if notes else None


def cut(why: str) -> Cut:
    """A note made here."""
    return InferenceCut() if state.inference else Cut(why)


# A note for results while any thread is in inference_mode, else None. The functions of
# `specialize.py` read it where there is no other note, and ask `born_here` only if there is one: a
# list, because reading `state` would take each call longer.
born: list[InferenceCut | None] = [None]


def born_here() -> Cut | None:
    """The note of a tensor that this thread makes."""
    return born[0] if state.inference else None


def result_cut(*xs: Any) -> Cut | None:
    """The note of a result of operands that have some."""
    cut = cut_of(*xs)
    if state.inference:
        return cut if cut.__class__ is InferenceCut else born[0]
    return cut.outside() if cut.__class__ is InferenceCut else cut  # type: ignore[union-attr]


def quiet() -> str:
    """How a view is made where nothing is recorded."""
    return "inference" if state.inference else "no_grad"


def is_inference(t: Any) -> bool:
    """Whether a tensor was made inside inference_mode."""
    x = t._x
    return x is not None and x.inference  # type: ignore[no-any-return]


def of_inference(notes: list[Any]) -> bool:
    """Whether one of some operands is an inference tensor."""
    return any(x.inference for x in notes)


def refuse_inference(op: Any, inputs: tuple[Any, ...]) -> bool:
    """Raise if a node of this call would keep an inference tensor; True where no node is made, as
    inference tensors alone require a gradient."""
    if not state.enabled or op.rules is None or state.transforms:  # these keep wrappers of them
        return False
    tensors = [t for t in inputs if isinstance(t, TensorBase) and t._fn is not None]
    if all(map(is_inference, tensors)):
        return True
    keep = op.kept(tuple([e is not None for e in places(inputs)]))
    for t, k in zip(inputs, (keep or (False,))[1:]):  # noqa: B905 - keep may be empty
        if k and isinstance(t, TensorBase) and is_inference(t):
            raise inference_error(op.name, t)
    return False


def apart(inputs: tuple[Any, ...], y: Any) -> Any:
    """A result that has no part in a graph, as it comes from inference tensors alone."""
    notes = [t._x for t in inputs if isinstance(t, TensorBase) and t._x is not None]
    y._fn = None
    y._x = cut_of(*notes) if y._v is not None else result_cut(*notes)
    return y


def inference_error(name: str, t: Any) -> RuntimeError:
    """The error of an inference tensor that would be saved for backward."""
    from .refused import saved_error

    return saved_error(name, t)


def quiet_view(viewed: Any, y: Any) -> Any:
    """A view of a tensor with history where nothing is recorded."""
    if is_inference(viewed):
        y._fn = None
        y._x = cut_of(viewed._x)
    else:  # it requires a gradient as its base does, of which nothing reaches what is viewed
        y._fn = LEAF if y._v is None or y._v.base._fn is not None else None
        y._x = Cut("inference_mode" if state.inference else "no_grad")
    return y


def may_carry(op: Any, dtype: Any) -> bool:
    """Whether values of a type can have gradients."""
    return dtype.kind in "fcVW"


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
    if UnresolvedArray.made:
        saved = (saved[0], *map(stand_in, saved[1:]))
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
    if op.view:
        return views_of(op, kw, inputs[0], out)
    return tuple([wrap(a) for a in out])


def noted(ys: tuple[Any, ...], note: Cut) -> tuple[Any, ...]:
    """Outputs with the note why they have no history."""
    for y in ys:
        if y._v is not None:
            quiet_view(y._v.base, y)  # as of a single view
        else:
            y._x = note
    return ys


def alone(
    op: Any, inputs: tuple[Any, ...], kw: dict[str, Any], y: Any, low: int, narrow: Any
) -> tuple[Any, ...]:
    """The only output there is, with a node of its own."""
    a = y._a
    if a.dtype.kind in "fcVW":
        y._fn = record(op, inputs, kw, (a,), a.shape, a.dtype, low, narrow)
    return (y,)


def kept_outputs(op: Any, ys: tuple[Any, ...]) -> tuple[Any, ...]:
    """The outputs for the rules: arrays of those that gradients come to, the others as they are, so
    that it is seen when somebody changes them; None for one that no rule needs, which may change.
    """
    ends = op.differentiable
    kept = []
    for nr, y in enumerate(ys):
        needed = op.saves is None or nr in op.saves
        kept.append((y._a if ends is None or nr in ends else y) if needed else None)
    return tuple(kept)


def shapes(ys: tuple[Any, ...]) -> tuple[Any, ...]:
    """The outputs' shapes."""
    return tuple([y._a.shape for y in ys])


def types(ys: tuple[Any, ...]) -> tuple[Any, ...]:
    """The outputs' types."""
    return tuple([y._a.dtype for y in ys])


def attached(op: Any, ys: tuple[Any, ...], node: Node) -> tuple[Any, ...]:
    """Outputs with their places at the node, those that gradients can come to."""
    for nr, y in enumerate(ys):
        if y._a.dtype.kind in "fcVW" and (op.differentiable is None or nr in op.differentiable):
            y._fn = Out(node, nr)
    return ys


noting: Callable[[Node], None] | None = None  # anomaly mode: told of nodes that no `apply` made
bare_apply = apply  # `apply` without watchers; with classes that compute for themselves, theirs
plain_apply = apply  # this very function, for those who would call `core` themselves


# -- types ---------------------------------------------------------------------------------------


def promote(op: Any, arrays: list[Any]) -> tuple[list[Any], Any]:
    """Bring the operands to one type by PyTorch's rules; returns them and the narrow result type.

    Tensors with dimensions win over 0-d tensors, and these over Python numbers, unless the weaker
    one is of a higher category (float over int). Types below float32 are computed in float32.
    """
    first = arrays[0].dtype if arrays and arrays[0].__class__ is ndarray else None
    if first is F32 or first is F64:  # nearly all calls: NumPy has one object for each of these
        for a in arrays:
            if a.__class__ is not ndarray or a.dtype is not first:
                break
        else:
            return arrays, None
    dims = zeros = numbers = None
    for i, a in enumerate(arrays):
        if a is None:
            if op.kind == "elementwise" and op.input_defaults[i] is not None:
                raise op.not_a_tensor(i, a)
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
    if op.accepts is not None:
        op.accepts.check(common)
    if op.promote == "float" and common.category < dtypes.FLOAT:
        common = dtypes.get_default_dtype()
    if common.low and not op.compute:  # what moves narrow numbers, or looks at their bits
        return [a if a is None else cast_to(a, common.np) for a in arrays], None
    if common.low:
        arrays = [rounded(op, a, common.np) for a in arrays]
    if common.low and op.kind == "elementwise" and takes_low(op.fn.planned, arrays):
        return [as_operand(a, common.np) for a in arrays], None
    target = dtypes.wide(common.np) if common.low else common.np
    cast = [a if a is None else cast_to(a, target) for a in arrays]
    return cast, (common.np if common.low else None)


def rounded(op: Any, a: Any, low: Any) -> Any:
    """An operand with the digits that it has in the narrow type of a result.

    PyTorch converts operands to the common type and then computes in float32. What stands for one
    number, a 0-d tensor or a number itself, is left as it is by some operations.
    """
    if a is None or (a.__class__ is ndarray and a.dtype == low):
        return a
    if isinstance(a, (ndarray, MetaArray)):
        return cast_to(a, low) if a.ndim or op.rounds else a
    return steps.number.fn(value=a, dtype=low).item() if op.rounds else a


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
                a = perform(steps.cast, (a,), {"dtype": dtypes.wide(a.dtype)})
            elif a.dtype.kind in "fc" and a.ndim:
                wide = True
        out.append(a)
    return out, (None if wide else narrow)


def narrow_down(out: Any, narrow: Any) -> Any:
    """Round float32 results back to the narrow type."""
    if isinstance(out, tuple):
        return tuple(narrow_down(a, narrow) for a in out)
    to = NARROWED.get((out.dtype, narrow))
    return out if to is None else perform(steps.cast, (out,), {"dtype": to})


# The types to which results of (type, narrow type of the operands) are rounded.
NARROWED: dict[Any, Any] = {
    **{(F32, d.np): d.np for d in dtypes.ALL if d.low and not d.is_complex},
    (F32, dtypes.complex32.np): dtypes.float16.np,  # a part, or an absolute value
    (np.dtype(np.complex64), dtypes.complex32.np): dtypes.complex32.np,
    (np.dtype(np.complex64), dtypes.float16.np): dtypes.complex32.np,
}


def own(a: Any, arrays: list[Any]) -> Any:
    """The array itself, or a copy when an op handed an input (or a view of one) through."""
    if a.base is not None or any(a is x for x in arrays):
        for x in arrays:
            if x.__class__ is ndarray and np.may_share_memory(a, x):
                return perform(steps.copy, (a,), {})
    return a


# -- why a gradient stops ------------------------------------------------------------------------


def cut_of(*xs: Any) -> Cut | None:
    """The first note among the `_x` fields of some tensors."""
    for x in xs:
        if x is not None:
            cut = x.cut if x.__class__ is Extras else x
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


# -- grad mode -----------------------------------------------------------------------------------


class grad_enabled:
    """Grad mode of this thread, for a block (the public contexts are in grad_mode.py)."""

    __slots__ = ("before", "on")

    def __init__(self, on: bool) -> None:
        self.on = on

    def __enter__(self) -> None:
        self.before = state.enabled
        state.enabled = self.on

    def __exit__(self, *error: object) -> None:
        state.enabled = self.before


def arriving(op: Any, *arrays: Any) -> list[Any]:
    """The types in which operands (None is left out) reach an operation: their own, or what
    autocast makes of them by the record's policy. For checks of types before the door."""
    types = [a.dtype for a in arrays if a is not None]
    return types if state.autocast is None else state.autocast.types(op, types)


# Functions of `views.py`, `op_node.py` and `observe.py`, which stand above this file and put them
# here when they are loaded; whoever imports a module of this package has loaded them.
attach_view: Any = None
views_of: Any = None
refresh: Any = None
stand_in: Any = None
pack: Any = None
enter: Any = None
leave: Any = None
observe: Any = None
observing: Any = None
span: Any = None
unobserve: Any = None


def take(**functions: Any) -> None:
    """Take functions of the files above this one."""
    globals().update(functions)
