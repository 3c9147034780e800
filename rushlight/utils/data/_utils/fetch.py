"""Reading: one batch of a map (`_MapDatasetFetcher`) or of a stream (`_IterableDatasetFetcher`).

The calling process, worker processes and worker threads all read through these. A fetcher lasts for
one pass over the data.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from ..dataset import Subset, TensorDataset
from .collate import default_collate


class _DatasetKind:
    """PyTorch's numbers for the two kinds of data set.

    >>> torch.utils.data._DatasetKind.Map, torch.utils.data._DatasetKind.Iterable
    (0, 1)
    """

    Map = 0
    Iterable = 1

    @staticmethod
    def create_fetcher(
        kind: int,
        dataset: Any,
        auto_collation: bool,
        collate_fn: Callable[[Any], Any],
        drop_last: bool,
    ) -> Any:
        """A fetcher for one pass."""
        cls = _MapDatasetFetcher if kind == _DatasetKind.Map else _IterableDatasetFetcher
        return cls(dataset, auto_collation, collate_fn, drop_last)


class _BaseDatasetFetcher:
    """What both have: where samples come from, and what makes a batch of them."""

    def __init__(
        self,
        dataset: Any,
        auto_collation: bool,
        collate_fn: Callable[[Any], Any],
        drop_last: bool,
    ) -> None:
        self.dataset = dataset
        self.auto_collation = auto_collation
        self.collate_fn = collate_fn
        self.drop_last = drop_last


class _MapDatasetFetcher(_BaseDatasetFetcher):
    """Reads samples by their indices."""

    def fetch(self, index: Any) -> Any:
        """The batch of the samples at `index`."""
        dataset = self.dataset
        if not self.auto_collation:
            return self.collate_fn(dataset[index])
        if self.collate_fn is default_collate:
            tensors = _tensors_at(dataset, index)
            if tensors is not None:
                return tensors
        batched = getattr(dataset, "__getitems__", None)
        samples = batched(index) if batched else [dataset[i] for i in index]
        return self.collate_fn(samples)


class _IterableDatasetFetcher(_BaseDatasetFetcher):
    """Reads samples in the order of a stream; StopIteration at its end."""

    def __init__(
        self,
        dataset: Any,
        auto_collation: bool,
        collate_fn: Callable[[Any], Any],
        drop_last: bool,
    ) -> None:
        super().__init__(dataset, auto_collation, collate_fn, drop_last)
        self.dataset_iter = iter(dataset)
        self.ended = False

    def fetch(self, index: Any) -> Any:
        """The next batch, of as many samples as `index` is long."""
        if self.ended:
            raise StopIteration
        if not self.auto_collation:
            return self.collate_fn(next(self.dataset_iter))
        samples = [sample for _, sample in zip(index, self.dataset_iter, strict=False)]
        if len(samples) < len(index):
            self.ended = True
            if not samples or self.drop_last:
                raise StopIteration
        return self.collate_fn(samples)

    def skip(self, batches: int, batch_size: int | None) -> None:
        """Leave out what was read before."""
        for _ in range(batches * (batch_size or 1)):
            if next(self.dataset_iter, self) is self:
                self.ended = True
                return


def state_of(fetcher: Any) -> dict[str, Any] | None:
    """What the iterator or the data set says about where it is; None if it says nothing."""
    for name, where in (("iterator", "dataset_iter"), ("dataset", "dataset")):
        part: Any = getattr(fetcher, where, None)
        if callable(getattr(part, "state_dict", None)):
            return {name: part.state_dict()}
    return None


def start_fetcher(
    create: Callable[[], Any], dataset: Any, state: Any, skip: int, batch_size: int | None
) -> Any:
    """A fetcher that goes on from a state, or else (a stream) after `skip` batches."""
    if state is not None and "dataset" in state:
        dataset.load_state_dict(state["dataset"])
    fetcher = create()
    if state is not None and "iterator" in state:
        fetcher.dataset_iter.load_state_dict(state["iterator"])
    elif state is None and skip and isinstance(fetcher, _IterableDatasetFetcher):
        fetcher.skip(skip, batch_size)
    return fetcher


def _tensors_at(dataset: Any, indices: Any) -> list[Any] | None:
    """The batch of a TensorDataset (or a Subset of one) by one indexing a tensor; None for others.

    It equals the stacked samples, and costs a fraction of slicing out each and stacking them.
    """
    if type(dataset) is Subset:
        inner = dataset.indices
        return _tensors_at(dataset.dataset, [inner[i] for i in indices])
    if type(dataset) is TensorDataset and indices and all(type(i) is int for i in indices):
        return list(dataset[list(indices)])  # of a tuple each number would be a dimension's
    return None
