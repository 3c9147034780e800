"""Swin: attention inside small windows, which are shifted by half in every second block
(https://arxiv.org/abs/2103.14030), and its second version, with cosines in place of products and
norms behind the layers (https://arxiv.org/abs/2111.09883).

`_windows.py` cuts the windows and attends in them; `video/swin_transformer.py` does it in time too.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from typing import Any

import rushlight

from ... import nn
from ...nn import functional as F
from ...tensor import Tensor
from ..ops.misc import MLP, Permute
from ..ops.stochastic_depth import StochasticDepth
from ._api import WeightsEnum, assemble, builder, imagenet
from ._utils import Layer
from ._windows import _get_relative_position_bias, relative_positions, shifted_window_attention

__all__ = [
    "SwinTransformer",
    "Swin_B_Weights",
    "Swin_S_Weights",
    "Swin_T_Weights",
    "Swin_V2_B_Weights",
    "Swin_V2_S_Weights",
    "Swin_V2_T_Weights",
    "swin_b",
    "swin_s",
    "swin_t",
    "swin_v2_b",
    "swin_v2_s",
    "swin_v2_t",
]

# They look at sizes.
_FX_WHOLE = ("_get_relative_position_bias", "_patch_merging_pad", "shifted_window_attention")


class PatchMerging(nn.Module):
    """Four neighbours as one: (..., H, W, C) -> (..., H/2, W/2, 2 C), odd sizes rounded up."""

    def __init__(self, dim: int, norm_layer: Layer = nn.LayerNorm) -> None:
        super().__init__()
        self.dim = dim
        self.reduction = nn.Linear(4 * dim, 2 * dim, bias=False)
        self.norm = norm_layer(4 * dim)

    def forward(self, x: Tensor) -> Tensor:
        return self.reduction(self.norm(_patch_merging_pad(x)))


class PatchMergingV2(nn.Module):
    """:class:`PatchMerging` with the norm behind the linear layer."""

    def __init__(self, dim: int, norm_layer: Layer = nn.LayerNorm) -> None:
        super().__init__()
        self.dim = dim
        self.reduction = nn.Linear(4 * dim, 2 * dim, bias=False)
        self.norm = norm_layer(2 * dim)

    def forward(self, x: Tensor) -> Tensor:
        return self.norm(self.reduction(_patch_merging_pad(x)))


def _patch_merging_pad(x: Tensor) -> Tensor:
    """Each 2x2 of (..., H, W, C) in one row: (..., H/2, W/2, 4 C)."""
    h, w, _ = x.shape[-3:]
    x = F.pad(x, (0, 0, 0, w % 2, 0, h % 2))
    corners = ((0, 0), (1, 0), (0, 1), (1, 1))
    return rushlight.cat([x[..., i::2, j::2, :] for i, j in corners], -1)


class ShiftedWindowAttention(nn.Module):
    """:func:`shifted_window_attention` with its weights: (B, H, W, C) -> the same.

    The bias of each pair of pixels depends on where one lies relative to the other, and is learned.
    """

    sides = 2  # of a window

    def __init__(
        self,
        dim: int,
        window_size: Sequence[int],
        shift_size: Sequence[int],
        num_heads: int,
        qkv_bias: bool = True,
        proj_bias: bool = True,
        attention_dropout: float = 0.0,
        dropout: float = 0.0,
    ) -> None:
        super().__init__()
        if len(window_size) != self.sides or len(shift_size) != self.sides:
            raise ValueError(f"window_size and shift_size must be of length {self.sides}")
        self.window_size = list(window_size)
        self.shift_size = list(shift_size)
        self.num_heads = num_heads
        self.attention_dropout = attention_dropout
        self.dropout = dropout
        self.qkv = nn.Linear(dim, dim * 3, bias=qkv_bias)
        self.proj = nn.Linear(dim, dim, bias=proj_bias)
        self.define_relative_position_bias_table()
        self.define_relative_position_index()

    def define_relative_position_bias_table(self) -> None:
        places = 1
        for side in self.window_size:
            places *= 2 * side - 1
        table = rushlight.zeros(places, self.num_heads)
        self.relative_position_bias_table = nn.Parameter(table)
        nn.init.trunc_normal_(self.relative_position_bias_table, std=0.02)

    def define_relative_position_index(self) -> None:
        index = relative_positions(self.window_size).flatten()
        self.register_buffer("relative_position_index", index)

    def get_relative_position_bias(self) -> Tensor:  # (1, heads, pixels, pixels)
        index: Any = self.relative_position_index
        return _get_relative_position_bias(
            self.relative_position_bias_table, index, self.window_size
        )

    def attend(self, x: Tensor, bias: Tensor, window: list[int], shift: list[int]) -> Tensor:
        return shifted_window_attention(
            x,
            self.qkv.weight,
            self.proj.weight,
            bias,
            window,
            self.num_heads,
            shift_size=shift,
            attention_dropout=self.attention_dropout,
            dropout=self.dropout,
            qkv_bias=self.qkv.bias,
            proj_bias=self.proj.bias,
            logit_scale=getattr(self, "logit_scale", None),
            training=self.training,
        )

    def forward(self, x: Tensor) -> Tensor:
        bias = self.get_relative_position_bias()
        return self.attend(x, bias, self.window_size, self.shift_size)


class ShiftedWindowAttentionV2(ShiftedWindowAttention):
    """:class:`ShiftedWindowAttention` of cosines, with biases computed from the positions."""

    def __init__(
        self,
        dim: int,
        window_size: Sequence[int],
        shift_size: Sequence[int],
        num_heads: int,
        qkv_bias: bool = True,
        proj_bias: bool = True,
        attention_dropout: float = 0.0,
        dropout: float = 0.0,
    ) -> None:
        super().__init__(
            dim,
            window_size,
            shift_size,
            num_heads,
            qkv_bias,
            proj_bias,
            attention_dropout,
            dropout,
        )
        self.logit_scale = nn.Parameter(rushlight.log(10 * rushlight.ones(num_heads, 1, 1)))
        self.cpb_mlp = nn.Sequential(
            nn.Linear(2, 512), nn.ReLU(inplace=True), nn.Linear(512, num_heads, bias=False)
        )
        if self.qkv.bias is not None:
            self.qkv.bias.data[dim : 2 * dim] = 0

    def define_relative_position_bias_table(self) -> None:
        sides = [
            rushlight.arange(1 - side, side, dtype=rushlight.float32) / (side - 1)
            for side in self.window_size
        ]
        # From -8 to 8, then by logarithm, so that larger windows need little that is new.
        table = rushlight.stack(rushlight.meshgrid(*sides, indexing="ij"), -1)[None] * 8
        table = table.sign() * rushlight.log2(table.abs() + 1.0) / 3.0
        self.register_buffer("relative_coords_table", table)  # (1, 2h - 1, 2w - 1, 2)

    def get_relative_position_bias(self) -> Tensor:
        index: Any = self.relative_position_index
        table = self.cpb_mlp(self.relative_coords_table).view(-1, self.num_heads)
        bias = _get_relative_position_bias(table, index, self.window_size)
        return 16 * rushlight.sigmoid(bias)


class SwinTransformerBlock(nn.Module):
    """Attention and an MLP, each behind a norm and beside a shortcut.

    Args:
        window_size: of the attention.
        shift_size: how far its windows are moved.
        mlp_ratio: how much wider the MLP is.
        attn_layer: in place of :class:`ShiftedWindowAttention`.
    """

    def __init__(
        self,
        dim: int,
        num_heads: int,
        window_size: Sequence[int],
        shift_size: Sequence[int],
        mlp_ratio: float = 4.0,
        dropout: float = 0.0,
        attention_dropout: float = 0.0,
        stochastic_depth_prob: float = 0.0,
        norm_layer: Layer = nn.LayerNorm,
        attn_layer: Layer = ShiftedWindowAttention,
    ) -> None:
        super().__init__()
        self.norm1 = norm_layer(dim)
        self.attn = attn_layer(
            dim,
            window_size,
            shift_size,
            num_heads,
            attention_dropout=attention_dropout,
            dropout=dropout,
        )
        self.stochastic_depth = StochasticDepth(stochastic_depth_prob, "row")
        self.norm2 = norm_layer(dim)
        self.mlp = MLP(
            dim, [int(dim * mlp_ratio), dim], activation_layer=nn.GELU, dropout=dropout
        )
        for m in self.mlp.modules():
            if isinstance(m, nn.Linear):
                nn.init.xavier_uniform_(m.weight)
                nn.init.normal_(m.bias, std=1e-6)

    def forward(self, x: Tensor) -> Tensor:  # (B, H, W, C)
        x = x + self.stochastic_depth(self.attn(self.norm1(x)))
        return x + self.stochastic_depth(self.mlp(self.norm2(x)))


class SwinTransformerBlockV2(SwinTransformerBlock):
    """:class:`SwinTransformerBlock` with the norms behind the layers."""

    def __init__(
        self,
        dim: int,
        num_heads: int,
        window_size: Sequence[int],
        shift_size: Sequence[int],
        mlp_ratio: float = 4.0,
        dropout: float = 0.0,
        attention_dropout: float = 0.0,
        stochastic_depth_prob: float = 0.0,
        norm_layer: Layer = nn.LayerNorm,
        attn_layer: Layer = ShiftedWindowAttentionV2,
    ) -> None:
        super().__init__(
            dim,
            num_heads,
            window_size,
            shift_size,
            mlp_ratio,
            dropout,
            attention_dropout,
            stochastic_depth_prob,
            norm_layer,
            attn_layer,
        )

    def forward(self, x: Tensor) -> Tensor:  # (B, H, W, C)
        x = x + self.stochastic_depth(self.norm1(self.attn(x)))
        return x + self.stochastic_depth(self.norm2(self.mlp(x)))


def stages(
    block: Layer,
    merge: Layer,
    norm_layer: Layer,
    dim: int,
    depths: Sequence[int],
    num_heads: Sequence[int],
    window_size: Sequence[int],
    stochastic_depth_prob: float,
    **options: Any,
) -> list[nn.Module]:
    """Blocks whose every second one is shifted by half a window, and mergings between stages.

    The probability of leaving a block out rises from 0 at the first to `stochastic_depth_prob`.
    """
    layers: list[nn.Module] = []
    total, done = sum(depths), 0
    for i, depth in enumerate(depths):
        stage = []
        for j in range(depth):
            stage.append(
                block(
                    dim,
                    num_heads[i],
                    window_size=window_size,
                    shift_size=[0 if j % 2 == 0 else side // 2 for side in window_size],
                    stochastic_depth_prob=stochastic_depth_prob * done / max(total - 1, 1),
                    norm_layer=norm_layer,
                    **options,
                )
            )
            done += 1
        layers.append(nn.Sequential(*stage))
        if i < len(depths) - 1:
            layers.append(merge(dim, norm_layer))
            dim *= 2
    return layers


class SwinTransformer(nn.Module):
    """Patches, stages of windowed attention with mergings between them, a linear layer.

    Args:
        patch_size: height and width of a patch.
        embed_dim: channels of the first stage; each further has twice as many.
        depths, num_heads: blocks and heads of each stage.
        window_size: of the attention, in patches.
        mlp_ratio: how much wider the MLPs are.
        stochastic_depth_prob: of the last block; it rises from 0 at the first.
        norm_layer: in place of LayerNorm with eps 1e-5.
        block: in place of :class:`SwinTransformerBlock`.
        downsample_layer: in place of :class:`PatchMerging`.

    >>> net = SwinTransformer([4, 4], 8, [1, 2], [2, 4], [3, 3], num_classes=5)
    >>> net(torch.zeros(2, 3, 32, 40)).shape
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
        num_classes: int = 1000,
        norm_layer: Layer | None = None,
        block: Layer | None = None,
        downsample_layer: Layer = PatchMerging,
    ) -> None:
        super().__init__()
        self.num_classes = num_classes
        norm = norm_layer or partial(nn.LayerNorm, eps=1e-5)
        patch = patch_size[0], patch_size[1]
        self.features = nn.Sequential(
            nn.Sequential(
                nn.Conv2d(3, embed_dim, kernel_size=patch, stride=patch),
                Permute([0, 2, 3, 1]),
                norm(embed_dim),
            ),
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
            ),
        )
        features = embed_dim << (len(depths) - 1)
        self.norm = norm(features)
        self.permute = Permute([0, 3, 1, 2])
        self.avgpool = nn.AdaptiveAvgPool2d(1)
        self.flatten = nn.Flatten(1)
        self.head = nn.Linear(features, num_classes)
        linear_values(self)

    def forward(self, x: Tensor) -> Tensor:  # (B, 3, H, W)
        x = self.permute(self.norm(self.features(x)))  # (B, C, H/32, W/32)
        return self.head(self.flatten(self.avgpool(x)))  # (B, num_classes)


def linear_values(model: nn.Module) -> None:
    """Small normal weights and zero biases for all linear layers."""
    for m in model.modules():
        if isinstance(m, nn.Linear):
            nn.init.trunc_normal_(m.weight, std=0.02)
            if m.bias is not None:
                nn.init.zeros_(m.bias)


def _swin(
    version: int,
    dim: int,
    third: int,
    heads: int,
    depth_prob: float,
    weights: WeightsEnum | None,
    progress: bool,
    **kwargs: Any,
) -> SwinTransformer:
    """Four stages of 2, 2, `third` and 2 blocks, with `dim` channels and `heads` heads at first."""
    window = 7
    if version == 2:
        window = 8
        kwargs.update(block=SwinTransformerBlockV2, downsample_layer=PatchMergingV2)
    return assemble(
        SwinTransformer,
        weights,
        progress,
        patch_size=[4, 4],
        embed_dim=dim,
        depths=[2, 2, third, 2],
        num_heads=[heads << i for i in range(4)],
        window_size=[window, window],
        stochastic_depth_prob=depth_prob,
        **kwargs,
    )


class Swin_T_Weights(WeightsEnum):
    """Trained weights of `swin_t`."""

    IMAGENET1K_V1 = imagenet(
        "swin_t-704ceda3.pth", 28_288_354, 81.474, 95.776, 4.491, 108.19, "#swintransformer",
        min_size=(224, 224), bicubic=True, resize_size=232,
    )
    DEFAULT = IMAGENET1K_V1


class Swin_S_Weights(WeightsEnum):
    """Trained weights of `swin_s`."""

    IMAGENET1K_V1 = imagenet(
        "swin_s-5e29d889.pth", 49_606_258, 83.196, 96.36, 8.741, 189.786, "#swintransformer",
        min_size=(224, 224), bicubic=True, resize_size=246,
    )
    DEFAULT = IMAGENET1K_V1


class Swin_B_Weights(WeightsEnum):
    """Trained weights of `swin_b`."""

    IMAGENET1K_V1 = imagenet(
        "swin_b-68c6b09e.pth", 87_768_224, 83.582, 96.64, 15.431, 335.364, "#swintransformer",
        min_size=(224, 224), bicubic=True, resize_size=238,
    )
    DEFAULT = IMAGENET1K_V1


class Swin_V2_T_Weights(WeightsEnum):
    """Trained weights of `swin_v2_t`."""

    IMAGENET1K_V1 = imagenet(
        "swin_v2_t-b137f0e2.pth", 28_351_570, 82.072, 96.132, 5.94, 108.626, "#swintransformer-v2",
        min_size=(256, 256), crop=256, bicubic=True, resize_size=260,
    )
    DEFAULT = IMAGENET1K_V1


class Swin_V2_S_Weights(WeightsEnum):
    """Trained weights of `swin_v2_s`."""

    IMAGENET1K_V1 = imagenet(
        "swin_v2_s-637d8ceb.pth", 49_737_442, 83.712, 96.816, 11.546, 190.675,
        "#swintransformer-v2", min_size=(256, 256), crop=256, bicubic=True, resize_size=260,
    )
    DEFAULT = IMAGENET1K_V1


class Swin_V2_B_Weights(WeightsEnum):
    """Trained weights of `swin_v2_b`."""

    IMAGENET1K_V1 = imagenet(
        "swin_v2_b-781e5279.pth", 87_930_848, 84.112, 96.864, 20.325, 336.372,
        "#swintransformer-v2", min_size=(256, 256), crop=256, bicubic=True, resize_size=272,
    )
    DEFAULT = IMAGENET1K_V1


@builder(Swin_T_Weights)
def swin_t(
    *, weights: Swin_T_Weights | None = None, progress: bool = True, **kwargs: Any
) -> SwinTransformer:
    """Swin-T; `kwargs` go to :class:`SwinTransformer`."""
    return _swin(1, 96, 6, 3, 0.2, weights, progress, **kwargs)


@builder(Swin_S_Weights)
def swin_s(
    *, weights: Swin_S_Weights | None = None, progress: bool = True, **kwargs: Any
) -> SwinTransformer:
    """Swin-S; `kwargs` go to :class:`SwinTransformer`."""
    return _swin(1, 96, 18, 3, 0.3, weights, progress, **kwargs)


@builder(Swin_B_Weights)
def swin_b(
    *, weights: Swin_B_Weights | None = None, progress: bool = True, **kwargs: Any
) -> SwinTransformer:
    """Swin-B; `kwargs` go to :class:`SwinTransformer`."""
    return _swin(1, 128, 18, 4, 0.5, weights, progress, **kwargs)


@builder(Swin_V2_T_Weights)
def swin_v2_t(
    *, weights: Swin_V2_T_Weights | None = None, progress: bool = True, **kwargs: Any
) -> SwinTransformer:
    """Swin V2-T; `kwargs` go to :class:`SwinTransformer`."""
    return _swin(2, 96, 6, 3, 0.2, weights, progress, **kwargs)


@builder(Swin_V2_S_Weights)
def swin_v2_s(
    *, weights: Swin_V2_S_Weights | None = None, progress: bool = True, **kwargs: Any
) -> SwinTransformer:
    """Swin V2-S; `kwargs` go to :class:`SwinTransformer`."""
    return _swin(2, 96, 18, 3, 0.3, weights, progress, **kwargs)


@builder(Swin_V2_B_Weights)
def swin_v2_b(
    *, weights: Swin_V2_B_Weights | None = None, progress: bool = True, **kwargs: Any
) -> SwinTransformer:
    """Swin V2-B; `kwargs` go to :class:`SwinTransformer`."""
    return _swin(2, 128, 18, 4, 0.5, weights, progress, **kwargs)
