"""Memory of the process: what is freed stays at hand for the next result, up to a bound.

A result of some megabytes is freed at each step and asked for again at the next. The C library
gives such memory back to the system at once and gets it back page by page, which costs more than
computing the result. `settle` tells it to keep up to KEPT bytes; `trim` gives them back.

glibc alone has these settings; elsewhere both do nothing. What a user has set through the
environment (MALLOC_TRIM_THRESHOLD_, GLIBC_TUNABLES, …) is left as it is.
"""

from __future__ import annotations

import ctypes
import os
import sys

M_TRIM_THRESHOLD, M_MMAP_THRESHOLD = -1, -3
KEPT = 128 << 20  # bytes that may lie unused at the end of the heap
LARGEST = 32 << 20  # larger blocks are mapped one by one: glibc's own limit


def settle() -> bool:
    """Keep freed memory for later results; False where that cannot be said."""
    if sys.platform != "linux" or any(
        name.startswith(("MALLOC_", "GLIBC_TUNABLES")) for name in os.environ
    ):
        return False
    mallopt = getattr(ctypes.CDLL(None), "mallopt", None)
    if mallopt is None:
        return False
    return bool(mallopt(M_MMAP_THRESHOLD, LARGEST) and mallopt(M_TRIM_THRESHOLD, KEPT))


def trim() -> bool:
    """Give unused memory back to the system; False where nothing could be given."""
    malloc_trim = (
        getattr(ctypes.CDLL(None), "malloc_trim", None) if sys.platform == "linux" else None
    )
    return bool(malloc_trim and malloc_trim(0))
