"""The memory format of convolution weights."""

from __future__ import annotations

from typing import Any

from ..modules.conv import Conv2d, Conv3d, ConvTranspose2d, ConvTranspose3d

__all__ = ["convert_conv2d_weight_memory_format", "convert_conv3d_weight_memory_format"]


def _convert(module: Any, kinds: Any, memory_format: Any) -> Any:
    for part in module.modules():
        if isinstance(part, kinds):
            part.weight.data = part.weight.detach().clone(memory_format=memory_format)
    return module


def convert_conv2d_weight_memory_format(module: Any, memory_format: Any) -> Any:
    """Store the weights of all 2-d convolutions in `memory_format` (channels_last).

    >>> net = nn.Sequential(nn.Conv2d(3, 4, 2))
    >>> net = nn.utils.convert_conv2d_weight_memory_format(net, torch.channels_last)
    >>> net[0].weight.is_contiguous(memory_format=torch.channels_last)
    True
    """
    return _convert(module, (Conv2d, ConvTranspose2d), memory_format)


def convert_conv3d_weight_memory_format(module: Any, memory_format: Any) -> Any:
    """Store the weights of all 3-d convolutions in `memory_format` (channels_last_3d).

    >>> net = nn.Sequential(nn.Conv3d(3, 4, 2))
    >>> net = nn.utils.convert_conv3d_weight_memory_format(net, torch.channels_last_3d)
    >>> net[0].weight.is_contiguous(memory_format=torch.channels_last_3d)
    True
    """
    return _convert(module, (Conv3d, ConvTranspose3d), memory_format)
