"""DataLoader: batches of a data set, read in the calling process.

Reading in worker processes is not here yet: `num_workers` above 0 raises. Read next: `sampler.py`.
"""

from __future__ import annotations

import math
import warnings
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any, Generic, TypeVar

from ...errors import message
from ._utils.collate import default_collate, default_convert
from .dataset import IterableDataset, Subset, TensorDataset
from .sampler import BatchSampler, RandomSampler, Sampler, SequentialSampler, draw_seed

T_co = TypeVar("T_co", covariant=True)


@dataclass(frozen=True)
class WorkerInfo:
    """What a worker process knows about itself: id, num_workers, seed, dataset."""

    id: int
    num_workers: int
    seed: int
    dataset: Any


def get_worker_info() -> WorkerInfo | None:
    """The worker this code runs in; None in the main process."""
    return None


class _Endless(Sampler[None]):
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
        num_workers: 0, the calling process.
        collate_fn: makes a batch of a list of samples.
        pin_memory, pin_memory_device: accepted; there is nothing to pin on a CPU.
        drop_last: leave out a last batch that is not full.
        timeout, worker_init_fn, multiprocessing_context, prefetch_factor, persistent_workers,
            in_order: for workers; checked as in PyTorch.
        generator: where the order comes from; None is the default generator.

    >>> data = TensorDataset(torch.arange(5.0))
    >>> [batch.tolist() for batch, in DataLoader(data, batch_size=2)]
    [[0.0, 1.0], [2.0, 3.0], [4.0]]
    """

    dataset: Any
    batch_size: int | None
    num_workers: int
    drop_last: bool
    sampler: Any
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
        dataset: Any,
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
    ) -> None:
        _check_worker_options(num_workers, timeout, prefetch_factor, persistent_workers)
        self._iterable = isinstance(dataset, IterableDataset)
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
            if self._iterable:
                sampler = _Endless()
            elif shuffle:
                sampler = RandomSampler(dataset, generator=generator)
            else:
                sampler = SequentialSampler(dataset)
        if batch_size is not None and batch_sampler is None:
            batch_sampler = BatchSampler(sampler, batch_size, drop_last)
        if num_workers > 0:
            raise NotImplementedError(
                message(
                    "DataLoader: reading in worker processes comes with a later version",
                    got=f"num_workers={num_workers}",
                    wanted="num_workers=0, which reads in the calling process",
                    hint="num_workers=0; a TensorDataset is then read a whole batch at a time",
                )
            )
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
        self._promised: int | None = None  # the length a stream stated when len(loader) was asked
        self._complete = True

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

    def __iter__(self) -> Iterator[Any]:
        return _Pass(self)

    def __len__(self) -> int:
        if not self._iterable:
            return len(self._index_sampler)
        length = self._promised = len(self.dataset)
        if self.batch_size is not None:
            round_to_batches = math.floor if self.drop_last else math.ceil
            length = round_to_batches(length / self.batch_size)
        return length


class _Pass:
    """One pass over the data: what `iter(loader)` gives."""

    def __init__(self, loader: DataLoader[Any]) -> None:
        self._loader = loader
        self._indices = iter(loader._index_sampler)
        # No worker needs this seed, but drawing it keeps the random stream where PyTorch's is.
        self._base_seed = draw_seed(loader.generator)
        self._stream = iter(loader.dataset) if loader._iterable else None
        self._yielded = 0
        if loader.timeout:
            raise AssertionError("DataLoader without workers requires timeout == 0")

    def __iter__(self) -> _Pass:
        return self

    def __len__(self) -> int:
        return len(self._loader._index_sampler)

    def __next__(self) -> Any:
        index = next(self._indices)
        batch = self._read(index) if self._stream is None else self._read_stream(index)
        self._yielded += 1
        promised = self._loader._promised
        if self._stream is not None and promised is not None and self._yielded > promised:
            warnings.warn(
                f"Length of IterableDataset {self._loader.dataset} was reported to be {promised} "
                f"(when accessing len(dataloader)), but {self._yielded} samples have been fetched.",
                stacklevel=2,
            )
        return batch

    def _read(self, index: Any) -> Any:
        loader = self._loader
        dataset = loader.dataset
        if not loader._auto_collation:
            return loader.collate_fn(dataset[index])
        if loader.collate_fn is default_collate:
            tensors = _tensors_at(dataset, index)
            if tensors is not None:
                return tensors
        batched = getattr(dataset, "__getitems__", None)
        samples = batched(index) if batched else [dataset[i] for i in index]
        return loader.collate_fn(samples)

    def _read_stream(self, index: Any) -> Any:
        assert self._stream is not None
        loader = self._loader
        if not loader._auto_collation:
            return loader.collate_fn(next(self._stream))
        samples = [sample for _, sample in zip(index, self._stream, strict=False)]
        if not samples or (loader.drop_last and len(samples) < len(index)):
            self._indices = iter(())
            raise StopIteration
        return loader.collate_fn(samples)


def _tensors_at(dataset: Any, indices: Any) -> list[Any] | None:
    """The batch of a TensorDataset (or a Subset of one) by one indexing a tensor; None for others.

    It equals the stacked samples, and costs a fraction of slicing out each and stacking them.
    """
    if type(dataset) is Subset:
        inner = dataset.indices
        return _tensors_at(dataset.dataset, [inner[i] for i in indices])
    if type(dataset) is TensorDataset and indices and all(type(i) is int for i in indices):
        return list(dataset[indices])
    return None


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
