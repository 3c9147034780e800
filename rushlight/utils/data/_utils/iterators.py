"""One pass over the data: what `iter(loader)` gives, in this process or through workers.

The order in which tasks go to workers is PyTorch's, so that a random transform in worker k draws
the same numbers for the same sample. Read next: `process_pool.py`, `thread_pool.py`.
"""

from __future__ import annotations

import itertools
import warnings
import weakref
from collections.abc import Iterator
from typing import Any

from ....autograd import door
from ....errors import message
from ..sampler import draw_seed
from . import resume
from .fetch import _DatasetKind, start_fetcher
from .resume import Progress, Share
from .worker import Job, Start, _IterableDatasetStopIteration
from .wrapper import ExceptionWrapper


class StandIn:
    """An object that has what PyTorch's iterators ask of a loader, and not what is ours alone.

    Programs give such objects to the iterators: fastai does. What is ours has its first value here.
    """

    _loaded = _seed = _progress = batch_size = None
    worker_method = "multiprocessing"

    def __init__(self, loader: Any) -> None:
        self._loader = loader
        self._iterable = loader._dataset_kind == _DatasetKind.Iterable

    def __getattr__(self, name: str) -> Any:
        return getattr(self._loader, name)

    @classmethod
    def of(cls, loader: Any) -> Any:
        """The loader itself, if it is one of ours or stands for one already."""
        ours = isinstance(loader, cls) or "_loaded" in getattr(loader, "__dict__", ())
        return loader if ours else cls(loader)


class _BaseDataLoaderIter:
    """What passes have in common: the order, the seed, the count."""

    def __init__(self, loader: Any) -> None:
        loader = StandIn.of(loader)
        self._dataset = loader.dataset
        self._dataset_kind = loader._dataset_kind
        self._auto_collation = loader._auto_collation
        self._drop_last = loader.drop_last
        self._index_sampler = loader._index_sampler
        self._num_workers = loader.num_workers
        self._timeout = loader.timeout
        self._collate_fn = loader.collate_fn
        self._persistent_workers = loader.persistent_workers
        self._pin_memory = False
        if loader.pin_memory:
            _warn_of_pinning(loader)
        self._profile_name = f"enumerate(DataLoader)#{self.__class__.__name__}.__next__"
        self._base_seed = 0
        self._begin(loader, first=True)

    def _begin(self, loader: Any, first: bool) -> None:
        """Begin a pass: at its beginning, or where a loaded state says."""
        loaded, loader._loaded = loader._loaded, None
        shares = max(1, self._num_workers)
        if loaded is None:
            self._progress = Progress(resume.snapshot(loader))
            self._progress.shares = [Share() for _ in range(shares)]
            self._sampler_iter: Iterator[Any] = iter(self._index_sampler)
            known, loader._seed = loader._seed, None
            self._progress.drew_seed = first and known is None
            if self._progress.drew_seed:
                self._base_seed = draw_seed(loader.generator)
            elif known is not None:
                self._base_seed = known
            self._numbered: Iterator[tuple[int, Any]] | None = None
            self._count = 0
        else:
            self._progress = loaded
            with resume.replay(loaded.start, loader):
                self._sampler_iter = iter(self._index_sampler)
                if loaded.drew_seed:
                    draw_seed(loader.generator)
                if first:
                    self._base_seed = loaded.base_seed
                self._numbered = self._rest(loaded)
            self._count = 0
            if len(loaded.shares) != shares:
                loaded.shares = [Share() for _ in range(shares)]
                loaded.turn = 0
        self._progress.base_seed = self._base_seed
        self._num_yielded = self._progress.yielded + len(self._progress.ahead)
        self._IterableDataset_len_called = loader._IterableDataset_len_called
        loader._progress = self._progress

    def _rest(self, loaded: Progress) -> Iterator[tuple[int, Any]]:
        if self._dataset_kind == _DatasetKind.Iterable:
            return enumerate(self._sampler_iter)
        return resume.skipped(self._sampler_iter, loaded)

    def _next_index(self) -> Any:
        return next(self._sampler_iter)

    def _next_task(self) -> tuple[int, Any]:
        """The number and the index of the next batch."""
        if self._numbered is not None:
            return next(self._numbered)
        index = self._next_index()
        number = self._count
        self._count += 1
        return number, index

    def __iter__(self) -> Any:
        return self

    def _next_data(self) -> Any:
        raise NotImplementedError

    def __next__(self) -> Any:
        if door.state.observers:
            data = door.span("loader", self, (), self._next_data)
        else:
            data = self._next_data()
        self._num_yielded += 1
        promised = self._IterableDataset_len_called
        if promised is not None and self._num_yielded > promised:
            self._warn_of_length(promised)
        return data

    def _warn_of_length(self, promised: int) -> None:
        if self._dataset_kind != _DatasetKind.Iterable:
            return
        text = (
            f"Length of IterableDataset {self._dataset} was reported to be {promised} "
            f"(when accessing len(dataloader)), but {self._num_yielded} samples have been fetched."
        )
        if self._num_workers > 0:
            text += (
                " For multiprocessing data-loading, this could be caused by not properly "
                "configuring the IterableDataset replica at each worker: see get_worker_info()."
            )
        warnings.warn(text, stacklevel=3)

    def __len__(self) -> int:
        return len(self._index_sampler)

    @property
    def next(self) -> Any:
        """A method of Python 2's iterators, which PyTorch's had; programs ask for it still."""
        what = f"'{type(self).__name__}' object has no attribute 'next'"
        raise AttributeError(message(what, hint="next(iterator)"), name="next", obj=self)

    def __getstate__(self) -> Any:
        raise NotImplementedError("{} cannot be pickled", self.__class__.__name__)


class _SingleProcessDataLoaderIter(_BaseDataLoaderIter):
    """A pass in the calling process."""

    def __init__(self, loader: Any) -> None:
        loader = StandIn.of(loader)
        if loader.timeout:
            raise AssertionError("DataLoader without workers requires timeout == 0")
        loaded = loader._loaded
        super().__init__(loader)
        self._dataset_fetcher = self._progress.fetcher = start_fetcher(
            lambda: _DatasetKind.create_fetcher(
                self._dataset_kind,
                self._dataset,
                self._auto_collation,
                self._collate_fn,
                self._drop_last,
            ),
            self._dataset,
            None if loaded is None else loaded.shares[0].state,
            0 if loaded is None else loaded.yielded,
            loader.batch_size,
        )

    def _next_data(self) -> Any:
        progress = self._progress
        try:
            index = next(self._sampler_iter) if self._numbered is None else next(self._numbered)[1]
            data = self._dataset_fetcher.fetch(index)
        except StopIteration:
            progress.finished = True
            raise
        progress.yielded += 1
        return data


class _MultiProcessingDataLoaderIter(_BaseDataLoaderIter):
    """A pass through workers, processes or threads."""

    def __init__(self, loader: Any) -> None:
        loader = StandIn.of(loader)
        if loader.prefetch_factor <= 0:
            raise AssertionError(
                "prefetch_factor must be greater than 0 for MultiProcessingDataLoaderIter"
            )
        self._pool: Any = None
        self._number = 0  # of the pass
        loaded = loader._loaded
        super().__init__(loader)
        job = Job(
            dataset=self._dataset,
            collate_fn=self._collate_fn,
            init_fn=loader.worker_init_fn,
            kind=self._dataset_kind,
            auto_collation=self._auto_collation,
            drop_last=self._drop_last,
            batch_size=loader.batch_size,
            num_workers=self._num_workers,
            base_seed=self._base_seed,
        )
        if loader.worker_method == "thread":
            from .thread_pool import ThreadPool

            self._pool = ThreadPool(job)
        else:
            from .process_pool import ProcessPool

            self._pool = ProcessPool(job, loader.multiprocessing_context)
        # The workers end with this object, wherever the program drops it.
        self._finalizer = weakref.finalize(self, self._pool.shutdown)
        self._finalizer.atexit = False  # process_pool.shutdown_all does that, and is quicker
        self._prime(loader, loaded)

    @property
    def _workers(self) -> list[Any]:
        """The worker processes, or threads; programs ask for them by PyTorch's name."""
        workers: list[Any] = self._pool.processes
        return workers

    def _reset(self, loader: Any, first_iter: bool = False) -> None:
        """Begin another pass with the same workers."""
        loader = StandIn.of(loader)
        loaded = loader._loaded
        self._begin(loader, first=first_iter)
        self._prime(loader, loaded)

    def _prime(self, loader: Any, loaded: Progress | None) -> None:
        n = self._num_workers
        self._in_order = loader.in_order
        self._prefetch_factor = loader.prefetch_factor
        # Of each batch asked for and not handed out: its worker, and what came of it.
        self._task_info: dict[int, tuple[Any, ...]] = {}
        self._order: list[int] = []  # numbers of these, as they were asked for
        self._tasks_outstanding = 0
        self._workers_status = [True] * n  # False: its stream has ended, for this pass
        self._workers_num_tasks = [0] * n
        turn = loaded.turn if loaded is not None else 0
        self._worker_queue_idx_cycle = itertools.cycle([(turn + i) % n for i in range(n)])
        starts = [Start()] * n
        if loaded is not None:
            starts = [Start(share.yielded, share.state) for share in self._progress.shares]
        self._number += 1
        self._pool.begin_pass(self._number, starts)
        for _ in range(self._prefetch_factor * n):
            self._try_put_index()

    def _try_put_index(self) -> None:
        """Let the next worker in turn read the next batch, if there is either."""
        most = self._prefetch_factor * self._num_workers
        try:
            number, index = self._next_task()
        except StopIteration:
            return
        for _ in range(self._num_workers):
            worker = next(self._worker_queue_idx_cycle)
            if self._workers_status[worker] and (
                self._in_order
                or self._workers_num_tasks[worker] < most // sum(self._workers_status)
            ):
                break
        else:
            return
        self._task_info[number] = (worker,)
        self._order.append(number)
        self._workers_num_tasks[worker] += 1
        self._tasks_outstanding += 1
        self._pool.task(worker, number, index)

    def _next_data(self) -> Any:
        while True:
            # The next batch in order that can still come: those asked of a worker whose stream has
            # ended do not.
            while self._order:
                number = self._order[0]
                info = self._task_info.get(number)
                if info is not None and (len(info) > 1 or self._workers_status[info[0]]):
                    break
                self._task_info.pop(number, None)
                self._order.pop(0)
            else:
                self._progress.finished = True
                if not self._persistent_workers:
                    self._shutdown_workers()
                raise StopIteration
            if len(self._task_info[number]) > 1:
                return self._hand_out(number, *self._task_info[number][1:])
            number, value, state = self._get_data()
            self._tasks_outstanding -= 1
            if isinstance(value, _IterableDatasetStopIteration):
                self._workers_status[value.worker_id] = False
                if not self._persistent_workers:
                    self._pool.retire(value.worker_id)
                self._try_put_index()
            elif number == self._order[0] or not self._in_order:
                return self._hand_out(number, value, state)
            else:
                self._task_info[number] += (value, state)

    def _get_data(self) -> tuple[int, Any, Any]:
        if self._pool.closed:
            raise RuntimeError(
                message(
                    "DataLoader: the workers of this pass have ended",
                    hint="a new pass: iter(loader), or another for loop over it",
                )
            )
        try:
            got = self._pool.receive(self._timeout or None)
        except KeyboardInterrupt:
            self._pool.shutdown(0.3)
            raise
        if got is None:
            self._pool.shutdown(0.0)  # a worker that waits for something would not hear of it
            raise RuntimeError(
                message(
                    f"DataLoader timed out after {self._timeout} seconds",
                    got=f"no batch from {self._num_workers} workers for that long",
                    hint="a longer timeout, or looking for what the data set waits for: "
                    "num_workers=0 reads in this process, where a debugger can follow",
                )
            )
        _, _, number, value, state = got
        return number, value, state

    def _hand_out(self, number: int, value: Any, state: Any) -> Any:
        worker = self._task_info.pop(number)[0]
        self._order.remove(number)
        self._workers_num_tasks[worker] -= 1
        self._try_put_index()
        stream = self._dataset_kind == _DatasetKind.Iterable
        self._progress.handed_out(None if stream else number, worker, state)
        if isinstance(value, ExceptionWrapper):
            value.reraise()
        return value

    def _shutdown_workers(self) -> None:
        self._pool.shutdown()


def _warn_of_pinning(loader: Any) -> None:
    if loader.pin_memory_device:
        warnings.warn(
            "pin_memory_device is deprecated, the current accelerator will be used as the device,"
            f"ignore pin_memory_device='{loader.pin_memory_device}'.",
            stacklevel=5,
        )
    warnings.warn(
        "'pin_memory' argument is set as true but no accelerator is found, "
        "then device pinned memory won't be used.",
        stacklevel=5,
    )
