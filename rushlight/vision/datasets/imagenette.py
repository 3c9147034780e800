"""Imagenette: ten classes of ImageNet that are easily told apart."""

from __future__ import annotations

import pathlib
from typing import ClassVar

from ._files import Loader, Paired, Path, demand, fetch_archives
from .folder import default_loader, find_classes, make_dataset
from .utils import verify_str_arg
from .vision import Transform

_PLACE = "https://s3.amazonaws.com/fast-ai-imageclas/"


class Imagenette(Paired):
    """9,469 training and 3,925 validation photographs of ten classes of ImageNet.

    A sample is an RGB image of Pillow's and an int label. The files lie as in the archive:
    `root/imagenette2/train/n01440764/ILSVRC2012_val_00000293.JPEG`.

    Args:
        root: the folder that holds `imagenette2`, `imagenette2-320` or `imagenette2-160`.
        split: "train" or "val".
        size: "full", or "320px" or "160px" for the shorter side.
        download: fetch the files if they are missing.
        transform, target_transform: applied to each image and label.
        loader: takes a path, gives the image.

    Attributes:
        classes: a tuple of names for each class.
        class_to_idx: the number of each name.
        wnids, wnid_to_idx: the classes' WordNet numbers, such as "n01440764", and their places.
    """

    _ARCHIVES: ClassVar[dict[str, tuple[str, str]]] = {
        "full": (_PLACE + "imagenette2.tgz", "fe2fc210e6bb7c5664d602c3cd71e612"),
        "320px": (_PLACE + "imagenette2-320.tgz", "3df6f0d01a2c9592104656642f5e78a3"),
        "160px": (_PLACE + "imagenette2-160.tgz", "e793b78cc4c9e9a4ccc0c1155377a412"),
    }
    _WNID_TO_CLASS: ClassVar[dict[str, tuple[str, ...]]] = {
        "n01440764": ("tench", "Tinca tinca"),
        "n02102040": ("English springer", "English springer spaniel"),
        "n02979186": ("cassette player",),
        "n03000684": ("chain saw", "chainsaw"),
        "n03028079": ("church", "church building"),
        "n03394916": ("French horn", "horn"),
        "n03417042": ("garbage truck", "dustcart"),
        "n03425413": ("gas pump", "gasoline pump", "petrol pump", "island dispenser"),
        "n03445777": ("golf ball",),
        "n03888257": ("parachute", "chute"),
    }

    def __init__(
        self,
        root: Path,
        split: str = "train",
        size: str = "full",
        download: bool = False,
        transform: Transform | None = None,
        target_transform: Transform | None = None,
        loader: Loader = default_loader,
    ) -> None:
        super().__init__(root, transform=transform, target_transform=target_transform)
        self._split = verify_str_arg(split, "split", ("train", "val"))
        self._size = verify_str_arg(size, "size", tuple(self._ARCHIVES))
        self._url, self._md5 = self._ARCHIVES[size]
        self._size_root = pathlib.Path(self.root) / pathlib.PurePosixPath(self._url).stem
        self._image_root = str(self._size_root / split)
        there = self._size_root.exists
        if download:
            fetch_archives(there, self.root, (self._url, self._md5))
        demand(there(), "Imagenette", self._size_root)
        self.wnids, self.wnid_to_idx = find_classes(self._image_root)
        self.classes = [self._WNID_TO_CLASS[wnid] for wnid in self.wnids]
        self.class_to_idx = {name: i for i, names in enumerate(self.classes) for name in names}
        self._samples = make_dataset(self._image_root, self.wnid_to_idx, extensions=".jpeg")
        self.loader = loader

    def extra_repr(self) -> str:
        return ""
