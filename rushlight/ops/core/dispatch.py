"""`__torch_dispatch__`: Tensor subclasses that carry out operations themselves, below autograd.

A tensor of such a class has an `OuterArray` (`kernels/meta.py`): shape, type and strides. `install`
puts `apply` last behind the door, below all watchers, and its like in the places of in-place
changes (`change`) and of composites that look into arrays (`called`). Each asks the class of the
operands with an operator of `torch.ops.aten` and what the record was called with; the tape then
records the same node as of a plain call, on the tensor that the class gave.

Nothing of this stands anywhere until a program makes a first such tensor.

Not here: how they are made and their methods (`tensor_dispatch.py`), backward through them
(`autograd/outer.py`), modes (`modes.py`).
"""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator
from typing import Any, NoReturn

from ...autograd import changes, door, outer, views, watch
from ...autograd.node import LEAF, TensorBase
from ...errors import message
from ...kernels.meta import MetaArray, NeedsNumbers, OuterArray
from . import modes, overrides
from .composite import is_factory
from .signature import EMPTY


class _State(threading.local):
    off = 0  # blocks in which no class is asked


state = _State()
plain_apply: Callable[..., Any] = door.bare_apply
plain_change: Callable[..., Any] = changes.apply_written
plain_called: Callable[..., Any] = overrides.called
taken = outer.taken


class disabled:
    """A block in which no class is asked: its tensors are shapes and types without data."""

    __slots__ = ("before",)

    def __enter__(self) -> None:
        self.before = state.off
        state.off = self.before + 1

    def __exit__(self, *error: object) -> None:
        state.off = self.before


def disabled_torch_dispatch(func: Any, types: Any, args: Any = (), kwargs: Any = None) -> Any:
    """A `__torch_dispatch__` that takes over nothing."""
    with disabled():
        return func(*args, **(kwargs or {}))


outer.refusals.append(disabled_torch_dispatch)


def asked(t: Any) -> bool:
    """Whether the class of an operand is to be asked now."""
    return isinstance(t, TensorBase) and taken(t.__class__) and not state.off


def leaves(values: Any) -> Iterator[Any]:
    """The tensors among arguments, also in lists."""
    for v in values:
        if isinstance(v, TensorBase):
            yield v
        elif isinstance(v, (list, tuple)):
            yield from leaves(v)
        elif isinstance(v, dict):
            yield from leaves(v.values())


# -- asking ----------------------------------------------------------------------------------------


class telling:
    """A block in which an operator is carried out as it was told of; nothing is recorded in it."""

    __slots__ = ("before", "func")

    def __init__(self, func: Any) -> None:
        self.func = func

    def __enter__(self) -> None:
        self.before = overrides.state.told, door.state.enabled
        overrides.state.told, door.state.enabled = self.func, False

    def __exit__(self, *error: object) -> None:
        overrides.state.told, door.state.enabled = self.before


def ask(func: Any, args: Any, kw: dict[str, Any]) -> Any:
    """Let the classes of the operands carry out an operator; subclasses before their bases."""
    types = types_of((*args, kw))
    with telling(func):
        for mode in modes.standing():  # where it was not asked at the door
            with mode._aside():
                got = mode.__torch_dispatch__(func, types, args, kw)
                return ask(func, args, kw) if got is NotImplemented else got
        for kind in types:
            got = kind.__torch_dispatch__(func, types, args, kw)  # type: ignore[attr-defined]
            if got is not NotImplemented:
                return got
        if not types:
            return func(*args, **kw)
    names = "".join(f"\n\n  - tensor subclass {kind!r}" for kind in types)
    raise TypeError(
        f"Multiple dispatch failed for '{func}'; all __torch_dispatch__ handlers returned "
        f"NotImplemented:{names}\n\nFor more information, try re-running with "
        "TORCH_LOGS=not_implemented"
    )


def types_of(values: Any) -> tuple[type, ...]:
    """The classes among operands that carry out operations, subclasses before their bases."""
    types: list[type] = []
    for t in leaves(values):
        kind = t.__class__
        if taken(kind) and kind not in types:
            at = next((i for i, k in enumerate(types) if issubclass(kind, k)), len(types))
            types.insert(at, kind)
    return tuple(types)


def operator(name: str, overload: str = "default") -> Any:
    """An operator of `torch.ops.aten`."""
    return getattr(getattr(modes.operators().namespace("aten"), name), overload)


def apply(op: Any, inputs: tuple[Any, ...], kw: dict[str, Any]) -> Any:
    """The last at the door: classes are asked, other calls go on."""
    for t in inputs:
        if isinstance(t, TensorBase) and taken(t.__class__):
            if state.off:
                return alone(op, inputs, kw)
            return above(op, inputs, kw, ask)
    return plain_apply(op, inputs, kw)


def above(op: Any, inputs: tuple[Any, ...], kw: dict[str, Any], carry_out: Any) -> Any:
    """A call whose result comes of carry_out(operator, arguments, parameters), on the tape."""
    if door.state.enabled and op.rules is not None:
        for t in inputs:
            if isinstance(t, TensorBase) and t._v is not None and t._v.seen != t._vc.count:  # type: ignore[union-attr]
                door.refresh(t)
    func = modes.operators().packet_of(op, inputs)
    args, named = told(op, inputs, kw)
    return history(op, inputs, kw, carry_out(func, args, named))


# Parameters that PyTorch's operators take by name alone.
NAMED = frozenset(("dtype", "memory_format", "order", "correction", "generator", "approximate"))


def told(
    op: Any, inputs: tuple[Any, ...], kw: dict[str, Any]
) -> tuple[tuple[Any, ...], dict[str, Any]]:
    """A call as classes are told of it: parameters in their places where only they follow the
    tensor, as PyTorch's operators have them; usual ones are left out."""
    if any(structured(v) for v in kw.values()):
        kw = {k: overrides.Given(v) if structured(v) else v for k, v in kw.items()}
    if op.variadic:
        return (list(inputs),), kw
    args = given(op, inputs)
    if len(op.inputs) != 1 or not kw or not NAMED.isdisjoint(kw):
        return args, kw
    values = [kw.get(name, default) for name, default in op.defaults.items()]
    if any(v is EMPTY for v in values):
        return args, kw
    for default in reversed(op.defaults.values()):
        if values and values[-1].__class__ is default.__class__ and values[-1] == default:
            values.pop()
        else:
            break
    return (*args, *values), {}


def structured(v: Any) -> bool:
    """Whether a parameter is a tuple with names, or has one in it."""
    return isinstance(v, tuple) and (hasattr(v, "_fields") or any(map(structured, v)))


def given(op: Any, inputs: tuple[Any, ...]) -> tuple[Any, ...]:
    """The operands without those at the end that were left out."""
    n = len(inputs)
    while n > 1 and inputs[n - 1] is None and op.input_defaults[n - 1] is not EMPTY:
        n -= 1
    return inputs[:n]


def alone(op: Any, inputs: tuple[Any, ...], kw: dict[str, Any]) -> Any:
    """A call where classes are not asked: of what they were made around, or of shapes."""
    return plain_apply(op, tuple([under(t) for t in inputs]), kw)


def under(t: Any) -> Any:
    """A plain tensor of what stands under one."""
    if not isinstance(t, TensorBase) or t._a.__class__ is not OuterArray:
        return t
    y = door.wrap(t._a.meta() if t._a.inner is None else t._a.inner)
    y._fn = t._fn
    return y


# -- the tape --------------------------------------------------------------------------------------


def tracked(inputs: Any) -> bool:
    """Whether one of the operands has a place on the tape."""
    return any(isinstance(t, TensorBase) and t._fn is not None for t in inputs)


def narrow(op: Any, inputs: Any) -> int:
    """How many operands are of a type that is computed in float32."""
    if not op.compute:
        return 0
    nums = [t._a.dtype.num for t in inputs if isinstance(t, TensorBase)]
    return sum(n == door.FLOAT16 or n >= door.FIRST_USER_TYPE for n in nums)


def history(op: Any, inputs: tuple[Any, ...], kw: dict[str, Any], out: Any) -> Any:
    """What a class gave for a call, as the call's results."""
    if isinstance(out, (list, tuple)):
        return histories(op, inputs, kw, tuple(out))
    if not isinstance(out, TensorBase) or any(out is t for t in inputs):
        return out
    if op.view:
        door.attach_view(op, kw, inputs[0], out, None)
        share(inputs[0], out)
    if not tracked(inputs):
        return out
    door.finish(op, inputs, kw, out, narrow(op, inputs))
    keep(out)
    return out


def share(viewed: Any, y: Any) -> None:
    """Let a view have the storage of what it is a view of."""
    if y._a.__class__ is OuterArray and viewed._a.__class__ is OuterArray:
        y._a.memory = viewed._a.storage()


def keep(y: Any) -> None:
    """Let the node of a result keep a tensor of its own, in place of an array."""
    node = y._fn
    if node is None or node is LEAF:
        return
    saved = node.saved
    if saved.__class__ is tuple and saved and saved[0].__class__ is OuterArray:
        node.saved = (kept(y, node), *saved[1:])


def kept(y: Any, node: Any) -> Any:
    """What a node keeps of its result: hooks of saved tensors are asked."""
    if not door.state.packers:
        return door.Kept(y)
    return door.pack((door.Kept(y).tensor,), node)[0]


def histories(op: Any, inputs: tuple[Any, ...], kw: dict[str, Any], ys: tuple[Any, ...]) -> Any:
    """Several results, which share one node."""
    if op.view:
        for nr, y in enumerate(ys):
            door.attach_view(op, kw, inputs[0], y, nr)
            share(inputs[0], y)
    if not tracked(inputs) or op.rules is None:
        return ys
    if not door.state.enabled:
        return door.noted(ys, door.cut(door.quiet()))
    if not op.outputs and len(ys) == 1:
        return door.alone(op, inputs, kw, ys[0], narrow(op, inputs), None)
    held = tuple(
        door.Kept(y) if part.__class__ is OuterArray else part
        for part, y in zip(door.kept_outputs(op, ys), ys, strict=True)
    )
    node: Any = door.record(
        op, inputs, kw, held, door.shapes(ys), door.types(ys), narrow(op, inputs), None
    )
    node.n_out = len(ys)
    return door.attached(op, ys, node)


# -- changes in place ------------------------------------------------------------------------------


def change(op: Any, target: Any, rest: tuple[Any, ...], kw: dict[str, Any]) -> Any:
    """`changes.apply_written`, for operands whose classes are asked as well."""
    inputs = (target, *rest)
    if not any(isinstance(t, TensorBase) and taken(t.__class__) for t in inputs):
        if not modes.dispatch_stack or not modes.standing():
            return plain_change(op, target, rest, kw)
    elif state.off:
        plain_change(op, under(target), tuple(map(under, rest)), kw)
        return target
    name = op.name.removesuffix("_plain") + "_"
    changes.check_inplace(target, name)
    if changes.change_watchers:  # forward mode: a result with its tangent first
        for watcher in changes.change_watchers:
            inputs = watcher.operands(target, inputs)
        result = door.apply(op, inputs, kw)
        for watcher in changes.change_watchers:
            watcher.check(target, result)
        func = operator("copy_")
        changed(views_copy(), target, (result,), {}, lambda: ask(func, (target, result), {}))
        for watcher in changes.change_watchers:
            watcher.after(target, result)
        return target
    overload = modes.overload(name, (*inputs, *kw.values()) if name == "fill_" else inputs)
    func = modes.operators().change_of(op, name, overload)
    changed(op, target, rest, kw, lambda: ask(func, inputs, kw))
    return target


def views_copy() -> Any:
    """The record of a copy."""
    from .record import registry

    return registry["copy"]


def changed(
    op: Any, target: Any, rest: tuple[Any, ...], kw: dict[str, Any], carry_out: Callable[[], Any]
) -> None:
    """Carry out a change in place and put it into the history of the target."""
    inputs = (target, *rest)
    a = target._a
    on_tape = door.state.enabled and a.dtype.kind in "fcVW" and tracked(inputs)
    if op.rules is None and on_tape:
        op, inputs, kw = changes.constant, (target,), {"value": 0}
    if on_tape and target._v is not None and target._v.seen != target._vc.count:
        door.refresh(target)
    before = inputs
    if on_tape:
        keeps = op.kept(tuple(tracked((x,)) for x in inputs)) or ()
        wanted = keeps[1:] or (False,) * len(inputs)
        before = tuple(
            earlier(x) if k and (x is target or changes.shares(x, target)) else x
            for x, k in zip(inputs, wanted, strict=True)
        )
    c = views.cell(target)
    count = c.count
    carry_out()
    if c.count == count:  # nobody who changed the memory itself
        c.bump(op.name + "_")
    if not on_tape:
        if target._v is not None and target._v.base._fn is None:
            target._v.seen = c.count
        return
    node: Any = door.record(
        op, before, kw, target._a, a.shape, a.dtype, narrow(op, inputs), None
    )
    if node.saved.__class__ is tuple and node.saved and node.saved[0].__class__ is OuterArray:
        node.saved = (kept(target, node), *node.saved[1:])
    changes.rebase(target, node, c)


def earlier(x: Any) -> Any:
    """A copy of a tensor that is about to change, with its history."""
    if x._a.__class__ is not OuterArray:
        return changes.before_change(x)
    if x._v is not None and x._v.seen != x._vc.count:
        door.refresh(x)
    with door.grad_enabled(False):
        y = x.clone()
    y._fn = views.op_node.alias(x) if x._fn is LEAF else x._fn
    return y


# -- composites ------------------------------------------------------------------------------------


def called(public: Any, fn: Any, args: tuple[Any, ...], kw: dict[str, Any]) -> Any:
    """`overrides.called`: a composite that looks into arrays is an operation of the class.

    Other composites are made of operations, each of which asks.
    """
    if state.off or not any(taken(t.__class__) for t in leaves((*args, kw))):
        return plain_called(public, fn, args, kw)
    if is_factory(public):
        return whole(public, args, kw)
    own = INSTEAD.get(public.__name__)
    if own is not None:
        got = own(*args, **kw)
        if got is not NotImplemented:
            return got
    try:
        return plain_called(public, fn, args, kw)
    except NeedsNumbers:
        if changes.change_watchers and any(has_tangent(t) for t in leaves((*args, kw))):
            raise  # of a derivative, perhaps: one operator would lose the tangents
        return whole(public, args, kw)


def has_tangent(t: Any) -> bool:
    """Whether a tensor has a tangent of forward mode."""
    return "_tangent" in t.__dict__


INSTEAD: dict[str, Callable[..., Any]] = {}


def whole(public: Any, args: tuple[Any, ...], kw: dict[str, Any]) -> Any:
    """A public function as one operator, of which nothing can be recorded."""
    name = public.__name__
    found = list(leaves((*args, kw)))
    if name.endswith("_") and name[:1] != "_":
        return whole_change(public, args, kw, found)
    out = ask(modes.operators().whole_of(public), args, kw)
    if door.state.enabled and tracked(found) and not made_of_none(public):
        for y in leaves((out,)):
            if y._a.dtype.kind in "fcVW":
                refuse_history(name, found)
    return out


def made_of_none(public: Any) -> bool:
    """Whether a function makes tensors of no other one's values."""
    return is_factory(public) or public.__name__.startswith("new_")


def whole_change(public: Any, args: tuple[Any, ...], kw: dict[str, Any], found: list[Any]) -> Any:
    """A change in place that looks into arrays."""
    name, target = public.__name__, args[0]
    func = modes.operators().whole_of(public, modes.overload(name, args))
    changes.check_inplace(target, name)
    if door.state.enabled and tracked(found):
        if tracked(found[1:]):
            refuse_history(name, found)
        changed(changes.constant, target, (), {"value": 0}, lambda: ask(func, args, kw))
        return target
    ask(func, args, kw)
    views.cell(target).bump(name)
    return target


def refuse_history(name: str, found: list[Any]) -> NoReturn:
    """Raise: the derivative of this function is one of arrays."""
    kinds = sorted({type(t).__name__ for t in found if taken(type(t))})
    raise NotImplementedError(
        message(
            f"{name}: no derivative is known for tensors whose class computes for them",
            got=f"{', '.join(kinds)}, with requires_grad=True",
            wanted="operands that need no gradient, or plain tensors",
            hint=f"a torch.autograd.Function around {name}, or x.detach()",
        )
    )


# -- in place --------------------------------------------------------------------------------------


installed: list[bool] = []


def install() -> None:
    """Let classes be asked from now on. Where this is interrupted the next call does the rest."""
    global plain_apply, plain_change, plain_called
    if installed:
        return
    if door.bare_apply is not apply:
        plain_apply = door.bare_apply
        watch.stand_last(apply)
    if changes.apply_written is not change:
        plain_change = changes.apply_written
        changes.take_written(change)
    if overrides.called is not called:
        plain_called, overrides.called = overrides.called, called
    outer.install()
    installed[:] = [True]


_ = MetaArray
