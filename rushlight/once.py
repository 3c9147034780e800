"""Warnings that a process is told once, as PyTorch's `TORCH_WARN_ONCE`; `set_warn_always`."""

from __future__ import annotations

import warnings

_told: set[str] = set()
_always = [False]


def set_warn_always(mode: bool, /) -> None:
    """Whether warnings that are told once a process are told each time."""
    _always[0] = bool(mode)


def is_warn_always_enabled() -> bool:
    """What `set_warn_always` set."""
    return _always[0]


def warn_once(text: str, stacklevel: int = 3) -> None:
    """A UserWarning of the caller's caller, if it is the first one of this text."""
    if text in _told and not _always[0]:
        return
    _told.add(text)
    warnings.warn(text, UserWarning, stacklevel=stacklevel)
