"""Other kinds, types and ranges of values: images out of arrays and Pillow's, to_dtype, normalize.

Not here: colours (`_color.py`), where boxes have their formats (`../_boxes.py`).
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from ..... import dtypes
from .....tensor import Tensor
from ...._pillow import is_pil
from ....tv_tensors import Image
from ... import convert
from ...convert import convert_image_dtype, pil_to_tensor
from .._boxes import plain
from .._kernels import dispatch, kernels


def to_image(inpt: Any) -> Any:
    """A tensor, a Pillow image or an (H, W[, C]) array as an `Image`.

    >>> to_image(np.zeros((4, 5, 3), np.uint8)).shape
    torch.Size([3, 4, 5])
    """
    if isinstance(inpt, np.ndarray):
        import rushlight

        whole = rushlight.from_numpy(np.atleast_3d(inpt)).permute((2, 0, 1)).contiguous()
        return Image(whole)
    if is_pil(inpt):
        return Image(pil_to_tensor(inpt))
    if not isinstance(inpt, Tensor):
        raise TypeError(
            "Input can either be a pure Tensor, a numpy array, or a PIL image, "
            f"but got {type(inpt)} instead."
        )
    return inpt if isinstance(inpt, Image) else Image(inpt)


def to_pil_image(inpt: Any, mode: str | None = None) -> Any:
    """An image as Pillow's.

    >>> to_pil_image(torch.zeros(3, 2, 4)).size
    (4, 2)
    """
    return convert.to_pil_image(plain(inpt) if isinstance(inpt, Tensor) else inpt, mode)


def _typed(inpt: Tensor, dtype: dtypes.dtype = dtypes.float32, scale: bool = False) -> Tensor:
    out: Tensor = convert_image_dtype(inpt, dtype) if scale else inpt.to(dtype)
    return out


def _typed_only(inpt: Any, dtype: dtypes.dtype = dtypes.float32, scale: bool = False) -> Any:
    canvas = getattr(inpt, "canvas_size", None)
    return plain(inpt).to(dtype), canvas


@kernels(
    _typed,
    pil=False,
    mask=lambda inpt, dtype, scale=False: inpt.to(dtype),
    boxes=_typed_only,
    points=_typed_only,
)
def to_dtype(inpt: Any, dtype: dtypes.dtype = dtypes.float32, scale: bool = False) -> Any:
    """Another type of values; with `scale` images get its range as well.

    >>> to_dtype(torch.tensor([[[255]]], dtype=torch.uint8), scale=True)
    tensor([[[1.]]])
    """
    return dispatch(to_dtype, inpt, dtype=dtype, scale=scale)


@kernels(convert.normalize, pil=False)
def normalize(inpt: Any, mean: Sequence[float], std: Sequence[float], inplace: bool = False) -> Any:
    """(inpt - mean) / std, one mean and std a channel.

    >>> normalize(torch.ones(1, 1, 2), [0.5], [0.25])
    tensor([[[2., 2.]]])
    """
    return dispatch(normalize, inpt, mean=mean, std=std, inplace=inplace)
