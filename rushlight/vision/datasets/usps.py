"""USPS: digits of the postal service, in bzip2 files of LIBSVM."""

from __future__ import annotations

import bz2
import os
from typing import Any, ClassVar

import numpy as np

from .._pillow import pillow
from ._files import Path, demand
from .utils import download_url
from .vision import Transform, VisionDataset

_PLACE = "https://www.csie.ntu.edu.tw/~cjlin/libsvmtools/datasets/multiclass/"


class USPS(VisionDataset):
    """7,291 training and 2,007 test images of handwritten digits, 16x16.

    A sample is a grey image of Pillow's and an int label. The whole is `data`, a uint8 array of
    shape (N, 16, 16), and `targets`.

    Args:
        root: the folder that holds `usps.bz2` and `usps.t.bz2`.
        train: the first of these, else the second.
        transform, target_transform: applied to each image and label.
        download: fetch the file if it is missing.

    Hull: A database for handwritten text recognition research, 1994.
    """

    split_list: ClassVar[dict[str, list[str]]] = {
        "train": [_PLACE + "usps.bz2", "usps.bz2", "ec16c51db3855ca6c91edd34d0e9b197"],
        "test": [_PLACE + "usps.t.bz2", "usps.t.bz2", "8ea070ee2aca1ac39742fdd1ef5ed118"],
    }

    def __init__(
        self,
        root: Path,
        train: bool = True,
        transform: Transform | None = None,
        target_transform: Transform | None = None,
        download: bool = False,
    ) -> None:
        super().__init__(root, transform=transform, target_transform=target_transform)
        url, name, md5 = self.split_list["train" if train else "test"]
        path = os.path.join(self.root, name)
        if download and not os.path.exists(path):
            download_url(url, self.root, name, md5=md5)
        if not os.path.exists(path):  # torchvision's class: the file is just opened
            try:
                demand(False, "USPS", path)
            except RuntimeError as error:
                raise FileNotFoundError(str(error)) from None
        with bz2.open(path, "rt") as file:
            rows = [line.split() for line in file]  # a label, then number:value 256 times
        values = [[pair.split(":")[-1] for pair in row[1:]] for row in rows]
        pixels = np.array(values, np.float32).reshape(-1, 16, 16)  # between -1 and 1
        self.data: np.ndarray = ((pixels + 1) / 2 * 255).astype(np.uint8)
        self.targets = [int(row[0]) - 1 for row in rows]

    def __getitem__(self, index: int) -> tuple[Any, Any]:
        return self._transformed(pillow().fromarray(self.data[index]), int(self.targets[index]))

    def __len__(self) -> int:
        return len(self.data)
