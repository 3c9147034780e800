"""The index of a file of annotations of COCO, and its masks: what pycocotools has, without it."""

from __future__ import annotations

import json
import os
from collections import defaultdict
from collections.abc import Iterable
from typing import Any

import numpy as np


def _listed(value: Any) -> list[Any]:
    """One thing or several, as a list."""
    return list(value) if isinstance(value, Iterable) and not isinstance(value, str) else [value]


class COCO:
    """The annotations, images and categories of a file, by number and by each other.

    Args:
        annotation_file: the JSON file; None for an index of nothing.

    Attributes:
        dataset: the content of the file.
        anns, imgs, cats: dictionaries by number.
        imgToAnns, catToImgs: the annotations of an image, the images of a category.
    """

    def __init__(self, annotation_file: str | os.PathLike[str] | None = None) -> None:
        self.dataset: dict[str, Any] = {}
        if annotation_file is not None:
            with open(annotation_file, encoding="utf-8") as file:
                self.dataset = json.load(file)
            if not isinstance(self.dataset, dict):
                kind = type(self.dataset)
                raise TypeError(f"annotation file format {kind} not supported")
        self.createIndex()

    def createIndex(self) -> None:
        """Make the dictionaries anew from `dataset`."""
        self.anns = {row["id"]: row for row in self.dataset.get("annotations", [])}
        self.imgs = {row["id"]: row for row in self.dataset.get("images", [])}
        self.cats = {row["id"]: row for row in self.dataset.get("categories", [])}
        self.imgToAnns: dict[Any, list[Any]] = defaultdict(list)
        self.catToImgs: dict[Any, list[Any]] = defaultdict(list)
        for row in self.dataset.get("annotations", []):
            self.imgToAnns[row["image_id"]].append(row)
            if "category_id" in row and self.cats:
                self.catToImgs[row["category_id"]].append(row["image_id"])

    def getAnnIds(
        self, imgIds: Any = (), catIds: Any = (), areaRng: Any = (), iscrowd: Any = None
    ) -> list[Any]:
        """Numbers of the annotations of these images, of these categories, of an area between."""
        images, categories = _listed(imgIds), set(_listed(catIds))
        rows: Iterable[Any] = self.dataset.get("annotations", [])
        if images:
            rows = [row for i in images for row in self.imgToAnns.get(i, [])]
        if categories:
            rows = [row for row in rows if row["category_id"] in categories]
        if len(areaRng):
            rows = [row for row in rows if areaRng[0] < row["area"] < areaRng[1]]
        return [row["id"] for row in rows if iscrowd is None or row["iscrowd"] == iscrowd]

    def getCatIds(self, catNms: Any = (), supNms: Any = (), catIds: Any = ()) -> list[Any]:
        """Numbers of the categories of these names, of these groups, among these numbers."""
        rows = list(self.cats.values())
        for key, wanted in (("name", catNms), ("supercategory", supNms), ("id", catIds)):
            names = _listed(wanted)
            rows = [row for row in rows if row[key] in names] if names else rows
        return [row["id"] for row in rows]

    def getImgIds(self, imgIds: Any = (), catIds: Any = ()) -> list[Any]:
        """Numbers of the images among these that have things of all these categories."""
        images, categories = set(_listed(imgIds)), _listed(catIds)
        if not images and not categories:
            return list(self.imgs)
        for i, category in enumerate(categories):
            having = set(self.catToImgs.get(category, []))
            images = having if i == 0 and not images else images & having
        return list(images)

    def loadAnns(self, ids: Any = ()) -> list[Any]:
        """The annotations of these numbers."""
        return [self.anns[i] for i in _listed(ids)]

    def loadCats(self, ids: Any = ()) -> list[Any]:
        """The categories of these numbers."""
        return [self.cats[i] for i in _listed(ids)]

    def loadImgs(self, ids: Any = ()) -> list[Any]:
        """The images of these numbers."""
        return [self.imgs[i] for i in _listed(ids)]

    def annToMask(self, ann: dict[str, Any]) -> np.ndarray:
        """The mask of an annotation: uint8 of shape (H, W), 1 where the thing is."""
        image = self.imgs[ann["image_id"]]
        return mask_of(ann["segmentation"], image["height"], image["width"])


def mask_of(segmentation: Any, height: int, width: int) -> np.ndarray:
    """The mask of a segmentation, uint8 of shape (height, width).

    Args:
        segmentation: a list of polygons [x0, y0, x1, y1, ...], or run lengths
            {"counts": ..., "size": [height, width]}, packed into a string or not.

    >>> mask_of({"counts": [1, 2, 1], "size": [2, 2]}, 2, 2).tolist()
    [[0, 1], [1, 0]]
    """
    if isinstance(segmentation, dict):
        counts = segmentation["counts"]
        runs = _unpacked(counts) if isinstance(counts, str | bytes) else counts
        bits = np.repeat(np.arange(len(runs)) % 2, runs).astype(np.uint8)
        high, wide = segmentation.get("size", (height, width))
        return bits.reshape(wide, high).T
    if not isinstance(segmentation, list):
        raise ValueError(
            f"COCO segmentation expected to be a dict or a list, got {type(segmentation)}"
        )
    out = np.zeros((height, width), np.uint8)
    for polygon in segmentation:
        out |= _polygon_mask(np.asarray(polygon, np.float64).reshape(-1, 2), height, width)
    return out


def _unpacked(text: str | bytes) -> list[int]:
    """Run lengths from COCO's string: five bits a character, from the second on differences."""
    codes = text.encode() if isinstance(text, str) else text
    runs: list[int] = []
    value = shift = 0
    for code in codes:
        bits = code - 48
        value |= (bits & 0x1F) << shift
        shift += 5
        if bits & 0x20:
            continue
        if bits & 0x10:
            value -= 1 << shift
        runs.append(value + (runs[-2] if len(runs) > 2 else 0))
        value = shift = 0
    return runs


def _polygon_mask(points: np.ndarray, height: int, width: int) -> np.ndarray:
    """A filled polygon, to the pixel as COCO's own tool fills it.

    The border is walked in fifths of a pixel. Wherever it comes into another column, the pixel
    below begins or ends the inside; columns are read one after the other, so a count of these
    pixels says by its parity what is inside.
    """
    fine = np.trunc(5 * points + 0.5).astype(np.int64)
    xs, ys = [], []
    for (x0, y0), (x1, y1) in zip(fine, np.roll(fine, -1, 0), strict=True):
        steps = max(abs(x1 - x0), abs(y1 - y0))
        across = abs(x1 - x0) >= abs(y1 - y0)
        turned = (across and x0 > x1) or (not across and y0 > y1)
        if turned:
            x0, y0, x1, y1 = x1, y1, x0, y0
        t = np.arange(steps + 1)[:: -1 if turned else 1]
        slope = ((y1 - y0) if across else (x1 - x0)) / steps if steps else 0.0
        xs.append(x0 + t if across else np.trunc(x0 + slope * t + 0.5).astype(np.int64))
        ys.append(np.trunc(y0 + slope * t + 0.5).astype(np.int64) if across else y0 + t)
    u, v = np.concatenate(xs), np.concatenate(ys)
    moved = u[1:] != u[:-1]
    x = (np.where(u[1:] < u[:-1], u[1:], u[1:] - 1)[moved] + 0.5) / 5 - 0.5
    y = np.ceil(np.clip((np.minimum(v[1:], v[:-1])[moved] + 0.5) / 5 - 0.5, 0, height))
    inside = (np.floor(x) == x) & (x >= 0) & (x <= width - 1)
    places = (x[inside] * height + y[inside]).astype(np.int64)
    crossings = np.bincount(places, minlength=height * width + 1)[: height * width]
    return (np.cumsum(crossings) % 2).astype(np.uint8).reshape(width, height).T
