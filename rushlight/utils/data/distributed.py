"""DistributedSampler: each of several processes reads its own share of a data set."""

from __future__ import annotations

import math
from collections.abc import Iterator
from typing import Any

from .sampler import Sampler


class DistributedSampler(Sampler[int]):
    """Every `num_replicas`-th index, beginning at `rank`, of an order all processes agree on.

    Args:
        dataset: what is shared, for its length.
        num_replicas, rank: how many processes, and which this is; None asks `distributed`.
        shuffle: a random order, given by `seed` and the epoch (`set_epoch`).
        seed: the same in all processes.
        drop_last: leave samples out so that all shares are equal; otherwise some are repeated.

    >>> list(DistributedSampler(range(5), num_replicas=2, rank=1, shuffle=False))
    [1, 3, 0]
    """

    def __init__(
        self,
        dataset: Any,
        num_replicas: int | None = None,
        rank: int | None = None,
        shuffle: bool = True,
        seed: int = 0,
        drop_last: bool = False,
    ) -> None:
        if num_replicas is None or rank is None:
            from ... import distributed

            if not distributed.is_available():
                raise RuntimeError("Requires distributed package to be available")
            num_replicas = distributed.get_world_size() if num_replicas is None else num_replicas
            rank = distributed.get_rank() if rank is None else rank
        if not 0 <= rank < num_replicas:
            raise ValueError(
                f"Invalid rank {rank}, rank should be in the interval [0, {num_replicas - 1}]"
            )
        self.dataset = dataset
        self.num_replicas = num_replicas
        self.rank = rank
        self.epoch = 0
        self.drop_last = drop_last
        size = len(dataset)
        if drop_last and size % num_replicas:
            size -= num_replicas
        self.num_samples = math.ceil(size / num_replicas)
        self.total_size = self.num_samples * num_replicas
        self.shuffle = shuffle
        self.seed = seed

    def __iter__(self) -> Iterator[int]:
        import rushlight

        size = len(self.dataset)
        if self.shuffle:
            generator = rushlight.Generator()
            generator.manual_seed(self.seed + self.epoch)
            order = rushlight.randperm(size, generator=generator).tolist()
        else:
            order = list(range(size))
        if self.drop_last:
            order = order[: self.total_size]
        else:
            repeats = math.ceil(self.total_size / size) if size else 0
            order = (order * repeats)[: self.total_size]
        return iter(order[self.rank : self.total_size : self.num_replicas])

    def __len__(self) -> int:
        return self.num_samples

    def set_epoch(self, epoch: int) -> None:
        """Say which epoch comes, so that its order differs from the last."""
        self.epoch = epoch
