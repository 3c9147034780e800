"""MNASNet: an architecture found by search for phones (https://arxiv.org/abs/1807.11626), in its
variant B1.
"""

from __future__ import annotations

import warnings
from typing import Any

from ... import nn
from ...tensor import Tensor
from ._api import WeightsEnum, assemble, builder, imagenet
from ._utils import initialise

__all__ = [
    "MNASNet",
    "MNASNet0_5_Weights",
    "MNASNet0_75_Weights",
    "MNASNet1_0_Weights",
    "MNASNet1_3_Weights",
    "mnasnet0_5",
    "mnasnet0_75",
    "mnasnet1_0",
    "mnasnet1_3",
]

# The paper's 0.9997 is what stays of the old statistics; here momentum is what comes new.
_BN_MOMENTUM = 1 - 0.9997


def _conv(
    inp: int, out: int, kernel: int, stride: int = 1, groups: int = 1, momentum: float = 0.1
) -> list[nn.Module]:
    """A convolution that keeps the size (at stride 1), and its norm."""
    conv = nn.Conv2d(inp, out, kernel, stride, kernel // 2, groups=groups, bias=False)
    return [conv, nn.BatchNorm2d(out, momentum=momentum)]


class _InvertedResidual(nn.Module):
    """1x1 to more channels, a filter for each, 1x1 to few; with a shortcut where sizes allow."""

    def __init__(
        self,
        in_ch: int,
        out_ch: int,
        kernel_size: int,
        stride: int,
        expansion_factor: int,
        bn_momentum: float = 0.1,
    ) -> None:
        super().__init__()
        if stride not in (1, 2):
            raise ValueError(f"stride should be 1 or 2 instead of {stride}")
        if kernel_size not in (3, 5):
            raise ValueError(f"kernel_size should be 3 or 5 instead of {kernel_size}")
        mid = in_ch * expansion_factor
        self.apply_residual = in_ch == out_ch and stride == 1
        self.layers = nn.Sequential(
            *_conv(in_ch, mid, 1, momentum=bn_momentum),
            nn.ReLU(inplace=True),
            *_conv(mid, mid, kernel_size, stride, groups=mid, momentum=bn_momentum),
            nn.ReLU(inplace=True),
            *_conv(mid, out_ch, 1, momentum=bn_momentum),
        )

    def forward(self, input: Tensor) -> Tensor:
        return self.layers(input) + input if self.apply_residual else self.layers(input)


def _stack(
    in_ch: int,
    out_ch: int,
    kernel_size: int,
    stride: int,
    exp_factor: int,
    repeats: int,
    bn_momentum: float,
) -> nn.Sequential:
    """A block that changes the size, and `repeats` - 1 that keep it."""
    if repeats < 1:
        raise ValueError(f"repeats should be >= 1, instead got {repeats}")
    blocks = [_InvertedResidual(in_ch, out_ch, kernel_size, stride, exp_factor, bn_momentum)]
    for _ in range(1, repeats):
        blocks.append(_InvertedResidual(out_ch, out_ch, kernel_size, 1, exp_factor, bn_momentum))
    return nn.Sequential(*blocks)


def _round_to_multiple_of(val: float, divisor: int, round_up_bias: float = 0.9) -> int:
    """`val` rounded to a multiple of `divisor`, but not to less than `round_up_bias` of it."""
    if not 0.0 < round_up_bias < 1.0:
        raise ValueError(
            "round_up_bias should be greater than 0.0 and smaller than 1.0 instead of "
            f"{round_up_bias}"
        )
    rounded = max(divisor, int(val + divisor / 2) // divisor * divisor)
    return rounded if rounded >= round_up_bias * val else rounded + divisor


def _get_depths(alpha: float) -> list[int]:
    """Channels of the stages, `alpha` times those of the paper."""
    return [_round_to_multiple_of(d * alpha, 8) for d in (32, 16, 24, 40, 80, 96, 192, 320)]


def _stem(first: int, second: int) -> list[nn.Module]:
    """A 3x3 convolution and a separable one: (B, 3, H, W) -> (B, second, H/2, W/2)."""
    return [
        *_conv(3, first, 3, 2, momentum=_BN_MOMENTUM),
        nn.ReLU(inplace=True),
        *_conv(first, first, 3, groups=first, momentum=_BN_MOMENTUM),
        nn.ReLU(inplace=True),
        *_conv(first, second, 1, momentum=_BN_MOMENTUM),
    ]


class MNASNet(nn.Module):
    """A stem, six stages of inverted residuals, a 1x1 convolution, and one linear layer.

    Args:
        alpha: factor of all channel counts.
    """

    # Version 2 scales the stem too.
    _version = 2

    def __init__(self, alpha: float, num_classes: int = 1000, dropout: float = 0.2) -> None:
        super().__init__()
        if alpha <= 0.0:
            raise ValueError(f"alpha should be greater than 0.0 instead of {alpha}")
        self.alpha = alpha
        self.num_classes = num_classes
        d = _get_depths(alpha)
        self.layers = nn.Sequential(
            *_stem(d[0], d[1]),
            _stack(d[1], d[2], 3, 2, 3, 3, _BN_MOMENTUM),
            _stack(d[2], d[3], 5, 2, 3, 3, _BN_MOMENTUM),
            _stack(d[3], d[4], 5, 2, 6, 3, _BN_MOMENTUM),
            _stack(d[4], d[5], 3, 1, 6, 2, _BN_MOMENTUM),
            _stack(d[5], d[6], 5, 2, 6, 4, _BN_MOMENTUM),
            _stack(d[6], d[7], 3, 1, 6, 1, _BN_MOMENTUM),
            *_conv(d[7], 1280, 1, momentum=_BN_MOMENTUM),
            nn.ReLU(inplace=True),
        )
        self.classifier = nn.Sequential(
            nn.Dropout(dropout, inplace=True), nn.Linear(1280, num_classes)
        )
        initialise(
            self,
            linear=lambda weight: nn.init.kaiming_uniform_(
                weight, mode="fan_out", nonlinearity="sigmoid"
            ),
        )

    def forward(self, x: Tensor) -> Tensor:  # (B, 3, H, W)
        x = self.layers(x).mean([2, 3])  # (B, 1280)
        return self.classifier(x)  # (B, num_classes)

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
        version = local_metadata.get("version")
        if version not in (1, 2):
            raise ValueError(f"version should be set to 1 or 2 instead of {version}")
        if version == 1 and self.alpha != 1.0:
            # The stem of version 1 had one size for all alphas.
            width = _get_depths(self.alpha)[2]
            old = [*_stem(32, 16), _stack(16, width, 3, 2, 3, 3, _BN_MOMENTUM)]
            for i, layer in enumerate(old):
                self.layers[i] = layer
            self._version = 1
            warnings.warn(
                "A new version of MNASNet model has been implemented. Your checkpoint was saved "
                "using the previous version. This checkpoint will load and work as before.",
                UserWarning,
                stacklevel=2,
            )
        super()._load_from_state_dict(
            state_dict, prefix, local_metadata, strict, missing_keys, unexpected_keys, error_msgs
        )


class MNASNet0_5_Weights(WeightsEnum):
    """Trained weights of `mnasnet0_5`."""

    IMAGENET1K_V1 = imagenet(
        "mnasnet0.5_top1_67.823-3ffadce67e.pth",
        2_218_512,
        67.734,
        87.49,
        0.104,
        8.591,
        "https://github.com/1e100/mnasnet_trainer",
    )
    DEFAULT = IMAGENET1K_V1


class MNASNet0_75_Weights(WeightsEnum):
    """Trained weights of `mnasnet0_75`."""

    IMAGENET1K_V1 = imagenet(
        "mnasnet0_75-7090bc5f.pth",
        3_170_208,
        71.18,
        90.496,
        0.215,
        12.303,
        "pull/6019",
        resize_size=232,
    )
    DEFAULT = IMAGENET1K_V1


class MNASNet1_0_Weights(WeightsEnum):
    """Trained weights of `mnasnet1_0`."""

    IMAGENET1K_V1 = imagenet(
        "mnasnet1.0_top1_73.512-f206786ef8.pth",
        4_383_312,
        73.456,
        91.51,
        0.314,
        16.915,
        "https://github.com/1e100/mnasnet_trainer",
    )
    DEFAULT = IMAGENET1K_V1


class MNASNet1_3_Weights(WeightsEnum):
    """Trained weights of `mnasnet1_3`."""

    IMAGENET1K_V1 = imagenet(
        "mnasnet1_3-a4c69d6f.pth",
        6_282_256,
        76.506,
        93.522,
        0.526,
        24.246,
        "pull/6019",
        resize_size=232,
    )
    DEFAULT = IMAGENET1K_V1


@builder(MNASNet0_5_Weights)
def mnasnet0_5(
    *, weights: MNASNet0_5_Weights | None = None, progress: bool = True, **kwargs: Any
) -> MNASNet:
    """MNASNet with 0.5 times the channels; `kwargs` go to :class:`MNASNet`."""
    return assemble(MNASNet, weights, progress, 0.5, **kwargs)


@builder(MNASNet0_75_Weights)
def mnasnet0_75(
    *, weights: MNASNet0_75_Weights | None = None, progress: bool = True, **kwargs: Any
) -> MNASNet:
    """MNASNet with 0.75 times the channels; `kwargs` go to :class:`MNASNet`."""
    return assemble(MNASNet, weights, progress, 0.75, **kwargs)


@builder(MNASNet1_0_Weights)
def mnasnet1_0(
    *, weights: MNASNet1_0_Weights | None = None, progress: bool = True, **kwargs: Any
) -> MNASNet:
    """MNASNet with 1.0 times the channels; `kwargs` go to :class:`MNASNet`."""
    return assemble(MNASNet, weights, progress, 1.0, **kwargs)


@builder(MNASNet1_3_Weights)
def mnasnet1_3(
    *, weights: MNASNet1_3_Weights | None = None, progress: bool = True, **kwargs: Any
) -> MNASNet:
    """MNASNet with 1.3 times the channels; `kwargs` go to :class:`MNASNet`."""
    return assemble(MNASNet, weights, progress, 1.3, **kwargs)
