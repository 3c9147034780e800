"""Layer, group, RMS and local response normalisation. Read next: `dropout.py`."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import rushlight

from ...tensor import Parameter, Tensor
from .. import functional as F
from .. import init
from ..module import Module

__all__ = ["CrossMapLRN2d", "GroupNorm", "LayerNorm", "LocalResponseNorm", "RMSNorm"]


class _Affine(Module):
    """Weight 1 and bias 0, or None where they are not wanted."""

    weight: Any
    bias: Any

    def _register(self, shape: Any, weight: bool, bias: bool | None, factory: Any) -> None:
        wanted = {"weight": weight} if bias is None else {"weight": weight, "bias": bias}
        for name, want in wanted.items():
            value = Parameter(rushlight.empty(shape, **factory)) if want else None
            self.register_parameter(name, value)
        self.reset_parameters()

    def reset_parameters(self) -> None:
        """Set the weight to 1 and the bias to 0."""
        if self.weight is not None:
            init.ones_(self.weight)
            if self._parameters.get("bias") is not None:
                init.zeros_(self.bias)


def _shape(size: int | Sequence[int]) -> tuple[int, ...]:
    return (int(size),) if hasattr(size, "__index__") else tuple(size)  # type: ignore[arg-type]


class LayerNorm(_Affine):
    """y = (x - mean) / √(var + eps) · weight + bias, over the last dimensions of each sample.

    Args:
        normalized_shape: size of the last dimension, or of the last dimensions.
        eps: added to the variance.
        elementwise_affine: whether to learn weight and bias (`bias=False` leaves out the latter).

    Shape: (*, normalized_shape) -> the same. Ba et al., 2016, arXiv:1607.06450.

    >>> y = nn.LayerNorm(10)(torch.randn(4, 10))
    >>> bool(y.mean(-1).abs().max() < 1e-5)
    True
    """

    def __init__(
        self,
        normalized_shape: int | Sequence[int],
        eps: float = 1e-5,
        elementwise_affine: bool = True,
        bias: bool = True,
        device: Any = None,
        dtype: Any = None,
    ) -> None:
        super().__init__()
        self.normalized_shape = _shape(normalized_shape)
        self.eps = eps
        self.elementwise_affine = elementwise_affine
        factory = {"device": device, "dtype": dtype}
        affine = elementwise_affine
        self._register(self.normalized_shape, affine, affine and bias, factory)

    def forward(self, input: Tensor) -> Tensor:
        own = self._parameters
        try:  # as self.weight and self.bias, which take a microsecond
            weight, bias = own["weight"], own["bias"]
        except KeyError:  # a parametrisation has taken them over
            weight, bias = self.weight, self.bias
        return F.layer_norm(input, self.normalized_shape, weight, bias, self.eps)

    def extra_repr(self) -> str:
        return (
            f"{self.normalized_shape}, eps={self.eps}, "
            f"elementwise_affine={self.elementwise_affine}, bias={self.bias is not None}"
        )


class GroupNorm(_Affine):
    """y = (x - mean) / √(var + eps) · weight + bias, over groups of channels of each sample.

    Args:
        num_groups: number of groups; divides `num_channels`.
        num_channels: number of channels C.
        eps: added to the variance.
        affine: whether to learn weight and bias for each channel (`bias=False`: weight only).

    Shape: (N, C, *) -> the same. Wu and He, 2018, arXiv:1803.08494.

    >>> nn.GroupNorm(3, 6)(torch.randn(2, 6, 4, 4)).shape
    torch.Size([2, 6, 4, 4])
    """

    def __init__(
        self,
        num_groups: int,
        num_channels: int,
        eps: float = 1e-5,
        affine: bool = True,
        device: Any = None,
        dtype: Any = None,
        *,
        bias: bool = True,
    ) -> None:
        super().__init__()
        if num_channels % num_groups != 0:
            raise ValueError(
                f"num_channels ({num_channels}) must be divisible by num_groups ({num_groups})"
            )
        self.num_groups = num_groups
        self.num_channels = num_channels
        self.eps = eps
        self.affine = affine
        factory = {"device": device, "dtype": dtype}
        self._register(num_channels, affine, affine and bias, factory)

    def forward(self, input: Tensor) -> Tensor:
        return F.group_norm(input, self.num_groups, self.weight, self.bias, self.eps)

    def extra_repr(self) -> str:
        return (
            f"{self.num_groups}, {self.num_channels}, eps={self.eps}, affine={self.affine}, "
            f"bias={self.bias is not None}"
        )


class RMSNorm(_Affine):
    """y = x / √(mean(x²) + eps) · weight, over the last dimensions of each sample.

    `eps` None means the smallest step of the dtype at 1.

    Shape: (*, normalized_shape) -> the same. Zhang and Sennrich, 2019, arXiv:1910.07467.

    >>> y = nn.RMSNorm(10)(torch.randn(4, 10))
    >>> bool((y.square().mean(-1) - 1).abs().max() < 1e-3)
    True
    """

    def __init__(
        self,
        normalized_shape: int | Sequence[int],
        eps: float | None = None,
        elementwise_affine: bool = True,
        device: Any = None,
        dtype: Any = None,
    ) -> None:
        super().__init__()
        self.normalized_shape = _shape(normalized_shape)
        self.eps = eps
        self.elementwise_affine = elementwise_affine
        factory = {"device": device, "dtype": dtype}
        self._register(self.normalized_shape, elementwise_affine, None, factory)

    def forward(self, x: Tensor) -> Tensor:
        return F.rms_norm(x, self.normalized_shape, self.weight, self.eps)

    def extra_repr(self) -> str:
        return (
            f"{self.normalized_shape}, eps={self.eps}, elementwise_affine={self.elementwise_affine}"
        )


class LocalResponseNorm(Module):
    """y = x / (k + alpha/size · Σ x²)^beta, the sum over `size` neighbouring channels.

    Shape: (N, C, *) -> the same. Krizhevsky et al., 2012.

    >>> nn.LocalResponseNorm(2)(torch.randn(1, 4, 3, 3)).shape
    torch.Size([1, 4, 3, 3])
    """

    def __init__(self, size: int, alpha: float = 1e-4, beta: float = 0.75, k: float = 1.0) -> None:
        super().__init__()
        self.size = size
        self.alpha = alpha
        self.beta = beta
        self.k = k

    def forward(self, input: Tensor) -> Tensor:
        return F.local_response_norm(input, self.size, self.alpha, self.beta, self.k)

    def extra_repr(self) -> str:
        return f"{self.size}, alpha={self.alpha}, beta={self.beta}, k={self.k}"


class CrossMapLRN2d(LocalResponseNorm):
    """Lua Torch's name of `LocalResponseNorm` for images (N, C, H, W).

    PyTorch's own code for it forgets to take a channel out of its running sum near the first
    channels; here every window is whole.

    >>> nn.CrossMapLRN2d(3)(torch.ones(1, 4, 2, 2)).shape
    torch.Size([1, 4, 2, 2])
    """

    def __init__(self, size: int, alpha: float = 1e-4, beta: float = 0.75, k: float = 1) -> None:
        super().__init__(size, alpha, beta, k)

    def forward(self, input: Tensor) -> Tensor:
        if input.ndim != 4:
            raise ValueError(f"CrossMapLRN2d: Expected input to be 4D, got {input.ndim}D instead.")
        return super().forward(input)
