"""Settings of the process: threads, determinism, precision. One typed object, and PyTorch's
functions for it.

Environment, at start: RUSHLIGHT_NUM_THREADS (or OMP_NUM_THREADS); RUSHLIGHT_MEMORY_CACHE, how much
freed memory may be kept for later results: a share of the machine's (0.125 unless set) or bytes;
RUSHLIGHT_CUDA_AS_CPU (1): what a program asks of a CUDA device is done on the CPU (decision 0044).
"""

from __future__ import annotations

import functools
import os
import sys
import warnings
from collections.abc import Callable

import numpy as np

from .errors import message


def available_cores() -> int:
    """Cores this process may use: its affinity, and the CPU quota of its container."""
    cores = (
        len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1
    )
    try:
        with open("/sys/fs/cgroup/cpu.max", encoding="ascii") as file:
            quota, _, period = file.read().partition(" ")
        if quota != "max":
            cores = min(cores, max(1, -(-int(quota) // int(period))))
    except (OSError, ValueError):  # no cgroup v2 here: affinity alone counts
        return cores
    return cores


def initial_threads() -> int:
    for name in ("RUSHLIGHT_NUM_THREADS", "OMP_NUM_THREADS"):
        value = os.environ.get(name, "")
        if value.isdigit() and int(value) > 0:
            return int(value)
    return available_cores()


def initial_memory_cache() -> float:
    value = os.environ.get("RUSHLIGHT_MEMORY_CACHE", "")
    try:
        return max(0.0, float(value)) if value else 0.125
    except ValueError:
        raise ValueError(
            "RUSHLIGHT_MEMORY_CACHE is a number: a share of memory (up to 1) or bytes; got "
            f"{value!r}"
        ) from None


class Config:
    """What can be set; `rushlight.config.current` is the one object."""

    # (`num_threads` is read by machine code, too)
    __slots__ = (
        "cuda_as_cpu", "deterministic", "deterministic_warn_only", "fill_uninitialized_memory",
        "flush_denormal", "matmul_precision", "memory_cache", "num_interop_threads", "num_threads",
    )  # fmt: skip

    def __init__(self) -> None:
        self.num_threads: int = initial_threads()
        self.num_interop_threads: int = 1
        self.memory_cache: float = initial_memory_cache()
        self.deterministic: bool = False
        self.deterministic_warn_only: bool = False
        self.fill_uninitialized_memory: bool = True
        self.matmul_precision: str = "highest"
        self.flush_denormal: bool = False
        self.cuda_as_cpu: bool = os.environ.get("RUSHLIGHT_CUDA_AS_CPU", "") not in ("", "0")


current = Config()


def get_num_threads() -> int:
    """Threads that an operation may use: the cores of this process unless set.

    >>> before = torch.get_num_threads()
    >>> torch.set_num_threads(1)
    >>> torch.get_num_threads()
    1
    >>> torch.set_num_threads(before)
    """
    return current.num_threads


def set_num_threads(n: int) -> None:
    """Let operations use `n` threads: our kernels, and NumPy's BLAS where it does the work.

    Results do not depend on it, to the last bit: work is cut in the same places for any number.

    Raises:
        RuntimeError: not a positive number.

    >>> before = torch.get_num_threads()
    >>> torch.set_num_threads(2)
    >>> torch.get_num_threads()
    2
    >>> torch.set_num_threads(before)
    """
    if not isinstance(n, int) or isinstance(n, bool):
        raise TypeError(f"set_num_threads expects an int, but got {type(n).__name__}")
    if n > 2**31 - 1:
        raise ValueError("Overflow when unpacking long")
    if n <= 0:
        raise RuntimeError("set_num_threads expects a positive integer")
    current.num_threads = n
    blas = blas_threads()
    if blas is not None:
        blas[1](n)


@functools.cache
def blas_threads() -> tuple[Callable[[], int], Callable[[int], None]] | None:
    """The functions of NumPy's BLAS that tell and set its number of threads; None: it has none that
    we know (it is not an OpenBLAS)."""
    import ctypes

    for path in _blas_paths():
        library = ctypes.PyDLL(path)  # which keeps the global lock: these calls are short
        for end in ("64_", ""):
            for begin in ("scipy_openblas", "openblas"):
                tell = getattr(library, f"{begin}_get_num_threads{end}", None)
                put = getattr(library, f"{begin}_set_num_threads{end}", None)
                if tell is not None and put is not None:
                    tell.argtypes, tell.restype = [], ctypes.c_int
                    put.argtypes, put.restype = [ctypes.c_int], None
                    return tell, put
    return None


def _blas_paths() -> list[str]:
    """Libraries in which the functions of NumPy's BLAS may be found. Names are looked up in a
    library and in all that it is linked with, so NumPy's own extension leads to any BLAS; Windows
    looks at the one file only."""
    if sys.platform != "win32":
        found = sys.modules["numpy._core._multiarray_umath"].__file__
        return [found] if found else []
    from pathlib import Path  # imported here: pathlib takes milliseconds

    return [str(p) for p in Path(np.__file__).parents[1].glob("numpy.libs/*openblas*.dll")]


def get_num_interop_threads() -> int:
    """Operations run one after the other: the number is what `set_num_interop_threads` was given, 1
    before.

    >>> torch.get_num_interop_threads() >= 1
    True
    """
    return current.num_interop_threads


def set_num_interop_threads(n: int) -> None:
    """Accepted: operations run one after the other whatever the number.

    Raises:
        RuntimeError: not a positive number.

    >>> torch.set_num_interop_threads(torch.get_num_interop_threads())
    """
    if n > 2**31 - 1:
        raise ValueError("Overflow when unpacking long")
    if n <= 0:
        raise RuntimeError("Expected positive number of threads")
    current.num_interop_threads = n


def use_deterministic_algorithms(mode: bool, *, warn_only: bool = False) -> None:
    """Results do not vary from run to run here, so this forbids nothing.

    While it is set, memory that nobody has filled (`empty`, a larger `resize_`) is NaN, or the
    largest number of its type, unless `torch.utils.deterministic.fill_uninitialized_memory` is
    False.

    Args:
        mode: on or off.
        warn_only: noted (PyTorch would warn in place of raising).

    >>> torch.use_deterministic_algorithms(True)
    >>> torch.empty(2)
    tensor([nan, nan])
    >>> torch.use_deterministic_algorithms(False)
    """
    for name, value in ((" 'mode' (position 1)", mode), (" 'warn_only'", warn_only)):
        if not isinstance(value, bool):
            raise TypeError(
                f"_set_deterministic_algorithms(): argument{name} must be bool, not "
                f"{type(value).__name__}"
            )
    current.deterministic, current.deterministic_warn_only = mode, warn_only


DEBUG_MODES = ("default", "warn", "error")


def set_deterministic_debug_mode(debug_mode: int | str) -> None:
    """`use_deterministic_algorithms` by a number or word: 0 "default", 1 "warn", 2 "error".

    >>> torch.set_deterministic_debug_mode("warn")
    >>> torch.get_deterministic_debug_mode()
    1
    >>> torch.set_deterministic_debug_mode("default")
    """
    if not isinstance(debug_mode, (int, str)):
        raise TypeError(f"debug_mode must be str or int, but got {type(debug_mode)}")
    level = DEBUG_MODES.index(debug_mode) if debug_mode in DEBUG_MODES else debug_mode
    if level not in (0, 1, 2):
        wanted = "one of `default`, `warn`, `error`" if isinstance(level, str) else "0, 1, or 2"
        raise RuntimeError(f"invalid value of debug_mode, expected {wanted}, but got {debug_mode}")
    use_deterministic_algorithms(level != 0, warn_only=level == 1)


def get_deterministic_debug_mode() -> int:
    """What `set_deterministic_debug_mode` or `use_deterministic_algorithms` set, as a number.

    >>> torch.get_deterministic_debug_mode()
    0
    """
    return (1 if current.deterministic_warn_only else 2) if current.deterministic else 0


def are_deterministic_algorithms_enabled() -> bool:
    """What `use_deterministic_algorithms` set.

    >>> torch.are_deterministic_algorithms_enabled()
    False
    """
    return current.deterministic


def is_deterministic_algorithms_warn_only_enabled() -> bool:
    """The `warn_only` that `use_deterministic_algorithms` was given.

    >>> torch.use_deterministic_algorithms(True, warn_only=True)
    >>> torch.is_deterministic_algorithms_warn_only_enabled()
    True
    >>> torch.use_deterministic_algorithms(False)
    """
    return current.deterministic_warn_only


def get_float32_matmul_precision() -> str:
    """What `set_float32_matmul_precision` set; "highest" at first.

    >>> torch.get_float32_matmul_precision()
    'highest'
    """
    return current.matmul_precision


def set_float32_matmul_precision(precision: str) -> None:
    """How exact large products of float32 are where the CPU's matrix unit (AMX) computes them.

    "highest": each number is the sum of three bfloat16 numbers, six products of which are computed:
    as exact as float32. "high": the sum of two, three products: about 16 bits. "medium": one
    bfloat16 number, 8 bits. Everywhere else float32 is computed in float32, which every setting
    allows.

    Any other string changes nothing, and a UserWarning says so.

    Raises:
        RuntimeError: for what is no string.

    Example:
        >>> import rushlight
        >>> rushlight.set_float32_matmul_precision("high")
        >>> rushlight.get_float32_matmul_precision()
        'high'
        >>> rushlight.set_float32_matmul_precision("highest")
    """
    if not isinstance(precision, (str, bytes)):
        raise RuntimeError(
            message(
                "set_float32_matmul_precision expects a str, but got "
                f"{type(precision).__name__}",
                wanted="'highest', 'high' or 'medium'",
                hint="'highest', which is as exact as float32",
            )
        )
    name = precision.decode() if isinstance(precision, bytes) else str(precision)
    if name not in ("highest", "high", "medium"):
        warnings.warn(
            message(
                f"{name} is not one of 'highest', 'high', or 'medium'; the current "
                "setFloat32MatmulPrecision call has no effect.",
                hint=f"one of these; the precision stays {current.matmul_precision!r}",
            ),
            stacklevel=2,
        )
        return
    current.matmul_precision = name


def set_flush_denormal(mode: bool) -> bool:
    """False: NumPy's loops keep denormal numbers (PyTorch answers so where the CPU cannot flush
    them).

    >>> torch.tensor([1e-40]) > 0  # smaller than the smallest normal number
    tensor([True])
    """
    return False


# What programs ask of the library that they run on: our own kernels and NumPy's LAPACK.
has_lapack = has_spectral = True
has_mkl = has_openmp = False

if "RUSHLIGHT_NUM_THREADS" in os.environ:  # BLAS itself knows only OMP_NUM_THREADS
    set_num_threads(current.num_threads)
