"""DropBlock: whole squares of feature maps left out at random (https://arxiv.org/abs/1810.12890)."""

from __future__ import annotations

import math

import rushlight

from ... import nn
from ...tensor import Tensor

__all__ = ["DropBlock2d", "DropBlock3d", "drop_block2d", "drop_block3d"]


def _drop(
    input: Tensor, p: float, block_size: int, inplace: bool, eps: float, training: bool, dims: int
) -> Tensor:
    if p < 0.0 or p > 1.0:
        raise ValueError(f"drop probability has to be between 0 and 1, but got {p}.")
    if input.ndim != dims + 2:
        raise ValueError(
            f"input should be {dims + 2} dimensional. Got {input.ndim} dimensions."
        )
    if not training or p == 0.0:
        return input
    sizes = tuple(input.shape[2:])
    block = min(block_size, *sizes)
    if block % 2 == 0:
        raise ValueError(f"block size should be odd. Got {block} which is even.")
    inner = [size - block + 1 for size in sizes]  # where a block's centre may be
    gamma = (p * math.prod(sizes)) / (block**dims * math.prod(inner))
    noise = rushlight.empty((*input.shape[:2], *inner), dtype=input.dtype, device=input.device)
    noise = nn.functional.pad(noise.bernoulli_(gamma), [block // 2] * (2 * dims), value=0)
    pool = nn.functional.max_pool2d if dims == 2 else nn.functional.max_pool3d
    noise = 1 - pool(noise, kernel_size=block, stride=1, padding=block // 2)
    scale = noise.numel() / (eps + noise.sum())
    return input.mul_(noise).mul_(scale) if inplace else input * noise * scale


def drop_block2d(
    input: Tensor,
    p: float,
    block_size: int,
    inplace: bool = False,
    eps: float = 1e-06,
    training: bool = True,
) -> Tensor:
    """Zero squares of `input` (N, C, H, W) so that a share `p` is gone, and scale up the rest.

    Args:
        block_size: the squares' side, odd; at most the image's shorter side is taken.
        eps: added to the number of elements that stay, which is divided by.
        training: without it the input is returned.

    >>> drop_block2d(torch.ones(1, 1, 2, 2), 0.5, 1, training=False).sum()
    tensor(4.)
    """
    return _drop(input, p, block_size, inplace, eps, training, 2)


def drop_block3d(
    input: Tensor,
    p: float,
    block_size: int,
    inplace: bool = False,
    eps: float = 1e-06,
    training: bool = True,
) -> Tensor:
    """:func:`drop_block2d` with cubes of `input` (N, C, D, H, W).

    >>> drop_block3d(torch.ones(1, 1, 2, 2, 2), 0.5, 1, training=False).sum()
    tensor(8.)
    """
    return _drop(input, p, block_size, inplace, eps, training, 3)


class DropBlock2d(nn.Module):
    """:func:`drop_block2d` as a layer.

    >>> DropBlock2d(0.1, 3)
    DropBlock2d(p=0.1, block_size=3, inplace=False)
    """

    def __init__(
        self, p: float, block_size: int, inplace: bool = False, eps: float = 1e-06
    ) -> None:
        super().__init__()
        self.p = p
        self.block_size = block_size
        self.inplace = inplace
        self.eps = eps

    def forward(self, input: Tensor) -> Tensor:
        return drop_block2d(
            input, self.p, self.block_size, self.inplace, self.eps, self.training
        )

    def __repr__(self) -> str:
        name = type(self).__name__
        return f"{name}(p={self.p}, block_size={self.block_size}, inplace={self.inplace})"


class DropBlock3d(DropBlock2d):
    """:func:`drop_block3d` as a layer.

    >>> DropBlock3d(0.1, 3)
    DropBlock3d(p=0.1, block_size=3, inplace=False)
    """

    def forward(self, input: Tensor) -> Tensor:
        return drop_block3d(
            input, self.p, self.block_size, self.inplace, self.eps, self.training
        )
