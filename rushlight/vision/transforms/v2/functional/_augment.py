"""What destroys: a rectangle erased, what JPEG leaves.

Not here: noise and blur (`_filters.py`), the random transforms (`../_augment.py`).
"""

from __future__ import annotations

import io
from typing import Any

from .....tensor import Tensor
from ...._pillow import pillow
from ... import convert
from ...convert import pil_to_tensor
from .._kernels import dispatch, kernels
from ._convert import to_pil_image


def _erase(inpt: Any, i: int, j: int, h: int, w: int, v: Tensor, inplace: bool = False) -> Any:
    if isinstance(inpt, Tensor):
        return convert.erase(inpt, i, j, h, w, v, inplace)
    return to_pil_image(convert.erase(pil_to_tensor(inpt), i, j, h, w, v, inplace), inpt.mode)


@kernels(_erase)
def erase(inpt: Any, i: int, j: int, h: int, w: int, v: Tensor, inplace: bool = False) -> Any:
    """The image with the (h, w) rectangle that begins at (i, j) set to `v`.

    >>> erase(torch.ones(1, 1, 3), 0, 1, 1, 1, torch.tensor(0.0))
    tensor([[[1., 0., 1.]]])
    """
    return dispatch(erase, inpt, i=i, j=j, h=h, w=w, v=v, inplace=inplace)


def _jpeg(inpt: Any, quality: int) -> Any:
    import rushlight

    from ....io import decode_jpeg, encode_jpeg

    if not isinstance(inpt, Tensor):
        held = io.BytesIO()
        inpt.save(held, format="JPEG", quality=quality)
        return pillow().open(held).copy()
    flat = inpt.reshape(-1, *inpt.shape[-3:])
    done = [decode_jpeg(encode_jpeg(image, quality=quality)) for image in flat]
    return rushlight.stack(done).reshape(inpt.shape) if done else inpt.clone()


@kernels(_jpeg)
def jpeg(image: Any, quality: int) -> Any:
    """What is left of an image in a JPEG file of a quality from 1 to 100.

    >>> jpeg(torch.zeros(3, 8, 8, dtype=torch.uint8), 50).shape
    torch.Size([3, 8, 8])
    """
    return dispatch(jpeg, image, quality=quality)
