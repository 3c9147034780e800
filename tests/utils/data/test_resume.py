"""A loader goes on in the middle of a pass: every sample exactly once, also the second time."""

from __future__ import annotations

import io
import random
from collections.abc import Iterator
from typing import Any

import loader_samples as samples
import numpy as np
import pytest

import rushlight as torch
from rushlight.utils.data import (
    BatchSampler,
    DataLoader,
    DistributedSampler,
    RandomSampler,
    Sampler,
    SubsetRandomSampler,
    WeightedRandomSampler,
)

WORKERS: dict[str, dict[str, Any]] = {
    "none": {},
    "processes": {"num_workers": 2},
    "persistent": {"num_workers": 2, "persistent_workers": True},
    "threads": {"num_workers": 2, "worker_method": "thread"},
}


@pytest.fixture(params=list(WORKERS))
def workers(request: pytest.FixtureRequest) -> dict[str, Any]:
    """Options for each kind of reading."""
    return WORKERS[request.param]


class ByPython(Sampler[int]):
    """Draws from Python's own generator, and from one of NumPy's that it owns."""

    def __init__(self, n: int) -> None:
        self.n = n
        self.rng = np.random.default_rng(5)

    def __iter__(self) -> Iterator[int]:
        order = list(range(self.n))
        random.shuffle(order)
        return iter([order[i] for i in self.rng.permutation(self.n).tolist()])

    def __len__(self) -> int:
        return self.n


class Stateful(Sampler[int]):
    """A sampler whose order depends on a number that it counts up itself."""

    def __init__(self, n: int) -> None:
        self.n = n
        self.passes = 0

    def __iter__(self) -> Iterator[int]:
        self.passes += 1
        return iter([(i * 7 + self.passes) % self.n for i in range(self.n)])

    def __len__(self) -> int:
        return self.n

    def state_dict(self) -> dict[str, Any]:
        return {"passes": self.passes}

    def load_state_dict(self, state: dict[str, Any]) -> None:
        self.passes = state["passes"]


N = 23
ORDERS: dict[str, Any] = {
    "in order": lambda: {},
    "shuffled": lambda: {"shuffle": True},
    "own generator": lambda: {"shuffle": True, "generator": torch.Generator().manual_seed(3)},
    "random sampler": lambda: {"sampler": RandomSampler(range(N), replacement=True)},
    "its generator": lambda: {
        "sampler": RandomSampler(range(N), True, 90, torch.Generator().manual_seed(9))
    },
    "subset": lambda: {"sampler": SubsetRandomSampler(list(range(3, 20)))},
    "weighted": lambda: {"sampler": WeightedRandomSampler([1.0] * N, 40)},
    "batch sampler": lambda: {
        "batch_sampler": BatchSampler(
            RandomSampler(range(N), generator=torch.Generator().manual_seed(1)), 3, False
        )
    },
    "distributed": lambda: {"sampler": DistributedSampler(range(N), 2, 1, seed=4)},
    "python": lambda: {"sampler": ByPython(N)},
    "stateful": lambda: {"sampler": Stateful(N)},
}


def make(order: str, options: dict[str, Any]) -> Any:
    chosen = ORDERS[order]()
    if "batch_sampler" not in chosen:
        chosen["batch_size"] = 3
    return DataLoader(samples.Rows(N, 2), **chosen, **options)


def seen(batches: Any) -> list[list[int]]:
    return [b[1].tolist() for b in batches]


def part(loader: Any, n: int) -> list[list[int]]:
    """The first n batches of a pass that is then broken off."""
    got = []
    for batch in loader:
        got.append(batch[1].tolist())
        if len(got) == n:
            break
    return got


def through_a_file(state: Any) -> Any:
    file = io.BytesIO()
    torch.save(state, file)
    file.seek(0)
    return torch.load(file, weights_only=True)


@pytest.mark.parametrize("order", list(ORDERS))
def test_twice_in_a_row(order: str, workers: Any) -> None:
    torch.manual_seed(7)
    random.seed(7)
    whole = make(order, workers)
    passes = [seen(whole), seen(whole)]

    torch.manual_seed(7)
    random.seed(7)
    first = make(order, workers)
    got = part(first, 2)
    second = make(order, workers)
    second.load_state_dict(through_a_file(first.state_dict()))
    torch.rand(17)  # the program's own numbers have nothing to do with it
    random.random()
    got += part(second, 1)
    third = make(order, workers)
    third.load_state_dict(through_a_file(second.state_dict()))
    got += seen(third)
    assert got == passes[0]
    if order in ("own generator", "its generator", "batch sampler", "stateful"):
        assert seen(third) == passes[1]  # the next pass too: its order is the loader's own


def test_other_numbers_of_workers() -> None:
    torch.manual_seed(1)
    first = make("shuffled", {"num_workers": 2})
    got = part(first, 3)
    second = make("shuffled", {})
    second.load_state_dict(first.state_dict())
    got += part(second, 2)
    third = make("shuffled", {"num_workers": 1})
    third.load_state_dict(second.state_dict())
    got += seen(third)
    assert sorted(i for b in got for i in b) == list(range(N))


def test_nothing_is_disturbed() -> None:
    """Loading and going on leaves the program's random numbers alone."""
    torch.manual_seed(2)
    first = make("shuffled", {})
    part(first, 2)
    second = make("shuffled", {})
    torch.manual_seed(50)
    second.load_state_dict(first.state_dict())
    part(second, 2)
    after = torch.rand(2).tolist()
    torch.manual_seed(50)
    assert torch.rand(2).tolist() == after


def test_a_program_started_anew_goes_on_to_the_same_second_pass() -> None:
    """With its seed set again and nothing else restored."""
    torch.manual_seed(3)
    whole = make("shuffled", {})
    passes = [seen(whole), seen(whole)]
    torch.manual_seed(3)
    first = make("shuffled", {})
    got = part(first, 4)
    state = first.state_dict()
    torch.manual_seed(3)
    second = make("shuffled", {})
    second.load_state_dict(state)
    assert got + seen(second) == passes[0]
    assert seen(second) == passes[1]


@pytest.mark.slow
def test_between_passes(workers: Any) -> None:
    """A state taken before, between or after passes begins a new one."""
    whole = make("own generator", workers)
    passes = [seen(whole) for _ in range(3)]
    first = make("own generator", workers)
    begun = first.state_dict()
    assert seen(first) == passes[0]
    second = make("own generator", workers)
    second.load_state_dict(first.state_dict())
    assert seen(second) == passes[1]
    assert seen(second) == passes[2]
    third = make("own generator", workers)
    third.load_state_dict(begun)
    assert seen(third) == passes[0]


@pytest.mark.slow
def test_in_a_later_pass(workers: Any) -> None:
    whole = make("own generator", workers)
    passes = [seen(whole) for _ in range(4)]
    first = make("own generator", workers)
    seen(first)
    got = part(first, 3)
    second = make("own generator", workers)
    second.load_state_dict(first.state_dict())
    got += part(second, 1)
    third = make("own generator", workers)
    third.load_state_dict(second.state_dict())
    assert got + seen(third) == passes[1]
    assert seen(third) == passes[2]
    fourth = make("own generator", workers)
    fourth.load_state_dict(third.state_dict())
    assert seen(fourth) == passes[3]


def test_after_the_last_batch_nothing_is_left(workers: Any) -> None:
    first = make("shuffled", workers)
    part(first, len(first))
    second = make("shuffled", workers)
    second.load_state_dict(first.state_dict())
    assert seen(second) == []
    assert len(seen(second)) == len(second)


def test_a_state_that_was_loaded_is_the_state() -> None:
    first = make("shuffled", {})
    part(first, 2)
    state = first.state_dict()
    second = make("shuffled", {})
    second.load_state_dict(state)
    assert second.state_dict()["yielded"] == state["yielded"] == 2


def test_batches_ahead_of_their_turn() -> None:
    options = {"num_workers": 2, "in_order": False}
    first = make("shuffled", options)
    got = part(first, 4)
    second = make("shuffled", options)
    second.load_state_dict(first.state_dict())
    got += part(second, 2)
    third = make("shuffled", options)
    third.load_state_dict(second.state_dict())
    got += seen(third)
    assert sorted(i for b in got for i in b) == list(range(N))


# -- streams --------------------------------------------------------------------------------------


def numbers(batches: Any) -> list[list[int]]:
    return [b.tolist() for b in batches]


@pytest.mark.parametrize("cls", [samples.Numbers, samples.Remembering])
@pytest.mark.parametrize("stop", [(1, 1), (3, 2), (6, 1)])
def test_streams_twice_in_a_row(cls: Any, stop: tuple[int, int], workers: Any) -> None:
    if cls is samples.Remembering and "worker_method" in workers:
        pytest.skip("threads share a data set, so it cannot be at several places")

    def fresh() -> Any:
        return DataLoader(cls(19), batch_size=2, **workers)

    passes = numbers(fresh())
    got: list[list[int]] = []
    state = None
    for n in stop:
        loader = fresh()
        if state is not None:
            loader.load_state_dict(state)
        for batch in loader:
            got.append(batch.tolist())
            n -= 1
            if n == 0:
                break
        state = through_a_file(loader.state_dict())
    last = fresh()
    last.load_state_dict(state)
    assert got + numbers(last) == passes
    assert numbers(last) == passes


def test_an_iterator_that_knows_where_it_is() -> None:
    class Counting:
        def __init__(self) -> None:
            self.at = 0

        def __iter__(self) -> Any:
            return self

        def __next__(self) -> int:
            self.at += 1
            if self.at > 6:
                raise StopIteration
            return self.at

        def state_dict(self) -> dict[str, int]:
            return {"at": self.at}

        def load_state_dict(self, state: dict[str, int]) -> None:
            self.at = state["at"]

    class Stream(samples.Numbers):
        def __iter__(self) -> Any:
            return Counting()

    loader = DataLoader(Stream(6), batch_size=None)
    passing = iter(loader)
    assert [next(passing), next(passing)] == [1, 2]
    other = DataLoader(Stream(6), batch_size=None)
    other.load_state_dict(loader.state_dict())
    assert list(other) == [3, 4, 5, 6]


# -- errors ---------------------------------------------------------------------------------------


def test_states_of_other_loaders_are_refused() -> None:
    loader = DataLoader(samples.Rows(4), batch_size=2)
    next(iter(loader))
    with pytest.raises(ValueError, match="batch_size=2 in the state, batch_size=1 here"):
        DataLoader(samples.Rows(4)).load_state_dict(loader.state_dict())
    with pytest.raises(ValueError, match="not the state of a DataLoader"):
        loader.load_state_dict({"weight": 1})
    with pytest.raises(ValueError, match="not the state of a DataLoader"):
        loader.load_state_dict(None)  # type: ignore[arg-type]
    stream = DataLoader(samples.Numbers(9), num_workers=2)
    next(iter(stream))
    with pytest.raises(ValueError, match="num_workers=2 in the state, num_workers=0 here"):
        DataLoader(samples.Numbers(9)).load_state_dict(stream.state_dict())
