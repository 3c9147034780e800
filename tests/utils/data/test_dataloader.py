"""The loader and collation."""

from __future__ import annotations

import collections
from collections.abc import Iterator
from typing import Any, NamedTuple

import numpy as np
import pytest

import rushlight as torch
from rushlight.utils.data import (
    DataLoader,
    IterableDataset,
    TensorDataset,
    default_collate,
    default_convert,
)


class Stream(IterableDataset[int]):
    def __init__(self, n: int, said: int | None = None) -> None:
        self.n = n
        self.said = n if said is None else said

    def __iter__(self) -> Iterator[int]:
        return iter(range(self.n))

    def __len__(self) -> int:
        return self.said


def test_batches_in_order() -> None:
    loader = DataLoader(range(5), batch_size=2)
    assert [b.tolist() for b in loader] == [[0, 1], [2, 3], [4]]
    assert len(loader) == 3
    assert [b.tolist() for b in DataLoader(range(5), 2, drop_last=True)] == [[0, 1], [2, 3]]


def test_shuffle() -> None:
    torch.manual_seed(1)
    loader = DataLoader(TensorDataset(torch.arange(100)), batch_size=10, shuffle=True)
    first = torch.cat([x for (x,) in loader]).tolist()
    assert sorted(first) == list(range(100))
    assert first != list(range(100))
    torch.manual_seed(1)
    assert torch.cat([x for (x,) in loader]).tolist() == first
    generator = torch.Generator().manual_seed(5)
    seeded = DataLoader(range(10), shuffle=True, generator=generator)
    order = [x.item() for x in seeded]
    generator.manual_seed(5)
    assert [x.item() for x in seeded] == order


def test_own_orders() -> None:
    assert [b.tolist() for b in DataLoader("abc", sampler=[2, 0], collate_fn=_ords)] == [[99], [97]]
    loader = DataLoader(range(10), batch_sampler=[[1, 2], [9]])
    assert [b.tolist() for b in loader] == [[1, 2], [9]]
    assert loader.batch_size is None


def _ords(batch: list[str]) -> Any:
    return torch.tensor([ord(c) for c in batch])


def test_without_batches() -> None:
    data = [np.float32(1.5), np.float32(2.5)]
    assert [x.item() for x in DataLoader(data, batch_size=None)] == [1.5, 2.5]
    assert list(DataLoader(Stream(3), batch_size=None)) == [0, 1, 2]


def test_streams() -> None:
    loader = DataLoader(Stream(5), batch_size=2)
    assert [b.tolist() for b in loader] == [[0, 1], [2, 3], [4]]
    assert len(loader) == 3
    dropping = DataLoader(Stream(5), batch_size=2, drop_last=True)
    assert [b.tolist() for b in dropping] == [[0, 1], [2, 3]]
    assert len(dropping) == 2
    passing = iter(loader)
    assert len(list(passing)) == 3
    assert list(passing) == []


def test_a_stream_longer_than_it_said() -> None:
    loader = DataLoader(Stream(3, said=1), batch_size=None)
    assert len(loader) == 1
    with pytest.warns(UserWarning, match="was reported to be 1"):
        list(loader)


def test_getitems_is_called_once_a_batch() -> None:
    calls = []

    class Batched:
        def __len__(self) -> int:
            return 4

        def __getitem__(self, index: int) -> int:
            raise AssertionError

        def __getitems__(self, indices: list[int]) -> list[int]:
            calls.append(indices)
            return indices

    assert [b.tolist() for b in DataLoader(Batched(), batch_size=3)] == [[0, 1, 2], [3]]
    assert calls == [[0, 1, 2], [3]]


@pytest.mark.parametrize(
    ("options", "match"),
    [
        ({"num_workers": -1}, "non-negative"),
        ({"timeout": -1}, "timeout"),
        ({"prefetch_factor": 2}, "prefetch_factor"),
        ({"persistent_workers": True}, "persistent_workers"),
        ({"sampler": [0], "shuffle": True}, "mutually exclusive with shuffle"),
        ({"batch_sampler": [[0]], "batch_size": 2}, "batch_sampler option"),
        ({"batch_sampler": [[0]], "drop_last": True}, "batch_sampler option"),
        ({"batch_size": None, "drop_last": True}, "batch_size=None"),
        ({"batch_size": 0}, "positive integer"),
        ({"dataset": Stream(2), "shuffle": True}, "unspecified shuffle"),
        ({"dataset": Stream(2), "sampler": [0]}, "unspecified sampler"),
        ({"dataset": Stream(2), "batch_sampler": [[0]]}, "unspecified batch_sampler"),
        ({"dataset": [], "shuffle": True}, "num_samples"),
    ],
)
def test_argument_checks(options: dict[str, Any], match: str) -> None:
    with pytest.raises(ValueError, match=match):
        DataLoader(**{"dataset": range(3), **options})


def test_options_of_workers_are_accepted_without_them() -> None:
    loader = DataLoader(
        range(2),
        worker_init_fn=print,
        multiprocessing_context=None,
        in_order=False,
    )
    assert [b.tolist() for b in loader] == [[0], [1]]
    with pytest.raises(ValueError, match="should not be set after"):
        loader.batch_size = 3
    loader.num_workers = 0
    with pytest.raises(AssertionError, match="timeout"):
        iter(DataLoader(range(2), timeout=1))


class Pair(NamedTuple):
    a: Any
    b: Any


def test_collate_structures() -> None:
    batch = default_collate([{"x": 1, "y": (2.0, "s")}, {"x": 3, "y": (4.0, "t")}])
    assert batch["x"].tolist() == [1, 3]
    assert batch["y"][0].dtype is torch.float64
    assert batch["y"][1] == ("s", "t")
    pair = default_collate([Pair(1, [2, 3]), Pair(4, [5, 6])])
    assert isinstance(pair, Pair)
    assert pair.a.tolist() == [1, 4]
    assert [t.tolist() for t in pair.b] == [[2, 5], [3, 6]]
    assert default_collate([b"a", b"b"]) == [b"a", b"b"]
    assert default_collate([True, False]).tolist() == [True, False]
    ordered = default_collate([collections.OrderedDict(k=1)])
    assert isinstance(ordered, collections.OrderedDict)


def test_collate_arrays_and_tensors() -> None:
    rows = [np.arange(3, dtype=np.int16), np.arange(3, 6, dtype=np.int16)]
    batch = default_collate(rows)
    assert batch.dtype is torch.int16
    assert batch.shape == (2, 3)
    assert default_collate([np.float32(1), np.float32(2)]).dtype is torch.float32
    assert default_collate([torch.ones(2), torch.zeros(2)]).shape == (2, 2)


def test_collate_errors() -> None:
    with pytest.raises(TypeError, match="must contain tensors, numpy arrays"):
        default_collate([object()])
    with pytest.raises(TypeError, match="must contain"):
        default_collate([np.array(["a"])])
    with pytest.raises(RuntimeError, match="equal size"):
        default_collate([[1], [1, 2]])
    with pytest.raises(RuntimeError):
        default_collate([torch.zeros(2), torch.zeros(3)])


def test_convert() -> None:
    value = {"a": np.ones(2), "b": [1, np.int64(2)], "c": "s", "d": Pair(1, np.zeros(1))}
    back = default_convert(value)
    assert isinstance(back["a"], torch.Tensor)
    assert back["b"][0] == 1
    assert back["b"][1].item() == 2
    assert back["c"] == "s"
    assert isinstance(back["d"].b, torch.Tensor)
    assert default_convert((1, 2)) == [1, 2]
    strings = np.array(["x"])
    assert default_convert(strings) is strings


def test_batches_given_as_tuples_are_samples_not_dimensions() -> None:
    data = TensorDataset(torch.arange(12).reshape(4, 3), torch.arange(4))
    loader = DataLoader(data, batch_sampler=[(0, 1), (2, 3)])
    first, second = list(loader)
    assert first[0].tolist() == [[0, 1, 2], [3, 4, 5]]
    assert second[1].tolist() == [2, 3]
