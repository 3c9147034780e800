"""Watchers: whoever stands at the door and may change what is done there.

    with watching(fn): ...      # fn(next_apply, op, inputs, kw) for each operation of this thread

While somebody watches, in whatever thread, `door.apply` is `apply_watched`, and no call takes a
short way. Anomaly mode, forward mode and autocast are watchers.

Not here: observers, who see all that is computed and change nothing (`observe.py`).
"""

from __future__ import annotations

from collections.abc import Callable, Hashable
from typing import Any

from ..blocks import Presence
from . import door

# Told (True) when calls have to go the general way, and (False) when they need no longer: there are
# watchers, observers, modes.
general = Presence()
on_general = general.fits
# What `apply_watched` ends with: `apply_shown` while somebody observes.
_innermost = door.bare_apply


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


def _swap(on: bool) -> None:
    door.apply = apply_watched if on else _innermost


watched = Presence(_swap)  # those who need to see every call
on_watch = watched.fits


def come(who: Hashable) -> None:
    """Somebody needs to see every call, until `go`."""
    try:
        watched.come(who)
        general.come(who)
    except BaseException:
        go(who)
        raise


def go(who: Hashable) -> None:
    """Somebody needs to see calls no longer. Where this is interrupted it is called again."""
    watched.go(who)
    general.go(who)


def set_shown(shown: bool) -> None:
    """Announce every call, or no longer: told by `observe.py`."""
    global _innermost
    with watched.lock:
        _innermost = apply_shown if shown else door.bare_apply
        if not watched.there:
            door.apply = _innermost


def stand_last(fn: Callable[..., Any]) -> None:
    """Let `fn(op, inputs, kw)` stand below all watchers, from now on and for all threads."""
    global _innermost
    with watched.lock:
        before, door.bare_apply = door.bare_apply, fn
        if _innermost is before:
            _innermost = fn
        if door.apply is before:
            door.apply = fn


class watching:
    """Let `fn(next_apply, op, inputs, kw)` stand at the door of this thread for a block: the first
    to be asked, or with `at` in this place from the last. It need not be left in its turn."""

    __slots__ = ("at", "fn", "inside")

    def __init__(self, fn: Callable[..., Any], at: int | None = None) -> None:
        self.fn, self.at, self.inside = fn, at, False

    def __enter__(self) -> None:
        watchers = door.state.watchers
        at = len(watchers) if self.at is None else self.at
        come(self)
        door.state.watchers = (*watchers[:at], self.fn, *watchers[at:])
        self.inside = True

    def __exit__(self, *error: object) -> None:
        try:
            self.leave()
        except BaseException:
            self.leave()
            raise

    def leave(self) -> None:
        """Send it away; where this is interrupted it is called again."""
        if self.inside:
            watchers = door.state.watchers
            for at in range(len(watchers) - 1, -1, -1):
                if watchers[at] is self.fn:
                    watchers = (*watchers[:at], *watchers[at + 1 :])
                    break
            door.state.watchers = watchers
            self.inside = False
        go(self)
