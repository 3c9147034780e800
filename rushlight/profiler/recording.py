"""Recording: what one thread does while it is profiled, as frames that open and close.

A `Recorder` keeps a stack of open frames and a bounded list of finished ones; `record_function`
marks a stretch of the user's own. Who calls `enter` and `leave` stands in `watching.py`; what is
shown of the result, in `events.py`.

As in PyTorch, the thread that started the profiler is recorded and no other.
"""

from __future__ import annotations

import functools
import os
import sys
import threading
import time
from collections.abc import Callable
from typing import Any, NamedTuple

from ..ops.core import overrides

# Events kept one by one, unless `max_events=` says otherwise: some 60 MB. Later ones are summed.
MAX_EVENTS = 200_000
# Sums of dropped events are kept by name, shapes and stack; beyond these many, by name alone.
MAX_SUMS = 10_000
MAX_STACK = 64

# Fields of an open frame. A list, because it is made and read for every operation.
NAME, START, INNER, BYTES, KIND, ID, PARENT, SHAPES, STACK, SEQUENCE = range(10)

# Kinds of frames. What runs inside an operation is a part of it and not shown.
OP, COMPOSITE, NODE, EVALUATE, USER = range(5)
SCOPES = (0, 0, 1, 0, 7)  # PyTorch's numbers: function, backward function, user's

now = time.perf_counter_ns


class Done(NamedTuple):
    """A finished event. Times are nanoseconds of `perf_counter_ns`."""

    id: int
    parent: int  # the id of the event around it, or -1
    name: str
    kind: int
    start: int
    end: int
    inner: int  # nanoseconds within events inside this one
    bytes: int  # allocated by this event and those inside it
    own_bytes: int
    sequence: int  # joins an operation and the node of its derivative
    shapes: Any  # (shapes, types, numbers) of the operands, when recorded
    stack: Any  # ((code, line), ...), innermost first, when recorded
    flops: int


class Besides(NamedTuple):
    """Something that was carried out beside what the recorded thread did."""

    name: str
    start: int
    end: int
    thread: int
    shapes: Any
    about: dict[str, Any]


class Sum:
    """The totals of dropped events of one name, shapes and stack."""

    __slots__ = ("bytes", "count", "first", "flops", "inner", "own_bytes", "total")

    def __init__(self, first: Done) -> None:
        self.first = first
        self.count = self.total = self.inner = self.bytes = self.own_bytes = self.flops = 0

    def add(self, e: Done) -> None:
        """One more event."""
        self.count += 1
        self.total += e.end - e.start
        self.inner += e.inner
        self.bytes += e.bytes
        self.own_bytes += e.own_bytes
        self.flops += e.flops


class _Local(threading.local):
    recorder: Recorder | None = None


local = _Local()


class Recorder:
    """The events of one profiled stretch of one thread."""

    def __init__(
        self,
        shapes: bool = False,
        memory: bool = False,
        stacks: bool = False,
        flops: bool = False,
        max_events: int | None = None,
    ) -> None:
        self.shapes = shapes or flops
        self.memory = memory
        self.stacks = stacks
        self.flops = flops
        self.max_events = MAX_EVENTS if max_events is None else max_events
        self.open: list[list[Any]] = []
        self.done: list[tuple[Any, ...]] = []  # the fields of `Done`: plain tuples are quicker
        self.dropped: dict[Any, Sum] = {}
        self.besides: list[Besides] = []
        self.count = 0
        self.begin = self.end = 0
        self.began_at = 0  # the same moment on the clock of the wall
        self.thread = threading.get_native_id()
        self.outer: Recorder | None = None

    # -- frames ------------------------------------------------------------------------------

    def enter(self, name: str, kind: int, operands: Any = None) -> list[Any]:
        """Open a frame inside the innermost open one."""
        stack = self.open
        around = stack[-1][ID] if stack else -1
        frame = [name, 0, 0, 0, kind, self.count, around, None, None, -1]
        self.count += 1
        if operands is not None and self.shapes:
            frame[SHAPES] = describe(operands)
        if self.stacks:
            frame[STACK] = user_stack()
        stack.append(frame)
        frame[START] = now()
        return frame

    def leave(self, frame: list[Any], end: int, fresh: int = 0, flops: int = 0) -> None:
        """Close a frame, and those inside it that were left open."""
        stack = self.open
        if not stack or stack[-1] is not frame:
            if not any(f is frame for f in stack):
                return  # closed already, with a frame around it
            while stack[-1] is not frame:
                self.leave(stack[-1], end)
        stack.pop()
        total = fresh + frame[BYTES]
        if stack:
            around = stack[-1]
            around[INNER] += end - frame[START]
            around[BYTES] += total
        done = (
            frame[ID],
            frame[PARENT],
            frame[NAME],
            frame[KIND],
            frame[START],
            end,
            frame[INNER],
            total,
            fresh,
            frame[SEQUENCE],
            frame[SHAPES],
            frame[STACK],
            flops,
        )
        # By the number at entry: an event that is kept has its parents kept.
        if frame[ID] < self.max_events:
            self.done.append(done)
        else:
            self._drop(Done(*done))

    def _drop(self, done: Done) -> None:
        key: Any = (done.name, done.kind, done.parent < 0, str(done.shapes), done.stack)
        if key not in self.dropped and len(self.dropped) >= MAX_SUMS:
            key = (done.name, done.kind, done.parent < 0)
            done = done._replace(shapes=None, stack=None)
        found = self.dropped.get(key)
        if found is None:
            found = self.dropped[key] = Sum(done)
        found.add(done)

    def aside(self, name: str, start: int, call: Any, group: Any) -> None:
        """Note a collective that has just been carried out, in whatever thread."""
        if self.end or len(self.besides) >= self.max_events:
            return
        a = call.array
        self.besides.append(
            Besides(
                name,
                start,
                now(),
                threading.get_native_id(),
                None if a is None or not self.shapes else describe((a,)),
                {
                    "Collective name": call.name,
                    "Process Group Name": group.group_name,
                    "Group size": group.size(),
                    "dtype": "" if a is None else a.dtype.name,
                    "In msg nelems": 0 if a is None else a.size,
                    "Bytes": 0 if a is None else a.nbytes,
                },
            )
        )

    def unwind(self, depth: int) -> None:
        """Close all frames above a depth."""
        if len(self.open) > depth:
            self.leave(self.open[depth], now())

    def end_evaluation(self) -> None:
        """Close the engine's frame of the node before, which lasts until the next one begins."""
        if self.open and self.open[-1][KIND] == EVALUATE:
            self.leave(self.open[-1], now())

    # -- start and stop ----------------------------------------------------------------------

    def start(self) -> None:
        """Record this thread from now on; a recorder that was at work rests meanwhile."""
        self.outer = local.recorder
        self.thread = threading.get_native_id()
        local.recorder = self
        self.began_at = time.time_ns()
        self.begin = now()

    def stop(self) -> None:
        """Close what is open and record no more."""
        self.end = now()
        if self.open:
            self.leave(self.open[0], self.end)
        if local.recorder is self:
            local.recorder = self.outer
        self.outer = None

    def pause(self, on: bool) -> None:
        """Look away for a while, or look again (from the thread that is recorded)."""
        if on and local.recorder is self:
            local.recorder = None
        elif not on and local.recorder is None:
            local.recorder = self

    @property
    def number_dropped(self) -> int:
        """Events that are in the sums only."""
        return max(0, self.count - self.max_events)


# -- what is kept of operands and callers ----------------------------------------------------------


def describe(operands: Any) -> tuple[list[Any], list[str], list[str]]:
    """Shapes, types and numbers of operands, as PyTorch lists them (a list of tensors: [])."""
    shapes: list[Any] = []
    types: list[str] = []
    numbers: list[str] = []
    for x in operands:
        a = getattr(x, "_a", x)
        shape = getattr(a, "shape", None)
        if shape is not None:
            shapes.append(list(shape))
            types.append(TYPES.get(str(a.dtype), str(a.dtype)))
            numbers.append("")
            continue
        shapes.append([])
        if isinstance(x, (bool, int, float, complex)):
            types.append("Scalar")
            numbers.append(str(x))
        elif isinstance(x, (list, tuple)):
            tensors = bool(x) and hasattr(x[0], "_a")
            types.append("TensorList" if tensors else "ScalarList")
            numbers.append("" if tensors else str(list(x)))
        else:
            types.append("")
            numbers.append("")
    return shapes, types, numbers


# NumPy's names of types and the C++ ones that traces show.
TYPES = {
    "float32": "float",
    "float64": "double",
    "float16": "c10::Half",
    "bfloat16": "c10::BFloat16",
    "int64": "long int",
    "int32": "int",
    "int16": "short int",
    "int8": "signed char",
    "uint8": "unsigned char",
    "bool": "bool",
    "complex64": "c10::complex<float>",
    "complex128": "c10::complex<double>",
}

_PACKAGE = os.path.dirname(os.path.dirname(os.path.abspath(__file__))) + os.sep


def user_stack() -> tuple[tuple[Any, int], ...]:
    """The callers outside this package as (code, line), innermost first."""
    found: list[tuple[Any, int]] = []
    frame: Any = sys._getframe(2)
    while frame is not None and len(found) < MAX_STACK:
        code = frame.f_code
        if not code.co_filename.startswith(_PACKAGE):
            found.append((code, frame.f_lineno or 0))
        frame = frame.f_back
    return tuple(found)


# -- the user's own marks --------------------------------------------------------------------------


class record_function:
    """Give a stretch of code a name in the profiler's results; a context and a decorator.

    Costs a fraction of a microsecond while nobody profiles.

    Args:
        name: the name to show.
        args: more about it, shown in traces.

    >>> import rushlight as torch
    >>> with torch.profiler.profile() as prof:
    ...     with torch.profiler.record_function("my block"):
    ...         y = torch.ones(3).exp()
    >>> [e.key for e in prof.key_averages()]
    ['my block', 'aten::ones', 'aten::exp']
    """

    __slots__ = ("__dict__", "args", "frame", "name", "recorder")

    def __init__(self, name: str, args: str | None = None) -> None:
        self.name = name
        self.args = args
        self.recorder: Recorder | None = None

    def __enter__(self) -> record_function:
        recorder = self.recorder = local.recorder
        if recorder is not None:
            self.frame = recorder.enter(
                self.name, USER, None if self.args is None else (self.args,)
            )
        return self

    def __exit__(self, *error: object) -> None:
        if self.recorder is not None:
            self.recorder.leave(self.frame, now())
            self.recorder = None

    def __call__(self, fn: Callable[..., Any]) -> Callable[..., Any]:
        name, args = self.name, self.args

        @functools.wraps(fn)
        def marked(*values: Any, **kw: Any) -> Any:
            with record_function(name, args):
                return fn(*values, **kw)

        return marked


@overrides.dispatching
def begun(name: str, args: str | None = None) -> record_function:
    """The first half of `record_function`, as an operator; `ended` takes what it gives."""
    return record_function(name, args).__enter__()


@overrides.dispatching
def ended(mark: record_function) -> None:
    """The second half of `record_function`."""
    mark.__exit__()
