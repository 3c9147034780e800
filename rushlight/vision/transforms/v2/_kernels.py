"""Which function treats which kind of thing: the tables behind `functional/`.

A functional has a kernel for plain tensors, `Image`, `Video` and Pillow images, and may have one
for masks, boxes and points. `dispatch` takes the one of the nearest class.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from ....errors import message
from ....tensor import Tensor
from ... import tv_tensors
from ..._pillow import is_pil
from ...tv_tensors import BoundingBoxes, Image, KeyPoints, Mask, TVTensor, Video, wrap
from ._boxes import plain

Kernel = Callable[..., Any]
PIL = "PIL.Image.Image"
_KERNELS: dict[Any, dict[Any, Kernel]] = {}
BUILT_IN = {getattr(tv_tensors, name) for name in ("Image", "Video", "Mask", "KeyPoints")} | {
    BoundingBoxes
}


def kernels(
    images: Kernel | None = None,
    *,
    video: Kernel | None = None,
    mask: Kernel | None = None,
    boxes: Kernel | None = None,
    points: Kernel | None = None,
    tensors: bool = True,
    pil: bool = True,
) -> Callable[[Any], Any]:
    """A decorator that gives a functional its kernels.

    Args:
        images: for plain tensors, `Image`, `Video` (or `video` for that) and Pillow images.
        mask: for `Mask`, as plain tensors of at least three dimensions.
        boxes, points: for `BoundingBoxes` and `KeyPoints`; they give a tensor and the canvas.
        tensors, pil: whether `images` is for plain tensors and `Image`, for Pillow images.
    """

    def register(functional: Any) -> Any:
        table: dict[Any, Kernel] = {}
        if images is not None and tensors:
            table[Tensor] = images
            table[Image] = _wrapped(images)
        if images is not None and pil:
            table[PIL] = images
        moving = video or images
        if moving is not None:
            table.setdefault(Tensor, moving)
            table[Video] = _wrapped(moving)
        if mask is not None:
            table[Mask] = _masked(mask)
        if boxes is not None:
            table[BoundingBoxes] = _moved(boxes)
        if points is not None:
            table[KeyPoints] = _moved(points)
        _KERNELS[functional] = table
        return functional

    return register


def _wrapped(kernel: Kernel) -> Kernel:
    def call(inpt: Any, *args: Any, **kwargs: Any) -> Any:
        out = kernel(plain(inpt), *args, **kwargs)
        if isinstance(out, tuple | list):
            return type(out)(wrap(part, like=inpt) for part in out)
        return wrap(out, like=inpt)

    return call


def _masked(kernel: Kernel) -> Kernel:
    def call(inpt: Any, *args: Any, **kwargs: Any) -> Any:
        mask = plain(inpt)
        out = kernel(mask.unsqueeze(0) if mask.ndim < 3 else mask, *args, **kwargs)
        return wrap(out.squeeze(0) if mask.ndim < 3 else out, like=inpt)

    return call


def _moved(kernel: Kernel) -> Kernel:
    def call(inpt: Any, *args: Any, **kwargs: Any) -> Any:
        out, canvas = kernel(inpt, *args, **kwargs)
        return wrap(out, like=inpt, canvas_size=canvas)

    return call


def kernel_of(functional: Any, inpt: Any, passing: bool = False) -> Kernel:
    """The kernel of a functional for a thing; with `passing` one that changes nothing for others.

    Raises:
        TypeError: there is none.
    """
    table = _KERNELS.get(functional)
    if table is None:
        raise ValueError(f"No kernel registered for functional {functional.__name__}.")
    for cls in type(inpt).__mro__:
        if cls in table:
            return table[cls]
        if cls is TVTensor:
            break
    if PIL in table and is_pil(inpt):
        return table[PIL]
    if passing:
        return lambda inpt, *args, **kwargs: inpt
    known = ", ".join(cls if isinstance(cls, str) else cls.__name__ for cls in table)
    raise TypeError(
        message(
            f"Functional F.{functional.__name__} supports inputs of type {known}, "
            f"but got {type(inpt)} instead.",
        )
    )


def dispatch(functional: Any, inpt: Any, *args: Any, **kwargs: Any) -> Any:
    """What the kernel of a functional for this thing makes of it."""
    return kernel_of(functional, inpt)(inpt, *args, **kwargs)


def register_kernel(functional: Any, tv_tensor_cls: Any) -> Callable[[Kernel], Kernel]:
    """A decorator: the kernel of a functional for a class of your own, derived from `TVTensor`.

    Args:
        functional: one of `torchvision.transforms.v2.functional`, or its name.
        tv_tensor_cls: the class.

    >>> from rushlight.vision import tv_tensors
    >>> from rushlight.vision.transforms.v2 import functional as F
    >>> class Label(tv_tensors.TVTensor):
    ...     pass
    >>> @register_kernel(F.horizontal_flip, Label)
    ... def mirrored(inpt):
    ...     return -inpt
    >>> F.horizontal_flip(Label([1, 2]))
    tensor([-1, -2])
    """
    from . import functional as F

    if isinstance(functional, str):
        if not hasattr(F, functional):
            raise ValueError(
                f"Could not find functional with name '{functional}' in "
                "torchvision.transforms.v2.functional."
            )
        functional = getattr(F, functional)
    if functional not in _KERNELS:
        raise ValueError(
            "Kernels can only be registered on functionals from the "
            f"torchvision.transforms.v2.functional namespace, but got {functional}."
        )
    if not (isinstance(tv_tensor_cls, type) and issubclass(tv_tensor_cls, TVTensor)):
        raise ValueError(
            "Kernels can only be registered for subclasses of torchvision.tv_tensors.TVTensor, "
            f"but got {tv_tensor_cls}."
        )
    if tv_tensor_cls in BUILT_IN:
        raise ValueError(
            "Kernels cannot be registered for the builtin tv_tensor classes, "
            f"but got {tv_tensor_cls}"
        )
    if tv_tensor_cls in _KERNELS[functional]:
        raise ValueError(
            f"Functional {functional} already has a kernel registered for type {tv_tensor_cls}."
        )

    def register(kernel: Kernel) -> Kernel:
        _KERNELS[functional][tv_tensor_cls] = kernel
        return kernel

    return register
