"""STL-10: photographs of 96x96, few with labels and many without."""

from __future__ import annotations

import os
from typing import Any, ClassVar

import numpy as np

from ...errors import message
from ...utils.download import corrupted, fetch, md5_of
from .._pillow import pillow
from . import _archives
from .utils import verify_str_arg
from .vision import Transform, VisionDataset


class STL10(VisionDataset):
    """5,000 training, 8,000 test and 100,000 unlabelled colour photographs, 96x96.

    A sample is a Pillow image and an int label, -1 where there is none. The whole is `data`, a
    uint8 array of shape (N, 3, 96, 96), and `labels`.

    Args:
        root: the folder that holds `stl10_binary`.
        split: "train", "test", "unlabeled" or "train+unlabeled".
        folds: one of the ten lists of 1,000 training images, 0 to 9; None for all 5,000.
        transform, target_transform: applied to each image and label.
        download: fetch the archive and unpack it, where files are missing or broken.

    Coates, Lee, Ng: An analysis of single layer networks in unsupervised feature learning, 2011.
    """

    base_folder = "stl10_binary"
    url = "http://ai.stanford.edu/~acoates/stl10/stl10_binary.tar.gz"
    filename = "stl10_binary.tar.gz"
    tgz_md5 = "91f7769df0f17e558f3565bffb0c7dfb"
    class_names_file = "class_names.txt"
    folds_list_file = "fold_indices.txt"
    train_list: ClassVar[list[list[str]]] = [
        ["train_X.bin", "918c2871b30a85fa023e0c44e0bee87f"],
        ["train_y.bin", "5a34089d4802c674881badbb80307741"],
        ["unlabeled_X.bin", "5242ba1fed5e4be9e1e742405eb56ca4"],
    ]
    test_list: ClassVar[list[list[str]]] = [
        ["test_X.bin", "7f263ba9f9e0b06b93213547f721ac82"],
        ["test_y.bin", "36f9794fa4beb8a2c72628de14fa638e"],
    ]
    splits = ("train", "train+unlabeled", "unlabeled", "test")

    def __init__(
        self,
        root: str | os.PathLike[str],
        split: str = "train",
        folds: int | None = None,
        transform: Transform | None = None,
        target_transform: Transform | None = None,
        download: bool = False,
    ) -> None:
        super().__init__(root, transform=transform, target_transform=target_transform)
        self.split = verify_str_arg(split, "split", self.splits)
        if folds is not None and (not isinstance(folds, int) or folds not in range(10)):
            raise ValueError(
                f"Value for argument folds should be in the range [0, 10), but got {folds!r}."
            )
        self.folds = folds
        if download:
            self.download()
        problem = self._problem()
        if problem is not None:
            raise RuntimeError(
                message(
                    "STL10: Dataset not found or corrupted. "
                    "You can use download=True to download it",
                    got=problem,
                    hint="download=True, or another root",
                )
            )
        parts = [self._part(name) for name in self.split.split("+")]
        self.data: np.ndarray = np.concatenate([images for images, _ in parts])
        self.labels: np.ndarray = np.concatenate([labels for _, labels in parts])
        names = self._path(self.class_names_file)
        if os.path.isfile(names):
            with open(names, encoding="utf-8") as file:
                self.classes = file.read().splitlines()

    def _path(self, name: str) -> str:
        return os.path.join(self.root, self.base_folder, name)

    def _part(self, name: str) -> tuple[np.ndarray, np.ndarray]:
        """Images and labels of "train", "test" or "unlabeled"."""
        raw = np.fromfile(self._path(f"{name}_X.bin"), np.uint8)
        images = raw.reshape(-1, 3, 96, 96).transpose(0, 1, 3, 2)  # column by column in the file
        if name == "unlabeled":
            return images, np.full(len(images), -1)
        labels = np.fromfile(self._path(f"{name}_y.bin"), np.uint8).astype(np.int64) - 1
        if name == "train" and self.folds is not None:
            with open(self._path(self.folds_list_file), encoding="utf-8") as file:
                chosen = [int(n) for n in file.read().splitlines()[self.folds].split()]
            return images[chosen], labels[chosen]
        return images, labels

    def _problem(self) -> str | None:
        """What is wrong with the first file that is missing or broken."""
        for name, md5 in self.train_list + self.test_list:
            if name.split("_")[0] not in self.split.split("+"):
                continue
            path = self._path(name)
            if not os.path.isfile(path):
                return f"no file {path}"
            found = md5_of(path)
            if found != md5:
                return corrupted(path, found, md5)
        return None

    def download(self) -> None:
        """Fetch the archive and unpack it, unless the files are there and right."""
        with _archives.taking_turns(self.root):
            if self._problem() is None:
                return
            path = fetch([self.url], os.fspath(self.root), self.filename, self.tgz_md5)
            _archives.extract(path, os.fspath(self.root), ".tar", ".gz")

    def __getitem__(self, index: int) -> tuple[Any, Any]:
        image = pillow().fromarray(np.ascontiguousarray(self.data[index].transpose(1, 2, 0)))
        return self._transformed(image, int(self.labels[index]))

    def __len__(self) -> int:
        return len(self.data)

    def extra_repr(self) -> str:
        return f"Split: {self.split}"
