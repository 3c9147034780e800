"""An entry of a compiled function: a program with its guards, and what Python is given back.

Not here: when it is made and asked (`replay.py`), how results are made (`results.py`).
"""

from __future__ import annotations

import itertools
from typing import Any

import numpy as np

from ..autograd import door, hooks
from ..autograd.node import Extras
from ..nn import module as _modules
from . import region
from .capture import Capture, foreign
from .guards import SETTINGS, SETTINGS_SPACE, settings_now
from .known import has_hooks
from .origins import at_user_line
from .program import GIVEN
from .results import Template
from .seeing import Unknown


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
        self.sent = list(capture.sent.values())
        self.reducers = list(capture.reducers)
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
        # In this order: what regions save is returned by now, so its lines live; what is written
        # to, of which identities are guarded, is a matter of the lines that are left.
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
        now = counters()  # before looking: what changes meanwhile is looked at the next time
        if self.slow(args, kw) is not None or any(has_hooks(m) for m in self.modules):
            return False
        for leaf in self.sent:
            x = leaf._x
            if x.__class__ is Extras and (x.hooks or foreign(x, self.reducers)):
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
            at_user_line(error, self.name)
        if self.changed is not None:
            for t, n in zip(self.changed(args, kw), self.bumps, strict=True):
                for _ in range(abs(n)):
                    if n > 0 or t._vc is not None:  # the engine counts where somebody looks
                        t._bump()
        made = self.template.make(results, args, kw)
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
            if t._vc is not None:  # other views need not share it: how often is each changed?
                if id(t._vc) in cells:
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
    guards.add(f"state.enabled is {state.enabled}", f"grad mode is {state.enabled}")
    guards.add(f"state.inference is {state.inference}", f"inference mode is {state.inference}")
    guards.space |= SETTINGS_SPACE
    for (expression, words), value in zip(SETTINGS.items(), settings_now(), strict=True):
        guards.same(expression, value, words)


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
