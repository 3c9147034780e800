"""The hooks of instrumented code that read: attributes, entries, operands, conditions.

Not here: what becomes of a value from outside (`seeing.py`), calls and changes (`acting.py`), where
hooks stand (`instrument.py`).
"""

from __future__ import annotations

import sys
from types import (
    FunctionType,
    GeneratorType,
    GetSetDescriptorType,
    MemberDescriptorType,
    MethodType,
    ModuleType,
)
from typing import Any

import numpy as np

from ..autograd.node import TensorBase
from . import known
from .frames import called_by_us
from .known import lookup
from .seeing import Seeing

# Attributes of a tensor that say more than guards cover.
UNSEEN = frozenset((
    "grad_fn", "_version", "_base", "_x", "_vc", "_v", "_fn", "_a", "__dict__", "retains_grad",
    "_backward_hooks", "output_nr", "names", "__cuda_array_interface__", "__array_interface__",
    "is_shared",
))  # fmt: skip


class Repeated:
    """A method that a replay calls again, in its place: `optimizer.step`."""

    def __init__(self, owner: Any, name: str) -> None:
        self.owner, self.name = owner, name

    def __repr__(self) -> str:
        return f"{type(self.owner).__name__}.{self.name}"

    def __call__(self, *args: Any, **kw: Any) -> Any:
        return getattr(self.owner, self.name)(*args, **kw)


class Reading(Seeing):
    """Hooks that read."""

    def attr(self, owner: Any, name: str) -> Any:
        """`owner.name`."""
        if self.why is not None:
            return getattr(owner, name)
        if isinstance(owner, TensorBase):
            return self.tensor_attr(owner, name)
        if isinstance(owner, self.module):
            return self.module_attr(owner, name)
        kind = owner.__class__
        if kind in known.PLAIN or isinstance(owner, (super, *known.CONTAINERS, GeneratorType)):
            if isinstance(owner, tuple) and kind is not tuple:  # a field of a named tuple
                return getattr(owner, name)
            return getattr(owner, name)
        found = self.sources.get(id(owner))
        if isinstance(owner, ModuleType):
            value = getattr(owner, name)
            if known.is_ours(owner):
                if name in owner.__dict__:  # somebody may put a function of his own there
                    place = self.guards.name(owner.__dict__)
                    self.guards.same(f"{place}[{name!r}]", value, f"{owner.__name__}.{name}")
                return value
            if owner.__name__.partition(".")[0] in sys.stdlib_module_names or owner is np:
                if value.__class__ in (*known.NUMBERS, str) and name in owner.__dict__:
                    place = self.guards.name(owner.__dict__)
                    return self.see(value, f"{place}[{name!r}]", f"{owner.__name__}.{name}")
                if callable(value) or isinstance(value, ModuleType):
                    return value
                return self.odd(value, f"{owner.__name__}.{name}")  # os.environ, sys.argv
            if found is None:
                return value
            words = f"{owner.__name__}.{name}"
            if name not in owner.__dict__:
                return self.odd(value, words)
            return self.see(value, f"{found[0]}.__dict__[{name!r}]", words)
        if isinstance(owner, type):
            value = getattr(owner, name)
            if found is None or known.is_ours(owner):
                return value
            return self.see(value, f"getattr({found[0]}, {name!r})", f"{owner.__name__}.{name}")
        return self.object_attr(owner, name, found)

    def object_attr(self, owner: Any, name: str, found: tuple[str, str] | None) -> Any:
        """An attribute of any other object."""
        cls = type(owner)
        if isinstance(owner, (self.optimizer, self.scheduler)) and name in ("step", "zero_grad"):
            return Repeated(owner, name)
        in_class = lookup(cls, name)
        state = getattr(owner, "__dict__", None)
        if isinstance(in_class, property):
            self.see_class(cls, name, in_class)
            return self.call(in_class.fget, owner)
        if state is not None and name in state:
            value = getattr(owner, name)
            if found is None:
                return value
            return self.see(value, f"{found[0]}.__dict__[{name!r}]", f"{found[1]}.{name}",
                            given=found[0].startswith(("args", "kw")))  # fmt: skip
        value = getattr(owner, name)
        if in_class is None:
            if known.is_ours(cls):
                return value
            return self.odd(value, f"{cls.__name__}.{name}, which __getattr__ computes,")
        if found is not None and state is not None and not known.is_ours(cls):
            self.guards.add(f"{name!r} not in {found[0]}.__dict__",
                            f"{found[1]} has no {name} of its own")  # fmt: skip
        self.see_class(cls, name, in_class)
        if isinstance(value, MethodType) or callable(value):
            return value
        if found is None:
            return value
        return self.see(value, f"{found[0]}.{name}", f"{found[1]}.{name}")

    def see_class(self, cls: type, name: str, value: Any) -> None:
        """What a class holds under a name, if the class, or a base that has it, is a user's; and
        the `forward` of each class of modules, which people replace."""
        if known.is_ours(cls) and name != "forward":
            return
        if isinstance(value, (MemberDescriptorType, GetSetDescriptorType)):
            return
        if isinstance(value, (classmethod, staticmethod)):
            value = getattr(cls, name)
            if isinstance(value, MethodType):
                self.guards.add(f"{self.guards.name(cls)}.{name}.__func__ is "
                                f"{self.guards.name(value.__func__)}",
                                f"{cls.__name__}.{name} is the same")  # fmt: skip
                return
        self.guards.same(f"{self.guards.name(cls)}.{name}", value, f"{cls.__name__}.{name}")

    def module_attr(self, owner: Any, name: str) -> Any:
        """An attribute of an nn.Module."""
        value = getattr(owner, name)
        found = self.sources.get(id(owner))
        if found is None:
            return value
        place, words = found
        state = owner.__dict__
        if name in state:
            # Set through Module.__setattr__, which counts (what its registries hold is not), or,
            # with modules of one's own, in `__dict__`.
            return self.see(value, f"{place}.__dict__[{name!r}]", f"{words}.{name}",
                            slow=known.is_ours(type(owner)))  # fmt: skip
        for registry in ("_parameters", "_buffers", "_modules"):
            if name in state.get(registry, ()):
                return self.see(value, f"{place}.__dict__[{registry!r}][{name!r}]",
                                f"{words}.{name}")  # fmt: skip
        in_class = lookup(type(owner), name)
        if isinstance(in_class, property):
            self.see_class(type(owner), name, in_class)
            return self.call(in_class.fget, owner)
        if in_class is None:
            return self.odd(value, f"{words}.{name}, which __getattr__ computes,")
        self.guards.add(f"{name!r} not in {place}.__dict__", f"{words} has no {name} of its own",
                        slow=True)  # fmt: skip
        self.see_class(type(owner), name, in_class)
        if isinstance(value, (MethodType, FunctionType)):
            return value
        cls = self.guards.name(type(owner))
        return self.see(value, f"{cls}.{name}", f"{words}.{name}")

    def tensor_attr(self, t: Any, name: str) -> Any:
        """An attribute of a tensor."""
        if name == "_a" and called_by_us():  # its shape is what layers ask for
            return t._a
        if name in UNSEEN:
            return self.odd(getattr(t, name), f"{name} of a tensor")
        if t.__dict__ and name in t.__dict__:
            return self.odd(getattr(t, name), f"the attribute {name} of a tensor")
        value = getattr(t, name)
        if name == "grad":
            self.capture.see_grad(t, value)
        return value

    def item(self, owner: Any, key: Any) -> Any:
        """`owner[key]`."""
        things: Any = owner  # a container of some kind
        if self.why is not None or isinstance(owner, TensorBase) or owner.__class__ in (str, bytes):
            if self.why is None:
                self.whole(key)
            return things[key]
        if isinstance(owner, self.module) or not isinstance(owner, known.CONTAINERS):
            method = getattr(type(owner), "__getitem__", None)
            if isinstance(method, FunctionType):
                return self.call(method, owner, key)
            plain = owner.__class__ in known.PLAIN
            if plain or isinstance(owner, type) or known.is_ours(type(owner)):
                return things[key]
            return self.odd(things[key], f"an entry of a {type(owner).__name__}")
        if isinstance(key, (TensorBase, np.generic, np.ndarray)):
            return self.odd(things[key], "a number taken out of a tensor")
        value = things[key]
        found = self.sources.get(id(owner))
        if found is None or id(owner) in self.wholes:
            return value
        if key.__class__ in (int, str):
            place, words = found
            if isinstance(owner, list) and int(key) < 0:
                n = len(owner)
                self.guards.add(f"len({place}) == {n}", f"{words} has {n} entries")
            return self.see(value, f"{place}[{key!r}]", f"{words}[{key!r}]")
        self.whole(owner)
        return things[key]

    def operand(self, value: Any) -> Any:
        """What an operator is applied to."""
        if self.why is not None or value.__class__ in known.PLAIN or isinstance(value, TensorBase):
            return value
        if isinstance(value, known.CONTAINERS):
            return self.whole(value)
        cls = type(value)
        if isinstance(value, type) or known.is_ours(cls) or cls.__module__ == "builtins" \
                or callable(value):  # fmt: skip
            return value
        if cls.__eq__ is object.__eq__ and not hasattr(cls, "__add__"):
            return value
        return self.odd(value, f"an operator of a {cls.__name__}")

    def truth(self, value: Any) -> Any:
        """What a condition is made of."""
        if self.why is not None or value.__class__ in known.PLAIN or isinstance(value, TensorBase):
            return value
        if isinstance(value, known.CONTAINERS):
            found = self.sources.get(id(value))
            if found is not None and id(value) not in self.wholes:
                self.guards.add(f"bool({found[0]}) is {bool(value)}",
                                f"{found[1]} is {'not ' * bool(value)}empty")  # fmt: skip
            return value
        cls = type(value)
        for name in ("__bool__", "__len__"):
            method = lookup(cls, name)
            if isinstance(method, FunctionType):
                if known.is_ours(method) and not isinstance(value, self.module):
                    return value
                return self.call(method, value) if name == "__bool__" else value
        return value

    def context(self, value: Any) -> Any:
        """What a `with` statement enters."""
        cls = type(value)
        allowed = (known.is_ours(cls) and cls.__name__ in (
            "no_grad", "enable_grad", "set_grad_enabled", "inference_mode", "autocast",
            "record_function",
        )) or (cls.__module__ == "contextlib" and cls.__name__ == "nullcontext")  # fmt: skip
        if not allowed and self.why is None:
            self.unknown(f"a context of type {cls.__name__} is entered")
        return value
