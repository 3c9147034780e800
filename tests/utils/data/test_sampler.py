"""Samplers."""

from __future__ import annotations

from typing import Any

import pytest

import rushlight as torch
from rushlight.utils.data import (
    BatchSampler,
    DistributedSampler,
    RandomSampler,
    Sampler,
    SequentialSampler,
    SubsetRandomSampler,
    WeightedRandomSampler,
)


def test_sequential() -> None:
    sampler = SequentialSampler("abc")
    assert list(sampler) == [0, 1, 2]
    assert len(sampler) == 3


def test_a_sampler_has_no_length_of_its_own() -> None:
    with pytest.raises(TypeError):
        len(Sampler())
    with pytest.raises(NotImplementedError):
        iter(Sampler())


def test_random_is_a_permutation_and_repeats_with_its_seed() -> None:
    sampler = RandomSampler(range(20))
    torch.manual_seed(3)
    first, second = list(sampler), list(sampler)
    assert sorted(first) == list(range(20))
    assert first != second
    torch.manual_seed(3)
    assert list(sampler) == first


def test_random_with_pytorchs_numbers() -> None:
    """The orders that PyTorch 2.13 gives."""
    torch.manual_seed(0)
    assert list(RandomSampler(range(10))) == [6, 9, 0, 7, 3, 5, 4, 2, 1, 8]
    assert list(RandomSampler(range(10), replacement=True, num_samples=40))[:5] == [6, 3, 7, 0, 7]


def test_random_num_samples() -> None:
    got = list(RandomSampler(range(4), num_samples=10))
    assert len(got) == 10
    assert sorted(got[:4]) == sorted(got[4:8]) == [0, 1, 2, 3]
    assert len(set(got[8:])) == 2
    drawn = list(RandomSampler(range(3), replacement=True, num_samples=70))
    assert len(drawn) == 70
    assert set(drawn) == {0, 1, 2}


@pytest.mark.parametrize("bad", [0, -1, 2.5])
def test_random_checks(bad: Any) -> None:
    with pytest.raises(ValueError, match="num_samples should be a positive integer"):
        RandomSampler(range(3), num_samples=bad)
    with pytest.raises(TypeError, match="replacement should be a boolean"):
        RandomSampler(range(3), replacement=1)


def test_subset_random() -> None:
    sampler = SubsetRandomSampler([5, 7, 9])
    assert sorted(sampler) == [5, 7, 9]
    assert len(sampler) == 3


def test_weighted() -> None:
    drawn = list(WeightedRandomSampler([0.0, 3.0, 1.0], 50))
    assert set(drawn) <= {1, 2}
    assert len(drawn) == 50
    assert sorted(WeightedRandomSampler([1.0, 1.0, 1.0], 3, replacement=False)) == [0, 1, 2]
    with pytest.raises(ValueError, match="1d sequence"):
        WeightedRandomSampler([[1.0]], 1)
    with pytest.raises(ValueError, match="positive integer"):
        WeightedRandomSampler([1.0], True)


def test_batches() -> None:
    sampler = SequentialSampler(range(5))
    whole = BatchSampler(sampler, 2, drop_last=False)
    assert list(whole) == [[0, 1], [2, 3], [4]]
    assert len(whole) == 3
    dropped = BatchSampler(sampler, 2, drop_last=True)
    assert list(dropped) == [[0, 1], [2, 3]]
    assert len(dropped) == 2
    with pytest.raises(ValueError, match="batch_size should be a positive integer"):
        BatchSampler(sampler, 0, False)
    with pytest.raises(ValueError, match="drop_last should be a boolean"):
        BatchSampler(sampler, 2, 1)


@pytest.mark.parametrize("size", [1, 5, 8, 9])
@pytest.mark.parametrize("drop_last", [False, True])
def test_distributed_shares_cover_the_data(size: int, drop_last: bool) -> None:
    shares = [
        list(DistributedSampler(range(size), 4, rank, drop_last=drop_last)) for rank in range(4)
    ]
    assert len({len(share) for share in shares}) == 1
    together = {i for share in shares for i in share}
    if drop_last:
        assert len(together) == size // 4 * 4
    else:
        assert together == set(range(size))


def test_distributed_epochs() -> None:
    sampler = DistributedSampler(range(50), num_replicas=2, rank=0)
    first = list(sampler)
    assert list(sampler) == first
    sampler.set_epoch(1)
    assert list(sampler) != first
    with pytest.raises(ValueError, match="Invalid rank"):
        DistributedSampler(range(5), num_replicas=2, rank=2)
