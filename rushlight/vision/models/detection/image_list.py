"""Images of various sizes in one tensor."""

from __future__ import annotations

from typing import Any

from ....tensor import Tensor


class ImageList:
    """A batch (N, C, H, W) of images padded at their right and lower edges, and their own sizes.

    >>> from rushlight.vision.models.detection.image_list import ImageList
    >>> ImageList(torch.zeros(1, 3, 64, 64), [(60, 50)]).to("cpu").image_sizes
    [(60, 50)]
    """

    def __init__(self, tensors: Tensor, image_sizes: list[tuple[int, int]]) -> None:
        self.tensors = tensors
        self.image_sizes = image_sizes

    def to(self, device: Any) -> ImageList:
        """The same on another device."""
        return ImageList(self.tensors.to(device), self.image_sizes)
