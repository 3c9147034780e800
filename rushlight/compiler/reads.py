"""Reads: what the hooks of instrumented code do. They note what is read, and find what acts.

Each value that comes from outside (an argument, a global, a closure, an attribute of what came from
outside) is *seen*: a number or a text is guarded by its value, an object by its identity, a tensor
becomes an input of the program. What is read from such an object later is seen again, at its place.
Objects that the code makes itself need no guard. The first thing that cannot be known ends the
capture: the run goes on, nothing is kept, and `why` says what it was.

Not here: where hooks stand (`instrument.py`), which calls are known (`known.py`).
"""

from __future__ import annotations

import functools
import itertools
import sys
from collections import OrderedDict
from types import (
    BuiltinFunctionType,
    FunctionType,
    GeneratorType,
    GetSetDescriptorType,
    MemberDescriptorType,
    MethodDescriptorType,
    MethodType,
    MethodWrapperType,
    ModuleType,
    WrapperDescriptorType,
)
from typing import Any

import numpy as np

from ..autograd.node import LEAF, TensorBase
from . import known
from .guards import Guards
from .instrument import HOOKS, NoCopy, global_names, instrumented

BUILTIN_METHODS = (BuiltinFunctionType, MethodWrapperType)
DESCRIPTORS = (MethodDescriptorType, WrapperDescriptorType)


class Unknown(Exception):
    """Something that is not replayed; the text says what, `where` the user's (file, line)."""

    def __init__(self, why: str, where: tuple[str, int] | None = None, stack: Any = ()) -> None:
        super().__init__(why)
        self.where = where
        self.stack = stack  # the user's (code name, file, line), innermost first


class Repeated:
    """A method that a replay calls again, in its place: `optimizer.step`."""

    def __init__(self, owner: Any, name: str) -> None:
        self.owner, self.name = owner, name

    def __repr__(self) -> str:
        return f"{type(self.owner).__name__}.{self.name}"

    def __call__(self, *args: Any, **kw: Any) -> Any:
        return getattr(self.owner, self.name)(*args, **kw)


class Reads:
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

    # -- what cannot be known --------------------------------------------------------------------

    def unknown(self, why: str) -> None:
        """Note the first thing that is not replayed."""
        if self.why is None:
            self.why = Unknown(why, here(), users_stack())

    # -- seeing what comes from outside ----------------------------------------------------------

    def see(self, value: Any, place: str, words: str, slow: bool = False, given: bool = False) -> Any:
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
            elif known_value(value):
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
            return value if looked_into(value) else self.odd(value, "a generator")
        if isinstance(value, (enumerate, zip, reversed, range, type({}.keys()), type({}.values()),
                              type({}.items()), itertools.chain, itertools.islice, map, filter)) \
                or (hasattr(type(value), "__next__") and type(value).__module__ in ("builtins", "itertools")):  # fmt: skip
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

    # -- hooks: reading --------------------------------------------------------------------------

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
            if owner.__name__ in sys.stdlib_module_names or owner is np or found is None:
                return value
            return self.see(value, f"{found[0]}.__dict__[{name!r}]", f"{owner.__name__}.{name}") \
                if name in owner.__dict__ else self.odd(value, f"{owner.__name__}.{name}")  # fmt: skip
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
        """What a class holds under a name, if the class, or a base that has it, is a user's."""
        if known.is_ours(cls) or isinstance(value, (MemberDescriptorType, GetSetDescriptorType)):
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
            # Set through Module.__setattr__, which counts; its registries may be written directly.
            slow = name not in ("_parameters", "_buffers", "_modules")
            return self.see(value, f"{place}.__dict__[{name!r}]", f"{words}.{name}", slow)
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
        if name in ("grad_fn", "_version", "_base", "_x", "_vc", "_v", "_fn", "_a", "__dict__",
                    "retains_grad", "_backward_hooks", "output_nr", "names", "__cuda_array_interface__",
                    "__array_interface__", "is_shared"):  # fmt: skip
            return self.odd(getattr(t, name), f"{name} of a tensor")
        if t.__dict__ and name in t.__dict__:
            return self.odd(getattr(t, name), f"the attribute {name} of a tensor")
        value = getattr(t, name)
        if name == "grad":
            self.capture.see_grad(t, value)
        return value

    def item(self, owner: Any, key: Any) -> Any:
        """`owner[key]`."""
        if self.why is not None or isinstance(owner, TensorBase) or owner.__class__ in (str, bytes):
            if self.why is None:
                self.whole(key)
            return owner[key]
        if isinstance(owner, self.module) or not isinstance(owner, known.CONTAINERS):
            method = getattr(type(owner), "__getitem__", None)
            if isinstance(method, FunctionType):
                return self.call(method, owner, key)
            if isinstance(owner, type) or known.is_ours(type(owner)) or owner.__class__ in known.PLAIN:
                return owner[key]
            return self.odd(owner[key], f"an entry of a {type(owner).__name__}")
        if isinstance(key, (TensorBase, np.generic, np.ndarray)):
            return self.odd(owner[key], "a number taken out of a tensor")
        value = owner[key]
        found = self.sources.get(id(owner))
        if found is None or id(owner) in self.wholes:
            return value
        if key.__class__ in (int, str):
            place, words = found
            if isinstance(owner, list) and key < 0:
                self.guards.add(f"len({place}) == {len(owner)}", f"{words} has {len(owner)} entries")
            return self.see(value, f"{place}[{key!r}]", f"{words}[{key!r}]")
        self.whole(owner)
        return owner[key]

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

    # -- hooks: acting ---------------------------------------------------------------------------

    def caught(self) -> None:
        """An exception was caught."""
        self.unknown("an exception was caught")

    def target(self, owner: Any, name: Any, read: bool = False) -> Any:
        """`owner.name` or `owner[…]` is about to be set, deleted or (`read`) changed."""
        if self.why is not None or (isinstance(owner, TensorBase) and name is None):
            return owner
        if isinstance(owner, TensorBase) or id(owner) in self.sources or isinstance(owner, self.module):
            what = f"an entry of a {type(owner).__name__}" if name is None else \
                f"the attribute {name} of a {type(owner).__name__}"  # fmt: skip
            self.unknown(f"{what} from outside is set")
        elif not isinstance(owner, known.CONTAINERS) and not (
            name is not None and hasattr(owner, "__dict__") and lookup(type(owner), name) is None
        ):
            self.unknown(f"something of a {type(owner).__name__} is set")
        return owner

    def set(self, value: Any, owner: Any, name: str) -> None:
        """`owner.name = value`."""
        if self.why is None and isinstance(owner, TensorBase) and name == "grad" and value is None:
            self.capture.forget_grad(owner)
            owner.grad = None
            return
        self.target(owner, name)
        setattr(owner, name, value)

    def call(self, fn: Any, *args: Any, **kw: Any) -> Any:
        """`fn(*args, **kw)`."""
        if self.why is not None:
            return fn(*args, **kw)
        fn, args, kw = plain_call(fn, args, kw)
        if isinstance(fn, Repeated):
            return self.repeated(fn, args, kw)
        if isinstance(fn, MethodType):
            owner, inner = fn.__self__, fn.__func__
            if isinstance(owner, self.module) and inner is self.module._call_impl:
                return self.call_module(owner, args, kw)  # what `module.compile()` has compiled
            if isinstance(owner, self.module) and inner.__name__ == "zero_grad":
                return self.repeated(Repeated(owner, "zero_grad"), args, kw)
            if isinstance(owner, type) and known.is_ours(inner) and not known.is_ours(owner):
                self.unknown(f"{name_of(fn)} of {owner.__name__} is called")
                return fn(*args, **kw)
            return self.call(inner, owner, *args, **kw)
        if isinstance(fn, FunctionType):
            return self.call_function(fn, args, kw)
        if isinstance(fn, self.module):
            return self.call_module(fn, args, kw)
        if isinstance(fn, type):
            return self.call_type(fn, args, kw)
        if isinstance(fn, (BUILTIN_METHODS, DESCRIPTORS)):
            return self.call_builtin(fn, args, kw)
        if known.is_ours(type(fn)) and hasattr(fn, "core"):  # a record
            return self.seen_call(fn, args, kw)
        method = lookup(type(fn), "__call__")
        if isinstance(method, FunctionType) and not known.is_ours(method):
            return self.call_function(method, (fn, *args), kw)
        inner = getattr(fn, "__wrapped__", None)
        if type(fn).__name__ == "Compiled" and inner is not None:
            return self.call(inner, *args, **kw)
        self.unknown(f"{name_of(fn)} is called")
        return fn(*args, **kw)

    def call_function(self, fn: FunctionType, args: Any, kw: Any) -> Any:
        """A function that was written in Python."""
        if getattr(fn, "_rushlight_disable", False):
            self.unknown(f"{name_of(fn)} is called, which torch.compiler.disable marks")
            return fn(*args, **kw)
        if HOOKS in fn.__code__.co_freevars:  # written inside code that has hooks already
            return fn(*args, **kw)
        if not known.is_looked_into(fn):
            return self.seen_call(fn, args, kw)
        copy = self.copy(fn)
        return fn(*args, **kw) if copy is None else copy(*args, **kw)

    def copy(self, fn: FunctionType) -> FunctionType | None:
        """The instrumented copy of a function, and its globals and closure seen."""
        found = self.copies.get(fn)
        if found is not None:
            return found
        if self.optional_wrapper(fn):
            return None
        try:
            found = self.copies[fn] = instrumented(fn, self)
        except NoCopy as error:
            self.unknown(f"{name_of(fn)} is called: {error}")
            return None
        ours = known.is_ours(fn)
        if not ours:
            self.see_globals(fn)
        for name, cell in zip(fn.__code__.co_freevars, fn.__closure__ or (), strict=True):
            if name != "__class__":
                try:
                    value = cell.cell_contents
                except ValueError:
                    self.unknown(f"{name} of {name_of(fn)} is not set")
                    continue
                place = self.guards.name(cell)
                self.see(value, f"{place}.cell_contents", name)
        if not ours:
            self.see_defaults(fn)
        return found

    def optional_wrapper(self, fn: FunctionType) -> bool:
        """Decorators of grad modes run as they are: their function is called with hooks."""
        return False

    def see_globals(self, fn: FunctionType) -> None:
        """The globals that a function mentions."""
        space = fn.__globals__
        for name in global_names(fn.__code__):
            if name in space:
                place = self.guards.name(space)
                self.see(space[name], f"{place}[{name!r}]", name)
            else:
                # A built-in name: somebody may define a global of it later.
                self.guards.add(f"{name!r} not in {self.guards.name(space)}",
                                f"{name} is no global")  # fmt: skip
                value = getattr(__import__("builtins"), name, None)
                if value is not None and not callable(value):
                    self.see(value, repr(value), name)

    def see_defaults(self, fn: FunctionType) -> None:
        """The values of arguments that are not given."""
        name = self.guards.name(fn)
        if fn.__defaults__:
            self.guards.same(f"{name}.__defaults__", fn.__defaults__, f"defaults of {fn.__name__}")
            for k, v in enumerate(fn.__defaults__):
                self.see_default(v, f"{name}.__defaults__[{k}]")
        else:
            self.guards.add(f"not {name}.__defaults__", f"{fn.__name__} has no defaults")
        for k, v in (fn.__kwdefaults__ or {}).items():
            self.see_default(v, f"{name}.__kwdefaults__[{k!r}]")
        self.guards.same(f"{name}.__code__", fn.__code__, f"the code of {fn.__name__}")

    def see_default(self, value: Any, place: str) -> None:
        self.see(value, place, "a default argument")

    def seen_call(self, fn: Any, args: Any, kw: Any) -> Any:
        """A function of this package, whose computations pass the door."""
        name = getattr(fn, "__name__", "") or getattr(fn, "name", "")
        if name in known.UNKNOWN or name.startswith("set_") or not known.is_seen(fn):
            self.unknown(f"{name_of(fn)} is called")
            return fn(*args, **kw)
        for a in (*args, *kw.values()):
            if isinstance(a, (known.CONTAINERS, np.ndarray, np.generic)):
                self.whole(a)
            elif isinstance(a, FunctionType) and HOOKS not in a.__code__.co_freevars \
                    and not known.is_ours(a):  # fmt: skip
                self.unknown(f"{name_of(fn)} is given a function")
            elif isinstance(a, self.module):
                self.unknown(f"{name_of(fn)} is given a module")
        result = fn(*args, **kw)
        if self.why is None:
            if known.is_number_type(result) and name not in known.METADATA:
                self.unknown(f"{name_of(fn)} takes a number out of a tensor")
            self.capture.made(result)
        return result

    def repeated(self, fn: Repeated, args: Any, kw: Any) -> Any:
        """A method of an optimizer or of its scheduler: called again by each replay."""
        plain = all(a is None or a.__class__ in known.NUMBERS for a in (*args, *kw.values()))
        cls = type(fn.owner)
        if plain and id(fn.owner) in self.sources and (
            known.is_ours(cls) or (fn.name == "zero_grad" and known.is_ours(getattr(cls, fn.name)))
        ):
            return self.capture.repeat(fn, args, kw)
        self.unknown(f"{cls.__name__}.{fn.name} is called")
        return fn(*args, **kw)

    def call_module(self, module: Any, args: Any, kw: Any) -> Any:
        """A module: its `forward`, where it has no hooks."""
        found = self.sources.get(id(module))
        cls = type(module)
        from ..nn.module import Module

        if cls.__call__ is not Module.__call__:
            return self.call_function(cls.__call__, (module, *args), kw)
        state = module.__dict__
        if has_hooks(module):
            self.unknown(f"the {cls.__name__} has hooks")
            return module(*args, **kw)
        if found is not None:
            self.capture.modules.append(module)
            self.guards.add(f"{found[0]}.__class__ is {self.guards.name(cls)}",
                            f"{found[1]} is a {cls.__name__}", slow=True)  # fmt: skip
        forward = self.module_attr(module, "forward")
        return self.call(forward, *args, **kw)

    def call_type(self, cls: type, args: Any, kw: Any) -> Any:
        """A class: something is made."""
        if cls in known.PURE:
            return self.call_pure(cls, args, kw)
        if issubclass(cls, BaseException) or cls is super or (known.is_ours(cls) and not issubclass(
            cls, (self.module, self.optimizer, self.scheduler)
        )):
            made = cls(*args, **kw)
            if isinstance(made, TensorBase):
                self.unknown(f"a {cls.__name__} is made")
            return made
        made_by = lookup(cls, "__init__")
        generated = getattr(cls, "__dataclass_fields__", None) is not None and (
            getattr(made_by, "__code__", None) is not None
            and made_by.__code__.co_filename == "<string>"
        ) and lookup(cls, "__post_init__") is None  # fmt: skip
        if generated or (issubclass(cls, tuple) and hasattr(cls, "_fields")):
            return cls(*args, **kw)
        self.unknown(f"a {cls.__name__} is made")
        return cls(*args, **kw)

    def call_builtin(self, fn: Any, args: Any, kw: Any) -> Any:
        """A function that was not written in Python."""
        owner = getattr(fn, "__self__", None)
        name = fn.__name__
        if fn is getattr and len(args) >= 2 and args[1].__class__ is str:
            return self.get_attr(*args)
        if fn is hasattr and args[1].__class__ is str:
            return self.has_attr(*args)
        if fn in known.PURE or (getattr(fn, "__module__", None) in known.PURE_MODULES):
            return self.call_pure(fn, args, kw)
        if owner is None or isinstance(owner, ModuleType):
            if fn is id and called_by_us():  # to see what was met before
                return fn(*args, **kw)
            self.unknown(f"{name_of(fn)} is called")
            return fn(*args, **kw)
        if isinstance(owner, (str, bytes, *known.NUMBERS)):
            return fn(*args, **kw)
        if isinstance(owner, known.CONTAINERS):
            outside = id(owner) in self.sources
            if outside and name not in known.READING:
                self.unknown(f"{name_of(fn)} changes a {type(owner).__name__} from outside")
            elif outside and name == "get" and args[0].__class__ in (str, int):
                place, words = self.sources[id(owner)]
                if args[0] in owner:
                    return self.item(owner, args[0])
                self.guards.add(f"{args[0]!r} not in {place}", f"{words} has no {args[0]!r}")
            elif outside:
                self.whole(owner)
            return fn(*args, **kw)
        if isinstance(owner, type) and (known.is_ours(owner) or owner in known.PURE):
            return fn(*args, **kw)
        if isinstance(owner, (GeneratorType, TensorBase)):
            return fn(*args, **kw)
        if isinstance(owner, self.module) and name in ("__init__", "__setattr__"):
            self.unknown(f"{name_of(fn)} is called")
            return fn(*args, **kw)
        if isinstance(owner, tuple):
            return fn(*args, **kw)
        self.unknown(f"{name_of(fn)} of a {type(owner).__name__} is called")
        return fn(*args, **kw)

    def call_pure(self, fn: Any, args: Any, kw: Any) -> Any:
        """A function that reads no more than what it is given."""
        given = []
        for a in (*args, *kw.values()):
            if isinstance(a, TensorBase) and fn not in (len, isinstance, type, callable, list, tuple,
                                                        iter, enumerate, zip, reversed, sum):  # fmt: skip
                self.capture.may_take()
            if isinstance(a, FunctionType) and fn in (sorted, min, max) \
                    and HOOKS not in a.__code__.co_freevars:  # fmt: skip
                self.unknown(f"{name_of(fn)} is given a function")
        if fn in (isinstance, issubclass, type, callable, len):
            if fn is len and args and id(args[0]) in self.sources:
                owner = args[0]
                place, words = self.sources[id(owner)]
                if isinstance(owner, known.CONTAINERS):
                    self.guards.add(f"len({place}) == {len(owner)}",
                                    f"{words} has {len(owner)} entries")  # fmt: skip
                elif isinstance(owner, self.module):
                    return self.call(type(owner).__len__, owner)
            return fn(*args, **kw)
        for a in args:
            seen = self.whole(a) if not isinstance(a, TensorBase) else a
            if not (isinstance(seen, GeneratorType) or seen is a) or isinstance(a, self.module):
                a = seen
            given.append(a)
        return fn(*given, **kw)

    def get_attr(self, owner: Any, name: str, *default: Any) -> Any:
        """`getattr(owner, name[, default])`."""
        if default and not self.has_attr(owner, name):
            return default[0]
        return self.attr(owner, name)

    def has_attr(self, owner: Any, name: str) -> bool:
        """`hasattr(owner, name)`."""
        found = hasattr(owner, name)
        if id(owner) in self.sources:
            place, words = self.sources[id(owner)]
            self.guards.add(f"hasattr({place}, {name!r}) is {found}",
                            f"{words} has {'' if found else 'no '}{name}")  # fmt: skip
        return found


# -- what things are -------------------------------------------------------------------------------


def lookup(cls: type, name: str) -> Any:
    """What a class and its bases hold under a name, unbound."""
    for base in cls.__mro__:
        if name in base.__dict__:
            return base.__dict__[name]
    return None


def plain_call(fn: Any, args: Any, kw: Any) -> tuple[Any, Any, Any]:
    """A call without `functools.partial`."""
    while isinstance(fn, functools.partial):
        args, kw = (*fn.args, *args), {**fn.keywords, **kw}
        fn = fn.func
    return fn, args, kw


def has_hooks(module: Any) -> bool:
    """Whether hooks run when a module is called."""
    from ..nn import _hooks

    state = module.__dict__
    return bool(
        module._forward_hooks or state["_forward_pre_hooks"] or state["_backward_hooks"]
        or state["_backward_pre_hooks"] or _hooks._global_forward_pre_hooks
        or _hooks._global_forward_hooks or _hooks._global_backward_hooks
        or _hooks._global_backward_pre_hooks
    )  # fmt: skip


def is_lasting(value: Any, reads: Reads) -> bool:
    """Whether an argument is an object that programs keep: it is known by its identity."""
    return isinstance(value, (reads.module, reads.optimizer, reads.scheduler, type, FunctionType,
                              MethodType, ModuleType, BuiltinFunctionType))  # fmt: skip


def known_value(value: Any) -> bool:
    """Whether an argument is a value of this package that is compared as a number is."""
    return known.is_ours(type(value)) and type(value).__name__ in ("dtype", "Device", "device",
                                                                   "memory_format", "layout")  # fmt: skip


def looked_into(generator: GeneratorType[Any, Any, Any]) -> bool:
    """Whether the code of a generator has hooks, or is this package's."""
    code = generator.gi_code
    if HOOKS in code.co_freevars:
        return True
    frame = generator.gi_frame
    name = "" if frame is None else frame.f_globals.get("__name__", "")
    return name == "rushlight" or name.startswith("rushlight.")


def name_of(fn: Any) -> str:
    """A function as people know it."""
    if isinstance(fn, MethodType):
        return f"{type(fn.__self__).__name__}.{fn.__name__}"
    owner = getattr(fn, "__self__", None)
    name = getattr(fn, "__qualname__", None) or getattr(fn, "__name__", None) or type(fn).__name__
    if owner is not None and not isinstance(owner, ModuleType):
        return str(name)
    module = getattr(fn, "__module__", None)
    return str(name) if module in (None, "builtins", "__main__") else f"{module}.{name}"


def users_stack() -> list[tuple[str, str, int]]:
    """(name, file, line) of the user's functions that run now, innermost first."""
    found = []
    frame: Any = sys._getframe(1)
    while frame is not None:
        name = frame.f_globals.get("__name__", "")
        if not (name == "rushlight" or name.startswith("rushlight.")):
            found.append((frame.f_code.co_name, frame.f_code.co_filename, frame.f_lineno))
        frame = frame.f_back
    return found


def called_by_us() -> bool:
    """Whether the code that called a hook belongs to this package."""
    frame: Any = sys._getframe(1)
    while frame.f_globals is globals():
        frame = frame.f_back
    name = frame.f_globals.get("__name__", "")
    return bool(name == "rushlight" or name.startswith("rushlight."))


def here() -> tuple[str, int] | None:
    """The user's (file, line) that runs now."""
    frame: Any = sys._getframe(1)
    while frame is not None:
        name = frame.f_globals.get("__name__", "")
        if not (name == "rushlight" or name.startswith("rushlight.")):
            return frame.f_code.co_filename, frame.f_lineno
        frame = frame.f_back
    return None
