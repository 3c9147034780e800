"""The hooks of instrumented code that act: calls, and changes of what comes from outside.

A call is one of four: of a user's function, which runs as an instrumented copy; of a function that
computes, which the door sees; of one that a replay makes again, such as `optimizer.step()`; or
unknown, and then nothing is replayed. Which is which: `known.py`.
"""

from __future__ import annotations

from types import (
    BuiltinFunctionType,
    FunctionType,
    GeneratorType,
    MethodDescriptorType,
    MethodType,
    MethodWrapperType,
    ModuleType,
    WrapperDescriptorType,
)
from typing import Any

import numpy as np

from ..autograd.node import TensorBase
from . import known
from .frames import called_by_us
from .instrument import HOOKS, NoCopy, global_names, instrumented
from .known import has_hooks, lookup, name_of, plain_call
from .reading import Reading, Repeated

BUILTIN_METHODS = (BuiltinFunctionType, MethodWrapperType)
DESCRIPTORS = (MethodDescriptorType, WrapperDescriptorType)


class Hooks(Reading):
    """All hooks."""

    def caught(self) -> None:
        """An exception was caught."""
        self.unknown("an exception was caught")

    def target(self, owner: Any, name: Any) -> Any:
        """`owner.name` or `owner[…]` is about to be set, deleted or changed."""
        tensor = isinstance(owner, TensorBase)
        if self.why is not None or (tensor and name is None):
            return owner
        if tensor or id(owner) in self.sources or isinstance(owner, self.module):
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
            owner.grad = None  # type: ignore[attr-defined]
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
        method: Any = lookup(type(fn), "__call__")
        if isinstance(method, FunctionType) and not known.is_ours(method):
            return self.call_function(method, (fn, *args), kw)
        wrapped = getattr(fn, "__wrapped__", None)
        if type(fn).__name__ == "Compiled" and wrapped is not None:
            if id(fn) in self.sources:  # what it wraps is from outside, too
                place, words = self.sources[id(fn)]
                self.see(wrapped, f"{place}.__wrapped__", words)
            return self.call(wrapped, *args, **kw)
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
            for place, v in enumerate(fn.__defaults__):
                self.see_default(v, f"{name}.__defaults__[{place}]")
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
            given = (getattr(fn, "__self__", None), *args, *kw.values())
            self.capture.made(name_of(fn), result, given)
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
            return self.call(lookup(cls, "__call__"), module, *args, **kw)
        self.guards.same(f"{self.guards.name(cls)}.__call__", Module.__call__,
                         f"{cls.__name__}.__call__")  # fmt: skip
        if has_hooks(module):
            self.unknown(f"the {cls.__name__} has hooks")
            return module(*args, **kw)
        if found is not None:
            self.capture.modules.append(module)
            self.guards.add(f"{found[0]}.__class__ is {self.guards.name(cls)}",
                            f"{found[1]} is a {cls.__name__}", slow=True)  # fmt: skip
            captured = getattr(cls, "_captured", None)
            if captured is not None:  # a module around another one
                return captured(module, self, args, kw)
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
                    return self.call(lookup(type(owner), "__len__"), owner)
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
