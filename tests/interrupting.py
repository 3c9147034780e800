"""Ctrl-C at a chosen instruction of the package, and the state that calls change while they run.

`interrupt_at(n, program)` lets a SIGINT come at the n-th instruction that Python executes in the
package (and in `contextlib`, on which some of its blocks stand). What happens then is Python's own:
it looks for signals where a function begins, after a call of something that is written in C and
where a loop goes back, and raises KeyboardInterrupt there. Whoever raises in a trace function
instead interrupts between a call and what keeps its result, where no signal ever comes.

One place is left out: where an `__exit__` begins. An interrupt that comes there leaves a block
without its end, of which no class written in Python can know (PyTorch's have the same), so it is
raised one place later.
"""

from __future__ import annotations

import contextlib
import ctypes
import dis
import functools
import signal
import sys
import threading
from collections.abc import Callable, Iterator
from pathlib import Path
from types import CodeType, FrameType, FunctionType, ModuleType
from typing import Any

import rushlight as torch

PACKAGE = str(Path(torch.__file__).parent)
TRACED = (PACKAGE, contextlib.__file__)
Lock = (type(threading.Lock()), type(threading.RLock()))
MUTABLE = (threading.local, *Lock, list, set)


class _InC:
    """`self[x]` calls a function that is written in C without an instruction CALL, after which
    Python would look for signals at once, here and not in the program."""


_signal_now, _stop_tracing = type("Signal", (_InC,), {})(), type("Stop", (_InC,), {})()
_prototype = ctypes.PYFUNCTYPE(None, ctypes.py_object)
type(_signal_now).__getitem__ = _prototype(("PyErr_SetInterrupt", ctypes.pythonapi))  # type: ignore[attr-defined]
type(_stop_tracing).__getitem__ = sys.settrace  # type: ignore[attr-defined]


@functools.cache
def begin(code: CodeType) -> int:
    """Where the first look for signals of a function is."""
    return next((i.offset for i in dis.get_instructions(code) if i.opname == "RESUME"), 0)


@functools.cache
def traced(code: CodeType) -> bool:
    return code.co_filename.startswith(TRACED)


def handler(number: int, frame: FrameType | None) -> None:
    code = None if frame is None else frame.f_code
    if code is not None and code.co_name == "__exit__" and frame.f_lasti <= begin(code) + 2:  # type: ignore[union-attr]
        _signal_now[None]  # type: ignore[index]
        return
    raise KeyboardInterrupt


def interrupt_at(at: int, program: Callable[[], Any]) -> tuple[int, BaseException | None]:
    """Run a program with an interrupt at one instruction (-1: with none); gives how many
    instructions were counted, and the KeyboardInterrupt."""
    seen = 0

    def trace(frame: Any, event: str, _: Any) -> Any:
        nonlocal seen
        if not traced(frame.f_code):
            return None
        if event == "call":
            frame.f_trace_opcodes = True
            frame.f_trace_lines = False
        elif event == "opcode":
            seen += 1
            if seen == at:
                _stop_tracing[None]  # type: ignore[index]
                _signal_now[None]  # type: ignore[index]
                return None
        return trace

    before, own = sys.gettrace(), signal.signal(signal.SIGINT, handler)
    caught: BaseException | None = None
    try:
        sys.settrace(trace)
        program()
        sys.gettrace()  # a call after the last one, for an interrupt that nobody has met yet
    except KeyboardInterrupt as error:
        caught = error
    finally:
        sys.settrace(before)
        signal.signal(signal.SIGINT, own)
    return seen, caught


def place(error: BaseException) -> str:
    """Where an interrupt was raised: the innermost line, and that of the package above it."""
    frames = []
    tb = error.__traceback__
    while tb is not None:
        frames.append((tb.tb_frame.f_code, tb.tb_lineno))
        tb = tb.tb_next
    if len(frames) > 1 and frames[-1][0] is handler.__code__:
        frames.pop()
    inside = [f for f in frames if f[0].co_filename.startswith(PACKAGE)][-1:]
    shown = inside if inside == frames[-1:] else [*inside, frames[-1]]
    return " > ".join(
        f"{c.co_filename.removeprefix(PACKAGE)}:{line} {c.co_name}" for c, line in shown
    )


# -- what calls may not leave behind -------------------------------------------------------------

SCALARS = (int, float, bool, str, type(None))
# Numbers for names, and what is made once and kept.
GROWS = {
    ("rushlight.autograd.node", "_graphs"), ("rushlight.autograd.lines", "_held"),
    ("rushlight.fx.graph_module", "_compiled"),
    ("rushlight.kernels.random.mersenne_twister", "_waited"),
    ("rushlight.kernels.runtime.few", "_waited"),
    ("rushlight.kernels.runtime.builtin", "_definitions"),
    ("rushlight.kernels.runtime.jit", "_links"),
    ("rushlight.kernels.runtime", "_available"), ("rushlight.kernels.tuned", "_choice"),
    ("rushlight.kernels.runtime.memory", "_allocator"),
    ("rushlight.autograd.methods", "_places"), ("rushlight.autograd.specialize", "_spaces"),
}  # fmt: skip


class Names:
    """The names of a module and what they stood for, in a form that is compared at once: this is
    done at a thousand places, and the package has 20,000 names."""

    def __init__(self, module: str, names: dict[str, Any]) -> None:
        self.names = dict(names)  # holds what the numbers stand for
        self.ids = tuple(map(id, self.names.values()))
        kept = _kinds.get(module)
        if kept is None or kept[0] != self.ids:
            kept = _kinds[module] = (self.ids, *kinds(module, self.names))
        functions, self.mutable = kept[1:]
        self.codes = {fn: fn.__code__ for fn in functions}  # (those of the engine are replaced)

    def changed(self, module: str, now: Names) -> Iterator[str]:
        if self.ids != now.ids:
            for name, value in self.names.items():
                new = now.names.get(name)
                if new is not value and compared(module, name, value) and held(value) != held(new):
                    yield f"{module}.{name}: {value!r} -> {new!r}"
        if self.codes != now.codes:
            for fn, code in self.codes.items():
                if now.codes.get(fn, code) is not code:
                    yield f"{module}.{fn.__name__}: another code"


# Of each module the numbers of what its names stand for, and what `kinds` found among that.
_kinds: dict[str, tuple[Any, ...]] = {}


def kinds(module: str, names: dict[str, Any]) -> tuple[list[Any], list[tuple[str, Any]]]:
    """The functions that are defined in a module, and what has parts that change in place."""
    functions, mutable = [], []
    for name, value in names.items():
        if type(value) is FunctionType:
            owner = sys.modules.get(value.__module__ or "")
            if value.__module__ == module or owner is None or owner.__dict__.get(name) is not value:
                functions.append(value)
        elif isinstance(value, MUTABLE) and name[:2] != "__" and (module, name) not in GROWS:
            mutable.append((name, value))
    return functions, mutable


def compared(module: str, name: str, value: Any) -> bool:
    """Whether it is a change that a name stands for something else."""
    if name[:2] == "__" or (module, name) in GROWS or isinstance(value, MUTABLE):
        return False
    return isinstance(value, (*SCALARS, tuple, FunctionType))


def state() -> dict[tuple[str, ...], Any]:
    """The state of the process and of this thread: numbers, tuples and functions that the modules
    of the package hold, what their threads' states hold, locks, and the methods of Tensor."""
    found: dict[tuple[str, ...], Any] = {}
    for name, module in list(sys.modules.items()):
        if name.partition(".")[0] == "rushlight" and isinstance(module, ModuleType):
            names = found[name,] = Names(name, object.__getattribute__(module, "__dict__"))
            for key, value in names.mutable:
                found.update(parts((name, key), value))
    for kind in (torch.Tensor, torch.nn.Parameter, torch.nn.Module, torch.optim.Optimizer):
        found[kind.__name__,] = dict(vars(kind))
    for event in (signal.getsignal(signal.SIGINT),):
        found["signal", "SIGINT"] = id(event)
    return found


def parts(where: tuple[str, ...], value: Any) -> Iterator[tuple[tuple[str, ...], Any]]:
    """What of a module's variable is compared."""
    if isinstance(value, threading.local):
        for kind in reversed(type(value).__mro__):
            for key in vars(kind):
                if key[:2] != "__" and not callable(getattr(value, key)):
                    yield (*where, key), held(getattr(value, key))
        for key, one in list(value.__dict__.items()):
            if key[:2] != "__":
                yield (*where, key), held(one)
    elif isinstance(value, Lock):
        yield where, locked(value)
    else:
        yield where, held(value)


def locked(lock: Any) -> bool:
    if hasattr(lock, "locked"):
        return bool(lock.locked())
    return bool(lock._is_owned())  # an RLock


def held(value: Any) -> Any:
    if isinstance(value, SCALARS):
        return "nan" if value != value else value
    if isinstance(value, (list, set)):
        return len(value)
    if isinstance(value, tuple):
        return tuple(v if isinstance(v, SCALARS) else id(v) for v in value)
    if isinstance(value, dict):
        return "dict"
    return id(value)


def changed(before: dict[Any, Any], after: dict[Any, Any]) -> list[str]:
    """What differs. What was not there before is a module that was imported, or its like."""
    found = []
    for key, value in before.items():
        if isinstance(value, Names):
            if key in after:
                found += value.changed(*key, after[key])
        elif isinstance(value, dict):  # names of a class, and what they stand for
            now = after.get(key, {})
            if now != value:
                pairs = {(*key, k): (v, now.get(k)) for k, v in value.items() if v != now.get(k)}
                found += [f"{'.'.join(k)}: {was!r} -> {new!r}" for k, (was, new) in pairs.items()]
        elif value != after.get(key):
            found.append(f"{'.'.join(key)}: {value!r} -> {after.get(key)!r}")
    return found
