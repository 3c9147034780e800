"""Objects that stand in for a loader: PyTorch's iterators take whatever has what they ask for."""

from __future__ import annotations

import multiprocessing
from types import SimpleNamespace
from typing import Any

import pytest

from rushlight.utils.data import dataloader

# what PyTorch's iterators read of a loader
PROTOCOL = {
    "dataset": [5, 6, 7, 8], "_dataset_kind": dataloader._DatasetKind.Map,
    "_IterableDataset_len_called": None, "_auto_collation": True, "drop_last": False,
    "_index_sampler": [[0, 1], [2, 3]], "num_workers": 0, "pin_memory": False,
    "pin_memory_device": "", "timeout": 0, "collate_fn": list, "generator": None,
    "persistent_workers": False, "prefetch_factor": 2, "worker_init_fn": None,
    "multiprocessing_context": None, "in_order": True,
}  # fmt: skip


class Slotted:
    """Has the protocol and takes no other attribute."""

    __slots__ = tuple(PROTOCOL)

    def __init__(self) -> None:
        for name, value in PROTOCOL.items():
            setattr(self, name, value)


@pytest.mark.parametrize("make", [lambda: SimpleNamespace(**PROTOCOL), Slotted])
def test_in_this_process(make: Any) -> None:
    assert list(dataloader._SingleProcessDataLoaderIter(make())) == [[5, 6], [7, 8]]


def test_by_a_worker() -> None:
    context = multiprocessing.get_context("fork")
    loader = SimpleNamespace(**PROTOCOL | {"num_workers": 1, "multiprocessing_context": context})
    assert list(dataloader._MultiProcessingDataLoaderIter(loader)) == [[5, 6], [7, 8]]


def test_streams() -> None:
    kind = dataloader._DatasetKind.Iterable
    given = {"_dataset_kind": kind, "dataset": range(3), "_auto_collation": False}
    loader = SimpleNamespace(**PROTOCOL | given | {"collate_fn": lambda x: x + 1})
    assert list(dataloader._SingleProcessDataLoaderIter(loader)) == [1, 2]
