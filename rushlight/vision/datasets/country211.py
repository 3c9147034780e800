"""Country211: photographs, and the country each was taken in."""

from __future__ import annotations

import os
import pathlib

from ._files import Loader, Path, demand, fetch_archives
from .folder import ImageFolder, default_loader
from .utils import verify_str_arg
from .vision import Transform


class Country211(ImageFolder):
    """63,300 photographs from 211 countries: 150, 50 and 100 of each in the three splits.

    A sample is an RGB image of Pillow's and an int label. The files lie as in the archive:
    `root/country211/train/AD/1.jpg`.

    Args:
        root: the folder that holds `country211`.
        split: "train", "valid" or "test".
        transform, target_transform: applied to each image and label.
        download: fetch the files if they are missing.
        loader: takes a path, gives the image.

    Radford et al.: Learning transferable visual models from natural language supervision, 2021.
    """

    _URL = "https://openaipublic.azureedge.net/clip/data/country211.tgz"
    _MD5 = "84988d7644798601126c29e9877aab6a"

    def __init__(
        self,
        root: Path,
        split: str = "train",
        transform: Transform | None = None,
        target_transform: Transform | None = None,
        download: bool = False,
        loader: Loader = default_loader,
    ) -> None:
        self._split = verify_str_arg(split, "split", ("train", "valid", "test"))
        base = os.path.expanduser(os.fspath(root))
        self._base_folder = pathlib.Path(base) / "country211"
        there = self._base_folder.is_dir
        if download:
            fetch_archives(there, base, (self._URL, self._MD5))
        demand(there(), "Country211", self._base_folder)
        super().__init__(
            str(self._base_folder / split), transform, target_transform, loader=loader
        )
        self.root = base
