"""Data: data sets (`dataset`), orders (`sampler`, `distributed`), batches (`dataloader`)."""

from __future__ import annotations

from typing import NoReturn

from ...errors import message
from . import dataloader, dataset, distributed, sampler
from ._utils.collate import default_collate, default_convert
from ._utils.fetch import _DatasetKind
from .dataloader import DataLoader, get_worker_info
from .dataset import (
    ChainDataset,
    ConcatDataset,
    Dataset,
    IterableDataset,
    StackDataset,
    Subset,
    TensorDataset,
    random_split,
)
from .distributed import DistributedSampler
from .sampler import (
    BatchSampler,
    RandomSampler,
    Sampler,
    SequentialSampler,
    SubsetRandomSampler,
    WeightedRandomSampler,
)

__all__ = [
    "BatchSampler",
    "ChainDataset",
    "ConcatDataset",
    "DataLoader",
    "Dataset",
    "DistributedSampler",
    "IterableDataset",
    "RandomSampler",
    "Sampler",
    "SequentialSampler",
    "StackDataset",
    "Subset",
    "SubsetRandomSampler",
    "TensorDataset",
    "WeightedRandomSampler",
    "_DatasetKind",
    "dataloader",
    "dataset",
    "default_collate",
    "default_convert",
    "distributed",
    "get_worker_info",
    "random_split",
    "sampler",
]

_PIPES = {
    "DFIterDataPipe",
    "DataChunk",
    "IterDataPipe",
    "MapDataPipe",
    "argument_validation",
    "datapipes",
    "functional_datapipe",
    "guaranteed_datapipes_determinism",
    "non_deterministic",
    "runtime_validation",
    "runtime_validation_disabled",
}


def __getattr__(name: str) -> NoReturn:
    if name in _PIPES:
        raise AttributeError(
            message(
                f"module 'rushlight.utils.data' has no attribute '{name}': data pipes are not "
                "there, and torchdata has given them up",
                wanted="a data set, with a DataLoader around it",
                hint="an IterableDataset whose __iter__ does what the pipe did, step by step",
            )
        )
    raise AttributeError(f"module 'rushlight.utils.data' has no attribute '{name}'")
