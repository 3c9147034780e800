"""DataLoader: batches of a data set, read in the calling process or by workers.

This file holds the class and its checks. Read next: `_utils/iterators.py`, one pass over the data;
`_utils/process_pool.py`, worker processes; `_utils/resume.py`, saving where a loader is;
`sampler.py`, orders.
"""

from __future__ import annotations

import math
import os
import sys
import warnings
from collections.abc import Callable, Iterator, Sequence
from typing import Any, Generic, TypeVar

from ...drawn import drawn_as
from ._utils import resume
from ._utils.collate import default_collate, default_convert
from ._utils.fetch import _DatasetKind, state_of
from ._utils.iterators import (
    _BaseDataLoaderIter,
    _MultiProcessingDataLoaderIter,
    _SingleProcessDataLoaderIter,
)
from ._utils.worker import get_worker_info
from .dataset import Dataset, IterableDataset
from .sampler import BatchSampler, RandomSampler, Sampler, SequentialSampler, length_of

__all__ = ["DataLoader", "default_collate", "default_convert", "get_worker_info"]

T_co = TypeVar("T_co", covariant=True)
# What programs annotate their own loaders with.
_T_co = TypeVar("_T_co", covariant=True)
_worker_init_fn_t = Callable[[int], None]
_collate_fn_t = Callable[[list[T_co]], Any]


class _InfiniteConstantSampler(Sampler[None]):
    """The sampler of an IterableDataset: the stream alone says when it ends."""

    def __iter__(self) -> Iterator[None]:
        while True:
            yield None


class DataLoader(Generic[T_co]):
    """Batches of a data set: `for x, y in DataLoader(data, batch_size=64, shuffle=True)`.

    Args:
        dataset: a map (`__getitem__`, `__len__`) or an IterableDataset.
        batch_size: samples a batch; None gives single samples, uncollated.
        shuffle: a new random order each pass.
        sampler, batch_sampler: own orders, of indices or of lists of indices.
        num_workers: how many workers read; 0, the calling process.
        collate_fn: makes a batch of a list of samples.
        pin_memory, pin_memory_device: accepted, with PyTorch's warning: there is no accelerator to
            pin memory for.
        drop_last: leave out a last batch that is not full.
        timeout: seconds to wait for a batch of the workers before it is an error; 0, for ever.
            A worker that dies is always noticed at once.
        worker_init_fn: called with the worker's id when it starts, after seeding.
        multiprocessing_context: a start method ("fork", "spawn", "forkserver") or a context. None
            is forkserver, spawn where there is none, and fork for data sets that cannot be pickled
            (a lambda, a local class) or live in a program that cannot be imported (a notebook).
        generator: where the order comes from; None is the default generator.
        prefetch_factor: batches that each worker prepares ahead; 2 when there are workers.
        persistent_workers: keep the workers from pass to pass.
        in_order: False hands out batches as they become ready.
        worker_method: "multiprocessing", or "thread" for workers that are threads of this process:
            they start at once and share the data set, and run side by side where the reading
            releases the GIL (files, image decoding, NumPy).

    Worker k has the seed `base_seed + k`, PyTorch's, for `random`, NumPy and Rushlight. Tensors
    come from worker processes through shared memory; `get_worker_info()` tells a worker who it is.

    Raises, while it is iterated:
        RuntimeError: a worker died (the message names it and the signal), or `timeout` is over.
        any class: what a worker raised, with the worker's traceback in the message.

    >>> data = torch.utils.data.TensorDataset(torch.arange(5.0))
    >>> [batch.tolist() for batch, in DataLoader(data, batch_size=2)]
    [[0.0, 1.0], [2.0, 3.0], [4.0]]
    """

    dataset: Any
    batch_size: int | None
    num_workers: int
    drop_last: bool
    sampler: Any
    _iterator: Any
    _fixed = (
        "batch_size",
        "batch_sampler",
        "sampler",
        "drop_last",
        "dataset",
        "persistent_workers",
    )

    def __init__(
        self,
        dataset: Dataset[T_co] | Sequence[T_co],
        batch_size: int | None = 1,
        shuffle: bool | None = None,
        sampler: Any = None,
        batch_sampler: Any = None,
        num_workers: int = 0,
        collate_fn: Callable[[list[Any]], Any] | None = None,
        pin_memory: bool = False,
        drop_last: bool = False,
        timeout: float = 0,
        worker_init_fn: Callable[[int], None] | None = None,
        multiprocessing_context: Any = None,
        generator: Any = None,
        *,
        prefetch_factor: int | None = None,
        persistent_workers: bool = False,
        pin_memory_device: str = "",
        in_order: bool = True,
        worker_method: str = "multiprocessing",
    ) -> None:
        _check_worker_options(num_workers, timeout, prefetch_factor, persistent_workers)
        if worker_method not in ("multiprocessing", "thread"):
            raise ValueError(
                f"worker_method should be 'multiprocessing' or 'thread', but got {worker_method!r}"
            )
        if num_workers > 0 and prefetch_factor is None:
            prefetch_factor = 2
        self._iterable = isinstance(dataset, IterableDataset)
        self._dataset_kind = _DatasetKind.Iterable if self._iterable else _DatasetKind.Map
        if self._iterable:
            _check_iterable(shuffle, sampler, batch_sampler)
        if sampler is not None and shuffle:
            raise ValueError("sampler option is mutually exclusive with shuffle")
        if batch_sampler is not None:
            if batch_size != 1 or shuffle or sampler is not None or drop_last:
                raise ValueError(
                    "batch_sampler option is mutually exclusive with batch_size, shuffle, sampler, "
                    "and drop_last"
                )
            batch_size = None
        elif batch_size is None and drop_last:
            raise ValueError(
                "batch_size=None option disables auto-batching and is mutually exclusive with "
                "drop_last"
            )
        if sampler is None:
            sized: Any = dataset
            if self._iterable:
                sampler = _InfiniteConstantSampler()
            elif shuffle:
                sampler = RandomSampler(sized, generator=generator)
            else:
                sampler = SequentialSampler(sized)
        if batch_size is not None and batch_sampler is None:
            batch_sampler = BatchSampler(sampler, batch_size, drop_last)
        self.dataset = dataset
        self.batch_size = batch_size
        self.sampler = sampler
        self.batch_sampler = batch_sampler
        self.num_workers = num_workers
        self.pin_memory = pin_memory
        self.pin_memory_device = pin_memory_device
        self.drop_last = drop_last
        self.timeout = timeout
        self.worker_init_fn = worker_init_fn
        self.multiprocessing_context = multiprocessing_context
        self.generator = generator
        self.prefetch_factor = prefetch_factor
        self.persistent_workers = persistent_workers
        self.in_order = in_order
        if collate_fn is None:
            collate_fn = default_collate if self._auto_collation else default_convert
        self.collate_fn = collate_fn
        self.worker_method = worker_method
        self._IterableDataset_len_called: int | None = None  # what a stream said when asked
        self._iterator = None  # kept when the workers are
        self._progress: resume.Progress | None = None  # of the pass begun last
        self._seed: int | None = None  # of the workers, if a loaded state says it
        self._loaded: resume.Progress | None = None  # where the next pass begins
        self._complete = True
        self.check_worker_number_rationality()
        if num_workers > 0 and worker_method != "thread" and self._context is None:
            from ._utils.start import warm_up

            warm_up(dataset, self.collate_fn, worker_init_fn)

    def __setattr__(self, name: str, value: Any) -> None:
        if name in self._fixed and self.__dict__.get("_complete"):
            raise ValueError(
                f"{name} attribute should not be set after {type(self).__name__} is initialized"
            )
        super().__setattr__(name, value)

    @property
    def _auto_collation(self) -> bool:
        return self.batch_sampler is not None

    @property
    def _index_sampler(self) -> Any:
        return self.batch_sampler if self._auto_collation else self.sampler

    @property
    def multiprocessing_context(self) -> Any:
        """The context that workers are started in, if one was chosen."""
        return self._context

    @multiprocessing_context.setter
    def multiprocessing_context(self, context: Any) -> None:
        if context is not None:
            context = _checked_context(context, self.num_workers)
        self._context = context

    def _get_iterator(self) -> _BaseDataLoaderIter:
        if self.num_workers == 0:
            return _SingleProcessDataLoaderIter(self)
        return _MultiProcessingDataLoaderIter(self)

    def __iter__(self) -> Iterator[Any]:
        if not (self.persistent_workers and self.num_workers > 0):
            return self._get_iterator()
        if self._iterator is None or self._iterator._pool.closed:
            self._iterator = self._get_iterator()
        else:
            self._iterator._reset(self)
        return self._iterator  # type: ignore[no-any-return]

    _repr_html_ = drawn_as("loader")

    def __len__(self) -> int:
        if not self._iterable:
            return len(self._index_sampler)
        length = self._IterableDataset_len_called = length_of(self.dataset)
        if self.batch_size is not None:
            round_to_batches = math.floor if self.drop_last else math.ceil
            length = round_to_batches(length / self.batch_size)
        return length

    def state_dict(self) -> dict[str, Any]:
        """Where this loader is: save it, and `load_state_dict` goes on with the next batch.

        It counts the batches that the program was given, not those that workers have prepared. A
        stream (or any data set) that has `state_dict` and `load_state_dict` itself is asked for
        its own state; another stream is read up to its place again. With a saved generator state
        of the program, the order goes on as if nothing had happened.

        >>> loader = DataLoader(range(6), batch_size=2, shuffle=True)
        >>> passing = iter(loader)
        >>> first, state = next(passing).tolist(), loader.state_dict()
        >>> other = DataLoader(range(6), batch_size=2, shuffle=True)
        >>> other.load_state_dict(state)
        >>> sorted(first + [i for batch in other for i in batch.tolist()])
        [0, 1, 2, 3, 4, 5]
        """
        progress = self._loaded or self._progress
        if progress is not None and progress.fetcher is not None:
            progress.shares[0].yielded = progress.yielded
            progress.shares[0].state = state_of(progress.fetcher)
        return resume.save(self, progress)

    def load_state_dict(self, state_dict: dict[str, Any]) -> None:
        """Let the next pass go on where `state_dict()` was called.

        Raises:
            ValueError: the state is of a loader with another batch size, or of a stream read by
                another number of workers.
        """
        self._loaded = resume.restore(self, state_dict)
        self._progress = None

    def check_worker_number_rationality(self) -> None:
        """Warn of more worker processes than there are cores for them."""
        if self.num_workers == 0 or self.worker_method == "thread":
            return
        known = hasattr(os, "sched_getaffinity")
        cores = len(os.sched_getaffinity(0)) if sys.platform == "linux" else os.cpu_count()
        if cores is None or self.num_workers > cores:
            note = "" if known else " (`cpuset` is not taken into account)"
            warnings.warn(
                f"This DataLoader will create {self.num_workers} worker processes in total. "
                f"Our suggested max number of worker in current system is {cores}{note}, which is "
                "smaller than what this DataLoader is going to create. Please be aware that "
                "excessive worker creation might get DataLoader running slow or even freeze, "
                "lower the worker number to avoid potential slowness/freeze if necessary.",
                stacklevel=3,
            )


def _checked_context(context: Any, num_workers: int) -> Any:
    import multiprocessing

    if num_workers == 0:
        raise ValueError(
            "multiprocessing_context can only be used with multi-process loading "
            f"(num_workers > 0), but got num_workers={num_workers}"
        )
    if isinstance(context, str):
        known = multiprocessing.get_all_start_methods()
        if context not in known:
            raise ValueError(
                "multiprocessing_context option should specify a valid start method in "
                f"{known!r}, but got multiprocessing_context={context!r}"
            )
        context = multiprocessing.get_context(context)
    if not isinstance(context, multiprocessing.context.BaseContext):
        raise TypeError(
            "multiprocessing_context option should be a valid context object or a string "
            f"specifying the start method, but got multiprocessing_context={context}"
        )
    return context


def _check_worker_options(
    num_workers: int, timeout: float, prefetch_factor: int | None, persistent_workers: bool
) -> None:
    if num_workers < 0:
        raise ValueError(
            "num_workers option should be non-negative; use num_workers=0 to disable "
            "multiprocessing."
        )
    if timeout < 0:
        raise ValueError("timeout option should be non-negative")
    if num_workers == 0 and prefetch_factor is not None:
        raise ValueError(
            "prefetch_factor option could only be specified in multiprocessing. "
            "let num_workers > 0 to enable multiprocessing, otherwise set prefetch_factor to None."
        )
    if prefetch_factor is not None and prefetch_factor < 0:
        raise ValueError("prefetch_factor option should be non-negative")
    if persistent_workers and num_workers == 0:
        raise ValueError("persistent_workers option needs num_workers > 0")


def _check_iterable(shuffle: Any, sampler: Any, batch_sampler: Any) -> None:
    unwanted = {"shuffle": shuffle or None, "sampler": sampler, "batch_sampler": batch_sampler}
    for name, value in unwanted.items():
        if value is not None:
            raise ValueError(
                f"DataLoader with IterableDataset: expected unspecified {name} option, "
                f"but got {name}={value}"
            )
