"""DTD: textures that have names, such as "dotted"."""

from __future__ import annotations

import pathlib

from ._files import Labelled, Loader, Path, demand, fetch_archives, lines_of, numbered
from .folder import default_loader
from .utils import verify_str_arg
from .vision import Transform


class DTD(Labelled):
    """5,640 photographs of 47 textures, in ten partitions into train, val and test.

    A sample is an RGB image of Pillow's and an int label. The files lie as in the archive, below
    `root/dtd`: `dtd/labels/train1.txt`, `dtd/images/banded/banded_0002.jpg`.

    Args:
        root: the folder that holds `dtd/dtd`.
        split: "train", "val" or "test".
        partition: 1 to 10.
        transform, target_transform: applied to each image and label.
        download: fetch the files if they are missing.
        loader: takes a path, gives the image.

    Cimpoi et al.: Describing textures in the wild, 2014.
    """

    _URL = "https://www.robots.ox.ac.uk/~vgg/data/dtd/download/dtd-r1.0.1.tar.gz"
    _MD5 = "fff73e5086ae6bdbea199a49dfb8a4c1"

    def __init__(
        self,
        root: Path,
        split: str = "train",
        partition: int = 1,
        transform: Transform | None = None,
        target_transform: Transform | None = None,
        download: bool = False,
        loader: Loader = default_loader,
    ) -> None:
        self._split = verify_str_arg(split, "split", ("train", "val", "test"))
        if not isinstance(partition, int) or not 1 <= partition <= 10:
            raise ValueError(
                "Parameter 'partition' should be an integer with `1 <= partition <= 10`, "
                f"but got {partition} instead"
            )
        self._partition = partition
        super().__init__(root, transform=transform, target_transform=target_transform)
        self._base_folder = pathlib.Path(self.root) / type(self).__name__.lower()
        self._data_folder = self._base_folder / "dtd"
        self._meta_folder = self._data_folder / "labels"
        self._images_folder = self._data_folder / "images"
        there = self._data_folder.is_dir
        if download:
            fetch_archives(there, self._base_folder, (self._URL, self._MD5))
        demand(there(), "DTD", self._data_folder)
        listed = lines_of(self._meta_folder / f"{split}{partition}.txt")
        pairs = [line.split("/") for line in listed]
        self.classes = sorted({name for name, _ in pairs})
        self.class_to_idx = numbered(self.classes)
        self._labels = [self.class_to_idx[name] for name, _ in pairs]
        self._image_files = [self._images_folder.joinpath(name, file) for name, file in pairs]
        self.loader = loader

    def extra_repr(self) -> str:
        return f"split={self._split}, partition={self._partition}"
