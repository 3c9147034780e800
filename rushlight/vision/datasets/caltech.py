"""Caltech101 and Caltech256: photographs of things, in one folder a class."""

from __future__ import annotations

import os
import shutil
from typing import Any

from . import _archives
from ._files import BROKEN, Path, demand, fetch_archives, one_or_tuple, open_image
from .svhn import read_mat
from .utils import download_and_extract_archive, extract_archive, verify_str_arg
from .vision import Transform, VisionDataset

# The folders of the outlines are called otherwise than those of the photographs.
_OUTLINES = {
    "Faces": "Faces_2",
    "Faces_easy": "Faces_3",
    "Motorbikes": "Motorbikes_16",
    "airplanes": "Airplanes_Side_2",
}


class Caltech101(VisionDataset):
    """8,677 photographs of 101 kinds of things, with their outlines.

    A sample is an image of Pillow's and an int label, or an outline of shape (2, points). The
    files lie below `root/caltech101`: `101_ObjectCategories/ant/image_0001.jpg`,
    `Annotations/ant/annotation_0001.mat`.

    Args:
        root: the folder that holds `caltech101`.
        target_type: "category", "annotation" (the outline), or a list of both for a tuple.
        transform, target_transform: applied to each image and label.
        download: fetch the files if they are missing.

    Li, Fergus and Perona: Learning generative visual models from few training examples, 2004.
    """

    def __init__(
        self,
        root: Path,
        target_type: list[str] | str = "category",
        transform: Transform | None = None,
        target_transform: Transform | None = None,
        download: bool = False,
    ) -> None:
        base = os.path.join(os.path.expanduser(root), "caltech101")
        super().__init__(base, transform=transform, target_transform=target_transform)
        wanted = [target_type] if isinstance(target_type, str) else target_type
        known = ("category", "annotation")
        self.target_type = [verify_str_arg(kind, "target_type", known) for kind in wanted]
        if download:
            self.download()
        self._images = os.path.join(self.root, "101_ObjectCategories")
        demand(os.path.exists(self._images), "Caltech101", self._images, BROKEN)
        self.categories = sorted(os.listdir(self._images))
        self.categories.remove("BACKGROUND_Google")  # anything: no class
        self.annotation_categories = [_OUTLINES.get(name, name) for name in self.categories]
        self.index: list[int] = []
        self.y: list[int] = []
        for i, name in enumerate(self.categories):
            count = len(os.listdir(os.path.join(self._images, name)))
            self.index += range(1, count + 1)
            self.y += [i] * count

    def __getitem__(self, index: int) -> tuple[Any, Any]:
        label, number = self.y[index], self.index[index]
        name = self.categories[label]
        image = open_image(os.path.join(self._images, name, f"image_{number:04d}.jpg"))
        targets = [
            label if kind == "category" else self._outline(label, number)
            for kind in self.target_type
        ]
        return self._transformed(image, one_or_tuple(targets))

    def _outline(self, label: int, number: int) -> Any:
        folder = os.path.join(self.root, "Annotations", self.annotation_categories[label])
        return read_mat(os.path.join(folder, f"annotation_{number:04d}.mat"))["obj_contour"]

    def __len__(self) -> int:
        return len(self.index)

    def download(self) -> None:
        """Fetch the archive and unpack it and what is in it, unless the files are there."""
        images = os.path.join(self.root, "101_ObjectCategories")
        with _archives.taking_turns(self.root):
            if os.path.exists(images):
                return
            download_and_extract_archive(
                "https://data.caltech.edu/records/mzrjq-6wc02/files/caltech-101.zip",
                self.root,
                filename="caltech-101.zip",
                md5="3138e1922a9193bfa496528edbbc45d0",
                remove_finished=True,
            )
            folder = os.path.join(self.root, "caltech-101")
            for name in os.listdir(folder):
                if name.endswith((".gz", ".tar")):
                    extract_archive(os.path.join(folder, name), self.root)
            shutil.rmtree(folder)

    def extra_repr(self) -> str:
        return f"Target type: {self.target_type}"


class Caltech256(VisionDataset):
    """30,607 photographs of 256 kinds of things, and one class of other things.

    A sample is an image of Pillow's and an int label. The files lie as in the archive, below
    `root/caltech256`: `256_ObjectCategories/001.ak47/001_0001.jpg`.

    Args:
        root: the folder that holds `caltech256`.
        transform, target_transform: applied to each image and label.
        download: fetch the files if they are missing.

    Griffin, Holub and Perona: Caltech-256 object category dataset, 2007.
    """

    def __init__(
        self,
        root: Path,
        transform: Transform | None = None,
        target_transform: Transform | None = None,
        download: bool = False,
    ) -> None:
        base = os.path.join(os.path.expanduser(root), "caltech256")
        super().__init__(base, transform=transform, target_transform=target_transform)
        self._images = os.path.join(self.root, "256_ObjectCategories")
        if download:
            self.download()
        demand(os.path.exists(self._images), "Caltech256", self._images, BROKEN)
        self.categories = sorted(os.listdir(self._images))
        self.index: list[int] = []
        self.y: list[int] = []
        for i, name in enumerate(self.categories):
            files = os.listdir(os.path.join(self._images, name))
            count = sum(file.endswith(".jpg") for file in files)
            self.index += range(1, count + 1)
            self.y += [i] * count

    def __getitem__(self, index: int) -> tuple[Any, Any]:
        label, number = self.y[index], self.index[index]
        file = f"{label + 1:03d}_{number:04d}.jpg"
        image = open_image(os.path.join(self._images, self.categories[label], file))
        return self._transformed(image, label)

    def __len__(self) -> int:
        return len(self.index)

    def download(self) -> None:
        """Fetch the archive and unpack it, unless the files are there."""
        url = "https://data.caltech.edu/records/nyy15-4j048/files/256_ObjectCategories.tar"
        archive = (url, "67b4f42ca05d46448c6bb8ecd2220f6d")
        fetch_archives(lambda: os.path.exists(self._images), self.root, archive)
