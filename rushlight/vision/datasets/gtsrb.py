"""GTSRB: German traffic signs."""

from __future__ import annotations

import csv
import pathlib

from ._files import Paired, Path, demand, fetch_archives
from .folder import make_dataset, pil_loader
from .utils import verify_str_arg
from .vision import Transform

_PLACE = "https://sid.erda.dk/public/archives/daaeac0d7ce1152aea9b61d9f1e19370/"
_ARCHIVES = {
    "train": (("GTSRB-Training_fixed.zip", "513f3c79a4c5141765e10e952eaa2478"),),
    "test": (
        ("GTSRB_Final_Test_Images.zip", "c7e4e6327067d32654124b0fe9e82185"),
        ("GTSRB_Final_Test_GT.zip", "fe31e9c9270bbcd7b84b7f21a9d9d9e5"),
    ),
}


class GTSRB(Paired):
    """26,640 training and 12,630 test photographs of 43 German traffic signs.

    A sample is an RGB image of Pillow's and an int label. The files lie as in the archives, below
    `root/gtsrb`: `GTSRB/Training/00000/00000_00000.ppm`, `GTSRB/Final_Test/Images/00000.ppm`,
    `GT-final_test.csv`.

    Args:
        root: the folder that holds `gtsrb`.
        split: "train" or "test".
        transform, target_transform: applied to each image and label.
        download: fetch the files if they are missing.

    Stallkamp et al.: Man vs. computer, benchmarking machine learning algorithms for traffic sign
    recognition, 2012.
    """

    loader = staticmethod(pil_loader)

    def __init__(
        self,
        root: Path,
        split: str = "train",
        transform: Transform | None = None,
        target_transform: Transform | None = None,
        download: bool = False,
    ) -> None:
        super().__init__(root, transform=transform, target_transform=target_transform)
        self._split = verify_str_arg(split, "split", tuple(_ARCHIVES))
        self._base_folder = pathlib.Path(self.root) / "gtsrb"
        part = "Training" if split == "train" else "Final_Test/Images"
        self._target_folder = self._base_folder / "GTSRB" / part
        if download:
            self.download()
        demand(self._target_folder.is_dir(), "GTSRB", self._target_folder)
        if split == "train":
            self._samples = make_dataset(str(self._target_folder), extensions=(".ppm",))
            return
        with open(self._base_folder / "GT-final_test.csv", encoding="utf-8") as file:
            self._samples = [
                (str(self._target_folder / row["Filename"]), int(row["ClassId"]))
                for row in csv.DictReader(file, delimiter=";", skipinitialspace=True)
            ]

    def download(self) -> None:
        """Fetch the archives and unpack them, unless the files are there."""
        wanted = [(_PLACE + name, md5) for name, md5 in _ARCHIVES[self._split]]
        fetch_archives(self._target_folder.is_dir, self._base_folder, *wanted)

    def extra_repr(self) -> str:
        return ""
