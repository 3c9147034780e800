"""Observers: who sees what is computed, and changes nothing.

`with observing(fn)` lets `fn(record, arrays, parameters, results)` see every computation of this
thread on arrays, in order: operations, derivative rules, sums of gradients, in-place changes,
updates, noise. What runs inside such a record is a part of it. An `Observer` may also look at the
spans around them: a call on Tensors, a node of the graph, a composite, a whole backward.

When the first observer comes, functions that have a form which tells are swapped for it, and put
back when the last one goes. The same records run either way.
Not here: watchers, who may change what is done (`watch.watching`).
"""

from __future__ import annotations

import threading
from collections.abc import Callable
from typing import Any

from ..blocks import Presence
from . import door, methods, watch


class Observer:
    """One who looks on. Subclasses say what to do with what they see.

    A span's `kind` is "op" (a call on Tensors), "inplace" (its in-place form), "composite" (a
    public function written with others), "function" (an `autograd.Function`), "node", "leaf",
    "backward", "optimizer", "zero_grad", "loader", "collective" (of torch.distributed) or
    "compiled"; `what` is the record, node or object. Those that see methods are told of "module"
    (a call), "item" (a number taken out of a tensor: `.item()`, `.tolist()`, `bool()`), "cut"
    (`.detach()`, `.data`, `.numpy()`), "requires_grad" and "made" (an optimiser).
    """

    parts = False  # whether to see records that run inside other ones, too
    spans = False  # whether to see spans
    methods = False  # whether to see calls of methods, as spans (`methods.py`)
    computations = True  # whether to see computations and spans; False: methods only
    replays = False  # whether compiled programs may run, which are then one span, "compiled"

    def performing(self, record: Any, arrays: Any, kw: dict[str, Any]) -> Any:
        """Before a computation on arrays; what is returned is handed to `performed`."""

    def performed(
        self, record: Any, arrays: Any, kw: dict[str, Any], results: Any, begun: Any
    ) -> None:
        """After a computation on arrays (`results` is None when it failed)."""

    def looking(self, name: str) -> None:
        """A function lets the numbers in a tensor decide what it does."""

    def entering(self, kind: str, what: Any, operands: Any) -> Any:
        """Before a span; what is returned is handed to `leaving`."""

    def reducing(self, reducer: Any, number: int | None) -> bool:
        """DistributedDataParallel is about to reduce gradient `number`, or (None) to wait for all;
        True: this observer has seen to it."""
        return False

    def leaving(self, kind: str, what: Any, operands: Any, results: Any, begun: Any) -> None:
        """After a span (`results` is None when it failed)."""


class _Function(Observer):
    """A plain function that is told what was computed."""

    def __init__(self, fn: Callable[..., Any]) -> None:
        self.fn = fn

    def performed(
        self, record: Any, arrays: Any, kw: dict[str, Any], results: Any, begun: Any
    ) -> None:
        self.fn(record, arrays, kw, results)


class observing:
    """Let `fn(record, arrays, parameters, results)`, or an Observer, see this thread's computations
    for a block."""

    def __init__(self, fn: Callable[..., Any] | Observer) -> None:
        self.observer = fn if isinstance(fn, Observer) else _Function(fn)

    def __enter__(self) -> None:
        observe(self.observer)

    def __exit__(self, *error: object) -> None:
        try:
            unobserve(self.observer)
        except BaseException:
            unobserve(self.observer)
            raise


def look(name: str) -> None:
    """Tell observers that the function of that name decides by the numbers in a tensor."""
    for observer in door.state.observers:
        observer.looking(name)


def observe(observer: Observer) -> None:
    """Let an observer see what this thread does until `unobserve(observer)`."""
    try:
        if observer.methods:
            methods.listen(observer)
        if observer.computations:
            _observers.come((threading.get_ident(), observer))
            watch.general.come((threading.get_ident(), observer))
            door.state.observers = (*door.state.observers, observer)
    except BaseException:
        unobserve(observer)
        raise


def unobserve(observer: Observer) -> None:
    """Send an observer away, who need not be the one that came last. Where this is interrupted it
    is called again."""
    if observer.methods:
        methods.unlisten(observer)
    if observer.computations:
        door.state.observers = tuple([o for o in door.state.observers if o is not observer])
        _observers.go((threading.get_ident(), observer))
        watch.general.go((threading.get_ident(), observer))


def _swap(seen: bool) -> None:
    door.perform = perform_observed if seen else door.bare_perform


_observers = Presence(_swap, watch.set_shown)
on_observe = _observers.fits  # told when the first comes and the last one goes


def perform_observed(record: Any, arrays: Any, kw: dict[str, Any]) -> Any:
    """`door.perform` for when some thread is observed."""
    state = door.state
    observers = state.observers
    if not observers:
        return record.fn(*arrays, **kw)
    within = state.within
    if within:
        observers = tuple([o for o in observers if o.parts])
        if not observers:
            return record.fn(*arrays, **kw)
    begun = [o.performing(record, arrays, kw) for o in observers]
    state.within = True
    results = None
    try:
        results = record.fn(*arrays, **kw)
    finally:
        state.within = within
        for observer, mark in zip(observers, begun, strict=True):
            observer.performed(record, arrays, kw, results, mark)
    return results


def enter(kind: str, what: Any, operands: Any) -> Any:
    """Announce the beginning of a span; the result is for `leave`."""
    observers = [o for o in door.state.observers if o.spans]
    return [(o, o.entering(kind, what, operands)) for o in observers]


def leave(kind: str, what: Any, operands: Any, results: Any, begun: Any) -> None:
    """Announce its end."""
    for observer, mark in begun:
        observer.leaving(kind, what, operands, results, mark)


def span(kind: str, what: Any, operands: Any, run: Callable[[], Any]) -> Any:
    """`run()`, announced to this thread's observers of spans."""
    if not door.state.observers:
        return run()
    begun = enter(kind, what, operands)
    results = None
    try:
        results = run()
    finally:
        leave(kind, what, operands, results, begun)
    return results


door.take(
    enter=enter, leave=leave, observe=observe, observing=observing, span=span, unobserve=unobserve
)
