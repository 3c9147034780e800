"""Who holds the memory: what is alive, what claims it, and what the program calls it.

Nothing is noted beforehand, so all of it is found by looking, among the objects that Python's
garbage collector knows, which takes tenths of a second: it is for errors, and for whoever asks.
`largest` is what an error says; `explain/live.py` makes the whole account, by roles and lines.
"""

from __future__ import annotations

import gc
import inspect
import sys
from collections import deque
from collections.abc import Iterable, Iterator
from typing import Any, NamedTuple

import numpy as np

from ..array_memory import root
from ..once import HOME
from .node import LEAF, Node, Out, TensorBase

ndarray = np.ndarray
CONTAINERS = (list, tuple, deque, set, dict)
DEPTH = 3  # of containers in each other
# Whose memory is: of several claims the first in this order tells most.
RANK = {role: k for k, role in enumerate(
    ("parameter", "buffer", "gradient", "optimizer state", "batch", "saved for backward",
     "result", "other"))}  # fmt: skip
NAMED = ("parameter", "buffer", "gradient", "optimizer state")


class Alive(NamedTuple):
    """What there is."""

    tensors: list[Any]
    modules: list[Any]
    optimizers: list[Any]
    nodes: list[Any]


def alive() -> Alive:
    """Everything that may hold memory."""
    found = Alive([], [], [], [])
    lists: dict[int, list[Any] | None] = {}  # by the id of a type: of many objects, few types
    for o in gc.get_objects():
        cls = type(o)  # (`__class__` of an object that stands for another one may do anything)
        try:
            own = lists[id(cls)]
        except KeyError:
            own = lists[id(cls)] = list_for(cls, found)
        if own is not None:
            own.append(o)
    return found


def list_for(cls: type, found: Alive) -> list[Any] | None:
    """Where objects of a type are listed, if they may hold memory."""
    if issubclass(cls, TensorBase):
        return found.tensors
    if issubclass(cls, Node):
        return found.nodes
    if hasattr(cls, "named_parameters"):
        return found.modules
    return found.optimizers if hasattr(cls, "add_param_group") else None


class Name(NamedTuple):
    """What a model calls a tensor of its own."""

    tensor: Any
    model: Any
    path: str  # "fc1.weight"
    role: str  # "parameter" or "buffer"


def named(modules: list[Any]) -> list[Name]:
    """Parameters and buffers of all models: of those modules that are in no other one."""
    inside = {id(c) for m in modules for c in m.children()}
    models = [m for m in modules if id(m) not in inside and any(True for _ in m.parameters())]
    found = []
    for model in models:
        found += [Name(p, model, path, "parameter") for path, p in model.named_parameters()]
        found += [Name(b, model, path, "buffer") for path, b in model.named_buffers()]
    return found


class Claim(NamedTuple):
    """Memory, and one who has it."""

    array: Any  # that owns the memory
    shape: tuple[int, ...]
    role: str
    who: Any  # a tensor; of what is saved for backward, the node
    of: Any  # of gradients and states, the parameter
    key: str = ""  # of a state: "exp_avg"


def claims(found: Alive, names: list[Name]) -> Iterator[Claim]:
    """All that is claimed; several may claim the same memory."""
    for name in names:
        yield from claim(name.tensor, name.role, name.tensor)
    for optimizer in found.optimizers:
        states = getattr(optimizer, "state", None)
        for p, state in states.items() if isinstance(states, dict) else ():
            for key, value in state.items() if isinstance(state, dict) else ():
                yield from claim(value, "optimizer state", value, p, key)
    for node in found.nodes:
        for part in node.saved if node.saved.__class__ is tuple else ():
            yield from claim(part, "saved for backward", node)
    for t in found.tensors:
        yield from claim(t, "result" if t._fn is not None and t._fn is not LEAF else "other", t)
        grad = getattr(t._x, "grad", None)
        if grad is not None:
            yield from claim(grad, "gradient", grad, t)


def claim(x: Any, role: str, who: Any, of: Any = None, key: str = "") -> Iterator[Claim]:
    """The claim to a tensor's memory, or an array's, if there is any."""
    a = x._a if issubclass(type(x), TensorBase) else x
    if a.__class__ is ndarray:
        yield Claim(root(a), tuple(a.shape), role, who, of, key)


def maker(t: Any) -> Any:
    """What knows the line that made a tensor: its node, or the note of what cut it off; or None."""
    fn = t._fn
    if fn is not None and fn is not LEAF:
        return fn.node if fn.__class__ is Out else fn
    cut = t._x.cut if hasattr(t._x, "cut") else t._x
    return cut if getattr(cut, "code", None) is not None else None


# -- the program's variables -----------------------------------------------------------------------


class Variable(NamedTuple):
    """A variable that holds something, itself or in a container."""

    name: str
    where: str  # "train (train.py:12)": not the frame, which would keep all that stands in it
    kind: str = ""  # "list"; "": itself
    size: int = 0  # of the container


def held_by_variables(stack: Iterable[Any]) -> dict[int, Variable]:
    """By id the variables of functions, the innermost ones first, that hold a tensor or a module,
    through containers."""
    found: dict[int, Variable] = {}
    seen: set[int] = set()
    kinds: Kinds = {}
    for frame in stack:
        code = frame.f_code
        where = f"{code.co_name} ({code.co_filename}:{frame.f_lineno})"
        own = variables(frame)
        others = {} if id(frame.f_globals) in seen else frame.f_globals
        seen.add(id(frame.f_globals))
        for name, value in (*own.items(), *list(others.items())):
            if not name.startswith("__"):
                hold(found, value, Variable(name, where), DEPTH, kinds)
    return found


OTHER, CONTAINER, WANTED = range(3)
Kinds = dict[int, tuple[int, type]]  # by the id of a type, which is kept: what its values are
UNKNOWN = (WANTED, object)


def hold(
    found: dict[int, Variable], value: Any, variable: Variable, depth: int, kinds: Kinds
) -> None:
    """Note what a variable's value holds. `kinds` remembers types: many values are of few."""
    cls = type(value)
    kind, _ = kinds.get(id(cls)) or kinds.setdefault(id(cls), (kind_of(cls), cls))
    if kind == WANTED:
        found.setdefault(id(value), variable)
    elif depth and kind == CONTAINER and value:
        if depth == DEPTH:
            name = next(c.__name__ for c in (cls, *CONTAINERS) if issubclass(cls, c))
            variable = variable._replace(kind=name, size=len(value))
        for v in list(value.values() if issubclass(cls, dict) else value):
            if kinds.get(id(type(v)), UNKNOWN)[0] != OTHER:  # most are numbers and words
                hold(found, v, variable, depth - 1, kinds)


def kind_of(cls: type) -> int:
    """Whether values of a type are looked for, or looked through."""
    if issubclass(cls, TensorBase) or hasattr(cls, "named_parameters"):
        return WANTED
    return CONTAINER if issubclass(cls, CONTAINERS) else OTHER


def frames(frame: Any) -> Iterator[Any]:
    """A frame and those that called it, without this package's."""
    while frame is not None:
        if not frame.f_code.co_filename.startswith(HOME):  # names are torch's under the drop-in
            yield frame
        frame = frame.f_back


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


# -- what an error says ----------------------------------------------------------------------------


class Held(NamedTuple):
    """Memory that a live tensor has, or that the graph keeps for a derivative."""

    nbytes: int
    shape: tuple[int, ...]
    holder: str  # "fc.weight of Net", "losses (a list of 500) in train (train.py:12)"; "": nobody
    made: str  # "MulBackward0 at train.py:12 in train: y = a * b"; "": no operation

    def __str__(self) -> str:
        said = ", ".join(filter(None, [self.holder, self.made])) or "no history"
        return f"{self.nbytes / 2**20:,.1f} MiB {self.shape}: {said}"


def largest(count: int) -> list[Held]:
    """What has most memory, the largest first; of several on the same memory, one."""
    found = alive()
    names = named(found.modules)
    by_owner: dict[int, list[Claim]] = {}
    for one in claims(found, names):
        by_owner.setdefault(id(one.array), []).append(one)
    most = sorted(by_owner.values(), key=lambda group: -group[0].array.nbytes)[:count]
    called = {id(n.tensor): f"{n.path} of {type(n.model).__name__}" for n in names}
    held = held_by_variables(frames(sys._getframe(1)))
    return [told(group, called, held) for group in most]


def told(group: list[Claim], called: dict[int, str], held: dict[int, Variable]) -> Held:
    """What there is to say of memory that these have: its name, or else the variable that holds
    it, or else the node that keeps it."""
    def rank(one: Claim) -> tuple[bool, bool, int]:
        return one.role not in NAMED, id(one.who) not in held, RANK[one.role]

    best = min(group, key=rank)
    size, of = best.array.nbytes, called.get(id(best.of), "")
    if best.role == "saved for backward":
        return Held(size, best.shape, f"saved by {best.who.name()} at {best.who.line()}", "")
    holder = called.get(id(best.who), "")
    if best.role == "optimizer state":
        holder = f"{best.key} of {of or 'a parameter'}"
    elif best.role == "gradient":
        holder = f"gradient of {of or in_variable(best.of, held) or 'a tensor'}"
    node = maker(best.who)
    made = f"{node.name()} at {node.line()}" if isinstance(node, Node) else ""
    return Held(size, best.shape, holder or in_variable(best.who, held), made)


def in_variable(t: Any, held: dict[int, Variable]) -> str:
    """'losses (a list of 500) in train (train.py:12)', or ""."""
    variable = held.get(id(t))
    if variable is None:
        return ""
    among = f" (a {variable.kind} of {variable.size})" if variable.kind else ""
    return f"{variable.name}{among} in {variable.where}"
