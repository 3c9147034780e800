"""Data sets and their combinations."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest

import rushlight as torch
from rushlight.utils.data import (
    ChainDataset,
    ConcatDataset,
    DataLoader,
    Dataset,
    IterableDataset,
    StackDataset,
    Subset,
    TensorDataset,
    random_split,
)


class Squares(Dataset[int]):
    def __init__(self, n: int) -> None:
        self.n = n

    def __len__(self) -> int:
        return self.n

    def __getitem__(self, index: int) -> int:
        if not 0 <= index < self.n:
            raise IndexError(index)
        return index * index


class Stream(IterableDataset[int]):
    def __init__(self, n: int) -> None:
        self.n = n

    def __iter__(self) -> Iterator[int]:
        return iter(range(self.n))

    def __len__(self) -> int:
        return self.n


def test_dataset_without_getitem() -> None:
    with pytest.raises(NotImplementedError, match="__getitem__"):
        Dataset()[0]


def test_tensor_dataset() -> None:
    data = TensorDataset(torch.arange(4), torch.arange(8).reshape(4, 2))
    assert len(data) == 4
    x, y = data[3]
    assert (x.item(), y.tolist()) == (3, [6, 7])
    assert data[1:3][0].tolist() == [1, 2]
    with pytest.raises(AssertionError, match="Size mismatch between tensors"):
        TensorDataset(torch.zeros(3), torch.zeros(4))


def test_concat() -> None:
    data = Squares(3) + Squares(2)
    assert isinstance(data, ConcatDataset)
    assert [data[i] for i in range(5)] == [0, 1, 4, 0, 1]
    assert data[-1] == 1
    assert data[-5] == 0
    with pytest.raises(ValueError, match="absolute value of index"):
        data[-6]
    with pytest.raises(IndexError):
        data[5]
    with pytest.raises(AssertionError, match="empty"):
        ConcatDataset([])
    with pytest.raises(AssertionError, match="IterableDataset"):
        ConcatDataset([Stream(1)])


def test_chain() -> None:
    data = Stream(2) + Stream(3)
    assert list(data) == [0, 1, 0, 1, 2]
    assert len(data) == 5
    with pytest.raises(AssertionError, match="only supports IterableDataset"):
        list(ChainDataset([Squares(2)]))


def test_stack() -> None:
    data = StackDataset(Squares(3), [5, 6, 7])
    assert data[1] == (1, 6)
    assert data.__getitems__([2, 0]) == [(4, 7), (0, 5)]
    named = StackDataset(a=Squares(3), b=[5, 6, 7])
    assert named[2] == {"a": 4, "b": 7}
    assert named.__getitems__([1]) == [{"a": 1, "b": 6}]
    with pytest.raises(ValueError, match="Size mismatch"):
        StackDataset(Squares(3), Squares(2))
    with pytest.raises(ValueError, match="both types"):
        StackDataset(Squares(3), a=Squares(3))
    with pytest.raises(ValueError, match="At least one"):
        StackDataset()


def test_stack_notices_a_wrong_batch() -> None:
    class Short(Squares):
        def __getitems__(self, indices: list[int]) -> list[int]:
            return [0]

    with pytest.raises(ValueError, match="size mismatch"):
        StackDataset(Short(3)).__getitems__([0, 1])


def test_subset() -> None:
    data = Subset(Squares(10), [3, 5, 7])
    assert len(data) == 3
    assert data[1] == 25
    assert data.__getitems__([2, 0]) == [49, 9]
    nested = Subset(data, [2])
    assert nested[0] == 49

    class Half(Subset[int]):
        def __getitem__(self, idx: Any) -> Any:
            return -1

    with pytest.raises(NotImplementedError, match="__getitems__"):
        Half(Squares(3), [0])


def test_random_split() -> None:
    parts = random_split(Squares(10), [7, 3], generator=torch.Generator().manual_seed(4))
    assert [len(p) for p in parts] == [7, 3]
    assert sorted(i for p in parts for i in p.indices) == list(range(10))
    again = random_split(Squares(10), [7, 3], generator=torch.Generator().manual_seed(4))
    assert [p.indices for p in parts] == [p.indices for p in again]
    assert [len(p) for p in random_split(Squares(10), [0.5, 0.25, 0.25])] == [6, 2, 2]
    with pytest.raises(ValueError, match="does not equal the length"):
        random_split(Squares(10), [7, 4])
    with pytest.raises(ValueError, match="not between 0 and 1"):
        random_split(Squares(10), [1.5, -0.5])
    with pytest.warns(UserWarning, match="is 0"):
        random_split(Squares(1), [0.5, 0.5])


@pytest.mark.parametrize("indices", [[4, 1, 1], torch.tensor([4, 1, 1]), range(2, 5)])
def test_a_batch_of_tensors_equals_its_stacked_samples(indices: Any) -> None:
    data = TensorDataset(torch.arange(10.0).reshape(5, 2), torch.arange(5))
    whole = Subset(data, indices)
    for x, y in DataLoader(whole, batch_size=2):
        for row, label in zip(x, y, strict=True):
            assert row.tolist() == [2.0 * label.item(), 2.0 * label.item() + 1]


def test_data_pipes_say_what_to_use_instead() -> None:
    with pytest.raises(AttributeError, match=r"(?s)'IterDataPipe'.*IterableDataset"):
        _ = torch.utils.data.IterDataPipe
    assert not hasattr(torch.utils.data, "datapipes")
