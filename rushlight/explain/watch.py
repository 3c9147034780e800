"""What a program keeps that it should not: graphs whose backward has run, graphs of evaluations.

`kept()` looks once, from a line of the program. A `Watch` does so now and then while the rest of a
program runs, and sees calls of models that are evaluated with gradients on; it costs one test for
each call of a module and one for each step.
"""

from __future__ import annotations

import gc
import sys
import weakref
from collections import Counter, deque
from typing import Any

from .. import nn
from ..autograd import door, node
from ..autograd.holders import variables
from ..autograd.node import LEAF, Freed, Out, TensorBase
from ..autograd.observe import Observer, observe, unobserve
from ..optim.optimizer import register_optimizer_step_post_hook
from .lines import USER, Lines, whose
from .memory import ndarray, tensors
from .recording import Watched

EACH = 20  # steps between two looks
MANY = 5  # graphs of one line that are alive: the last one always is, and those of other losses
LARGE = 5000  # nodes of a graph that are walked
ITEMS = 5  # of a list that are looked at
LOOKS = 5  # calls of a line of which it is seen whether a backward goes through them


def graphs() -> Counter[tuple[Any, int]]:
    """How many graphs are alive whose backward has run, by the place of that backward."""
    living = [f for f in (ref() for ref in list(node._graphs)) if f is not None]
    return Counter((f.code, f.lasti) for f in living)


def kept(lines: Lines, frame: Any, least: int) -> list[Watched]:
    """Graphs that are alive although their backward has run, where there are so many of a line."""
    found = []
    counts = graphs()
    if max(counts.values(), default=0) >= least:
        gc.collect()  # what hangs together in circles alone is kept by nobody
        counts = graphs()
    for (code, lasti), count in counts.items():
        if count < least or code is None:
            continue
        keeper = keepers(lines, frame)
        if not keeper and count < MANY:
            continue  # an optimiser or a closure may hold some for a while
        line, text = keeper[0] if keeper else (lines.at_offset(code, lasti), "")
        found.append(Watched("kept graphs", line, count, 0, text))
    return found


def keepers(lines: Lines, frame: Any) -> list[tuple[int, str]]:
    """The variables of the calling functions that keep graphs, each with the line that adds to
    it."""
    found: dict[int, str] = {}
    while frame is not None:
        if whose(frame.f_code.co_filename) == USER:
            names = variables(frame)
            for name, value in list(names.items()):
                inner = getattr(value, "__dict__", None)
                if isinstance(inner, dict) and not isinstance(value, (type, nn.Module)):
                    names.update({f"{name}.{k}": v for k, v in inner.items()})
            for name, value in names.items():
                if keeps(value):
                    line, text = line_of(lines, frame.f_code, name)
                    found[line] = f"`{name}` keeps them: {text}"
        frame = frame.f_back
    return list(found.items())


def keeps(value: Any) -> bool:
    """Whether a variable keeps graphs of several backwards: a list of losses, or their sum."""
    if isinstance(value, TensorBase):
        return len(freed_in(value)) > 1
    values = value.values() if isinstance(value, dict) else value
    if not isinstance(value, (list, tuple, dict, deque)) or len(value) < 2:
        return False
    some = [v for _, v in zip(range(ITEMS), values, strict=False)]
    return sum([isinstance(v, TensorBase) and bool(freed_in(v)) for v in some]) > 1


def freed_in(t: Any) -> set[int]:
    """The backwards that have run through a tensor's graph."""
    fn = t._fn
    if fn is None or fn is LEAF:
        return set()
    found: set[int] = set()
    for n in walk(fn.node if fn.__class__ is Out else fn):
        if n.saved.__class__ is Freed:
            found.add(id(n.saved))
    return found


def walk(root: Any) -> list[Any]:
    """The nodes of a graph, from the newest on."""
    seen, queue = {id(root)}, deque([root])
    found: list[Any] = []
    while queue and len(found) < LARGE:
        n = queue.popleft()
        found.append(n)
        for e in n.edges:
            target = e.node if e.__class__ is Out else e
            if target is not None and target._is_node and id(target) not in seen:
                seen.add(id(target))
                queue.append(target)
    return found


def line_of(lines: Lines, code: Any, name: str) -> tuple[int, str]:
    """The line of a function that adds to a variable."""
    import linecache

    own = sorted({n for _, _, n in code.co_lines() if n})
    ways = (f"{name}.append(", f"{name}.extend(", f"{name} +=", f"{name}[", f"{name}.add(")
    for way in (*ways, f"{name} = {name} +", f"{name} ="):
        for number in own:
            text = linecache.getline(code.co_filename, number).strip()
            if way in text:
                return lines.line(code, number), text
    return lines.line(code, own[0] if own else code.co_firstlineno), ""


def held(root: Any) -> int:
    """Bytes that a graph keeps for its backward."""
    seen: dict[int, int] = {}
    for n in walk(root):
        for s in n.saved if n.saved.__class__ is tuple else ():
            a = s._a if isinstance(s, TensorBase) and s._fn is not LEAF else s
            if a.__class__ is ndarray:
                while a.base.__class__ is ndarray:
                    a = a.base
                seen[id(a)] = a.nbytes
    return sum(seen.values())


class Watch(Observer):
    """Looks on while the rest of a program runs.

    Attributes:
        found: what was found, by kind and line.
    """

    methods, computations = True, False

    def __init__(self, lines: Lines) -> None:
        self.lines = lines
        self.found: dict[tuple[str, int], Watched] = {}
        self.steps = 0
        self._inside = False
        self._results: deque[Any] = deque(maxlen=10_000)
        self._used: set[int] = set()  # lines whose calls backwards go through
        self._hook: Any = None

    def start(self) -> None:
        """Look on from now on."""
        observe(self)
        self._hook = register_optimizer_step_post_hook(self._stepped)

    def stop(self) -> list[Watched]:
        """Look no more; what was found."""
        unobserve(self)
        self._hook.remove()
        self._look(sys._getframe(1))
        return list(self.found.values())

    def entering(self, kind: str, what: Any, operands: Any) -> Any:
        """A module is called; True for the outermost one."""
        if self._inside or kind != "module":
            return False
        self._inside = True
        return True

    def leaving(self, kind: str, what: Any, operands: Any, results: Any, begun: Any) -> None:
        """It has returned."""
        if begun:
            self._inside = False
            if not what.training:
                self._evaluated(results)

    def _stepped(self, *about: Any) -> None:
        self.steps += 1
        if self.steps % EACH == 0:
            self._look(sys._getframe(1))

    def _look(self, frame: Any) -> None:
        for one in kept(self.lines, frame, MANY):
            known = self.found.get((one.kind, one.line))
            if known is None or known.count < one.count:
                self.found[one.kind, one.line] = one

    def _trains(self, line: int) -> None:
        """A gradient has come to what a call gave: it was no evaluation, but training in eval(), or
        asks for a gradient of what went in."""
        self._used.add(line)
        self.found.pop(("evaluation", line), None)

    def _evaluated(self, result: Any) -> None:
        """A model that is not in training has been called, by a program outside of modules."""
        if not door.state.enabled:
            return
        given = [t for t in tensors(result) if t._fn is not None and t._fn is not LEAF]
        if not given:
            return
        line = self.lines.at(sys._getframe(2))[0]
        if line in self._used:
            return
        root = given[0]._fn.node if given[0]._fn.__class__ is Out else given[0]._fn
        one = self.found.get(("evaluation", line))
        if one is None:
            one = self.found["evaluation", line] = Watched("evaluation", line, 0, held(root))
        if one.count < LOOKS:
            for t in given:
                t.register_hook(lambda _: self._trains(line))
        self._results.append((line, weakref.ref(root)))
        one.count += 1
        if one.count % EACH == 0:
            living = sum([ref() is not None for at, ref in self._results if at == line])
            if living > 2:
                one.text = f"{living} of these graphs are alive"


