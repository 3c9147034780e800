"""What a worker does, be it a process or a thread: seeds, `get_worker_info`, and the reading.

Not here: how tasks come and batches go (`process_worker.py`, `thread_pool.py`).
"""

from __future__ import annotations

import random
import threading
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np

from .fetch import _DatasetKind, start_fetcher, state_of
from .wrapper import ExceptionWrapper

_worker_info: Any = None  # of this process, whichever thread asks
_thread = threading.local()  # .info: of a worker thread


@dataclass(frozen=True, slots=True)
class RNG:
    """The random generators of a worker thread."""

    random_generator: random.Random
    torch_generator: Any
    numpy_generator: Any = None


@dataclass(frozen=True, slots=True)
class WorkerInfo:
    """What a worker knows about itself.

    Attributes:
        id: 0 to num_workers - 1.
        num_workers: how many there are.
        seed: of this worker's random numbers.
        dataset: this worker's copy of the data set; a thread has the data set itself.
        rng: the generators of a worker thread; None in a process, which has its own default ones.
        worker_method: "multiprocessing" or "thread".
    """

    id: int
    num_workers: int
    seed: int
    dataset: Any
    rng: RNG | None = None
    worker_method: str | None = "multiprocessing"


def get_worker_info() -> WorkerInfo | None:
    """The worker this code runs in; None in the main process.

    >>> get_worker_info() is None
    True
    """
    return getattr(_thread, "info", None) or _worker_info


@dataclass(frozen=True, slots=True)
class _IterableDatasetStopIteration:
    """Sent instead of a batch: the stream of this worker has ended."""

    worker_id: int


@dataclass(frozen=True, slots=True)
class Job:
    """What a pool of workers is to do: everything that all of them share."""

    dataset: Any
    collate_fn: Callable[[Any], Any]
    init_fn: Callable[[int], None] | None
    kind: int
    auto_collation: bool
    drop_last: bool
    batch_size: int | None
    num_workers: int
    base_seed: int


@dataclass(frozen=True, slots=True)
class Start:
    """Where one worker begins a pass: after `skip` batches, from the data set's own `state`."""

    skip: int = 0
    state: Any = None


def numpy_seed(base_seed: int, worker_id: int) -> list[int]:
    """The seed of NumPy's generator in a worker: PyTorch's."""
    words = [worker_id, base_seed & 0xFFFFFFFF, base_seed >> 32, 0]
    return [int(w) for w in np.random.SeedSequence(words).generate_state(4)]


def begin_process(job: Job, worker_id: int) -> None:
    """Seed this process, and let it know that it is a worker."""
    import rushlight

    global _worker_info
    rushlight.set_num_threads(1)
    seed = job.base_seed + worker_id
    random.seed(seed)
    rushlight.manual_seed(seed)
    np.random.seed(numpy_seed(job.base_seed, worker_id))
    _worker_info = WorkerInfo(worker_id, job.num_workers, seed, job.dataset)


def begin_thread(job: Job, worker_id: int) -> RNG:
    """Give this thread generators of its own, and let it know that it is a worker."""
    import rushlight

    seed = job.base_seed + worker_id
    rng = RNG(
        random.Random(seed),
        rushlight.Generator().manual_seed(seed),
        np.random.default_rng(numpy_seed(job.base_seed, worker_id)),
    )
    _thread.info = WorkerInfo(worker_id, job.num_workers, seed, job.dataset, rng, "thread")
    return rng


class Reader:
    """The reading of one worker: passes, tasks, and errors as values.

    `state` is that of the data set (or of its iterator) after the last batch, if it tells one.
    """

    def __init__(self, job: Job, worker_id: int, where: str) -> None:
        self._job = job
        self._id = worker_id
        self.where = where
        self._fetcher: Any = None
        self._ended = False
        self._failed: ExceptionWrapper | None = None
        try:
            if job.init_fn is not None:
                job.init_fn(worker_id)
        except Exception:
            self._failed = ExceptionWrapper(where=where)

    def new_pass(self, start: Start) -> None:
        """Begin a pass over the data."""
        job = self._job
        self._ended = False
        try:
            self._fetcher = start_fetcher(
                lambda: _DatasetKind.create_fetcher(
                    job.kind, job.dataset, job.auto_collation, job.collate_fn, job.drop_last
                ),
                job.dataset,
                start.state,
                start.skip,
                job.batch_size,
            )
        except Exception:
            self._failed = self._failed or ExceptionWrapper(where=self.where)

    def read(self, index: Any) -> Any:
        """The batch; or an ExceptionWrapper; or, once, that the stream has ended; None after it."""
        if self._ended:
            return None
        if self._failed is not None:
            return self._failed
        try:
            return self._fetcher.fetch(index)
        except Exception as error:
            if isinstance(error, StopIteration) and self._job.kind == _DatasetKind.Iterable:
                self._ended = True
                return _IterableDatasetStopIteration(self._id)
            return ExceptionWrapper(where=self.where)

    @property
    def ended(self) -> bool:
        """Whether there is nothing more to read in this pass."""
        return self._ended

    def state(self) -> Any:
        """Where the data set says it is; None, too, if it fails to say."""
        try:
            return state_of(self._fetcher)
        except Exception:  # a program that never asks for a state should not hear of it
            return None


def _generate_state(base_seed: int, worker_id: int) -> list[int]:
    """Four numbers of 32 bits with which a worker seeds NumPy.

    Those of NumPy's own SeedSequence, from which PyTorch's algorithm is.
    """
    import numpy as np

    pool = np.random.SeedSequence([worker_id, base_seed & 0xFFFFFFFF, base_seed >> 32, 0])
    return [int(n) for n in pool.generate_state(4)]
