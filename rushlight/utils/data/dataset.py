"""Data sets: objects with `__getitem__` and `__len__`, or with `__iter__`; and ways to combine
them.

Not here: the order in which they are read (`sampler.py`), batches (`dataloader.py`).
"""

from __future__ import annotations

import bisect
import itertools
import math
import warnings
from collections.abc import Iterable, Iterator, Sequence
from typing import TYPE_CHECKING, Any, Generic, TypeVar

import numpy as np

from ...drawn import drawn_as
from ...errors import message
from ...tensor import Tensor

T_co = TypeVar("T_co", covariant=True)
T = TypeVar("T")


class Dataset(Generic[T_co]):
    """A map from an index to a sample. Subclasses write `__getitem__` and, usually, `__len__`.

    A subclass may also write `__getitems__(indices) -> list`, which a loader calls once a batch.

    >>> class Squares(torch.utils.data.Dataset):
    ...     def __len__(self):
    ...         return 5
    ...
    ...     def __getitem__(self, i):
    ...         return torch.tensor(float(i * i))
    >>> for batch in torch.utils.data.DataLoader(Squares(), batch_size=2):
    ...     print(batch)
    tensor([0., 1.])
    tensor([4., 9.])
    tensor([16.])
    """

    def __getitem__(self, index: Any) -> T_co:
        raise NotImplementedError("Subclasses of Dataset should implement __getitem__.")

    _repr_html_ = drawn_as("dataset")

    def __add__(self, other: Dataset[T_co]) -> ConcatDataset[T_co]:
        return ConcatDataset([self, other])


class IterableDataset(Dataset[T_co], Iterable[T_co]):
    """A stream of samples. Subclasses write `__iter__`.

    In a DataLoader with workers every worker has a copy of the stream: `get_worker_info()` tells it
    which share is its own.

    >>> class Count(torch.utils.data.IterableDataset):
    ...     def __iter__(self):
    ...         return iter(range(5))
    >>> list(torch.utils.data.DataLoader(Count(), batch_size=2))
    [tensor([0, 1]), tensor([2, 3]), tensor([4])]
    """

    def __add__(self, other: Dataset[T_co]) -> ChainDataset:  # type: ignore[override]
        return ChainDataset([self, other])


class TensorDataset(Dataset[tuple[Tensor, ...]]):
    """Tensors of one length, indexed together along their first dimension.

    >>> data = TensorDataset(torch.arange(3), torch.arange(6).reshape(3, 2))
    >>> data[1]
    (tensor(1), tensor([2, 3]))
    """

    tensors: tuple[Tensor, ...]

    def __init__(self, *tensors: Tensor) -> None:
        for t in tensors:
            if isinstance(t, np.ndarray):  # has a size, and it is no method
                what = "TensorDataset: the data must be Tensors, not numpy.ndarray"
                got = f"an array of shape {t.shape} and type {t.dtype}"
                raise TypeError(message(what, got, hint="torch.from_numpy(array)"))
        if any(tensors[0].size(0) != tensor.size(0) for tensor in tensors):
            raise AssertionError(
                message(
                    "TensorDataset: Size mismatch between tensors",
                    got=", ".join(str(tuple(t.shape)) for t in tensors),
                    wanted="the same first size in each",
                )
            )
        self.tensors = tensors

    def __getitem__(self, index: Any) -> tuple[Tensor, ...]:
        return tuple(tensor[index] for tensor in self.tensors)

    def __len__(self) -> int:
        return self.tensors[0].size(0)


class StackDataset(Dataset[Any]):
    """Data sets of one length, indexed together: a sample is a tuple, or a dict for keywords.

    >>> data = StackDataset(image=[10, 20], label=[0, 1])
    >>> data[1]
    {'image': 20, 'label': 1}
    """

    datasets: tuple[Any, ...] | dict[str, Any]

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        if args and kwargs:
            raise ValueError(
                "Supported either ``tuple``- (via ``args``) or ``dict``- (via ``kwargs``) like "
                "input/output, but both types are given."
            )
        parts = list(args) or list(kwargs.values())
        if not parts:
            raise ValueError("At least one dataset should be passed")
        self._length = len(parts[0])
        if any(len(part) != self._length for part in parts):
            raise ValueError("Size mismatch between datasets")
        self.datasets = args or kwargs

    def __getitem__(self, index: Any) -> Any:
        if isinstance(self.datasets, dict):
            return {key: part[index] for key, part in self.datasets.items()}
        return tuple(part[index] for part in self.datasets)

    def __getitems__(self, indices: list[Any]) -> list[Any]:
        if isinstance(self.datasets, dict):
            columns = [_items(part, indices) for part in self.datasets.values()]
            rows = zip(*columns, strict=True)
            return [dict(zip(self.datasets, row, strict=True)) for row in rows]
        return list(zip(*(_items(part, indices) for part in self.datasets), strict=True))

    def __len__(self) -> int:
        return self._length


def _items(dataset: Any, indices: list[Any]) -> list[Any]:
    batched = getattr(dataset, "__getitems__", None)
    items = batched(indices) if callable(batched) else [dataset[i] for i in indices]
    if len(items) != len(indices):
        raise ValueError(
            f"Nested dataset's output size mismatch. Expected {len(indices)}, got {len(items)}"
        )
    return items


class ConcatDataset(Dataset[T_co]):
    """Data sets one after another.

    >>> len(ConcatDataset([[1, 2], [3]]))
    3
    """

    datasets: list[Any]
    cumulative_sizes: list[int]

    @staticmethod
    def cumsum(sequence: Iterable[Any]) -> list[int]:
        """Where each data set ends."""
        return list(itertools.accumulate(len(part) for part in sequence))

    def __init__(self, datasets: Iterable[Any]) -> None:
        self.datasets = list(datasets)
        if not self.datasets:
            raise AssertionError("datasets should not be an empty iterable")
        if any(isinstance(part, IterableDataset) for part in self.datasets):
            raise AssertionError("ConcatDataset does not support IterableDataset")
        self.cumulative_sizes = self.cumsum(self.datasets)

    def __len__(self) -> int:
        return self.cumulative_sizes[-1]

    def __getitem__(self, idx: int) -> T_co:
        if idx < 0:
            if -idx > len(self):
                raise ValueError("absolute value of index should not exceed dataset length")
            idx += len(self)
        at = bisect.bisect_right(self.cumulative_sizes, idx)
        begin = self.cumulative_sizes[at - 1] if at else 0
        return self.datasets[at][idx - begin]


class ChainDataset(IterableDataset[Any]):
    """Streams one after another. `first + second` makes it, too.

    Args:
        datasets: `IterableDataset`s.

    >>> class Count(torch.utils.data.IterableDataset):
    ...     def __init__(self, start):
    ...         self.start = start
    ...
    ...     def __iter__(self):
    ...         return iter(range(self.start, self.start + 2))
    >>> list(torch.utils.data.ChainDataset([Count(0), Count(10)]))
    [0, 1, 10, 11]
    """

    def __init__(self, datasets: Iterable[Any]) -> None:
        self.datasets = datasets

    def __iter__(self) -> Iterator[Any]:
        for part in self.datasets:
            yield from self._stream(part)

    def __len__(self) -> int:
        return sum(len(self._stream(part)) for part in self.datasets)

    @staticmethod
    def _stream(part: Any) -> Any:
        if not isinstance(part, IterableDataset):
            raise AssertionError("ChainDataset only supports IterableDataset")
        return part


class Subset(Dataset[T_co]):
    """The samples of `dataset` at `indices`.

    >>> Subset(["a", "b", "c"], [2, 0])[0]
    'c'
    """

    dataset: Any
    indices: Sequence[int]

    def __init__(
        self, dataset: Dataset[T_co] | Sequence[T_co], indices: Sequence[int]
    ) -> None:
        self.dataset = dataset
        self.indices = indices
        cls = type(self)
        if (
            cls.__getitem__ is not Subset.__getitem__ and cls.__getitems__ is Subset.__getitems__
        ):  # a loader would read through __getitems__ and pass the subclass by
            raise NotImplementedError(
                message(
                    f"{cls.__name__} overrides __getitem__ but not __getitems__",
                    wanted="both, since a DataLoader reads batches through __getitems__",
                    hint="def __getitems__(self, indices): return [self[i] for i in indices]",
                )
            )

    if TYPE_CHECKING:  # Python makes one of `__getitem__`

        def __iter__(self) -> Iterator[T_co]: ...

    def __getitem__(self, idx: Any) -> Any:
        if isinstance(idx, list):
            return self.dataset[[self.indices[i] for i in idx]]
        return self.dataset[self.indices[idx]]

    def __getitems__(self, indices: list[int]) -> list[Any]:
        return _items(self.dataset, [self.indices[i] for i in indices])

    def __len__(self) -> int:
        return len(self.indices)


def random_split(
    dataset: Dataset[T] | Sequence[T],
    lengths: Sequence[int | float],
    generator: Any = None,
) -> list[Subset[T]]:
    """Split a data set at random into parts of the given lengths, or fractions that sum to 1.

    Args:
        dataset: what to split; it needs a length.
        lengths: one number a part. Fractions are rounded down and the rest handed out in turn.
        generator: where the permutation comes from; None is the default generator.

    >>> parts = random_split(range(10), [0.7, 0.3], torch.Generator().manual_seed(0))
    >>> [len(part) for part in parts]
    [7, 3]
    """
    import rushlight

    size = len(dataset)  # type: ignore[arg-type]
    if math.isclose(sum(lengths), 1) and sum(lengths) <= 1:
        counts = []
        for i, fraction in enumerate(lengths):
            if not 0 <= fraction <= 1:
                raise ValueError(f"Fraction at index {i} is not between 0 and 1")
            counts.append(math.floor(size * fraction))
        for i in range(size - sum(counts)):
            counts[i % len(counts)] += 1
        for i, count in enumerate(counts):
            if count == 0:
                warnings.warn(
                    f"Length of split at index {i} is 0. This might result in an empty dataset.",
                    stacklevel=2,
                )
        lengths = counts
    if sum(lengths) != size:
        raise ValueError(
            message(
                "random_split: "
                "Sum of input lengths does not equal the length of the input dataset!",
                got=f"lengths {list(lengths)}, which sum to {sum(lengths)}",
                wanted=f"a sum of {size}, or fractions that sum to 1",
            )
        )
    order = rushlight.randperm(size, generator=generator).tolist()
    ends = itertools.accumulate(lengths)
    return [
        Subset(dataset, order[int(end) - int(count) : int(end)])
        for end, count in zip(ends, lengths, strict=True)
    ]
