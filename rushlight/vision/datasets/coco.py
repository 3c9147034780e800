"""CocoDetection and CocoCaptions: photographs of everyday scenes. Read next: `_coco_index.py`."""

from __future__ import annotations

import os
from collections.abc import Callable
from typing import Any

from ._coco_index import COCO
from ._files import Path
from .folder import pil_loader
from .vision import Transform, VisionDataset


class CocoDetection(VisionDataset):
    """Photographs, and for each a list of the things in it, as the annotation file has them.

    A sample is an RGB image of Pillow's and a list of dictionaries with `"bbox"` (x, y, width,
    height), `"category_id"`, `"segmentation"` and so on.

    Args:
        root: the folder of the images.
        annFile: the JSON file, such as `instances_train2017.json`.
        transform, target_transform: applied to each image and list.
        transforms: applied to the pair, instead.

    Attributes:
        coco: the index of the file, with the methods of pycocotools' `COCO` that look things up.
        ids: the numbers of the images, sorted.

    Lin et al.: Microsoft COCO, common objects in context, 2014.
    """

    def __init__(
        self,
        root: Path,
        annFile: Path,
        transform: Transform | None = None,
        target_transform: Transform | None = None,
        transforms: Callable[[Any, Any], tuple[Any, Any]] | None = None,
    ) -> None:
        super().__init__(root, transforms, transform, target_transform)
        self.coco = COCO(annFile)
        self.ids = sorted(self.coco.imgs)

    def _load_image(self, id: int) -> Any:
        return pil_loader(os.path.join(self.root, self.coco.imgs[id]["file_name"]))

    def _load_target(self, id: int) -> list[Any]:
        return self.coco.loadAnns(self.coco.getAnnIds(id))

    def __getitem__(self, index: int) -> tuple[Any, Any]:
        if not isinstance(index, int):
            raise ValueError(f"Index must be of type integer, got {type(index)} instead.")
        id = self.ids[index]
        return self._jointly(self._load_image(id), self._load_target(id))

    def __len__(self) -> int:
        return len(self.ids)


class CocoCaptions(CocoDetection):
    """Photographs, and for each a list of sentences that describe it.

    Args:
        root: the folder of the images.
        annFile: the JSON file, such as `captions_train2017.json`.
        transform, target_transform: applied to each image and list.
        transforms: applied to the pair, instead.

    Chen et al.: Microsoft COCO captions, 2015.
    """

    def _load_target(self, id: int) -> list[str]:
        return [row["caption"] for row in super()._load_target(id)]
