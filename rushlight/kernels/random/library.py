"""Functions of the C library that kernels of random numbers call: those that Python's `math` calls,
so that the numbers are the same whichever way makes them."""

from __future__ import annotations

import ctypes
import ctypes.util
import sys
from collections.abc import Iterable
from typing import Any


def symbols(names: Iterable[str]) -> dict[str, int]:
    """Addresses of functions of the C library, by their names."""
    own: Any = ctypes.pythonapi
    if not hasattr(own, "log1p"):  # not linked to the process itself
        own = ctypes.CDLL("ucrtbase" if sys.platform == "win32" else ctypes.util.find_library("m"))
    return {name: ctypes.cast(getattr(own, name), ctypes.c_void_p).value for name in names}  # type: ignore[misc]
