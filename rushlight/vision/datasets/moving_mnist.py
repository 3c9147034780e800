"""MovingMNIST: digits that fly about."""

from __future__ import annotations

import os
from typing import Any

import numpy as np

from ._files import Path, demand
from .utils import download_url, verify_str_arg
from .vision import Transform, VisionDataset


class MovingMNIST(VisionDataset):
    """10,000 sequences of 20 grey images, 64x64, of two digits that move.

    A sample is a uint8 tensor of shape (20, 1, 64, 64); with a split, the first or the last of
    the 20. The file is `root/MovingMNIST/mnist_test_seq.npy`.

    Args:
        root: the folder that holds `MovingMNIST`.
        split: "train" for the first images of each sequence, "test" for the rest; None for all.
        split_ratio: how many the first are.
        download: fetch the file if it is missing.
        transform: applied to each sequence.

    Srivastava, Mansimov and Salakhutdinov: Unsupervised learning of video representations using
    LSTMs, 2015.
    """

    _URL = "http://www.cs.toronto.edu/~nitish/unsupervised_video/mnist_test_seq.npy"

    def __init__(
        self,
        root: Path,
        split: str | None = None,
        split_ratio: int = 10,
        download: bool = False,
        transform: Transform | None = None,
    ) -> None:
        import rushlight

        super().__init__(root, transform=transform)
        self._base_folder = os.path.join(self.root, type(self).__name__)
        self._path = os.path.join(self._base_folder, self._URL.split("/")[-1])
        self.split = split if split is None else verify_str_arg(split, "split", ("train", "test"))
        if not isinstance(split_ratio, int):
            raise TypeError(f"`split_ratio` should be an integer, but got {type(split_ratio)}")
        if not 1 <= split_ratio <= 19:
            raise ValueError(
                f"`split_ratio` should be `1 <= split_ratio <= 19`, but got {split_ratio} instead."
            )
        self.split_ratio = split_ratio
        if download:
            self.download()
        demand(os.path.exists(self._path), "MovingMNIST", self._path)
        parts = {None: slice(None), "train": slice(split_ratio), "test": slice(split_ratio, None)}
        data = np.load(self._path)[parts[split]]  # (20, N, 64, 64)
        self.data = rushlight.from_numpy(data).transpose(0, 1).unsqueeze(2).contiguous()

    def __getitem__(self, index: int) -> Any:
        data = self.data[index]
        return data if self.transform is None else self.transform(data)

    def __len__(self) -> int:
        return len(self.data)

    def download(self) -> None:
        """Fetch the file, unless it is there."""
        if not os.path.exists(self._path):
            md5 = "be083ec986bfe91a449d63653c411eb2"
            download_url(self._URL, self._base_folder, os.path.basename(self._path), md5)
