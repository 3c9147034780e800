"""Ctrl-C waits while an optimizer steps, so that a step is done or not, never half.

Python raises KeyboardInterrupt between any two of its instructions, also between the groups of an
optimizer or between a step count and its parameters. A compiled step promises more than that.
"""

from __future__ import annotations

import importlib
import signal
import threading
from collections.abc import Callable
from typing import Any

SIGINT = int(signal.SIGINT)
_MAIN = threading.main_thread().ident
# What `signal` is written on: it makes no enums of numbers, which take longer than all the rest.
_signal: Any = importlib.import_module("_signal")


def uninterrupted(fn: Callable[..., Any], *args: Any, **kw: Any) -> Any:
    """`fn(*args, **kw)`; a SIGINT that comes meanwhile is handled when it has ended.

    Python runs handlers in the main thread alone: in other threads nothing can interrupt `fn`.
    Where SIGINT has no handler of Python's, it is left as it is.
    """
    if threading.get_ident() != _MAIN:
        return fn(*args, **kw)
    handler = _signal.getsignal(SIGINT)
    if not callable(handler):
        return fn(*args, **kw)
    came: list[tuple[Any, Any]] = []
    try:
        # Until the handler is another one nothing was done, and once it is back everything is.
        _signal.signal(SIGINT, lambda number, frame: came.append((number, frame)))
        return fn(*args, **kw)
    finally:
        try:
            _signal.signal(SIGINT, handler)
        except BaseException:  # of another signal's handler, which `signal` lets run first
            _signal.signal(SIGINT, handler)
            raise
        if came:
            handler(*came[0])
