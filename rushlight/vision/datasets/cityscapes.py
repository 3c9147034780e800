"""Cityscapes: streets of fifty cities, with a class for each pixel."""

from __future__ import annotations

import json
import os
from collections import namedtuple
from collections.abc import Callable
from typing import Any, ClassVar

from ...errors import message
from ._files import Path, one_or_tuple, open_image
from .folder import pil_loader
from .utils import extract_archive, iterable_to_str, verify_str_arg
from .vision import Transform, VisionDataset

# Name, number, number in training, category and its number, whether there are instances, whether
# it counts in evaluation (1: not), colour.
_CLASSES = """
    unlabeled, 0, 255, void, 0, 0, 1, 0 0 0
    ego vehicle, 1, 255, void, 0, 0, 1, 0 0 0
    rectification border, 2, 255, void, 0, 0, 1, 0 0 0
    out of roi, 3, 255, void, 0, 0, 1, 0 0 0
    static, 4, 255, void, 0, 0, 1, 0 0 0
    dynamic, 5, 255, void, 0, 0, 1, 111 74 0
    ground, 6, 255, void, 0, 0, 1, 81 0 81
    road, 7, 0, flat, 1, 0, 0, 128 64 128
    sidewalk, 8, 1, flat, 1, 0, 0, 244 35 232
    parking, 9, 255, flat, 1, 0, 1, 250 170 160
    rail track, 10, 255, flat, 1, 0, 1, 230 150 140
    building, 11, 2, construction, 2, 0, 0, 70 70 70
    wall, 12, 3, construction, 2, 0, 0, 102 102 156
    fence, 13, 4, construction, 2, 0, 0, 190 153 153
    guard rail, 14, 255, construction, 2, 0, 1, 180 165 180
    bridge, 15, 255, construction, 2, 0, 1, 150 100 100
    tunnel, 16, 255, construction, 2, 0, 1, 150 120 90
    pole, 17, 5, object, 3, 0, 0, 153 153 153
    polegroup, 18, 255, object, 3, 0, 1, 153 153 153
    traffic light, 19, 6, object, 3, 0, 0, 250 170 30
    traffic sign, 20, 7, object, 3, 0, 0, 220 220 0
    vegetation, 21, 8, nature, 4, 0, 0, 107 142 35
    terrain, 22, 9, nature, 4, 0, 0, 152 251 152
    sky, 23, 10, sky, 5, 0, 0, 70 130 180
    person, 24, 11, human, 6, 1, 0, 220 20 60
    rider, 25, 12, human, 6, 1, 0, 255 0 0
    car, 26, 13, vehicle, 7, 1, 0, 0 0 142
    truck, 27, 14, vehicle, 7, 1, 0, 0 0 70
    bus, 28, 15, vehicle, 7, 1, 0, 0 60 100
    caravan, 29, 255, vehicle, 7, 1, 1, 0 0 90
    trailer, 30, 255, vehicle, 7, 1, 1, 0 0 110
    train, 31, 16, vehicle, 7, 1, 0, 0 80 100
    motorcycle, 32, 17, vehicle, 7, 1, 0, 0 0 230
    bicycle, 33, 18, vehicle, 7, 1, 0, 119 11 32
    license plate, -1, -1, vehicle, 7, 0, 1, 0 0 142
"""
_SUFFIX = {
    "instance": "instanceIds.png",
    "semantic": "labelIds.png",
    "color": "color.png",
    "polygon": "polygons.json",
}
_Class = namedtuple(  # type: ignore[name-match]
    "CityscapesClass",
    "name id train_id category category_id has_instances ignore_in_eval color",
)


def _class(line: str) -> Any:
    name, number, train, category, group, things, ignored, color = line.strip().split(", ")
    flags = things == "1", ignored == "1"
    rgb = tuple(int(part) for part in color.split())
    return _Class(name, int(number), int(train), category, int(group), *flags, rgb)


class Cityscapes(VisionDataset):
    """5,000 photographs of streets labelled finely, and 20,000 coarsely; 35 classes.

    A sample is an RGB image of Pillow's and what `target_type` asks for. The files lie as in the
    archives, which need an account: `root/leftImg8bit/train/aachen/..._leftImg8bit.png`,
    `root/gtFine/train/aachen/..._gtFine_labelIds.png`. Archives in `root` are unpacked.

    Args:
        root: the folder that holds `leftImg8bit` and `gtFine` or `gtCoarse`.
        split: "train", "val" or "test"; of the coarse labels "train", "train_extra" or "val".
        mode: "fine" or "coarse".
        target_type: "instance", "semantic" or "color" (images), "polygon" (the JSON file), or a
            list of these for a tuple.
        transform, target_transform: applied to each image and target.
        transforms: applied to the pair, instead.

    Attributes:
        classes: 35 tuples (name, id, train_id, category, ...).
        images, targets: the paths.

    Cordts et al.: The Cityscapes dataset for semantic urban scene understanding, 2016.
    """

    CityscapesClass = _Class
    classes: ClassVar[list[Any]] = [_class(line) for line in _CLASSES.strip().splitlines()]

    def __init__(
        self,
        root: Path,
        split: str = "train",
        mode: str = "fine",
        target_type: list[str] | str = "instance",
        transform: Transform | None = None,
        target_transform: Transform | None = None,
        transforms: Callable[[Any, Any], tuple[Any, Any]] | None = None,
    ) -> None:
        super().__init__(root, transforms, transform, target_transform)
        verify_str_arg(mode, "mode", ("fine", "coarse"))
        self.mode = "gtFine" if mode == "fine" else "gtCoarse"
        valid = ("train", "test", "val") if mode == "fine" else ("train", "train_extra", "val")
        self.split = verify_str_arg(
            split,
            "split",
            valid,
            f"Unknown value '{split}' for argument split if mode is '{mode}'. "
            f"Valid values are {{{iterable_to_str(valid)}}}.",
        )
        kinds = target_type if isinstance(target_type, list) else [target_type]
        self.target_type = [verify_str_arg(k, "target_type", tuple(_SUFFIX)) for k in kinds]
        self.images_dir = os.path.join(self.root, "leftImg8bit", split)
        self.targets_dir = os.path.join(self.root, self.mode, split)
        if not (os.path.isdir(self.images_dir) and os.path.isdir(self.targets_dir)):
            self._unpack()
        self.images: list[str] = []
        self.targets: list[list[str]] = []
        for city in os.listdir(self.images_dir):
            for name in os.listdir(os.path.join(self.images_dir, city)):
                stem = os.path.join(self.targets_dir, city, name.split("_leftImg8bit")[0])
                self.images.append(os.path.join(self.images_dir, city, name))
                self.targets.append(
                    [f"{stem}_{self.mode}_{_SUFFIX[kind]}" for kind in self.target_type]
                )

    def _unpack(self) -> None:
        extra = "extra" if self.split == "train_extra" else "valtest"
        labels = "gtFine_trainvaltest.zip" if self.mode == "gtFine" else "gtCoarse.zip"
        archives = [
            os.path.join(self.root, name) for name in (f"leftImg8bit_train{extra}.zip", labels)
        ]
        if not all(os.path.isfile(path) for path in archives):
            raise RuntimeError(
                message(
                    "Dataset not found or incomplete. Please make sure all required folders for "
                    'the specified "split" and "mode" are inside the "root" directory',
                    wanted=f"the folders {self.images_dir} and {self.targets_dir}, or the archives "
                    + " and ".join(archives),
                    hint="fetching the archives from cityscapes-dataset.com with your account",
                )
            )
        for path in archives:
            extract_archive(path, self.root)

    def _load(self, kind: str, path: str) -> Any:
        if kind != "polygon":
            return open_image(path)
        with open(path, encoding="utf-8") as file:
            return json.load(file)

    def __getitem__(self, index: int) -> tuple[Any, Any]:
        paths = zip(self.target_type, self.targets[index], strict=True)
        targets = [self._load(kind, path) for kind, path in paths]
        return self._jointly(pil_loader(self.images[index]), one_or_tuple(targets))

    def __len__(self) -> int:
        return len(self.images)

    def extra_repr(self) -> str:
        return f"Split: {self.split}\nMode: {self.mode}\nType: {self.target_type}"
