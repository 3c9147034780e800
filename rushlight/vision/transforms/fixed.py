"""Transforms without chance, as objects: conversions, sizes, `Normalize`, `Grayscale`.

The work itself is in `functional.py`.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from ...dtypes import dtype
from ...nn import Module
from ...tensor import Tensor
from . import functional as F
from .image import Image, InterpolationMode, mode_of_number
from .layout import check_padding, pair


class ToTensor:
    """A Pillow image or (H, W, C) array as a (C, H, W) tensor; bytes become floats in [0, 1].

    >>> ToTensor()(np.full((1, 1, 3), 255, np.uint8)).flatten()
    tensor([1., 1., 1.])
    """

    def __call__(self, pic: Any) -> Tensor:
        return F.to_tensor(pic)

    def __repr__(self) -> str:
        return f"{type(self).__name__}()"


class PILToTensor:
    """A Pillow image as a (C, H, W) tensor of its own type.

    >>> import PIL.Image
    >>> PILToTensor()(PIL.Image.new("L", (2, 1), 255))
    tensor([[[255, 255]]], dtype=torch.uint8)
    """

    def __call__(self, pic: Any) -> Tensor:
        return F.pil_to_tensor(pic)

    def __repr__(self) -> str:
        return f"{type(self).__name__}()"


class ConvertImageDtype(Module):
    """Another type of values, scaled to its range.

    >>> ConvertImageDtype(torch.uint8)(torch.ones(1, 1, 1))
    tensor([[[255]]], dtype=torch.uint8)
    """

    def __init__(self, dtype: dtype) -> None:
        super().__init__()
        self.dtype = dtype

    def forward(self, image: Tensor) -> Tensor:
        return F.convert_image_dtype(image, self.dtype)


class ToPILImage:
    """A (C, H, W) tensor or (H, W, C) array as a Pillow image.

    >>> ToPILImage()(torch.zeros(3, 2, 4)).mode
    'RGB'
    """

    def __init__(self, mode: str | None = None) -> None:
        self.mode = mode

    def __call__(self, pic: Any) -> Any:
        return F.to_pil_image(pic, self.mode)

    def __repr__(self) -> str:
        return f"{type(self).__name__}({'' if self.mode is None else f'mode={self.mode}'})"


class Normalize(Module):
    """(tensor - mean) / std, one mean and std a channel.

    >>> Normalize((0.5,), (0.5,))(torch.tensor([[[0.0, 1.0]]]))
    tensor([[[-1.,  1.]]])
    """

    def __init__(self, mean: Sequence[float], std: Sequence[float], inplace: bool = False) -> None:
        super().__init__()
        self.mean = mean
        self.std = std
        self.inplace = inplace

    def forward(self, tensor: Tensor) -> Tensor:
        return F.normalize(tensor, self.mean, self.std, self.inplace)

    def __repr__(self) -> str:
        return f"{type(self).__name__}(mean={self.mean}, std={self.std})"


class LinearTransformation(Module):
    """(x - mean_vector) @ transformation_matrix of the flattened image, for whitening.

    >>> LinearTransformation(torch.eye(2) * 2, torch.ones(2))(torch.tensor([[[1.0, 2.0]]]))
    tensor([[[0., 2.]]])
    """

    def __init__(self, transformation_matrix: Tensor, mean_vector: Tensor) -> None:
        super().__init__()
        matrix, mean = transformation_matrix, mean_vector
        if matrix.size(0) != matrix.size(1):
            raise ValueError(
                "transformation_matrix should be square. Got "
                f"{tuple(matrix.size())} rectangular matrix."
            )
        if mean.size(0) != matrix.size(0):
            raise ValueError(
                f"mean_vector should have the same length {mean.size(0)} as any one of the "
                f"dimensions of the transformation_matrix [{tuple(matrix.size())}]"
            )
        if matrix.device != mean.device:
            raise ValueError(
                f"Input tensors should be on the same device. Got {matrix.device} and {mean.device}"
            )
        if matrix.dtype != mean.dtype:
            raise ValueError(
                f"Input tensors should have the same dtype. Got {matrix.dtype} and {mean.dtype}"
            )
        self.transformation_matrix = matrix
        self.mean_vector = mean

    def forward(self, tensor: Tensor) -> Tensor:
        c, h, w = tensor.shape[-3:]
        if c * h * w != self.transformation_matrix.shape[0]:
            raise ValueError(
                "Input tensor and transformation matrix have incompatible shape."
                f"[{c} x {h} x {w}] != {self.transformation_matrix.shape[0]}"
            )
        if tensor.device.type != self.mean_vector.device.type:
            raise ValueError(
                "Input tensor should be on the same device as transformation matrix and mean "
                f"vector. Got {tensor.device} vs {self.mean_vector.device}"
            )
        flat = tensor.view(-1, c * h * w) - self.mean_vector
        return (flat @ self.transformation_matrix.to(flat.dtype)).view(tensor.shape)

    def __repr__(self) -> str:
        return (
            f"{type(self).__name__}(transformation_matrix={self.transformation_matrix.tolist()}, "
            f"mean_vector={self.mean_vector.tolist()})"
        )


class Resize(Module):
    """Resize to (height, width); one number is the length of the shorter edge.

    >>> Resize(10)(torch.zeros(1, 20, 30)).shape
    torch.Size([1, 10, 15])
    """

    def __init__(
        self,
        size: int | Sequence[int],
        interpolation: InterpolationMode | int = InterpolationMode.BILINEAR,
        max_size: int | None = None,
        antialias: bool | None = True,
    ) -> None:
        super().__init__()
        if not isinstance(size, int | Sequence):
            raise TypeError(f"Size should be int or sequence. Got {type(size)}")
        if isinstance(size, Sequence) and len(size) not in (1, 2):
            raise ValueError("If size is a sequence, it should have 1 or 2 values")
        self.size = size
        self.max_size = max_size
        self.interpolation = mode_of_number(interpolation)
        self.antialias = antialias

    def forward(self, img: Image) -> Image:
        return F.resize(img, self.size, self.interpolation, self.max_size, self.antialias)

    def __repr__(self) -> str:
        return (
            f"{type(self).__name__}(size={self.size}, interpolation={self.interpolation.value}, "
            f"max_size={self.max_size}, antialias={self.antialias})"
        )


class CenterCrop(Module):
    """The middle (height, width).

    >>> CenterCrop(2)(torch.zeros(1, 5, 5)).shape
    torch.Size([1, 2, 2])
    """

    def __init__(self, size: int | Sequence[int]) -> None:
        super().__init__()
        self.size = pair(size)

    def forward(self, img: Image) -> Image:
        return F.center_crop(img, self.size)

    def __repr__(self) -> str:
        return f"{type(self).__name__}(size={self.size})"


class FiveCrop(Module):
    """The four corners and the middle, as a tuple.

    >>> len(FiveCrop(2)(torch.zeros(1, 5, 5)))
    5
    """

    def __init__(self, size: int | Sequence[int]) -> None:
        super().__init__()
        self.size = pair(size)

    def forward(self, img: Image) -> tuple[Image, ...]:
        return F.five_crop(img, self.size)

    def __repr__(self) -> str:
        return f"{type(self).__name__}(size={self.size})"


class TenCrop(Module):
    """The four corners and the middle, of the image and of its mirror image.

    >>> len(TenCrop(2)(torch.zeros(1, 5, 5)))
    10
    """

    def __init__(self, size: int | Sequence[int], vertical_flip: bool = False) -> None:
        super().__init__()
        self.size = pair(size)
        self.vertical_flip = vertical_flip

    def forward(self, img: Image) -> tuple[Image, ...]:
        return F.ten_crop(img, self.size, self.vertical_flip)

    def __repr__(self) -> str:
        return f"{type(self).__name__}(size={self.size}, vertical_flip={self.vertical_flip})"


class Pad(Module):
    """A border: of one width, (left and right, top and bottom) or (left, top, right, bottom).

    >>> Pad((1, 0))(torch.ones(1, 1, 1))
    tensor([[[0., 1., 0.]]])
    """

    def __init__(
        self, padding: int | Sequence[int], fill: Any = 0, padding_mode: str = "constant"
    ) -> None:
        super().__init__()
        check_padding(padding, fill, padding_mode)
        self.padding = padding
        self.fill = fill
        self.padding_mode = padding_mode

    def forward(self, img: Image) -> Image:
        return F.pad(img, self.padding, self.fill, self.padding_mode)

    def __repr__(self) -> str:
        return (
            f"{type(self).__name__}(padding={self.padding}, fill={self.fill}, "
            f"padding_mode={self.padding_mode})"
        )


class Grayscale(Module):
    """Grey, in one or three equal channels.

    >>> Grayscale()(torch.ones(3, 2, 2)).shape
    torch.Size([1, 2, 2])
    """

    def __init__(self, num_output_channels: int = 1) -> None:
        super().__init__()
        self.num_output_channels = num_output_channels

    def forward(self, img: Image) -> Image:
        return F.rgb_to_grayscale(img, self.num_output_channels)

    def __repr__(self) -> str:
        return f"{type(self).__name__}(num_output_channels={self.num_output_channels})"
