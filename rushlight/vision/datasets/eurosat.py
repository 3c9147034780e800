"""EuroSAT: land seen from a satellite."""

from __future__ import annotations

import os

from ._files import Loader, Path, demand, fetch_archives
from .folder import ImageFolder, default_loader
from .vision import Transform

_URL = (
    "https://huggingface.co/datasets/torchgeo/eurosat/resolve/"
    "c877bcd43f099cd0196738f714544e355477f3fd/EuroSAT.zip"
)


class EuroSAT(ImageFolder):
    """27,000 colour images of 64x64 pixels from Sentinel-2: ten kinds of land use.

    A sample is an RGB image of Pillow's and an int label. The files lie as in the archive, below
    `root/eurosat`: `2750/Forest/Forest_1.jpg`.

    Args:
        root: the folder that holds `eurosat`.
        transform, target_transform: applied to each image and label.
        download: fetch the files if they are missing.
        loader: takes a path, gives the image.

    Helber et al.: EuroSAT, a novel dataset and deep learning benchmark for land use and land
    cover classification, 2019.
    """

    def __init__(
        self,
        root: Path,
        transform: Transform | None = None,
        target_transform: Transform | None = None,
        download: bool = False,
        loader: Loader = default_loader,
    ) -> None:
        self.root = os.path.expanduser(root)
        self._base_folder = os.path.join(self.root, "eurosat")
        self._data_folder = os.path.join(self._base_folder, "2750")
        if download:
            self.download()
        demand(os.path.exists(self._data_folder), "EuroSAT", self._data_folder)
        super().__init__(self._data_folder, transform, target_transform, loader=loader)
        self.root = os.path.expanduser(root)

    def download(self) -> None:
        """Fetch the archive and unpack it, unless the files are there."""
        archive = (_URL, "c8fa014336c82ac7804f0398fcb19387")
        fetch_archives(lambda: os.path.exists(self._data_folder), self._base_folder, archive)
