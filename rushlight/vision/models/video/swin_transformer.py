"""Swin for videos: attention inside windows of space and time
(https://arxiv.org/abs/2106.13230). The blocks are those for images.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from typing import Any

from .... import nn
from ....nn import functional as F
from ....tensor import Tensor
from .._api import WeightsEnum, assemble, builder
from .._utils import Layer
from .._windows import _get_relative_position_bias, relative_positions
from ..swin_transformer import (
    PatchMerging,
    ShiftedWindowAttention,
    SwinTransformerBlock,
    linear_values,
    stages,
)
from ._utils import kinetics

__all__ = [
    "Swin3D_B_Weights",
    "Swin3D_S_Weights",
    "Swin3D_T_Weights",
    "SwinTransformer3d",
    "swin3d_b",
    "swin3d_s",
    "swin3d_t",
]

_FX_WHOLE = ("_get_relative_position_bias", "fitting", "pad_to_patches")  # they look at sizes


def fitting(window: Sequence[int], x: Tensor) -> list[int]:
    """The window, but no larger than the videos (B, T, H, W, C)."""
    return [min(w, side) for w, side in zip(window, x.shape[1:-1], strict=True)]


def pad_to_patches(x: Tensor, patch: Sequence[int]) -> Tensor:
    """Videos (B, C, T, H, W) with zeros behind, up to a whole number of patches."""
    sizes = zip(x.shape[:1:-1], patch[::-1], strict=True)
    return F.pad(x, [n for side, p in sizes for n in (0, -side % p)])


class ShiftedWindowAttention3d(ShiftedWindowAttention):
    """Attention in windows: (B, T, H, W, C) -> the same. Windows shrink to smaller videos."""

    sides = 3

    def define_relative_position_index(self) -> None:
        self.register_buffer("relative_position_index", relative_positions(self.window_size))

    def bias_of(self, window: Sequence[int]) -> Tensor:  # (1, heads, pixels, pixels)
        index: Any = self.relative_position_index
        return _get_relative_position_bias(self.relative_position_bias_table, index, window)

    def forward(self, x: Tensor) -> Tensor:
        window = fitting(self.window_size, x)
        return self.attend(x, self.bias_of(window), window, self.shift_size)


class PatchEmbed3d(nn.Module):
    """Patches of videos: (B, C, T, H, W) -> (B, T/t, H/h, W/w, embed_dim), sizes rounded up."""

    def __init__(
        self,
        patch_size: Sequence[int],
        in_channels: int = 3,
        embed_dim: int = 96,
        norm_layer: Layer | None = None,
    ) -> None:
        super().__init__()
        self.tuple_patch_size = patch_size[0], patch_size[1], patch_size[2]
        patch = self.tuple_patch_size
        self.proj = nn.Conv3d(in_channels, embed_dim, kernel_size=patch, stride=patch)
        self.norm = nn.Identity() if norm_layer is None else norm_layer(embed_dim)

    def forward(self, x: Tensor) -> Tensor:
        x = self.proj(pad_to_patches(x, self.tuple_patch_size))
        return self.norm(x.permute(0, 2, 3, 4, 1))


class SwinTransformer3d(nn.Module):
    """Patches, stages of windowed attention with mergings between them, a linear layer.

    Args: those of :class:`rushlight.vision.models.SwinTransformer`, `patch_size` and `window_size`
        of three sides (time, height, width), and `patch_embed` in place of :class:`PatchEmbed3d`.

    >>> net = SwinTransformer3d([2, 4, 4], 8, [1, 2], [2, 4], [2, 3, 3], num_classes=5)
    >>> net(torch.zeros(2, 3, 4, 32, 24)).shape
    torch.Size([2, 5])
    """

    def __init__(
        self,
        patch_size: Sequence[int],
        embed_dim: int,
        depths: Sequence[int],
        num_heads: Sequence[int],
        window_size: Sequence[int],
        mlp_ratio: float = 4.0,
        dropout: float = 0.0,
        attention_dropout: float = 0.0,
        stochastic_depth_prob: float = 0.1,
        num_classes: int = 400,
        norm_layer: Layer | None = None,
        block: Layer | None = None,
        downsample_layer: Layer = PatchMerging,
        patch_embed: Layer | None = None,
    ) -> None:
        super().__init__()
        self.num_classes = num_classes
        norm = norm_layer or partial(nn.LayerNorm, eps=1e-5)
        embed = patch_embed or PatchEmbed3d
        self.patch_embed = embed(patch_size=patch_size, embed_dim=embed_dim, norm_layer=norm)
        self.pos_drop = nn.Dropout(p=dropout)
        self.features = nn.Sequential(
            *stages(
                block or SwinTransformerBlock,
                downsample_layer,
                norm,
                embed_dim,
                depths,
                num_heads,
                window_size,
                stochastic_depth_prob,
                mlp_ratio=mlp_ratio,
                dropout=dropout,
                attention_dropout=attention_dropout,
                attn_layer=ShiftedWindowAttention3d,
            )
        )
        self.num_features = embed_dim << (len(depths) - 1)
        self.norm = norm(self.num_features)
        self.avgpool = nn.AdaptiveAvgPool3d(1)
        self.head = nn.Linear(self.num_features, num_classes)
        linear_values(self)

    def forward(self, x: Tensor) -> Tensor:  # (B, 3, T, H, W)
        x = self.norm(self.features(self.pos_drop(self.patch_embed(x))))  # (B, t, h, w, C)
        x = self.avgpool(x.permute(0, 4, 1, 2, 3)).flatten(1)  # (B, C)
        return self.head(x)  # (B, num_classes)


def _swin3d(
    dim: int,
    third: int,
    heads: int,
    weights: WeightsEnum | None,
    progress: bool,
    **kwargs: Any,
) -> SwinTransformer3d:
    """Four stages of 2, 2, `third` and 2 blocks, with `dim` channels and `heads` heads at first."""
    return assemble(
        SwinTransformer3d,
        weights,
        progress,
        patch_size=[2, 4, 4],
        embed_dim=dim,
        depths=[2, 2, third, 2],
        num_heads=[heads << i for i in range(4)],
        window_size=[8, 7, 7],
        stochastic_depth_prob=0.1,
        **kwargs,
    )


RECIPE = "https://github.com/SwinTransformer/Video-Swin-Transformer#kinetics-400"
PRESET: dict[str, Any] = {
    "min_temporal_size": 1,
    "crop_size": (224, 224),
    "resize_size": (256,),
    "mean": (0.485, 0.456, 0.406),
    "std": (0.229, 0.224, 0.225),
}


class Swin3D_T_Weights(WeightsEnum):
    """Trained weights of `swin3d_t`."""

    KINETICS400_V1 = kinetics(
        "swin3d_t-7615ae03.pth", 28_158_070, 77.715, 93.519, 43.882, 121.543, RECIPE, **PRESET,
    )
    DEFAULT = KINETICS400_V1


class Swin3D_S_Weights(WeightsEnum):
    """Trained weights of `swin3d_s`."""

    KINETICS400_V1 = kinetics(
        "swin3d_s-da41c237.pth", 49_816_678, 79.521, 94.158, 82.841, 218.288, RECIPE, **PRESET,
    )
    DEFAULT = KINETICS400_V1


class Swin3D_B_Weights(WeightsEnum):
    """Trained weights of `swin3d_b`."""

    KINETICS400_V1 = kinetics(
        "swin3d_b_1k-24f7c7c6.pth", 88_048_984, 79.427, 94.386, 140.667, 364.134, RECIPE, **PRESET,
    )
    KINETICS400_IMAGENET22K_V1 = kinetics(
        "swin3d_b_22k-7c6ae6fa.pth", 88_048_984, 81.643, 95.574, 140.667, 364.134, RECIPE, **PRESET,
    )
    DEFAULT = KINETICS400_V1


@builder(Swin3D_T_Weights, "KINETICS400_V1")
def swin3d_t(
    *, weights: Swin3D_T_Weights | None = None, progress: bool = True, **kwargs: Any
) -> SwinTransformer3d:
    """Video Swin-T; `kwargs` go to :class:`SwinTransformer3d`."""
    return _swin3d(96, 6, 3, weights, progress, **kwargs)


@builder(Swin3D_S_Weights, "KINETICS400_V1")
def swin3d_s(
    *, weights: Swin3D_S_Weights | None = None, progress: bool = True, **kwargs: Any
) -> SwinTransformer3d:
    """Video Swin-S; `kwargs` go to :class:`SwinTransformer3d`."""
    return _swin3d(96, 18, 3, weights, progress, **kwargs)


@builder(Swin3D_B_Weights, "KINETICS400_V1")
def swin3d_b(
    *, weights: Swin3D_B_Weights | None = None, progress: bool = True, **kwargs: Any
) -> SwinTransformer3d:
    """Video Swin-B; `kwargs` go to :class:`SwinTransformer3d`."""
    return _swin3d(128, 18, 4, weights, progress, **kwargs)
