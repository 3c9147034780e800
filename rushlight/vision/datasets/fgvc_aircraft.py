"""FGVCAircraft: photographs of aeroplanes, named to the variant."""

from __future__ import annotations

import os

from ._files import Labelled, Loader, Path, demand, fetch_archives, lines_of, numbered
from .folder import default_loader
from .utils import verify_str_arg
from .vision import Transform

_LISTS = {"variant": "variants.txt", "family": "families.txt", "manufacturer": "manufacturers.txt"}


class FGVCAircraft(Labelled):
    """10,000 photographs of aeroplanes: 100 variants, 70 families, 30 manufacturers.

    A sample is an RGB image of Pillow's and an int label. The files lie as in the archive:
    `root/fgvc-aircraft-2013b/data/variants.txt`, `.../data/images/0034309.jpg`.

    Args:
        root: the folder that holds `fgvc-aircraft-2013b`.
        split: "train", "val", "trainval" or "test".
        annotation_level: "variant", "family" or "manufacturer".
        transform, target_transform: applied to each image and label.
        download: fetch the files if they are missing.
        loader: takes a path, gives the image.

    Maji et al.: Fine-grained visual classification of aircraft, 2013.
    """

    _URL = (
        "https://www.robots.ox.ac.uk/~vgg/data/fgvc-aircraft/archives/fgvc-aircraft-2013b.tar.gz"
    )

    def __init__(
        self,
        root: Path,
        split: str = "trainval",
        annotation_level: str = "variant",
        transform: Transform | None = None,
        target_transform: Transform | None = None,
        download: bool = False,
        loader: Loader = default_loader,
    ) -> None:
        super().__init__(root, transform=transform, target_transform=target_transform)
        self._split = verify_str_arg(split, "split", ("train", "val", "trainval", "test"))
        self._annotation_level = verify_str_arg(annotation_level, "annotation_level", tuple(_LISTS))
        self._data_path = os.path.join(self.root, "fgvc-aircraft-2013b")
        if download:
            fetch_archives(lambda: os.path.isdir(self._data_path), self.root, (self._URL, ""))
        demand(os.path.isdir(self._data_path), "FGVCAircraft", self._data_path)
        data = os.path.join(self._data_path, "data")
        self.classes = lines_of(os.path.join(data, _LISTS[annotation_level]))
        self.class_to_idx = numbered(self.classes)
        listed = lines_of(os.path.join(data, f"images_{annotation_level}_{split}.txt"))
        pairs = [line.split(" ", 1) for line in listed]
        self._image_files = [os.path.join(data, "images", f"{image}.jpg") for image, _ in pairs]
        self._labels = [self.class_to_idx[name] for _, name in pairs]
        self.loader = loader

    def extra_repr(self) -> str:
        return ""
