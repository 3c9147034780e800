"""Modules: which one an event happens in, and what parameters and buffers are called.

Where several models have parameters, the name of a parameter begins with its model's. That is known
at the end; until then it begins with a mark (`MARK`), of which `Modules.resolver` makes the rest.
"""

from __future__ import annotations

import re
import weakref
from typing import Any

from .. import nn
from ..autograd.holders import variables
from ..autograd.node import TensorBase
from .lines import PACKAGE, USER, whose
from .recording import NONE, Module

MARK = "\x00"  # around the place of the module that a name belongs to
_marked = re.compile(f"{MARK}(\\d+){MARK}")


class Known:
    """A parameter or buffer.

    Attributes:
        ref: a weak reference to it.
        name: its name, with the mark.
        place: the module that has it.
        role: "parameter" or "buffer".
        reached: whether a gradient has come to it.
        shape: its shape.
        frozen, line: whether it requires none, and the line that said so.
    """

    __slots__ = ("frozen", "line", "name", "place", "reached", "ref", "role", "shape")

    def __init__(self, ref: Any, name: str, place: int, role: str) -> None:
        self.ref, self.name, self.place, self.role = ref, name, place, role
        self.reached = self.frozen = False
        self.shape: tuple[int, ...] = ()
        self.line = NONE

    def has_gradient(self) -> bool:
        """Whether it has one now, from wherever."""
        t = self.ref()
        return t is not None and t.grad is not None


class Modules:
    """The modules that a recording has met.

    Attributes:
        modules: they, each behind the one it is in.
        roots: the outermost ones that are still alive.
    """

    def __init__(self) -> None:
        self.modules: list[Module] = []
        self._known: dict[int, tuple[Any, int]] = {}  # id: weak reference, place
        self._tensors: dict[int, Known] = {}  # by id
        self._past: list[Known] = []  # those that have died, or have other names since
        self._frozen: dict[int, tuple[Any, int]] = {}  # id of a tensor: itself, the line
        self._roots: list[Any] = []
        self._loose = 0  # tensors that have a name although they are no module's

    def place(self, module: Any, within: list[Any], frame: Any) -> int:
        """A module's place; one that is new is taken in with all that is in it."""
        found = self._known.get(id(module))
        if found is not None and found[0]() is module:
            return found[1]
        if within and (path := path_to(within[-1], module)):
            above = self._known[id(within[-1])][1]
            base = self.modules[above].path
            self._take(module, f"{base}.{path}" if base else path, above)
        else:
            root, name = owner(module, frame)
            self._take(root, "", NONE)
            self.modules[self._known[id(root)][1]].name = name
            self._roots.append(weakref.ref(root))
        return self._known[id(module)][1]

    def _take(self, root: Any, path: str, above: int) -> None:
        places = {id(root): above}
        for name, module in root.named_modules():
            full = f"{path}.{name}" if path and name else path or name
            parent = places.get(id(module), NONE)
            found = self._known.get(id(module))
            if found is None or found[0]() is not module:
                place = self._add(module, full, parent)
            else:
                place = found[1]
                self.modules[place].parent = parent
                self.modules[place].path = full
            for child in module._modules.values():
                if child is not None:
                    places.setdefault(id(child), place)

    def _add(self, module: Any, path: str, parent: int) -> int:
        place = len(self.modules)
        own = [p for p in module._parameters.values() if p is not None]
        kind = type(module).__name__
        try:
            text = f"{module._get_name()}({module.extra_repr()})"
        except Exception:  # a user's `extra_repr` that asks for what is not there yet
            text = f"{kind}()"
        count = sum([p._a.size for p in own if isinstance(p, TensorBase)])
        self.modules.append(Module(path, kind, text, parent, count, module.training))
        self._known[id(module)] = weakref.ref(module), place
        self.rename(module, path, place)
        return place

    def rename(self, module: Any, path: str, place: int) -> None:
        """Take the names of a module's own parameters and buffers."""
        for tensors, role in ((module._parameters, "parameter"), (module._buffers, "buffer")):
            for name, t in tensors.items():
                if isinstance(t, TensorBase):
                    full = f"{path}.{name}" if path else name
                    self._know(t, f"{MARK}{place}{MARK}{full}", place, role)

    def _know(self, t: Any, name: str, place: int, role: str) -> Known:
        before = self._tensors.get(id(t))
        known = self._tensors[id(t)] = Known(weakref.ref(t), name, place, role)
        known.shape = tuple(t._a.shape)
        known.frozen = t._fn is None
        if known.frozen:
            ref, line = self._frozen.get(id(t), (None, NONE))
            known.line = line if ref is not None and ref() is t else NONE
        if before is not None:
            if before.ref() is t:
                known.reached = before.reached
            else:
                self._past.append(before)
        return known

    def freeze(self, t: Any, on: bool, line: int) -> None:
        """`requires_grad` of a tensor is set by a line."""
        if on:
            self._frozen[id(t)] = weakref.ref(t), line
        known = self.known(t)
        if known is not None:
            known.frozen, known.line = on, line if on else NONE

    def known(self, t: Any) -> Known | None:
        """What is known of a parameter or buffer."""
        found = self._tensors.get(id(t))
        return found if found is not None and found.ref() is t else None

    def reached(self) -> bool:
        """Whether a gradient has come to any of them."""
        return any(known.reached for known in self.tensors())

    def name(self, t: Any) -> str:
        """What a parameter or buffer is called, "" for anything else."""
        found = self._tensors.get(id(t))
        return found.name if found is not None and found.ref() is t else ""

    def tensors(self) -> list[Known]:
        """All parameters and buffers, also those that have died."""
        return [*self._past, *self._tensors.values()]

    def variable(self, t: Any, frame: Any) -> Known:
        """A tensor that is no module's: it is called as the variable of the program that holds
        it."""
        name = ""
        while frame is not None and not name:
            if whose(frame.f_code.co_filename) == USER:
                both = (*frame.f_globals.items(), *variables(frame).items())
                held = {id(v): k for k, v in both}
                name = held.get(id(t), "")
            frame = frame.f_back
        self._loose += 1
        return self._know(t, name or f"tensor {self._loose}", NONE, "parameter")

    def titles(self) -> dict[int, str]:
        """For each outermost module what names of parameters begin with: its name where several
        have parameters, else nothing."""
        roots = dict.fromkeys([self.root(k) for k, m in enumerate(self.modules) if m.parameters])
        if len(roots) < 2:
            return {}
        titles: dict[int, str] = {}
        for root in roots:
            title = base = self.modules[root].name or self.modules[root].kind
            more = 2
            while title in titles.values():
                title, more = f"{base}{more}", more + 1
            titles[root] = title
        return {root: title + "." for root, title in titles.items()}

    def resolver(self) -> Any:
        """A function that makes names of marked ones."""
        titles = self.titles()
        known: dict[str, str] = {}

        def title(match: Any) -> str:
            return titles.get(self.root(int(match[1])), "")

        def resolved(name: str) -> str:
            if MARK not in name:
                return name
            found = known.get(name)
            if found is None:
                found = known[name] = _marked.sub(title, name)
            return found

        return resolved

    def root(self, place: int) -> int:
        """The outermost module around one."""
        while self.modules[place].parent != NONE:
            place = self.modules[place].parent
        return place


def path_to(above: Any, module: Any) -> str:
    """The path of a module inside another one; "" when it is not there."""
    return next((name for name, m in above.named_modules() if m is module and name), "")


def owner(module: Any, frame: Any) -> tuple[Any, str]:
    """The module of the calling program that has `module` in it, and what it is called there.

    A program may call parts of a model (`model.encoder(x)`): the model is the outermost then.
    """
    best: tuple[int, Any, str] = (0, module, "")
    while frame is not None:
        theirs = whose(frame.f_code.co_filename) in (USER, PACKAGE)
        for names in (variables(frame), frame.f_globals) if theirs else ():
            for name, value in list(names.items()):
                if isinstance(value, nn.Module) and not name.startswith("_"):
                    parts = list(value.modules())
                    if any(m is module for m in parts) and (
                        len(parts) > best[0] or (value is best[1] and best[2] in ("", "self"))
                    ):
                        best = len(parts), value, name
        frame = frame.f_back
    return best[1], "" if best[2] == "self" else best[2]
