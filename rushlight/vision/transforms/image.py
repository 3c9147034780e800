"""What the transforms ask about an image: its kind, size, channels and range of values.

An image is a Pillow image or a tensor of shape (..., C, H, W). Not here: anything that changes one.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from enum import Enum
from typing import Any

from ...dtypes import dtype
from ...errors import message
from ...tensor import Tensor
from .._pillow import is_pil

Image = Any  # a PIL.Image.Image or a Tensor


class InterpolationMode(Enum):
    """How a transform fills in between pixels."""

    NEAREST = "nearest"
    NEAREST_EXACT = "nearest-exact"
    BILINEAR = "bilinear"
    BICUBIC = "bicubic"
    BOX = "box"
    HAMMING = "hamming"
    LANCZOS = "lanczos"


# Pillow's number of each mode (its `Resampling`).
pil_modes_mapping = {
    InterpolationMode.NEAREST: 0,
    InterpolationMode.NEAREST_EXACT: 0,
    InterpolationMode.LANCZOS: 1,
    InterpolationMode.BILINEAR: 2,
    InterpolationMode.BICUBIC: 3,
    InterpolationMode.BOX: 4,
    InterpolationMode.HAMMING: 5,
}
_BY_NUMBER = {code: mode for mode, code in reversed(pil_modes_mapping.items())}


def mode_of_number(interpolation: Any) -> Any:
    """Pillow's number as an `InterpolationMode`; anything else as it is."""
    return _BY_NUMBER[interpolation] if isinstance(interpolation, int) else interpolation


def mode_of(interpolation: Any) -> InterpolationMode:
    """An `InterpolationMode` from one or from Pillow's number; TypeError for anything else."""
    if isinstance(interpolation, int) and interpolation in _BY_NUMBER:
        return _BY_NUMBER[interpolation]
    if not isinstance(interpolation, InterpolationMode):
        raise TypeError(
            message(
                "Argument interpolation should be a InterpolationMode or a corresponding Pillow "
                "integer constant",
                got=repr(interpolation),
            )
        )
    return interpolation


# Kinds


def check_pil(img: Any) -> None:
    """TypeError unless `img` is a Pillow image."""
    if not is_pil(img):
        raise TypeError(f"img should be PIL Image. Got {type(img)}")


def check_image_tensor(img: Tensor) -> None:
    """TypeError for a tensor of fewer than two dimensions."""
    if img.ndim < 2:
        raise TypeError("Tensor is not a torch image.")


def check_three_dimensions(img: Tensor) -> None:
    """TypeError for a tensor without a dimension of channels."""
    check_image_tensor(img)
    if img.ndim < 3:
        raise TypeError(
            f"Input image tensor should have at least 3 dimensions, but found {img.ndim}"
        )


def check_channels(img: Tensor, permitted: Sequence[int] = (1, 3)) -> None:
    """TypeError unless the number of channels is permitted."""
    channels = get_dimensions(img)[0]
    if channels not in permitted:
        raise TypeError(
            f"Input image tensor permitted channel values are {list(permitted)}, "
            f"but found {channels}"
        )


# Sizes


def get_dimensions(img: Image) -> list[int]:
    """Channels, height and width.

    >>> get_dimensions(torch.zeros(3, 4, 5))
    [3, 4, 5]
    """
    if isinstance(img, Tensor):
        check_image_tensor(img)
        channels = img.shape[-3] if img.ndim > 2 else 1
        return [channels, img.shape[-2], img.shape[-1]]
    if is_pil(img):
        return [len(img.getbands()), img.size[1], img.size[0]]
    raise TypeError(f"Unexpected type {type(img)}")


def get_image_size(img: Image) -> list[int]:
    """Width and height.

    >>> get_image_size(torch.zeros(3, 4, 5))
    [5, 4]
    """
    return get_dimensions(img)[:0:-1]


def get_image_num_channels(img: Image) -> int:
    """Number of channels.

    >>> get_image_num_channels(torch.zeros(4, 5))
    1
    """
    return get_dimensions(img)[0]


def max_value(kind: dtype) -> int:
    """The value of full brightness: the largest integer of the type, 1 for floats."""
    known = {"uint8": 255, "int8": 127, "uint16": 65535, "int16": 2**15 - 1}
    return {**known, "int32": 2**31 - 1, "int64": 2**63 - 1}.get(kind.name, 1)


def as_batch(img: Tensor, kind: dtype) -> tuple[Tensor, Callable[[Tensor], Tensor]]:
    """The image as (N, C, H, W) of a float type, and the function that undoes both."""
    own, before = img.dtype, img.shape[:-3]
    rows = img.ndim - 3
    batch = img.to(kind)
    if rows != 1:
        batch = batch.reshape(-1, *img.shape[-3:]) if rows > 1 else batch.unsqueeze(0)

    def restore(out: Tensor) -> Tensor:
        if rows != 1:
            out = out.reshape(*before, *out.shape[-3:]) if rows > 1 else out.squeeze(0)
        if own is kind:
            return out
        return (out if own.is_floating_point else out.round()).to(own)

    return batch, restore
