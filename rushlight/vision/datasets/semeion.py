"""SEMEION: handwritten digits in black and white."""

from __future__ import annotations

import os
from typing import Any

import numpy as np

from .._pillow import pillow
from ._files import BROKEN, Path, demand
from .utils import check_integrity, download_url
from .vision import Transform, VisionDataset


class SEMEION(VisionDataset):
    """1,593 handwritten digits, 16x16, by 80 people.

    A sample is a grey image of Pillow's and an int label. The whole is `data`, a uint8 array of
    shape (N, 16, 16), and `labels`.

    Args:
        root: the folder that holds `semeion.data`.
        transform, target_transform: applied to each image and label.
        download: fetch the file if it is missing or broken.

    Buscema: MetaNet, the theory of independent judges, 1998.
    """

    url = "http://archive.ics.uci.edu/ml/machine-learning-databases/semeion/semeion.data"
    filename = "semeion.data"
    md5_checksum = "cb545d371d2ce14ec121470795a77432"

    def __init__(
        self,
        root: Path,
        transform: Transform | None = None,
        target_transform: Transform | None = None,
        download: bool = True,
    ) -> None:
        super().__init__(root, transform=transform, target_transform=target_transform)
        if download:
            self.download()
        path = os.path.join(self.root, self.filename)
        demand(check_integrity(path, self.md5_checksum), "SEMEION", path, BROKEN)
        table = np.loadtxt(path, ndmin=2)  # 256 pixels and ten columns of which one is 1
        self.data: np.ndarray = (table[:, :256] * 255).astype(np.uint8).reshape(-1, 16, 16)
        self.labels: np.ndarray = np.nonzero(table[:, 256:])[1]

    def download(self) -> None:
        """Fetch the file, unless it is there and right."""
        download_url(self.url, self.root, self.filename, self.md5_checksum)

    def __getitem__(self, index: int) -> tuple[Any, Any]:
        return self._transformed(pillow().fromarray(self.data[index]), int(self.labels[index]))

    def __len__(self) -> int:
        return len(self.data)
