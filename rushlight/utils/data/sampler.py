"""Samplers: the order in which a loader reads a data set, the same as PyTorch's for the same seed.

Not here: the sharing of a data set among processes (`distributed.py`).
"""

from __future__ import annotations

import itertools
from collections.abc import Iterable, Iterator, Sequence, Sized
from typing import Any, Generic, TypeVar

from ...errors import message

T_co = TypeVar("T_co", covariant=True)


def length_of(data: Any) -> int:
    """The length of a data set; TypeError when it has none, as a stream or a generator."""
    try:
        return len(data)
    except TypeError as error:
        if hasattr(data, "__len__"):  # one that fails has its own reason
            raise
        kind = type(data).__name__
        if hasattr(data, "__next__"):
            hint = "list(x); or a class derived from IterableDataset, which reads a stream"
        elif hasattr(data, "__iter__"):
            hint = f"counting batches as they come; or __len__ in {kind}"
        else:
            hint = f"def __len__(self): in {kind}"
        raise TypeError(message(str(error), hint=hint)) from None


def draw_seed(generator: Any = None) -> int:
    """A seed from `generator` (None: the default one), drawn as PyTorch draws it."""
    import rushlight

    return int(rushlight.empty((), dtype=rushlight.int64).random_(generator=generator).item())


class Sampler(Generic[T_co]):
    """An iterable of indices (or of lists of indices). Subclasses write `__iter__`.

    There is no `__len__` here: a sampler without a length must say so by a TypeError.

    >>> class EvensFirst(torch.utils.data.Sampler):
    ...     def __init__(self, n):
    ...         self.n = n
    ...
    ...     def __iter__(self):
    ...         yield from range(0, self.n, 2)
    ...         yield from range(1, self.n, 2)
    >>> loader = torch.utils.data.DataLoader([10, 11, 12, 13], sampler=EvensFirst(4))
    >>> [int(x) for x in loader]
    [10, 12, 11, 13]
    """

    def __iter__(self) -> Iterator[T_co]:
        raise NotImplementedError


class SequentialSampler(Sampler[int]):
    """0, 1, 2, ... in this order.

    Args:
        data_source: whose length counts.

    >>> list(torch.utils.data.SequentialSampler("abc"))
    [0, 1, 2]
    """

    def __init__(self, data_source: Sized) -> None:
        self.data_source = data_source

    def __iter__(self) -> Iterator[int]:
        return iter(range(length_of(self.data_source)))

    def __len__(self) -> int:
        return length_of(self.data_source)


class RandomSampler(Sampler[int]):
    """A random order of all indices, or `num_samples` draws.

    Args:
        data_source: the data set, for its length.
        replacement: draw each index independently.
        num_samples: how many to draw; None is the length of the data set.
        generator: where they come from. None seeds a fresh one from the default generator at the
            beginning of each pass.

    >>> _ = torch.manual_seed(0)
    >>> list(RandomSampler(range(5)))
    [1, 3, 4, 2, 0]
    """

    def __init__(
        self,
        data_source: Sized,
        replacement: bool = False,
        num_samples: int | None = None,
        generator: Any = None,
    ) -> None:
        self.data_source = data_source
        self.replacement = replacement
        self._num_samples = num_samples
        self.generator = generator
        if not isinstance(replacement, bool):
            raise TypeError(
                f"replacement should be a boolean value, but got replacement={replacement}"
            )
        if not isinstance(self.num_samples, int) or self.num_samples <= 0:
            raise ValueError(
                "num_samples should be a positive integer value, "
                f"but got num_samples={self.num_samples}"
            )

    @property
    def num_samples(self) -> int:
        """How many indices a pass gives; the data set may grow between passes."""
        return length_of(self.data_source) if self._num_samples is None else self._num_samples

    def __iter__(self) -> Iterator[int]:
        import rushlight

        size = length_of(self.data_source)
        generator = self.generator
        if generator is None:
            generator = rushlight.Generator()
            generator.manual_seed(draw_seed())
        if self.replacement:  # in pieces of 32: part of the order for a seed
            for begin in range(0, self.num_samples, 32):
                count = min(32, self.num_samples - begin)
                yield from rushlight.randint(
                    high=size, size=(count,), dtype=rushlight.int64, generator=generator
                ).tolist()
        else:
            for _ in range(self.num_samples // size):
                yield from rushlight.randperm(size, generator=generator).tolist()
            rest = rushlight.randperm(size, generator=generator).tolist()
            yield from rest[: self.num_samples % size]

    def __len__(self) -> int:
        return self.num_samples


class SubsetRandomSampler(Sampler[int]):
    """The given indices in a random order.

    Args:
        indices: each is drawn once.
        generator: where the order comes from; None is the default generator.

    >>> sorted(torch.utils.data.SubsetRandomSampler([3, 5, 8]))
    [3, 5, 8]
    """

    def __init__(self, indices: Sequence[int], generator: Any = None) -> None:
        self.indices = indices
        self.generator = generator

    def __iter__(self) -> Iterator[int]:
        import rushlight

        for i in rushlight.randperm(len(self.indices), generator=self.generator).tolist():
            yield self.indices[i]

    def __len__(self) -> int:
        return len(self.indices)


class WeightedRandomSampler(Sampler[int]):
    """`num_samples` indices drawn with the given weights, which need not sum to one.

    Args:
        weights: one a sample of the data set.
        num_samples: how many to draw.
        replacement: False draws no index twice.
        generator: where they come from; None is the default generator.

    >>> sampler = torch.utils.data.WeightedRandomSampler([0.0, 1.0, 0.0], num_samples=4)
    >>> list(sampler)
    [1, 1, 1, 1]
    """

    def __init__(
        self,
        weights: Sequence[float],
        num_samples: int,
        replacement: bool = True,
        generator: Any = None,
    ) -> None:
        import rushlight

        _check_count("num_samples", num_samples)
        if not isinstance(replacement, bool):
            raise ValueError(
                f"replacement should be a boolean value, but got replacement={replacement}"
            )
        self.weights = rushlight.as_tensor(weights, dtype=rushlight.float64)
        if self.weights.ndim != 1:
            raise ValueError(
                "weights should be a 1d sequence but given weights have shape "
                f"{tuple(self.weights.shape)}"
            )
        self.num_samples = num_samples
        self.replacement = replacement
        self.generator = generator

    def __iter__(self) -> Iterator[int]:
        import rushlight

        yield from rushlight.multinomial(
            self.weights, self.num_samples, self.replacement, generator=self.generator
        ).tolist()

    def __len__(self) -> int:
        return self.num_samples


class BatchSampler(Sampler[list[int]]):
    """Lists of `batch_size` indices of another sampler.

    >>> list(BatchSampler(range(5), batch_size=2, drop_last=False))
    [[0, 1], [2, 3], [4]]
    """

    def __init__(self, sampler: Iterable[int], batch_size: int, drop_last: bool) -> None:
        _check_count("batch_size", batch_size)
        if not isinstance(drop_last, bool):
            raise ValueError(f"drop_last should be a boolean value, but got drop_last={drop_last}")
        self.sampler = sampler
        self.batch_size = batch_size
        self.drop_last = drop_last

    def __iter__(self) -> Iterator[list[int]]:
        indices = iter(self.sampler)
        while batch := list(itertools.islice(indices, self.batch_size)):
            if self.drop_last and len(batch) < self.batch_size:
                return
            yield batch

    def __len__(self) -> int:
        count = len(self.sampler)  # type: ignore[arg-type]
        return (count if self.drop_last else count + self.batch_size - 1) // self.batch_size


def _check_count(name: str, value: Any) -> None:
    if not isinstance(value, int) or isinstance(value, bool) or value <= 0:
        raise ValueError(f"{name} should be a positive integer value, but got {name}={value}")
