"""Layers that belong together, in one `nn.Sequential` that the tools of quantization take for one
layer."""

from __future__ import annotations

from typing import Any

from rushlight import nn
from rushlight.errors import message
from rushlight.nn.utils.parametrize import type_before_parametrizations


class _FusedModule(nn.Sequential):
    """What all of them are."""

    _PARTS: tuple[type, ...] = ()

    def __init__(self, *layers: Any) -> None:
        found = tuple(type_before_parametrizations(layer) for layer in layers)
        if self._PARTS and found != self._PARTS:
            names = [" and ".join(c.__name__ for c in kinds) for kinds in (found, self._PARTS)]
            text = f"Incorrect types for input modules: {names[0]}"
            raise AssertionError(message(text, wanted=names[1]))
        super().__init__(*layers)


def _fused(name: str, *parts: type) -> Any:
    """The class of that name for layers of these classes."""
    kinds = ", then ".join(p.__name__ for p in parts)
    doc = f"""{kinds}, as one module.

    Raises AssertionError for layers of other classes, subclasses included.

    >>> issubclass(torch.ao.nn.intrinsic.{name}, nn.Sequential)
    True
    """
    return type(name, (_FusedModule,), {"_PARTS": parts, "__module__": __name__, "__doc__": doc})


ConvReLU1d = _fused("ConvReLU1d", nn.Conv1d, nn.ReLU)
ConvReLU2d = _fused("ConvReLU2d", nn.Conv2d, nn.ReLU)
ConvReLU3d = _fused("ConvReLU3d", nn.Conv3d, nn.ReLU)
ConvBn1d = _fused("ConvBn1d", nn.Conv1d, nn.BatchNorm1d)
ConvBn2d = _fused("ConvBn2d", nn.Conv2d, nn.BatchNorm2d)
ConvBn3d = _fused("ConvBn3d", nn.Conv3d, nn.BatchNorm3d)
ConvBnReLU1d = _fused("ConvBnReLU1d", nn.Conv1d, nn.BatchNorm1d, nn.ReLU)
ConvBnReLU2d = _fused("ConvBnReLU2d", nn.Conv2d, nn.BatchNorm2d, nn.ReLU)
ConvBnReLU3d = _fused("ConvBnReLU3d", nn.Conv3d, nn.BatchNorm3d, nn.ReLU)
LinearReLU = _fused("LinearReLU", nn.Linear, nn.ReLU)
LinearBn1d = _fused("LinearBn1d", nn.Linear, nn.BatchNorm1d)
LinearLeakyReLU = _fused("LinearLeakyReLU", nn.Linear, nn.LeakyReLU)
LinearTanh = _fused("LinearTanh", nn.Linear, nn.Tanh)
BNReLU2d = _fused("BNReLU2d", nn.BatchNorm2d, nn.ReLU)
BNReLU3d = _fused("BNReLU3d", nn.BatchNorm3d, nn.ReLU)


class ConvAdd2d(_FusedModule):
    """conv(x1) + x2, where the sum is a function `add`.

    >>> both = torch.ao.nn.intrinsic.ConvAdd2d(nn.Conv2d(1, 1, 1), torch.add)
    >>> both(torch.ones(1, 1, 2, 2), torch.ones(1, 1, 2, 2)).shape
    torch.Size([1, 1, 2, 2])
    """

    def __init__(self, conv: Any, add: Any) -> None:
        super().__init__(conv)
        self.add = add

    def forward(self, x1: Any, x2: Any) -> Any:  # type: ignore[override]
        return self.add(self[0](x1), x2)


class ConvAddReLU2d(_FusedModule):
    """relu(conv(x1) + x2), where the sum and the relu are functions.

    >>> all_three = torch.ao.nn.intrinsic.ConvAddReLU2d(nn.Conv2d(1, 1, 1), torch.add, torch.relu)
    >>> bool((all_three(torch.ones(1, 1, 2, 2), torch.ones(1, 1, 2, 2)) >= 0).all())
    True
    """

    def __init__(self, conv: Any, add: Any, relu: Any) -> None:
        super().__init__(conv)
        self.add = add
        self.relu = relu

    def forward(self, x1: Any, x2: Any) -> Any:  # type: ignore[override]
        return self.relu(self.add(self[0](x1), x2))


__all__ = [
    "BNReLU2d",
    "BNReLU3d",
    "ConvAdd2d",
    "ConvAddReLU2d",
    "ConvBn1d",
    "ConvBn2d",
    "ConvBn3d",
    "ConvBnReLU1d",
    "ConvBnReLU2d",
    "ConvBnReLU3d",
    "ConvReLU1d",
    "ConvReLU2d",
    "ConvReLU3d",
    "LinearBn1d",
    "LinearLeakyReLU",
    "LinearReLU",
    "LinearTanh",
]
