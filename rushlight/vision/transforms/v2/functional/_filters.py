"""What looks at the neighbours of a pixel, and noise: sharpness, blur.

Not here: colours (`_color.py`), what destroys parts of an image (`_augment.py`).
"""

from __future__ import annotations

from typing import Any

from ..... import dtypes
from .....tensor import Tensor
from ... import filters
from .._kernels import dispatch, kernels


@kernels(filters.adjust_sharpness)
def adjust_sharpness(inpt: Any, sharpness_factor: float) -> Any:
    """0 blurs, 1 changes nothing, 2 sharpens.

    >>> adjust_sharpness(torch.ones(1, 4, 4), 0.0).shape
    torch.Size([1, 4, 4])
    """
    return dispatch(adjust_sharpness, inpt, sharpness_factor)


@kernels(filters.gaussian_blur)
def gaussian_blur(inpt: Any, kernel_size: Any, sigma: Any = None) -> Any:
    """Blurred by a bell of width `sigma`.

    >>> gaussian_blur(torch.ones(1, 4, 4), [3, 3]).shape
    torch.Size([1, 4, 4])
    """
    return dispatch(gaussian_blur, inpt, kernel_size, sigma)


def _noisy(inpt: Any, mean: float = 0.0, sigma: float = 0.1, clip: bool = True) -> Tensor:
    import rushlight

    if not isinstance(inpt, Tensor):
        raise ValueError("Gaussian Noise is not implemented for PIL images.")
    if sigma < 0:
        raise ValueError(f"sigma shouldn't be negative. Got {sigma}")
    if inpt.is_floating_point():
        out: Tensor = inpt + (mean + rushlight.randn_like(inpt) * sigma)
        return out.clamp(0, 1) if clip else out
    if inpt.dtype is not dtypes.uint8:
        raise ValueError(
            f"Input tensor is expected to be in uint8 or float dtype, got dtype={inpt.dtype}"
        )
    noise = mean * 255 + rushlight.randn_like(inpt, dtype=rushlight.float32) * (sigma * 255)
    whole = inpt + noise.to(rushlight.int16)
    return (whole.clamp(0, 255) if clip else whole).to(dtypes.uint8)


@kernels(_noisy)
def gaussian_noise(inpt: Any, mean: float = 0.0, sigma: float = 0.1, clip: bool = True) -> Any:
    """Normal noise added to a float or uint8 tensor.

    >>> gaussian_noise(torch.zeros(1, 2, 2), mean=5.0).max()
    tensor(1.)
    """
    return dispatch(gaussian_noise, inpt, mean=mean, sigma=sigma, clip=clip)
