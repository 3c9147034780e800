"""Padding with a constant, a reflection, the border or the other end. Read next: `flatten.py`."""

from __future__ import annotations

from typing import Any

from ...tensor import Tensor
from .. import functional as F
from ..module import Module
from .utils import _ntuple, _pair, _quadruple

__all__ = [
    "CircularPad1d",
    "CircularPad2d",
    "CircularPad3d",
    "ConstantPad1d",
    "ConstantPad2d",
    "ConstantPad3d",
    "ReflectionPad1d",
    "ReflectionPad2d",
    "ReflectionPad3d",
    "ReplicationPad1d",
    "ReplicationPad2d",
    "ReplicationPad3d",
    "ZeroPad1d",
    "ZeroPad2d",
    "ZeroPad3d",
]

_sextuple = _ntuple(6, "_sextuple")


class _PadNd(Module):
    """`padding`: a number, or (left, right), (.., top, bottom), (.., front, back)."""

    _expand = staticmethod(_pair)
    _mode = "constant"

    def __init__(self, padding: Any) -> None:
        super().__init__()
        self.padding = self._expand(padding)

    def forward(self, input: Tensor) -> Tensor:
        return F.pad(input, self.padding, self._mode)

    def extra_repr(self) -> str:
        return f"{self.padding}"


class _ConstantPadNd(_PadNd):
    def __init__(self, padding: Any, value: float) -> None:
        super().__init__(padding)
        self.value = value

    def forward(self, input: Tensor) -> Tensor:
        return F.pad(input, self.padding, "constant", self.value)

    def extra_repr(self) -> str:
        return f"padding={self.padding}, value={self.value}"


class ConstantPad1d(_ConstantPadNd):
    """Pads the last dimension with `value`: (*, W) -> (*, left + W + right).

    >>> nn.ConstantPad1d((1, 2), 7.0)(torch.zeros(1, 1))
    tensor([[7., 0., 7., 7.]])
    """


class ConstantPad2d(_ConstantPadNd):
    """Pads the last two dimensions with `value`; `padding` is (left, right, top, bottom).

    >>> nn.ConstantPad2d((1, 1, 0, 2), 7.0)(torch.zeros(1, 2, 2)).shape
    torch.Size([1, 4, 4])
    """

    _expand = staticmethod(_quadruple)


class ConstantPad3d(_ConstantPadNd):
    """Pads the last three dimensions with `value`.

    >>> nn.ConstantPad3d(1, 7.0)(torch.zeros(1, 2, 2, 2)).shape
    torch.Size([1, 4, 4, 4])
    """

    _expand = staticmethod(_sextuple)


class ZeroPad1d(ConstantPad1d):
    """Pads the last dimension with zeros.

    >>> nn.ZeroPad1d(1)(torch.ones(1, 1))
    tensor([[0., 1., 0.]])
    """

    def __init__(self, padding: Any) -> None:
        super().__init__(padding, 0.0)

    def extra_repr(self) -> str:
        return f"{self.padding}"


class ZeroPad2d(ConstantPad2d):
    """Pads the last two dimensions with zeros.

    >>> nn.ZeroPad2d(1)(torch.ones(1, 2, 2)).shape
    torch.Size([1, 4, 4])
    """

    def __init__(self, padding: Any) -> None:
        super().__init__(padding, 0.0)

    def extra_repr(self) -> str:
        return f"{self.padding}"


class ZeroPad3d(ConstantPad3d):
    """Pads the last three dimensions with zeros.

    >>> nn.ZeroPad3d(1)(torch.ones(1, 2, 2, 2)).shape
    torch.Size([1, 4, 4, 4])
    """

    def __init__(self, padding: Any) -> None:
        super().__init__(padding, 0.0)

    def extra_repr(self) -> str:
        return f"{self.padding}"


class _ReflectionPadNd(_PadNd):
    _mode = "reflect"


class ReflectionPad1d(_ReflectionPadNd):
    """Mirrors at the border elements, (N, C, W) or (C, W); padding is less than W.

    >>> nn.ReflectionPad1d(2)(torch.arange(4.0).reshape(1, 4))
    tensor([[2., 1., 0., 1., 2., 3., 2., 1.]])
    """


class ReflectionPad2d(_ReflectionPadNd):
    """`ReflectionPad1d` for (N, C, H, W) or (C, H, W).

    >>> nn.ReflectionPad2d(1)(torch.ones(1, 3, 3)).shape
    torch.Size([1, 5, 5])
    """

    _expand = staticmethod(_quadruple)


class ReflectionPad3d(_ReflectionPadNd):
    """`ReflectionPad1d` for (N, C, D, H, W) or (C, D, H, W).

    >>> nn.ReflectionPad3d(1)(torch.ones(1, 3, 3, 3)).shape
    torch.Size([1, 5, 5, 5])
    """

    _expand = staticmethod(_sextuple)


class _ReplicationPadNd(_PadNd):
    _mode = "replicate"


class ReplicationPad1d(_ReplicationPadNd):
    """Repeats the border elements, (N, C, W) or (C, W).

    >>> nn.ReplicationPad1d((2, 1))(torch.arange(3.0).reshape(1, 3))
    tensor([[0., 0., 0., 1., 2., 2.]])
    """


class ReplicationPad2d(_ReplicationPadNd):
    """`ReplicationPad1d` for (N, C, H, W) or (C, H, W).

    >>> nn.ReplicationPad2d(1)(torch.ones(1, 3, 3)).shape
    torch.Size([1, 5, 5])
    """

    _expand = staticmethod(_quadruple)


class ReplicationPad3d(_ReplicationPadNd):
    """`ReplicationPad1d` for (N, C, D, H, W) or (C, D, H, W).

    >>> nn.ReplicationPad3d(1)(torch.ones(1, 3, 3, 3)).shape
    torch.Size([1, 5, 5, 5])
    """

    _expand = staticmethod(_sextuple)


class _CircularPadNd(_PadNd):
    _mode = "circular"

    def _check_input_dim(self, input: Tensor) -> None:
        rank = len(self.padding) // 2 + 1
        if input.ndim not in (rank, rank + 1):
            raise ValueError(f"expected {rank}D or {rank + 1}D input (got {input.ndim}D input)")

    def forward(self, input: Tensor) -> Tensor:
        self._check_input_dim(input)
        return F.pad(input, self.padding, "circular")


class CircularPad1d(_CircularPadNd):
    """Continues with the elements of the other end, (N, C, W) or (C, W).

    >>> nn.CircularPad1d((1, 2))(torch.arange(4.0).reshape(1, 4))
    tensor([[3., 0., 1., 2., 3., 0., 1.]])
    """


class CircularPad2d(_CircularPadNd):
    """`CircularPad1d` for (N, C, H, W) or (C, H, W).

    >>> nn.CircularPad2d(1)(torch.ones(1, 3, 3)).shape
    torch.Size([1, 5, 5])
    """

    _expand = staticmethod(_quadruple)


class CircularPad3d(_CircularPadNd):
    """`CircularPad1d` for (N, C, D, H, W) or (C, D, H, W).

    >>> nn.CircularPad3d(1)(torch.ones(1, 3, 3, 3)).shape
    torch.Size([1, 5, 5, 5])
    """

    _expand = staticmethod(_sextuple)
