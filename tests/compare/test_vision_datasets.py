"""Data sets beside torchvision's: the same samples, listings, printed forms and errors."""

from __future__ import annotations

import os
import pickle
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import rushlight
from rushlight.vision import datasets as ours

pytest.importorskip("torch")
Image = pytest.importorskip("PIL.Image", reason="Pillow is not installed")


@pytest.fixture
def theirs(torchvision: Any) -> Any:
    return torchvision.datasets


def test_fake_data(theirs: Any) -> None:
    for size in [(3, 7, 5), (1, 4, 4), (3, 2, 3)]:
        args = {"size": 20, "image_size": size, "num_classes": 1000, "random_offset": 3}
        a, b = ours.FakeData(**args), theirs.FakeData(**args)
        state = rushlight.get_rng_state()
        for i in range(20):
            (x, k), (y, m) = a[i], b[i]
            assert (x.mode, x.size, k) == (y.mode, y.size, m)
            assert np.array_equal(np.asarray(x), np.asarray(y))
        assert np.array_equal(state, rushlight.get_rng_state())
        assert repr(a) == repr(b)
        with pytest.raises(IndexError, match="index out of range"):
            a[20]


def _tree(root: Path) -> None:
    for name in ["dog/a.png", "dog/B.JPG", "cat/deep/er/x.webp", "cat/10.bmp", "cat/2.bmp"]:
        (root / name).parent.mkdir(parents=True, exist_ok=True)
        Image.new("RGB", (3, 2), (1, 2, 3)).save(root / name)
    (root / "dog" / "notes.txt").write_text("no image")
    (root / "file.png").write_text("not in a class")
    (root / "bird").mkdir()


def test_image_folder(theirs: Any, tmp_path: Path) -> None:
    _tree(tmp_path)
    for lib in (ours, theirs):
        with pytest.raises(FileNotFoundError, match=r"Found no valid file for the classes bird\."):
            lib.ImageFolder(tmp_path)
    for root in (tmp_path, str(tmp_path)):
        a, b = (lib.ImageFolder(root, allow_empty=True) for lib in (ours, theirs))
        assert a.samples == b.samples
        assert a.imgs == b.imgs
        assert (a.classes, a.class_to_idx, a.targets) == (b.classes, b.class_to_idx, b.targets)
        assert a.extensions == b.extensions
        assert repr(a) == repr(b)
        assert len(a) == 5
        for (x, k), (y, m) in zip(a, b, strict=True):
            assert (x.mode, x.tobytes(), k) == (y.mode, y.tobytes(), m)

    def even(path: str) -> bool:
        return len(os.path.basename(path)) in (4, 5, 6)

    (tmp_path / "bird" / "1234").write_bytes(b"")
    a, b = (
        lib.DatasetFolder(
            tmp_path, os.path.basename, is_valid_file=even, transform=len, target_transform=abs
        )
        for lib in (ours, theirs)
    )
    assert [a[i] for i in range(len(a))] == [b[i] for i in range(len(b))]
    assert repr(a) == repr(b)


@pytest.mark.parametrize(
    "call",
    [
        lambda lib, root: lib.folder.make_dataset(root, {}),
        lambda lib, root: lib.folder.make_dataset(root, {"a": 0}),
        lambda lib, root: lib.folder.make_dataset(root, {"a": 0}, (".png",), bool),
        lambda lib, root: lib.folder.make_dataset(root, {"a": 0}, (".png",)),
        lambda lib, root: lib.folder.find_classes(root),
        lambda lib, root: lib.DatasetFolder.make_dataset(root, None),
        lambda lib, root: lib.VisionDataset(root, lambda a, b: (a, b), str),
        lambda lib, root: lib.EMNIST(root, "none"),
        lambda lib, root: lib.EMNIST(root, 3),
        lambda lib, root: lib.MNIST(root),
        lambda lib, root: lib.CIFAR10(root),
        lambda lib, root: lib.STL10(root),
        lambda lib, root: lib.STL10(root, folds=11),
        lambda lib, root: lib.SVHN(root),
    ],
)
def test_errors(theirs: Any, tmp_path: Path, call: Any) -> None:
    with pytest.raises(Exception) as b:  # noqa: PT011
        call(theirs, tmp_path)
    with pytest.raises(b.type) as a:
        call(ours, tmp_path)
    words = str(b.value).split("\n")[0].split(". ")[0].rstrip(".")
    if words.endswith("corrupted") or "not found" in words:
        words = "You can use download=True to download it"
    assert words.replace(str(type(b)), "") in str(a.value)


def test_the_same_data(theirs: Any) -> None:
    """Addresses, checksums and class names."""
    for name in ("MNIST", "FashionMNIST", "KMNIST", "QMNIST"):
        a, b = getattr(ours, name), getattr(theirs, name)
        if name == "QMNIST":
            pairs = [p for part in b.resources.values() for p in part]
            mine = [(a.mirrors[0] + n, m) for part in a.resources.values() for n, m in part]
            assert mine == pairs
        else:
            assert list(a.resources) == b.resources
            assert list(a.mirrors) == b.mirrors
        assert list(a.classes) == b.classes
    for key in ("url", "md5", "splits", "classes_split_dict"):
        assert getattr(ours.EMNIST, key) == getattr(theirs.EMNIST, key)
    for name in ("CIFAR10", "CIFAR100", "STL10"):
        for key in ("base_folder", "url", "filename", "tgz_md5", "train_list", "test_list"):
            assert getattr(getattr(ours, name), key) == getattr(getattr(theirs, name), key)
    for name in ("CIFAR10", "CIFAR100"):
        assert getattr(ours, name).meta == getattr(theirs, name).meta
    assert ours.SVHN.split_list == theirs.SVHN.split_list
    assert ours.folder.IMG_EXTENSIONS == theirs.folder.IMG_EXTENSIONS


def test_cifar(theirs: Any, tmp_path: Path, rng: np.random.Generator) -> None:
    """The same files, made small, with checksums of their own."""
    sums: dict[str, str] = {}
    folder = tmp_path / "cifar-10-batches-py"
    folder.mkdir()

    def write(name: str, content: Any) -> None:
        (folder / name).write_bytes(pickle.dumps(content, protocol=2))
        sums[name] = ours.utils.calculate_md5(folder / name)

    for name in ("data_batch_1", "data_batch_2", "test_batch"):
        data = rng.integers(0, 256, (4, 3072), dtype=np.uint8)
        write(name, {"data": data, "labels": rng.integers(0, 10, 4).tolist()})
    write("batches.meta", {"label_names": list("abcdefghij")})
    made = []
    for lib in (ours, theirs):
        lists = {
            "train_list": [[n, sums[n]] for n in ("data_batch_1", "data_batch_2")],
            "test_list": [["test_batch", sums["test_batch"]]],
            "meta": {**lib.CIFAR10.meta, "md5": sums["batches.meta"]},
        }
        made.append(type("CIFAR10", (lib.CIFAR10,), lists))
    for train in (True, False):
        a, b = (cls(tmp_path, train=train) for cls in made)
        assert np.array_equal(a.data, b.data)
        assert (a.targets, a.classes, a.class_to_idx) == (b.targets, b.classes, b.class_to_idx)
        assert a[1][0].tobytes() == b[1][0].tobytes()
        assert repr(a) == repr(b)


def _idx(path: Path, array: np.ndarray) -> None:
    head = bytes([0, 0, {"uint8": 8, "int32": 12}[array.dtype.name], array.ndim])
    shape = np.array(array.shape, ">i4").tobytes()
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(head + shape + array.astype(array.dtype.newbyteorder(">")).tobytes())


def test_mnist_and_its_like(theirs: Any, tmp_path: Path, rng: np.random.Generator) -> None:
    """The same files in torchvision's layout, read by both."""
    images = rng.integers(0, 256, (4, 28, 28), np.uint8)
    labels = rng.integers(0, 10, 4, np.uint8)
    facts = rng.integers(0, 10**6, (4, 8), np.int32)
    for name in ("MNIST", "FashionMNIST", "KMNIST"):
        for part in ("train", "t10k"):
            _idx(tmp_path / name / "raw" / f"{part}-images-idx3-ubyte", images)
            _idx(tmp_path / name / "raw" / f"{part}-labels-idx1-ubyte", labels)
    for split in theirs.EMNIST.splits:
        for part in ("train", "test"):
            start = tmp_path / "EMNIST" / "raw" / f"emnist-{split}-{part}"
            _idx(Path(f"{start}-images-idx3-ubyte"), images)
            _idx(Path(f"{start}-labels-idx1-ubyte"), labels)
    for name in ("qmnist-train", "qmnist-test", "xnist"):
        _idx(tmp_path / "QMNIST" / "raw" / f"{name}-images-idx3-ubyte", images)
        _idx(tmp_path / "QMNIST" / "raw" / f"{name}-labels-idx2-int", facts)
    calls: list[tuple[str, dict[str, Any]]] = [
        (name, {"train": train, "target_transform": str})
        for name in ("MNIST", "FashionMNIST", "KMNIST")
        for train in (True, False)
    ]
    calls += [("EMNIST", {"split": s, "train": s < "d"}) for s in theirs.EMNIST.splits]
    calls += [("QMNIST", {"what": w}) for w in theirs.QMNIST.subsets]
    calls += [("QMNIST", {"compat": False, "train": False})]
    for name, options in calls:
        root: Any = str(tmp_path) if name == "MNIST" else tmp_path
        a, b = (getattr(lib, name)(root, **options) for lib in (ours, theirs))
        assert (len(a), a.classes, a.class_to_idx) == (len(b), b.classes, b.class_to_idx)
        assert np.array_equal(a.data.numpy(), b.data.numpy())
        assert np.array_equal(a.targets.numpy(), b.targets.numpy())
        assert str(a.targets.dtype) == str(b.targets.dtype)
        if "target_transform" not in options:
            assert repr(a) == repr(b)
        for i in range(len(b)):
            (x, k), (y, m) = a[i], b[i]
            assert (x.mode, x.size, x.tobytes()) == (y.mode, y.size, y.tobytes())
            assert k.tolist() == m.tolist() if hasattr(m, "tolist") else k == m
        assert (a.raw_folder, a.processed_folder) == (b.raw_folder, b.processed_folder)
        assert a._check_exists() == b._check_exists()
        if name in ("EMNIST", "QMNIST"):
            assert a.training_file == b.training_file
    for lib in (ours, theirs):
        path = tmp_path / "MNIST" / "raw" / "train-images-idx3-ubyte"
        assert np.array_equal(lib.mnist.read_image_file(str(path)).numpy(), images)
        path = tmp_path / "MNIST" / "raw" / "t10k-labels-idx1-ubyte"
        assert lib.mnist.read_label_file(str(path)).tolist() == labels.tolist()


def test_the_oldest_layout_of_mnist(theirs: Any, tmp_path: Path) -> None:
    """`processed/training.pt`, saved by PyTorch."""
    torch = pytest.importorskip("torch")
    folder = tmp_path / "MNIST" / "processed"
    folder.mkdir(parents=True)
    pair = torch.arange(784 * 2).to(torch.uint8).reshape(2, 28, 28), torch.tensor([4, 2])
    for name in ("training.pt", "test.pt"):
        torch.save(pair, folder / name)
    for zipped in (True, False):
        torch.save(pair, folder / "training.pt", _use_new_zipfile_serialization=zipped)
        a, b = (lib.MNIST(tmp_path) for lib in (ours, theirs))
        assert a.targets.tolist() == b.targets.tolist() == [4, 2]
        assert a[1][0].tobytes() == b[1][0].tobytes()
