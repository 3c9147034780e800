"""SBDataset: the borders of the things in photographs of PASCAL VOC."""

from __future__ import annotations

import os
import shutil
from collections.abc import Callable
from typing import Any

import numpy as np

from .._pillow import pillow
from ._files import BROKEN, Path, demand, lines_of, needed
from .folder import pil_loader
from .utils import download_and_extract_archive, download_url, verify_str_arg
from .vision import VisionDataset


class SBDataset(VisionDataset):
    """11,355 photographs, and for each the borders or the area of things of twenty classes.

    A sample is an RGB image of Pillow's, and an array of shape (20, H, W) of borders, or an image
    of Pillow's whose pixels are classes. The files lie in `root/img`, `root/cls` and
    `root/train.txt`. SciPy is needed.

    Args:
        root: the folder that holds `img` and `cls`.
        image_set: "train", "val" or "train_noval" (without the val images of VOC 2012).
        mode: "boundaries" or "segmentation".
        download: fetch the files if they are missing.
        transforms: applied to the pair.

    Hariharan et al.: Semantic contours from inverse detectors, 2011.
    """

    url = "https://www2.eecs.berkeley.edu/Research/Projects/CS/vision/grouping/semantic_contours/benchmark.tgz"
    md5 = "82b4d87ceb2ed10f6038a1cba92111cb"
    filename = "benchmark.tgz"
    voc_train_url = "https://www.cs.cornell.edu/~bharathh/train_noval.txt"
    voc_split_filename = "train_noval.txt"
    voc_split_md5 = "79bff800c5f0b1ec6b21080a3c066722"

    def __init__(
        self,
        root: Path,
        image_set: str = "train",
        mode: str = "boundaries",
        download: bool = False,
        transforms: Callable[[Any, Any], tuple[Any, Any]] | None = None,
    ) -> None:
        needed("scipy.io", "scipy", "SBDataset")
        super().__init__(root, transforms)
        self.image_set = verify_str_arg(image_set, "image_set", ("train", "val", "train_noval"))
        self.mode = verify_str_arg(mode, "mode", ("segmentation", "boundaries"))
        self.num_classes = 20
        if download:
            self.download()
        demand(os.path.isdir(self.root), "SBDataset", self.root, BROKEN)
        names = lines_of(os.path.join(self.root, f"{image_set}.txt"))
        self.images = [os.path.join(self.root, "img", f"{name}.jpg") for name in names]
        self.masks = [os.path.join(self.root, "cls", f"{name}.mat") for name in names]

    def download(self) -> None:
        """Fetch the archive and move what is needed of it to `root`."""
        download_and_extract_archive(self.url, self.root, filename=self.filename, md5=self.md5)
        inner = os.path.join(self.root, "benchmark_RELEASE", "dataset")
        for name in ("cls", "img", "inst", "train.txt", "val.txt"):
            shutil.move(os.path.join(inner, name), self.root)
        if self.image_set == "train_noval":
            download_url(
                self.voc_train_url, self.root, self.voc_split_filename, self.voc_split_md5
            )

    def _target(self, path: str) -> Any:
        truth = needed("scipy.io", "scipy", "SBDataset").loadmat(path)["GTcls"][0]
        if self.mode == "segmentation":
            return pillow().fromarray(truth["Segmentation"][0])
        borders = truth["Boundaries"][0]
        return np.stack([borders[i][0].toarray() for i in range(self.num_classes)])

    def __getitem__(self, index: int) -> tuple[Any, Any]:
        return self._jointly(pil_loader(self.images[index]), self._target(self.masks[index]))

    def __len__(self) -> int:
        return len(self.images)

    def extra_repr(self) -> str:
        return f"Image set: {self.image_set}\nMode: {self.mode}"
