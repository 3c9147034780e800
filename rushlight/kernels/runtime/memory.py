"""Memory of the process: what is freed stays at hand for the next result, up to a bound.

A result of some megabytes is freed at each step and asked for again at the next. The C library
gives such memory back to the system at once and gets it back page by page, which costs more than
computing the result. Two things avoid that:

* `settle`, when the package is imported, tells the C library (glibc) to keep up to KEPT bytes;
* `start`, when the first kernel runs, gives NumPy the allocator of `allocator.py` for arrays
  above 256 KiB. What it keeps is bounded by RUSHLIGHT_MEMORY_CACHE, and what has not been used for
  some seconds goes back to the system by itself; `trim` gives it back at once.

A handler belongs to a context (PEP 567), as NumPy wants it: `ready` sets it in each thread that
runs a kernel. Arrays made elsewhere have NumPy's handler, and each is freed by its own.

Linux alone has all this; elsewhere, or without LLVM, NumPy's allocation stays as it is. What a user
has set through the environment (MALLOC_TRIM_THRESHOLD_, GLIBC_TUNABLES, …) is left as it is.
"""

from __future__ import annotations

import atexit
import contextvars
import ctypes
import os
import sys
import threading
from typing import Any

import numpy as np

from ... import config

M_TRIM_THRESHOLD, M_MMAP_THRESHOLD = -1, -3
KEPT = 128 << 20  # bytes that may lie unused at the end of the heap
KEPT_BESIDE = 4 << 20  # the same beside the allocator, which leaves small blocks to the heap
LARGEST = 32 << 20  # larger blocks are mapped one by one: glibc's own limit
TICK, WINDOW = 1.0, 5  # seconds; memory that was not needed for so many ticks goes back
SET_HANDLER, GET_HANDLER = 304, 305  # places in NumPy's table of functions: its stable ABI
PROT_READ, PROT_WRITE = 1, 2
MAP_PRIVATE, MAP_ANONYMOUS, MAP_NORESERVE = 0x02, 0x20, 0x4000
MADV_HUGEPAGE = 14
# Where the range may begin: far from libraries and machine code, whose parts must lie within 2 GB
# of each other and so must not have a large range between them.
PLACES = (1 << 44, 1 << 45, 1 << 36)


def settle(kept: int = KEPT) -> bool:
    """Keep freed memory for later results; False where that cannot be said."""
    if sys.platform != "linux" or any(
        name.startswith(("MALLOC_", "GLIBC_TUNABLES")) for name in os.environ
    ):
        return False
    mallopt = getattr(ctypes.CDLL(None), "mallopt", None)
    if mallopt is None:
        return False
    return bool(mallopt(M_MMAP_THRESHOLD, LARGEST) and mallopt(M_TRIM_THRESHOLD, kept))


def trim() -> bool:
    """Give unused memory back to the system; False where nothing could be given."""
    if _allocator:
        _allocator.trim()
    malloc_trim = (
        getattr(ctypes.CDLL(None), "malloc_trim", None) if sys.platform == "linux" else None
    )
    return bool(malloc_trim and malloc_trim(0))


def stop() -> None:
    """End the thread that gives memory back; a forked process begins its own."""
    if _allocator:
        _allocator.stop()


# -- the allocator -------------------------------------------------------------------------------


class _Functions(ctypes.Structure):
    """NumPy's PyDataMemAllocator."""

    _fields_ = tuple(
        (n, ctypes.c_void_p) for n in ("context", "malloc", "calloc", "realloc", "free")
    )


class _Handler(ctypes.Structure):
    """NumPy's PyDataMem_Handler."""

    _fields_ = (
        ("name", ctypes.c_char * 127),
        ("version", ctypes.c_uint8),
        ("functions", _Functions),
    )


def numpy_address(place: int) -> int:
    """Where a function of NumPy's C interface is."""
    pointer = ctypes.pythonapi.PyCapsule_GetPointer
    pointer.restype, pointer.argtypes = ctypes.c_void_p, (ctypes.py_object, ctypes.c_char_p)
    table = pointer(np._core._multiarray_umath._ARRAY_API, None)  # type: ignore[attr-defined]
    return ctypes.cast(table, ctypes.POINTER(ctypes.c_void_p))[place]  # type: ignore[no-any-return]


def _numpy_function(place: int, returns: Any, *arguments: Any) -> Any:
    """A function of NumPy's C interface."""
    return ctypes.PYFUNCTYPE(returns, *arguments)(numpy_address(place))


class Allocator:
    """The handler of this process, its shared words, and the thread that gives memory back."""

    def __init__(self, room: int) -> None:
        from . import allocator, builtin, jit, waiting

        self._words = allocator
        self._get = _numpy_function(GET_HANDLER, ctypes.py_object)
        self._set = _numpy_function(SET_HANDLER, ctypes.py_object, ctypes.py_object)
        pointer = ctypes.pythonapi.PyCapsule_GetPointer
        numpys = _Handler.from_address(pointer(self._get(), b"mem_handler")).functions
        libc = ctypes.CDLL(None)
        imports = {n: waiting.address(libc, n) for n in allocator.SYSTEM}
        imports.update(
            {f"numpy_{n}": getattr(numpys, n) for n in ("malloc", "calloc", "realloc", "free")}
        )
        found = jit.load(
            ("memory", allocator.SIZE),
            allocator.build,
            allocator.EXPORTS,
            {**builtin.symbols(), **imports},
        )
        self._state = (ctypes.c_int64 * allocator.SIZE).from_address(found["memory_state"])
        self._release = builtin.function(found["py_release"], "memory_release")
        self._reserve(libc)
        self._word("cap", room >> allocator.GRANULE)
        handler = _Handler(b"rushlight", 1)
        handler.functions = _Functions(
            None, *(found[f"data_{n}"] for n in ("malloc", "calloc", "realloc", "free"))
        )
        new = ctypes.pythonapi.PyCapsule_New
        new.restype, new.argtypes = (
            ctypes.py_object,
            (ctypes.c_void_p, ctypes.c_char_p, ctypes.c_void_p),
        )
        self.handler = new(ctypes.addressof(handler), b"mem_handler", None)
        for thing in (handler, self.handler):  # arrays may outlive the interpreter's modules
            jit.keep_for_ever(thing)
        self._lows: list[int] = []
        self._stop = threading.Event()
        self._trimmer: threading.Thread | None = None
        self._lock = threading.Lock()
        self.begin_trimming()
        atexit.register(self.stop)
        os.register_at_fork(after_in_child=self._forget)

    def _reserve(self, libc: Any) -> None:
        """A range of addresses several times as large as the memory; what is known of its
        granules lies at its end."""
        words = self._words
        libc.mmap.restype = ctypes.c_void_p
        libc.mmap.argtypes = (ctypes.c_void_p, ctypes.c_size_t, *[ctypes.c_int] * 3, ctypes.c_long)
        libc.munmap.argtypes = (ctypes.c_void_p, ctypes.c_size_t)
        libc.madvise.argtypes = (ctypes.c_void_p, ctypes.c_size_t, ctypes.c_int)
        how = MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE
        size = 1 << min(42, _memory().bit_length() + 2)
        entries = (size >> words.GRANULE) * words.ENTRY * 8
        for place in PLACES:
            base = libc.mmap(place, size + entries, PROT_READ | PROT_WRITE, how, -1, 0)
            if base == place:
                break
            if base != ctypes.c_void_p(-1).value:
                libc.munmap(base, size + entries)
        else:
            raise OSError("no range of addresses is free")
        libc.madvise(base, size, MADV_HUGEPAGE)  # a hint: a system without them is no worse off
        # What is more than there is the system shall refuse, as it does without this range.
        most = min(size, _memory())
        for name, value in (
            ("base", base), ("bytes", size), ("entries", base + size), ("most", most),
        ):  # fmt: skip
            self._word(name, value)

    def _word(self, name: str, value: int | None = None) -> int:
        """Read a shared word, or write it."""
        place = self._words.WORDS.index(name)
        if value is not None:
            self._state[place] = value
        return self._state[place]

    def adopt(self) -> None:
        """Let arrays that this context makes from now on come from here."""
        if np._core.multiarray.get_handler_name() == "default_allocator":  # type: ignore[attr-defined]
            self._set(self.handler)
            # A context that holds anything makes NumPy look up in it how to treat errors, at each
            # ufunc call; what is found is looked up quicker than what is not.
            np.seterr(**np.geterr())

    def trim(self) -> None:
        """Give all memory that is kept back to the system."""
        self._release(self._word("cached"))

    def tick(self) -> None:
        """Give back what was not needed at any time in the last WINDOW ticks."""
        self._lows.append(self._word("lowest"))
        if len(self._lows) == WINDOW:
            unused = min(self._lows)
            self._release(unused)
            self._lows = [low - unused for low in self._lows[1:]]
        self._word("lowest", self._word("cached"))

    def begin_trimming(self) -> None:
        with self._lock:
            if self._trimmer is None:
                self._trimmer = threading.Thread(
                    target=self._work, name="rushlight-memory", daemon=True
                )
                self._trimmer.start()

    def _work(self) -> None:
        while not self._stop.wait(TICK):
            if self._word("cached"):
                self.tick()

    def stop(self) -> None:
        """End the thread: it must not run while the interpreter goes down."""
        self._stop.set()
        if self._trimmer is not None:
            self._trimmer.join()

    def _forget(self) -> None:
        """A forked child has no thread but its own; nobody holds the lock of the lists."""
        self._word("lock", 0)
        self._lock = threading.Lock()
        self._stop = threading.Event()
        self._trimmer = None
        adoption.set(False)  # the next large job begins another

    def counts(self) -> dict[str, int]:
        """What is in use and what is kept, in bytes; see `counts` below."""
        words = dict(zip(self._words.WORDS, self._state, strict=False))
        allocated = words["peak"] - words["below"]
        small = allocated - words["large"]
        granule = 1 << self._words.GRANULE
        return {
            "allocated": allocated,
            "allocated_peak": words["peak"],
            "large": words["large"],
            "reserved": small + (words["used"] + words["cached"]) * granule,
            "reserved_peak": max(small + words["reserved_peak"] * granule, words["peak"]),
            "kept": words["cached"] * granule,
            "kept_at_most": words["cap"] * granule,
            "returned": words["released"] * granule,
            "allocations": words["allocations"],
            "reuses": words["hits"],
        }

    def reset_peaks(self) -> None:
        """Let both peaks begin at what is in use now."""
        self._word("peak", self._word("peak") - self._word("below"))
        self._word("below", 0)
        self._word("reserved_peak", self._word("used") + self._word("cached"))


COUNTS = (
    "allocated", "allocated_peak", "large", "reserved", "reserved_peak", "kept", "kept_at_most",
    "returned", "allocations", "reuses",
)  # fmt: skip
_allocator: Any = None  # once asked for: the Allocator, or False where there is none
adoption: contextvars.ContextVar[bool] = contextvars.ContextVar("rushlight_memory", default=False)
adopted = adoption.get  # whether this thread's arrays come from the allocator
_starting = threading.Lock()


def _memory() -> int:
    """Bytes of memory that this machine has."""
    return os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES")


def _allowed() -> int:
    """Bytes of memory that this process may use: its container may allow less than there is."""
    allowed = _memory()
    for path in ("/sys/fs/cgroup/memory.max", "/sys/fs/cgroup/memory/memory.limit_in_bytes"):
        try:
            with open(path, encoding="ascii") as file:
                text = file.read().strip()
        except OSError:  # no cgroup of this version
            continue
        if text.isdigit():
            allowed = min(allowed, int(text))
    return allowed


def _limited() -> bool:
    """Whether a limit on addresses (ulimit -v, -d) leaves no room for a large range."""
    import resource

    return any(
        resource.getrlimit(limit)[0] != resource.RLIM_INFINITY
        for limit in (resource.RLIMIT_AS, resource.RLIMIT_DATA)
    )


def start() -> Any:
    """The allocator, installed when first asked for; False where there is none."""
    global _allocator
    if _allocator is None:
        from . import jit

        with _starting:
            if _allocator is None:
                _allocator = _made() if jit.available() else False
                if _allocator:
                    settle(KEPT_BESIDE)
    return _allocator


def _made() -> Any:
    room = config.current.memory_cache
    room = int(room * _allowed()) if room <= 1 else int(room)
    name = np._core.multiarray.get_handler_name()  # type: ignore[attr-defined]
    if sys.platform != "linux" or room == 0 or name != "default_allocator" or _limited():
        return False
    try:
        return Allocator(room)
    except (OSError, AttributeError, RuntimeError):  # no such range of addresses; another C library
        return False


def ready() -> None:
    """Called before a large job: its thread's arrays come from the allocator from now on."""
    if not adopted():
        adoption.set(True)
        if start():
            _allocator.adopt()
            _allocator.begin_trimming()


def counts() -> dict[str, int]:
    """Bytes of arrays that live (`allocated`; `large` of them from the allocator), of memory held
    for them, of what is kept for later ones and of what was returned to the system; how many large
    arrays there were and how many of them reused kept memory. All 0 without the allocator.

    Arrays count that were made after the allocator began: with the first kernel, or with this call.
    """
    ready()
    return _allocator.counts() if _allocator else dict.fromkeys(COUNTS, 0)


def reset_peaks() -> None:
    """Let the peaks of `counts` begin at what is in use now."""
    if start():
        _allocator.reset_peaks()
