"""Watchers: whoever stands at the door and may change what is done there.

    with watching(fn): ...      # fn(next_apply, op, inputs, kw) for each operation of this thread

While somebody watches, in whatever thread, `door.apply` is `apply_watched`, and no call takes a
short way. Anomaly mode, forward mode and autocast are watchers.

Not here: observers, who see all that is computed and change nothing (`observe.py`).
"""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

from . import door

_watch_count = _general_count = 0
_watch_lock = threading.Lock()
# Told (True) when calls have to go the general way, and (False) when they need no longer.
on_general: list[Callable[[bool], None]] = []
# What `apply_watched` ends with: `apply_shown` while somebody observes.
_innermost = door.bare_apply
on_watch: list[Callable[[bool], None]] = []  # as well, but for watchers alone


def apply_shown(op: Any, inputs: tuple[Any, ...], kw: dict[str, Any]) -> Any:
    """`apply` for when some thread is observed."""
    return door.span("op", op, inputs, lambda: door.bare_apply(op, inputs, kw))


def apply_watched(op: Any, inputs: tuple[Any, ...], kw: dict[str, Any]) -> Any:
    """`apply` for when some thread watches: this thread's watchers are called, innermost first."""
    watchers = door.state.watchers
    if not watchers:
        return _innermost(op, inputs, kw)
    door.state.watchers = watchers[:-1]
    try:
        return watchers[-1](apply_watched, op, inputs, kw)
    finally:
        door.state.watchers = watchers


def set_watched(change: int) -> None:
    """Count those who need to see every call; swap the door when the first comes or the last
    goes."""
    global _watch_count
    with _watch_lock:
        before = _watch_count
        _watch_count += change
        if (before == 0) != (_watch_count == 0):
            door.apply = apply_watched if _watch_count else _innermost
            for tell in on_watch:
                tell(bool(_watch_count))
    set_general(change)


def set_general(change: int) -> None:
    """Count those for whom no call may take a short way: watchers, and observers as one."""
    global _general_count
    with _watch_lock:
        before = _general_count
        _general_count += change
        if (before == 0) != (_general_count == 0):
            for tell in on_general:
                tell(bool(_general_count))


def set_shown(shown: bool) -> None:
    """Announce every call, or no longer: told by `observe.py`."""
    global _innermost
    with _watch_lock:
        _innermost = apply_shown if shown else door.bare_apply
        if not _watch_count:
            door.apply = _innermost


def stand_last(fn: Callable[..., Any]) -> None:
    """Let `fn(op, inputs, kw)` stand below all watchers, from now on and for all threads."""
    global _innermost
    with _watch_lock:
        before, door.bare_apply = door.bare_apply, fn
        if _innermost is before:
            _innermost = fn
        if door.apply is before:
            door.apply = fn


@contextmanager
def watching(fn: Callable[..., Any]) -> Iterator[None]:
    """Let `fn(next_apply, op, inputs, kw)` stand at the door of this thread for a block."""
    watch(fn)
    try:
        yield
    finally:
        unwatch(fn)


def watch(fn: Callable[..., Any], at: int | None = None) -> None:
    """Let `fn` stand at the door of this thread until `unwatch(fn)`: the first to be asked, or with
    `at` in this place from the last."""
    set_watched(1)
    watchers = door.state.watchers
    at = len(watchers) if at is None else at
    door.state.watchers = (*watchers[:at], fn, *watchers[at:])


def unwatch(fn: Callable[..., Any]) -> None:
    """Send `fn` away, which need not be the one that came last."""
    watchers = door.state.watchers
    for i in range(len(watchers) - 1, -1, -1):
        if watchers[i] is fn:
            door.state.watchers = (*watchers[:i], *watchers[i + 1 :])
            break
    set_watched(-1)
