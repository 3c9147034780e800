"""SBU: photographs from the web with what their owners wrote about them."""

from __future__ import annotations

import contextlib
import os
from typing import Any

from . import _archives
from ._files import BROKEN, Loader, Path, demand
from .folder import default_loader
from .utils import check_integrity, download_and_extract_archive, download_url
from .vision import Transform, VisionDataset


class SBU(VisionDataset):
    """Photographs and their captions, of those of a million that are still to be had.

    A sample is an RGB image of Pillow's and a string. `root` holds the archive, whose checksum is
    looked at, and `dataset/SBU_captioned_photo_dataset_urls.txt`, `..._captions.txt` and the
    photographs that were fetched.

    Args:
        root: the folder.
        transform, target_transform: applied to each image and label.
        download: fetch the archive, then a million photographs one by one.
        loader: takes a path, gives the image.

    Ordonez, Kulkarni and Berg: Im2text, describing images using 1 million captioned photographs,
    2011.
    """

    url = "https://www.cs.rice.edu/~vo9/sbucaptions/SBUCaptionedPhotoDataset.tar.gz"
    filename = "SBUCaptionedPhotoDataset.tar.gz"
    md5_checksum = "9aec147b3488753cf758b4d493422285"

    def __init__(
        self,
        root: Path,
        transform: Transform | None = None,
        target_transform: Transform | None = None,
        download: bool = True,
        loader: Loader = default_loader,
    ) -> None:
        super().__init__(root, transform=transform, target_transform=target_transform)
        self.loader = loader
        if download:
            self.download()
        demand(self._check_integrity(), "SBU", self.root, BROKEN)
        self.photos: list[str] = []
        self.captions: list[str] = []
        for address, caption in zip(self._list("urls"), self._list("captions"), strict=False):
            photo = os.path.basename(address)
            if os.path.exists(os.path.join(self.root, "dataset", photo)):
                self.photos.append(photo)
                self.captions.append(caption)

    def _list(self, name: str) -> list[str]:
        path = os.path.join(self.root, "dataset", f"SBU_captioned_photo_dataset_{name}.txt")
        with open(path, encoding="utf-8") as file:
            return [line.rstrip() for line in file]

    def __getitem__(self, index: int) -> tuple[Any, Any]:
        path = os.path.join(self.root, "dataset", self.photos[index])
        return self._transformed(self.loader(path), self.captions[index])

    def __len__(self) -> int:
        return len(self.photos)

    def _check_integrity(self) -> bool:
        return check_integrity(os.path.join(self.root, self.filename), self.md5_checksum)

    def download(self) -> None:
        """Fetch the archive and every photograph that is still there."""
        with _archives.taking_turns(self.root):
            if self._check_integrity():
                return
            download_and_extract_archive(
                self.url, self.root, self.root, self.filename, self.md5_checksum
            )
            for address in self._list("urls"):
                with contextlib.suppress(OSError, RuntimeError):  # owners take photographs away
                    download_url(address, os.path.join(self.root, "dataset"))
