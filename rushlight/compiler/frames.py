"""Where the code that runs now stands: the user's lines, looked up among the frames."""

from __future__ import annotations

import sys
from typing import Any

OWN = __package__  # hooks, which stand between two pieces of code


def is_ours(space: dict[str, Any]) -> bool:
    """Whether the globals of a piece of code are those of a module of this package.

    Its `__package__` says so, where it has one, for `__name__` is another one under the drop-in.
    """
    return (space.get("__package__") or space.get("__name__", "")).partition(".")[0] == "rushlight"


def here() -> tuple[str, int] | None:
    """The user's (file, line) that runs now."""
    frame: Any = sys._getframe(1)
    while frame is not None:
        if not is_ours(frame.f_globals):
            return frame.f_code.co_filename, frame.f_lineno
        frame = frame.f_back
    return None


def users_stack() -> list[tuple[str, str, int]]:
    """(name, file, line) of the user's functions that run now, innermost first."""
    found = []
    frame: Any = sys._getframe(1)
    while frame is not None:
        if not is_ours(frame.f_globals):
            found.append((frame.f_code.co_name, frame.f_code.co_filename, frame.f_lineno))
        frame = frame.f_back
    return found


def called_by_us() -> bool:
    """Whether the code that called a hook belongs to this package."""
    frame: Any = sys._getframe(1)
    while str(frame.f_globals.get("__package__")).startswith(OWN):
        frame = frame.f_back
    return is_ours(frame.f_globals)
