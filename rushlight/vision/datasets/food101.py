"""Food101: photographs of dishes."""

from __future__ import annotations

import json
import pathlib

from ._files import Labelled, Loader, Path, demand, fetch_archives, numbered
from .folder import default_loader
from .utils import verify_str_arg
from .vision import Transform


class Food101(Labelled):
    """101 kinds of dishes, 750 training and 250 test photographs of each.

    A sample is an RGB image of Pillow's and an int label. The files lie as in the archive:
    `root/food-101/meta/train.json`, `root/food-101/images/apple_pie/1005649.jpg`.

    Args:
        root: the folder that holds `food-101`.
        split: "train" or "test".
        transform, target_transform: applied to each image and label.
        download: fetch the files if they are missing.
        loader: takes a path, gives the image.

    Bossard, Guillaumin and Van Gool: Food-101, mining discriminative components with random
    forests, 2014.
    """

    _URL = "http://data.vision.ee.ethz.ch/cvl/food-101.tar.gz"
    _MD5 = "85eeb15f3717b99a5da872d97d918f87"

    def __init__(
        self,
        root: Path,
        split: str = "train",
        transform: Transform | None = None,
        target_transform: Transform | None = None,
        download: bool = False,
        loader: Loader = default_loader,
    ) -> None:
        super().__init__(root, transform=transform, target_transform=target_transform)
        self._split = verify_str_arg(split, "split", ("train", "test"))
        self._base_folder = pathlib.Path(self.root) / "food-101"
        self._meta_folder = self._base_folder / "meta"
        self._images_folder = self._base_folder / "images"
        if download:
            fetch_archives(self._check_exists, self.root, (self._URL, self._MD5))
        demand(self._check_exists(), "Food101", self._base_folder)
        with open(self._meta_folder / f"{split}.json", encoding="utf-8") as file:
            listed = json.load(file)
        self.classes = sorted(listed)
        self.class_to_idx = numbered(self.classes)
        self._labels = [self.class_to_idx[name] for name in listed for _ in listed[name]]
        self._image_files = [
            self._images_folder.joinpath(*f"{path}.jpg".split("/"))
            for paths in listed.values()
            for path in paths
        ]
        self.loader = loader

    def _check_exists(self) -> bool:
        return self._meta_folder.is_dir() and self._images_folder.is_dir()
