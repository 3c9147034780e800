"""MNIST from files on disk, in every layout that is recognised."""

from __future__ import annotations

import gzip
import hashlib
import lzma
import os
import pickle
import re
import struct
import urllib.request
import zipfile
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import rushlight as torch
from rushlight.vision import datasets, transforms
from rushlight.vision.datasets import (
    EMNIST,
    KMNIST,
    MNIST,
    QMNIST,
    FashionMNIST,
    mnist,
    read_idx,
)

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


def test_samples_stand_for_themselves(tmp_path: Path) -> None:
    write(tmp_path, False)
    data = MNIST(tmp_path)
    image, _ = data[torch.tensor(1)]
    image.putpixel((0, 0), 99)
    assert np.array_equal(data.data.numpy(), IMAGES)
    assert data[-1][1] == 3
    assert len(list(data)) == 3  # ends by IndexError
    data.targets = [1, 2, 3]  # what programs put there
    data.data = IMAGES[:, :5] / np.float32(1)
    image, label = data[1]
    assert (image.mode, image.size, label) == ("F", (28, 5), 2)
    again = pickle.loads(pickle.dumps(data))
    assert again[0][1] == 1


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
        gzip.compress(idx(IMAGES), mtime=0)[:-20],  # the bytes name the test: no time in them
        gzip.compress(idx(IMAGES), mtime=0)[:30],
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


NAMES = [name for name, _ in MNIST.resources]


def serve(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    write(folder, True)
    sums = [(n, hashlib.md5((folder / n).read_bytes()).hexdigest()) for n in NAMES]
    monkeypatch.setattr(Served, "resources", sums)
    addresses = [f.as_uri() + "/" for f in (folder / "nowhere", folder)]
    monkeypatch.setattr(Served, "mirrors", addresses)


@pytest.fixture
def offline(monkeypatch: pytest.MonkeyPatch) -> Any:
    def cut() -> None:
        def unreachable(*_: Any, **__: Any) -> None:
            raise AssertionError("fetched again")

        monkeypatch.setattr(urllib.request, "urlopen", unreachable)

    return cut


def test_download(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, offline: Any) -> None:
    serve(tmp_path / "server", monkeypatch)
    data = Served(tmp_path / "root", download=True)
    assert data.targets.tolist() == [7, 0, 3]
    raw = tmp_path / "root" / "Served" / "raw"
    both = [*NAMES, *(n.removesuffix(".gz") for n in NAMES)]
    assert sorted(os.listdir(raw)) == sorted(both)
    offline()
    Served(tmp_path / "root", download=True)
    for name in NAMES:  # either form of a file will do
        (raw / name).unlink()
    Served(tmp_path / "root", download=True)


@pytest.mark.parametrize("layout", ["Served/raw", "raw", "."])
@pytest.mark.parametrize("packed", [False, True])
def test_files_on_disk_are_used(
    tmp_path: Path, layout: str, packed: bool, monkeypatch: pytest.MonkeyPatch, offline: Any
) -> None:
    serve(tmp_path / "server", monkeypatch)
    write(tmp_path / layout, packed)
    offline()
    assert len(Served(tmp_path, download=True)) == 3


def test_broken_files_are_named_and_fetched_again(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    serve(tmp_path / "server", monkeypatch)
    raw = tmp_path / "Served" / "raw"
    write(raw, True)
    path = raw / "train-images-idx3-ubyte.gz"
    good = path.read_bytes()
    path.write_bytes(good[:-30])
    found, wanted = hashlib.md5(good[:-30]).hexdigest(), hashlib.md5(good).hexdigest()
    words = f"{path} is corrupted: md5 {found}, wanted {wanted}"
    with pytest.raises(RuntimeError, match=re.escape(words)):
        Served(tmp_path)
    with pytest.warns(UserWarning, match=re.escape(words)):
        data = Served(tmp_path, download=True)
    assert len(data) == 3
    assert path.read_bytes() == good
    plain = raw / "train-labels-idx1-ubyte"
    plain.write_bytes(plain.read_bytes()[:-1])
    with pytest.raises(RuntimeError, match="train-labels-idx1-ubyte is not a whole IDX file"):
        Served(tmp_path)
    assert Served(tmp_path, download=True).targets.tolist() == [7, 0, 3]


def test_a_broken_download_leaves_nothing(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    serve(tmp_path / "server", monkeypatch)
    name = "t10k-images-idx3-ubyte.gz"
    (tmp_path / "server" / name).write_bytes(b"half a file")
    with pytest.raises(RuntimeError, match="corrupted"):
        Served(tmp_path / "root", download=True)
    left = os.listdir(tmp_path / "root" / "Served" / "raw")
    assert [n for n in left if n.startswith("t10k-images")] == []


def test_files_that_do_not_belong_together(tmp_path: Path) -> None:
    write(tmp_path, False)
    (tmp_path / "train-labels-idx1-ubyte").write_bytes(idx(LABELS[:2]))
    with pytest.raises(RuntimeError, match="do not belong together"):
        MNIST(tmp_path)


def test_mnist_is_not_taken_for_fashion(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Unpacked in a folder that is named after nobody, the files tell only by their content."""
    write(tmp_path, False)
    assert len(FashionMNIST(tmp_path)) == 3
    labels = (tmp_path / "train-labels-idx1-ubyte").read_bytes()
    monkeypatch.setattr(mnist, "_MNIST_LABELS", {hashlib.md5(labels).hexdigest()})
    with pytest.raises(RuntimeError, match="Dataset not found"):
        FashionMNIST(tmp_path)


@pytest.mark.parametrize("folder", ["MNIST/processed", "processed"])
def test_the_oldest_layout(tmp_path: Path, folder: str) -> None:
    (tmp_path / folder).mkdir(parents=True)
    pair = torch.from_numpy(IMAGES), torch.from_numpy(LABELS.astype(np.int64))
    torch.save(pair, tmp_path / folder / "training.pt")
    data = MNIST(tmp_path)
    assert data.targets.tolist() == [7, 0, 3]
    assert np.array_equal(data.data.numpy(), IMAGES)


def test_old_names(tmp_path: Path) -> None:
    write(tmp_path, False)
    data = MNIST(tmp_path)
    for old, new in [("train_data", data.data), ("test_labels", data.targets)]:
        with pytest.warns(UserWarning, match=f"{old} has been renamed"):
            assert getattr(data, old) is new
    assert data.class_to_idx["3 - three"] == 3
    with pytest.warns(UserWarning, match="renamed targets"):
        assert data.train_labels is data.targets
    with pytest.warns(UserWarning, match="renamed data"):
        assert data.test_data is data.data


# The other data sets of the format


SPLITS = {"byclass": 62, "bymerge": 47, "balanced": 47, "letters": 27, "digits": 10, "mnist": 10}


def emnist_files(folder: Path) -> None:
    folder.mkdir(parents=True)
    for i, split in enumerate(SPLITS):
        for part in ("train", "test"):
            for name, array in (("images-idx3", IMAGES), ("labels-idx1", LABELS + i)):
                path = folder / f"emnist-{split}-{part}-{name}-ubyte.gz"
                path.write_bytes(gzip.compress(idx(array)))


@pytest.mark.parametrize("split", SPLITS)
def test_emnist(tmp_path: Path, split: str) -> None:
    emnist_files(tmp_path / "EMNIST" / "raw")
    for train in (True, False):
        data = EMNIST(tmp_path, split, train=train)
        assert data.targets.tolist() == [n + list(SPLITS).index(split) for n in (7, 0, 3)]
        assert len(data.classes) == SPLITS[split]
        assert data[0][0].size == (28, 28)
    with pytest.raises(ValueError, match="Unknown value 'x' for argument split"):
        EMNIST(tmp_path, "x")


def test_emnist_download(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, offline: Any) -> None:
    emnist_files(tmp_path / "server" / "gzip")
    archive = tmp_path / "server" / "gzip.zip"
    with zipfile.ZipFile(archive, "w") as file:
        for path in sorted((tmp_path / "server" / "gzip").iterdir()):
            file.write(path, f"gzip/{path.name}")
    monkeypatch.setattr(EMNIST, "url", archive.as_uri())
    monkeypatch.setattr(EMNIST, "md5", hashlib.md5(archive.read_bytes()).hexdigest())
    assert len(EMNIST(tmp_path / "root", "letters", download=True)) == 3
    raw = tmp_path / "root" / "EMNIST" / "raw"
    assert "gzip" not in os.listdir(raw)
    assert "emnist-digits-test-labels-idx1-ubyte" in os.listdir(raw)
    offline()
    data = EMNIST(str(tmp_path / "root"), split="digits", train=False, download=True)
    assert os.path.isfile(data.images_file)
    assert os.path.isfile(data.labels_file)


def test_qmnist(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    server = tmp_path / "server"
    server.mkdir()
    facts = np.arange(24, dtype=">i4").reshape(3, 8)
    resources: dict[str, Any] = {}
    for part, pairs in QMNIST.resources.items():
        resources[part] = []
        for name, _ in pairs:
            array, code = (IMAGES, 8) if "images" in name else (facts, 12)
            pack = lzma.compress if name.endswith(".xz") else gzip.compress
            (server / name).write_bytes(pack(idx(array, code)))
            checksum = hashlib.md5((server / name).read_bytes()).hexdigest()
            resources[part].append((name, checksum))
    monkeypatch.setattr(QMNIST, "resources", resources)
    monkeypatch.setattr(QMNIST, "mirrors", [server.as_uri() + "/"])
    data = QMNIST(tmp_path / "root", download=True)
    assert [data[i][1] for i in range(3)] == [0, 8, 16]
    full = QMNIST(tmp_path / "root", what="nist", compat=False, download=True)
    assert full[1][1].tolist() == list(range(8, 16))
    assert "Split: nist" in repr(full)
    assert len(QMNIST(tmp_path / "root", train=False, download=True)) == 3
    assert len(QMNIST(tmp_path / "root", what="test10k")) == 3
    assert len(QMNIST(tmp_path / "root", what="test50k")) == 0
