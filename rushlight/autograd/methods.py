"""Methods that tell observers of their calls: those of modules, those that take numbers out of
tensors, those that leave a tensor's history behind.

They are called too often to ask each time whether somebody looks on. So whoever owns such a method
says so here (`tells`), and while an observer is there that wants to see them (`Observer.methods`) a
form that tells stands in its place; a program that nobody watches runs what it always ran. To
observers they are spans like all others.

Not here: operations, nodes, optimisers' steps, loaders, which announce themselves (`observe.py`).
"""

from __future__ import annotations

import functools
import threading
from collections.abc import Callable
from typing import Any

from ..blocks import Presence
from . import door

state = door.state
_places: list[tuple[type, str, Callable[[Any], Any]]] = []  # methods, and what makes the forms
_kept: list[tuple[type, str, Any]] = []  # what stood in their places
_forms: dict[tuple[type, str], tuple[Any, Any]] = {}  # of each a method and its form


def tells(cls: type, kind: str, *names: str) -> None:
    """These methods of a class are spans of a kind. What they are is the method's name, but for
    `__call__` and `__init__`, where it is the object; the operands are the object and the
    arguments."""
    for name in names:
        if hasattr(cls, name):
            place = (cls, name, functools.partial(telling, kind, name))
            with _listeners.lock:
                _places.append(place)
                if _kept:  # somebody looks on while the module of the class is imported
                    stand(*place)


def telling(kind: str, name: str, plain: Any) -> Any:
    """The form of a method, or of a property that is read, that tells."""
    if isinstance(plain, property):
        get: Any = plain.fget
        return property(telling(kind, name, get), plain.fset, plain.fdel, plain.__doc__)
    of_object = name in ("__call__", "__init__")
    called = name.strip("_")

    @functools.wraps(plain)
    def told(x: Any, /, *args: Any, **kw: Any) -> Any:
        listening = state.listening
        if not listening:
            return plain(x, *args, **kw)
        what, operands = x if of_object else called, (x, *args, *kw.values())
        begun = [(o, o.entering(kind, what, operands)) for o in listening]
        results = None
        try:
            results = plain(x, *args, **kw)
        finally:
            for o, mark in begun:
                o.leaving(kind, what, operands, results, mark)
        return results

    return told


def listen(observer: Any) -> None:
    """Tell an observer what this thread calls, until `unlisten(observer)`."""
    _listeners.come((threading.get_ident(), observer))
    state.listening = (*state.listening, observer)


def unlisten(observer: Any) -> None:
    """The opposite of `listen`."""
    state.listening = tuple([o for o in state.listening if o is not observer])
    _listeners.go((threading.get_ident(), observer))


def pause() -> None:
    """Put everything back for a while: a compiler reads what stands in these places."""
    with _listeners.lock:
        restore()


def resume() -> None:
    """The opposite of `pause`."""
    _listeners.again()


def fit(on: bool) -> None:
    """Put those that tell into the places, or put everything back."""
    restore()
    if on:
        for place in _places:
            stand(*place)


def stand(cls: type, name: str, make: Callable[[Any], Any]) -> None:
    """Put one that tells into its place."""
    own = name in vars(cls)
    old = vars(cls)[name] if own else getattr(cls, name)
    _kept.append((cls, name, old if own else None))
    before, form = _forms.get((cls, name), (None, None))
    if before is not old:  # the same form each time: compiled programs ask for what stands here
        form = make(old)
        _forms[cls, name] = old, form
    setattr(cls, name, form)


def restore() -> None:
    """Put everything back."""
    while _kept:
        cls, name, old = _kept[-1]
        if old is not None:
            setattr(cls, name, old)
        elif name in vars(cls):
            delattr(cls, name)
        del _kept[-1]


_listeners = Presence(fit)
