"""Kitti: streets seen from a car, with boxes in the image and in space."""

from __future__ import annotations

import os
from collections.abc import Callable
from typing import Any, ClassVar

from ._files import Path, demand, fetch_archives, lines_of, open_image
from .vision import Transform, VisionDataset


class Kitti(VisionDataset):
    """7,481 training and 7,518 test photographs of streets, the left camera's.

    A sample is an image of Pillow's and a list of things: dictionaries with "type", "truncated",
    "occluded", "alpha", "bbox" (left, top, right, bottom), "dimensions", "location" and
    "rotation_y"; None in the test part. The files lie as in the archives, below `root/Kitti/raw`:
    `training/image_2/000000.png`, `training/label_2/000000.txt`, `testing/image_2/000000.png`.

    Args:
        root: the folder that holds `Kitti`.
        train: the training part.
        transform, target_transform: applied to each image and list.
        transforms: applied to the pair, instead.
        download: fetch the files if they are missing.

    Geiger, Lenz and Urtasun: Are we ready for autonomous driving?, 2012.
    """

    data_url = "https://s3.eu-central-1.amazonaws.com/avg-kitti/"
    resources: ClassVar[list[str]] = ["data_object_image_2.zip", "data_object_label_2.zip"]
    image_dir_name = "image_2"
    labels_dir_name = "label_2"

    def __init__(
        self,
        root: Path,
        train: bool = True,
        transform: Transform | None = None,
        target_transform: Transform | None = None,
        transforms: Callable[[Any, Any], tuple[Any, Any]] | None = None,
        download: bool = False,
    ) -> None:
        super().__init__(root, transforms, transform, target_transform)
        self.train = train
        self._location = "training" if train else "testing"
        if download:
            self.download()
        what = "Dataset not found. You may use download=True to download it."
        demand(self._check_exists(), "Kitti", self._folder(), what)
        names = os.listdir(self._folder(self.image_dir_name))
        self.images = [self._folder(self.image_dir_name, name) for name in names]
        labels = [self._folder(self.labels_dir_name, name.split(".")[0] + ".txt") for name in names]
        self.targets = labels if train else []

    @property
    def _raw_folder(self) -> str:
        return os.path.join(self.root, type(self).__name__, "raw")

    def _folder(self, *names: str) -> str:
        return os.path.join(self._raw_folder, self._location, *names)

    def _check_exists(self) -> bool:
        wanted = [self.image_dir_name, self.labels_dir_name][: 2 if self.train else 1]
        return all(os.path.isdir(self._folder(name)) for name in wanted)

    def download(self) -> None:
        """Fetch the archives and unpack them, unless the files are there."""
        archives = [(self.data_url + name, "") for name in self.resources]
        fetch_archives(self._check_exists, self._raw_folder, *archives)

    def __getitem__(self, index: int) -> tuple[Any, Any]:
        target = self._parse_target(index) if self.train else None
        return self._jointly(open_image(self.images[index]), target)

    def _parse_target(self, index: int) -> list[dict[str, Any]]:
        return [_thing(line.split(" ")) for line in lines_of(self.targets[index])]

    def __len__(self) -> int:
        return len(self.images)


def _thing(row: list[str]) -> dict[str, Any]:
    """A line of a label file."""
    numbers = [float(value) for value in row[1:]]
    return {
        "type": row[0],
        "truncated": numbers[0],
        "occluded": int(row[2]),
        "alpha": numbers[2],
        "bbox": numbers[3:7],
        "dimensions": numbers[7:10],
        "location": numbers[10:13],
        "rotation_y": numbers[13],
    }
