"""Where the code that runs now stands: the user's lines, looked up among the frames."""

from __future__ import annotations

import sys
from typing import Any

OWN = __name__.rpartition(".")[0]  # hooks, which stand between two pieces of code


def here() -> tuple[str, int] | None:
    """The user's (file, line) that runs now."""
    frame: Any = sys._getframe(1)
    while frame is not None:
        name = frame.f_globals.get("__name__", "")
        if not (name == "rushlight" or name.startswith("rushlight.")):
            return frame.f_code.co_filename, frame.f_lineno
        frame = frame.f_back
    return None


def users_stack() -> list[tuple[str, str, int]]:
    """(name, file, line) of the user's functions that run now, innermost first."""
    found = []
    frame: Any = sys._getframe(1)
    while frame is not None:
        name = frame.f_globals.get("__name__", "")
        if not (name == "rushlight" or name.startswith("rushlight.")):
            found.append((frame.f_code.co_name, frame.f_code.co_filename, frame.f_lineno))
        frame = frame.f_back
    return found


def called_by_us() -> bool:
    """Whether the code that called a hook belongs to this package."""
    frame: Any = sys._getframe(1)
    while frame.f_globals.get("__name__", "").startswith(OWN):
        frame = frame.f_back
    name = frame.f_globals.get("__name__", "")
    return bool(name == "rushlight" or name.startswith("rushlight."))
