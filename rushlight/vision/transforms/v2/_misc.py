"""Conversions, statistics, boxes in order, videos: what neither moves nor recolours."""

from __future__ import annotations

import warnings
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from .... import dtypes
from ....tensor import Tensor
from ....utils._pytree import tree_flatten, tree_unflatten
from ..._pillow import is_pil
from ...tv_tensors import (
    BoundingBoxes,
    BoundingBoxFormat,
    Image,
    KeyPoints,
    Mask,
    TVTensor,
    Video,
    wrap,
)
from .. import fixed
from . import functional as F
from ._boxes import is_pure_tensor, plain, sanitize_mask
from ._transform import Transform, first_of, has_any, labels_getter_of


class ToImage(Transform):
    """Tensors, Pillow images and (H, W[, C]) arrays as `Image` tensors of their own type.

    >>> ToImage()(np.zeros((4, 5, 3), np.uint8)).shape
    torch.Size([3, 4, 5])
    """

    _transformed_types = (is_pure_tensor, is_pil, np.ndarray)

    def transform(self, inpt: Any, params: dict[str, Any]) -> Any:
        return F.to_image(inpt)


class PILToTensor(Transform):
    """Pillow images as (C, H, W) tensors of their own type.

    >>> import PIL.Image
    >>> PILToTensor()(PIL.Image.new("L", (2, 1))).shape
    torch.Size([1, 1, 2])
    """

    _transformed_types = (is_pil,)

    def transform(self, inpt: Any, params: dict[str, Any]) -> Any:
        return F.pil_to_tensor(inpt)


class ToTensor(Transform):
    """`ToImage` and `ToDtype(torch.float32, scale=True)` in one, to plain tensors: the old name.

    >>> ToTensor()(np.full((1, 1), 255, np.uint8))
    tensor([[[1.]]])
    """

    _transformed_types = (is_pil, np.ndarray)

    def transform(self, inpt: Any, params: dict[str, Any]) -> Any:
        return F.to_tensor(inpt)


class ToPILImage(Transform):
    """Tensors and arrays as Pillow images.

    >>> ToPILImage()(torch.zeros(3, 2, 4)).size
    (4, 2)
    """

    _transformed_types = (is_pure_tensor, Image, np.ndarray)

    def __init__(self, mode: str | None = None) -> None:
        super().__init__()
        self.mode = mode

    def transform(self, inpt: Any, params: dict[str, Any]) -> Any:
        return F.to_pil_image(inpt, self.mode)


class ToPureTensor(Transform):
    """Tensors without their kind.

    >>> from rushlight.vision import tv_tensors
    >>> ToPureTensor()(tv_tensors.Mask([[1]]))
    tensor([[1]])
    """

    _transformed_types = (TVTensor,)

    def transform(self, inpt: Any, params: dict[str, Any]) -> Any:
        return plain(inpt)


class ToDtype(Transform):
    """Another type of values; with `scale` images and videos get its range as well.

    Args:
        dtype: of images and videos; or a dictionary by class, with "others" for the rest, whose
            values may be None for no change.
        scale: to the range of the type, for images and videos.

    >>> ToDtype(torch.float32, scale=True)(torch.tensor([[[255]]], dtype=torch.uint8))
    tensor([[[1.]]])
    """

    _transformed_types = (Tensor,)

    def __init__(self, dtype: Any, scale: bool = False) -> None:
        super().__init__()
        if not isinstance(dtype, dict | dtypes.dtype):
            raise ValueError(f"dtype must be a dict or a torch.dtype, got {type(dtype)} instead")
        if isinstance(dtype, dict) and Tensor in dtype and {Image, Video} & dtype.keys():
            warnings.warn(
                "Got `dtype` values for `torch.Tensor` and either `tv_tensors.Image` or "
                "`tv_tensors.Video`. Note that a plain `torch.Tensor` will *not* be transformed by "
                "this (or any other transformation) in case a `tv_tensors.Image` or "
                "`tv_tensors.Video` is present in the input.",
                stacklevel=2,
            )
        self.dtype = dtype
        self.scale = scale

    def transform(self, inpt: Any, params: dict[str, Any]) -> Any:
        image = is_pure_tensor(inpt) or isinstance(inpt, Image | Video)
        if not isinstance(self.dtype, dict):
            wanted = self.dtype if image else None
        elif type(inpt) in self.dtype:
            wanted = self.dtype[type(inpt)]
        elif "others" in self.dtype:
            wanted = self.dtype["others"]
        else:
            raise ValueError(
                f"No dtype was specified for type {type(inpt)}. "
                "If you only need to convert the dtype of images or videos, you can just pass "
                "e.g. dtype=torch.float32. If you're passing a dict as dtype, you can use "
                '"others" as a catch-all key e.g. dtype={tv_tensors.Mask: torch.int64, '
                '"others": None} to pass-through the rest of the inputs.'
            )
        if wanted is None:
            if image and self.scale:
                warnings.warn(
                    "scale was set to True but no dtype was specified for images or videos: "
                    "no scaling will be done.",
                    stacklevel=2,
                )
            return inpt
        return self._call_kernel(F.to_dtype, inpt, dtype=wanted, scale=self.scale)


class ConvertImageDtype(Transform):
    """Another type of values of images and videos, and its range.

    >>> ConvertImageDtype(torch.uint8)(torch.ones(1, 1, 1))
    tensor([[[255]]], dtype=torch.uint8)
    """

    def __init__(self, dtype: dtypes.dtype = dtypes.float32) -> None:
        super().__init__()
        self.dtype = dtype

    def transform(self, inpt: Any, params: dict[str, Any]) -> Any:
        return self._call_kernel(F.to_dtype, inpt, dtype=self.dtype, scale=True)


class Normalize(Transform):
    """(image - mean) / std, one mean and std a channel.

    >>> Normalize((0.5,), (0.5,))(torch.tensor([[[0.0, 1.0]]]))
    tensor([[[-1.,  1.]]])
    """

    def __init__(self, mean: Sequence[float], std: Sequence[float], inplace: bool = False) -> None:
        super().__init__()
        self.mean = list(mean)
        self.std = list(std)
        self.inplace = inplace

    def check_inputs(self, flat_inputs: list[Any]) -> None:
        _no_pil(self, flat_inputs)

    def transform(self, inpt: Any, params: dict[str, Any]) -> Any:
        how = {"mean": self.mean, "std": self.std, "inplace": self.inplace}
        return self._call_kernel(F.normalize, inpt, **how)


def _no_pil(self: Transform, flat_inputs: list[Any]) -> None:
    if has_any(flat_inputs, is_pil):
        raise TypeError(f"{type(self).__name__}() does not support PIL images.")


class LinearTransformation(Transform):
    """(x - mean_vector) @ transformation_matrix of the flattened image, for whitening.

    >>> LinearTransformation(torch.eye(2) * 2, torch.ones(2))(torch.tensor([[[1.0, 2.0]]]))
    tensor([[[0., 2.]]])
    """

    _transformed_types = (is_pure_tensor, Image, Video)

    def __init__(self, transformation_matrix: Tensor, mean_vector: Tensor) -> None:
        super().__init__()
        self._applied = fixed.LinearTransformation(transformation_matrix, mean_vector).forward
        self.transformation_matrix = transformation_matrix
        self.mean_vector = mean_vector

    def check_inputs(self, flat_inputs: list[Any]) -> None:
        _no_pil(self, flat_inputs)

    def transform(self, inpt: Any, params: dict[str, Any]) -> Any:
        out = self._applied(plain(inpt).contiguous())
        return out if is_pure_tensor(inpt) else wrap(out, like=inpt)


class Identity(Transform):
    """The sample as it is.

    >>> Identity()(3)
    3
    """

    def transform(self, inpt: Any, params: dict[str, Any]) -> Any:
        return inpt


class Lambda(Transform):
    """Any function of each leaf of a sample, or of those of the given `types`.

    >>> Lambda(lambda x: x * 2, int)(3, "label")
    (6, 'label')
    """

    _transformed_types = (object,)

    def __init__(self, lambd: Callable[[Any], Any], *types: type) -> None:
        super().__init__()
        self.lambd = lambd
        self.types = types or self._transformed_types

    def _needs_transform_list(self, flat_inputs: list[Any]) -> list[bool]:
        return [isinstance(inpt, self.types) for inpt in flat_inputs]

    def transform(self, inpt: Any, params: dict[str, Any]) -> Any:
        return self.lambd(inpt)

    def extra_repr(self) -> str:
        name = getattr(self.lambd, "__name__", None)
        kinds = f"types={[kind.__name__ for kind in self.types]}"
        return f"{name}, {kinds}" if name else kinds


# Boxes and points


class ConvertBoundingBoxFormat(Transform):
    """Boxes in another format.

    >>> from rushlight.vision import tv_tensors
    >>> boxes = tv_tensors.BoundingBoxes([[1, 2, 3, 5]], format="XYXY", canvas_size=(9, 9))
    >>> ConvertBoundingBoxFormat("XYWH")(boxes).tolist()
    [[1, 2, 2, 3]]
    """

    _transformed_types = (BoundingBoxes,)

    def __init__(self, format: str | BoundingBoxFormat) -> None:
        super().__init__()
        self.format = format

    def transform(self, inpt: Any, params: dict[str, Any]) -> Any:
        return F.convert_bounding_box_format(inpt, new_format=self.format)


class ClampBoundingBoxes(Transform):
    """Boxes cut off at the edges of the image.

    `clamping_mode` is "soft", "hard", None, or "auto" for that of the boxes.

    >>> from rushlight.vision import tv_tensors
    >>> boxes = tv_tensors.BoundingBoxes([[-1, 2, 30, 5]], format="XYXY", canvas_size=(10, 20))
    >>> ClampBoundingBoxes()(boxes).tolist()
    [[0, 2, 20, 5]]
    """

    _transformed_types = (BoundingBoxes,)

    def __init__(self, clamping_mode: str | None = "auto") -> None:
        super().__init__()
        self.clamping_mode = clamping_mode

    def transform(self, inpt: Any, params: dict[str, Any]) -> Any:
        return F.clamp_bounding_boxes(inpt, clamping_mode=self.clamping_mode)


class SetClampingMode(Transform):
    """What further transforms do with boxes that stick out: "soft", "hard" or None.

    >>> from rushlight.vision import tv_tensors
    >>> boxes = tv_tensors.BoundingBoxes([[-1, 2, 30, 5]], format="XYXY", canvas_size=(10, 20))
    >>> SetClampingMode(None)(boxes).clamping_mode is None
    True
    """

    _transformed_types = (BoundingBoxes,)

    def __init__(self, clamping_mode: str | None) -> None:
        super().__init__()
        if clamping_mode not in (None, "soft", "hard"):
            raise ValueError(f"clamping_mode must be soft, hard or None, got {clamping_mode}")
        self.clamping_mode = clamping_mode

    def transform(self, inpt: Any, params: dict[str, Any]) -> Any:
        return wrap(plain(inpt).clone(), like=inpt, clamping_mode=self.clamping_mode)


class ClampKeyPoints(Transform):
    """Points moved to the nearest pixel of the image.

    >>> from rushlight.vision import tv_tensors
    >>> ClampKeyPoints()(tv_tensors.KeyPoints([[-1, 30]], canvas_size=(10, 20))).tolist()
    [[0, 9]]
    """

    _transformed_types = (KeyPoints,)

    def transform(self, inpt: Any, params: dict[str, Any]) -> Any:
        return F.clamp_keypoints(inpt)


class _Sanitizing(Transform):
    """Boxes or points that are of no use taken away, and their labels with them."""

    labels_getter: Any
    _kinds: tuple[type, ...]
    _what: str

    def _valid(self, found: Any) -> Tensor:
        raise NotImplementedError

    def forward(self, *inputs: Any) -> Any:
        sample = inputs if len(inputs) > 1 else inputs[0]
        labels = labels_getter_of(self.labels_getter)(sample)
        several = labels if isinstance(labels, tuple | list) else [labels]
        labels = [] if labels is None else list(several)
        for label in labels:
            if not isinstance(label, Tensor):
                raise ValueError(
                    "The labels in the input to forward() must be a tensor or None, got "
                    f"{type(label)} instead."
                )
        leaves, form = tree_flatten(sample)
        found = first_of(leaves, self._kinds[0], self._what)
        for label in labels:
            if found.shape[0] != label.shape[0]:
                raise ValueError(
                    f"Number of boxes (shape={found.shape}) and must match the number of labels."
                    f"Found labels with shape={label.shape})."
                )
        valid = self._valid(found)

        def kept(inpt: Any) -> Any:
            if any(inpt is label for label in labels):
                return inpt[valid]
            if not isinstance(inpt, self._kinds):
                return inpt
            if isinstance(inpt, Mask) and inpt.shape[0] != valid.shape[0]:
                return inpt  # a mask of the whole image, not one for each box
            return wrap(plain(inpt)[valid], like=inpt)

        return tree_unflatten([kept(inpt) for inpt in leaves], form)


class SanitizeBoundingBoxes(_Sanitizing):
    """Boxes that are small or stick out taken away, with their labels and masks.

    Args:
        min_size: the least width and height.
        min_area: the least area.
        labels_getter: "default" takes what is called labels in the sample; or a function of the
            sample that gives a tensor or several, or None.

    >>> from rushlight.vision import tv_tensors
    >>> boxes = tv_tensors.BoundingBoxes(
    ...     [[0, 0, 5, 5], [1, 1, 1, 9]], format="XYXY", canvas_size=(10, 10)
    ... )
    >>> sample = {"boxes": boxes, "labels": torch.tensor([7, 8])}
    >>> SanitizeBoundingBoxes()(sample)["labels"]
    tensor([7])
    """

    _kinds = (BoundingBoxes, Mask)
    _what = "bounding boxes"

    def __init__(
        self, min_size: float = 1.0, min_area: float = 1.0, labels_getter: Any = "default"
    ) -> None:
        super().__init__()
        if min_size < 1:
            raise ValueError(f"min_size must be >= 1, got {min_size}.")
        if min_area < 1:
            raise ValueError(f"min_area must be >= 1, got {min_area}.")
        self.min_size = min_size
        self.min_area = min_area
        self.labels_getter = labels_getter
        labels_getter_of(labels_getter)

    def _valid(self, found: Any) -> Tensor:
        known = found.format, found.canvas_size
        return sanitize_mask(plain(found), *known, self.min_size, self.min_area)


class SanitizeKeyPoints(_Sanitizing):
    """Points outside the image taken away, with their labels.

    `labels_getter` is as of `SanitizeBoundingBoxes`, None by default.

    >>> from rushlight.vision import tv_tensors
    >>> points = tv_tensors.KeyPoints([[1, 1], [30, 1]], canvas_size=(10, 20))
    >>> SanitizeKeyPoints()(points).tolist()
    [[1, 1]]
    """

    _kinds = (KeyPoints,)
    _what = "keypoints"

    def __init__(self, labels_getter: Any = None) -> None:
        super().__init__()
        self.labels_getter = labels_getter
        labels_getter_of(labels_getter)

    def _valid(self, found: Any) -> Tensor:
        return F.sanitize_keypoints(found)[1]


class UniformTemporalSubsample(Transform):
    """`num_samples` images of a video, evenly spread from the first to the last.

    >>> UniformTemporalSubsample(3)(torch.arange(5).reshape(5, 1, 1, 1)).flatten()
    tensor([0, 2, 4])
    """

    _transformed_types = (Tensor,)

    def __init__(self, num_samples: int) -> None:
        super().__init__()
        self.num_samples = num_samples

    def transform(self, inpt: Any, params: dict[str, Any]) -> Any:
        return self._call_kernel(F.uniform_temporal_subsample, inpt, self.num_samples)
