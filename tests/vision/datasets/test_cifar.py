"""CIFAR from small files of its format, and from files that would do harm."""

from __future__ import annotations

import hashlib
import io
import os
import pickle
import re
import tarfile
import threading
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from rushlight.vision.datasets import CIFAR10, CIFAR100, _archives
from rushlight.vision.datasets.cifar import read_batch

pytest.importorskip("PIL", reason="Pillow is not installed")


def python2_batch(data: np.ndarray, labels: list[int]) -> bytes:
    """A batch as Python 2 and its NumPy wrote it: byte strings, the module's old name."""
    raw = data.tobytes()
    shape = b"(" + b"".join(b"J" + n.to_bytes(4, "little") for n in data.shape) + b"t"
    return (
        b"\x80\x02}q\x01(U\x0bbatch_labelq\x02U\x15training batch 1 of 5q\x03"
        b"U\x06labelsq\x04]q\x05(" + b"".join(b"K" + bytes([n]) for n in labels) + b"e"
        b"U\x04dataq\x06cnumpy.core.multiarray\n_reconstruct\nq\x07cnumpy\nndarray\nq\x08"
        b"K\x00\x85U\x01b\x87Rq\x09(K\x01" + shape + b"cnumpy\ndtype\nq\x0aU\x02u1K\x00K\x01\x87R"
        b"q\x0b(K\x03U\x01|NNNJ\xff\xff\xff\xffJ\xff\xff\xff\xffK\x00tb\x89"
        b"T" + len(raw).to_bytes(4, "little") + raw + b"tbU\x09filenamesq\x0c]q\x0dU\x05a.pngau."
    )


class Made:
    """Files of CIFAR-10 with ten images, and classes that know their checksums."""

    def __init__(self, root: Path, rng: np.random.Generator) -> None:
        self.data = {n: rng.integers(0, 256, (2, 3072), np.uint8) for n in "12345t"}
        names = {**{n: f"data_batch_{n}" for n in "12345"}, "t": "test_batch"}
        files = {names[n]: python2_batch(a, [3, 9]) for n, a in self.data.items()}
        files["batches.meta"] = pickle.dumps({"label_names": [f"thing {i}" for i in range(10)]}, 2)
        self.archive = root / "server" / "cifar-10-python.tar.gz"
        self.archive.parent.mkdir()
        with tarfile.open(self.archive, "w:gz") as file:
            for name, content in files.items():
                info = tarfile.TarInfo(f"cifar-10-batches-py/{name}")
                info.size = len(content)
                file.addfile(info, io.BytesIO(content))
        sums = {name: hashlib.md5(content).hexdigest() for name, content in files.items()}

        class Small(CIFAR10):
            url = self.archive.as_uri()
            tgz_md5 = hashlib.md5(self.archive.read_bytes()).hexdigest()
            train_list = [[f"data_batch_{n}", sums[f"data_batch_{n}"]] for n in "12345"]  # noqa: RUF012
            test_list = [["test_batch", sums["test_batch"]]]  # noqa: RUF012
            meta = {**CIFAR10.meta, "md5": sums["batches.meta"]}  # noqa: RUF012

        self.cls = Small


@pytest.fixture
def made(tmp_path: Path, rng: np.random.Generator) -> Made:
    return Made(tmp_path, rng)


def test_download_and_read(made: Made, tmp_path: Path) -> None:
    with pytest.raises(RuntimeError, match="You can use download=True"):
        made.cls(tmp_path / "root")
    data = made.cls(tmp_path / "root", download=True, target_transform=lambda n: n + 100)
    assert data.data.shape == (10, 32, 32, 3)
    assert data.targets == [3, 9] * 5
    image, label = data[3]
    assert (image.mode, image.size, label) == ("RGB", (32, 32), 109)
    wanted = made.data["2"][1].reshape(3, 32, 32).transpose(1, 2, 0)
    assert np.array_equal(np.asarray(image), wanted)
    assert data.classes[9] == "thing 9"
    assert data.class_to_idx["thing 4"] == 4
    made.archive.unlink()  # what is there is used
    test = made.cls(str(tmp_path / "root"), train=False, download=True)
    assert len(test) == 2
    assert "Split: Test" in repr(test)


def test_processes_take_turns(made: Made, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """All of a training ask for the files at once: one unpacks, the others find them."""
    pytest.importorskip("fcntl")
    unpacked = []
    first = _archives.extract

    def extract(*args: Any) -> None:
        unpacked.append(args)
        first(*args)

    monkeypatch.setattr(_archives, "extract", extract)
    found: list[int] = []
    threads = [
        threading.Thread(target=lambda: found.append(len(made.cls(tmp_path, download=True))))
        for _ in range(4)
    ]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert found == [10] * 4
    assert len(unpacked) == 1


def test_a_corrupted_file_is_named(made: Made, tmp_path: Path) -> None:
    made.cls(tmp_path, download=True)
    path = tmp_path / "cifar-10-batches-py" / "data_batch_3"
    good = path.read_bytes()
    path.write_bytes(good[:-1] + b"x")
    found, wanted = (hashlib.md5(b).hexdigest() for b in (path.read_bytes(), good))
    words = re.escape(f"{path} is corrupted: md5 {found}, wanted {wanted}")
    with pytest.raises(RuntimeError, match=words):
        made.cls(tmp_path)
    made.cls(tmp_path, train=False)  # does not need it
    made.cls(tmp_path, download=True)
    assert path.read_bytes() == good


def test_cifar100(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    folder = tmp_path / "cifar-100-python"
    folder.mkdir()
    data = np.zeros((3, 3072), np.uint8)
    content = {"data": data, "fine_labels": [5, 99, 0], "coarse_labels": [1, 2, 3]}
    (folder / "train").write_bytes(pickle.dumps(content))
    (folder / "meta").write_bytes(pickle.dumps({"fine_label_names": ["apple"] * 100}))
    sums = {n: hashlib.md5((folder / n).read_bytes()).hexdigest() for n in ("train", "meta")}
    monkeypatch.setattr(CIFAR100, "train_list", [["train", sums["train"]]])
    monkeypatch.setattr(CIFAR100, "meta", {**CIFAR100.meta, "md5": sums["meta"]})
    assert CIFAR100(tmp_path).targets == [5, 99, 0]


class Evil:
    def __reduce__(self) -> Any:
        return os.mkdir, ("harm",)


@pytest.mark.parametrize(
    "content",
    [
        pickle.dumps({"data": Evil()}),
        pickle.dumps({"data": np.array([Evil()], object)}),
        b"cos\nsystem\n(S'mkdir harm'\ntR.",
        pickle.dumps({"data": np.random.default_rng}),
        pickle.dumps([1, 2]),
        python2_batch(np.zeros((2, 3072), np.uint8), [1, 2])[:-500],
        b"",
        b"PK\x03\x04",
    ],
)
def test_files_that_are_no_batches(
    tmp_path: Path, content: bytes, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "data_batch_1").write_bytes(content)
    with pytest.raises(RuntimeError, match="data_batch_1 is no file of CIFAR"):
        read_batch(tmp_path / "data_batch_1")
    assert os.listdir(tmp_path) == ["data_batch_1"]


def test_a_batch_of_the_wrong_shape(made: Made, tmp_path: Path) -> None:
    made.cls(tmp_path, download=True)
    path = tmp_path / "cifar-10-batches-py" / "test_batch"
    path.write_bytes(python2_batch(np.zeros((2, 3000), np.uint8), [1, 2]))
    made.cls.test_list = [["test_batch", hashlib.md5(path.read_bytes()).hexdigest()]]
    with pytest.raises(RuntimeError, match="test_batch is no file of CIFAR"):
        made.cls(tmp_path, train=False)
