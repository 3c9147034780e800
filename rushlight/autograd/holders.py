"""Who holds the memory: the largest live tensors, who has them and the lines that made them.

Nothing is noted beforehand, so all of it is found by looking, which takes tenths of a second: it
is for errors. Not here: the whole account, by roles and lines (`explain/live.py`).
"""

from __future__ import annotations

import gc
import inspect
import sys
from collections import deque
from collections.abc import Iterator
from typing import Any, NamedTuple

import numpy as np

from ..storage import root
from .node import Node, Out, TensorBase
from .op_node import OpNode

ndarray = np.ndarray
CONTAINERS = (list, tuple, deque, set, dict)


class Held(NamedTuple):
    """Memory that a live tensor has, or that the graph keeps for a derivative."""

    nbytes: int
    shape: tuple[int, ...]
    holder: str  # "weight of Linear", "losses (a list of 500) in train (train.py:12)"; "": nobody
    made: str  # "MulBackward0 at train.py:12 in train: y = a * b"; "": no operation

    def __str__(self) -> str:
        said = ", ".join(filter(None, [self.holder, self.made])) or "no history"
        return f"{self.nbytes / 2**20:,.1f} MiB {self.shape}: {said}"


def largest(count: int) -> list[Held]:
    """What has most memory, the largest first; of several on the same memory, one."""
    found: dict[int, tuple[int, Any, Any]] = {}
    kept: dict[int, tuple[int, Any, Any]] = {}
    owners = []  # modules and optimizers
    for o in gc.get_objects():
        cls = type(o)  # (`__class__` of an object that stands for another one may do anything)
        if issubclass(cls, TensorBase):
            if o._a.__class__ is ndarray:
                a = root(o._a)
                found.setdefault(id(a), (a.nbytes, o._a.shape, o))
        elif issubclass(cls, OpNode):
            for part in o.saved if o.saved.__class__ is tuple else ():
                if part.__class__ is ndarray:
                    a = root(part)
                    kept.setdefault(id(a), (a.nbytes, part.shape, o))
        elif hasattr(cls, "named_parameters") or hasattr(cls, "zero_grad"):
            owners.append(o)
    most = sorted({**kept, **found}.values(), key=lambda each: -each[0])[:count]
    names = named_by(owners)
    return [told(*each, names) for each in most]


def told(nbytes: int, shape: tuple[int, ...], who: Any, names: dict[int, str]) -> Held:
    """What there is to say of memory that a tensor or a node of the graph has."""
    if isinstance(who, OpNode):
        return Held(nbytes, tuple(shape), f"saved by {who.name()} at {who.line()}", "")
    node = who._fn
    node = node.node if node.__class__ is Out else node
    made = f"{node.name()} at {node.line()}" if isinstance(node, Node) else ""
    return Held(nbytes, tuple(shape), names.get(id(who), "") or variable_of(who), made)


def named_by(owners: list[Any]) -> dict[int, str]:
    """What modules and optimizers call their tensors, by the tensors' identity."""
    names: dict[int, str] = {}
    for owner in owners:
        kind = type(owner).__name__
        try:
            own = vars(owner)
        except TypeError:
            continue
        for place in ("_parameters", "_buffers"):
            for name, t in (own.get(place) or {}).items():
                if isinstance(t, TensorBase):
                    names[id(t)] = f"{name} of {kind}"
                    grad = t._x and t._x.grad
                    if grad is not None:
                        names[id(grad)] = f"gradient of {name} of {kind}"
        states = own.get("state")
        if isinstance(states, dict):
            for state in states.values():
                for name, t in state.items() if isinstance(state, dict) else ():
                    if isinstance(t, TensorBase):
                        names[id(t)] = f"{name} of {kind}"
    return names


def variable_of(t: Any) -> str:
    """The variable of this thread's functions that holds a tensor, or a container with it."""
    for frame in frames(sys._getframe(1)):
        for name, value in variables(frame).items():
            if value is t:
                return f"{name} in {place(frame)}"
            if type(value) in CONTAINERS:
                among = value.values() if isinstance(value, dict) else value
                if any(x is t for x in among):
                    kind = type(value).__name__
                    return f"{name} (a {kind} of {len(value)}) in {place(frame)}"
    return ""


def frames(frame: Any) -> Iterator[Any]:
    """A frame and those that called it, without this package's."""
    package = __name__.partition(".")[0]
    while frame is not None:
        if frame.f_globals.get("__name__", "").partition(".")[0] != package:
            yield frame
        frame = frame.f_back


def place(frame: Any) -> str:
    code = frame.f_code
    return f"{code.co_name} ({code.co_filename}:{frame.f_lineno})"


def variables(frame: Any) -> dict[str, Any]:
    """The local variables of a frame.

    Until Python 3.12 a frame that is asked keeps what it answers, and so everything that stood in
    its variables then: that is emptied again.
    """
    names = frame.f_locals
    found = dict(names)
    if sys.version_info < (3, 13) and frame.f_code.co_flags & inspect.CO_OPTIMIZED:
        names.clear()
    return found
