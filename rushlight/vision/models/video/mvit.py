"""MViT: attention whose queries, keys and values are pooled, so that videos shrink as channels grow
(https://arxiv.org/abs/2104.11227), and its second version, with relative positions and shortcuts
over the pooling (https://arxiv.org/abs/2112.01526).

Videos go through the blocks as rows (B, 1 + T H W, C), a class token first, beside their sizes.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any

import rushlight

from .... import nn
from ....nn import functional as F
from ....tensor import Tensor
from ...ops.misc import MLP
from ...ops.stochastic_depth import StochasticDepth
from .._api import WeightsEnum, assemble, builder, fix
from .._utils import Layer
from ._utils import kinetics

__all__ = ["MViT", "MViT_V1_B_Weights", "MViT_V2_S_Weights", "mvit_v1_b", "mvit_v2_s"]

_FX_WHOLE = ("_add_rel_pos", "_add_shortcut", "_squeeze", "_unsqueeze")  # they look at sizes

Size = tuple[int, int, int]  # time, height, width


@dataclass
class MSBlockConfig:
    """One block: heads, channels, and kernels and strides of the pooling ([]: there is none)."""

    num_heads: int
    input_channels: int
    output_channels: int
    kernel_q: Sequence[int]
    kernel_kv: Sequence[int]
    stride_q: Sequence[int]
    stride_kv: Sequence[int]


def _unsqueeze(x: Tensor, target_dim: int, expand_dim: int) -> tuple[Tensor, int]:
    """`x` with `target_dim` dimensions, and how many it had: that many, or one fewer."""
    dim = x.dim()
    if dim not in (target_dim - 1, target_dim):
        raise ValueError(f"Unsupported input dimension {x.shape}")
    return x if dim == target_dim else x.unsqueeze(expand_dim), dim


def _squeeze(x: Tensor, target_dim: int, expand_dim: int, tensor_dim: int) -> Tensor:
    """What :func:`_unsqueeze` was given."""
    return x if tensor_dim == target_dim else x.squeeze(expand_dim)


class Pool(nn.Module):
    """`pool` of the videos in rows: (B, N, 1 + T H W, C) or without N; the token stays.

    Args:
        norm, activation: of what is pooled, token and all; with `norm_before_pool` of what will be.
    """

    def __init__(
        self,
        pool: nn.Module,
        norm: nn.Module | None,
        activation: nn.Module | None = None,
        norm_before_pool: bool = False,
    ) -> None:
        super().__init__()
        self.pool = pool
        layers = [layer for layer in (norm, activation) if layer is not None]
        self.norm_act = nn.Sequential(*layers) if layers else None
        self.norm_before_pool = norm_before_pool

    def forward(self, x: Tensor, thw: Size) -> tuple[Tensor, Size]:
        several, dim = _unsqueeze(x, 4, 1)  # (B, N, 1 + T H W, C)
        token, y = several[:, :, :1], several[:, :, 1:].transpose(2, 3)
        b, n, c = y.shape[:3]
        y = y.reshape((b * n, c) + thw)  # noqa: RUF005 (thw may be a tracer's)
        if self.norm_before_pool and self.norm_act is not None:
            y = self.norm_act(y)
        y = self.pool(y)
        t, h, w = y.shape[2:]
        y = rushlight.cat([token, y.reshape(b, n, c, -1).transpose(2, 3)], dim=2)
        if not self.norm_before_pool and self.norm_act is not None:
            y = self.norm_act(y)
        return _squeeze(y, 4, 1, dim), (t, h, w)


def _relative(table: Tensor, q: int, k: int) -> Tensor:
    """Rows of `table` (places, C) for each query and key along one side: (q, k, C).

    A table of another length is interpolated; the coarser of both sides counts in larger steps.
    """
    places = 2 * max(q, k) - 1
    if table.shape[0] != places:
        table = F.interpolate(table.permute(1, 0)[None], size=places, mode="linear")[0]
        table = table.permute(1, 0)
    of_q = rushlight.arange(q, device=table.device)[:, None] * max(k / q, 1.0)
    of_k = (rushlight.arange(k, device=table.device)[None] + (1.0 - k)) * max(q / k, 1.0)
    return table[(of_q - of_k).long()]


def _add_rel_pos(
    attn: Tensor,
    q: Tensor,
    q_thw: Size,
    k_thw: Size,
    rel_pos_h: Any,
    rel_pos_w: Any,
    rel_pos_t: Any,
) -> Tensor:
    """`attn` (B, heads, queries, keys) and q . R for all but the tokens."""
    rows = q[:, :, 1:].unflatten(2, q_thw)  # (B, heads, T, H, W, C)
    of_t, of_h, of_w = map(_relative, (rel_pos_t, rel_pos_h, rel_pos_w), q_thw, k_thw)
    in_t = rushlight.einsum("bythwc,tkc->bythwk", rows, of_t)
    in_h = rushlight.einsum("bythwc,hkc->bythwk", rows, of_h)
    in_w = rushlight.einsum("bythwc,wkc->bythwk", rows, of_w)
    added = in_h[..., None, :, None] + in_w[..., None, None, :] + in_t[..., :, None, None]
    added = added.reshape(*q.shape[:2], math.prod(q_thw), math.prod(k_thw))
    return attn + F.pad(added, (1, 0, 1, 0))


def _add_shortcut(x: Tensor, shortcut: Tensor, residual_with_cls_embed: bool) -> Tensor:
    """x + shortcut, or so for all but the tokens."""
    if residual_with_cls_embed:
        return x + shortcut
    return rushlight.cat([x[:, :, :1], x[:, :, 1:] + shortcut[:, :, 1:]], dim=2)


class MultiscaleAttention(nn.Module):
    """Attention of pooled queries to pooled keys: (B, 1 + T H W, C) and its size -> both anew.

    Args:
        input_size: time, height and width of the videos here.
        residual_pool: add the pooled queries to the result, as the second version does.
        residual_with_cls_embed: also the token's.
        rel_pos_embed: add q . R to each product, with a learned R for each relative place.
    """

    def __init__(
        self,
        input_size: Sequence[int],
        embed_dim: int,
        output_dim: int,
        num_heads: int,
        kernel_q: Sequence[int],
        kernel_kv: Sequence[int],
        stride_q: Sequence[int],
        stride_kv: Sequence[int],
        residual_pool: bool,
        residual_with_cls_embed: bool,
        rel_pos_embed: bool,
        dropout: float = 0.0,
        norm_layer: Layer = nn.LayerNorm,
    ) -> None:
        super().__init__()
        self.embed_dim = embed_dim
        self.output_dim = output_dim
        self.num_heads = num_heads
        self.head_dim = output_dim // num_heads
        self.scaler = 1.0 / math.sqrt(self.head_dim)
        self.residual_pool = residual_pool
        self.residual_with_cls_embed = residual_with_cls_embed
        self.qkv = nn.Linear(embed_dim, 3 * output_dim)
        drop = [nn.Dropout(dropout, inplace=True)] if dropout > 0.0 else []
        self.project = nn.Sequential(nn.Linear(output_dim, output_dim), *drop)
        self.pool_q = self._pool(kernel_q, stride_q, norm_layer)
        self.pool_k = self._pool(kernel_kv, stride_kv, norm_layer)
        self.pool_v = self._pool(kernel_kv, stride_kv, norm_layer)
        tables: list[nn.Parameter | None] = [None, None, None]
        if rel_pos_embed:
            side = max(input_size[1:])
            of_q, of_kv = (side // s[1] if s else side for s in (stride_q, stride_kv))
            space = 2 * max(of_q, of_kv) - 1
            for i, places in enumerate((space, space, 2 * input_size[0] - 1)):
                table = tables[i] = nn.Parameter(rushlight.zeros(places, self.head_dim))
                nn.init.trunc_normal_(table, std=0.02)
        self.rel_pos_h, self.rel_pos_w, self.rel_pos_t = tables

    def _pool(self, kernel: Sequence[int], stride: Sequence[int], norm: Layer) -> Pool | None:
        if math.prod(kernel) <= 1 and math.prod(stride) <= 1:
            return None
        conv: Any = nn.Conv3d
        dim, padding = self.head_dim, [k // 2 for k in kernel]
        pool = conv(dim, dim, kernel, stride, padding, groups=dim, bias=False)
        return Pool(pool, norm(dim))

    def forward(self, x: Tensor, thw: Size) -> tuple[Tensor, Size]:
        b, n, _ = x.shape
        qkv = self.qkv(x).reshape(b, n, 3, self.num_heads, self.head_dim)
        q, k, v = qkv.transpose(1, 3).unbind(dim=2)  # (B, heads, 1 + T H W, C / heads)
        k, keys = (k, thw) if self.pool_k is None else self.pool_k(k, thw)
        v = v if self.pool_v is None else self.pool_v(v, thw)[0]
        q, thw = (q, thw) if self.pool_q is None else self.pool_q(q, thw)
        attn = (self.scaler * q) @ k.transpose(2, 3)
        if self.rel_pos_h is not None:
            tables = self.rel_pos_h, self.rel_pos_w, self.rel_pos_t
            attn = _add_rel_pos(attn, q, thw, keys, *tables)
        x = attn.softmax(dim=-1) @ v
        if self.residual_pool:
            x = _add_shortcut(x, q, self.residual_with_cls_embed)
        return self.project(x.transpose(1, 2).reshape(b, -1, self.output_dim)), thw


class MultiscaleBlock(nn.Module):
    """Attention and an MLP, each behind a norm and beside a (pooled) shortcut.

    Args:
        proj_after_attn: the attention changes the channels, as in the second version; else the
            MLP does.
    """

    def __init__(
        self,
        input_size: Sequence[int],
        cnf: MSBlockConfig,
        residual_pool: bool,
        residual_with_cls_embed: bool,
        rel_pos_embed: bool,
        proj_after_attn: bool,
        dropout: float = 0.0,
        stochastic_depth_prob: float = 0.0,
        norm_layer: Layer = nn.LayerNorm,
    ) -> None:
        super().__init__()
        self.proj_after_attn = proj_after_attn
        self.pool_skip: Pool | None = None
        if math.prod(cnf.stride_q) > 1:
            pool: Any = nn.MaxPool3d
            kernel = [s + 1 if s > 1 else s for s in cnf.stride_q]
            padding = [k // 2 for k in kernel]
            self.pool_skip = Pool(pool(kernel, stride=cnf.stride_q, padding=padding), None)
        dim = cnf.output_channels if proj_after_attn else cnf.input_channels
        self.norm1 = norm_layer(cnf.input_channels)
        self.norm2 = norm_layer(dim)
        self.needs_transposal = isinstance(self.norm1, nn.BatchNorm1d)
        self.attn = MultiscaleAttention(
            input_size,
            cnf.input_channels,
            dim,
            cnf.num_heads,
            cnf.kernel_q,
            cnf.kernel_kv,
            cnf.stride_q,
            cnf.stride_kv,
            residual_pool,
            residual_with_cls_embed,
            rel_pos_embed,
            dropout,
            norm_layer,
        )
        self.mlp = MLP(
            dim, [4 * dim, cnf.output_channels], activation_layer=nn.GELU, dropout=dropout
        )
        self.stochastic_depth = StochasticDepth(stochastic_depth_prob, "row")
        self.project: nn.Linear | None = None
        if cnf.input_channels != cnf.output_channels:
            self.project = nn.Linear(cnf.input_channels, cnf.output_channels)

    def _normed(self, norm: nn.Module, x: Tensor) -> Tensor:
        return norm(x.transpose(1, 2)).transpose(1, 2) if self.needs_transposal else norm(x)

    def forward(self, x: Tensor, thw: Size) -> tuple[Tensor, Size]:
        y = self._normed(self.norm1, x)
        attended, size = self.attn(y, thw)
        if self.project is not None and self.proj_after_attn:
            x = self.project(y)
        skip = x if self.pool_skip is None else self.pool_skip(x, thw)[0]
        x = skip + self.stochastic_depth(attended)
        y = self._normed(self.norm2, x)
        if self.project is not None and not self.proj_after_attn:
            x = self.project(y)
        return x + self.stochastic_depth(self.mlp(y)), size


class PositionalEncoding(nn.Module):
    """A class token in front, and, without `rel_pos_embed`, learned places of space and time."""

    def __init__(
        self,
        embed_size: int,
        spatial_size: tuple[int, int],
        temporal_size: int,
        rel_pos_embed: bool,
    ) -> None:
        super().__init__()
        self.spatial_size = spatial_size
        self.temporal_size = temporal_size

        def zeros(*size: int) -> nn.Parameter:
            return nn.Parameter(rushlight.zeros(*size, embed_size))

        self.class_token = zeros()
        absolute = not rel_pos_embed
        self.spatial_pos = zeros(spatial_size[0] * spatial_size[1]) if absolute else None
        self.temporal_pos = zeros(temporal_size) if absolute else None
        self.class_pos = zeros() if absolute else None

    def forward(self, x: Tensor) -> Tensor:  # (B, T H W, C)
        token = self.class_token.expand(x.shape[0], 1, -1)
        x = rushlight.cat([token, x], dim=1)  # (B, 1 + T H W, C)
        if self.spatial_pos is None or self.temporal_pos is None or self.class_pos is None:
            return x
        places = self.temporal_pos[:, None] + self.spatial_pos  # (T, H W, C)
        return x + rushlight.cat([self.class_pos[None], places.flatten(0, 1)])


class MViT(nn.Module):
    """Overlapping patches, blocks of pooled attention, a linear layer on the class token.

    Args:
        spatial_size, temporal_size: of the videos (B, 3, T, H, W); all must have them.
        block_setting: one configuration a block.
        residual_pool, residual_with_cls_embed, rel_pos_embed, proj_after_attn: what tells the
            versions apart; see :class:`MultiscaleAttention` and :class:`MultiscaleBlock`.
        dropout: before the last layer.
        attention_dropout: in the blocks.
        stochastic_depth_prob: of the last block; it rises from 0 at the first.
        patch_embed_kernel, patch_embed_stride, patch_embed_padding: of the patches.

    >>> rows = [MSBlockConfig(1, 8, 8, [], [3, 3, 3], [], [1, 2, 2])]
    >>> net = MViT((16, 16), 4, rows, False, True, False, False, num_classes=5)
    >>> net(torch.zeros(2, 3, 4, 16, 16)).shape
    torch.Size([2, 5])
    """

    def __init__(
        self,
        spatial_size: tuple[int, int],
        temporal_size: int,
        block_setting: Sequence[MSBlockConfig],
        residual_pool: bool,
        residual_with_cls_embed: bool,
        rel_pos_embed: bool,
        proj_after_attn: bool,
        dropout: float = 0.5,
        attention_dropout: float = 0.0,
        stochastic_depth_prob: float = 0.0,
        num_classes: int = 400,
        block: Layer | None = None,
        norm_layer: Layer | None = None,
        patch_embed_kernel: Size = (3, 7, 7),
        patch_embed_stride: Size = (2, 4, 4),
        patch_embed_padding: Size = (1, 3, 3),
    ) -> None:
        super().__init__()
        if len(block_setting) == 0:
            raise ValueError("The configuration parameter can't be empty.")
        norm = norm_layer or partial(nn.LayerNorm, eps=1e-6)
        first, last = block_setting[0].input_channels, block_setting[-1].output_channels
        self.conv_proj = nn.Conv3d(
            3, first, patch_embed_kernel, patch_embed_stride, patch_embed_padding
        )
        whole = temporal_size, *spatial_size
        size = [side // s for side, s in zip(whole, patch_embed_stride, strict=True)]
        self.pos_encoding = PositionalEncoding(first, (size[1], size[2]), size[0], rel_pos_embed)
        self.blocks = nn.ModuleList()
        for i, cnf in enumerate(block_setting):
            self.blocks.append(
                (block or MultiscaleBlock)(
                    input_size=size,
                    cnf=cnf,
                    residual_pool=residual_pool,
                    residual_with_cls_embed=residual_with_cls_embed,
                    rel_pos_embed=rel_pos_embed,
                    proj_after_attn=proj_after_attn,
                    dropout=attention_dropout,
                    stochastic_depth_prob=stochastic_depth_prob
                    * i
                    / max(len(block_setting) - 1, 1),
                    norm_layer=norm,
                )
            )
            if cnf.stride_q:
                size = [side // s for side, s in zip(size, cnf.stride_q, strict=True)]
        self.norm = norm(last)
        self.head = nn.Sequential(nn.Dropout(dropout, inplace=True), nn.Linear(last, num_classes))
        for m in self.modules():
            if isinstance(m, nn.Linear):
                nn.init.trunc_normal_(m.weight, std=0.02)
                if m.bias is not None:
                    nn.init.zeros_(m.bias)
            elif isinstance(m, PositionalEncoding):
                for parameter in m.parameters():
                    nn.init.trunc_normal_(parameter, std=0.02)

    def forward(self, x: Tensor) -> Tensor:  # (B, 3, T, H, W), or one picture (B, 3, H, W)
        x = _unsqueeze(x, 5, 2)[0]
        x = self.pos_encoding(self.conv_proj(x).flatten(2).transpose(1, 2))  # (B, 1 + t h w, C)
        thw = self.pos_encoding.temporal_size, *self.pos_encoding.spatial_size
        for block in self.blocks:
            x, thw = block(x, thw)
        return self.head(self.norm(x)[:, 0])  # (B, num_classes)


# Sixteen blocks in four stages; at the beginning of the last three the queries are pooled.
_HEADS = [1, 2, 2, *[4] * 11, 8, 8]
_CHANNELS = [96 * heads for heads in _HEADS]
_POOLED = (1, 3, 14)
_STRIDES_KV = [[1, side, side] for side in (8, 4, 4, *[2] * 11, 1, 1)]


def _mvit(
    rows: Sequence[MSBlockConfig], weights: WeightsEnum | None, progress: bool, **kwargs: Any
) -> MViT:
    kwargs.setdefault("stochastic_depth_prob", 0.2)
    if weights is not None:
        meta = weights.meta
        fix(kwargs, spatial_size=meta["min_size"], temporal_size=meta["min_temporal_size"])
    kwargs = {"spatial_size": (224, 224), "temporal_size": 16, **kwargs}
    return assemble(MViT, weights, progress, block_setting=rows, **kwargs)


PRESET: dict[str, Any] = {
    "min_size": (224, 224),
    "min_temporal_size": 16,
    "crop_size": (224, 224),
    "resize_size": (256,),
    "mean": (0.45, 0.45, 0.45),
    "std": (0.225, 0.225, 0.225),
}


class MViT_V1_B_Weights(WeightsEnum):
    """Trained weights of `mvit_v1_b`."""

    KINETICS400_V1 = kinetics(
        "mvit_v1_b-dbeb1030.pth", 36_610_672, 78.477, 93.582, 70.599, 139.764,
        "https://github.com/facebookresearch/pytorchvideo/blob/main/docs/source/model_zoo.md",
        **PRESET,
    )
    DEFAULT = KINETICS400_V1


class MViT_V2_S_Weights(WeightsEnum):
    """Trained weights of `mvit_v2_s`."""

    KINETICS400_V1 = kinetics(
        "mvit_v2_s-ae3be167.pth", 34_537_744, 80.757, 94.665, 64.224, 131.884,
        "https://github.com/facebookresearch/SlowFast/blob/main/MODEL_ZOO.md", **PRESET,
    )
    DEFAULT = KINETICS400_V1


@builder(MViT_V1_B_Weights, "KINETICS400_V1")
def mvit_v1_b(
    *, weights: MViT_V1_B_Weights | None = None, progress: bool = True, **kwargs: Any
) -> MViT:
    """MViT-B of the first version; `kwargs` go to :class:`MViT`."""
    kernel, rows = [3, 3, 3], []
    for i, (heads, channels) in enumerate(zip(_HEADS, _CHANNELS, strict=True)):
        after = [*_CHANNELS[1:], 768][i]
        of_q = (kernel, [1, 2, 2]) if i in _POOLED else ([], [])
        rows.append(
            MSBlockConfig(heads, channels, after, of_q[0], kernel, of_q[1], _STRIDES_KV[i])
        )
    version = {"residual_pool": False, "residual_with_cls_embed": False}
    version |= {"rel_pos_embed": False, "proj_after_attn": False}
    return _mvit(rows, weights, progress, **{**version, **kwargs})


@builder(MViT_V2_S_Weights, "KINETICS400_V1")
def mvit_v2_s(
    *, weights: MViT_V2_S_Weights | None = None, progress: bool = True, **kwargs: Any
) -> MViT:
    """MViT-S of the second version; `kwargs` go to :class:`MViT`."""
    kernel, rows = [3, 3, 3], []
    for i, (heads, channels) in enumerate(zip(_HEADS, _CHANNELS, strict=True)):
        before = [96, *_CHANNELS][i]
        stride = [1, 2, 2] if i in _POOLED else [1, 1, 1]
        rows.append(
            MSBlockConfig(heads, before, channels, kernel, kernel, stride, _STRIDES_KV[i])
        )
    version = {"residual_pool": True, "residual_with_cls_embed": False}
    version |= {"rel_pos_embed": True, "proj_after_attn": True}
    return _mvit(rows, weights, progress, **{**version, **kwargs})
