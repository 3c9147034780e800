"""ViT: an image as a sequence of patches, seen by a transformer
(https://arxiv.org/abs/2010.11929).
"""

from __future__ import annotations

import math
from collections import OrderedDict
from collections.abc import Callable, Mapping, Sequence
from functools import partial
from typing import Any, NamedTuple

import rushlight

from ... import nn
from ...errors import message
from ...nn import functional as F
from ...tensor import Tensor
from ..ops.misc import MLP, Conv2dNormActivation
from ._api import WeightsEnum, assemble, builder, fix, imagenet

__all__ = [
    "ViT_B_16_Weights",
    "ViT_B_32_Weights",
    "ViT_H_14_Weights",
    "ViT_L_16_Weights",
    "ViT_L_32_Weights",
    "VisionTransformer",
    "vit_b_16",
    "vit_b_32",
    "vit_h_14",
    "vit_l_16",
    "vit_l_32",
]

Layer = Callable[..., nn.Module]
Norm = partial(nn.LayerNorm, eps=1e-6)


class ConvStemConfig(NamedTuple):
    """One convolution of a stem in place of patches (https://arxiv.org/abs/2106.14881)."""

    out_channels: int
    kernel_size: int
    stride: int
    norm_layer: Layer = nn.BatchNorm2d
    activation_layer: Layer = nn.ReLU


class MLPBlock(MLP):
    """Linear, GELU, linear: in_dim -> mlp_dim -> in_dim."""

    _version = 2

    def __init__(self, in_dim: int, mlp_dim: int, dropout: float) -> None:
        super().__init__(
            in_dim, [mlp_dim, in_dim], activation_layer=nn.GELU, inplace=None, dropout=dropout
        )
        for m in self.modules():
            if isinstance(m, nn.Linear):
                nn.init.xavier_uniform_(m.weight)
                if m.bias is not None:
                    nn.init.normal_(m.bias, std=1e-6)

    def _load_from_state_dict(
        self,
        state_dict: Any,
        prefix: str,
        local_metadata: dict[str, Any],
        strict: bool,
        missing_keys: list[str],
        unexpected_keys: list[str],
        error_msgs: list[str],
    ) -> None:
        # Files of version 1 name the two layers linear_1 and linear_2.
        if local_metadata.get("version") in (None, 1):
            for i, kind in ((1, "weight"), (1, "bias"), (2, "weight"), (2, "bias")):
                old = f"{prefix}linear_{i}.{kind}"
                if old in state_dict:
                    state_dict[f"{prefix}{3 * (i - 1)}.{kind}"] = state_dict.pop(old)
        super()._load_from_state_dict(
            state_dict, prefix, local_metadata, strict, missing_keys, unexpected_keys, error_msgs
        )


def _check_sequence(x: Tensor) -> None:
    rushlight._assert(
        x.dim() == 3, f"Expected (batch_size, seq_length, hidden_dim) got {x.shape}"
    )


class EncoderBlock(nn.Module):
    """Attention and an MLP, each behind a norm and beside a shortcut."""

    def __init__(
        self,
        num_heads: int,
        hidden_dim: int,
        mlp_dim: int,
        dropout: float,
        attention_dropout: float,
        norm_layer: Layer = Norm,
    ) -> None:
        super().__init__()
        self.num_heads = num_heads
        self.ln_1 = norm_layer(hidden_dim)
        self.self_attention = nn.MultiheadAttention(
            hidden_dim, num_heads, dropout=attention_dropout, batch_first=True
        )
        self.dropout = nn.Dropout(dropout)
        self.ln_2 = norm_layer(hidden_dim)
        self.mlp = MLPBlock(hidden_dim, mlp_dim, dropout)

    def forward(self, input: Tensor) -> Tensor:  # (B, T, C)
        _check_sequence(input)
        x = self.ln_1(input)
        x, _ = self.self_attention(x, x, x, need_weights=False)
        x = self.dropout(x) + input
        return x + self.mlp(self.ln_2(x))


class Encoder(nn.Module):
    """Learned positions, a stack of blocks, a norm."""

    def __init__(
        self,
        seq_length: int,
        num_layers: int,
        num_heads: int,
        hidden_dim: int,
        mlp_dim: int,
        dropout: float,
        attention_dropout: float,
        norm_layer: Layer = Norm,
    ) -> None:
        super().__init__()
        positions = rushlight.empty(1, seq_length, hidden_dim).normal_(std=0.02)
        self.pos_embedding = nn.Parameter(positions)
        self.dropout = nn.Dropout(dropout)
        layers: OrderedDict[str, nn.Module] = OrderedDict()
        for i in range(num_layers):
            layers[f"encoder_layer_{i}"] = EncoderBlock(
                num_heads, hidden_dim, mlp_dim, dropout, attention_dropout, norm_layer
            )
        self.layers = nn.Sequential(layers)
        self.ln = norm_layer(hidden_dim)

    def forward(self, input: Tensor) -> Tensor:  # (B, T, C)
        _check_sequence(input)
        return self.ln(self.layers(self.dropout(input + self.pos_embedding)))


class VisionTransformer(nn.Module):
    """Patches, a class token, an encoder, and a linear layer on what became of the token.

    Args:
        image_size: height and width of the images; a multiple of `patch_size`.
        representation_size: width of a tanh layer before the last one; None: no such layer.
        conv_stem_configs: convolutions in place of the one that cuts out patches.
    """

    def __init__(
        self,
        image_size: int,
        patch_size: int,
        num_layers: int,
        num_heads: int,
        hidden_dim: int,
        mlp_dim: int,
        dropout: float = 0.0,
        attention_dropout: float = 0.0,
        num_classes: int = 1000,
        representation_size: int | None = None,
        norm_layer: Layer = Norm,
        conv_stem_configs: Sequence[ConvStemConfig] | None = None,
    ) -> None:
        super().__init__()
        if image_size % patch_size != 0:
            raise AssertionError(
                f"Input shape indivisible by patch size! {image_size} % {patch_size} != 0"
            )
        self.image_size = image_size
        self.patch_size = patch_size
        self.hidden_dim = hidden_dim
        self.mlp_dim = mlp_dim
        self.attention_dropout = attention_dropout
        self.dropout = dropout
        self.num_classes = num_classes
        self.representation_size = representation_size
        self.norm_layer = norm_layer
        self.conv_proj: nn.Module
        if conv_stem_configs is None:
            self.conv_proj = nn.Conv2d(3, hidden_dim, kernel_size=patch_size, stride=patch_size)
        else:
            self.conv_proj = _conv_stem(conv_stem_configs, hidden_dim)
        self.class_token = nn.Parameter(rushlight.zeros(1, 1, hidden_dim))
        self.seq_length = (image_size // patch_size) ** 2 + 1
        self.encoder = Encoder(
            self.seq_length,
            num_layers,
            num_heads,
            hidden_dim,
            mlp_dim,
            dropout,
            attention_dropout,
            norm_layer,
        )
        heads: OrderedDict[str, nn.Module] = OrderedDict()
        if representation_size is not None:
            heads["pre_logits"] = nn.Linear(hidden_dim, representation_size)
            heads["act"] = nn.Tanh()
        heads["head"] = nn.Linear(representation_size or hidden_dim, num_classes)
        self.heads = nn.Sequential(heads)
        self._initialise(heads)

    def _initialise(self, heads: Mapping[str, nn.Module]) -> None:
        stem: Any = self.conv_proj
        if isinstance(stem, nn.Conv2d):
            _lecun(stem, stem.in_channels * stem.kernel_size[0] * stem.kernel_size[1])
        else:
            last = stem.conv_last
            nn.init.normal_(last.weight, mean=0.0, std=math.sqrt(2.0 / last.out_channels))
            nn.init.zeros_(last.bias)
        if isinstance(pre := heads.get("pre_logits"), nn.Linear):
            _lecun(pre, pre.in_features)
        for parameter in heads["head"].parameters():
            nn.init.zeros_(parameter)

    def _process_input(self, x: Tensor) -> Tensor:  # (B, 3, H, W)
        side = self.image_size
        _, _, h, w = x.shape
        # Not an `if`: a tracer makes nodes of these, which torchvision's models have too.
        for name, got in (("height", h), ("width", w)):
            text = message(
                f"Wrong image {name}! Expected {side} but got {got}!",
                hint="interpolate_embeddings, or image_size= when building the model",
            )
            rushlight._assert(got == side, text)
        x = self.conv_proj(x)  # (B, C, H/p, W/p)
        return x.flatten(2).permute(0, 2, 1)  # (B, T - 1, C)

    def forward(self, x: Tensor) -> Tensor:  # (B, 3, H, W)
        x = self._process_input(x)  # (B, T - 1, C)
        token = self.class_token.expand(x.shape[0], -1, -1)  # (B, 1, C)
        x = self.encoder(rushlight.cat([token, x], dim=1))  # (B, T, C)
        return self.heads(x[:, 0])  # (B, num_classes)


def _lecun(layer: nn.Conv2d | nn.Linear, fan_in: int) -> None:
    nn.init.trunc_normal_(layer.weight, std=math.sqrt(1 / fan_in))
    if layer.bias is not None:
        nn.init.zeros_(layer.bias)


def _conv_stem(configs: Sequence[ConvStemConfig], hidden_dim: int) -> nn.Sequential:
    stem = nn.Sequential()
    channels = 3
    for i, config in enumerate(configs):
        out, kernel, stride, norm, activation = config
        block = Conv2dNormActivation(
            channels, out, kernel, stride, norm_layer=norm, activation_layer=activation
        )
        stem.add_module(f"conv_bn_relu_{i}", block)
        channels = out
    stem.add_module("conv_last", nn.Conv2d(channels, hidden_dim, kernel_size=1))
    return stem


def _vision_transformer(
    patch_size: int,
    num_layers: int,
    num_heads: int,
    hidden_dim: int,
    mlp_dim: int,
    weights: WeightsEnum | None,
    progress: bool,
    **kwargs: Any,
) -> VisionTransformer:
    if weights is not None:
        fix(kwargs, image_size=weights.meta["min_size"][0])
    return assemble(
        VisionTransformer,
        weights,
        progress,
        kwargs.pop("image_size", 224),
        patch_size,
        num_layers,
        num_heads,
        hidden_dim,
        mlp_dim,
        **kwargs,
    )


class ViT_B_16_Weights(WeightsEnum):
    """Trained weights of `vit_b_16`."""

    IMAGENET1K_V1 = imagenet(
        "vit_b_16-c867db91.pth",
        86_567_656,
        81.072,
        95.318,
        17.564,
        330.285,
        "#vit_b_16",
        min_size=(224, 224),
    )
    IMAGENET1K_SWAG_E2E_V1 = imagenet(
        "vit_b_16_swag-9ac1b537.pth",
        86_859_496,
        85.304,
        97.65,
        55.484,
        331.398,
        "https://github.com/facebookresearch/SWAG",
        min_size=(384, 384),
        crop=384,
        bicubic=True,
        resize_size=384,
    )
    IMAGENET1K_SWAG_LINEAR_V1 = imagenet(
        "vit_b_16_lc_swag-4e70ced5.pth",
        86_567_656,
        81.886,
        96.18,
        17.564,
        330.285,
        "pull/5793",
        min_size=(224, 224),
        bicubic=True,
        resize_size=224,
    )
    DEFAULT = IMAGENET1K_V1


class ViT_B_32_Weights(WeightsEnum):
    """Trained weights of `vit_b_32`."""

    IMAGENET1K_V1 = imagenet(
        "vit_b_32-d86f8d99.pth",
        88_224_232,
        75.912,
        92.466,
        4.409,
        336.604,
        "#vit_b_32",
        min_size=(224, 224),
    )
    DEFAULT = IMAGENET1K_V1


class ViT_L_16_Weights(WeightsEnum):
    """Trained weights of `vit_l_16`."""

    IMAGENET1K_V1 = imagenet(
        "vit_l_16-852ce7e3.pth",
        304_326_632,
        79.662,
        94.638,
        61.555,
        1161.023,
        "#vit_l_16",
        min_size=(224, 224),
        resize_size=242,
    )
    IMAGENET1K_SWAG_E2E_V1 = imagenet(
        "vit_l_16_swag-4f3808c9.pth",
        305_174_504,
        88.064,
        98.512,
        361.986,
        1164.258,
        "https://github.com/facebookresearch/SWAG",
        min_size=(512, 512),
        crop=512,
        bicubic=True,
        resize_size=512,
    )
    IMAGENET1K_SWAG_LINEAR_V1 = imagenet(
        "vit_l_16_lc_swag-4d563306.pth",
        304_326_632,
        85.146,
        97.422,
        61.555,
        1161.023,
        "pull/5793",
        min_size=(224, 224),
        bicubic=True,
        resize_size=224,
    )
    DEFAULT = IMAGENET1K_V1


class ViT_L_32_Weights(WeightsEnum):
    """Trained weights of `vit_l_32`."""

    IMAGENET1K_V1 = imagenet(
        "vit_l_32-c7638314.pth",
        306_535_400,
        76.972,
        93.07,
        15.378,
        1169.449,
        "#vit_l_32",
        min_size=(224, 224),
    )
    DEFAULT = IMAGENET1K_V1


class ViT_H_14_Weights(WeightsEnum):
    """Trained weights of `vit_h_14`."""

    IMAGENET1K_SWAG_E2E_V1 = imagenet(
        "vit_h_14_swag-80465313.pth",
        633_470_440,
        88.552,
        98.694,
        1016.717,
        2416.643,
        "https://github.com/facebookresearch/SWAG",
        min_size=(518, 518),
        crop=518,
        bicubic=True,
        resize_size=518,
    )
    IMAGENET1K_SWAG_LINEAR_V1 = imagenet(
        "vit_h_14_lc_swag-c1eb923e.pth",
        632_045_800,
        85.708,
        97.73,
        167.295,
        2411.209,
        "pull/5793",
        min_size=(224, 224),
        bicubic=True,
        resize_size=224,
    )
    DEFAULT = IMAGENET1K_SWAG_E2E_V1


@builder(ViT_B_16_Weights)
def vit_b_16(
    *, weights: ViT_B_16_Weights | None = None, progress: bool = True, **kwargs: Any
) -> VisionTransformer:
    """ViT-B/16; `kwargs` (`image_size` among them) go to :class:`VisionTransformer`."""
    return _vision_transformer(16, 12, 12, 768, 3072, weights, progress, **kwargs)


@builder(ViT_B_32_Weights)
def vit_b_32(
    *, weights: ViT_B_32_Weights | None = None, progress: bool = True, **kwargs: Any
) -> VisionTransformer:
    """ViT-B/32; `kwargs` (`image_size` among them) go to :class:`VisionTransformer`."""
    return _vision_transformer(32, 12, 12, 768, 3072, weights, progress, **kwargs)


@builder(ViT_L_16_Weights)
def vit_l_16(
    *, weights: ViT_L_16_Weights | None = None, progress: bool = True, **kwargs: Any
) -> VisionTransformer:
    """ViT-L/16; `kwargs` (`image_size` among them) go to :class:`VisionTransformer`."""
    return _vision_transformer(16, 24, 16, 1024, 4096, weights, progress, **kwargs)


@builder(ViT_L_32_Weights)
def vit_l_32(
    *, weights: ViT_L_32_Weights | None = None, progress: bool = True, **kwargs: Any
) -> VisionTransformer:
    """ViT-L/32; `kwargs` (`image_size` among them) go to :class:`VisionTransformer`."""
    return _vision_transformer(32, 24, 16, 1024, 4096, weights, progress, **kwargs)


@builder(ViT_H_14_Weights)
def vit_h_14(
    *, weights: ViT_H_14_Weights | None = None, progress: bool = True, **kwargs: Any
) -> VisionTransformer:
    """ViT-H/14; `kwargs` (`image_size` among them) go to :class:`VisionTransformer`."""
    return _vision_transformer(14, 32, 16, 1280, 5120, weights, progress, **kwargs)


def interpolate_embeddings(
    image_size: int,
    patch_size: int,
    model_state: Mapping[str, Tensor],
    interpolation_mode: str = "bicubic",
    reset_heads: bool = False,
) -> OrderedDict[str, Tensor]:
    """The state of a ViT for images of another size: its positions are interpolated.

    Args:
        image_size, patch_size: of the new model.
        model_state: the state_dict of the old one.
        reset_heads: leave out the head, to train a new one.

    >>> old = VisionTransformer(32, 8, 1, 2, 4, 8)
    >>> state = interpolate_embeddings(48, 8, old.state_dict())
    >>> tuple(state["encoder.pos_embedding"].shape)
    (1, 37, 4)
    """
    positions = model_state["encoder.pos_embedding"]  # (1, T, C)
    if positions.shape[0] != 1:
        raise ValueError(f"Unexpected position embedding shape: {tuple(positions.shape)}")
    old_side = math.isqrt(positions.shape[1] - 1)
    if old_side * old_side != positions.shape[1] - 1:
        raise ValueError(
            f"seq_length is not a perfect square! Instead got {positions.shape[1] - 1} patches"
        )
    state = OrderedDict(model_state)
    side = image_size // patch_size
    if side == old_side:
        return state
    token, grid = positions[:, :1], positions[:, 1:]
    grid = grid.permute(0, 2, 1).reshape(1, -1, old_side, old_side)  # (1, C, h, w)
    grid = F.interpolate(grid, size=side, mode=interpolation_mode, align_corners=True)
    state["encoder.pos_embedding"] = rushlight.cat([token, grid.flatten(2).permute(0, 2, 1)], 1)
    if reset_heads:
        for name in [n for n in state if n.startswith("heads")]:
            del state[name]
    return state
