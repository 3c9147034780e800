"""Compiled functions: guards, then a program in place of Python.

`Compiled` stands for a function. A call looks for an entry whose guards hold and replays it; where
none does, the function runs eagerly once more and is written down (`capture.py`). What cannot be
replayed runs eagerly, and a warning says once what it was and where.

Read next: `capture.py`, `guards.py`; how a program runs: `arrays.py`, `native.py`.
"""

from __future__ import annotations

import functools
import itertools
import logging
import threading
import warnings
from collections import OrderedDict
from collections.abc import Callable
from types import FunctionType, MemberDescriptorType
from typing import Any

import numpy as np

from .. import dtypes
from ..autograd import door, hooks
from ..autograd.node import LEAF, Cell, Cut, Extras, Freed, Node, Out, TensorBase, tick
from ..errors import message
from ..nn import Module
from ..nn import module as _modules
from ..tensor import Tensor
from . import known, native, region, split, stance
from . import state as settings
from .capture import Capture, is_freed, telling
from .known import has_hooks, lookup
from .origins import at_user_line
from .program import GIVEN, MADE, Effect
from .seeing import Unknown

MOST_TRIES = 2  # captures that fail before a function is left to eager

logger = logging.getLogger(__name__.rpartition(".")[0])  # at level INFO: why there are more plans
USUAL_LIMIT = 8  # of `recompile_limit`, as PyTorch has it
FEW_SHAPES = 2  # so many plans are made at first sight
MOST_SHAPES = 64  # plans of a function for arguments of other shapes
MANY_SHAPES = 4096  # shapes that are remembered
SHAPE = "tensor of shape"  # what guards of an argument's shape say

_new = object.__new__
_lock = threading.Lock()  # one capture at a time


class Entry:
    """A program with its guards, and what Python is given back.

    Attributes:
        program: what runs.
        guards: the expressions that must hold.
        check: `check(args, kw)`: None, or the number of the guard that failed.
    """

    def __init__(self, capture: Capture, result: Any, executor: Any) -> None:
        self.program = capture.program
        self.guards = capture.reads.guards
        self.modules = list({id(m): m for m in capture.modules}.values())
        self.leaves = list(capture.leaves.values())
        given, changed = places_of(capture)
        self.space = self.guards.space
        self.template = Template(capture, result)
        self.region: Any = None
        if self.template.histories:
            histories = self.template.histories
            self.region = region.Regions(
                capture, histories, self.template.keep, executor, self.program
            )
            self.fn = capture.fn
        self.template.histories = []
        del self.template.keep
        self.program.without_dead_lines()
        add_setting_guards(self.guards)
        add_identity_guards(capture)
        self.check = self.guards.function()
        self.slow = self.guards.slow_function()
        self.counters = counters()
        self.arrays = eval(f"lambda args, kw: ({''.join(given)})", self.space)
        bumped = f"({''.join(changed)})"
        self.changed = eval(f"lambda args, kw: {bumped}", self.space) if changed else None
        self.bumps = capture.bumps
        self.run = executor(self.program)
        self.runs = 0
        self.name = getattr(capture.fn, "__name__", "forward")

    def fits(self, args: Any, kw: Any) -> bool:
        """Whether the program may run in place of a call."""
        if self.check(args, kw) is not None:
            return False
        return self.counters == (hooks.changes[0], _modules.changes[0]) or self.look_again(args, kw)

    def look_again(self, args: Any, kw: Any) -> bool:
        """Whether what the counters stand for is as it was."""
        now = counters()
        if self.slow(args, kw) is not None or any(has_hooks(m) for m in self.modules):
            return False
        for leaf in self.leaves:
            x = leaf._x
            if x.__class__ is Extras and (x.hooks or x.post_hooks):
                return False
        self.counters = now
        return True

    def miss(self, args: Any, kw: Any) -> str:
        """The guard that a call fails, in words."""
        number = self.check(args, kw)
        if number is not None:
            return self.guards.words(number)
        number = self.slow(args, kw)
        return "hooks" if number is None else list(self.guards.slow.values())[number]

    def replay(self, args: Any, kw: Any) -> Any:
        """What the function would return."""
        self.runs += 1
        given = self.arrays(args, kw)
        try:
            results = self.run(*given)
        except Exception as error:
            at_user_line(error, self.run, self.name)
        if self.changed is not None:
            for t, n in zip(self.changed(args, kw), self.bumps, strict=True):
                for _ in range(abs(n)):
                    if n > 0 or t._vc is not None:  # the engine counts where somebody looks
                        t._bump()
        made = self.template.make(results)
        if self.region is not None:
            ys = [made[k] for k in self.template.with_history]
            self.region.attach(ys, made, results, args, kw, self.again)
        return self.template.built(made, args, kw)

    def again(self, args: Any, kw: Any) -> list[Any]:
        """The results with a history of another, eager run."""
        found: list[Any] = []
        self.template.gather(self.fn(*args, **kw), found, set())
        return [found[k] for k in self.template.with_history]


def counters() -> tuple[int, int]:
    """How often hooks were registered, and attributes of modules set, in this process."""
    return hooks.changes[0], _modules.changes[0]


def places_of(capture: Capture) -> tuple[list[str], list[str]]:
    """Expressions of the arrays that the program is given, and of the tensors that it changes."""
    by_array = {}
    for t, _given, (fn, a, _count) in capture.tensors:
        if t._fn is not fn or t._a is not a:
            raise Unknown("a tensor from outside gets another history or other memory")
    for t, place, _given in capture.reads.tensors.values():
        by_array[id(t._a)] = place
    given = []
    for r in capture.program.given:
        given.append(f"{by_array[id(capture.program.values[r].example)]}._a, ")
    changed, bumps = [], []
    cells: set[int] = set()
    for t, _given, (_fn, a, count) in capture.tensors:
        difference, added = capture.changes(t, count), capture.only_added_to(a)
        if difference or added:
            if id(t._vc) in cells:  # other views need not share it: how often is each changed?
                raise Unknown("two views of one tensor are changed")
            cells.add(id(t._vc))
            changed.append(f"{capture.reads.tensors[id(t)][1]}, ")
            bumps.append(-added or difference)
    capture.bumps = bumps
    return given, changed


def add_setting_guards(guards: Any) -> None:
    """Modes and settings of the thread and the process."""
    state = door.state
    guards.space["state"] = state
    guards.space["default_dtype"] = dtypes.get_default_dtype
    guards.add(f"state.enabled is {state.enabled}", f"grad mode is {state.enabled}")
    guards.add(f"state.inference is {state.inference}", f"inference mode is {state.inference}")
    guards.same("default_dtype()", dtypes.get_default_dtype(), "the default dtype")


def add_identity_guards(capture: Capture) -> None:
    """Tensors that were different ones are different ones; those that the program writes to share
    no memory with others."""
    guards, values = capture.reads.guards, capture.program.values
    given = [(t, name) for t, name, is_given in capture.reads.tensors.values() if is_given]
    places = [name for _, name in given]
    writes = any(values[r].kind == GIVEN for line in capture.program.lines for r in line.writes())
    if writes:
        held = [guards.name(t) for t, _, is_given in capture.reads.tensors.values() if not is_given]
        guards.space["apart"] = apart
        everything = ", ".join([*places, *held])
        if not apart(*[t for t, *_ in capture.reads.tensors.values()]):
            raise Unknown("an argument is changed that shares memory with another tensor")
        guards.add(f"apart({everything})", "what is changed shares no memory with other arguments")
    elif len(places) > 1:
        tensors = ", ".join([f"id({p})" for p in places])
        guards.add(f"len({{{tensors}}}) == {len(places)}", "the arguments are different tensors")


def apart(*tensors: Any) -> bool:
    """Whether tensors are different ones, none of which shares memory with another one."""
    spans = sorted([np.lib.array_utils.byte_bounds(t._a) for t in tensors])
    for (_, end), (start, last) in itertools.pairwise(spans):
        if start < end and start != last:
            return False
    return len({id(t) for t in tensors}) == len(tensors)


# -- results ---------------------------------------------------------------------------------------


class Template:
    """What a run returned, with places for the arrays of another run."""

    def __init__(self, capture: Capture, result: Any) -> None:
        self.capture: Any = capture
        self.returns: dict[int, int] = {}  # id of a tensor to its place
        self.tensors: list[Any] = []
        self.keep: list[Any] = []
        self.histories: list[Any] = []  # tensors whose backward comes from outside
        self.with_history: list[int] = []  # their places
        self.built = self.part(result)
        outside = [v.example for v in capture.program.values
                   if v.kind != MADE and isinstance(v.example, np.ndarray)]  # fmt: skip
        program = capture.program
        leaving = [program.values[r].example for r in program.returns]
        leaving += [program.values[r].example for line in program.lines
                    if isinstance(line.record, Effect) for r in line.reads()]  # fmt: skip
        for k, a in enumerate(leaving):
            if any(np.may_share_memory(a, b) for b in (*outside, *leaving[:k])):
                raise Unknown("a result shares memory with something else")
        del self.capture

    def part(self, x: Any) -> Any:
        """A function (arrays, args, kw) -> value, for a part of the result."""
        if x is None or x.__class__ in (*known.NUMBERS, str, bytes):
            return lambda arrays, args, kw: x
        if isinstance(x, TensorBase):
            return self.tensor(x)
        kind = x.__class__
        found = self.capture.reads.sources.get(id(x))
        if found is not None:
            return eval(f"lambda arrays, args, kw: {found[0]}", self.capture.reads.guards.space)
        if kind in (list, tuple) or issubclass(kind, tuple):
            parts = [self.part(v) for v in x]
            if kind is tuple:
                return lambda arrays, args, kw: tuple([p(arrays, args, kw) for p in parts])
            if kind is list:
                return lambda arrays, args, kw: [p(arrays, args, kw) for p in parts]
            if hasattr(kind, "_fields"):
                return lambda arrays, args, kw: kind(*[p(arrays, args, kw) for p in parts])
            if known.is_ours(kind):
                try:
                    again = kind(x)
                except TypeError:
                    again = None
                if again == x and not any(isinstance(v, TensorBase) for v in x):
                    return lambda arrays, args, kw: x
                if any(isinstance(v, TensorBase) for v in x):
                    return lambda arrays, args, kw: kind([p(arrays, args, kw) for p in parts])
        if kind in (dict, OrderedDict):
            named = {k: self.part(v) for k, v in x.items()}
            return lambda arrays, args, kw: kind(
                [(k, p(arrays, args, kw)) for k, p in named.items()]
            )
        if known.is_ours(kind) and kind.__name__ in ("dtype", "Device", "layout"):
            return lambda arrays, args, kw: x
        raise Unknown(f"a {kind.__name__} is returned")

    def tensor(self, t: Any) -> Any:
        """The place of a tensor."""
        capture = self.capture
        if id(t) in capture.reads.tensors:
            place = capture.reads.tensors[id(t)][1]
            return eval(f"lambda arrays, args, kw: {place}", capture.reads.guards.space)
        if id(t) not in self.returns:
            self.returns[id(t)] = len(self.tensors)
            self.keep.append(t)
            self.tensors.append(self.recipe(t))
        k = self.returns[id(t)]
        return lambda arrays, args, kw: arrays[k]

    def recipe(self, t: Any) -> Any:
        """How one tensor of the result is made of its array."""
        capture = self.capture
        number = capture.number.get(id(t._a))
        if number is None or t.__class__ is not Tensor or t.__dict__:
            raise Unknown("a tensor is returned that was made in a way that is not replayed")
        value = capture.program.values[number]
        if value.kind != MADE:
            raise Unknown("a tensor is returned that shares the memory of another one")
        if t._v is not None and id(t._v.base) in capture.reads.tensors:
            raise Unknown("a view of a tensor from outside is returned")
        x = t._x
        if x.__class__ is Extras:
            if x.hooks or x.post_hooks or x.grad is not None or x.retains:
                raise Unknown("a tensor with hooks or a gradient is returned")
            x = x.cut
        fn = t._fn
        kind: Any = None
        if fn is LEAF:
            kind = LEAF
        elif fn is not None:  # noqa: SIM102
            if not is_freed(fn):
                self.histories.append(t)
                self.with_history.append(len(self.tensors))
                fn = None
        if fn is not None and fn is not LEAF:
            node = fn.node if fn.__class__ is Out else fn
            kind = (node_like(node), node_like(find_freed(node)))
        value.fresh = True
        capture.program.returns.append(number)
        count = 0 if t._vc is None else t._vc.count
        return kind, x if x.__class__ is Cut else None, count

    def gather(self, x: Any, found: list[Any], seen: set[int]) -> None:
        """The tensors of a result in the order of `tensors`."""
        if isinstance(x, TensorBase):
            if id(x) not in seen:
                seen.add(id(x))
                found.append(x)
        elif isinstance(x, (list, tuple)):
            for v in x:
                self.gather(v, found, seen)
        elif isinstance(x, dict):
            for v in x.values():
                self.gather(v, found, seen)

    def make(self, results: tuple[Any, ...]) -> list[Any]:
        """Tensors of the arrays that a run returned."""
        made = []
        for a, (kind, cut, count) in zip(results, self.tensors, strict=False):
            t = _new(Tensor)
            t._a = a if a.__class__ is np.ndarray else np.asarray(a)
            t._vc = t._v = None
            t._x = cut
            t._fn = kind
            if kind.__class__ is tuple:
                t._fn = spent(kind)
            if count:
                t._vc = Cell()
                t._vc.count = count
            made.append(t)
        return made


def find_freed(node: Any) -> Any:
    """The nearest node in the graph of a node in which a backward has left its mark."""
    queue, seen = [node], set()
    for n in queue:
        n = n.node if n.__class__ is Out else n
        if n is None or id(n) in seen or not n._is_node:
            continue
        seen.add(id(n))
        if n.saved.__class__ is Freed:
            return n
        queue += n.edges
    raise AssertionError("the graph was freed")


def node_like(node: Any) -> tuple[Any, ...]:
    """What is needed to make a node like this one."""
    freed = node.saved if node.saved.__class__ is Freed else None
    edges = len(node.edges)
    cls = type(node)
    more = [(name, value) for name, value in (("n_out", 1), ("kw", node.kw))
            if isinstance(lookup(cls, name), MemberDescriptorType)]  # fmt: skip
    return cls, node.code, node.lasti, more, freed, edges, node.shape, node.dtype


def made_like(like: tuple[Any, ...], edge: Any) -> Any:
    """A node whose edges are all one."""
    cls, code, lasti, more, freed, edges, shape, dtype = like
    node: Any = _new(cls)
    node.edges, node.saved, node.x = (edge,) * edges, freed, None
    node.seq, node.shape, node.dtype = tick(), shape, dtype
    node.code, node.lasti = code, lasti
    for name, value in more:  # what the class does not say itself
        setattr(node, name, value)
    return node


def spent(kind: tuple[Any, ...]) -> Node:
    """The node of a result whose backward the program has run: the nearest one that knows says so
    when it is asked again."""
    first, knowing = kind
    return made_like(first, None if first[4] is not None else made_like(knowing, None))  # type: ignore[no-any-return]


# -- compiled functions ----------------------------------------------------------------------------


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
            return self.fn(*args, **kw)
        for k, entry in enumerate(self.entries):
            if entry.fits(args, kw):
                if k:
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
                    f"{limit} plans; {self.misses(args, kw)[0]}",
                    f"at most {limit} (torch._dynamo.config.recompile_limit)",
                )
            )
        if not self.told:
            self.told = True
            name = getattr(self.fn, "__qualname__", type(self.fn).__name__)
            warnings.warn(
                f"torch.compile: {name} has {limit} plans (torch._dynamo.config.recompile_limit), "
                f"and runs other calls eagerly; the last: {self.misses(args, kw)[0]}",
                UserWarning,
                stacklevel=3,
            )

    def captured(self, args: Any, kw: Any) -> Any:
        """Run eagerly and write the run down."""
        if not _lock.acquire(blocking=False):
            return self.fn(*args, **kw)
        try:
            capture = Capture()
            result = observed(capture, self.fn, args, kw)
            try:
                if capture.reads.why is not None:
                    raise capture.reads.why
                capture.sync_grads()
                if capture.reads.why is not None:
                    raise capture.reads.why
                self.entries.insert(0, Entry(capture, result, native.function))
                settings.counters["stats"]["unique_graphs"] += 1
            except Unknown as unknown:
                self.failed(unknown)
            return result
        finally:
            _lock.release()

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
    before, capturing.active = capturing.active, True
    door.observe(capture)
    try:
        with telling():
            if reads.why is None:
                reads.sources.setdefault(id(fn), (reads.guards.name(fn), "the function"))
                if hasattr(fn, "__self__"):
                    owner = fn.__self__
                    reads.sources.setdefault(id(owner), (reads.guards.name(owner), "self"))
            return reads.call(fn, *args, **kw)
    finally:
        door.unobserve(capture)
        capturing.active = before

