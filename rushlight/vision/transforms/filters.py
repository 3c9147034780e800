"""What mixes neighbouring pixels: `gaussian_blur` and `adjust_sharpness`."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from ...tensor import Tensor
from .._pillow import is_pil
from .color import _check_factor, _enhance, blend
from .convert import pil_to_tensor, to_pil_image
from .image import Image, as_batch, check_channels, check_image_tensor


def gaussian_blur(
    img: Image, kernel_size: int | Sequence[int], sigma: float | Sequence[float] | None = None
) -> Image:
    """Each pixel a mean of its neighbours, weighted by exp(-d**2 / (2 sigma**2)).

    Args:
        img: a Pillow image or a tensor; its border is mirrored.
        kernel_size: odd width, or (width, height), of the neighbourhood.
        sigma: one number, or one for x and y; 0.15 * kernel_size + 0.35 when None.

    >>> gaussian_blur(torch.tensor([[[0.0, 1.0, 0.0]] * 3]), 3, 1.0)[0, 1, 1]
    tensor(0.4519)
    """
    size, spread = _kernel(kernel_size, sigma)
    if not isinstance(img, Tensor) and not is_pil(img):
        raise TypeError(f"img should be PIL Image or Tensor. Got {type(img)}")
    x = img if isinstance(img, Tensor) else pil_to_tensor(img)
    check_image_tensor(x)
    kind = np.dtype(np.float64 if x.dtype.name == "float64" else np.float32)
    across, down = (_gaussian(n, s, kind) for n, s in zip(size, spread, strict=True))
    sides = [size[0] // 2, size[0] // 2, size[1] // 2, size[1] // 2]
    out = _filtered(x, down[:, None] * across, sides)
    return out if x is img else to_pil_image(out, mode=img.mode)


def _kernel(kernel_size: Any, sigma: Any) -> tuple[list[int], list[float]]:
    if not isinstance(kernel_size, int | list | tuple):
        raise TypeError(
            f"kernel_size should be int or a sequence of integers. Got {type(kernel_size)}"
        )
    size = [kernel_size] * 2 if isinstance(kernel_size, int) else list(kernel_size)
    if len(size) != 2:
        raise ValueError(f"If kernel_size is a sequence its length should be 2. Got {len(size)}")
    if any(n % 2 == 0 or n < 0 for n in size):
        raise ValueError(f"kernel_size should have odd and positive integers. Got {size}")
    if sigma is None:
        sigma = [n * 0.15 + 0.35 for n in size]
    if not isinstance(sigma, int | float | list | tuple):
        raise TypeError(f"sigma should be either float or sequence of floats. Got {type(sigma)}")
    spread = [float(sigma)] * 2 if isinstance(sigma, int | float) else list(sigma)
    spread = spread * 2 if len(spread) == 1 else spread
    if len(spread) != 2:
        raise ValueError(f"If sigma is a sequence, its length should be 2. Got {len(spread)}")
    if any(s <= 0.0 for s in spread):
        raise ValueError(f"sigma should have positive values. Got {spread}")
    return size, spread


def _gaussian(n: int, sigma: float, kind: np.dtype) -> np.ndarray:
    x = (np.arange(n) - (n - 1) * 0.5).astype(kind) / kind.type(sigma)
    weights = np.exp(kind.type(-0.5) * (x * x))
    return weights / weights.sum()


def _filtered(img: Tensor, kernel: np.ndarray, sides: list[int] | None) -> Tensor:
    """Each channel convolved with a kernel, after mirroring a border of `sides` if given."""
    from ...nn.functional import conv2d, pad

    weight = Tensor._wrap(kernel)
    x, restore = as_batch(img, weight.dtype)
    channels = x.shape[-3]
    x = x if sides is None else pad(x, sides, mode="reflect")
    return restore(conv2d(x, weight.expand(channels, 1, *kernel.shape), groups=channels))


def adjust_sharpness(img: Image, sharpness_factor: float) -> Image:
    """The distance from a smoothed image, times a factor: 0 smooths, 2 sharpens.

    >>> adjust_sharpness(torch.ones(1, 4, 4), 2.0).sum()
    tensor(16.)
    """
    if not isinstance(img, Tensor):
        return _enhance("Sharpness", img, sharpness_factor)
    _check_factor("sharpness", sharpness_factor)
    check_image_tensor(img)
    check_channels(img)
    if img.shape[-1] <= 2 or img.shape[-2] <= 2:
        return img
    kind = np.float64 if img.dtype.name == "float64" else np.float32
    kernel = np.ones((3, 3), kind)
    kernel[1, 1] = 5.0
    smooth = img.clone()
    smooth[..., 1:-1, 1:-1] = _filtered(img, kernel / kernel.sum(), None)
    return blend(img, smooth, sharpness_factor)
