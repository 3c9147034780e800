"""Colours: grey, brightness and its like, single bits, the order of channels.

Not here: what looks at neighbours (`_filters.py`); the arithmetic (`../../color.py`).
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from ..... import dtypes
from .....tensor import Tensor
from ... import color
from ...convert import pil_to_tensor
from .._kernels import dispatch, kernels
from ._convert import _typed, to_pil_image


def _grey(inpt: Any, num_output_channels: int = 1) -> Any:
    if isinstance(inpt, Tensor) and inpt.shape[-3] == 1:
        size = list(inpt.shape)
        size[-3] = num_output_channels
        return inpt.expand(size).clone()
    return color.rgb_to_grayscale(inpt, num_output_channels)


@kernels(_grey, video=_grey)
def rgb_to_grayscale(inpt: Any, num_output_channels: int = 1) -> Any:
    """Grey, in one or three equal channels.

    >>> rgb_to_grayscale(torch.ones(3, 2, 2)).shape
    torch.Size([1, 2, 2])
    """
    if num_output_channels not in (1, 3):
        raise ValueError(f"num_output_channels must be 1 or 3, got {num_output_channels}.")
    return dispatch(rgb_to_grayscale, inpt, num_output_channels=num_output_channels)


to_grayscale = rgb_to_grayscale


def _rgb(inpt: Any) -> Any:
    if not isinstance(inpt, Tensor):
        return inpt.convert("RGB")
    if inpt.shape[-3] >= 3:
        return inpt
    return inpt[..., :1, :, :].expand(*inpt.shape[:-3], 3, *inpt.shape[-2:])


@kernels(_rgb)
def grayscale_to_rgb(inpt: Any) -> Any:
    """Three equal channels from one.

    >>> grayscale_to_rgb(torch.zeros(1, 2, 2)).shape
    torch.Size([3, 2, 2])
    """
    return dispatch(grayscale_to_rgb, inpt)


@kernels(color.adjust_brightness)
def adjust_brightness(inpt: Any, brightness_factor: float) -> Any:
    """Brightness times a factor: 0 is black, 1 changes nothing.

    >>> adjust_brightness(torch.full((3, 1, 1), 0.25), 2.0).flatten()
    tensor([0.5000, 0.5000, 0.5000])
    """
    return dispatch(adjust_brightness, inpt, brightness_factor)


@kernels(color.adjust_contrast)
def adjust_contrast(inpt: Any, contrast_factor: float) -> Any:
    """Differences from the mean grey times a factor: 0 is grey, 1 changes nothing.

    >>> adjust_contrast(torch.full((3, 1, 1), 0.5), 2.0).flatten()
    tensor([0.5000, 0.5000, 0.5000])
    """
    return dispatch(adjust_contrast, inpt, contrast_factor)


@kernels(color.adjust_saturation)
def adjust_saturation(inpt: Any, saturation_factor: float) -> Any:
    """Differences from grey times a factor: 0 is grey, 1 changes nothing.

    >>> adjust_saturation(torch.full((3, 1, 1), 0.5), 0.0).flatten()
    tensor([0.5000, 0.5000, 0.5000])
    """
    return dispatch(adjust_saturation, inpt, saturation_factor)


@kernels(color.adjust_hue)
def adjust_hue(inpt: Any, hue_factor: float) -> Any:
    """The circle of hues turned by a factor between -0.5 and 0.5.

    >>> adjust_hue(torch.tensor([[[1.0]], [[0.0]], [[0.0]]]), 0.5).flatten()
    tensor([0., 1., 1.])
    """
    return dispatch(adjust_hue, inpt, hue_factor)


@kernels(color.adjust_gamma)
def adjust_gamma(inpt: Any, gamma: float, gain: float = 1) -> Any:
    """gain * inpt ** gamma, of values in [0, 1].

    >>> adjust_gamma(torch.full((1, 1, 1), 0.5), 2.0)
    tensor([[[0.2500]]])
    """
    return dispatch(adjust_gamma, inpt, gamma, gain)


@kernels(color.invert)
def invert(inpt: Any) -> Any:
    """The negative.

    >>> invert(torch.tensor([[[0.25]]]))
    tensor([[[0.7500]]])
    """
    return dispatch(invert, inpt)


def _posterized(inpt: Any, bits: int) -> Any:
    if not isinstance(inpt, Tensor) or not inpt.is_floating_point():
        return color.posterize(inpt, bits)
    levels = 1 << bits
    return (inpt * levels).floor().clamp(0, levels - 1) * (1.0 / levels)


@kernels(_posterized)
def posterize(inpt: Any, bits: int) -> Any:
    """Only the first bits of each byte.

    >>> posterize(torch.tensor([[[255]]], dtype=torch.uint8), 4)
    tensor([[[240]]], dtype=torch.uint8)
    """
    return dispatch(posterize, inpt, bits)


@kernels(color.solarize)
def solarize(inpt: Any, threshold: float) -> Any:
    """The negative of what is at least as bright as a threshold.

    >>> solarize(torch.tensor([[[0.25, 0.75]]]), 0.5)
    tensor([[[0.2500, 0.2500]]])
    """
    return dispatch(solarize, inpt, threshold)


@kernels(color.autocontrast)
def autocontrast(inpt: Any) -> Any:
    """Each channel stretched to the whole range.

    >>> autocontrast(torch.tensor([[[0.25, 0.75]]]))
    tensor([[[0., 1.]]])
    """
    return dispatch(autocontrast, inpt)


def _equalized(inpt: Any) -> Any:
    if isinstance(inpt, Tensor) and inpt.ndim > 4:
        return _equalized(inpt.reshape(-1, *inpt.shape[-3:])).reshape(inpt.shape)
    if not isinstance(inpt, Tensor) or not inpt.is_floating_point():
        return color.equalize(inpt)
    return _typed(color.equalize(_typed(inpt, dtypes.uint8, True)), inpt.dtype, True)


@kernels(_equalized)
def equalize(inpt: Any) -> Any:
    """Each brightness about as often.

    >>> equalize(torch.zeros(1, 2, 2, dtype=torch.uint8)).shape
    torch.Size([1, 2, 2])
    """
    return dispatch(equalize, inpt)


def _permuted(inpt: Any, permutation: Any) -> Any:
    if not isinstance(inpt, Tensor):
        return to_pil_image(_permuted(pil_to_tensor(inpt), permutation), mode=inpt.mode)
    order = permutation.tolist() if isinstance(permutation, Tensor) else list(permutation)
    if len(order) != inpt.shape[-3]:
        raise ValueError(
            f"Length of permutation does not match number of channels: "
            f"{len(order)} != {inpt.shape[-3]}"
        )
    return inpt[..., order, :, :]


@kernels(_permuted)
def permute_channels(inpt: Any, permutation: Sequence[int] | Tensor) -> Any:
    """The channels in another order.

    >>> permute_channels(torch.tensor([[[1]], [[2]], [[3]]]), [2, 1, 0]).flatten()
    tensor([3, 2, 1])
    """
    return dispatch(permute_channels, inpt, permutation)
