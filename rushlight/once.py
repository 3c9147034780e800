"""Warnings that a process is told once, as PyTorch's `TORCH_WARN_ONCE`; `set_warn_always`."""

from __future__ import annotations

import os
import sys
import warnings

HOME = os.path.dirname(__file__) + os.sep

_told: set[str] = set()
_always = [False]


def set_warn_always(mode: bool, /) -> None:
    """Whether warnings that are told once a process are told each time."""
    _always[0] = bool(mode)


def is_warn_always_enabled() -> bool:
    """What `set_warn_always` set."""
    return _always[0]


def users_level() -> int:
    """The `stacklevel` of the program's own line, for a warning that comes by several ways."""
    frame, level = sys._getframe(1), 1
    while frame.f_back is not None and frame.f_code.co_filename.startswith(HOME):
        frame, level = frame.f_back, level + 1
    return level


def warn_once(text: str, stacklevel: int = 3) -> None:
    """A UserWarning of the caller's caller, if it is the first one of this text."""
    if text in _told and not _always[0]:
        return
    _told.add(text)
    warnings.warn(text, UserWarning, stacklevel=stacklevel)
