"""`multiprocessing` with tensors in shared memory: everything of the standard module, and a tensor
that is sent to another process is the same memory there.

>>> import rushlight as torch
>>> queue = torch.multiprocessing.SimpleQueue()
>>> x = torch.zeros(2)
>>> queue.put(x)
>>> y = queue.get()
>>> y += 1
>>> x
tensor([1., 1.])

Read next: `reductions.py` (how), `rushlight/shared_memory/blocks.py` (on what memory).
"""

from __future__ import annotations

import ctypes
import multiprocessing
import sys
import threading
from multiprocessing import *  # noqa: F403
from multiprocessing import reducer

from ..shared_memory import blocks
from . import reductions
from .reductions import init_reductions
from .spawn import (
    ENV_VAR_PARALLEL_START,
    ProcessContext,
    ProcessException,
    ProcessExitedException,
    ProcessRaisedException,
    SpawnContext,
    spawn,
    start_processes,
)

__all__ = [
    "ENV_VAR_PARALLEL_START",
    "ProcessContext",
    "ProcessException",
    "ProcessExitedException",
    "ProcessRaisedException",
    "SpawnContext",
    "get_all_sharing_strategies",
    "get_sharing_strategy",
    "init_reductions",
    "reducer",
    "reductions",
    "set_sharing_strategy",
    "spawn",
    "start_processes",
]
__all__ += multiprocessing.__all__


def get_sharing_strategy() -> str:
    """How blocks of shared memory are kept and sent: "file_descriptor" or "file_system"."""
    return blocks.strategy


def get_all_sharing_strategies() -> set[str]:
    """The strategies that this system has."""
    return set(blocks.STRATEGIES)


def set_sharing_strategy(new_strategy: str) -> None:
    """Choose for blocks made from now on.

    "file_descriptor": a block has no name and costs a descriptor in every process that holds it;
    nothing can be left behind. "file_system": a block has names in /dev/shm and costs no
    descriptors; if every process is killed, the names stay until the next program sweeps them.
    """
    if new_strategy not in blocks.STRATEGIES:
        raise AssertionError(
            f"invalid sharing strategy {new_strategy!r}, expected one of {blocks.STRATEGIES}"
        )
    blocks.strategy = new_strategy


def _set_thread_name(name: str) -> None:
    """Name the calling thread, as tools like top show it (15 letters on Linux)."""
    threading.current_thread().name = name
    if sys.platform == "linux":
        pr_set_name = 15
        ctypes.CDLL(None).prctl(pr_set_name, name.encode()[:15])


def _get_thread_name() -> str:
    """The name of the calling thread."""
    return threading.current_thread().name
