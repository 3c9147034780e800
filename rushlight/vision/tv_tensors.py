"""Tensors that say what they are: an image, a video, boxes, a mask, points.

`transforms.v2` treats each kind in its own way. An operation gives a plain tensor, as it does not
know whether its result is still boxes; `wrap` says so again, and `set_return_type` makes all
operations keep the kind. Read next: `transforms/v2/_kernels.py`, which chooses by kind.
"""

from __future__ import annotations

from collections.abc import Sequence
from enum import Enum
from typing import Any

from ..errors import message
from ..ops.core.overrides import disabled
from ..tensor import Tensor
from ._pillow import is_pil

__all__ = [
    "BoundingBoxFormat",
    "BoundingBoxes",
    "Image",
    "KeyPoints",
    "Mask",
    "TVTensor",
    "Video",
    "is_rotated_bounding_format",
    "set_return_type",
    "wrap",
]

_keep = False  # whether operations keep the kind: `set_return_type`


class set_return_type:
    """Whether operations on these tensors give plain tensors ("Tensor") or their kind ("TVTensor").

    It holds until it is set again, or for a block.

    >>> from rushlight.vision import tv_tensors
    >>> image = tv_tensors.Image(torch.zeros(3, 2, 2))
    >>> with tv_tensors.set_return_type("TVTensor"):
    ...     type(image + 1).__name__
    'Image'
    >>> type(image + 1).__name__
    'Tensor'
    """

    def __init__(self, return_type: str) -> None:
        global _keep
        known = {"tensor": False, "tvtensor": True}
        if str(return_type).lower() not in known:
            raise ValueError(f"return_type must be 'TVTensor' or 'Tensor', got {return_type}")
        self.to_restore = _keep
        _keep = known[return_type.lower()]

    def __enter__(self) -> set_return_type:
        return self

    def __exit__(self, *args: object) -> None:
        global _keep
        _keep = self.to_restore


class TVTensor(Tensor):
    """What all kinds share: results are plain, but for `clone`, `to`, `detach` and the like."""

    _meta: tuple[str, ...] = ()  # what a kind knows beside its values

    def __new__(
        cls,
        data: Any,
        *,
        dtype: Any = None,
        device: Any = None,
        requires_grad: bool | None = None,
    ) -> Any:
        return cls._as_tensor(data, dtype, device, requires_grad).as_subclass(cls)

    @staticmethod
    def _as_tensor(data: Any, dtype: Any, device: Any, requires_grad: bool | None) -> Tensor:
        import rushlight

        if requires_grad is None:
            requires_grad = isinstance(data, Tensor) and data.requires_grad
        made: Tensor = rushlight.as_tensor(data, dtype=dtype, device=device)
        if isinstance(made, TVTensor):
            made = made.as_subclass(Tensor)
        return made.requires_grad_(requires_grad)

    @classmethod
    def wrap(cls, tensor: Tensor, like: Any, **kwargs: Any) -> Any:
        """A tensor as this kind, with what `like` knows, or `kwargs` say instead."""
        made = tensor.as_subclass(cls)
        for name in cls._meta:
            setattr(made, name, kwargs.get(name, getattr(like, name)))
        return made

    @classmethod
    def __torch_function__(
        cls, func: Any, types: Any, args: Any = (), kwargs: Any = None
    ) -> Any:
        # Kinds do not mix: an image times a mask is an error, as it says nothing of the result.
        if not all(issubclass(cls, kind) for kind in types):
            return NotImplemented
        with disabled():
            out = func(*args, **(kwargs or {}))
        forced = func in _KEEPING and isinstance(args[0], cls)
        if _keep or forced:
            return _rewrapped(out, _first((args, kwargs or {}), cls))
        return out.as_subclass(Tensor) if isinstance(out, cls) else out

    def detach(self) -> Any:
        """The values alone, without gradients; the kind is kept."""
        return type(self).wrap(self.as_subclass(Tensor).detach(), like=self)

    def requires_grad_(self, requires_grad: bool = True) -> Any:
        """Whether gradients are wanted; the tensor itself."""
        super().requires_grad_(requires_grad)
        return self

    def __deepcopy__(self, memo: dict[int, Any]) -> Any:
        return self.detach().clone().requires_grad_(self.requires_grad)

    def __reduce_ex__(self, protocol: Any) -> Any:
        known = {name: getattr(self, name) for name in self._meta}
        return _restored, (type(self), self.as_subclass(Tensor), known)

    def __repr__(self, *, tensor_contents: Any = None) -> str:  # type: ignore[override]
        text = super().__repr__()
        if not self._meta:
            return text
        known = ", ".join(f"{name}={getattr(self, name)}" for name in self._meta)
        return f"{text[:-1]}, {known})"


_KEEPING = {
    getattr(Tensor, name) for name in ("clone", "to", "detach", "requires_grad_", "pin_memory")
}


def _restored(kind: Any, tensor: Tensor, known: dict[str, Any]) -> Any:
    made = tensor.as_subclass(kind)
    for name, value in known.items():
        setattr(made, name, value)
    return made


def _first(values: Any, kind: Any) -> Any:
    """The first tensor of a kind among arguments."""
    from ..utils._pytree import tree_iter

    return next(x for x in tree_iter(values) if isinstance(x, kind))


def _rewrapped(out: Any, like: Any) -> Any:
    if isinstance(out, Tensor):
        return out if isinstance(out, type(like)) else type(like).wrap(out, like=like)
    if isinstance(out, tuple | list):
        parts = [_rewrapped(part, like) for part in out]
        return type(out)(*parts) if hasattr(out, "_fields") else type(out)(parts)
    return out


def wrap(wrappee: Tensor, *, like: Any, **kwargs: Any) -> Any:
    """A tensor as the kind that `like` is, with what that knows.

    Args:
        wrappee: the tensor.
        like: a tensor of a kind, for example `BoundingBoxes`.
        kwargs: what to know instead: `format`, `canvas_size`, `clamping_mode`.

    >>> from rushlight.vision import tv_tensors
    >>> boxes = tv_tensors.BoundingBoxes([[0, 0, 2, 2]], format="XYXY", canvas_size=(4, 4))
    >>> tv_tensors.wrap(boxes * 2, like=boxes, canvas_size=(8, 8))
    BoundingBoxes([[0, 0, 4, 4]], format=BoundingBoxFormat.XYXY, canvas_size=(8, 8), clamping_mode=soft)
    """  # noqa: E501
    if hasattr(type(like), "wrap"):
        return type(like).wrap(wrappee, like, **kwargs)
    return wrappee.as_subclass(type(like))


def _with_channel(data: Any) -> Any:
    """Pillow images as (C, H, W) tensors."""
    if not is_pil(data):
        return data
    from .transforms.convert import pil_to_tensor

    return pil_to_tensor(data)


class Image(TVTensor):
    """An image: a tensor of shape (..., C, H, W).

    Args:
        data: a tensor, array, nested list or Pillow image; (H, W) gets a channel.
        dtype, device, requires_grad: as of `torch.as_tensor`.

    >>> from rushlight.vision import tv_tensors
    >>> tv_tensors.Image(torch.zeros(2, 3)).shape
    torch.Size([1, 2, 3])
    """

    def __new__(
        cls,
        data: Any,
        *,
        dtype: Any = None,
        device: Any = None,
        requires_grad: bool | None = None,
    ) -> Any:
        tensor = cls._as_tensor(_with_channel(data), dtype, device, requires_grad)
        if tensor.ndim < 2:
            raise ValueError(f"Tensor must be 2D or higher, got {tensor.ndim}D tensor.")
        return (tensor.unsqueeze(0) if tensor.ndim == 2 else tensor).as_subclass(cls)


class Video(TVTensor):
    """A video: a tensor of shape (..., T, C, H, W).

    Args:
        data: a tensor, array or nested list.
        dtype, device, requires_grad: as of `torch.as_tensor`.

    >>> from rushlight.vision import tv_tensors
    >>> tv_tensors.Video(torch.zeros(4, 3, 2, 2)).shape
    torch.Size([4, 3, 2, 2])
    """

    def __new__(
        cls,
        data: Any,
        *,
        dtype: Any = None,
        device: Any = None,
        requires_grad: bool | None = None,
    ) -> Any:
        tensor = cls._as_tensor(data, dtype, device, requires_grad)
        if tensor.ndim < 4:
            raise ValueError(
                message("Video: too few dimensions", tuple(tensor.shape), "(..., T, C, H, W)")
            )
        return tensor.as_subclass(cls)


class Mask(TVTensor):
    """A mask for segmentation: a tensor of shape (..., H, W), one number a pixel.

    Args:
        data: a tensor, array, nested list or Pillow image.
        dtype, device, requires_grad: as of `torch.as_tensor`.

    >>> from rushlight.vision import tv_tensors
    >>> tv_tensors.Mask([[0, 1], [2, 0]]).shape
    torch.Size([2, 2])
    """

    def __new__(
        cls,
        data: Any,
        *,
        dtype: Any = None,
        device: Any = None,
        requires_grad: bool | None = None,
    ) -> Any:
        data = _with_channel(data)
        return cls._as_tensor(data, dtype, device, requires_grad).as_subclass(cls)


class BoundingBoxFormat(Enum):
    """What the numbers of a box are: corners, a corner and the size, or the middle and the size.

    With R, an angle in degrees (counterclockwise) follows; XYXYXYXY are four corners.

    >>> from rushlight.vision import tv_tensors
    >>> tv_tensors.BoundingBoxFormat("XYWH").name
    'XYWH'
    """

    XYXY = "XYXY"
    XYWH = "XYWH"
    CXCYWH = "CXCYWH"
    XYWHR = "XYWHR"
    CXCYWHR = "CXCYWHR"
    XYXYXYXY = "XYXYXYXY"


def is_rotated_bounding_format(format: BoundingBoxFormat | str) -> bool:
    """Whether boxes of a format may be turned.

    >>> from rushlight.vision import tv_tensors
    >>> tv_tensors.is_rotated_bounding_format("XYXY"), tv_tensors.is_rotated_bounding_format("XYWHR")
    (False, True)
    """  # noqa: E501
    if not isinstance(format, BoundingBoxFormat | str):
        raise ValueError(f"format should be str or BoundingBoxFormat, got {type(format)}")
    name = format if isinstance(format, str) else format.value
    return name in ("XYWHR", "CXCYWHR", "XYXYXYXY")


class BoundingBoxes(TVTensor):
    """Boxes: a tensor of shape (N, 4), or of turned ones (N, 5) or (N, 8).

    Args:
        data: a tensor, array or nested list; a single box gets a first dimension.
        format: a `BoundingBoxFormat` or its name.
        canvas_size: (height, width) of the image.
        clamping_mode: what transforms do with boxes that stick out: "soft", "hard" (for turned
            boxes: cut off more, so that all of the box lies inside) or None (nothing).
        dtype, device, requires_grad: as of `torch.as_tensor`.

    >>> from rushlight.vision import tv_tensors
    >>> boxes = tv_tensors.BoundingBoxes([1, 2, 3, 4], format="XYXY", canvas_size=(10, 20))
    >>> boxes.shape, boxes.format.name, boxes.canvas_size
    (torch.Size([1, 4]), 'XYXY', (10, 20))
    """

    _meta = ("format", "canvas_size", "clamping_mode")
    format: BoundingBoxFormat
    canvas_size: tuple[int, int]
    clamping_mode: str | None

    def __new__(  # type: ignore[override]
        cls,
        data: Any,
        *,
        format: BoundingBoxFormat | str,
        canvas_size: Sequence[int],
        clamping_mode: str | None = "soft",
        dtype: Any = None,
        device: Any = None,
        requires_grad: bool | None = None,
    ) -> Any:
        tensor = cls._as_tensor(data, dtype, device, requires_grad)
        if not tensor.is_floating_point() and is_rotated_bounding_format(format):
            raise ValueError(
                "Rotated bounding boxes should be floating point tensors, got "
                f"{tensor.dtype}."
            )
        return cls._known(tensor, format, canvas_size, clamping_mode)

    @classmethod
    def _known(cls, tensor: Tensor, format: Any, canvas_size: Any, clamping_mode: Any) -> Any:
        if tensor.ndim == 1:
            tensor = tensor.unsqueeze(0)
        elif tensor.ndim != 2:
            raise ValueError(f"Expected a 1D or 2D tensor, got {tensor.ndim}D")
        if clamping_mode is not None and clamping_mode not in ("hard", "soft"):
            raise ValueError(f"clamping_mode must be None, hard or soft, got {clamping_mode}.")
        boxes = tensor.as_subclass(cls)
        boxes.format = BoundingBoxFormat[format.upper()] if isinstance(format, str) else format
        boxes.canvas_size = canvas_size
        boxes.clamping_mode = clamping_mode
        return boxes

    @classmethod
    def wrap(cls, tensor: Tensor, like: Any, **kwargs: Any) -> Any:
        """A tensor as boxes, with what `like` knows, or `kwargs` say instead."""
        format = kwargs.get("format", like.format)
        made = super().wrap(tensor, like, **kwargs)
        made.format = BoundingBoxFormat[format.upper()] if isinstance(format, str) else format
        return made


class KeyPoints(TVTensor):
    """Points: a tensor of shape (..., 2), x and y.

    Args:
        data: a tensor, array or nested list; a single point gets a first dimension.
        canvas_size: (height, width) of the image.
        dtype, device, requires_grad: as of `torch.as_tensor`.

    >>> from rushlight.vision import tv_tensors
    >>> tv_tensors.KeyPoints([[1, 2], [3, 4]], canvas_size=(10, 20)).canvas_size
    (10, 20)
    """

    _meta = ("canvas_size",)
    canvas_size: tuple[int, int]

    def __new__(  # type: ignore[override]
        cls,
        data: Any,
        *,
        canvas_size: Sequence[int],
        dtype: Any = None,
        device: Any = None,
        requires_grad: bool | None = None,
    ) -> Any:
        tensor = cls._as_tensor(data, dtype, device, requires_grad)
        if tensor.ndim == 1:
            tensor = tensor.unsqueeze(0)
        elif tensor.shape[-1] != 2:
            raise ValueError(f"Expected a tensor of shape (..., 2), not {tensor.shape}")
        points = tensor.as_subclass(cls)
        points.canvas_size = canvas_size
        return points
