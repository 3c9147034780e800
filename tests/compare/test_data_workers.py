"""Workers draw PyTorch's random numbers for the same seed, and raise PyTorch's errors."""

from __future__ import annotations

import random
from typing import Any

import numpy as np
import pytest

import rushlight

torch = pytest.importorskip("torch")

# Local classes: both libraries fork.
pytestmark = pytest.mark.filterwarnings("ignore:This DataLoader will create")


def augmented(lib: Any, **options: Any) -> Any:
    """Two passes over samples made of random numbers, and the random stream afterwards."""

    class Data(lib.utils.data.Dataset):  # type: ignore[misc, name-defined]
        def __len__(self) -> int:
            return 13

        def __getitem__(self, i: int) -> Any:
            info = lib.utils.data.get_worker_info()
            drawn = [random.random(), float(np.random.rand()), lib.rand(2).tolist()]
            return i, info.id, info.seed, drawn, lib.randint(1000, (1,)).item()

    lib.manual_seed(21)
    loader = lib.utils.data.DataLoader(Data(), collate_fn=lambda b: b, **options)
    got = [list(loader) for _ in range(2)]
    return got, lib.rand(3).tolist()


@pytest.mark.parametrize("persistent", [False, True])
@pytest.mark.parametrize("workers", [1, 2, 3])
def test_augmentations(workers: int, persistent: bool) -> None:
    options = {
        "batch_size": 2,
        "shuffle": True,
        "num_workers": workers,
        "persistent_workers": persistent,
        "multiprocessing_context": "fork",
    }
    assert augmented(rushlight, **options) == augmented(torch, **options)


@pytest.mark.parametrize("workers", [0, 2])
def test_streams(workers: int) -> None:
    def program(lib: Any) -> Any:
        class Stream(lib.utils.data.IterableDataset):  # type: ignore[misc, name-defined]
            def __iter__(self) -> Any:
                info = lib.utils.data.get_worker_info()
                first, step = (0, 1) if info is None else (info.id, info.num_workers)
                return iter(range(first, 17, step))

        options = {"batch_size": 3, "num_workers": workers}
        if workers:
            options["multiprocessing_context"] = "fork"
        loader = lib.utils.data.DataLoader(Stream(), **options)
        return [[b.tolist() for b in loader] for _ in range(2)]

    assert program(rushlight) == program(torch)


@pytest.mark.parametrize("error", [ValueError("bad"), KeyError("k"), UnicodeError("u")])
def test_errors(error: Exception) -> None:
    def program(lib: Any) -> Any:
        class Data(lib.utils.data.Dataset):  # type: ignore[misc, name-defined]
            def __len__(self) -> int:
                return 2

            def __getitem__(self, i: int) -> Any:
                raise error

        loader = lib.utils.data.DataLoader(Data(), num_workers=1, multiprocessing_context="fork")
        with pytest.raises(type(error)) as caught:
            list(loader)
        lines = str(caught.value).splitlines()
        return lines[:2], lines[-1]

    assert program(rushlight) == program(torch)


def test_worker_info() -> None:
    def program(lib: Any) -> Any:
        class Data(lib.utils.data.Dataset):  # type: ignore[misc, name-defined]
            def __len__(self) -> int:
                return 2

            def __getitem__(self, i: int) -> Any:
                info = lib.utils.data.get_worker_info()
                return (
                    info.id,
                    info.num_workers,
                    info.worker_method,
                    info.rng,
                    lib.get_num_threads(),
                )

        loader = lib.utils.data.DataLoader(
            Data(), batch_size=None, num_workers=2, multiprocessing_context="fork"
        )
        return list(loader)

    assert program(rushlight) == program(torch)


def test_public_names() -> None:
    theirs = set(torch.utils.data.__all__) - {
        *("DFIterDataPipe", "DataChunk", "IterDataPipe", "MapDataPipe"),
        *("argument_validation", "functional_datapipe", "guaranteed_datapipes_determinism"),
        *("non_deterministic", "runtime_validation", "runtime_validation_disabled"),
    }
    assert theirs <= set(dir(rushlight.utils.data))
