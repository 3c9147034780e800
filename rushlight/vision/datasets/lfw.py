"""LFWPeople and LFWPairs: faces of known people in press photographs."""

from __future__ import annotations

import os
from typing import Any, ClassVar

from ...errors import message
from ._files import BROKEN, Loader, Path, demand
from .folder import default_loader
from .utils import check_integrity, verify_str_arg
from .vision import Transform, VisionDataset

_PARTS = {"10fold": "", "train": "DevTrain", "test": "DevTest"}


class _LFW(VisionDataset):
    """What both have in common: where files lie and that they are right."""

    base_folder = "lfw-py"
    _view: str
    file_dict: ClassVar[dict[str, tuple[str, str, str]]] = {
        "original": ("lfw", "lfw.tgz", "a17d05bd522c52d84eca14327a23d494"),
        "funneled": ("lfw_funneled", "lfw-funneled.tgz", "1b42dfed7d15c9b2dd63d5e5840c86ad"),
        "deepfunneled": (
            "lfw-deepfunneled",
            "lfw-deepfunneled.tgz",
            "68331da3eb755a505a502b5aacb3c201",
        ),
    }
    checksums: ClassVar[dict[str, str]] = {
        "pairs.txt": "9f1ba174e4e1c508ff7cdf10ac338a7d",
        "pairsDevTest.txt": "5132f7440eb68cf58910c8a45a2ac10b",
        "pairsDevTrain.txt": "4f27cbf15b2da4a85c1907eb4181ad21",
        "people.txt": "450f0863dd89e85e73936a6d71a3474b",
        "peopleDevTest.txt": "e4bf5be0a43b5dcd9dc5ccfcb8fb19c5",
        "peopleDevTrain.txt": "54eaac34beb6d042ed3a7d883e247a21",
        "lfw-names.txt": "a6d0a479bd074669f656265a6e693f6d",
    }
    names = "lfw-names.txt"

    def __init__(
        self,
        root: Path,
        split: str = "10fold",
        image_set: str = "funneled",
        transform: Transform | None = None,
        target_transform: Transform | None = None,
        download: bool = False,
        loader: Loader = default_loader,
    ) -> None:
        base = os.path.join(os.path.expanduser(root), self.base_folder)
        super().__init__(base, transform=transform, target_transform=target_transform)
        self.image_set = verify_str_arg(image_set.lower(), "image_set", tuple(self.file_dict))
        folder, self.filename, self.md5 = self.file_dict[self.image_set]
        self.view = self._view
        self.split = verify_str_arg(split.lower(), "split", tuple(_PARTS))
        self.labels_file = f"{self.view}{_PARTS[self.split]}.txt"
        if download:
            raise ValueError(
                message(
                    "LFW dataset is no longer available for automatic download",
                    hint="fetching it with a browser, for example from "
                    "https://www.kaggle.com/datasets/jessicali9530/lfw-dataset, and download=False",
                )
            )
        demand(self._check_integrity(), type(self).__name__, base, BROKEN)
        self.images_dir = os.path.join(base, folder)
        self._loader = loader
        self.data: list[Any] = []
        self.targets: list[int] = []

    def _check_integrity(self) -> bool:
        wanted = {self.filename: self.md5, self.labels_file: self.checksums[self.labels_file]}
        if self.view == "people":
            wanted[self.names] = self.checksums[self.names]
        return all(check_integrity(os.path.join(self.root, n), md5) for n, md5 in wanted.items())

    def _rows(self) -> list[list[str]]:
        with open(os.path.join(self.root, self.labels_file), encoding="utf-8") as file:
            return [line.strip().split("\t") for line in file]

    def _get_path(self, identity: str, no: int | str) -> str:
        return os.path.join(self.images_dir, identity, f"{identity}_{int(no):04d}.jpg")

    def __len__(self) -> int:
        return len(self.data)

    def extra_repr(self) -> str:
        return f"Alignment: {self.image_set}\nSplit: {self.split}"


class LFWPeople(_LFW):
    """13,233 photographs of 5,749 people; the label is who it is.

    A sample is an RGB image of Pillow's and an int label. The files lie below `root/lfw-py`:
    `lfw_funneled/Aaron_Eckhart/Aaron_Eckhart_0001.jpg`, `people.txt`, `lfw-names.txt`, and the
    archive itself, whose checksum is looked at.

    Args:
        root: the folder that holds `lfw-py`.
        split: "10fold", "train" or "test".
        image_set: "original", "funneled" or "deepfunneled".
        transform, target_transform: applied to each image and label.
        download: refused: the files are not there any more.
        loader: takes a path, gives the image.

    Huang et al.: Labeled faces in the wild, 2007.
    """

    _view = "people"

    def __init__(self, root: Path, *args: Any, **kwargs: Any) -> None:
        super().__init__(root, *args, **kwargs)
        with open(os.path.join(self.root, self.names), encoding="utf-8") as file:
            self.class_to_idx = {line.split()[0]: i for i, line in enumerate(file)}
        rows = self._rows()
        folds, place = (int(rows[0][0]), 1) if self.split == "10fold" else (1, 0)
        for _ in range(folds):
            count = int(rows[place][0])
            for name, photographs in rows[place + 1 : place + 1 + count]:
                for number in range(1, int(photographs) + 1):
                    self.data.append(self._get_path(name, number))
                    self.targets.append(self.class_to_idx[name])
            place += count + 1

    def __getitem__(self, index: int) -> tuple[Any, Any]:
        return self._transformed(self._loader(self.data[index]), self.targets[index])

    def extra_repr(self) -> str:
        return f"{super().extra_repr()}\nClasses (identities): {len(self.class_to_idx)}"


class LFWPairs(_LFW):
    """Pairs of the photographs of `LFWPeople`; the label is 1 where both are of one person.

    A sample is two RGB images of Pillow's and an int label. The files lie as those of
    `LFWPeople`, with `pairs.txt`.

    Args:
        root: the folder that holds `lfw-py`.
        split: "10fold", "train" or "test".
        image_set: "original", "funneled" or "deepfunneled".
        transform, target_transform: applied to each image and label.
        download: refused: the files are not there any more.
        loader: takes a path, gives the image.

    Huang et al.: Labeled faces in the wild, 2007.
    """

    _view = "pairs"

    def __init__(self, root: Path, *args: Any, **kwargs: Any) -> None:
        super().__init__(root, *args, **kwargs)
        self.pair_names: list[tuple[str, str]] = []
        rows = self._rows()
        folds, count = (map(int, rows[0])) if self.split == "10fold" else (1, int(rows[0][0]))
        for row in rows[1 : 1 + 2 * folds * count]:
            same = len(row) == 3  # name and two numbers; else name, number, name, number
            other = row[0] if same else row[2]
            self.pair_names.append((row[0], other))
            self.data.append((self._get_path(row[0], row[1]), self._get_path(other, row[-1])))
            self.targets.append(int(same))

    def __getitem__(self, index: int) -> Any:
        first, second = (self._loader(path) for path in self.data[index])
        if self.transform is not None:
            first, second = self.transform(first), self.transform(second)
        target: Any = self.targets[index]
        if self.target_transform is not None:
            target = self.target_transform(target)
        return first, second, target
