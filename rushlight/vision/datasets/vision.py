"""VisionDataset: what the image data sets share. Read next: `mnist.py`."""

from __future__ import annotations

import os
from collections.abc import Callable
from typing import Any

from ...utils.data import Dataset

Transform = Callable[[Any], Any]


class VisionDataset(Dataset[tuple[Any, Any]]):
    """A folder, and what is done with each image and label of it.

    Args:
        root: the folder.
        transforms: takes and gives an (image, target) pair; excludes the next two.
        transform: takes and gives an image.
        target_transform: takes and gives a target.
    """

    def __init__(
        self,
        root: str | os.PathLike[str],
        transforms: Callable[[Any, Any], tuple[Any, Any]] | None = None,
        transform: Transform | None = None,
        target_transform: Transform | None = None,
    ) -> None:
        if transforms is not None and (transform is not None or target_transform is not None):
            raise ValueError(
                "Only transforms or transform/target_transform can be passed as argument"
            )
        self.root = os.path.expanduser(root)
        self.transform = transform
        self.target_transform = target_transform
        self.transforms = transforms

    def _transformed(self, image: Any, target: Any) -> tuple[Any, Any]:
        if self.transforms is not None:
            return self.transforms(image, target)
        if self.transform is not None:
            image = self.transform(image)
        if self.target_transform is not None:
            target = self.target_transform(target)
        return image, target

    def __len__(self) -> int:
        raise NotImplementedError

    def extra_repr(self) -> str:
        """A line for the printed form, in subclasses."""
        return ""

    def __repr__(self) -> str:
        lines = [f"Number of datapoints: {len(self)}", f"Root location: {self.root}"]
        lines += self.extra_repr().splitlines()
        if self.transform is not None:
            lines.append(f"Transform: {self.transform!r}")
        return "\n    ".join([f"Dataset {type(self).__name__}", *lines])
