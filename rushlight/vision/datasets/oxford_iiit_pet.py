"""OxfordIIITPet: cats and dogs, with their outlines."""

from __future__ import annotations

import pathlib
from collections.abc import Callable, Sequence
from typing import Any

from ._files import Path, demand, fetch_archives, lines_of, numbered, one_or_tuple, open_image
from .folder import pil_loader
from .utils import verify_str_arg
from .vision import Transform, VisionDataset

_KINDS = ("category", "binary-category", "segmentation")
_PLACE = "https://www.robots.ox.ac.uk/~vgg/data/pets/data/"


class OxfordIIITPet(VisionDataset):
    """7,349 photographs of cats and dogs of 37 breeds.

    A sample is an RGB image of Pillow's and what `target_types` asks for. The files lie as in the
    archives, below `root/oxford-iiit-pet`: `images/Abyssinian_1.jpg`,
    `annotations/trainval.txt`, `annotations/trimaps/Abyssinian_1.png`.

    Args:
        root: the folder that holds `oxford-iiit-pet`.
        split: "trainval" or "test".
        target_types: "category" (the breed), "binary-category" (0 cat, 1 dog), "segmentation" (an
            image: 1 animal, 2 background, 3 edge), a list of these for a tuple, or an empty list
            for None.
        transforms: applied to the pair.
        transform, target_transform: applied to each image and target, instead.
        download: fetch the files if they are missing.

    Parkhi et al.: Cats and dogs, 2012.
    """

    _RESOURCES = (
        (_PLACE + "images.tar.gz", "5c4f3ee8e5d25df40f4fd59a7f44e54c"),
        (_PLACE + "annotations.tar.gz", "95a8c909bbe2e81eed6a22bccdf3f68f"),
    )

    def __init__(
        self,
        root: Path,
        split: str = "trainval",
        target_types: Sequence[str] | str = "category",
        transforms: Callable[[Any, Any], tuple[Any, Any]] | None = None,
        transform: Transform | None = None,
        target_transform: Transform | None = None,
        download: bool = False,
    ) -> None:
        self._split = verify_str_arg(split, "split", ("trainval", "test"))
        wanted = [target_types] if isinstance(target_types, str) else target_types
        self._target_types = [verify_str_arg(kind, "target_types", _KINDS) for kind in wanted]
        super().__init__(root, transforms, transform, target_transform)
        self._base_folder = pathlib.Path(self.root) / "oxford-iiit-pet"
        self._images_folder = self._base_folder / "images"
        self._anns_folder = self._base_folder / "annotations"
        self._segs_folder = self._anns_folder / "trimaps"
        if download:
            fetch_archives(self._check_exists, self._base_folder, *self._RESOURCES)
        demand(self._check_exists(), "OxfordIIITPet", self._base_folder)
        rows = [line.split() for line in lines_of(self._anns_folder / f"{split}.txt")]
        names = [row[0] for row in rows]
        self._labels = [int(row[1]) - 1 for row in rows]
        self._bin_labels = [int(row[2]) - 1 for row in rows]
        breeds = {name.rsplit("_", 1)[0]: i for name, i in zip(names, self._labels, strict=True)}
        self.bin_classes = ["Cat", "Dog"]
        self.classes = [
            " ".join(part.title() for part in breed.split("_"))
            for breed in sorted(breeds, key=lambda breed: breeds[breed])
        ]
        self.bin_class_to_idx = numbered(self.bin_classes)
        self.class_to_idx = numbered(self.classes)
        self._images = [self._images_folder / f"{name}.jpg" for name in names]
        self._segs = [self._segs_folder / f"{name}.png" for name in names]

    def _check_exists(self) -> bool:
        return self._images_folder.is_dir() and self._anns_folder.is_dir()

    def _target(self, kind: str, index: int) -> Any:
        if kind == "segmentation":
            return open_image(self._segs[index])
        return (self._labels if kind == "category" else self._bin_labels)[index]

    def __getitem__(self, index: int) -> tuple[Any, Any]:
        targets = [self._target(kind, index) for kind in self._target_types]
        target = one_or_tuple(targets) if targets else None
        return self._jointly(pil_loader(self._images[index]), target)

    def __len__(self) -> int:
        return len(self._images)
