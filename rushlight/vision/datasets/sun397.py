"""SUN397: photographs of places."""

from __future__ import annotations

import pathlib

from ._files import Labelled, Loader, Path, demand, fetch_archives, lines_of, numbered
from .folder import default_loader
from .vision import Transform


class SUN397(Labelled):
    """108,753 photographs of 397 kinds of places.

    A sample is an RGB image of Pillow's and an int label. The files lie as in the archive:
    `root/SUN397/ClassName.txt`, `root/SUN397/a/abbey/sun_aaalbzqrimafwbiv.jpg`.

    Args:
        root: the folder that holds `SUN397`.
        transform, target_transform: applied to each image and label.
        download: fetch the files if they are missing.
        loader: takes a path, gives the image.

    Xiao et al.: SUN database, large-scale scene recognition from abbey to zoo, 2010.
    """

    _DATASET_URL = "http://vision.princeton.edu/projects/2010/SUN/SUN397.tar.gz"
    _DATASET_MD5 = "8ca2778205c41d23104230ba66911c7a"

    def __init__(
        self,
        root: Path,
        transform: Transform | None = None,
        target_transform: Transform | None = None,
        download: bool = False,
        loader: Loader = default_loader,
    ) -> None:
        super().__init__(root, transform=transform, target_transform=target_transform)
        self._data_dir = pathlib.Path(self.root) / "SUN397"
        there = self._data_dir.is_dir
        if download:
            fetch_archives(there, self.root, (self._DATASET_URL, self._DATASET_MD5))
        demand(there(), "SUN397", self._data_dir)
        # Lines read "/a/abbey": the letter is a folder and no part of the name.
        self.classes = [line[3:] for line in lines_of(self._data_dir / "ClassName.txt")]
        self.class_to_idx = numbered(self.classes)
        self._image_files = list(self._data_dir.rglob("sun_*.jpg"))
        self._labels = [
            self.class_to_idx["/".join(path.relative_to(self._data_dir).parts[1:-1])]
            for path in self._image_files
        ]
        self.loader = loader
