"""The one place that knows MPI: loading it, becoming a world, and waiting for what it does.

mpi4py brings the calls, and the user's MPI, or the mpich wheel, the library:
`pip install 'rushlight[distributed]'`. Requests are waited for in Python, in a loop that also looks
at the clock and at what the job's book says, so that a rank that is gone ends a wait at once.
"""

from __future__ import annotations

import ctypes
import functools
import os
import sys
import time
from collections.abc import Callable, Sequence
from importlib.util import find_spec
from typing import Any

from ..errors import message

EXTRA = "pip install 'rushlight[distributed]'"
# What mpiexec gives its children: the rank under one of these, with the size next to it.
STARTED = (
    ("PMI_RANK", "PMI_SIZE"),  # MPICH and its derivatives
    ("OMPI_COMM_WORLD_RANK", "OMPI_COMM_WORLD_SIZE"),  # Open MPI
    ("PMIX_RANK", "PMIX_SIZE"),
)
# A wait asks again and again, then lets others of this core run, then sleeps. Whoever has slept is
# woken before programs that never do; whoever only yields waits for their whole turns, so on a busy
# machine a rank must not go on yielding (3 ranks beside one busy program: 87 s, and 4 s like this).
SPINS = 20
# A nap lasts a 50th of the time that has been waited, so nobody is late by more than that. If naps
# stayed short, a wait would take a quarter of a core, which a rank that still computes could use.
SHORTEST_NAP, LONGEST_NAP, OF_WAITED = 50e-6, 1e-3, 0.02
IMPATIENT = 2e-3  # seconds before the first nap, where the caller has nothing else to do

_joined: list[Any] = []  # the socket that MPI's library uses until it ends
_sched_yield: Callable[[], None] = getattr(os, "sched_yield", lambda: time.sleep(0))


def library() -> Any:
    """The module `mpi4py.MPI`, not initialized by being imported.

    Raises:
        ImportError: there is no mpi4py, or it finds no MPI.
    """
    try:
        import mpi4py

        if "mpi4py.MPI" not in sys.modules:
            mpi4py.rc.initialize = mpi4py.rc.finalize = False
        from mpi4py import MPI
    except (ImportError, RuntimeError) as why:
        raise ImportError(
            message(
                "torch.distributed needs MPI, which is not installed",
                got=f"{type(why).__name__}: {why}",
                wanted="mpi4py and an MPI library (the machine's own, or the mpich wheel)",
                hint=EXTRA,
            )
        ) from why
    return MPI


@functools.cache
def installed() -> bool:
    """Whether mpi4py is there; it is not imported."""
    return sys.modules.get("mpi4py", True) is not None and find_spec("mpi4py") is not None


def started_by_mpiexec() -> tuple[int, int] | None:
    """Rank and size, where mpiexec (or a batch system) has started this process."""
    if _joined:
        return None
    for rank, size in STARTED:
        if rank in os.environ and size in os.environ:
            return int(os.environ[rank]), int(os.environ[size])
    return None


def initialize(descriptor: int | None, rank: int, size: int) -> Any:
    """Initialize MPI: as mpiexec has arranged it, or, given the descriptor of a socket to a server
    of PMI (pmi.py), as `rank` of `size` processes. Returns mpi4py's module.

    The call stands outside of Python's lock, for the server may be a thread of this process.
    """
    mpi = library()
    if mpi.Is_initialized():
        return mpi
    if descriptor is not None:
        given = {"PMI_FD": str(descriptor), "PMI_RANK": str(rank), "PMI_SIZE": str(size)}
        os.environ.update(given)
    provided = ctypes.c_int()
    code = ctypes.CDLL(mpi.__file__).MPI_Init_thread(None, None, 3, ctypes.byref(provided))
    if descriptor is not None:
        for name in given:  # children are no ranks of this world
            del os.environ[name]
    if code or not mpi.Is_initialized():
        raise RuntimeError(f"MPI_Init_thread failed with code {code}")
    if mpi.Query_thread() < mpi.THREAD_SERIALIZED:
        raise RuntimeError(
            message(
                "this MPI cannot be called by more than one thread",
                wanted="MPI_THREAD_SERIALIZED or MPI_THREAD_MULTIPLE",
                hint="another build of the MPI library, or the mpich wheel: " + EXTRA,
            )
        )
    return mpi


def finalize(mpi: Any) -> None:
    """End MPI, outside of Python's lock as well: all ranks do it together."""
    if not mpi.Is_finalized():
        ctypes.CDLL(mpi.__file__).MPI_Finalize()


def skip_destructors() -> None:
    """Let the process end, once Python has, without the destructors of MPI's libraries: those of
    the mpich wheel speak to the server of PMI a second time, through a descriptor that is closed,
    and end in a segmentation fault now and then. The exit status is kept (`on_exit` of glibc hands
    it on)."""
    if sys.platform.startswith("linux"):
        libc = ctypes.CDLL(None)
        if hasattr(libc, "on_exit"):
            libc.on_exit(libc._exit, None)


def unlink_shared_memory() -> None:
    """Take the names of the library's shared memory away: all ranks of this machine have it by now,
    and a rank that is killed leaves nothing behind."""
    if not sys.platform.startswith("linux"):
        return
    with open("/proc/self/maps", encoding="utf-8", errors="replace") as file:
        paths = {line.split()[-1] for line in file if "/dev/shm/mpich" in line}
    for path in paths:
        if os.path.exists(path):
            os.unlink(path)


def all_done(requests: Sequence[Any]) -> Callable[[], bool]:
    """What asks MPI whether all of its requests are done."""
    test, pending = type(requests[0]).Testall, list(requests)
    return lambda: bool(test(pending))


def wait(
    done: Callable[[], bool], deadline: float, failed: Callable[[], Any], patient: bool = False
) -> bool:
    """Wait until `done()`; False when `deadline` (of `time.monotonic`) has passed.

    `failed()` is called again and again, and raises when the job cannot go on. A `patient` wait
    leaves the core to others at once.
    """
    for _ in range(SPINS):
        if done():
            return True
    began = now = time.monotonic()
    while not done():
        failed()
        if patient:
            time.sleep(min(max(OF_WAITED * (now - began), SHORTEST_NAP), LONGEST_NAP))
        else:
            _sched_yield()
        now = time.monotonic()
        if now > deadline:
            return False
        patient = patient or now - began > IMPATIENT
    return True
