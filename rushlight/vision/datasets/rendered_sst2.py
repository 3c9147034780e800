"""RenderedSST2: sentences drawn as images, with what they think of a film."""

from __future__ import annotations

import pathlib

from ._files import Loader, Paired, Path, demand, fetch_archives
from .folder import default_loader, make_dataset
from .utils import verify_str_arg
from .vision import Transform

_FOLDERS = {"train": "train", "val": "valid", "test": "test"}


class RenderedSST2(Paired):
    """9,613 sentences about films as images; label 1 for praise, 0 for the contrary.

    A sample is an RGB image of Pillow's and an int label. The files lie as in the archive:
    `root/rendered-sst2/train/positive/1.png`.

    Args:
        root: the folder that holds `rendered-sst2`.
        split: "train", "val" or "test".
        transform, target_transform: applied to each image and label.
        download: fetch the files if they are missing.
        loader: takes a path, gives the image.

    Radford et al.: Learning transferable visual models from natural language supervision, 2021.
    """

    _URL = "https://openaipublic.azureedge.net/clip/data/rendered-sst2.tgz"
    _MD5 = "2384d08e9dcfa4bd55b324e610496ee5"

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
        self._split = verify_str_arg(split, "split", tuple(_FOLDERS))
        self._base_folder = pathlib.Path(self.root) / "rendered-sst2"
        self.classes = ["negative", "positive"]
        self.class_to_idx = {"negative": 0, "positive": 1}
        if download:
            fetch_archives(self._check_exists, self.root, (self._URL, self._MD5))
        demand(self._check_exists(), "RenderedSST2", self._base_folder)
        self._samples = make_dataset(self._base_folder / _FOLDERS[split], extensions=("png",))
        self.loader = loader

    def _check_exists(self) -> bool:
        folder = self._base_folder / _FOLDERS[self._split]
        return all((folder / name).is_dir() for name in self.classes)
