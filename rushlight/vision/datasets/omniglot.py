"""Omniglot: letters of fifty alphabets, written by twenty people each."""

from __future__ import annotations

import os
from typing import Any, ClassVar

from ._files import BROKEN, Loader, Path, demand, fetch_archives, open_image
from .utils import check_integrity, list_dir, list_files
from .vision import Transform, VisionDataset


class Omniglot(VisionDataset):
    """32,460 drawings, 105x105, of 1,623 letters of 50 alphabets.

    A sample is a grey image of Pillow's and an int label, the letter. The files lie as in the
    archive, below `root/omniglot-py`: `images_background/Greek/character01/0394_01.png`, with the
    archive itself, whose checksum is looked at.

    Args:
        root: the folder that holds `omniglot-py`.
        background: the 30 alphabets to learn from, else the 20 to be tested on.
        transform, target_transform: applied to each image and label.
        download: fetch the files if they are missing.
        loader: takes a path, gives the image; None reads it in grey.

    Lake, Salakhutdinov and Tenenbaum: Human-level concept learning through probabilistic program
    induction, 2015.
    """

    folder = "omniglot-py"
    download_url_prefix = "https://raw.githubusercontent.com/brendenlake/omniglot/master/python"
    zips_md5: ClassVar[dict[str, str]] = {
        "images_background": "68d2efa1b9178cc56df9314c21c6e718",
        "images_evaluation": "6b91aef0f799c5bb55b94e3f2daec811",
    }

    def __init__(
        self,
        root: Path,
        background: bool = True,
        transform: Transform | None = None,
        target_transform: Transform | None = None,
        download: bool = False,
        loader: Loader | None = None,
    ) -> None:
        base = os.path.join(os.path.expanduser(root), self.folder)
        super().__init__(base, transform=transform, target_transform=target_transform)
        self.background = background
        self._part = "images_background" if background else "images_evaluation"
        if download:
            self.download()
        demand(self._check_integrity(), "Omniglot", base, BROKEN)
        self.target_folder = os.path.join(base, self._part)
        self._alphabets = list_dir(self.target_folder)
        self._characters = [
            os.path.join(alphabet, letter)
            for alphabet in self._alphabets
            for letter in list_dir(os.path.join(self.target_folder, alphabet))
        ]
        self._character_images = [
            [(name, i) for name in list_files(os.path.join(self.target_folder, letter), ".png")]
            for i, letter in enumerate(self._characters)
        ]
        self._flat_character_images = [pair for letter in self._character_images for pair in letter]
        self.loader = loader

    def _check_integrity(self) -> bool:
        path = os.path.join(self.root, f"{self._part}.zip")
        return check_integrity(path, self.zips_md5[self._part])

    def download(self) -> None:
        """Fetch the archive and unpack it, unless it is there and right."""
        url = f"{self.download_url_prefix}/{self._part}.zip"
        fetch_archives(self._check_integrity, self.root, (url, self.zips_md5[self._part]))

    def __getitem__(self, index: int) -> tuple[Any, Any]:
        name, label = self._flat_character_images[index]
        path = os.path.join(self.target_folder, self._characters[label], name)
        image = open_image(path).convert("L") if self.loader is None else self.loader(path)
        return self._transformed(image, label)

    def __len__(self) -> int:
        return len(self._flat_character_images)
