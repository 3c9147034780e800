"""Modes: objects that take over all calls of a block, asked before any class of an operand is.

`TorchFunctionMode` sees public functions as they are called; `TorchDispatchMode` sees operations at
the door, below composites, as operators of `torch.ops.aten`. While a mode of the first kind is
active no call takes a short way: the sets of classes that do are empty, functions that look at no
operand (factories) have other code, and plain methods are swapped, so calls outside of such blocks
pay nothing.

Both belong to the thread that entered them. Not here: classes that take over calls of their own
instances (`overrides.py`). Attributes such as `x.shape` ask no mode.
"""

from __future__ import annotations

import functools
import sys
from collections.abc import Callable, Iterator
from contextlib import ExitStack
from types import CodeType, FunctionType
from typing import Any

from ...autograd import door, watch
from ...blocks import contextmanager
from . import overrides
from .composite import composites, is_factory
from .record import registry

__all__ = ["TorchDispatchMode", "TorchFunctionMode"]


class TorchFunctionMode:
    """Takes over public functions in a block.

    Subclasses write `__torch_function__(self, func, types, args=(), kwargs=None)`, which calls
    `func(*args, **(kwargs or {}))` where the call is to go on. Modes may be entered within each
    other: the innermost is asked first, and is not asked about what it calls itself.
    """

    inner: TorchFunctionMode

    def __torch_function__(
        self, func: Any, types: Any, args: Any = (), kwargs: Any = None
    ) -> Any:  # pragma: no cover
        raise NotImplementedError

    def __enter__(self) -> Any:
        enter(self)
        return self

    def __exit__(self, *error: Any) -> None:
        mode = overrides.state.entries[-1].mode
        try:
            leave(mode)
        except BaseException:
            leave(mode)
            raise

    @classmethod
    def push(cls, *args: Any, **kw: Any) -> Any:
        """The older spelling of `cls()`."""
        return cls(*args, **kw)


class Entry:
    """A mode as it was entered once."""

    __slots__ = ("inside", "mode")

    def __init__(self, mode: Any) -> None:
        self.mode, self.inside = mode, False


def enter(mode: Any, at: int | None = None) -> None:
    """Let a mode take over from now on: the innermost, or with `at` others above it."""
    entry = Entry(mode)
    try:
        overrides.modes.come(entry)
        watch.general.come(entry)
        stack = overrides.state.stack
        at = len(stack) if at is None else at
        stack = (*stack[:at], mode, *stack[at:])
        overrides.state.entries = (*overrides.state.entries, entry)
        overrides.state.stack = stack
        entry.inside = True
    except BaseException:
        overrides.modes.go(entry)
        watch.general.go(entry)
        raise


def leave(mode: Any) -> None:
    """Send a mode away. Where this is interrupted it is called again."""
    entries, stack = overrides.state.entries, overrides.state.stack
    entry = next((e for e in reversed(entries) if e.mode is mode), None)
    if entry is None:
        return
    if entry.inside:
        at = max((i for i, m in enumerate(stack) if m is mode), default=len(stack))
        overrides.state.stack = (*stack[:at], *stack[at + 1 :])
        entry.inside = False
    overrides.modes.go(entry)
    watch.general.go(entry)
    left = tuple([e for e in entries if e is not entry])
    overrides.state.entries = left  # the last: no interrupt comes after it


swapped: dict[tuple[Any, str], Any] = {}  # (where, name): what stood there


def swap_factories(on: bool) -> None:
    """Let what asks nobody ask modes, or no longer: `torch.empty` and its like, which look at no
    operand, and the plain methods of Tensor."""
    if on and not askers:  # methods may have been changed since they were found
        known = {id(made.fn) for made in factories}
        found = [(fn, method) for fn, method in find_factories() if id(fn) not in known]
        factories.extend(Factory(fn, method) for fn, method in found)
    for made in factories:
        made.fn.__code__ = made.asks if on else made.plain
    if not on:
        for (where, name), fn in swapped.items():
            setattr(where, name, fn)
        swapped.clear()
        return
    if not askers:
        askers[:] = [*find_askers()]
    for where, name, fn in askers:
        if (where, name) not in swapped:
            swapped[where, name] = vars(where)[name]
        setattr(where, name, fn)


overrides.modes.fits.insert(0, swap_factories)


class Factory:
    """A function that looks at no operand, with the code that asks modes.

    The function stays the object that it is: modes compare what they are told of with `torch.empty`
    or look it up in a table that was made before, and the library's own calls (those of a layer
    that makes its parameters) are told as well.
    """

    def __init__(self, fn: Any, method: str | None = None) -> None:
        self.fn = fn
        self.plain: CodeType = fn.__code__
        parts = (fn.__code__, fn.__globals__, fn.__name__, fn.__defaults__, fn.__closure__)
        usual = FunctionType(*parts)
        usual.__kwdefaults__ = fn.__kwdefaults__

        def ask(args: Any, kw: Any) -> Any:
            if overrides.state.stack and not overrides.state.disabled:
                # (a method may be held that Tensor has another one for, now that classes compute)
                told = fn if method is None else getattr(door.Tensor, method)
                return overrides.dispatch(told, args, kw, ())
            return usual(*args, **kw)

        # What `asker` calls is a constant of its code, since code has no variables of its own;
        # those that it must declare to fit the function are never read.
        code = asker.__code__
        consts = tuple(ask if value == ASK else value for value in code.co_consts)
        self.asks = code.replace(
            co_consts=consts, co_freevars=self.plain.co_freevars, co_name=self.plain.co_name
        )


ASK = "ask"


def asker(*args: Any, **kw: Any) -> Any:
    """The code of every factory while there is a mode."""
    return "ask".__call__(args, kw)  # type: ignore[operator]


# Found when the first mode is entered; what programs may hold stays, if Tensor has another one now.
factories: list[Factory] = []


def find_factories() -> Iterator[tuple[Any, str | None]]:
    """The public functions that ask nobody, and the names of those that are methods of Tensor."""
    torch: Any = sys.modules[__name__.partition(".")[0]]
    for c in composites.values():
        plain = c.fn.__class__ is FunctionType and not hasattr(c.fn, "published")
        if plain and "torch" in c.public and getattr(torch, c.name, None) is c.fn:
            yield c.fn, None
    for name, fn in vars(torch.Tensor).items():  # factories of the type and device of a tensor
        if name.startswith("new_") and isinstance(fn, FunctionType):
            yield fn, name


# (where, name, what asks modes there), found when the first mode is entered
askers: list[tuple[Any, str, Any]] = []


def find_askers() -> Iterator[tuple[Any, str, Any]]:
    """What is to ask modes, in the place of what asks nobody."""
    torch: Any = sys.modules[__name__.partition(".")[0]]
    for c in composites.values():
        if "torch" in c.public and not hasattr(c.fn, "published"):
            for name in c.publication.names(c.name):
                if getattr(torch, name, None) is c.fn and c.fn.__class__ is not FunctionType:
                    yield torch, name, asking(c.fn)
    for name, fn in list(vars(torch.Tensor).items()):
        if name in OPERATORS:  # `x += 1` is told as `x.add_(1)`
            yield torch.Tensor, name, asking(fn, getattr(torch.Tensor, OPERATORS[name] + "_"))
        elif isinstance(fn, FunctionType) and asks_nobody(name, fn):
            yield torch.Tensor, name, asking(fn)


def methods() -> dict[str, Any]:
    """The attributes of Tensor as they are without modes."""
    torch: Any = sys.modules[__name__.partition(".")[0]]
    return {n: swapped.get((torch.Tensor, n), fn) for n, fn in vars(torch.Tensor).items()}


def methods_key() -> Any:
    """Another object for other `methods`: whoever swaps some for a while (observers, the compiler)
    or for good (the first class with `__torch_dispatch__`) swaps this one too."""
    torch: Any = sys.modules[__name__.partition(".")[0]]
    return swapped.get((torch.Tensor, "item"), vars(torch.Tensor)["item"])


@contextmanager
def swapping_methods() -> Iterator[None]:
    """A block that changes Tensor's methods for good, which active modes may have swapped."""
    try:
        if overrides.modes.there or swapped:
            swap_factories(False)
        askers.clear()
        yield
    finally:
        try:
            askers.clear()
            if overrides.modes.there:
                overrides.modes.again()
        except BaseException:
            overrides.modes.again()
            raise


def asks_nobody(name: str, fn: Any) -> bool:
    """Whether a method of Tensor is a plain function: no operation, no composite."""
    if name in ASKED:
        return True
    if name.startswith("new_"):
        return False  # a factory
    return name[0] != "_" and not hasattr(fn, "published") and not hasattr(fn, "op")


ASKED = {"__len__", "__repr__", "__contains__", "__deepcopy__"}
ASKED |= {"__bool__", "__int__", "__float__", "__complex__", "__index__"}
OPERATORS = {
    f"__i{op.publication.operator}__": op.name.removesuffix("_plain")
    for op in registry.values()
    if op.publication.operator and op.inplace
}


def asking(fn: Any, told: Any = None) -> Callable[..., Any]:
    """A function that looks at no operand, but asks modes, who are told of it or of `told`."""

    @functools.wraps(fn)
    def public(*args: Any, **kw: Any) -> Any:
        if overrides.state.stack:
            return overrides.dispatch(told or fn, args, kw, ())
        return fn(*args, **kw)

    return public


class TorchDispatchMode:
    """Takes over operations in a block, below composites.

    Subclasses write `__torch_dispatch__(self, func, types, args=(), kwargs=None)`; `func` is an
    operator such as `torch.ops.aten.add.Tensor`. It stands below the tape (and autocast, forward
    mode, vmap), as PyTorch's: nothing is recorded of what it does, and what it gives becomes the
    result of the call, with the node of a plain one. Backward runs on Tensors while a mode stands,
    so it is told of that, too.
    """

    _standing: tuple[Any, ...] = ()
    _below: tuple[Below, ...] = ()
    _watching: tuple[Any, ...] = ()

    def __torch_dispatch__(
        self, func: Any, types: Any, args: Any = (), kwargs: Any = None
    ) -> Any:  # pragma: no cover
        raise NotImplementedError

    def _stand(self, next_apply: Any, op: Any, inputs: tuple[Any, ...], kw: dict[str, Any]) -> Any:
        with self._aside():
            return dispatch().above(op, inputs, kw, self._carry_out)

    def _carry_out(self, func: Any, args: Any, kw: dict[str, Any]) -> Any:
        below = dispatch()
        with below.telling(func):
            got = self.__torch_dispatch__(func, below.types_of((*args, kw)), args, kw)
        return below.ask(func, args, kw) if got is NotImplemented else got

    @contextmanager
    def _aside(self) -> Iterator[None]:
        """A block in which this mode is asked nothing: what it does when it is asked."""
        stack, watchers = overrides.state.stack, door.state.watchers
        others = tuple(m for m in stack if m not in self._below)
        door.state.watchers = tuple(w for w in watchers if w not in self._standing)
        overrides.state.stack = others
        try:
            yield
        finally:
            overrides.state.stack, door.state.watchers = stack, watchers

    def __enter__(self) -> Any:
        global dispatch_stack
        stand, below = self._stand, self.below(self)
        dispatch().install()
        stands = sum(hasattr(w, "below_the_tape") for w in door.state.watchers)
        # Whoever watches otherwise stands above, whichever came first.
        watching = watch.watching(stand, stands)
        stood, others, watched = self._standing, self._below, self._watching
        try:
            watching.__enter__()
            # Modes of functions are asked before any mode at the door, whichever came first.
            enter(below, sum(isinstance(m, Below) for m in overrides.state.stack))
            dispatch_stack += [self]  # from here on nothing is called
            self._standing, self._below = (*stood, stand), (*others, below)
            self._watching = (*watched, watching)
        except BaseException:
            leave(below)
            watching.leave()
            raise
        return self

    def __exit__(self, *error: Any) -> None:
        below, watching = self._below[-1], self._watching[-1]
        try:
            self._left(below, watching)
        except BaseException:
            self._left(below, watching)
            raise

    def _left(self, below: Below, watching: Any) -> None:
        """What `__exit__` does; where this is interrupted it is called again."""
        if self._below and self._below[-1] is below:
            at = max(i for i, mode in enumerate(dispatch_stack) if mode is self)
            del dispatch_stack[at]
            self._standing, self._below = self._standing[:-1], self._below[:-1]
            self._watching = self._watching[:-1]
        watching.leave()
        leave(below)

    @classmethod
    def push(cls, *args: Any, **kw: Any) -> Any:
        """The older spelling of `cls()`."""
        return cls(*args, **kw)

    @classmethod
    def is_infra_mode(cls) -> bool:
        """False: none of ours belongs to a compiler."""
        return False

    below: Any  # what tells it of what does not pass the door


vars(TorchDispatchMode)["_stand"].below_the_tape = True


def standing() -> list[TorchDispatchMode]:
    """The modes that are to be asked just now, innermost first."""
    watchers = door.state.watchers
    return [
        m for m in reversed(dispatch_stack) if any(w in watchers for w in m._standing)
    ]


class Below:
    """Tells a mode at the door of what does not pass there: making tensors, changes in place.

    It stands among the modes of functions, below all of these, and lets other functions pass.
    """

    def __init__(self, mode: TorchDispatchMode) -> None:
        self.mode = mode

    def __torch_function__(self, func: Any, types: Any, args: Any = (), kwargs: Any = None) -> Any:
        name = getattr(func, "__name__", "")
        changes = name.endswith("_") and name[:1] != "_" and name not in QUIET
        below = dispatch()
        if changes and door.state.enabled and below.tracked(below.leaves(args)):
            return onward(func, args, kwargs or {})  # its operations are told, below the tape
        if changes or is_factory(func):
            with self.mode._aside():
                found = getattr(getattr(operators().namespace("aten"), name), overload(name, args))
                return self.mode.__torch_dispatch__(found, types, args, kwargs or {})
        return onward(func, args, kwargs or {})


def onward(func: Any, args: Any, kw: dict[str, Any]) -> Any:
    """A function that a mode lets pass: the modes around it are asked next, also of those that ask
    nobody themselves."""
    if overrides.state.stack and not hasattr(func, "published"):
        return overrides.dispatch(func, args, kw, ())
    return func(*args, **kw)


TorchDispatchMode.below = Below


# No values are computed.
QUIET = ("requires_grad_", "detach_", "share_memory_", "resize_", "rename_")


def overload(name: str, args: tuple[Any, ...]) -> str:
    """Which of PyTorch's overloads a change in place is, as far as the operands tell."""
    if name.startswith("masked_fill") or name == "fill_":
        return "Tensor" if isinstance(args[-1], door.TensorBase) else "Scalar"
    op = registry.get(name.rstrip("_"))
    return "default" if op is None or len(args) != 2 else operators().overload(op, args)


def function_modes() -> tuple[Any, ...]:
    """The modes of functions of this thread, innermost last."""
    return tuple(m for m in overrides.state.stack if not isinstance(m, Below))


def dispatch() -> Any:
    """The module that asks classes, which knows this one."""
    from . import dispatch

    return dispatch


def operators() -> Any:
    """The module of `torch.ops`, which knows all below it."""
    from importlib import import_module

    return import_module(f"{__name__.partition('.')[0]}._ops")


dispatch_stack: list[TorchDispatchMode] = []


@contextmanager
def without_modes() -> Iterator[None]:
    """A block in which no mode of functions is asked: `torch._C.DisableTorchFunction`."""
    before = overrides.state.stack
    overrides.state.stack = tuple(m for m in before if isinstance(m, Below))
    try:
        yield
    finally:
        overrides.state.stack = before


@contextmanager
def without_any() -> Iterator[None]:
    """A block in which no mode of either kind is asked."""
    with ExitStack() as stack:
        stack.enter_context(without_modes())
        for mode in dispatch_stack:
            stack.enter_context(mode._aside())
        yield
