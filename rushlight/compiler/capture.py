"""Capture: one real run of a function, written down as a program with its guards.

The run is eager and complete, so whatever happens, its result is the right one. An observer at the
door writes down every computation on arrays (`Recorder`), hooks in the instrumented code note what
Python reads (`reading.py`). What the run changes beside arrays is either repeated by each replay,
in its place (`optimizer.step()`, gradients of leaves), or makes the capture fail, with the reason.

Not here: how a program runs again (`replay.py`).
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from ..autograd import door
from ..autograd.leaves import accumulated
from ..autograd.node import LEAF, Cell, Extras, TensorBase, tick
from ..blocks import Presence
from ..kernels.meta import UnresolvedArray
from ..ops.core.dispatch import leaves
from ..tensor import Parameter, Tensor
from . import known
from .acting import Hooks
from .frames import here
from .guards import grad_of
from .interrupts import uninterrupted
from .program import GIVEN, HELD, MADE, Effect, Line
from .seeing import Unknown
from .writer import Writer

Array = Any
ndarray = np.ndarray
# What takes numbers out of tensors, or lets somebody else have their memory.
TAKING = ("item", "tolist", "numpy", "__bool__", "__int__", "__float__", "__index__", "__complex__",
          "__array__", "__format__", "__repr__", "__contains__", "__dlpack__", "data_ptr",
          "register_hook", "retain_grad")  # fmt: skip


class Capture(Writer):
    """One run that is written down.

    Attributes:
        reads: what was read.
        tensors: the tensors from outside, in the order in which they were met, each with whether it
            is an argument, and with what it was before: (place on the tape, array, version).
        leaves: those whose gradients are read or set, by their id.
    """

    spans = True

    def __init__(self) -> None:
        super().__init__()
        self.reads = Hooks(self)
        self.modules: list[Any] = []
        self.tensors: list[tuple[Any, bool, Any]] = []
        self.leaves: dict[int, Any] = {}
        self.sent: dict[int, Any] = {}  # leaves that got a gradient
        self.grads: dict[int, Any] = {}  # id of a leaf to its gradient as a replay would have it
        self.forgotten: set[int] = set()  # leaves whose gradient an effect has set to None
        self.pausing = False
        self.optimizers: list[Any] = []
        self.counted: dict[int, int] = {}  # id of a tensor to changes by calls that are made again
        self.bumps: list[int] = []
        self.constants: set[int] = set()
        self.reducers: list[Any] = []  # of DistributedDataParallels that were called
        self.reduced: list[tuple[Any, int, Line]] = []  # (reducer, number) and its line
        self.fn: Any = None
        self.begun = tick()

    def close(self) -> None:
        """Let go of arrays, once the program has been made: hooks and capture know each other, so
        they would stay for a while."""
        seen = self.reads
        kept: tuple[Any, ...] = (self.number, self.tensors, self.leaves, self.sent, self.grads)
        for container in (*kept, seen.tensors, seen.kept):
            container.clear()

    # -- values ----------------------------------------------------------------------------------

    def take(self, t: Any, given: bool) -> str:
        """A tensor from outside; why it cannot be one, or ""."""
        if t.__class__ is not Tensor and t.__class__ is not Parameter:
            return f"is a {type(t).__name__}, a subclass of Tensor"
        if t._a.__class__ is not ndarray:
            lazy = isinstance(t._a, UnresolvedArray)
            return "is a view of conjugates or negatives" if lazy else "has no data"
        if t._v is not None and t._v.seen != t._changes():
            door.refresh(t)
        if t._fn is not None and t._fn is not LEAF and not given:
            return "has a history from outside"
        if t._v is not None and not given and t._v.base._fn is not None:
            return "is a view with a history"
        if t.__dict__:
            return "has attributes of its own"
        if id(t._a) in self.number:
            value = self.program.values[self.number[id(t._a)]]
            if value.kind == MADE:
                return "shares memory with what the code has made"
        self.value(GIVEN if given else HELD, t._a, f"{'argument' if given else 'tensor'}")
        if given and self.program.values[self.number[id(t._a)]].kind == HELD:
            return "shares its array with a tensor that the code holds"
        if given and self.number[id(t._a)] not in self.program.given:
            self.program.given.append(self.number[id(t._a)])
        count = None if t._vc is None else t._vc.count
        self.tensors.append((t, given, (t._fn, t._a, count)))
        return ""

    def made(self, name: str, result: Any, operands: Any) -> None:
        """What a function of this package returned: a tensor that no computation has made is one
        of Python numbers, unless the function was given tensors, whose numbers it may have read."""
        if isinstance(result, TensorBase):
            a = result._a
            if a.__class__ is ndarray and id(a) not in self.number and a.base is None:
                if any(isinstance(t, TensorBase) for t in leaves(operands)):
                    self.reads.unknown(f"{name} computes what cannot be seen")
                    return
                self.value(HELD, a, "constant")
                self.constants.add(int(self.number[id(a)]))

    def taken(self, name: str) -> None:
        """A number left a tensor."""
        if not self.pausing:
            self.reads.unknown(f"Tensor.{name} takes a number out of a tensor"
                               if name not in ("register_hook", "retain_grad")
                               else f"Tensor.{name} is called")  # fmt: skip

    def looking(self, name: str) -> None:
        """A function decides by numbers."""
        if not self.pausing:
            self.reads.unknown(f"{name} looks at numbers in a tensor")

    # -- what the door tells ---------------------------------------------------------------------

    def performed(
        self, record: Any, arrays: Any, kw: dict[str, Any], results: Any, begun: Any
    ) -> None:
        if self.pausing or self.reads.why is not None:
            return
        if known.shape_is_by_numbers(record, arrays, kw):
            self.reads.unknown(f"the shape of what {record.name} gives depends on numbers")
            return
        for place in record.written(arrays, kw):
            changed = arrays[place] if isinstance(place, int) else kw.get(place)
            if changed is not None and not isinstance(changed, (ndarray, tuple, list)):
                self.value(HELD, changed, type(changed).__name__)  # a generator
        try:
            line = self.line(record, arrays, kw, results, here())
        except Unknown as error:
            self.reads.unknown(f"{record.name} {error}")
            return
        for r in line.writes():
            value = self.program.values[r]
            if value.kind == HELD and int(r) in self.constants:
                self.reads.unknown(f"{record.name} writes to a tensor made of Python numbers")
                return
        self.program.lines.append(line)

    def entering(self, kind: str, what: Any, operands: Any) -> Any:
        if self.pausing:
            return None
        if kind == "leaf":
            self.touch(what)
        elif kind == "node":
            if what.seq < self.begun and self.reads.why is None:
                self.reads.unknown("a backward goes on in a graph from outside")
        elif kind == "function" and self.reads.why is None:
            self.reads.unknown("an autograd.Function is called")
        elif kind == "collective" and self.reads.why is None:
            self.reads.unknown(f"torch.distributed.{what.name} is called")
        return None

    # -- gradients of leaves ---------------------------------------------------------------------

    def touch(self, leaf: Any) -> None:
        """A leaf is about to be sent a gradient. Its hooks would be a part of the program; behind a
        compiled forward the engine calls them, and they may do what they like."""
        x = leaf._x
        if x.__class__ is Extras and (x.hooks or foreign(x, self.reducers) or (
            x.accumulator is not None and x.accumulator() is not None
        )):
            self.reads.unknown("a tensor that gets a gradient has hooks")
        self.sent[id(leaf)] = leaf
        if id(leaf) not in self.reads.tensors and id(leaf._a) not in self.number:
            self.reads.unknown("a tensor gets a gradient that the code has not read")
        if id(leaf) in self.leaves or id(leaf) not in self.reads.tensors:
            return
        self.leaves[id(leaf)] = leaf
        self.see_grad(leaf, grad_of(leaf))

    def see_grad(self, t: Any, value: Any) -> None:
        """The gradient of a tensor from outside is read, or added to."""
        if id(t) not in self.reads.tensors or id(t) in self.grads or self.pausing:
            return
        _, name, _given = self.reads.tensors[id(t)]
        guards = self.reads.guards
        self.grads[id(t)] = value
        self.leaves[id(t)] = t
        if id(t) in self.forgotten:
            if value is not None:
                self.reads.unknown("a gradient is there that was set to None")
            return
        if value is None:
            guards.add(f"grad_of({name}) is None", "a tensor has no gradient yet")
            return
        if value.__class__ is not Tensor or value._fn is not None or value._v is not None \
                or value._a.__class__ is not ndarray or id(value._a) in self.number:  # fmt: skip
            self.reads.unknown("a gradient is there that has a history, or is no plain tensor")
            return
        a = value._a
        ref = self.value(GIVEN, a, "gradient of before")
        self.program.given.append(ref)
        place = f"grad_of({name})"
        guards.add(
            f"{place}.__class__ is {guards.name(Tensor)} and {place}._fn is None and "
            f"{place}._v is None and {place}._a.strides == {a.strides!r} and "
            f"{place}._a.dtype is {guards.name(a.dtype)}",
            "a tensor has a gradient already",
        )
        self.reads.tensors[id(value)] = (value, place, True)
        self.reads.kept.append(value)
        count = None if value._vc is None else value._vc.count
        self.tensors.append((value, True, (value._fn, a, count)))

    def forget_grad(self, t: Any) -> None:
        """`t.grad = None`."""
        if id(t) not in self.reads.tensors:
            return
        self.sync_grads()
        held = not self.reads.tensors[id(t)][2]
        if not held:
            self.reads.unknown("the gradient of an argument is set")
            return

        def forget() -> None:
            t.grad = None

        self.program.lines.append(Line(Effect("forget gradient", forget), (), {}, None, here()))
        self.forgotten.add(id(t))
        self.grads[id(t)] = None
        self.leaves[id(t)] = t

    def sync_grads(self) -> None:
        """Give leaves the gradients that the program has made for them so far."""
        for key, leaf in self.leaves.items():
            now = grad_of(leaf)
            if now is self.grads.get(key):
                continue
            if now is None:
                self.reads.unknown("a gradient vanished")
                return
            number = self.number.get(id(now._a))
            given = self.reads.tensors[key][2]
            if number is None or self.program.values[number].kind != MADE or now._fn is not None \
                    or now.__class__ is not Tensor or now.__dict__:  # fmt: skip
                self.reads.unknown("a gradient is made in a way that is not replayed")
                return
            if given:
                self.reads.unknown("an argument gets a gradient")
                return
            self.program.values[number].fresh = True
            effect = Effect("gradient", giving(leaf, now._changes()))
            self.program.lines.append(Line(effect, (number,), {}, None, None))
            self.grads[key] = now

    def changes(self, t: Any, count: int | None) -> int:
        """How often the program itself changed a tensor: calls that are made again count theirs."""
        return t._changes() - (count or 0) - self.counted.get(id(t), 0)  # type: ignore[no-any-return]

    def only_added_to(self, a: Array) -> int:
        """How often the engine added to a gradient of before that nothing else has changed; 0."""
        number = self.number[id(a)]
        lines = [line.record for line in self.program.lines if number in line.writes()]
        return len(lines) if all(record is accumulated for record in lines) else 0

    # -- reductions ------------------------------------------------------------------------------

    def reducing(self, reducer: Any, number: int | None) -> bool:
        if self.pausing or self.reads.why is not None or not any(
            r is reducer for r in self.reducers
        ):
            return False
        if number is None:
            self.fewer_stops(reducer)
            self.effect("wait for reductions", reducer.finish, reducer.finish_in_plan)
            return True

        def again() -> None:
            reducer.came_in_plan(number)

        self.effect("reduce a gradient", lambda: reducer.came(number), again)
        self.reduced.append((reducer, number, self.program.lines[-1]))
        return True

    def fewer_stops(self, reducer: Any) -> None:
        """The plan stops where a bucket is full, and not for each gradient: those that have come by
        then are told of together."""
        mine = [(number, line) for r, number, line in self.reduced if r is reducer]
        self.reduced = [entry for entry in self.reduced if entry[0] is not reducer]
        ends = {len(mine) - 1}
        if reducer.expected:  # these are reduced (not in no_sync, say)
            ends.update(reducer.fills([reducer.parameters[number] for number, _ in mine]))
        waiting: list[Line] = []
        later = {id(line): k in ends for k, (_, line) in enumerate(mine)}
        lines = []
        for line in self.program.lines:
            ends_here = later.get(id(line))
            if ends_here is None:
                lines.append(line)
                continue
            waiting.append(line)
            if ends_here:
                lines += waiting
                waiting = []
        self.program.lines[:] = lines

    def close_reductions(self) -> None:
        """The function has ended: reductions that nobody has waited for do not happen in `no_sync`;
        should a replay find them expected, they are done as the engine would."""
        for reducer in list({id(r): r for r, *_ in self.reduced}.values()):
            last = next(line for r, _, line in reversed(self.reduced) if r is reducer)
            self.fewer_stops(reducer)
            at = next(k for k, line in enumerate(self.program.lines) if line is last)
            effect = Effect("wait for reductions", reducer.finish_in_plan)
            self.program.lines.insert(at + 1, Line(effect, (), {}, None, last.where))

    def effect(self, name: str, fn: Callable[[], None], again: Any = None) -> None:
        """`fn()`, now and in each replay (or `again()`): it may change gradients in place."""
        self.sync_grads()
        before = {key: grad_of(leaf) for key, leaf in self.leaves.items()}
        counts = {id(t): t._changes() for t, *_ in self.tensors}
        self.pausing = True
        try:
            fn()
        finally:
            self.pausing = False
        self.program.lines.append(Line(Effect(name, again or fn), (), {}, None, here()))
        if any(grad_of(self.leaves[key]) is not old for key, old in before.items()):
            self.reads.unknown(f"{name} replaces a gradient")
        for t, *_ in self.tensors:
            self.counted[id(t)] = self.counted.get(id(t), 0) + t._changes() - counts[id(t)]

    # -- calls that are made again ---------------------------------------------------------------

    def repeat(self, fn: Any, args: Any, kw: Any) -> Any:
        """`fn(*args, **kw)`, now and in each replay."""
        name, owner = repr(fn), fn.owner
        if isinstance(owner, self.reads.optimizer):
            self.see_optimizer(owner)
        self.sync_grads()
        self.pausing = True
        before = {id(p): grad_of(p) for p in self.leaves.values()}
        counts = {id(t): t._changes() for t, *_ in self.tensors}
        steps = isinstance(owner, self.reads.optimizer)
        try:
            result = uninterrupted(fn, *args, **kw) if steps else fn(*args, **kw)
        finally:
            self.pausing = False
        if result is not None:
            self.reads.unknown(f"{name} gives a result")

        def again() -> None:
            fn(*args, **kw)

        def again_whole() -> None:
            uninterrupted(fn, *args, **kw)

        makes_step = steps and name.endswith(".step")
        # gradients that are half forgotten are neither parameters nor an optimizer's state
        whole = steps and not name.endswith(".zero_grad")
        effect = Effect(name, again_whole if whole else again, owner if makes_step else None)
        self.program.lines.append(Line(effect, (), {}, None, here()))
        # Zeros in place of None leave what is None as it is, and what is there in its place.
        if name.endswith("zero_grad") and kw.get("set_to_none", args[0] if args else True):
            params = owner.parameters() if isinstance(owner, self.reads.module) else [
                p for group in owner.param_groups for p in group["params"]
            ]  # fmt: skip
            for p in params:
                now = grad_of(p)
                if now is None:
                    self.forgotten.add(id(p))
                    if id(p) in self.grads:
                        self.grads[id(p)] = None
        for key, old in before.items():
            now = grad_of(self.leaves[key])
            if now is not old and now is not None:
                self.reads.unknown(f"{name} replaces a gradient")
        for t, *_ in self.tensors:
            self.counted[id(t)] = self.counted.get(id(t), 0) + t._changes() - counts[id(t)]
        return result

    def see_optimizer(self, optimizer: Any) -> None:
        """What groups an optimizer has."""
        if any(o is optimizer for o in self.optimizers):
            return
        self.optimizers.append(optimizer)
        guards = self.reads.guards
        name = guards.name(optimizer)
        groups = optimizer.param_groups
        guards.add(f"len({name}.param_groups) == {len(groups)}", "the optimizer's groups")
        for k, group in enumerate(groups):
            guards.add(f"len({name}.param_groups[{k}]['params']) == {len(group['params'])}",
                       f"the parameters of the optimizer's group {k}")  # fmt: skip


def foreign(x: Any, reducers: list[Any]) -> bool:
    """Whether a leaf has hooks that belong to none of these reducers."""
    return any(
        not any(fn.of() is r for r in reducers) if hasattr(fn, "fills") else True
        for fn in (x.post_hooks or {}).values()
    )


def giving(leaf: Any, count: int) -> Callable[[Array], None]:
    """What gives a leaf its gradient, changed `count` times after it was made."""

    def give(a: Array) -> None:
        x = leaf._x
        if x.__class__ is not Extras:
            x = door.extras(leaf)
        x.grad = t = door.wrap(a)
        if count:
            t._vc = Cell()
            t._vc.count = count

    return give


# -- hooks on tensors ------------------------------------------------------------------------------


def _told(name: str, plain: Any) -> Any:
    def method(self: Any, *args: Any, **kw: Any) -> Any:
        for observer in door.state.observers:
            if isinstance(observer, Capture):
                observer.taken(name)
        return plain(self, *args, **kw)

    method.__name__, method.__qualname__, method.__module__ = name, f"Tensor.{name}", "torch"
    return method


_replaced: dict[str, tuple[Any, Any]] = {}  # what stood there, and what stands there meanwhile


def _swap(capturing: bool) -> None:
    if capturing:
        for name in TAKING:
            if name in Tensor.__dict__:
                if name not in _replaced:
                    plain = Tensor.__dict__[name]
                    _replaced[name] = plain, _told(name, plain)
                setattr(Tensor, name, _replaced[name][1])
        return
    for name, (plain, told) in _replaced.items():
        # Tensors whose class computes for them may have put a method around ours for good.
        if Tensor.__dict__[name] is told:
            setattr(Tensor, name, plain)
    _replaced.clear()


_capturing = Presence(_swap)


class telling:
    """While a run is captured, tensors tell when a number is taken out of them."""

    def __enter__(self) -> None:
        _capturing.come(self)

    def __exit__(self, *error: object) -> None:
        try:
            _capturing.go(self)
        except BaseException:
            _capturing.go(self)
            raise
