"""Seeing: what comes from outside into code that is captured, and what is guarded of it.

Each value that comes from outside (an argument, a global, a closure, an attribute of what came from
outside) is *seen*: a number or a text is guarded by its value, an object by its identity, a tensor
becomes an input of the program. What is read from such an object later is seen again, at its place.
Objects that the code makes itself need no guard. The first thing that cannot be known ends the
capture: the run goes on, nothing is kept, and `why` says what it was.

Not here: the hooks that see (`reading.py`, `acting.py`).
"""

from __future__ import annotations

import itertools
from collections import OrderedDict
from types import BuiltinFunctionType, FunctionType, GeneratorType, MethodType, ModuleType
from typing import Any

import numpy as np

from ..autograd.node import LEAF, TensorBase
from ..random import Generator
from . import known
from .frames import here, users_stack
from .guards import Guards

ITERATORS: tuple[Any, ...] = (
    enumerate, zip, reversed, range, type({}.keys()), type({}.values()), type({}.items()),
    itertools.chain, itertools.islice, map, filter,
)  # fmt: skip


class Unknown(Exception):
    """Something that is not replayed; the text says what, `where` the user's (file, line)."""

    def __init__(self, why: str, where: tuple[str, int] | None = None, stack: Any = ()) -> None:
        super().__init__(why)
        self.where = where
        self.stack = stack  # the user's (code name, file, line), innermost first


class Seeing:
    """The hooks of one capture.

    Attributes:
        guards: what must be the same when the program runs again.
        why: what cannot be known (an `Unknown`), or None.
        sources: id of an object from outside to the expression that finds it.
        tensors: id of a tensor from outside to (tensor, expression, whether it is an argument).
        repeat: called with (what, function) for a call that a replay makes again.
    """

    def __init__(self, capture: Any) -> None:
        from .. import optim
        from ..nn import Module
        from ..optim.lr_scheduler import LRScheduler

        self.module, self.optimizer, self.scheduler = Module, optim.Optimizer, LRScheduler
        self.capture = capture
        self.guards = Guards()
        self.why: Unknown | None = None
        self.sources: dict[int, tuple[str, str]] = {}
        self.tensors: dict[int, tuple[Any, str, bool]] = {}
        self.wholes: set[int] = set()
        self.kept: list[Any] = []  # so that no id is used twice
        self.copies: dict[Any, FunctionType] = {}
        self.slice = slice

    def call(self, fn: Any, *args: Any, **kw: Any) -> Any:
        """`fn(*args, **kw)` (`acting.py`)."""
        raise NotImplementedError

    # -- what cannot be known --------------------------------------------------------------------

    def unknown(self, why: str) -> None:
        """Note the first thing that is not replayed."""
        if self.why is None:
            self.why = Unknown(why, here(), users_stack())

    # -- seeing what comes from outside ----------------------------------------------------------

    def see(
        self, value: Any, place: str, words: str, slow: bool = False, given: bool = False
    ) -> Any:
        """A value that was read at a place outside; returns it."""
        if self.why is not None:
            return value
        kind = value.__class__
        if kind in known.NUMBERS or kind in (str, bytes) or value is None or value is Ellipsis:
            self.guards.same(place, value, words, slow)
        elif isinstance(value, TensorBase):
            self.see_tensor(value, place, words, slow, given)
        elif given and kind in (list, tuple, dict, OrderedDict):
            self.see_container(value, place, words)
        elif given and not is_lasting(value, self):
            self.kept.append(value)
            self.guards.add(f"({place}).__class__ is {self.guards.name(kind)}",
                            f"{words} is a {kind.__name__}")  # fmt: skip
            self.sources[id(value)] = (place, words)
            if isinstance(value, tuple):  # a named tuple
                for k, v in enumerate(value):
                    self.see(v, f"{place}[{k}]", f"{words}[{k}]", given=True)
            elif known.known_value(value):
                self.guards.add(f"{place} == {self.guards.name(value)}", f"{words} is {value!r}")
        elif kind in (tuple, frozenset) and all(
            v is None or v.__class__ in (*known.NUMBERS, str) for v in value
        ):
            name = self.guards.name(value)
            self.guards.add(f"({place} is {name} or ({place}).__class__ is {kind.__name__} and "
                            f"repr({place}) == repr({name}))", f"{words} is {value!r}",
                            slow)  # fmt: skip
        else:
            self.kept.append(value)
            if not isinstance(value, ModuleType) or not known.is_ours(value):
                self.guards.same(place, value, words, slow)
            if id(value) not in self.sources:
                self.sources[id(value)] = (self.guards.name(value), words)
        return value

    def see_tensor(self, t: Any, place: str, words: str, slow: bool, given: bool) -> None:
        """A tensor from outside."""
        if id(t) in self.tensors:
            first = self.tensors[id(t)]
            if place != first[1]:
                self.guards.add(f"{place} is {first[1]}", f"{words} is the same tensor", slow)
            return
        self.kept.append(t)
        problem = self.capture.take(t, given)
        if problem:
            self.unknown(f"{words} {problem}")
            return
        name = place if given else self.guards.name(t)
        self.tensors[id(t)] = (t, name, given)
        self.sources[id(t)] = (name, words)
        g = self.guards
        if given:
            a = t._a
            cls = g.name(t.__class__)
            fn = " is LEAF" if t._fn is LEAF else " is None"
            if t._fn is not None and t._fn is not LEAF:
                fn = f".__class__ is not {g.name(type(LEAF))} and {name}._fn is not None"
            strides = g.name(a.strides)
            g.add(f"({name}).__class__ is {cls} and {name}._fn{fn} and "
                  f"({name}._v is None or {name}._v.seen == {name}._vc.count) and "
                  f"{name}._a.__class__ is {g.name(np.ndarray)} and {name}._a.shape == "
                  f"{tuple(a.shape)!r} and {name}._a.dtype is {g.name(a.dtype)} and "
                  f"{name}._a.strides == {strides} and {name}._a.flags.writeable",
                  f"{words} is a {a.dtype} tensor of shape {tuple(a.shape)}, strides "
                  f"{a.strides} bytes, requires_grad={t.requires_grad}")  # fmt: skip
        else:
            g.add(f"{place} is {name}", f"{words} is the same tensor", slow)
            fn = "LEAF" if t.requires_grad else "None"
            g.add(f"{name}._a is {g.name(t._a)} and {name}._fn is {fn}",
                  f"{words} has the same memory, requires_grad={t.requires_grad}")  # fmt: skip
            if t._v is not None:
                g.add(f"{name}._v.base._fn is None", f"what {words} is a view of has no history")

    def see_container(self, value: Any, place: str, words: str) -> None:
        """A list, tuple or dictionary among the arguments: its whole content."""
        self.kept.append(value)
        g = self.guards
        self.sources[id(value)] = (place, words)
        self.wholes.add(id(value))
        kind = value.__class__
        g.add(f"({place}).__class__ is {g.name(kind)} and len({place}) == {len(value)}",
              f"{words} is a {kind.__name__} of {len(value)}")  # fmt: skip
        if isinstance(value, dict):
            if not all(k.__class__ in (str, int, bool, type(None)) for k in value):
                self.unknown(f"{words} has keys that are no strings or numbers")
                return
            g.add(f"list({place}) == {list(value)!r}", f"{words} has the keys {list(value)!r}")
            for k, v in value.items():
                self.see(v, f"{place}[{k!r}]", f"{words}[{k!r}]", given=True)
        else:
            for i, v in enumerate(value):
                self.see(v, f"{place}[{i}]", f"{words}[{i}]", given=True)

    def whole(self, value: Any) -> Any:
        """A value all of whose content is going to be read: in a loop, unpacked, as an operand."""
        if self.why is not None or value.__class__ in known.PLAIN:
            return value
        if isinstance(value, TensorBase) or id(value) in self.wholes:
            return value
        if isinstance(value, known.CONTAINERS):
            self.wholes.add(id(value))
            self.kept.append(value)
            found = self.sources.get(id(value))
            if found is None:  # made by the code itself
                for v in list(value.values() if isinstance(value, dict) else value):
                    if isinstance(v, known.CONTAINERS):
                        self.whole(v)
                return value
            place, words = found
            g = self.guards
            g.add(f"len({place}) == {len(value)}", f"{words} has {len(value)} entries")
            if isinstance(value, dict):
                if all(k.__class__ in (str, int, bool, type(None)) for k in value):
                    g.add(f"list({place}) == {list(value)!r}", f"{words} has the same keys")
                    for k, v in value.items():
                        self.see(v, f"{place}[{k!r}]", f"{words}[{k!r}]")
                    return value
            elif isinstance(value, list | tuple):
                for i, v in enumerate(value):
                    self.see(v, f"{place}[{i}]", f"{words}[{i}]")
                return value
            self.unknown(f"{words} is read, a {type(value).__name__}")
            return value
        if isinstance(value, self.module):
            # its __iter__ is Python, and is looked into when it is called
            method = getattr(type(value), "__iter__", None)
            return value if method is None else self.call(method, value)
        if isinstance(value, GeneratorType):
            return value if known.looked_into(value) else self.odd(value, "a generator")
        if isinstance(value, ITERATORS) or (
            hasattr(type(value), "__next__")
            and type(value).__module__ in ("builtins", "itertools")
        ):
            return value
        if isinstance(value, type) or not hasattr(type(value), "__iter__"):
            return value
        if isinstance(value, (np.generic, np.ndarray)):
            return self.odd(value, "a NumPy array")
        if known.is_ours(type(value)):
            return value
        return self.odd(value, f"what a {type(value).__name__} holds")

    def odd(self, value: Any, what: str) -> Any:
        """A value that nobody can look into."""
        self.unknown(f"{what} is read")
        return value


def is_lasting(value: Any, seeing: Seeing) -> bool:
    """Whether an argument is an object that programs keep: it is known by its identity."""
    return isinstance(value, (
        seeing.module, seeing.optimizer, seeing.scheduler, Generator, type, FunctionType,
        MethodType, ModuleType, BuiltinFunctionType,
    ))  # fmt: skip
