"""LSUN: photographs of places, in databases of LMDB."""

from __future__ import annotations

import bisect
import io
import os
from collections.abc import Iterable
from typing import Any

from .._pillow import pillow
from ._files import Path, needed
from .utils import iterable_to_str, verify_str_arg
from .vision import Transform, VisionDataset

_CATEGORIES = [
    "bedroom",
    "bridge",
    "church_outdoor",
    "classroom",
    "conference_room",
    "dining_room",
    "kitchen",
    "living_room",
    "restaurant",
    "tower",
]
_PARTS = ["train", "val", "test"]


class LSUNClass(VisionDataset):
    """One database of `LSUN`: images without labels. The package lmdb is needed.

    Args:
        root: the folder of the database.
        transform, target_transform: applied to each image, and to None.
    """

    def __init__(
        self,
        root: Path,
        transform: Transform | None = None,
        target_transform: Transform | None = None,
    ) -> None:
        lmdb = needed("lmdb", "lmdb", "LSUN")
        super().__init__(root, transform=transform, target_transform=target_transform)
        how = {"readonly": True, "lock": False, "readahead": False, "meminit": False}
        self.env = lmdb.open(os.fspath(self.root), max_readers=1, **how)
        with self.env.begin(write=False) as view:
            self.keys = list(view.cursor().iternext(keys=True, values=False))
        self.length = len(self.keys)

    def __getitem__(self, index: int) -> tuple[Any, Any]:
        with self.env.begin(write=False) as view:
            raw = view.get(self.keys[index])
        return self._transformed(pillow().open(io.BytesIO(raw)).convert("RGB"), None)

    def __len__(self) -> int:
        return self.length


class LSUN(VisionDataset):
    """Photographs of ten kinds of places, 126,227 to 3,033,042 of each. lmdb is needed.

    A sample is an RGB image of Pillow's and an int label, the place in `classes`. The databases
    lie in `root/bedroom_train_lmdb` and so on.

    Args:
        root: the folder that holds the databases.
        classes: "train", "val" or "test", or a list such as `["bedroom_train", "church_train"]`.
        transform, target_transform: applied to each image and label.

    Yu et al.: LSUN, construction of a large-scale image dataset, 2015.
    """

    def __init__(
        self,
        root: Path,
        classes: str | list[str] = "train",
        transform: Transform | None = None,
        target_transform: Transform | None = None,
    ) -> None:
        super().__init__(root, transform=transform, target_transform=target_transform)
        self.classes = self._verify_classes(classes)
        folders = [os.path.join(self.root, f"{name}_lmdb") for name in self.classes]
        self.dbs = [LSUNClass(folder, transform=transform) for folder in folders]
        self.indices: list[int] = []
        self.length = 0
        for database in self.dbs:
            self.length += len(database)
            self.indices.append(self.length)

    def _verify_classes(self, classes: str | list[str]) -> list[str]:
        if isinstance(classes, str):
            verify_str_arg(classes, "classes", _PARTS)
            return [classes] if classes == "test" else [f"{c}_{classes}" for c in _CATEGORIES]
        if not isinstance(classes, Iterable):
            kind = type(classes)
            raise ValueError(f"Expected type str or Iterable for argument classes, but got {kind}.")
        for name in classes:
            category, _, part = verify_str_arg(name, "classes").rpartition("_")
            for value, what, known in (
                (category, "LSUN class", _CATEGORIES),
                (part, "postfix", _PARTS),
            ):
                text = f"Unknown value '{value}' for {what}. "
                text += f"Valid values are {{{iterable_to_str(known)}}}."
                verify_str_arg(value, what, known, text)
        return list(classes)

    def __getitem__(self, index: int) -> tuple[Any, Any]:
        target: Any = bisect.bisect_right(self.indices, index)
        image, _ = self.dbs[target][index - self.indices[target] + len(self.dbs[target])]
        return image, target if self.target_transform is None else self.target_transform(target)

    def __len__(self) -> int:
        return self.length

    def extra_repr(self) -> str:
        return f"Classes: {self.classes}"
