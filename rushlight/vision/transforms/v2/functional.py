"""Functions of `torchvision.transforms.v2.functional`: those of the first version, and some more.

Read next: `../functional.py`.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from .... import dtypes
from ....tensor import Tensor
from ..._pillow import is_pil
from ..functional import *  # noqa: F403 - the same functions under the same names
from ..functional import (
    convert_image_dtype,
    get_dimensions,
    get_image_num_channels,
    hflip,
    pil_to_tensor,
    rgb_to_grayscale,
    vflip,
)

horizontal_flip = hflip
vertical_flip = vflip
get_num_channels = get_image_num_channels


def get_size(inpt: Any) -> list[int]:
    """Height and width.

    >>> get_size(torch.zeros(3, 4, 5))
    [4, 5]
    """
    return get_dimensions(inpt)[1:]


def to_image(inpt: Any) -> Tensor:
    """A Pillow image or (H, W[, C]) array as a (C, H, W) tensor of its own type; tensors stay.

    >>> to_image(np.zeros((4, 5, 3), np.uint8)).shape
    torch.Size([3, 4, 5])
    """
    if isinstance(inpt, Tensor):
        return inpt
    if is_pil(inpt):
        return pil_to_tensor(inpt)
    if not isinstance(inpt, np.ndarray):
        raise TypeError(
            "Input can either be a pure Tensor, a numpy array, or a PIL image, "
            f"but got {type(inpt)} instead."
        )
    import rushlight

    out: Tensor = rushlight.from_numpy(np.atleast_3d(inpt)).permute((2, 0, 1)).contiguous()
    return out


def to_dtype(inpt: Any, dtype: dtypes.dtype = dtypes.float32, scale: bool = False) -> Any:
    """Another type of values; with `scale` also its range. What is no tensor stays.

    >>> to_dtype(torch.tensor([[[255]]], dtype=torch.uint8), scale=True)
    tensor([[[1.]]])
    """
    if not isinstance(inpt, Tensor):
        return inpt
    return convert_image_dtype(inpt, dtype) if scale else inpt.to(dtype)


def grayscale_to_rgb(inpt: Any) -> Any:
    """Three equal channels from one.

    >>> grayscale_to_rgb(torch.zeros(1, 2, 2)).shape
    torch.Size([3, 2, 2])
    """
    if is_pil(inpt):
        return inpt.convert("RGB")
    if inpt.shape[-3] >= 3:
        return inpt
    return inpt[..., :1, :, :].expand(*inpt.shape[:-3], 3, *inpt.shape[-2:])


def gaussian_noise(inpt: Tensor, mean: float = 0.0, sigma: float = 0.1, clip: bool = True) -> Any:
    """Normal noise added to a float tensor.

    >>> gaussian_noise(torch.zeros(1, 2, 2), mean=5.0).max()
    tensor(1.)
    """
    import rushlight

    if not isinstance(inpt, Tensor) or not inpt.is_floating_point():
        got = inpt.dtype if isinstance(inpt, Tensor) else type(inpt)
        raise ValueError(f"Input tensor is expected to be in float dtype, got dtype={got}")
    if sigma < 0:
        raise ValueError(f"sigma shouldn't be negative. Got {sigma}")
    noisy = inpt + (mean + rushlight.randn_like(inpt) * sigma)
    return noisy.clamp(0, 1) if clip else noisy


def permute_channels(inpt: Any, permutation: list[int]) -> Any:
    """The channels in another order.

    >>> permute_channels(torch.tensor([[[1]], [[2]], [[3]]]), [2, 1, 0]).flatten()
    tensor([3, 2, 1])
    """
    x = to_image(inpt)[..., permutation, :, :]
    if is_pil(inpt):
        from ..functional import to_pil_image

        return to_pil_image(x, mode=inpt.mode)
    return x


to_grayscale = rgb_to_grayscale
