"""Before and after a detector: images normalised, resized and put into one tensor with their boxes,
masks and key points; results brought back to the images' own sizes.
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np

import rushlight

from .... import nn
from ....errors import message
from ....nn import functional as F
from ....tensor import Tensor
from .image_list import ImageList
from .roi_heads import paste_masks_in_image

Target = dict[str, Tensor]
Size = tuple[int, int]


def _resize_image_and_masks(
    image: Tensor,
    self_min_size: int,
    self_max_size: int,
    target: Target | None = None,
    fixed_size: Size | None = None,
) -> tuple[Tensor, Target | None]:
    """An image (C, H, W) with its shorter side at `self_min_size`, if the other one does not get
    longer than `self_max_size` then; or of `fixed_size` (width, height).
    """
    how: dict[str, Any]
    if fixed_size is not None:
        how = {"size": [fixed_size[1], fixed_size[0]]}
    else:
        short, long = sorted(image.shape[-2:])
        scale = min(self_min_size / short, self_max_size / long)
        how = {"scale_factor": scale, "recompute_scale_factor": True}
    image = F.interpolate(image[None], mode="bilinear", align_corners=False, **how)[0]
    if target is not None and "masks" in target:
        masks = F.interpolate(target["masks"][:, None].float(), **how)
        target["masks"] = masks[:, 0].byte()
    return image, target


class GeneralizedRCNNTransform(nn.Module):
    """Images of any sizes to one batch, with what is to be found in them.

    Args:
        min_size: what the shorter side is resized to; of several numbers one is drawn in training,
            and the last one taken otherwise.
        max_size: what the longer side may be.
        image_mean, image_std: subtracted from and divided into each channel.
        size_divisible: the batch's height and width are multiples of it.
        fixed_size: (width, height) of all images instead.
    """

    def __init__(
        self,
        min_size: int | tuple[int, ...],
        max_size: int,
        image_mean: list[float],
        image_std: list[float],
        size_divisible: int = 32,
        fixed_size: Size | None = None,
        **kwargs: Any,
    ) -> None:
        super().__init__()
        self.min_size = min_size if isinstance(min_size, (list, tuple)) else (min_size,)
        self.max_size = max_size
        self.image_mean = image_mean
        self.image_std = image_std
        self.size_divisible = size_divisible
        self.fixed_size = fixed_size
        self._skip_resize = kwargs.pop("_skip_resize", False)

    def forward(
        self, images: list[Tensor], targets: list[Target] | None = None
    ) -> tuple[ImageList, list[Target] | None]:
        """(the batch, targets at its scale), from images (C, H, W); the user's are not changed."""
        images = list(images)
        copies = None if targets is None else [dict(t) for t in targets]
        for i, image in enumerate(images):
            if image.dim() != 3:
                raise ValueError(
                    message(
                        "images is expected to be a list of 3d tensors of shape [C, H, W]",
                        got=f"{image.shape}",
                    )
                )
            target = None if copies is None else copies[i]
            images[i], _ = self.resize(self.normalize(image), target)
        sizes = [(image.shape[-2], image.shape[-1]) for image in images]
        return ImageList(self.batch_images(images, self.size_divisible), sizes), copies

    def normalize(self, image: Tensor) -> Tensor:
        """(image - mean) / std, by channel."""
        if not image.is_floating_point():
            raise TypeError(
                "Expected input images to be of floating type (in range [0, 1]), but found type "
                f"{image.dtype} instead"
            )
        kind = {"dtype": image.dtype, "device": image.device}
        mean = rushlight.as_tensor(self.image_mean, **kind)[:, None, None]
        return (image - mean) / rushlight.as_tensor(self.image_std, **kind)[:, None, None]

    def torch_choice(self, k: list[int] | tuple[int, ...]) -> int:
        """One of `k`, by PyTorch's generator."""
        return k[int(rushlight.empty(1).uniform_(0.0, float(len(k))).item())]

    def resize(self, image: Tensor, target: Target | None = None) -> tuple[Tensor, Target | None]:
        """The image, and in `target` itself its masks, boxes and key points, resized."""
        before = (image.shape[-2], image.shape[-1])
        if self.training and self._skip_resize:
            return image, target
        size = self.torch_choice(self.min_size) if self.training else self.min_size[-1]
        image, target = _resize_image_and_masks(
            image, size, self.max_size, target, self.fixed_size
        )
        if target is not None:
            after = (image.shape[-2], image.shape[-1])
            target["boxes"] = resize_boxes(target["boxes"], before, after)
            if "keypoints" in target:
                target["keypoints"] = resize_keypoints(target["keypoints"], before, after)
        return image, target

    def max_by_axis(self, the_list: list[list[int]]) -> list[int]:
        """The largest size of each axis."""
        return [max(sizes) for sizes in zip(*the_list, strict=True)]

    def batch_images(self, images: list[Tensor], size_divisible: int = 32) -> Tensor:
        """Images (C, H, W) in one tensor, each in its upper left corner."""
        channels, height, width = self.max_by_axis([list(image.shape) for image in images])
        height, width = (math.ceil(n / size_divisible) * size_divisible for n in (height, width))
        batch = images[0].new_zeros((len(images), channels, height, width))
        for i, image in enumerate(images):
            batch[i, : image.shape[0], : image.shape[1], : image.shape[2]] = image
        return batch

    def postprocess(
        self,
        result: list[Target],
        image_shapes: list[Size],
        original_image_sizes: list[Size],
    ) -> list[Target]:
        """Boxes, masks and key points in the pixels of the user's images."""
        if self.training:
            return result
        for found, size, original in zip(result, image_shapes, original_image_sizes, strict=True):
            found["boxes"] = resize_boxes(found["boxes"], size, original)
            if "masks" in found:
                found["masks"] = paste_masks_in_image(found["masks"], found["boxes"], original)
            if "keypoints" in found:
                found["keypoints"] = resize_keypoints(found["keypoints"], size, original)
        return result

    def __repr__(self) -> str:
        return (
            f"{type(self).__name__}(\n    Normalize(mean={self.image_mean}, std={self.image_std})"
            f"\n    Resize(min_size={self.min_size}, max_size={self.max_size}, mode='bilinear')\n)"
        )


def _ratios(original_size: Size, new_size: Size, x: Tensor) -> Tensor:
    """(across, down) in float32, or in the type of `x` where that has fractions."""
    down, across = (
        np.float32(new) / np.float32(old) for new, old in zip(new_size, original_size, strict=True)
    )
    ratio = rushlight.as_tensor([float(across), float(down)], device=x.device)
    return ratio.to(x.dtype) if x.is_floating_point() else ratio


def resize_keypoints(keypoints: Tensor, original_size: Size, new_size: Size) -> Tensor:
    """Key points (N, K, 3) of an image of another size (height, width)."""
    place = keypoints[..., :2] * _ratios(original_size, new_size, keypoints)
    return rushlight.cat([place, keypoints[..., 2:]], -1)


def resize_boxes(boxes: Tensor, original_size: Size, new_size: Size) -> Tensor:
    """Boxes (N, 4) of an image of another size (height, width)."""
    return boxes * _ratios(original_size, new_size, boxes).repeat(2)
