"""VisionDataset: what the image data sets share. Read next: `mnist.py`, `folder.py`."""

from __future__ import annotations

import os
from collections.abc import Callable
from typing import Any

from ...utils.data import Dataset

Transform = Callable[[Any], Any]


class StandardTransform:
    """A transform of the image and one of the target, as a transform of the pair.

    >>> StandardTransform(lambda image: image + 1, None)(1, "cat")
    (2, 'cat')
    """

    def __init__(
        self, transform: Transform | None = None, target_transform: Transform | None = None
    ) -> None:
        self.transform = transform
        self.target_transform = target_transform

    def __call__(self, input: Any, target: Any) -> tuple[Any, Any]:
        if self.transform is not None:
            input = self.transform(input)
        if self.target_transform is not None:
            target = self.target_transform(target)
        return input, target

    def __repr__(self) -> str:
        lines = [type(self).__name__]
        for head, transform in (
            ("Transform: ", self.transform),
            ("Target transform: ", self.target_transform),
        ):
            if transform is not None:
                first, *rest = repr(transform).splitlines()
                lines += [head + first, *(" " * len(head) + line for line in rest)]
        return "\n".join(lines)


class VisionDataset(Dataset[tuple[Any, Any]]):
    """A folder, and what is done with each image and label of it.

    Args:
        root: the folder; None for a data set without files.
        transforms: takes and gives an (image, target) pair; excludes the next two.
        transform: takes and gives an image.
        target_transform: takes and gives a target.
    """

    def __init__(
        self,
        root: str | os.PathLike[str] | None = None,
        transforms: Callable[[Any, Any], tuple[Any, Any]] | None = None,
        transform: Transform | None = None,
        target_transform: Transform | None = None,
    ) -> None:
        apart = transform is not None or target_transform is not None
        if transforms is not None and apart:
            raise ValueError(
                "Only transforms or transform/target_transform can be passed as argument"
            )
        self.root: Any = os.path.expanduser(root) if isinstance(root, str) else root
        self.transform = transform
        self.target_transform = target_transform
        self.transforms = StandardTransform(transform, target_transform) if apart else transforms

    def _transformed(self, image: Any, target: Any) -> tuple[Any, Any]:
        # Read anew each time: programs set `dataset.transform` afterwards.
        if self.transform is not None:
            image = self.transform(image)
        if self.target_transform is not None:
            target = self.target_transform(target)
        return image, target

    def _jointly(self, image: Any, target: Any) -> tuple[Any, Any]:
        """The pair through `transforms`, which is made of the two others where these were given."""
        return (image, target) if self.transforms is None else self.transforms(image, target)

    def __getitem__(self, index: int) -> Any:
        raise NotImplementedError

    def __len__(self) -> int:
        raise NotImplementedError

    def extra_repr(self) -> str:
        """Lines for the printed form, in subclasses."""
        return ""

    def __repr__(self) -> str:
        lines = [f"Number of datapoints: {len(self)}"]
        if self.root is not None:
            lines.append(f"Root location: {self.root}")
        lines += self.extra_repr().splitlines()
        if getattr(self, "transforms", None) is not None:
            lines.append(repr(self.transforms))  # its further lines are not indented, as elsewhere
        return "\n    ".join([f"Dataset {type(self).__name__}", *lines])
