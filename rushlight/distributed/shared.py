"""Memory that the ranks of one machine share (MPI's shared windows): a slot of each rank, which it
fills and all read.

Everything goes by rounds: each rank writes into its own slot (`mine`), says so (`round`), and when
all have said so, all may read all slots (`rows`). A rank has two slots, which it fills in turn: it
comes to fill the first again only in the round after the next, and by then all have read it, for
they have filled theirs of the round between. One wait a round is enough.
"""

from __future__ import annotations

import os
import shutil
from typing import Any

import numpy as np

# Bytes of a slot: small enough that what a rank has written is still in the caches when the others
# read it, large enough that waiting for one another costs little beside it.
SLOT = 1 << 20
BYTES = np.dtype(np.uint8)
LINE = 64  # a rank's count of rounds has a cache line of its own
# Memory that is shared is often little (64 MB in many containers), and a process that touches more
# of it than there is dies at once. A group takes no more than this part of what is left, all of it
# at the beginning; with slots smaller than LEAST it sends messages.
PART = 8
LEAST = 1 << 16
SHARED = "/dev/shm"
# While it waits, a rank lets MPI go on with messages this often (in looks at the others' counts).
PROGRESS = 64


class Slots:
    """The slots of a group's ranks.

    Attributes:
        size: bytes of a slot.
    """

    def __init__(self, mpi: Any, comm: Any, size: int) -> None:
        self.window = mpi.Win.Allocate_shared(LINE + 2 * size, 1, comm=comm)
        self.window.Lock_all(mpi.MODE_NOCHECK)
        self.comm, self.size, self.me = comm, size, comm.rank
        memory = [self.window.Shared_query(r)[0] for r in range(comm.size)]
        self.counts = [memoryview(m)[:8].cast("q") for m in memory]
        np.frombuffer(memory[self.me], np.uint8)[:] = 0
        self.others = [c for r, c in enumerate(self.counts) if r != self.me]
        whole = [np.frombuffer(m, np.uint8) for m in memory]
        self.slots = [[w[LINE + k * size : LINE + (k + 1) * size] for w in whole] for k in (0, 1)]
        self.rounds = 0
        comm.Barrier()  # nobody counts before all counts are zero

    def mine(self, count: int, dtype: Any = BYTES) -> np.ndarray:
        """The slot that this rank fills in the next round, as `count` elements."""
        slot = self.slots[(self.rounds + 1) & 1][self.me]
        return slot[: count * dtype.itemsize].view(dtype)

    def round(self, group: Any, call: Any, patient: bool) -> None:
        """What is in `mine` is for all; return when all ranks have come here."""
        self.rounds = now = self.rounds + 1
        self.window.Sync()  # what was written before comes before the count, on any processor
        self.counts[self.me][0] = now
        others, looks = self.others, 0

        def done() -> bool:
            nonlocal looks
            looks += 1
            if looks % PROGRESS == 0:
                self.comm.Iprobe()
            return all(c[0] >= now for c in others)

        group.until(done, call, patient)
        self.window.Sync()

    def rows(self, count: int, dtype: Any = BYTES) -> list[np.ndarray]:
        """What each rank has given in the last round."""
        size = count * dtype.itemsize
        return [s[:size].view(dtype) for s in self.slots[self.rounds & 1]]


def slots(world: Any, comm: Any) -> Slots | None:
    """Slots for a communicator, all of whose ranks have just come here (MPI's calls in it wait for
    them); None where they are on several machines, or alone, or have no memory to share."""
    if comm.size == 1:
        return None
    here = comm.Split_type(world.mpi.COMM_TYPE_SHARED)
    together = here.size == comm.size
    here.Free()
    if not together:
        return None
    size = comm.bcast(room(comm.size))
    return Slots(world.mpi, comm, size) if size >= min(SLOT, LEAST) else None


def room(ranks: int) -> int:
    """Bytes of a slot, where so many ranks share memory."""
    if not os.path.isdir(SHARED):
        return SLOT
    left = shutil.disk_usage(SHARED).free // PART // (2 * ranks)
    return min(SLOT, left // 4096 * 4096)
