"""What changes colours and not places: brightness, hue, grey, invert, posterize, equalize, ...

Pillow images go to Pillow (ImageEnhance, ImageOps); tensors are (..., 1 or 3, H, W). Not here:
the random factors (`random_color.py`); `gaussian_blur` and `adjust_sharpness` (`filters.py`).
"""

from __future__ import annotations

from typing import Any

import numpy as np

from ... import dtypes
from ...tensor import Tensor
from .._pillow import is_pil, pillow
from .convert import convert_image_dtype
from .image import (
    Image,
    check_channels,
    check_image_tensor,
    check_pil,
    check_three_dimensions,
    get_dimensions,
    max_value,
)

# Grey


def rgb_to_grayscale(img: Image, num_output_channels: int = 1) -> Image:
    """Grey by 0.299 R + 0.587 G + 0.114 B (ITU-R 601), in one or three equal channels.

    >>> rgb_to_grayscale(torch.ones(3, 1, 1)).shape
    torch.Size([1, 1, 1])
    """
    if not isinstance(img, Tensor):
        check_pil(img)
        if num_output_channels not in (1, 3):
            raise ValueError("num_output_channels should be either 1 or 3")
        grey = img.convert("L")
        return grey if num_output_channels == 1 else pillow().merge("RGB", (grey,) * 3)
    if img.ndim < 3:
        raise TypeError(
            f"Input image tensor should have at least 3 dimensions, but found {img.ndim}"
        )
    check_channels(img)
    if num_output_channels not in (1, 3):
        raise ValueError("num_output_channels should be either 1 or 3")
    if img.shape[-3] == 3:
        r, g, b = img.unbind(dim=-3)
        out = (0.2989 * r + 0.587 * g + 0.114 * b).to(img.dtype).unsqueeze(-3)
    else:
        out = img.clone()
    # A grey tensor stays of one channel even where three are asked for, as in torchvision.
    return out.expand(img.shape) if num_output_channels == 3 else out


def to_grayscale(img: Any, num_output_channels: int = 1) -> Any:
    """`rgb_to_grayscale` for Pillow images only.

    >>> import PIL.Image
    >>> to_grayscale(PIL.Image.new("RGB", (2, 2))).mode
    'L'
    """
    if not is_pil(img):
        raise TypeError("Input should be PIL Image")
    return rgb_to_grayscale(img, num_output_channels)


# Factors: 0 takes the property away, 1 changes nothing, 2 doubles it


def adjust_brightness(img: Image, brightness_factor: float) -> Image:
    """All values times a factor.

    >>> adjust_brightness(torch.full((1, 1, 1), 0.25), 2.0)
    tensor([[[0.5000]]])
    """
    if not isinstance(img, Tensor):
        return _enhance("Brightness", img, brightness_factor)
    _check_factor("brightness", brightness_factor)
    check_image_tensor(img)
    check_channels(img)
    return blend(img, None, brightness_factor)


def adjust_contrast(img: Image, contrast_factor: float) -> Image:
    """The distance from the mean grey of the image, times a factor.

    >>> adjust_contrast(torch.tensor([[[0.25, 0.75]]]), 2.0)
    tensor([[[0., 1.]]])
    """
    if not isinstance(img, Tensor):
        return _enhance("Contrast", img, contrast_factor)
    _check_factor("contrast", contrast_factor)
    check_image_tensor(img)
    check_channels(img, (3, 1))
    kind = img.dtype if img.dtype.is_floating_point else dtypes.float32
    grey = rgb_to_grayscale(img) if get_dimensions(img)[0] == 3 else img
    return blend(img, grey.to(kind).mean(dim=(-3, -2, -1), keepdim=True), contrast_factor)


def adjust_saturation(img: Image, saturation_factor: float) -> Image:
    """The distance from the grey of each pixel, times a factor.

    >>> adjust_saturation(torch.tensor([[[1.0]], [[0.0]], [[0.0]]]), 0.0).flatten()
    tensor([0.2989, 0.2989, 0.2989])
    """
    if not isinstance(img, Tensor):
        return _enhance("Color", img, saturation_factor)
    _check_factor("saturation", saturation_factor)
    check_image_tensor(img)
    check_channels(img)
    if get_dimensions(img)[0] == 1:
        return img
    return blend(img, rgb_to_grayscale(img), saturation_factor)


def _enhance(kind: str, img: Any, factor: float) -> Any:
    check_pil(img)
    import PIL.ImageEnhance

    return getattr(PIL.ImageEnhance, kind)(img).enhance(factor)


def _check_factor(name: str, factor: float) -> None:
    if factor < 0:
        raise ValueError(f"{name}_factor ({factor}) is not non-negative.")


def blend(img: Tensor, other: Tensor | None, ratio: float) -> Tensor:
    """ratio * img + (1 - ratio) * other within the range of the type; black when None."""
    ratio = float(ratio)
    mixed = ratio * img
    if other is not None:
        mixed = mixed + (1.0 - ratio) * other
    return mixed.clamp(0, max_value(img.dtype)).to(img.dtype)


def adjust_gamma(img: Image, gamma: float, gain: float = 1) -> Image:
    """gain * value ** gamma, of values in [0, 1]: above 1 darkens the shadows.

    >>> adjust_gamma(torch.full((1, 1, 1), 0.5), 2.0)
    tensor([[[0.2500]]])
    """
    if not isinstance(img, Tensor):
        check_pil(img)
        _check_gamma(gamma)
        mode = img.mode
        curve = [int((255 + 1 - 1e-3) * gain * pow(v / 255.0, gamma)) for v in range(256)]
        return img.convert("RGB").point(curve * 3).convert(mode)
    check_channels(img)
    _check_gamma(gamma)
    x = img if img.dtype.is_floating_point else convert_image_dtype(img, dtypes.float32)
    return convert_image_dtype((gain * x.pow(gamma)).clamp(0, 1), img.dtype)


def _check_gamma(gamma: float) -> None:
    if gamma < 0:
        raise ValueError("Gamma should be a non-negative real number")


# Hue


def adjust_hue(img: Image, hue_factor: float) -> Image:
    """Turn the circle of hues: by -0.5 to 0.5 of a whole turn. Grey images stay as they are.

    >>> adjust_hue(torch.tensor([[[1.0]], [[0.0]], [[0.0]]]), 0.5).flatten()
    tensor([0., 1., 1.])
    """
    if not -0.5 <= hue_factor <= 0.5:
        raise ValueError(f"hue_factor ({hue_factor}) is not in [-0.5, 0.5].")
    if not isinstance(img, Tensor):
        check_pil(img)
        if img.mode in {"L", "1", "I", "F"}:
            return img
        h, s, v = img.convert("HSV").split()
        turned = np.asarray(h) + np.int32(hue_factor * 255).astype(np.uint8)  # wraps around
        h = pillow().fromarray(turned)
        return pillow().merge("HSV", (h, s, v)).convert(img.mode)
    check_image_tensor(img)
    check_channels(img)
    if get_dimensions(img)[0] == 1:
        return img
    h, s, v = _rgb_to_hsv(convert_image_dtype(img, dtypes.float32))
    return convert_image_dtype(_hsv_to_rgb((h + hue_factor) % 1.0, s, v), img.dtype)


def _rgb_to_hsv(img: Tensor) -> tuple[Tensor, Tensor, Tensor]:
    """Hue, saturation and value, each in [0, 1]; 0 for the hue and saturation of greys."""
    import rushlight as rl

    r, g, b = img.unbind(dim=-3)
    most, least = img.amax(dim=-3), img.amin(dim=-3)
    grey, span = most == least, most - least
    # Greys divide by 1 instead of 0, so that no NaN arises that a derivative would keep.
    saturation = span / rl.where(grey, 1.0, most)
    span = rl.where(grey, 1.0, span)
    red, green, blue = ((most - x) / span for x in (r, g, b))
    is_red = most == r
    is_green = ~is_red & (most == g)
    hue = rl.where(is_red, blue - green, 4.0 + green - red)
    hue = rl.where(is_green, 2.0 + red - blue, hue)
    return (hue / 6.0 + 1.0).fmod(1.0), saturation, most


def _hsv_to_rgb(h: Tensor, s: Tensor, v: Tensor) -> Tensor:
    import rushlight as rl

    sector = (h * 6.0).floor()
    f = h * 6.0 - sector
    sector = sector.to(dtypes.int32) % 6
    p = (v * (1.0 - s)).clamp(0.0, 1.0)
    q = (v * (1.0 - s * f)).clamp(0.0, 1.0)
    t = (v * (1.0 - s * (1.0 - f))).clamp(0.0, 1.0)

    def pick(*choices: Tensor) -> Tensor:
        out = choices[5]
        for i in range(5):
            out = rl.where(sector == i, choices[i], out)
        return out

    return rl.stack(
        (pick(v, q, p, p, t, v), pick(t, v, v, q, p, p), pick(p, p, t, v, v, q)), dim=-3
    )


# Curves


def invert(img: Image) -> Image:
    """Bright for dark.

    >>> invert(torch.tensor([[[0, 255]]], dtype=torch.uint8))
    tensor([[[255,   0]]], dtype=torch.uint8)
    """
    if not isinstance(img, Tensor):
        return _pil_op("invert", img)
    check_three_dimensions(img)
    check_channels(img)
    return max_value(img.dtype) - img


def posterize(img: Image, bits: int) -> Image:
    """Only the first `bits` bits of each value; for bytes.

    >>> posterize(torch.tensor([[[255]]], dtype=torch.uint8), 2)
    tensor([[[192]]], dtype=torch.uint8)
    """
    if not 0 <= bits <= 8:
        raise ValueError(f"The number if bits should be between 0 and 8. Got {bits}")
    if not isinstance(img, Tensor):
        return _pil_op("posterize", img, bits)
    check_three_dimensions(img)
    _check_bytes(img)
    check_channels(img)
    return img & (256 - int(2 ** (8 - bits)))


def solarize(img: Image, threshold: float) -> Image:
    """Invert what is at least as bright as the threshold.

    >>> solarize(torch.tensor([[[100, 200]]], dtype=torch.uint8), 128)
    tensor([[[100,  55]]], dtype=torch.uint8)
    """
    if not isinstance(img, Tensor):
        return _pil_op("solarize", img, threshold)
    check_three_dimensions(img)
    check_channels(img)
    if threshold > max_value(img.dtype):
        raise TypeError("Threshold should be less than bound of img.")
    import rushlight

    out: Tensor = rushlight.where(img >= threshold, invert(img), img)
    return out


def autocontrast(img: Image) -> Image:
    """Stretch each channel so that its darkest pixel is black and its brightest white.

    >>> autocontrast(torch.tensor([[[0.25, 0.5, 0.75]]]))
    tensor([[[0.0000, 0.5000, 1.0000]]])
    """
    if not isinstance(img, Tensor):
        return _pil_op("autocontrast", img)
    check_three_dimensions(img)
    check_channels(img)
    import rushlight

    bound = max_value(img.dtype)
    kind = img.dtype if img.dtype.is_floating_point else dtypes.float32
    least = img.amin(dim=(-2, -1), keepdim=True).to(kind)
    most = img.amax(dim=(-2, -1), keepdim=True).to(kind)
    flat = most == least
    scale = bound / rushlight.where(flat, float(bound), most - least)
    least = rushlight.where(flat, 0.0, least)
    return ((img - least) * scale).clamp(0, bound).to(img.dtype)


def equalize(img: Image) -> Image:
    """Give all brightnesses of each channel nearly the same number of pixels; for bytes.

    >>> equalize(torch.arange(0, 64, dtype=torch.uint8).reshape(1, 8, 8)).max()
    tensor(63, dtype=torch.uint8)
    """
    if not isinstance(img, Tensor):
        return _pil_op("equalize", img)
    check_image_tensor(img)
    if not 3 <= img.ndim <= 4:
        raise TypeError(f"Input image tensor should have 3 or 4 dimensions, but found {img.ndim}")
    _check_bytes(img)
    check_channels(img)
    array = img.numpy(force=True)
    planes = array.reshape(-1, *array.shape[-2:])
    return Tensor._wrap(np.stack([_equalized(p) for p in planes]).reshape(array.shape))


def _equalized(plane: np.ndarray) -> np.ndarray:
    counts = np.bincount(plane.reshape(-1), minlength=256)
    step = counts[counts != 0][:-1].sum() // 255
    if step == 0:
        return plane
    curve = np.minimum((np.cumsum(counts) + step // 2) // step, 255)
    curve = np.concatenate(([0], curve[:-1])).astype(np.uint8)
    return curve[plane]


def _check_bytes(img: Tensor) -> None:
    if img.dtype is not dtypes.uint8:
        raise TypeError(f"Only torch.uint8 image tensors are supported, but found {img.dtype}")


def _pil_op(name: str, img: Any, *args: Any) -> Any:
    check_pil(img)
    import PIL.ImageOps

    return getattr(PIL.ImageOps, name)(img, *args)
