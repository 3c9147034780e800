"""The observer: what happens in a step, as events.

A `Look` is one of the observers of its thread (`autograd/observe.py`). What can be found out later
(records, plans, texts, statistics) is left for later; the time that the look itself takes is taken
out of all times.

Read next: `events.py` for how events are kept, `session.py`, which begins and ends a recording.
"""

from __future__ import annotations

import sys
from typing import Any

import numpy as np

from ..autograd.node import Out, TensorBase
from ..ops.core.record import Op
from .chain import unreached
from .events import LEFT_OUT, PART, Events, Reference, now
from .memory import arrays, tensors
from .numbers import norm, parameters, type_name
from .recording import NONE, Event, Optimizer, Parameter, Value
from .rounds import arrange

ndarray = np.ndarray
MOST = 200_000  # events that are kept
# Functions of which it is kept what they give, as of modules.
ACTIVATIONS = frozenset(["relu", "relu6", "leaky_relu", "elu", "gelu", "silu", "sigmoid", "tanh",
                         "hardtanh", "softplus"])  # fmt: skip
NAMES = {"aten::lift_fresh": "tensor"}  # of steps that are not called as PyTorch's profiler does
PHASE = {"backward": "backward", "optimizer": "optimizer", "zero_grad": "zero_grad",
         "loader": "data"}  # fmt: skip


class Look(Events):
    """Writes down what happens in the thread that made it."""

    spans = methods = replays = True

    def __init__(self, most: int = MOST, ended: Any = None, marked: bool = False) -> None:
        super().__init__(most, ended, marked)
        self._enter: dict[str, Any] = {
            "op": self._enter_op, "inplace": self._enter_inplace,
            "composite": self._enter_composite, "function": self._enter_function,
            "node": self._enter_node, "leaf": self._enter_leaf,
            "backward": self._enter_backward, "optimizer": self._enter_optimizer,
            "zero_grad": self._enter_named, "loader": self._enter_named,
            "collective": self._enter_collective, "compiled": self._enter_compiled,
            "module": self._enter_module, "item": self._enter_method, "cut": self._enter_method,
            "requires_grad": self._enter_requires_grad, "made": self._enter_made,
        }  # fmt: skip
        self._leave: dict[str, Any] = {
            "op": self._leave_op, "inplace": self._leave_inplace,
            "composite": self._leave_function, "function": self._leave_function,
            "node": self._leave_node, "leaf": self._leave_leaf,
            "optimizer": self._leave_optimizer, "loader": self._leave_loader,
            "compiled": self._leave_compiled, "module": self._leave_module,
            "item": self._leave_method, "cut": self._leave_method,
        }  # fmt: skip

    # -- spans ---------------------------------------------------------------------------------

    def entering(self, kind: str, what: Any, operands: Any) -> Any:
        """Open an event; what is returned is for `leaving`."""
        enter = self._enter.get(kind)
        if self.busy or enter is None:
            return PART
        t = now()
        self.busy, self.since = True, t
        try:
            return enter(kind, what, operands, t - self.began - self.lost)
        finally:
            self.busy = False
            self.lost += now() - t

    def leaving(self, kind: str, what: Any, operands: Any, results: Any, begun: Any) -> None:
        """Close it."""
        if begun == PART or self.over:
            return
        t = now()
        at = t - self.began - self.lost
        self.busy, self.since = True, t
        try:
            if begun >= 0:
                self.close(begun, at)
                leave = self._leave.get(kind)
                if leave is not None:
                    leave(begun, what, operands, results, at)
            if kind == "optimizer":
                self.step_over({id(what)}, at)
            elif kind == "module":
                self.within.pop()
                self.module = self._around.pop()
            elif kind == "made":
                self._made(what)
            elif self._stepped:
                self.step_over(set(), at)
        finally:
            self.busy = False
            self.lost += now() - t

    # -- operations ----------------------------------------------------------------------------

    def _enter_op(self, kind: str, op: Any, inputs: Any, at: int) -> int:
        top = self.top()
        if top is not None:
            if top.kind == "op":
                return PART
            if top.kind == "function" and top.name == op.name and top.record == NONE:
                place = self.open[-1]
                if place not in self.ops and len(self.events) == place + 1:
                    top.kind = "op"  # the function is this operation, and nothing else
                    self.ops[place] = op
                    top.takes = self.values(inputs)
                    return place
        place = self.opened("op", op.name, at)
        if place >= 0:
            self.ops[place] = op
            self.events[place].takes = self.values(inputs)
        return place

    def _leave_op(self, place: int, op: Any, inputs: Any, out: Any, at: int) -> None:
        event = self.events[place]
        if out is None:
            self._fail(place)
            return
        self.remember(place, out, event, at)
        event.gives = self.values(out)
        if not op.view:
            given = arrays(out)
            self.samples.look(self, place, arrays(inputs), given, op.inputs)
            if op.name in ACTIVATIONS and given:
                self.samples.take(
                    self, "activation", self.called(event), place, event.module, given[0]
                )

    def _enter_inplace(self, kind: str, op: Any, inputs: Any, at: int) -> int:
        top = self.top()
        if top is not None and top.kind == "op":
            return PART
        place = self.opened("op", op.name + "_", at)
        if place >= 0:
            self.ops[place] = op
            self.events[place].takes = self.values(inputs)
        return place

    def _leave_inplace(self, place: int, op: Any, inputs: Any, out: Any, at: int) -> None:
        self._leave_op(place, op, inputs[1:], inputs[0], at)

    def _enter_composite(self, kind: str, public: Any, args: Any, at: int) -> int:
        composite = getattr(public, "composite", None)
        top = self.top()
        if composite is None or (top is not None and top.kind == "op"):
            return PART
        if top is not None and top.kind == "function" and top.name == composite.name:
            return PART
        place = self.opened("function", composite.name, at)
        if place >= 0:
            self.ops[place] = composite
            self.events[place].takes = self.values(args)
        return place

    def _enter_function(self, kind: str, cls: Any, args: Any, at: int) -> int:
        place = self.opened("function", cls.__name__, at)
        if place >= 0:
            self.functions.add(place)
            self.ops[place] = cls
            self.events[place].takes = self.values(args)
        return place

    def _leave_function(self, place: int, what: Any, args: Any, out: Any, at: int) -> None:
        event = self.events[place]
        if out is None:
            return
        event.gives = self.values(out)
        alone = event.kind == "function" and len(self.events) == place + 1 and event.gives
        if alone or place in self.functions:  # it computes by itself, or has a node of its own
            self.remember(place, out, event, at)
            self.samples.look(self, place, arrays(args), arrays(out))

    # -- compiled programs ---------------------------------------------------------------------

    def _enter_compiled(self, kind: str, compiled: Any, args: Any, at: int) -> int:
        name = getattr(compiled.fn, "__qualname__", type(compiled.fn).__name__)
        place = self.opened("compiled", name, at)
        if place >= 0:
            self.events[place].takes = self.values(args)
            self._programs = len(compiled.entries)
        return place

    def _leave_compiled(self, place: int, compiled: Any, args: Any, out: Any, at: int) -> None:
        event = self.events[place]
        if out is not None:
            event.gives = self.values(out)
            self.remember(place, out, event, at)
        if len(compiled.entries) > self._programs:
            event.name += " (first run, which is written down)"
        if not compiled.entries:
            return
        program = compiled.entries[0].program
        self.ops[place] = program
        stepped = {id(o) for x in program.lines if (o := getattr(x.record, "optimizer", None))}
        if stepped:
            self.step_over(stepped, at)

    # -- computations on arrays ------------------------------------------------------------------

    def performing(self, record: Any, given: Any, kw: dict[str, Any]) -> Any:
        """Of a call that is open, what it is called with; the rest is an event where it has a
        name."""
        if self.busy:
            return PART
        t = now()
        self.busy, self.since = True, t
        try:
            return self._perform(record, given, kw, t - self.began - self.lost)
        finally:
            self.busy = False
            self.lost += now() - t

    def _perform(self, record: Any, given: Any, kw: dict[str, Any], at: int) -> int:
        top = self.top()
        if record.__class__ is Op:
            if top is not None and self.ops.get(self.open[-1]) is record:
                self._call(self.open[-1], given, kw)
            return PART
        if record.name == "item":
            told = top is not None and top.kind == "item"
            return PART if told else self.opened("item", "item", at)
        if not record.shown or (top is not None and top.kind in ("op", "node")):
            return PART
        name = NAMES.get(record.shown) or record.shown.partition("::")[2]
        if top is not None and top.kind == "function" and top.name == name:
            return PART
        place = self.opened("op", name, at)
        if place >= 0:
            self.events[place].bytes = moved(record, given, kw)
        return place

    def performed(
        self, record: Any, given: Any, kw: dict[str, Any], results: Any, begun: Any
    ) -> None:
        """Close the event of a computation; arrays that it made are met."""
        if self.over or self.busy:
            return
        t = now()
        self.busy, self.since = True, t
        try:
            self._performed(record, results, begun, t - self.began - self.lost)
        finally:
            self.busy = False
            self.lost += now() - t

    def _performed(self, record: Any, results: Any, begun: int, at: int) -> None:
        if begun >= 0:
            self.close(begun, at)
        if results is None or record.view:
            return
        place = begun if begun >= 0 else self.open[-1] if self.open else NONE
        event = self.events[place] if place != NONE else None
        for a in results if results.__class__ is tuple else (results,):
            if a.__class__ is not ndarray:
                continue
            before = len(self.memory.blocks)
            line = NONE if event is None else event.line
            new = self.memory.met(a, place, line, at, "other", "") >= before
            if new and event is not None:
                event.made += a.nbytes
            if begun >= 0:
                self.made[id(a)] = Reference(a, self.made), place
                self.events[place].gives.append(Value(type_name(a.dtype), a.shape, place))

    def _call(self, place: int, given: Any, kw: dict[str, Any]) -> None:
        """Keep the metadata of an operation's call, each only once."""
        if place in self.calls:
            return
        metas = tuple([
            (a.shape, a.dtype, a.strides) if a.__class__ is ndarray
            else a if a.__class__ in (int, float, bool) else None
            for a in given
        ])  # fmt: skip
        key = self.ops[place].name, metas, tuple(kw), tuple([
            v if v.__class__ in (int, float, bool, str) else
            v if v.__class__ is tuple and all(n.__class__ is int for n in v) else id(v.__class__)
            for v in kw.values()
        ])  # fmt: skip
        found = self._shared.get(key)
        if found is None:
            found = self._shared[key] = self.ops[place], metas, dict(kw)
        self.calls[place] = found

    # -- backward ------------------------------------------------------------------------------

    def _enter_backward(self, kind: str, roots: Any, grads: Any, at: int) -> int:
        place = self.opened("backward", "backward", at, "backward")
        if place >= 0:
            root = roots[0]
            node = root.node if root.__class__ is Out else root
            self.events[place].of = self.nodes.get(node.seq, NONE) if node._is_node else NONE
        return place

    def _enter_node(self, kind: str, node: Any, operands: Any, at: int) -> int:
        place = self.opened("node", node.name(), at, "backward")
        if place >= 0:
            event = self.events[place]
            of = event.of = self.nodes.get(node.seq, NONE)
            if of != NONE:
                made = self.events[of]
                event.module, event.line, event.inner = made.module, made.line, made.inner
            elif node.code is not None:
                event.line = self.lines.at_offset(node.code, node.lasti)
            event.takes = self._gradients(operands)
            event.norm = max([norm(a) for a in _plain(operands)], default=0.0)
            self._saved[place] = node.saved
        return place

    def _leave_node(self, place: int, node: Any, operands: Any, results: Any, at: int) -> None:
        saved = self._saved.pop(place, ())
        if results is None:
            self._fail(place)
            return
        event = self.events[place]
        event.gives = self._gradients(results)
        made = self.ops.get(event.of)
        names = made.inputs if made.__class__ is Op else []
        where = "" if event.of == NONE else self.called(self.events[event.of])
        for k, g in enumerate(results):
            for a in _plain(g):
                before = len(self.memory.blocks)
                what = f"gradient of {names[k] if k < len(names) else 'an operand'} of {where}"
                if self.memory.met(a, place, event.line, at, "gradient", what) >= before:
                    event.made += a.nbytes
        given, made_of = _plain(operands), []
        if self.samples.broken is None and saved.__class__ is tuple:
            called = ["result", *names]
            made_of = [
                (called[k] if k < len(called) else "", a)
                for k, v in enumerate(saved) for a in _plain(v)
            ]  # fmt: skip
        self.samples.look(
            self, place, given, _plain(results), ("the gradient that came",) * len(given), made_of
        )

    def _gradients(self, gs: Any) -> list[Value]:
        found = []
        for g in gs:
            if g.__class__ is ndarray or isinstance(g, np.generic):
                found.append(Value(type_name(g.dtype), g.shape))
            elif isinstance(g, TensorBase):
                found.append(self.value(g))
            elif isinstance(g, (list, tuple)):
                found += self._gradients(g)
        return found

    def _enter_leaf(self, kind: str, leaf: Any, operands: Any, at: int) -> int:
        known = self.modules.known(leaf) or self.modules.variable(leaf, sys._getframe(2))
        known.reached = True
        if operands[1]:  # captured, not added
            return PART
        name = known.name
        place = self.opened("leaf", name, at, "backward")
        if place >= 0:
            event = self.events[place]
            event.takes = self._gradients(operands[:1])
            old = leaf.grad
            if old is not None:
                event.takes.append(Value(type_name(old._a.dtype), old._a.shape, NONE, name))
        return place

    def _leave_leaf(self, place: int, leaf: Any, operands: Any, results: Any, at: int) -> None:
        grad = leaf.grad
        if grad is None or grad._a.__class__ is not ndarray:
            return
        event = self.events[place]
        event.gives = [Value(type_name(grad._a.dtype), grad._a.shape, NONE, event.name)]
        block = self.memory.met(grad._a, place, event.line, at, "gradient")
        if block != NONE:
            self.memory.blocks[block].name = f"gradient of {event.name}"

    # -- modules -------------------------------------------------------------------------------

    def _fail(self, place: int) -> None:
        if self.failed == NONE:
            self.failed = place

    def _enter_method(self, kind: str, name: str, operands: Any, at: int) -> int:
        """A number is taken out of a tensor, or the tensor's history is left behind."""
        top = self.top()
        if top is not None and top.kind in ("op", "item"):
            return PART
        place = self.opened("item" if kind == "item" else "op", name, at)
        if place >= 0:
            self.events[place].takes = [self.value(operands[0])]
        return place

    def _leave_method(self, place: int, name: str, operands: Any, out: Any, at: int) -> None:
        event = self.events[place]
        if isinstance(out, TensorBase):
            self.remember(place, out, event, at)
            event.gives = [self.value(out)]
        elif out.__class__ is ndarray:
            self.made[id(out)] = Reference(out, self.made), place

    def _enter_requires_grad(self, kind: str, name: str, operands: Any, at: int) -> int:
        t, *rest = operands
        self.modules.freeze(t, not (rest[0] if rest else True), self.lines.at(sys._getframe(2))[0])
        return PART

    def _enter_made(self, *about: Any) -> int:
        return LEFT_OUT  # it is told when it is there

    def _made(self, optimizer: Any) -> None:
        """An optimiser is there."""
        if hasattr(optimizer, "param_groups"):
            line = self.lines.at(sys._getframe(2))[0]
            about = Optimizer(type(optimizer).__name__, [], line)
            self.optimizers[id(optimizer)] = optimizer, about

    def _enter_module(self, kind: str, module: Any, operands: Any, at: int) -> int:
        self._around.append(self.module)
        self.module = self.modules.place(module, self.within, sys._getframe(2))
        known = self.modules.modules[self.module]
        known.training = module.training
        self.within.append(module)
        place = self.opened("module", known.path or known.kind, at)
        if place >= 0:
            args = operands[1:]
            self.events[place].takes = self.values(args)
            if len(self.within) == 1:
                self._meet(module, args, at)
                if not module.training:
                    self.evaluated.append(place)
        return place

    def _leave_module(self, place: int, module: Any, operands: Any, result: Any, at: int) -> None:
        if result is not None:
            self.events[place].gives = self.values(result)
            self.samples.activation(self, place, self.module, arrays(result))
        else:
            self._fail(place)

    def _meet(self, module: Any, args: Any, at: int) -> None:
        """Parameters and buffers, and what the outermost module is given."""
        for known in self.modules.tensors():
            t = known.ref()
            if t is not None:
                self.memory.met(t._a, NONE, NONE, 0, known.role, known.name)
        for t in tensors(args):
            if t._fn is None and t._a.__class__ is ndarray:
                place = self.memory.met(t._a, NONE, NONE, at)
                made = NONE if place == NONE else self.memory.blocks[place].event
                if place != NONE and not (made >= 0 and has_history(self.events[made])):
                    self.memory.call(place, "batch", "batch")

    # -- optimisers and loaders ------------------------------------------------------------------

    def _enter_named(self, kind: str, what: Any, operands: Any, at: int) -> int:
        return self.opened(kind, type(what).__name__, at, PHASE[kind])

    def _enter_collective(self, kind: str, call: Any, tensors: Any, at: int) -> int:
        place = self.opened("collective", call.name, at)
        if place >= 0:
            self.events[place].takes = self.values(tensors)
        return place

    def _leave_loader(self, place: int, loader: Any, operands: Any, batch: Any, at: int) -> None:
        if batch is None:
            return
        event = self.events[place]
        event.gives = self.values(list(batch.values()) if isinstance(batch, dict) else batch)
        for a in arrays(batch):
            self.memory.met(a, place, event.line, at, "batch", "batch")

    def _enter_optimizer(self, kind: str, optimizer: Any, operands: Any, at: int) -> int:
        if self.ended is not None and self.rounds.again(id(optimizer)):
            self.ended(self.rounds.count())
            if self.over:
                return PART
        place = self.opened("optimizer", type(optimizer).__name__, at, "optimizer")
        if id(optimizer) not in self.optimizers:
            self._made(optimizer)
        self.optimizers[id(optimizer)][1].steps += 1
        if place >= 0:
            self.samples.before_update(self, place, optimizer)
        return place

    def _leave_optimizer(self, place: int, optimizer: Any, *rest: Any) -> None:
        at = rest[-1]
        event = self.events[place]
        self.samples.after_update(self, place, optimizer)
        for p, state in optimizer.state.items():
            of = self.modules.name(p) if isinstance(p, TensorBase) else ""
            for name, value in state.items() if isinstance(state, dict) else ():
                for a in arrays(value):
                    what = f"{name} of {of}" if of else name
                    self.memory.met(a, place, event.line, at, "optimizer state", what)

    # -- the end -------------------------------------------------------------------------------

    def finish(self) -> None:
        """Close what is open, and put the names in."""
        at = self.clock()
        self.over = True
        self.unwind(at)
        self.steps = arrange(self, at)
        self.unreached = unreached(self)
        self.parameters = [
            Parameter(known.name, known.shape, known.place, known.frozen, known.reached)
            for known in self.modules.tensors()
            if known.role == "parameter"
        ]
        self.memory.close()
        self.nodes.clear()
        self.made.clear()
        self._name()

    def _name(self) -> None:
        resolved = self.modules.resolver()
        for event in self.events:
            event.name = resolved(event.name)
            for v in (*event.takes, *event.gives):
                if v.name:
                    v.name = resolved(v.name)
        for one in self.unreached:
            one.name = resolved(one.name)
        for parameter in self.parameters:
            parameter.name = resolved(parameter.name)
        for block in self.memory.blocks:
            block.name = resolved(block.name)
        for key, (optimizer, about) in list(self.optimizers.items()):
            held = parameters(optimizer)
            about.parameters = [resolved(self.modules.name(p)) for p in held]
            self.optimizers[key] = None, about  # the program may want it to die
        self.samples.rename(resolved)


def moved(record: Any, given: Any, kw: dict[str, Any]) -> int:
    """The bytes that a step reads and writes."""
    total = sum([a.nbytes for a in given if a.__class__ is ndarray])
    written = record.written(given, kw) if total else ()
    places = [given[k] for k in written if k.__class__ is int]
    return total + sum([a.nbytes for a in places if a.__class__ is ndarray])


def has_history(event: Event) -> bool:
    """Whether what an event gives has a derivative."""
    return any(v.grad for v in event.gives)


def _plain(gs: Any) -> list[Any]:
    """The arrays among gradients."""
    found = []
    for g in gs if isinstance(gs, (list, tuple)) else (gs,):
        a = g._a if isinstance(g, TensorBase) else g
        if a.__class__ is ndarray:
            found.append(a)
        elif isinstance(a, (list, tuple)):
            found += _plain(a)
        elif isinstance(a, np.generic):  # what NumPy makes of arrays without dimensions
            found.append(np.asarray(a))
    return found
