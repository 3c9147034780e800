"""Pooling: maximum, average, power mean, fractional, adaptive, and max unpooling.

Read next: `padding.py`.
"""

from __future__ import annotations

from typing import Any

from ...tensor import Tensor
from .. import functional as F
from ..module import Module
from .utils import _pair, _single, _triple

__all__ = [
    "AdaptiveAvgPool1d",
    "AdaptiveAvgPool2d",
    "AdaptiveAvgPool3d",
    "AdaptiveMaxPool1d",
    "AdaptiveMaxPool2d",
    "AdaptiveMaxPool3d",
    "AvgPool1d",
    "AvgPool2d",
    "AvgPool3d",
    "FractionalMaxPool2d",
    "FractionalMaxPool3d",
    "LPPool1d",
    "LPPool2d",
    "LPPool3d",
    "MaxPool1d",
    "MaxPool2d",
    "MaxPool3d",
    "MaxUnpool1d",
    "MaxUnpool2d",
    "MaxUnpool3d",
]


class _MaxPoolNd(Module):
    def __init__(
        self,
        kernel_size: Any,
        stride: Any = None,
        padding: Any = 0,
        dilation: Any = 1,
        return_indices: bool = False,
        ceil_mode: bool = False,
    ) -> None:
        super().__init__()
        self.kernel_size = kernel_size
        self.stride = kernel_size if stride is None else stride
        self.padding = padding
        self.dilation = dilation
        self.return_indices = return_indices
        self.ceil_mode = ceil_mode

    def extra_repr(self) -> str:
        return (
            f"kernel_size={self.kernel_size}, stride={self.stride}, padding={self.padding}, "
            f"dilation={self.dilation}, ceil_mode={self.ceil_mode}"
        )


class MaxPool1d(_MaxPoolNd):
    """The maximum of each window of the last dimension.

    Args:
        kernel_size: size of the window.
        stride: step between windows; `kernel_size` by default.
        padding: -inf added on both sides, at most half of the kernel.
        dilation: distance between the elements of a window.
        return_indices: return also where the maxima were (for `MaxUnpool1d`).
        ceil_mode: round the output size up instead of down.

    Shape: (N, C, L) or (C, L) -> (N, C, L') or (C, L') with
    L' = ⌊(L + 2·padding - dilation·(kernel_size - 1) - 1) / stride⌋ + 1.

    >>> nn.MaxPool1d(2)(torch.tensor([[1.0, 3.0, 2.0, 0.0]]))
    tensor([[3., 2.]])
    """

    def forward(self, input: Tensor) -> Any:
        return F.max_pool1d(
            input,
            self.kernel_size,
            self.stride,
            self.padding,
            self.dilation,
            ceil_mode=self.ceil_mode,
            return_indices=self.return_indices,
        )


class MaxPool2d(_MaxPoolNd):
    """The maximum of each window of (N, C, H, W) or (C, H, W). Arguments as in `MaxPool1d`.

    >>> nn.MaxPool2d(3, stride=2)(torch.randn(1, 4, 9, 9)).shape
    torch.Size([1, 4, 4, 4])
    """

    def forward(self, input: Tensor) -> Any:
        return F.max_pool2d(
            input,
            self.kernel_size,
            self.stride,
            self.padding,
            self.dilation,
            ceil_mode=self.ceil_mode,
            return_indices=self.return_indices,
        )


class MaxPool3d(_MaxPoolNd):
    """The maximum of each window of (N, C, D, H, W) or (C, D, H, W). Arguments as in `MaxPool1d`.

    >>> nn.MaxPool3d(2)(torch.randn(1, 4, 4, 4, 4)).shape
    torch.Size([1, 4, 2, 2, 2])
    """

    def forward(self, input: Tensor) -> Any:
        return F.max_pool3d(
            input,
            self.kernel_size,
            self.stride,
            self.padding,
            self.dilation,
            ceil_mode=self.ceil_mode,
            return_indices=self.return_indices,
        )


class _MaxUnpoolNd(Module):
    _expand = staticmethod(_single)

    def __init__(self, kernel_size: Any, stride: Any = None, padding: Any = 0) -> None:
        super().__init__()
        self.kernel_size = self._expand(kernel_size)
        self.stride = self._expand(kernel_size if stride is None else stride)
        self.padding = self._expand(padding)

    def extra_repr(self) -> str:
        return f"kernel_size={self.kernel_size}, stride={self.stride}, padding={self.padding}"


class MaxUnpool1d(_MaxUnpoolNd):
    """Puts the maxima of `MaxPool1d` back where they were; all else is 0.

    Takes the pooled values, the indices that the pool returned, and where several input sizes
    are possible `output_size`.

    >>> pool = nn.MaxPool1d(2, return_indices=True)
    >>> nn.MaxUnpool1d(2)(*pool(torch.tensor([[[1.0, 3.0, 2.0, 0.0]]])))
    tensor([[[0., 3., 2., 0.]]])
    """

    def forward(self, input: Tensor, indices: Tensor, output_size: Any = None) -> Tensor:
        return F.max_unpool1d(
            input, indices, self.kernel_size, self.stride, self.padding, output_size
        )


class MaxUnpool2d(_MaxUnpoolNd):
    """Puts the maxima of `MaxPool2d` back where they were; see `MaxUnpool1d`.

    >>> pool = nn.MaxPool2d(2, return_indices=True)
    >>> nn.MaxUnpool2d(2)(*pool(torch.randn(1, 1, 4, 4))).shape
    torch.Size([1, 1, 4, 4])
    """

    _expand = staticmethod(_pair)

    def forward(self, input: Tensor, indices: Tensor, output_size: Any = None) -> Tensor:
        return F.max_unpool2d(
            input, indices, self.kernel_size, self.stride, self.padding, output_size
        )


class MaxUnpool3d(_MaxUnpoolNd):
    """Puts the maxima of `MaxPool3d` back where they were; see `MaxUnpool1d`.

    >>> pool = nn.MaxPool3d(2, return_indices=True)
    >>> nn.MaxUnpool3d(2)(*pool(torch.randn(1, 1, 4, 4, 4))).shape
    torch.Size([1, 1, 4, 4, 4])
    """

    _expand = staticmethod(_triple)

    def forward(self, input: Tensor, indices: Tensor, output_size: Any = None) -> Tensor:
        return F.max_unpool3d(
            input, indices, self.kernel_size, self.stride, self.padding, output_size
        )


class _AvgPoolNd(Module):
    kernel_size: Any
    stride: Any
    padding: Any

    def extra_repr(self) -> str:
        return f"kernel_size={self.kernel_size}, stride={self.stride}, padding={self.padding}"


class AvgPool1d(_AvgPoolNd):
    """The mean of each window of the last dimension.

    Args:
        kernel_size, stride, padding, ceil_mode: as in `MaxPool1d`, with zeros as padding.
        count_include_pad: whether the padding counts as elements.

    Shape: (N, C, L) or (C, L) -> the length as in `MaxPool1d`.

    >>> nn.AvgPool1d(2)(torch.tensor([[1.0, 3.0, 2.0, 0.0]]))
    tensor([[2., 1.]])
    """

    def __init__(
        self,
        kernel_size: Any,
        stride: Any = None,
        padding: Any = 0,
        ceil_mode: bool = False,
        count_include_pad: bool = True,
    ) -> None:
        super().__init__()
        self.kernel_size = _single(kernel_size)
        self.stride = _single(kernel_size if stride is None else stride)
        self.padding = _single(padding)
        self.ceil_mode = ceil_mode
        self.count_include_pad = count_include_pad

    def forward(self, input: Tensor) -> Tensor:
        return F.avg_pool1d(
            input,
            self.kernel_size,
            self.stride,
            self.padding,
            self.ceil_mode,
            self.count_include_pad,
        )


class _AvgPool(_AvgPoolNd):
    """The signature of two and three dimensions."""

    def __init__(
        self,
        kernel_size: Any,
        stride: Any = None,
        padding: Any = 0,
        ceil_mode: bool = False,
        count_include_pad: bool = True,
        divisor_override: int | None = None,
    ) -> None:
        super().__init__()
        self.kernel_size = kernel_size
        self.stride = kernel_size if stride is None else stride
        self.padding = padding
        self.ceil_mode = ceil_mode
        self.count_include_pad = count_include_pad
        self.divisor_override = divisor_override


class AvgPool2d(_AvgPool):
    """The mean of each window of (N, C, H, W) or (C, H, W).

    Arguments as in `AvgPool1d`; `divisor_override` divides the sums by another number.

    >>> nn.AvgPool2d(2)(torch.ones(1, 1, 4, 4)).shape
    torch.Size([1, 1, 2, 2])
    """

    def forward(self, input: Tensor) -> Tensor:
        return F.avg_pool2d(
            input,
            self.kernel_size,
            self.stride,
            self.padding,
            self.ceil_mode,
            self.count_include_pad,
            self.divisor_override,
        )


class AvgPool3d(_AvgPool):
    """The mean of each window of (N, C, D, H, W) or (C, D, H, W); arguments as in `AvgPool2d`.

    >>> nn.AvgPool3d(2)(torch.ones(1, 1, 4, 4, 4)).shape
    torch.Size([1, 1, 2, 2, 2])
    """

    def forward(self, input: Tensor) -> Tensor:
        return F.avg_pool3d(
            input,
            self.kernel_size,
            self.stride,
            self.padding,
            self.ceil_mode,
            self.count_include_pad,
            self.divisor_override,
        )

    def __setstate__(self, state: dict[str, Any]) -> None:
        super().__setstate__(state)
        for name, value in (("padding", 0), ("ceil_mode", False), ("count_include_pad", True)):
            self.__dict__.setdefault(name, value)


class _FractionalMaxPoolNd(Module):
    _expand = staticmethod(_pair)

    def __init__(
        self,
        kernel_size: Any,
        output_size: Any = None,
        output_ratio: Any = None,
        return_indices: bool = False,
        _random_samples: Any = None,
    ) -> None:
        super().__init__()
        name = type(self).__name__
        self.kernel_size = self._expand(kernel_size)
        if any(k <= 0 for k in self.kernel_size):
            raise ValueError(f"kernel_size must be greater than 0, but got {kernel_size}")
        self.return_indices = return_indices
        self.register_buffer("_random_samples", _random_samples)
        self.output_size = None if output_size is None else self._expand(output_size)
        self.output_ratio = None if output_ratio is None else self._expand(output_ratio)
        if output_size is None and output_ratio is None:
            raise ValueError(
                f"{name} requires specifying either an output size, or a pooling ratio"
            )
        if output_size is not None and output_ratio is not None:
            raise ValueError("only one of output_size and output_ratio may be specified")
        if self.output_ratio is not None and not all(0 < r < 1 for r in self.output_ratio):
            raise ValueError(f"output_ratio must be between 0 and 1 (got {output_ratio})")


class FractionalMaxPool2d(_FractionalMaxPoolNd):
    """Maxima of windows that start at random steps, so that any output size is possible.

    Args:
        kernel_size: size of the windows.
        output_size: size of the output; or
        output_ratio: the same as a fraction of the input size.
        return_indices: return also where the maxima were.

    Shape: (N, C, H, W) or (C, H, W). Graham, 2014, arXiv:1412.6071.

    >>> nn.FractionalMaxPool2d(3, output_size=(5, 4))(torch.randn(1, 2, 9, 9)).shape
    torch.Size([1, 2, 5, 4])
    """

    def forward(self, input: Tensor) -> Any:
        return F.fractional_max_pool2d(
            input,
            self.kernel_size,
            self.output_size,
            self.output_ratio,
            self.return_indices,
            _random_samples=self._random_samples,
        )


class FractionalMaxPool3d(_FractionalMaxPoolNd):
    """`FractionalMaxPool2d` for (N, C, D, H, W) or (C, D, H, W).

    >>> nn.FractionalMaxPool3d(2, output_ratio=0.5)(torch.randn(1, 2, 8, 8, 8)).shape
    torch.Size([1, 2, 4, 4, 4])
    """

    _expand = staticmethod(_triple)

    def forward(self, input: Tensor) -> Any:
        return F.fractional_max_pool3d(
            input,
            self.kernel_size,
            self.output_size,
            self.output_ratio,
            self.return_indices,
            _random_samples=self._random_samples,
        )


class _LPPoolNd(Module):
    def __init__(
        self, norm_type: float, kernel_size: Any, stride: Any = None, ceil_mode: bool = False
    ) -> None:
        super().__init__()
        self.norm_type = norm_type
        self.kernel_size = kernel_size
        self.stride = stride
        self.ceil_mode = ceil_mode

    def extra_repr(self) -> str:
        return (
            f"norm_type={self.norm_type}, kernel_size={self.kernel_size}, "
            f"stride={self.stride}, ceil_mode={self.ceil_mode}"
        )


class LPPool1d(_LPPoolNd):
    """(Σ xᵖ)^(1/p) of each window, with p = `norm_type`; other arguments as in `AvgPool1d`.

    >>> nn.LPPool1d(2, 2)(torch.tensor([[3.0, 4.0]]))
    tensor([[5.]])
    """

    def forward(self, input: Tensor) -> Tensor:
        return F.lp_pool1d(
            input, float(self.norm_type), self.kernel_size, self.stride, self.ceil_mode
        )


class LPPool2d(_LPPoolNd):
    """`LPPool1d` for (N, C, H, W) or (C, H, W).

    >>> nn.LPPool2d(2, 2)(torch.ones(1, 1, 2, 2))
    tensor([[[[2.]]]])
    """

    def forward(self, input: Tensor) -> Tensor:
        return F.lp_pool2d(
            input, float(self.norm_type), self.kernel_size, self.stride, self.ceil_mode
        )


class LPPool3d(_LPPoolNd):
    """`LPPool1d` for (N, C, D, H, W) or (C, D, H, W).

    >>> nn.LPPool3d(2, 2)(torch.ones(1, 1, 2, 2, 2)).shape
    torch.Size([1, 1, 1, 1, 1])
    """

    def forward(self, input: Tensor) -> Tensor:
        return F.lp_pool3d(
            input, float(self.norm_type), self.kernel_size, self.stride, self.ceil_mode
        )


class _AdaptiveMaxPoolNd(Module):
    def __init__(self, output_size: Any, return_indices: bool = False) -> None:
        super().__init__()
        self.output_size = output_size
        self.return_indices = return_indices

    def extra_repr(self) -> str:
        return f"output_size={self.output_size}"


class AdaptiveMaxPool1d(_AdaptiveMaxPoolNd):
    """Maxima of `output_size` windows that cover the last dimension as evenly as possible.

    >>> nn.AdaptiveMaxPool1d(2)(torch.tensor([[1.0, 3.0, 2.0]]))
    tensor([[3., 3.]])
    """

    def forward(self, input: Tensor) -> Any:
        return F.adaptive_max_pool1d(input, self.output_size, self.return_indices)


class AdaptiveMaxPool2d(_AdaptiveMaxPoolNd):
    """`AdaptiveMaxPool1d` for (N, C, H, W) or (C, H, W); None in `output_size` keeps a size.

    >>> nn.AdaptiveMaxPool2d((5, None))(torch.randn(1, 2, 8, 9)).shape
    torch.Size([1, 2, 5, 9])
    """

    def forward(self, input: Tensor) -> Any:
        return F.adaptive_max_pool2d(input, self.output_size, self.return_indices)


class AdaptiveMaxPool3d(_AdaptiveMaxPoolNd):
    """`AdaptiveMaxPool2d` for (N, C, D, H, W) or (C, D, H, W).

    >>> nn.AdaptiveMaxPool3d(2)(torch.randn(1, 2, 4, 5, 6)).shape
    torch.Size([1, 2, 2, 2, 2])
    """

    def forward(self, input: Tensor) -> Any:
        return F.adaptive_max_pool3d(input, self.output_size, self.return_indices)


class _AdaptiveAvgPoolNd(Module):
    def __init__(self, output_size: Any) -> None:
        super().__init__()
        self.output_size = output_size

    def extra_repr(self) -> str:
        return f"output_size={self.output_size}"


class AdaptiveAvgPool1d(_AdaptiveAvgPoolNd):
    """Means of `output_size` windows that cover the last dimension as evenly as possible.

    >>> nn.AdaptiveAvgPool1d(1)(torch.tensor([[1.0, 3.0, 2.0]]))
    tensor([[2.]])
    """

    def forward(self, input: Tensor) -> Tensor:
        return F.adaptive_avg_pool1d(input, self.output_size)


class AdaptiveAvgPool2d(_AdaptiveAvgPoolNd):
    """`AdaptiveAvgPool1d` for (N, C, H, W) or (C, H, W); None in `output_size` keeps a size.

    >>> nn.AdaptiveAvgPool2d((1, 1))(torch.randn(2, 3, 7, 7)).shape
    torch.Size([2, 3, 1, 1])
    """

    def forward(self, input: Tensor) -> Tensor:
        return F.adaptive_avg_pool2d(input, self.output_size)


class AdaptiveAvgPool3d(_AdaptiveAvgPoolNd):
    """`AdaptiveAvgPool2d` for (N, C, D, H, W) or (C, D, H, W).

    >>> nn.AdaptiveAvgPool3d((1, 2, None))(torch.randn(2, 3, 4, 4, 4)).shape
    torch.Size([2, 3, 1, 2, 4])
    """

    def forward(self, input: Tensor) -> Tensor:
        return F.adaptive_avg_pool3d(input, self.output_size)
