"""Strides and conjugated views in files and pickles, and several objects in an older file."""

from __future__ import annotations

import io
import pickle
from typing import Any

import numpy as np
import pytest

import rushlight as torch


def test_an_older_file_may_hold_several_objects() -> None:
    file = io.BytesIO()
    for value in (torch.ones(2), {"a": torch.zeros(3)}):
        torch.save(value, file, _use_new_zipfile_serialization=False)
    file.seek(0)
    assert torch.load(file).tolist() == [1.0, 1.0]
    assert torch.load(file)["a"].tolist() == [0.0, 0.0, 0.0]


class ReadsInto(io.RawIOBase):
    """A file of a kind of its own, which gives a few bytes at a time."""

    def __init__(self, data: bytes) -> None:
        self.inner = io.BytesIO(data)
        self.all_of_it = False

    def read(self, size: int = -1) -> bytes:
        self.all_of_it |= size < 0
        return self.inner.read(size)

    def readinto(self, target: Any) -> int:
        return self.inner.readinto(memoryview(target)[:100])

    def seek(self, place: int, whence: int = 0) -> int:
        return self.inner.seek(place, whence)

    def tell(self) -> int:
        return self.inner.tell()


def test_an_older_file_is_read_into_memory_once() -> None:
    torch.save(torch.arange(99), file := io.BytesIO(), _use_new_zipfile_serialization=False)
    own = ReadsInto(b"before" + file.getvalue())
    own.seek(6)
    assert torch.load(own).tolist() == list(range(99))
    assert not own.all_of_it


@pytest.mark.parametrize("zipped", [True, False])
def test_a_conjugated_tensor_keeps_its_values(zipped: bool) -> None:
    real = pytest.importorskip("torch")
    file = io.BytesIO()
    saved = real.tensor([1 + 2j, 3]).conj()
    real.save(saved, file, _use_new_zipfile_serialization=zipped)
    file.seek(0)
    loaded = torch.load(file)
    assert loaded.is_conj()
    assert loaded.tolist() == [1 - 2j, 3 - 0j]
    for view, is_set in ((loaded, real.is_conj), (loaded.imag, real.is_neg)):
        again = io.BytesIO()
        torch.save(view, again, _use_new_zipfile_serialization=zipped)
        back = real.load(io.BytesIO(again.getvalue()))
        assert (is_set(back), back.tolist()) == (True, view.tolist())
    copy = pickle.loads(pickle.dumps(loaded.imag))
    assert copy.is_neg()
    assert copy.tolist() == [-2, 0]


VIEWS = {
    "transposed": lambda: torch.arange(6).view(2, 3).t(),
    "expanded": lambda: torch.arange(3.0).expand(2, 3),
    "channels_last": lambda: torch.rand(2, 3, 4, 5).to(memory_format=torch.channels_last),
    "every other": lambda: torch.arange(10)[::2],
    "narrow": lambda: torch.arange(6, dtype=torch.bfloat16).view(2, 3).t(),
    "empty": lambda: torch.zeros(0, 3),
}


@pytest.mark.parametrize("name", VIEWS)
def test_pickles_keep_strides(name: str) -> None:
    x: Any = VIEWS[name]()
    y = pickle.loads(pickle.dumps(x))
    assert y.dtype is x.dtype
    assert y.shape == x.shape
    assert y.stride() == x.stride()
    assert np.array_equal(y.float().numpy(), x.float().numpy())
    y.mul_(1) if name != "expanded" else None
