"""The order in which data are read, for the same seed, is PyTorch's."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

import rushlight

torch = pytest.importorskip("torch")


def same(program: Callable[[Any, Any], Any], seed: int = 0) -> None:
    """Run the program on both libraries from one seed; the results and what follows must agree."""
    results = []
    for lib in (rushlight, torch):
        lib.manual_seed(seed)
        got = program(lib, lib.utils.data)
        results.append((got, lib.randint(1000, (4,)).tolist()))
    assert results[0] == results[1]


@pytest.mark.parametrize("size", [1, 2, 31, 100, 40_000])
@pytest.mark.parametrize("seed", [0, 1, 2**40])
def test_random_sampler(size: int, seed: int) -> None:
    same(lambda lib, data: [list(data.RandomSampler(range(size))) for _ in range(2)], seed)


@pytest.mark.parametrize("count", [1, 5, 32, 70])
@pytest.mark.parametrize("replacement", [False, True])
def test_random_sampler_counts(count: int, replacement: bool) -> None:
    same(lambda lib, data: list(data.RandomSampler(range(9), replacement, count)))


def test_random_sampler_with_its_own_generator() -> None:
    def program(lib: Any, data: Any) -> Any:
        generator = lib.Generator().manual_seed(7)
        sampler = data.RandomSampler(range(20), generator=generator)
        return [list(sampler), list(sampler)]

    same(program)


def test_subset_and_weighted_samplers() -> None:
    same(lambda lib, data: list(data.SubsetRandomSampler(list(range(3, 30)))))
    same(lambda lib, data: list(data.WeightedRandomSampler([0.1, 3.0, 1.0, 0.0, 2.0], 40)))
    same(lambda lib, data: list(data.WeightedRandomSampler([0.1, 3.0, 1.0], 3, False)))


@pytest.mark.parametrize("size", [1, 5, 8, 23])
@pytest.mark.parametrize("drop_last", [False, True])
@pytest.mark.parametrize("shuffle", [False, True])
def test_distributed_sampler(size: int, drop_last: bool, shuffle: bool) -> None:
    def program(lib: Any, data: Any) -> Any:
        shares = []
        for rank in range(4):
            sampler = data.DistributedSampler(
                range(size), 4, rank, shuffle, seed=3, drop_last=drop_last
            )
            sampler.set_epoch(2)
            shares.append((len(sampler), list(sampler)))
        return shares

    same(program)


@pytest.mark.parametrize("lengths", [[70, 30], [0.5, 0.25, 0.25], [0.33, 0.33, 0.34]])
def test_random_split(lengths: list[Any]) -> None:
    same(lambda lib, data: [p.indices for p in data.random_split(range(100), lengths)])


def epochs(lib: Any, loader: Any) -> Any:
    """Two passes with a random number drawn in the middle of each, as dropout would."""
    seen: list[Any] = []
    for _ in range(2):
        for (x,) in loader:
            seen.append(x.tolist())
            if len(seen) == 2:
                seen.append(lib.rand(3).tolist())
    return seen


@pytest.mark.parametrize("shuffle", [False, True])
@pytest.mark.parametrize("own_generator", [False, True])
@pytest.mark.parametrize("drop_last", [False, True])
def test_loader(shuffle: bool, own_generator: bool, drop_last: bool) -> None:
    def program(lib: Any, data: Any) -> Any:
        generator = lib.Generator().manual_seed(5) if own_generator else None
        loader = data.DataLoader(
            data.TensorDataset(lib.arange(50)),
            batch_size=7,
            shuffle=shuffle,
            drop_last=drop_last,
            generator=generator,
        )
        return epochs(lib, loader)

    same(program)


def test_loader_of_plain_samples() -> None:
    def program(lib: Any, data: Any) -> Any:
        samples = [{"x": i, "y": (float(i), str(i))} for i in range(10)]
        batches = data.DataLoader(samples, batch_size=4, shuffle=True)
        return [(b["x"].tolist(), b["y"][0].tolist(), list(b["y"][1])) for b in batches]

    same(program)


def test_random_transforms() -> None:
    """torchvision draws its random numbers with the calls that are repeated here."""
    from rushlight.vision import transforms
    from rushlight.vision.transforms import draw

    rushlight.manual_seed(3)
    crop = transforms.RandomCrop((4, 5))
    image = rushlight.arange(99).reshape(1, 9, 11)
    ours = [(crop.get_params(image, (4, 5)), draw.chance(0.5)) for _ in range(20)]
    torch.manual_seed(3)
    theirs = []
    for _ in range(20):
        top = torch.randint(0, 9 - 4 + 1, size=(1,)).item()
        left = torch.randint(0, 11 - 5 + 1, size=(1,)).item()
        theirs.append(((top, left, 4, 5), bool(torch.rand(1) < 0.5)))
    assert ours == theirs
