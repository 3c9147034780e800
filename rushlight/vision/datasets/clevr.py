"""CLEVRClassification: rendered scenes, and how many things are in them."""

from __future__ import annotations

import json
import pathlib

from ._files import BROKEN, Labelled, Loader, Path, demand, fetch_archives
from .folder import default_loader
from .utils import verify_str_arg
from .vision import Transform


class CLEVRClassification(Labelled):
    """100,000 rendered scenes of simple bodies; the label is how many there are.

    A sample is an RGB image of Pillow's and an int label, None in the test split. The files lie
    as in the archive, below `root/clevr`: `CLEVR_v1.0/scenes/CLEVR_train_scenes.json`,
    `CLEVR_v1.0/images/train/CLEVR_train_000000.png`.

    Args:
        root: the folder that holds `clevr`.
        split: "train", "val" or "test".
        transform, target_transform: applied to each image and label.
        download: fetch the files if they are missing.
        loader: takes a path, gives the image.

    Johnson et al.: CLEVR, a diagnostic dataset for compositional language and elementary visual
    reasoning, 2017.
    """

    _URL = "https://dl.fbaipublicfiles.com/clevr/CLEVR_v1.0.zip"
    _MD5 = "b11922020e72d0cd9154779b2d3d07d2"

    def __init__(
        self,
        root: Path,
        split: str = "train",
        transform: Transform | None = None,
        target_transform: Transform | None = None,
        download: bool = False,
        loader: Loader = default_loader,
    ) -> None:
        self._split = verify_str_arg(split, "split", ("train", "val", "test"))
        super().__init__(root, transform=transform, target_transform=target_transform)
        self.loader = loader
        self._base_folder = pathlib.Path(self.root) / "clevr"
        self._data_folder = self._base_folder / "CLEVR_v1.0"
        there = self._data_folder.is_dir
        if download:
            fetch_archives(there, self._base_folder, (self._URL, self._MD5))
        demand(there(), "CLEVRClassification", self._data_folder, BROKEN)
        files = sorted(self._data_folder.joinpath("images", split).glob("*"))
        self._image_files = files
        if split == "test":
            self._labels = [None] * len(files)
            return
        scenes = self._data_folder / "scenes" / f"CLEVR_{split}_scenes.json"
        with open(scenes, encoding="utf-8") as file:
            listed = json.load(file)["scenes"]
        count = {scene["image_filename"]: len(scene["objects"]) for scene in listed}
        self._labels = [count[path.name] for path in files]
