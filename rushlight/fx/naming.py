"""Names in graphs: those of functions as programs write them, and names that occur once."""

from __future__ import annotations

import builtins
import functools
import keyword
import re
import sys
from types import ModuleType
from typing import Any

from .. import torch_names

# Where public functions are, the most general first: torch.relu, not torch.nn.functional.relu.
SPACES = (
    "torch", "torch.nn.functional", "torch.linalg", "torch.special", "torch.fft", "torch.nn.init",
    "torch.nn",
)  # fmt: skip


def torch_module() -> ModuleType:
    """The module that generated code calls torch."""
    return sys.modules["rushlight"]


def found(path: str) -> Any:
    """What a dotted name below torch stands for; None if nothing does."""
    at: Any = torch_module()
    for part in path.split(".")[1:]:
        at = getattr(at, part, None)
        if at is None:
            return None
    return at


@functools.cache
def published() -> dict[int, str]:
    """Public functions by identity, with their names."""
    names: dict[int, str] = {}
    for space in SPACES:
        for name, thing in list(vars(found(space)).items()):
            # While something is traced, others stand for some: their ids will be those of others.
            thing = getattr(thing, "stands_for", thing)
            if callable(thing) and not isinstance(thing, type) and not name.startswith("_"):
                names.setdefault(id(thing), f"{space}.{name}")
    return names


def torch_name(thing: Any) -> str | None:
    """The dotted name of one of torch's functions and classes; None for what is not there."""
    module = torch_names.shown(getattr(thing, "__module__", None) or "")
    name = getattr(thing, "__qualname__", None) or getattr(thing, "__name__", None)
    if module.partition(".")[0] != "torch" or name is None:
        return published().get(id(thing))
    for space in SPACES:
        if found(f"{space}.{name}") is thing:
            return f"{space}.{name}"
    known = published().get(id(thing))
    if known is None:
        there = found(f"{module}.{name}")
        # some calls of an operator may be a record of their own; by its name all are made
        part = getattr(getattr(thing, "record", None), "part_of", None) is not None
        if there is thing or (part and there == thing):
            return f"{module}.{name}"
    return known


def qualified(thing: Any) -> str:
    """The name of a function or class from its module on.

    >>> import math
    >>> qualified(len), qualified(math.sqrt)
    ('len', 'math.sqrt')
    """
    name = getattr(thing, "__name__", type(thing).__name__)
    if getattr(builtins, name, None) is thing:
        return str(name)
    known = torch_name(thing)
    if known is not None:
        return known
    module = torch_names.shown(getattr(thing, "__module__", None) or "builtins")
    return f"{module}.{getattr(thing, '__qualname__', name)}".replace("<locals>.", "")


def short(target: Any) -> str:
    """The word by which a node is named after what it calls."""
    if isinstance(target, str):
        word = target
    else:
        known = torch_name(target)
        word = getattr(target, "__name__", "fn") if known is None else known.rpartition(".")[2]
    if word.startswith("__") and word.endswith("__") and len(word) > 4:
        word = word[2:-2]
    return re.sub(r"(?<=[a-z])([A-Z])", r"_\1", word).lower()


class Namespace:
    """Gives each object a name of its own that Python allows for a variable."""

    def __init__(self) -> None:
        self.used: set[str] = set()
        self.counts: dict[str, int] = {}
        self.given: dict[Any, str] = {}

    def create_name(self, candidate: str, obj: Any) -> str:
        """A name like `candidate`, with a number where it is taken; `obj` keeps it."""
        if obj is not None and obj in self.given:
            return self.given[obj]
        clean = re.sub("[^0-9a-zA-Z_]+", "_", candidate) or "_unnamed"
        clean = "_" + clean if clean[0].isdigit() else clean
        split = re.fullmatch(r"(.*)_(\d+)", clean)
        base, number = (split[1], int(split[2])) if split else (clean, 0)
        name = f"{base}_{number}" if split else base
        number = number or self.counts.get(base, 0)
        while name in self.used or is_taken(name, obj):
            number += 1
            name = f"{base}_{number}"
        self.used.add(name)
        self.counts[base] = number
        if obj is not None:
            self.given[obj] = name
        return name

    def associate(self, name: str, obj: Any) -> None:
        """Say that `obj` has this name."""
        self.given[obj] = name

    def forget(self, obj: Any) -> None:
        """Take the object's name from it; the name stays in use."""
        self.given.pop(obj, None)


# What generated code finds besides Python's own names.
ALWAYS = ("inf", "nan", "NoneType", "torch", "device", "fx_pytree", "pytree")


def is_taken(name: str, obj: Any) -> bool:
    """Whether a variable of this name would hide something that generated code needs."""
    if keyword.iskeyword(name) or name in ALWAYS:
        return True
    return hasattr(builtins, name) and getattr(builtins, name) is not obj
