"""What kernels need while they run: compiling and loading, threads, memory, BLAS beside them.

`jit.py` compiling, the disk cache, loading · `builtin.py` calls from Python, `calls.py` those of
whole plans · `threads.py` the pool, `waiting.py` how its threads sleep · `memory.py`,
`allocator.py` memory of large arrays · `blas.py` BLAS's threads · `few.py`, `few_code.py` small
steps on ndarrays · `object_code.py` what machine code does to Python's objects, in words.
"""

from __future__ import annotations

_available: bool | None = None  # what `jit.available` said, once it was asked


def available() -> bool:
    """Whether kernels can be compiled and run here. Asked for the first time, it imports LLVM."""
    global _available
    if _available is None:
        from . import jit

        _available = jit.available()
    return _available


def running() -> bool:
    """Whether machine code has been asked for before, and is there."""
    return bool(_available)


def missing() -> bool:
    """Whether machine code has been asked for before, and is not there."""
    return _available is False
