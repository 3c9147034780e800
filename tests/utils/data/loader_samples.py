"""Data sets and functions that worker processes import: a module of its own, on their sys.path."""

from __future__ import annotations

import os
import random
import signal
import threading
from collections.abc import Iterator
from typing import Any

import numpy as np

import rushlight as torch
from rushlight.utils.data import Dataset, IterableDataset, get_worker_info


class Rows(Dataset[Any]):
    """Row i of a table, i, and the worker that read it."""

    def __init__(self, n: int, width: int = 300) -> None:
        self.n = n
        self.table = torch.arange(float(n * width)).reshape(n, width)

    def __len__(self) -> int:
        return self.n

    def __getitem__(self, i: int) -> Any:
        info = get_worker_info()
        return self.table[i], i, -1 if info is None else info.id


class Draws(Dataset[Any]):
    """Random numbers of every generator, as an augmentation draws them."""

    def __len__(self) -> int:
        return 12

    def __getitem__(self, i: int) -> Any:
        return i, random.random(), np.random.rand(), torch.rand(2), torch.randint(100, (1,))


class Info(Dataset[Any]):
    """What get_worker_info says, and where the sample was read."""

    def __len__(self) -> int:
        return 8

    def __getitem__(self, i: int) -> Any:
        info = get_worker_info()
        assert info is not None
        assert info.dataset is self
        own = torch.random.thread_safe_generator()
        assert own is (None if info.rng is None else info.rng.torch_generator)
        rng = None if info.rng is None else info.rng.torch_generator.initial_seed()
        where = os.getpid(), threading.get_native_id()
        told = os.environ.get("LOADER_SAMPLE", ""), getattr(self, "told", None)
        return info.id, info.num_workers, info.seed, info.worker_method, rng, where, told


def tell(worker_id: int) -> None:
    """A worker_init_fn."""
    info = get_worker_info()
    assert info is not None
    info.dataset.told = f"hello {worker_id}"


def refuse(worker_id: int) -> None:
    """A worker_init_fn that fails."""
    raise ValueError(f"not in worker {worker_id}")


def as_list(batch: list[Any]) -> list[Any]:
    """A collate_fn that leaves the batch as it is."""
    return batch


class Numbers(IterableDataset[int]):
    """0 to n-1, shared out among the workers."""

    def __init__(self, n: int, share: bool = True) -> None:
        self.n = n
        self.share = share

    def __iter__(self) -> Iterator[int]:
        info = get_worker_info()
        if info is None or not self.share:
            return iter(range(self.n))
        return iter(range(info.id, self.n, info.num_workers))


class Uneven(IterableDataset[int]):
    """Worker k gives 4 * k numbers: the first worker nothing at all."""

    def __iter__(self) -> Iterator[int]:
        info = get_worker_info()
        assert info is not None
        return iter(range(100 * info.id, 100 * info.id + 4 * info.id))


class Remembering(Numbers):
    """A stream that says itself where it is."""

    at = 0
    loads = 0

    def __iter__(self) -> Iterator[int]:
        info = get_worker_info()
        first, step = (0, 1) if info is None else (info.id, info.num_workers)
        while first + self.at * step < self.n:
            self.at += 1
            yield first + (self.at - 1) * step
        self.at = 0

    def state_dict(self) -> dict[str, int]:
        return {"at": self.at}

    def load_state_dict(self, state: dict[str, int]) -> None:
        self.at = state["at"]


class Raises(Dataset[Any]):
    """Sample 2 raises."""

    def __init__(self, error: Any) -> None:
        self.error = error

    def __len__(self) -> int:
        return 4

    def __getitem__(self, i: int) -> int:
        if i == 2:
            raise self.error
        return i


class TwoArguments(Exception):
    """An exception that cannot be built from a text."""

    def __init__(self, a: int, b: int) -> None:
        super().__init__(a, b)


class Fails(Dataset[Any]):
    """Sample `at` ends the process: by a signal, or with an exit code."""

    def __init__(self, at: int, how: str) -> None:
        self.at = at
        self.how = how

    def __len__(self) -> int:
        return 40

    def __getitem__(self, i: int) -> int:
        if i == self.at:
            if self.how == "exit":
                os._exit(7)
            os.kill(os.getpid(), getattr(signal, self.how))
        return i


class Stuck(Dataset[Any]):
    """Sample 1 never comes."""

    def __len__(self) -> int:
        return 4

    def __getitem__(self, i: int) -> int:
        if i == 1:
            threading.Event().wait()
        return i


class Returns(Dataset[Any]):
    """The given values, one a sample."""

    def __init__(self, values: list[Any]) -> None:
        self.values = values

    def __len__(self) -> int:
        return len(self.values)

    def __getitem__(self, i: int) -> Any:
        return self.values[i]


class Unpicklable(Dataset[Any]):
    """Samples that cannot be sent."""

    def __len__(self) -> int:
        return 1

    def __getitem__(self, i: int) -> Any:
        return lambda: i


class WithHistory(Dataset[Any]):
    """Samples that would drag a graph along."""

    def __len__(self) -> int:
        return 2

    def __getitem__(self, i: int) -> Any:
        return torch.ones(2, requires_grad=True) * 2


class Writes(Dataset[Any]):
    """Changes its own table in the worker."""

    def __init__(self) -> None:
        self.table = torch.zeros(20_000)

    def __len__(self) -> int:
        return 4

    def __getitem__(self, i: int) -> Any:
        self.table += 1
        return self.table[:2]


def ones_that_require_grad(batch: list[Any]) -> Any:
    """A collate_fn whose result is a leaf that requires grad."""
    return torch.ones(2, 2, requires_grad=True)
