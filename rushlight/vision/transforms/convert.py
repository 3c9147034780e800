"""Images to tensors and back, between types of values, and `normalize`.

Not here: what moves or recolours pixels (`layout.py`, `geometry.py`, `color.py`).
"""

from __future__ import annotations

import sys
from collections.abc import Sequence
from functools import lru_cache
from typing import Any

import numpy as np

from ... import dtypes
from ...errors import message
from ...tensor import Tensor
from .._pillow import is_pil, pillow
from .image import check_image_tensor, max_value

_SHORT = "I;16" if sys.byteorder == "little" else "I;16B"
_WIDE_MODES = {"I": np.int32, _SHORT: np.int16, "F": np.float32}
# Pillow's modes of images with several channels, the one it chooses by itself first.
_MODES = {2: ["LA"], 3: ["RGB", "YCbCr", "HSV"], 4: ["RGBA", "CMYK", "RGBX"]}
_GREY_MODES = {"uint8": "L", "int16": _SHORT, "uint16": _SHORT, "int32": "I", "float32": "F"}


def to_tensor(pic: Any) -> Tensor:
    """A Pillow image or an (H, W[, C]) array as a (C, H, W) tensor; bytes become floats in [0, 1].

    Raises:
        TypeError: `pic` is neither.
        ValueError: an array of other than two or three dimensions.

    >>> to_tensor(np.full((1, 2), 255, np.uint8))
    tensor([[[1., 1.]]])
    """
    if is_pil(pic):
        mode = pic.mode
        if mode in ("L", "RGB"):  # as `asarray` below, without asking for the array interface
            shape = pic.size[::-1] if mode == "L" else (*pic.size[::-1], 3)
            array = np.frombuffer(pic.tobytes(), np.uint8).reshape(shape)
        else:
            array = np.asarray(pic, _WIDE_MODES.get(mode, np.uint8))
            if mode == "1":
                array = array * np.uint8(255)
    elif isinstance(pic, np.ndarray):
        array = pic
        if pic.ndim not in (2, 3):
            raise ValueError(f"pic should be 2/3 dimensional. Got {pic.ndim} dimensions.")
    else:
        raise TypeError(f"pic should be PIL Image or ndarray. Got {type(pic)}")
    array = array[None] if array.ndim == 2 else array.transpose(2, 0, 1)
    if array.dtype == np.uint8:
        wide = dtypes.get_default_dtype().np
        scaled = array.astype(wide, order="C")
        scaled /= wide.type(255)
        return Tensor._wrap(scaled)
    # An array is shared where its order allows, as `from_numpy` would; Pillow's memory never is.
    return _from_numpy(np.array(array, order="C") if is_pil(pic) else np.ascontiguousarray(array))


def pil_to_tensor(pic: Any) -> Tensor:
    """A Pillow image as a (C, H, W) tensor of its own type: no scaling.

    >>> import PIL.Image
    >>> pil_to_tensor(PIL.Image.new("RGB", (1, 1), (1, 2, 3)))
    tensor([[[1]],
    <BLANKLINE>
            [[2]],
    <BLANKLINE>
            [[3]]], dtype=torch.uint8)
    """
    if not is_pil(pic):
        raise TypeError(f"pic should be PIL Image. Got {type(pic)}")
    array = np.array(pic)
    return _from_numpy(array[None] if array.ndim == 2 else array.transpose(2, 0, 1))


def _from_numpy(array: np.ndarray) -> Tensor:
    import rushlight

    made: Tensor = rushlight.from_numpy(array)
    return made


def to_pil_image(pic: Any, mode: str | None = None) -> Any:
    """A (C, H, W) or (H, W) tensor, or an (H, W[, C]) array, as a Pillow image.

    Floats in [0, 1] become bytes. `mode` is Pillow's; None chooses it from type and channels.

    >>> to_pil_image(torch.zeros(3, 2, 4)).size
    (4, 2)
    """
    if isinstance(pic, Tensor):
        array = pic.numpy(force=True)
        array = array.transpose(1, 2, 0) if array.ndim == 3 else array
    elif isinstance(pic, np.ndarray):
        array = pic
    else:
        raise TypeError(f"pic should be Tensor or ndarray. Got {type(pic)}.")
    if array.ndim == 2:
        array = array[:, :, None]
    if array.ndim != 3:
        raise ValueError(f"pic should be 2/3 dimensional. Got {array.ndim} dimensions.")
    channels = array.shape[2]
    if channels > 4:
        raise ValueError(f"pic should not have > 4 channels. Got {channels} channels.")
    if array.dtype.kind == "f" and mode != "F":
        array = (array * 255).astype(np.uint8)
    if channels == 1:
        array = array[:, :, 0]
        if array.dtype == np.int16:
            array = array.view(np.uint16)  # Pillow has no signed short images
        own = _GREY_MODES.get(array.dtype.name)
        if mode is not None and mode != own:
            raise ValueError(
                f"Incorrect mode ({mode}) supplied for input type {array.dtype}. Should be {own}"
            )
    else:
        own = _MODES[channels][0] if array.dtype == np.uint8 else None
        if mode is not None and mode not in _MODES[channels]:
            raise ValueError(f"Only modes {_MODES[channels]} are supported for {channels}D inputs")
    chosen = mode or own
    if chosen is None or own is None:
        raise TypeError(f"Input type {array.dtype} is not supported")
    if chosen == own:
        return pillow().fromarray(np.ascontiguousarray(array))
    return pillow().frombytes(chosen, (array.shape[1], array.shape[0]), array.tobytes())


def convert_image_dtype(image: Tensor, dtype: dtypes.dtype = dtypes.float32) -> Tensor:
    """The image in another type, with its values scaled to the range of that type.

    Raises:
        RuntimeError: float32 to int32 or int64, or float64 to int64: they would overflow.

    >>> convert_image_dtype(torch.tensor([[0, 255]], dtype=torch.uint8))
    tensor([[0., 1.]])
    """
    if not isinstance(image, Tensor):
        raise TypeError("Input img should be Tensor Image")
    own = image.dtype
    if own is dtype:
        return image
    if own.is_floating_point and dtype.is_floating_point:
        return image.to(dtype)
    if own.is_floating_point:
        if (own.name, dtype.name) in _UNSAFE:
            raise RuntimeError(
                message(f"The cast from {own} to {dtype} cannot be performed safely.")
            )
        # Nearly max + 1 rather than max: otherwise 1.0 alone would become the largest integer.
        return (image * (float(max_value(dtype)) + 1.0 - 1e-3)).to(dtype)
    if dtype.is_floating_point:
        return image.to(dtype) / float(max_value(own))
    most_in, most_out = max_value(own), max_value(dtype)
    if most_in > most_out:
        factor = int((float(most_in) + 1) // (float(most_out) + 1))
        return image.div(factor, rounding_mode="floor").to(dtype)
    return image.to(dtype) * int((float(most_out) + 1) // (float(most_in) + 1))


_UNSAFE = {("float32", "int32"), ("float32", "int64"), ("float64", "int64")}


def normalize(
    tensor: Tensor, mean: Sequence[float], std: Sequence[float], inplace: bool = False
) -> Tensor:
    """(tensor - mean) / std, one mean and std a channel of a (..., C, H, W) tensor.

    >>> normalize(torch.ones(1, 1, 2), [0.5], [0.25])
    tensor([[[2., 2.]]])
    """
    if not isinstance(tensor, Tensor):
        raise TypeError(f"img should be Tensor Image. Got {type(tensor)}")
    check_image_tensor(tensor)
    if not tensor.dtype.is_floating_point:
        raise TypeError(f"Input tensor should be a float tensor. Got {tensor.dtype}.")
    if tensor.ndim < 3:
        raise ValueError(
            "Expected tensor to be a tensor image of size (..., C, H, W). "
            f"Got tensor.size() = {tensor.size()}"
        )
    middle, _ = _statistic(mean, tensor.dtype)
    spread, has_zero = _statistic(std, tensor.dtype)
    if has_zero:
        raise ValueError(
            f"std evaluated to zero after conversion to {tensor.dtype}, "
            "leading to division by zero."
        )
    return tensor.sub_(middle).div_(spread) if inplace else (tensor - middle) / spread


def _statistic(values: Any, kind: dtypes.dtype) -> tuple[Tensor, bool]:
    """Means or deviations as a tensor that broadcasts over (C, H, W); whether one is zero."""
    try:
        return _known_statistic(values if values.__class__ is tuple else tuple(values), kind)
    except TypeError:  # one number, or tensors within: nothing that a cache could recognise
        return _new_statistic(values, kind)


def _new_statistic(values: Any, kind: dtypes.dtype) -> tuple[Tensor, bool]:
    import rushlight

    made: Tensor = rushlight.as_tensor(values, dtype=kind)
    return made.view(-1, 1, 1) if made.ndim == 1 else made, not bool(made._a.all())


@lru_cache(maxsize=64)
def _known_statistic(values: tuple[float, ...], kind: dtypes.dtype) -> tuple[Tensor, bool]:
    if not all(isinstance(v, int | float) for v in values):
        raise TypeError
    return _new_statistic(values, kind)


def erase(img: Tensor, i: int, j: int, h: int, w: int, v: Tensor, inplace: bool = False) -> Tensor:
    """The tensor with the (h, w) rectangle that begins at (i, j) set to `v`.

    >>> erase(torch.ones(1, 1, 3), 0, 1, 1, 1, torch.tensor(0.0))
    tensor([[[1., 0., 1.]]])
    """
    if not isinstance(img, Tensor):
        raise TypeError(f"img should be Tensor Image. Got {type(img)}")
    check_image_tensor(img)
    if not inplace:
        img = img.clone()
    img[..., i : i + h, j : j + w] = v
    return img
