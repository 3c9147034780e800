"""What a run has returned, as a template that is filled with the arrays of another run.

Tensors come back as plain tensors, with the history, the version and the place in lists, tuples and
dictionaries that they had; what is not made by the program is found by its expression. A result
whose backward the program has run says so when it is asked again.
"""

from __future__ import annotations

from collections import OrderedDict
from types import MemberDescriptorType
from typing import Any

import numpy as np

from ..autograd import door
from ..autograd.node import LEAF, Cell, Cut, Extras, Freed, Node, Out, TensorBase, tick
from ..tensor import Tensor
from . import known
from .capture import Capture
from .known import lookup
from .program import MADE, Effect
from .seeing import Unknown

_new = object.__new__


class Template:
    """What a run returned, with places for the arrays of another run."""

    def __init__(self, capture: Capture, result: Any) -> None:
        self.capture: Any = capture
        self.returns: dict[int, int] = {}  # id of a tensor to its place
        self.tensors: list[Any] = []
        self.keep: list[Any] = []
        self.histories: list[Any] = []  # tensors whose backward comes from outside
        self.with_history: list[int] = []  # their places
        # results whose note of where a history ended is that of a tensor from outside
        self.noted: list[tuple[int, Any]] = []
        self.built = self.part(result)
        outside = [v.example for v in capture.program.values
                   if v.kind != MADE and isinstance(v.example, np.ndarray)]  # fmt: skip
        program = capture.program
        leaving = [program.values[r].example for r in program.returns]
        leaving += [program.values[r].example for line in program.lines
                    if isinstance(line.record, Effect) for r in line.reads()]  # fmt: skip
        for k, a in enumerate(leaving):
            if any(np.may_share_memory(a, b) for b in (*outside, *leaving[:k])):
                raise Unknown("a result shares memory with something else")
        del self.capture

    def part(self, x: Any) -> Any:
        """A function (arrays, args, kw) -> value, for a part of the result."""
        if x is None or x.__class__ in (*known.NUMBERS, str, bytes):
            return lambda arrays, args, kw: x
        if isinstance(x, TensorBase):
            return self.tensor(x)
        kind = x.__class__
        found = self.capture.reads.sources.get(id(x))
        if found is not None:
            return eval(f"lambda arrays, args, kw: {found[0]}", self.capture.reads.guards.space)
        if kind in (list, tuple) or issubclass(kind, tuple):
            parts = [self.part(v) for v in x]
            if kind is tuple:
                return lambda arrays, args, kw: tuple([p(arrays, args, kw) for p in parts])
            if kind is list:
                return lambda arrays, args, kw: [p(arrays, args, kw) for p in parts]
            if hasattr(kind, "_fields"):
                return lambda arrays, args, kw: kind(*[p(arrays, args, kw) for p in parts])
            if known.is_ours(kind):
                try:
                    again = kind(x)
                except TypeError:
                    again = None
                if again == x and not any(isinstance(v, TensorBase) for v in x):
                    return lambda arrays, args, kw: x
                if any(isinstance(v, TensorBase) for v in x):
                    return lambda arrays, args, kw: kind([p(arrays, args, kw) for p in parts])
        if kind in (dict, OrderedDict):
            named = {k: self.part(v) for k, v in x.items()}
            return lambda arrays, args, kw: kind(
                [(k, p(arrays, args, kw)) for k, p in named.items()]
            )
        if known.is_ours(kind) and kind.__name__ in ("dtype", "Device", "layout"):
            return lambda arrays, args, kw: x
        raise Unknown(f"a {kind.__name__} is returned")

    def tensor(self, t: Any) -> Any:
        """The place of a tensor."""
        capture = self.capture
        if id(t) in capture.reads.tensors:
            place = capture.reads.tensors[id(t)][1]
            return eval(f"lambda arrays, args, kw: {place}", capture.reads.guards.space)
        if id(t) not in self.returns:
            self.returns[id(t)] = len(self.tensors)
            self.keep.append(t)
            self.tensors.append(self.recipe(t))
        k = self.returns[id(t)]
        return lambda arrays, args, kw: arrays[k]

    def recipe(self, t: Any) -> Any:
        """How one tensor of the result is made of its array."""
        capture = self.capture
        number = capture.number.get(id(t._a))
        if number is None or t.__class__ is not Tensor or t.__dict__:
            raise Unknown("a tensor is returned that was made in a way that is not replayed")
        value = capture.program.values[number]
        if value.kind != MADE:
            raise Unknown("a tensor is returned that shares the memory of another one")
        if t._v is not None and id(t._v.base) in capture.reads.tensors:
            raise Unknown("a view of a tensor from outside is returned")
        x = t._x
        if x.__class__ is Extras:
            if x.hooks or x.post_hooks or x.grad is not None or x.retains:
                raise Unknown("a tensor with hooks or a gradient is returned")
            x = x.cut
        fn = t._fn
        kind: Any = None
        if fn is LEAF:
            kind = LEAF
        elif fn is not None:
            node = fn.node if fn.__class__ is Out else fn
            freed = find_freed(node)
            if freed is None:
                self.histories.append(t)
                self.with_history.append(len(self.tensors))
            else:
                kind = (node_like(node), node_like(freed))
        value.fresh = True
        capture.program.returns.append(number)
        count = 0 if t._vc is None else t._vc.count
        if not isinstance(x, Cut):
            x = None
        if x is not None and x is door.born[0]:  # it says in which block the result was made
            self.noted.append((len(self.tensors), lambda args, kw: door.born_here()))
            x = None
        for other, place, _given in capture.reads.tensors.values() if x is not None else ():
            like = next((f for f in (door.cut_of, door.result_cut) if f(other._x) is x), None)
            if like is not None:
                function = f"lambda args, kw: like({place}._x)"
                space = {**capture.reads.guards.space, "like": like}
                self.noted.append((len(self.tensors), eval(function, space)))
                x = None
                break
        return kind, x, count

    def gather(self, x: Any, found: list[Any], seen: set[int]) -> None:
        """The tensors of a result in the order of `tensors`."""
        if isinstance(x, TensorBase):
            if id(x) not in seen:
                seen.add(id(x))
                found.append(x)
        elif isinstance(x, (list, tuple)):
            for v in x:
                self.gather(v, found, seen)
        elif isinstance(x, dict):
            for v in x.values():
                self.gather(v, found, seen)

    def make(self, results: tuple[Any, ...], args: Any, kw: Any) -> list[Any]:
        """Tensors of the arrays that a run returned."""
        made = []
        for a, (kind, cut, count) in zip(results, self.tensors, strict=False):
            t = _new(Tensor)
            t._a = a if a.__class__ is np.ndarray else np.asarray(a)
            t._vc = t._v = None
            t._x = cut
            t._fn = kind
            if kind.__class__ is tuple:
                t._fn = spent(kind)
            if count:
                t._vc = Cell()
                t._vc.count = count
            made.append(t)
        for k, note in self.noted:
            made[k]._x = note(args, kw)
        return made


def find_freed(node: Any) -> Any:
    """The nearest node in the graph of a node in which a backward has left its mark, or None."""
    queue, seen = [node], set()
    for n in queue:
        n = n.node if n.__class__ is Out else n
        if n is None or id(n) in seen or not n._is_node:
            continue
        seen.add(id(n))
        if n.saved.__class__ is Freed:
            return n
        queue += n.edges
    return None


def node_like(node: Any) -> tuple[Any, ...]:
    """What is needed to make a node like this one."""
    freed = node.saved if node.saved.__class__ is Freed else None
    edges = len(node.edges)
    cls = type(node)
    more = [(name, value) for name, value in (("n_out", 1), ("kw", node.kw))
            if isinstance(lookup(cls, name), MemberDescriptorType)]  # fmt: skip
    return cls, node.code, node.lasti, more, freed, edges, node.shape, node.dtype


def made_like(like: tuple[Any, ...], edge: Any) -> Any:
    """A node whose edges are all one."""
    cls, code, lasti, more, freed, edges, shape, dtype = like
    node: Any = _new(cls)
    node.edges, node.saved, node.x = (edge,) * edges, freed, None
    node.seq, node.shape, node.dtype = tick(), shape, dtype
    node.code, node.lasti = code, lasti
    for name, value in more:  # what the class does not say itself
        setattr(node, name, value)
    return node


def spent(kind: tuple[Any, ...]) -> Node:
    """The node of a result whose backward the program has run: the nearest one that knows says so
    when it is asked again."""
    first, knowing = kind
    return made_like(first, None if first[4] is not None else made_like(knowing, None))  # type: ignore[no-any-return]
