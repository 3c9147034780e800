"""Compiled functions: guards, then a program in place of Python.

`Compiled` stands for a function. A call looks for an entry whose guards hold and replays it; where
none does, the function runs eagerly once more and is written down (`capture.py`). What cannot be
replayed runs eagerly, and a warning says once what it was and where.

Read next: `capture.py`, `guards.py`; how a program runs: `arrays.py`, `native.py`.
"""

from __future__ import annotations

import functools
import logging
import warnings
from collections.abc import Callable
from types import FunctionType
from typing import Any

from ..autograd import door, methods
from ..autograd.node import TensorBase
from ..errors import message
from ..kernels.runtime import memory, workspace
from ..nn import Module
from . import copies, native, split, stance
from . import state as settings
from .capture import Capture, telling
from .entry import Entry
from .known import has_hooks
from .seeing import Unknown

MOST_TRIES = 2  # captures that fail before a function is left to eager

logger = logging.getLogger(__name__.rpartition(".")[0])  # at level INFO: why there are more plans
USUAL_LIMIT = 8  # of `recompile_limit`, as PyTorch has it
FEW_SHAPES = 2  # so many plans are made at first sight
MOST_SHAPES = 64  # plans of a function for arguments of other shapes
MANY_SHAPES = 4096  # shapes that are remembered
OUTSIDE_CALLS = 2  # calls with indices out of range, until programs take nothing for granted
TRIMMED = 1 << 22  # bytes of a plan's block: what its making took is given back
SHAPE = "tensor of shape"  # what guards of an argument's shape say

# One capture at a time: whose `mine` is here. (Ctrl-C may come between a lock that is acquired by
# hand and the `try` that releases it, and then nothing would ever be compiled again.)
_busy: dict[str, list[Any]] = {}


class Compiled:
    """A function that replays what it did.

    Attributes:
        fn: the function.
        entries: its programs, the one that ran last first.
        why: what was not replayed, as (text, (file, line)).
        recompiled: for each further entry, the guard of the one before that failed.
    """

    def __init__(
        self,
        fn: Callable[..., Any],
        fullgraph: bool = False,
        dynamic: bool | None = None,
        limit: int | None = None,
    ) -> None:
        # (a module's attributes are its own)
        functools.update_wrapper(self, fn, updated=() if hasattr(fn, "forward") else ("__dict__",))
        self.fn, self.fullgraph, self.dynamic, self.limit = fn, fullgraph, dynamic, limit
        self._torchdynamo_orig_callable = fn
        settings.compiled.add(self)
        self.reset()

    def reset(self) -> None:
        """Forget all programs."""
        self.entries: list[Entry] = []
        self.tries = 0
        self.parts: Any = None
        self.shapes: set[Any] = set()  # those seen once
        self.told = self.delayed = False
        self.why: list[tuple[str, tuple[str, int] | None]] = []
        self.recompiled: list[str] = []
        self.outside_calls = 0

    def __repr__(self) -> str:
        return f"<compiled {getattr(self.fn, '__qualname__', type(self.fn).__name__)}>"

    # Copied and pickled as a function is: it is one, and by its name.

    def __copy__(self) -> Compiled:
        return self

    def __deepcopy__(self, memo: Any) -> Compiled:
        return self

    def __reduce__(self) -> str:
        return getattr(self.fn, "__qualname__", type(self.fn).__name__)

    def __get__(self, owner: Any, cls: Any = None) -> Any:
        return self if owner is None else functools.partial(self, owner)

    def __call__(self, *args: Any, **kw: Any) -> Any:
        state = door.state
        if state.watchers or state.observers or state.packers or (
            settings.special and stance.eager()
        ):
            return self.watched(args, kw)
        for k, entry in enumerate(self.entries):
            if entry.fits(args, kw):
                if k:  # to the front: calls of a kind come in a row, and guards are asked in order
                    self.entries.insert(0, self.entries.pop(k))
                return entry.replay(args, kw)
        if self.parts is not None:
            return self.parts(*args, **kw)
        if self.tries >= MOST_TRIES or (
            settings.special and not stance.may_capture(self, args, kw)
        ):
            return self.fn(*args, **kw)
        limit = self.limit or settings.recompile_limit
        if len(self.entries) >= limit and not self.only_shapes(limit, args, kw):
            self.exceeded(limit, args, kw)
            return self.fn(*args, **kw)
        if len(self.entries) >= FEW_SHAPES and self.is_new(args, kw):
            return self.fn(*args, **kw)
        if self.entries and settings.error_on_recompile:
            from .._dynamo.exc import RecompileError

            raise RecompileError("\n".join(self.misses(args, kw)))
        if self.entries:
            self.recompiled.append(self.misses(args, kw)[0])
            name = getattr(self.fn, "__qualname__", type(self.fn).__name__)
            logger.info("%s needs another plan: not %s", name, self.recompiled[-1])
        return self.captured(args, kw)

    def watched(self, args: Any, kw: Any) -> Any:
        """A call while somebody looks on: it runs eagerly, unless all take a program for one
        thing."""
        state = door.state
        observers = state.observers
        hopeless = self.tries >= MOST_TRIES and self.parts is None and not self.entries
        if (
            state.watchers
            or state.packers
            or hopeless
            or not all([o.replays for o in observers])
            or not observers
        ):
            return self.fn(*args, **kw)
        begun = door.enter("compiled", self, args)
        result = None
        try:
            state.observers = ()
            methods.pause()
            result = self(*args, **kw)
            return result
        finally:
            state.observers = observers
            methods.resume()
            door.leave("compiled", self, args, result, begun)

    def only_shapes(self, limit: int, args: Any, kw: Any) -> bool:
        """Whether a call needs a further plan for its shapes alone. Sequences come in many lengths,
        so there may be more plans of these than the limit says, where it is the usual one."""
        if self.limit or settings.recompile_limit != USUAL_LIMIT:
            return False
        others = [miss for miss in self.misses(args, kw) if SHAPE not in miss]
        return len(self.entries) < MOST_SHAPES and len(others) < limit

    def is_new(self, args: Any, kw: Any) -> bool:
        """Whether arguments come in these shapes for the first time: where there are many, a plan
        is made for those that come again."""
        shapes = tuple([a._a.shape for a in (*args, *kw.values()) if isinstance(a, TensorBase)])
        misses = self.misses(args, kw)
        if not all(SHAPE in miss for miss in misses) or len(self.shapes) > MANY_SHAPES:
            return False
        if shapes in self.shapes:
            return False
        self.shapes.add(shapes)
        return True

    def misses(self, args: Any, kw: Any) -> list[str]:
        """Of each entry, the guard that a call fails, in words."""
        return [entry.miss(args, kw) for entry in self.entries]

    def exceeded(self, limit: int, args: Any, kw: Any) -> None:
        """There are as many entries as there may be, and none fits."""
        if self.fullgraph or settings.fail_on_recompile_limit_hit:
            from .._dynamo.exc import FailOnRecompileLimitHit

            raise FailOnRecompileLimitHit(
                message(
                    "torch.compile: a call needs one plan more than there may be; "
                    + ("fullgraph=True" if self.fullgraph else "fail_on_recompile_limit_hit"),
                    f"{len(self.entries)} plans; {self.misses(args, kw)[0]}",
                    f"at most {limit} (torch._dynamo.config.recompile_limit)",
                )
            )
        if not self.told:
            self.told = True
            name = getattr(self.fn, "__qualname__", type(self.fn).__name__)
            warnings.warn(
                f"torch.compile: {name} has {len(self.entries)} plans "
                "(torch._dynamo.config.recompile_limit), and runs other calls eagerly; the last: "
                f"{self.misses(args, kw)[0]}",
                UserWarning,
                stacklevel=3,
            )

    def captured(self, args: Any, kw: Any) -> Any:
        """Run eagerly and write the run down."""
        mine: list[Any] = []
        try:
            if _busy.setdefault("capture", mine) is not mine:
                return self.fn(*args, **kw)
            capture = Capture()
            result = observed(capture, self.fn, args, kw)
            try:
                if capture.reads.why is not None:
                    raise capture.reads.why
                capture.sync_grads()
                capture.close_reductions()
                if capture.reads.why is not None:
                    raise capture.reads.why
                self.entries.insert(0, Entry(capture, result, self.executor))
                settings.counters["stats"]["unique_graphs"] += 1
            except Unknown as unknown:
                self.failed(unknown)
                return result
            finally:
                capture.close()
            if self.entries[0].run.arena_bytes > TRIMMED:
                copies.noise_block.cache_clear()  # what this took is more than a run needs
                workspace.release()
                memory.trim()
            return result
        finally:
            if "capture" in _busy and _busy["capture"] is mine:
                del _busy["capture"]

    def executor(self, program: Any) -> Any:
        """What runs a program."""
        trusting = self.outside_calls < OUTSIDE_CALLS
        return native.function(program, self.outside if trusting else None)

    def outside(self) -> None:
        """Indices were out of the range that a program takes for granted, such as classes that a
        loss ignores. If it comes again, programs take nothing for granted."""
        self.outside_calls += 1
        if self.outside_calls == OUTSIDE_CALLS:
            self.entries.clear()

    def split(self, unknown: Unknown) -> Any:
        """The function with the statement that cannot be replayed between compiled parts."""
        fn: Any = self.fn
        if isinstance(fn, Module):
            fn = type(fn).forward if not has_hooks(fn) else None
        bound = getattr(fn, "__self__", None)
        plain = getattr(fn, "__func__", fn)
        if not isinstance(plain, FunctionType):
            return None
        code = plain.__code__
        line = next((line for name, file, line in reversed(unknown.stack)
                     if name == code.co_name and file == code.co_filename
                     and line >= code.co_firstlineno), None)  # fmt: skip
        if line is None:
            return None
        made = split.driver(plain, line, Compiled)
        if made is None:
            return None
        if isinstance(self.fn, Module):
            return functools.partial(called_module, self.fn, made)
        return made if bound is None else functools.partial(made, bound)

    def failed(self, unknown: Unknown) -> None:
        """A run could not be written down."""
        self.tries += 1
        self.why.append((str(unknown), unknown.where))
        if self.tries >= MOST_TRIES and self.parts is None and not self.entries:
            self.parts = self.split(unknown)
        settings.counters["graph_break"][str(unknown)] += 1
        if self.fullgraph:
            from .._dynamo.exc import Unsupported

            where = "" if unknown.where is None else f"{unknown.where[0]}:{unknown.where[1]}"
            raise Unsupported(
                message(
                    "torch.compile(fullgraph=True): this cannot be replayed",
                    f"{unknown}{where and f', at {where}'}",
                    hint="torch.compiler.disable on it, or fullgraph=False",
                )
            )
        if not self.told:
            self.told = True
            at = "" if unknown.where is None else f" ({unknown.where[0]}:{unknown.where[1]})"
            name = getattr(self.fn, "__qualname__", type(self.fn).__name__)
            warnings.warn(f"torch.compile: {name} runs eagerly: {unknown}{at}", UserWarning,
                          stacklevel=4)  # fmt: skip


def called_module(module: Any, forward: Any, *args: Any, **kw: Any) -> Any:
    """Call a module with another function in place of its `forward`, as long as it has no hooks and
    no `forward` of its own."""
    if has_hooks(module) or "forward" in module.__dict__:
        return module(*args, **kw)
    return forward(module, *args, **kw)


def observed(capture: Capture, fn: Any, args: Any, kw: Any) -> Any:
    """Run `fn` under a capture."""
    reads = capture.reads
    capture.fn = fn
    reads.kept.append((args, kw))
    for k, v in enumerate(args):
        reads.see(v, f"args[{k}]", f"argument {k}", given=True)
    for name, v in kw.items():
        reads.see(v, f"kw[{name!r}]", f"argument {name}", given=True)
    reads.guards.add(f"len(args) == {len(args)} and list(kw) == {list(kw)!r}",
                     f"{len(args)} arguments and the names {list(kw)!r}")  # fmt: skip
    capturing = settings.capturing
    before = capturing.active
    try:
        capturing.active = True
        door.observe(capture)
        with telling():
            if reads.why is None:
                reads.sources.setdefault(id(fn), (reads.guards.name(fn), "the function"))
                if hasattr(fn, "__self__"):
                    owner = fn.__self__
                    reads.sources.setdefault(id(owner), (reads.guards.name(owner), "self"))
            return reads.call(fn, *args, **kw)
    finally:
        capturing.active = before
        try:
            door.unobserve(capture)
        except BaseException:
            door.unobserve(capture)
            raise
