"""What a thing is: its channels, its size, the images of a video.

Not here: other types and kinds of things (`_convert.py`).
"""

from __future__ import annotations

from typing import Any

from .....tensor import Tensor
from ....tv_tensors import BoundingBoxes, KeyPoints
from ... import functional as first
from .._boxes import plain
from .._kernels import kernels


@kernels(first.get_dimensions)
def get_dimensions(inpt: Any) -> list[int]:
    """Channels, height and width of an image or video.

    >>> get_dimensions(torch.zeros(3, 4, 5))
    [3, 4, 5]
    """
    found: list[int] = first.get_dimensions(plain(inpt) if isinstance(inpt, Tensor) else inpt)
    return found


def get_num_channels(inpt: Any) -> int:
    """The number of channels of an image or video.

    >>> get_num_channels(torch.zeros(3, 4, 5))
    3
    """
    return get_dimensions(inpt)[0]


get_image_num_channels = get_num_channels


def get_size(inpt: Any) -> list[int]:
    """Height and width, of boxes and points those of the image around them.

    >>> get_size(torch.zeros(3, 4, 5))
    [4, 5]
    """
    if isinstance(inpt, BoundingBoxes | KeyPoints):
        return list(inpt.canvas_size)
    return get_dimensions(inpt)[1:]


def get_num_frames(inpt: Tensor) -> int:
    """The number of images of a video.

    >>> get_num_frames(torch.zeros(8, 3, 4, 5))
    8
    """
    return inpt.shape[-4]
