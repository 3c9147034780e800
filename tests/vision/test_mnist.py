"""MNIST from files on disk, in every layout that is recognised."""

from __future__ import annotations

import gzip
import hashlib
import os
import struct
import urllib.request
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import rushlight as torch
from rushlight.vision import datasets, transforms
from rushlight.vision.datasets import KMNIST, MNIST, FashionMNIST, read_idx

pytest.importorskip("PIL", reason="Pillow is not installed")

IMAGES = np.arange(3 * 28 * 28, dtype=np.uint32).reshape(3, 28, 28).astype(np.uint8)
LABELS = np.array([7, 0, 3], np.uint8)


def idx(array: np.ndarray, code: int = 8) -> bytes:
    head = bytes([0, 0, code, array.ndim])
    return head + struct.pack(f">{array.ndim}i", *array.shape) + array.tobytes()


def write(folder: Path, packed: bool) -> None:
    folder.mkdir(parents=True, exist_ok=True)
    for part in ("train", "t10k"):
        for name, array in (("images-idx3", IMAGES), ("labels-idx1", LABELS)):
            data = idx(array)
            path = folder / f"{part}-{name}-ubyte{'.gz' if packed else ''}"
            path.write_bytes(gzip.compress(data) if packed else data)


@pytest.mark.parametrize("packed", [False, True])
@pytest.mark.parametrize("layout", ["MNIST/raw", "raw", "."])
@pytest.mark.parametrize("train", [False, True])
def test_layouts(tmp_path: Path, layout: str, packed: bool, train: bool) -> None:
    write(tmp_path / layout, packed)
    data = MNIST(tmp_path, train=train)
    assert len(data) == 3
    assert data.data.dtype is torch.uint8
    assert data.data.shape == (3, 28, 28)
    assert data.targets.tolist() == [7, 0, 3]
    image, label = data[2]
    assert (image.mode, image.size, label) == ("L", (28, 28), 3)
    assert np.array_equal(np.asarray(image), IMAGES[2])


def test_other_names(tmp_path: Path) -> None:
    write(tmp_path / "FashionMNIST" / "raw", True)
    assert FashionMNIST(tmp_path).classes[9] == "Ankle boot"
    write(tmp_path / "KMNIST" / "raw", True)
    assert len(KMNIST(tmp_path)) == 3


def test_transforms_are_applied(tmp_path: Path) -> None:
    write(tmp_path, True)
    chain = transforms.Compose([transforms.ToTensor(), transforms.Normalize((0.5,), (0.5,))])
    data = MNIST(tmp_path, transform=chain, target_transform=lambda label: -label)
    x, y = data[0]
    assert x.shape == (1, 28, 28)
    assert x.numpy() == pytest.approx(IMAGES[None, 0] / 127.5 - 1, abs=1e-6)
    assert y == -7
    assert "Split: Train" in repr(data)
    assert "Number of datapoints: 3" in repr(data)
    with pytest.raises(ValueError, match="transforms or transform"):
        datasets.VisionDataset(tmp_path, transforms=lambda a, b: (a, b), transform=chain)


def test_batches(tmp_path: Path) -> None:
    write(tmp_path, False)
    data = MNIST(tmp_path, transform=transforms.ToTensor())
    ((x, y),) = torch.utils.data.DataLoader(data, batch_size=8)
    assert x.shape == (3, 1, 28, 28)
    assert y.dtype is torch.int64


def test_missing_files(tmp_path: Path) -> None:
    with pytest.raises(RuntimeError, match="download=True"):
        MNIST(tmp_path)


@pytest.mark.parametrize(
    "content",
    [
        b"",
        b"not an idx file",
        idx(IMAGES)[:-1],
        idx(IMAGES) + b"x",
        idx(IMAGES)[:6],
        bytes([0, 0, 8, 3]) + struct.pack(">3i", -1, 28, 28),
        bytes([0, 0, 8, 3]) + struct.pack(">3i", 2**31 - 1, 2**31 - 1, 2**31 - 1),
        gzip.compress(idx(IMAGES))[:-20],
        gzip.compress(idx(IMAGES))[:30],
        b"\x1f\x8bnot gzip",
    ],
)
def test_broken_files(tmp_path: Path, content: bytes) -> None:
    path = tmp_path / "train-images-idx3-ubyte"
    path.write_bytes(content)
    with pytest.raises(RuntimeError, match="not a whole IDX file"):
        read_idx(path)


def test_idx_of_other_types(tmp_path: Path) -> None:
    path = tmp_path / "floats"
    path.write_bytes(idx(np.array([1.5, -2.0], ">f4"), 13))
    assert read_idx(path).tolist() == [1.5, -2.0]
    path.write_bytes(idx(np.array([[1, -2]], ">i4"), 12))
    assert read_idx(path).tolist() == [[1, -2]]


class Served(MNIST):
    """MNIST with addresses that are files."""


def serve(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    write(folder, True)
    names = list(MNIST.checksums)
    sums = {n: hashlib.md5((folder / n).read_bytes()).hexdigest() for n in names}
    monkeypatch.setattr(Served, "checksums", sums)
    addresses = tuple(f.as_uri() + "/" for f in (folder / "nowhere", folder))
    monkeypatch.setattr(Served, "mirrors", addresses)


def test_download(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    serve(tmp_path / "server", monkeypatch)
    data = Served(tmp_path / "root", download=True)
    assert data.targets.tolist() == [7, 0, 3]
    raw = tmp_path / "root" / "Served" / "raw"
    assert sorted(os.listdir(raw)) == sorted(MNIST.checksums)

    def unreachable(*_: Any, **__: Any) -> None:
        raise AssertionError("fetched again")

    monkeypatch.setattr(urllib.request, "urlopen", unreachable)
    Served(tmp_path / "root", download=True)


def test_a_broken_download_leaves_nothing(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    serve(tmp_path / "server", monkeypatch)
    name = "t10k-images-idx3-ubyte.gz"
    (tmp_path / "server" / name).write_bytes(b"half a file")
    with pytest.raises(RuntimeError, match="corrupted"):
        Served(tmp_path / "root", download=True)
    assert name not in os.listdir(tmp_path / "root" / "Served" / "raw")
