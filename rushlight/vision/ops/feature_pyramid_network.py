"""Feature Pyramid Networks: maps of a backbone brought to one number of channels, each with what
the coarser ones know (https://arxiv.org/abs/1612.03144).
"""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Callable
from typing import Any

from ... import nn
from ...nn import functional as F
from ...tensor import Tensor
from .misc import Conv2dNormActivation

__all__ = ["ExtraFPNBlock", "FeaturePyramidNetwork", "LastLevelMaxPool", "LastLevelP6P7"]

Maps = list[Tensor]


class ExtraFPNBlock(nn.Module):
    """What adds maps to those of a :class:`FeaturePyramidNetwork`; a base class."""

    def forward(self, results: Maps, x: Maps, names: list[str]) -> tuple[Maps, list[str]]:
        """(maps, their names), from those of the network, those of the backbone, and names."""
        raise NotImplementedError(f"{type(self).__name__} has no forward")


class FeaturePyramidNetwork(nn.Module):
    """From the coarsest map to the finest: 1x1 convolution, plus the coarser one enlarged; then a
    3x3 convolution.

    Args:
        in_channels_list: channels of the maps, from the finest to the coarsest.
        out_channels: channels of all results.
        extra_blocks: adds maps at the end.
        norm_layer: stands after the convolutions.

    >>> net = FeaturePyramidNetwork([10, 20], 5)
    >>> maps = {"fine": torch.ones(1, 10, 8, 8), "coarse": torch.ones(1, 20, 4, 4)}
    >>> [(name, tuple(t.shape)) for name, t in net(maps).items()]
    [('fine', (1, 5, 8, 8)), ('coarse', (1, 5, 4, 4))]
    """

    _version = 2

    def __init__(
        self,
        in_channels_list: list[int],
        out_channels: int,
        extra_blocks: ExtraFPNBlock | None = None,
        norm_layer: Callable[..., nn.Module] | None = None,
    ) -> None:
        super().__init__()
        self.inner_blocks = nn.ModuleList()
        self.layer_blocks = nn.ModuleList()
        fixed: dict[str, Any] = {"norm_layer": norm_layer, "activation_layer": None}
        for channels in in_channels_list:
            if channels == 0:
                raise ValueError("in_channels=0 is currently not supported")
            self.inner_blocks.append(
                Conv2dNormActivation(channels, out_channels, kernel_size=1, padding=0, **fixed)
            )
            self.layer_blocks.append(
                Conv2dNormActivation(out_channels, out_channels, kernel_size=3, **fixed)
            )
        for m in self.modules():
            if isinstance(m, nn.Conv2d):
                nn.init.kaiming_uniform_(m.weight, a=1)
                if m.bias is not None:
                    nn.init.zeros_(m.bias)
        if extra_blocks is not None and not isinstance(extra_blocks, ExtraFPNBlock):
            raise TypeError(
                f"extra_blocks should be of type ExtraFPNBlock not {type(extra_blocks)}"
            )
        self.extra_blocks = extra_blocks

    def _load_from_state_dict(
        self, state_dict: Any, prefix: str, local_metadata: dict[str, Any], *rest: Any
    ) -> None:
        if (local_metadata.get("version") or 1) < 2:  # the blocks were convolutions
            for block in ("inner_blocks", "layer_blocks"):
                for i in range(len(self.inner_blocks)):
                    move(state_dict, f"{prefix}{block}.{i}", f"{prefix}{block}.{i}.0")
        super()._load_from_state_dict(state_dict, prefix, local_metadata, *rest)

    def forward(self, x: dict[str, Tensor]) -> OrderedDict[str, Tensor]:
        names, maps = list(x), list(x.values())
        inner = self.inner_blocks[-1](maps[-1])
        results = [self.layer_blocks[-1](inner)]
        for i in range(len(maps) - 2, -1, -1):
            lateral = self.inner_blocks[i](maps[i])
            inner = lateral + F.interpolate(inner, size=lateral.shape[-2:], mode="nearest")
            results.insert(0, self.layer_blocks[i](inner))
        if self.extra_blocks is not None:
            results, names = self.extra_blocks(results, maps, names)
        return OrderedDict(zip(names, results, strict=False))


def move(state_dict: Any, old: str, new: str) -> None:
    """Give a layer's weight and bias in a state dict the names that they have today."""
    for name in ("weight", "bias"):
        if f"{old}.{name}" in state_dict:
            state_dict[f"{new}.{name}"] = state_dict.pop(f"{old}.{name}")


class LastLevelMaxPool(ExtraFPNBlock):
    """Adds "pool": every second pixel of the coarsest map.

    >>> LastLevelMaxPool()([torch.ones(1, 1, 4, 4)], [], ["0"])[1]
    ['0', 'pool']
    """

    def forward(  # type: ignore[override]  # torchvision's names of the arguments
        self, x: Maps, y: Maps, names: list[str]
    ) -> tuple[Maps, list[str]]:
        names.append("pool")
        x.append(F.max_pool2d(x[-1], kernel_size=1, stride=2, padding=0))
        return x, names


class LastLevelP6P7(ExtraFPNBlock):
    """Adds "p6" and "p7" by convolutions of stride 2, as RetinaNet does.

    They begin at the network's coarsest map where it has `in_channels` == `out_channels`, else at
    the backbone's.

    >>> block = LastLevelP6P7(2, 2)
    >>> maps, names = block([torch.ones(1, 2, 8, 8)], [torch.ones(1, 4, 8, 8)], ["5"])
    >>> names, tuple(maps[-1].shape)
    (['5', 'p6', 'p7'], (1, 2, 2, 2))
    """

    def __init__(self, in_channels: int, out_channels: int) -> None:
        super().__init__()
        self.p6 = nn.Conv2d(in_channels, out_channels, 3, 2, 1)
        self.p7 = nn.Conv2d(out_channels, out_channels, 3, 2, 1)
        for layer in (self.p6, self.p7):
            nn.init.kaiming_uniform_(layer.weight, a=1)
            nn.init.zeros_(layer.bias)
        self.use_P5 = in_channels == out_channels

    def forward(self, p: Maps, c: Maps, names: list[str]) -> tuple[Maps, list[str]]:
        p6 = self.p6(p[-1] if self.use_P5 else c[-1])
        p.extend([p6, self.p7(F.relu(p6))])
        names.extend(["p6", "p7"])
        return p, names
