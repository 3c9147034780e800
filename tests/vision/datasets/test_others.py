"""SVHN and STL-10, from small files of their formats."""

from __future__ import annotations

import hashlib
import io
import struct
import tarfile
import zlib
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from rushlight.vision.datasets import STL10, SVHN
from rushlight.vision.datasets.svhn import read_mat

pytest.importorskip("PIL", reason="Pillow is not installed")


def element(kind: int, body: bytes) -> bytes:
    pad = b"" if kind == 15 else b"\0" * (-len(body) % 8)
    return struct.pack("<II", kind, len(body)) + body + pad


def mat(arrays: dict[str, np.ndarray], packed: bool) -> bytes:
    raw = b"MATLAB 5.0 MAT-file".ljust(124) + b"\x00\x01IM"
    for name, array in arrays.items():
        sizes = struct.pack(f"<{array.ndim}i", *array.shape)
        if len(name) <= 4:  # a small element: size and type in one word
            title = struct.pack("<HH", 1, len(name)) + name.encode().ljust(4, b"\0")
        else:
            title = element(1, name.encode())
        body = element(6, struct.pack("<II", 9, 0)) + element(5, sizes) + title
        body += element(2, array.tobytes(order="F"))
        piece = element(14, body)
        raw += element(15, zlib.compress(piece)) if packed else piece
    return raw


@pytest.mark.parametrize("packed", [True, False])
def test_svhn(tmp_path: Path, packed: bool, monkeypatch: pytest.MonkeyPatch) -> None:
    rng = np.random.default_rng(0)
    X = rng.integers(0, 256, (32, 32, 3, 5), np.uint8)
    y = np.array([[1], [10], [9], [10], [2]], np.uint8)
    source = tmp_path / "server.mat"
    source.write_bytes(mat({"X": X, "y": y, "longer": y}, packed))
    entry = [source.as_uri(), "train_32x32.mat", hashlib.md5(source.read_bytes()).hexdigest()]
    monkeypatch.setattr(SVHN, "split_list", {**SVHN.split_list, "train": entry})
    with pytest.raises(RuntimeError, match="You can use download=True"):
        SVHN(tmp_path / "root")
    data = SVHN(tmp_path / "root", download=True)
    assert data.labels.tolist() == [1, 0, 9, 0, 2]
    image, label = data[2]
    assert (image.mode, label) == ("RGB", 9)
    assert np.array_equal(np.asarray(image), X[:, :, :, 2])
    assert data.data.shape == (5, 3, 32, 32)
    assert "Split: train" in repr(data)
    (tmp_path / "root" / "train_32x32.mat").write_bytes(b"x")
    with pytest.raises(RuntimeError, match=r"train_32x32\.mat is corrupted: md5"):
        SVHN(tmp_path / "root")


@pytest.mark.parametrize("length", [0, 100, 130, 200, 1000])
def test_broken_mat_files(tmp_path: Path, length: int) -> None:
    whole = mat({"X": np.zeros((32, 32, 3, 5), np.uint8)}, False)
    (tmp_path / "x.mat").write_bytes(whole[:length])
    if length == 130:  # a header and nothing whole
        assert read_mat(tmp_path / "x.mat") == {}
        return
    with pytest.raises(RuntimeError, match=r"x\.mat is no MATLAB file"):
        read_mat(tmp_path / "x.mat")


@pytest.fixture
def stl(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> dict[str, Any]:
    rng = np.random.default_rng(0)
    counts = {"train": 4, "test": 2, "unlabeled": 3}
    images = {n: rng.integers(0, 256, (k, 3, 96, 96), np.uint8) for n, k in counts.items()}
    files = {f"{n}_X.bin": a.transpose(0, 1, 3, 2).tobytes() for n, a in images.items()}
    files |= {f"{n}_y.bin": bytes(range(1, counts[n] + 1)) for n in ("train", "test")}
    files["class_names.txt"] = b"airplane\nbird\n"
    files["fold_indices.txt"] = b"0 2 \n1 3 \n" * 5
    archive = tmp_path / "stl10_binary.tar.gz"
    with tarfile.open(archive, "w:gz") as file:
        for name, content in files.items():
            info = tarfile.TarInfo(f"stl10_binary/{name}")
            info.size = len(content)
            file.addfile(info, io.BytesIO(content))
    sums = {name: hashlib.md5(content).hexdigest() for name, content in files.items()}
    for key in ("train_list", "test_list"):
        monkeypatch.setattr(STL10, key, [[n, sums[n]] for n, _ in getattr(STL10, key)])
    monkeypatch.setattr(STL10, "url", archive.as_uri())
    monkeypatch.setattr(STL10, "tgz_md5", hashlib.md5(archive.read_bytes()).hexdigest())
    return images


def test_stl10(tmp_path: Path, stl: dict[str, np.ndarray]) -> None:
    root = tmp_path / "root"
    with pytest.raises(RuntimeError, match="You can use download=True"):
        STL10(root)
    data = STL10(root, download=True)
    assert np.array_equal(data.data, stl["train"])
    assert data.labels.tolist() == [0, 1, 2, 3]
    image, label = data[1]
    assert (image.size, label) == ((96, 96), 1)
    assert np.array_equal(np.asarray(image), stl["train"][1].transpose(1, 2, 0))
    assert data.classes == ["airplane", "bird"]
    assert STL10(root, folds=1).labels.tolist() == [1, 3]
    assert STL10(root, "test", download=True).labels.tolist() == [0, 1]
    both = STL10(root, "train+unlabeled")
    assert both.labels.tolist() == [0, 1, 2, 3, -1, -1, -1]
    assert "Split: train+unlabeled" in repr(both)
    assert len(STL10(root, "unlabeled")) == 3
    with pytest.raises(ValueError, match="folds should be in the range"):
        STL10(root, folds=10)
    with pytest.raises(ValueError, match="Unknown value 'x' for argument split"):
        STL10(root, "x")
    (root / "stl10_binary" / "test_y.bin").write_bytes(b"x")
    with pytest.raises(RuntimeError, match=r"test_y\.bin is corrupted: md5"):
        STL10(root, "test")
