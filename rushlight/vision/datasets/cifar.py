"""CIFAR-10 and CIFAR-100: small colour photographs, in the authors' pickled files.

The files are read by the closed interpreter of `serialization/unpickler.py`, which cannot execute
anything: it knows plain values and NumPy's arrays, nothing else.
"""

from __future__ import annotations

import os
from collections.abc import Sequence
from typing import Any, ClassVar

import numpy as np

from ...errors import message
from ...utils.download import corrupted, fetch, md5_of
from .._pillow import pillow
from . import _archives
from .vision import Transform, VisionDataset

_ARRAYS = {"multiarray._reconstruct", "numpy.ndarray", "numpy.dtype", "_codecs.encode"}


def read_batch(path: str | os.PathLike[str]) -> dict[str, Any]:
    """What one pickled file of CIFAR holds; texts of Python 2 are read as Latin-1.

    Raises:
        RuntimeError: the file is broken, or holds anything but plain values and arrays.
    """
    from ...serialization.errors import CheckpointError
    from ...serialization.unpickler import Unpickler

    with open(path, "rb") as file:
        raw = file.read()
    try:
        content = Unpickler(raw, _find_array_name, _no_storage, encoding="latin1").load()
    except CheckpointError as error:
        raise _unreadable(path, str(error).split("\n")[0]) from error
    if type(content) is not dict:
        raise _unreadable(path, f"it holds a {type(content).__name__}")
    return {k.decode("latin1") if type(k) is bytes else k: v for k, v in content.items()}


def _find_array_name(module: str, name: str) -> Any:
    from ...serialization.names import Table
    from ...serialization.unpickler import broken

    full = f"{module}.{name}"
    if not any(full == known or full.endswith("." + known) for known in _ARRAYS):
        raise broken(f"it names {full}, which is no part of an array")
    return Table(weights_only=True)(module, name)


def _no_storage(_name: Any) -> Any:
    from ...serialization.unpickler import broken

    raise broken("it names a storage")


def _unreadable(path: str | os.PathLike[str], got: str) -> RuntimeError:
    return RuntimeError(
        message(
            f"{os.fspath(path)} is no file of CIFAR; it may be corrupted",
            got=got,
            wanted="a pickled dict with 'data' and 'labels' or 'fine_labels'",
            hint="deleting it, and download=True",
        )
    )


class CIFAR10(VisionDataset):
    """50,000 training and 10,000 test photographs of ten kinds of things, 32x32 in colour.

    A sample is a Pillow image and an int label. The whole is `data`, a uint8 array of shape
    (N, 32, 32, 3), and `targets`, a list.

    Args:
        root: the folder that holds `cifar-10-batches-py`.
        train: the training part, else the test part.
        transform, target_transform: applied to each image and label.
        download: fetch the archive and unpack it, where files are missing or broken.

    Raises:
        RuntimeError: files are missing and `download` is False, or a file is broken.

    Krizhevsky: Learning multiple layers of features from tiny images, 2009.
    """

    base_folder = "cifar-10-batches-py"
    url = "https://www.cs.toronto.edu/~kriz/cifar-10-python.tar.gz"
    filename = "cifar-10-python.tar.gz"
    tgz_md5 = "c58f30108f718f92721af3b95e74349a"
    train_list: ClassVar[list[Sequence[str]]] = [
        ["data_batch_1", "c99cafc152244af753f735de768cd75f"],
        ["data_batch_2", "d4bba439e000b95fd0a9bffe97cbabec"],
        ["data_batch_3", "54ebc095f3ab1f0389bbae665268c751"],
        ["data_batch_4", "634d18415352ddfa80567beed471001a"],
        ["data_batch_5", "482c414d41f54cd18b22e5b47cb7c3cb"],
    ]
    test_list: ClassVar[list[Sequence[str]]] = [
        ["test_batch", "40351d587109b95175f43aff81a1287e"],
    ]
    meta: ClassVar[dict[str, str]] = {
        "filename": "batches.meta",
        "key": "label_names",
        "md5": "5ff9c542aee3614f3951f8cda6e48888",
    }

    def __init__(
        self,
        root: str | os.PathLike[str],
        train: bool = True,
        transform: Transform | None = None,
        target_transform: Transform | None = None,
        download: bool = False,
    ) -> None:
        super().__init__(root, transform=transform, target_transform=target_transform)
        self.train = train
        if download:
            self.download()
        self._complain()
        self.targets: list[int] = []
        arrays: list[np.ndarray] = []
        for name, _ in self.train_list if train else self.test_list:
            batch = read_batch(self._path(name))
            labels = batch.get("labels", batch.get("fine_labels"))
            data = batch.get("data")
            if (
                not isinstance(data, np.ndarray)
                or type(labels) is not list
                or data.dtype != np.uint8
                or data.shape != (len(labels), 3 * 32 * 32)
            ):
                raise _unreadable(self._path(name), f"keys {sorted(map(str, batch))}")
            arrays.append(data)
            self.targets.extend(labels)
        planes: np.ndarray = np.concatenate(arrays).reshape(-1, 3, 32, 32)
        self.data: np.ndarray = np.ascontiguousarray(planes.transpose(0, 2, 3, 1))
        meta = read_batch(self._path(self.meta["filename"]))
        self.classes: list[str] = list(meta[self.meta["key"]])
        self.class_to_idx = {name: i for i, name in enumerate(self.classes)}

    def _path(self, name: str) -> str:
        return os.path.join(self.root, self.base_folder, name)

    def _wanted(self) -> list[tuple[str, str]]:
        """The files that are needed, and their checksums."""
        parts = [(name, md5) for name, md5 in (self.train_list if self.train else self.test_list)]
        return [*parts, (self.meta["filename"], self.meta["md5"])]

    def _check_integrity(self) -> bool:
        return all(
            os.path.isfile(self._path(n)) and md5_of(self._path(n)) == md5
            for n, md5 in self._wanted()
        )

    def _complain(self) -> None:
        """Raise where a file is missing or broken, naming it."""
        for name, md5 in self._wanted():
            path = self._path(name)
            if not os.path.isfile(path):
                raise RuntimeError(
                    message(
                        f"{type(self).__name__}: Dataset not found or corrupted. "
                        "You can use download=True to download it",
                        got=f"no file {path}",
                        hint="download=True, or another root",
                    )
                )
            found = md5_of(path)
            if found != md5:
                raise RuntimeError(
                    message(
                        f"{type(self).__name__}: Dataset not found or corrupted. "
                        "You can use download=True to download it",
                        got=corrupted(path, found, md5),
                        hint="download=True",
                    )
                )

    def download(self) -> None:
        """Fetch the archive and unpack it, unless the files are there and right."""
        with _archives.taking_turns(self.root):
            if self._check_integrity():
                return
            path = fetch([self.url], os.fspath(self.root), self.filename, self.tgz_md5)
            _, archive, packing = _archives.kind_of(path)
            _archives.extract(path, os.fspath(self.root), archive or ".tar", packing)

    def __getitem__(self, index: int) -> tuple[Any, Any]:
        return self._transformed(pillow().fromarray(self.data[index]), self.targets[index])

    def __len__(self) -> int:
        return len(self.data)

    def extra_repr(self) -> str:
        return f"Split: {'Train' if self.train else 'Test'}"


class CIFAR100(CIFAR10):
    """Like CIFAR-10, of a hundred kinds of things; labels are the fine ones."""

    base_folder = "cifar-100-python"
    url = "https://www.cs.toronto.edu/~kriz/cifar-100-python.tar.gz"
    filename = "cifar-100-python.tar.gz"
    tgz_md5 = "eb9058c3a382ffc7106e4002c42a8d85"
    train_list: ClassVar[list[Sequence[str]]] = [["train", "16019d7e3df5f24257cddd939b257f8d"]]
    test_list: ClassVar[list[Sequence[str]]] = [["test", "f0ef6b0ae62326f3e7ffdfab6717acfc"]]
    meta: ClassVar[dict[str, str]] = {
        "filename": "meta",
        "key": "fine_label_names",
        "md5": "7973b15100ade9c7d40fb424638fde48",
    }
