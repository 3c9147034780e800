"""Residual networks: ResNet (https://arxiv.org/abs/1512.03385), ResNeXt
(https://arxiv.org/abs/1611.05431) and Wide ResNet (https://arxiv.org/abs/1605.07146).

They differ in the block (two 3x3 convolutions, or a 3x3 between two 1x1), in how often it is
repeated, and in the groups and the width of the 3x3.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from ... import nn
from ...tensor import Tensor
from ._api import WeightsEnum, assemble, builder, fix, imagenet
from ._utils import initialise

__all__ = [
    "ResNeXt50_32X4D_Weights",
    "ResNeXt101_32X8D_Weights",
    "ResNeXt101_64X4D_Weights",
    "ResNet",
    "ResNet18_Weights",
    "ResNet34_Weights",
    "ResNet50_Weights",
    "ResNet101_Weights",
    "ResNet152_Weights",
    "Wide_ResNet50_2_Weights",
    "Wide_ResNet101_2_Weights",
    "resnet18",
    "resnet34",
    "resnet50",
    "resnet101",
    "resnet152",
    "resnext50_32x4d",
    "resnext101_32x8d",
    "resnext101_64x4d",
    "wide_resnet50_2",
    "wide_resnet101_2",
]

Norm = Callable[..., nn.Module]


def conv3x3(
    in_planes: int, out_planes: int, stride: int = 1, groups: int = 1, dilation: int = 1
) -> nn.Conv2d:
    """A 3x3 convolution that keeps the image's size (at stride 1), without bias."""
    return nn.Conv2d(
        in_planes, out_planes, 3, stride, dilation, dilation, groups=groups, bias=False
    )


def conv1x1(in_planes: int, out_planes: int, stride: int = 1) -> nn.Conv2d:
    """A 1x1 convolution without bias."""
    return nn.Conv2d(in_planes, out_planes, kernel_size=1, stride=stride, bias=False)


class BasicBlock(nn.Module):
    """Two 3x3 convolutions beside a shortcut: (B, C, H, W) -> (B, planes, H/stride, W/stride)."""

    expansion: int = 1

    def __init__(
        self,
        inplanes: int,
        planes: int,
        stride: int = 1,
        downsample: nn.Module | None = None,
        groups: int = 1,
        base_width: int = 64,
        dilation: int = 1,
        norm_layer: Norm | None = None,
    ) -> None:
        super().__init__()
        norm = norm_layer or nn.BatchNorm2d
        if groups != 1 or base_width != 64:
            raise ValueError("BasicBlock only supports groups=1 and base_width=64")
        if dilation > 1:
            raise NotImplementedError("Dilation > 1 not supported in BasicBlock")
        self.conv1 = conv3x3(inplanes, planes, stride)
        self.bn1 = norm(planes)
        self.relu = nn.ReLU(inplace=True)
        self.conv2 = conv3x3(planes, planes)
        self.bn2 = norm(planes)
        self.downsample = downsample
        self.stride = stride

    def forward(self, x: Tensor) -> Tensor:
        out = self.relu(self.bn1(self.conv1(x)))
        out = self.bn2(self.conv2(out))
        out += x if self.downsample is None else self.downsample(x)
        return self.relu(out)


class Bottleneck(nn.Module):
    """1x1, 3x3, 1x1 beside a shortcut: (B, C, H, W) -> (B, 4 planes, H/stride, W/stride).

    The stride is at the 3x3 convolution, not at the first 1x1 as in the paper (ResNet "V1.5"): more
    accurate for a little more work.
    """

    expansion: int = 4

    def __init__(
        self,
        inplanes: int,
        planes: int,
        stride: int = 1,
        downsample: nn.Module | None = None,
        groups: int = 1,
        base_width: int = 64,
        dilation: int = 1,
        norm_layer: Norm | None = None,
    ) -> None:
        super().__init__()
        norm = norm_layer or nn.BatchNorm2d
        width = int(planes * (base_width / 64.0)) * groups
        self.conv1 = conv1x1(inplanes, width)
        self.bn1 = norm(width)
        self.conv2 = conv3x3(width, width, stride, groups, dilation)
        self.bn2 = norm(width)
        self.conv3 = conv1x1(width, planes * self.expansion)
        self.bn3 = norm(planes * self.expansion)
        self.relu = nn.ReLU(inplace=True)
        self.downsample = downsample
        self.stride = stride

    def forward(self, x: Tensor) -> Tensor:
        out = self.relu(self.bn1(self.conv1(x)))
        out = self.relu(self.bn2(self.conv2(out)))
        out = self.bn3(self.conv3(out))
        out += x if self.downsample is None else self.downsample(x)
        return self.relu(out)


class ResNet(nn.Module):
    """A stem, four stages of residual blocks, and one linear layer.

    Args:
        block: :class:`BasicBlock` or :class:`Bottleneck`.
        layers: blocks in each of the four stages.
        zero_init_residual: let every block begin as the identity (its last norm is 0;
            https://arxiv.org/abs/1706.02677).
        groups, width_per_group: of the 3x3 convolutions in bottlenecks.
        replace_stride_with_dilation: for each of the last three stages, keep the size of the image
            and widen the kernels instead (for segmentation).
        norm_layer: what stands after each convolution; BatchNorm2d by default.
    """

    def __init__(
        self,
        block: type[BasicBlock] | type[Bottleneck],
        layers: Sequence[int],
        num_classes: int = 1000,
        zero_init_residual: bool = False,
        groups: int = 1,
        width_per_group: int = 64,
        replace_stride_with_dilation: Sequence[bool] | None = None,
        norm_layer: Norm | None = None,
    ) -> None:
        super().__init__()
        norm = norm_layer or nn.BatchNorm2d
        dilate = replace_stride_with_dilation
        if dilate is None:
            dilate = (False, False, False)
        if len(dilate) != 3:
            raise ValueError(
                "replace_stride_with_dilation should be None or a 3-element tuple, got "
                f"{replace_stride_with_dilation}"
            )
        self._norm_layer = norm
        self.inplanes = 64
        self.dilation = 1
        self.groups = groups
        self.base_width = width_per_group
        self.conv1 = nn.Conv2d(3, self.inplanes, kernel_size=7, stride=2, padding=3, bias=False)
        self.bn1 = norm(self.inplanes)
        self.relu = nn.ReLU(inplace=True)
        self.maxpool = nn.MaxPool2d(kernel_size=3, stride=2, padding=1)
        self.layer1 = self._make_layer(block, 64, layers[0])
        self.layer2 = self._make_layer(block, 128, layers[1], stride=2, dilate=dilate[0])
        self.layer3 = self._make_layer(block, 256, layers[2], stride=2, dilate=dilate[1])
        self.layer4 = self._make_layer(block, 512, layers[3], stride=2, dilate=dilate[2])
        self.avgpool = nn.AdaptiveAvgPool2d((1, 1))
        self.fc = nn.Linear(512 * block.expansion, num_classes)

        initialise(self)
        if zero_init_residual:
            for m in self.modules():
                if isinstance(m, (BasicBlock, Bottleneck)):
                    last: Any = m.bn2 if isinstance(m, BasicBlock) else m.bn3
                    if last.weight is not None:
                        nn.init.zeros_(last.weight)

    def _make_layer(
        self,
        block: type[BasicBlock] | type[Bottleneck],
        planes: int,
        blocks: int,
        stride: int = 1,
        dilate: bool = False,
    ) -> nn.Sequential:
        """One stage; its first block changes the size of the image and the number of channels."""
        norm = self._norm_layer
        first_dilation = self.dilation
        if dilate:
            self.dilation *= stride
            stride = 1
        out = planes * block.expansion
        downsample = None
        if stride != 1 or self.inplanes != out:
            downsample = nn.Sequential(conv1x1(self.inplanes, out, stride), norm(out))
        fixed = (self.groups, self.base_width)
        stage = [block(self.inplanes, planes, stride, downsample, *fixed, first_dilation, norm)]
        self.inplanes = out
        for _ in range(1, blocks):
            stage.append(block(out, planes, 1, None, *fixed, self.dilation, norm))
        return nn.Sequential(*stage)

    def _forward_impl(self, x: Tensor) -> Tensor:  # (B, 3, H, W)
        x = self.relu(self.bn1(self.conv1(x)))  # (B, 64, H/2, W/2)
        x = self.maxpool(x)  # (B, 64, H/4, W/4)
        x = self.layer1(x)  # (B, 64 e, H/4, W/4), e = block.expansion
        x = self.layer2(x)  # (B, 128 e, H/8, W/8)
        x = self.layer3(x)  # (B, 256 e, H/16, W/16)
        x = self.layer4(x)  # (B, 512 e, H/32, W/32)
        x = self.avgpool(x).flatten(1)  # (B, 512 e)
        return self.fc(x)  # (B, num_classes)

    def forward(self, x: Tensor) -> Tensor:
        return self._forward_impl(x)


class ResNet18_Weights(WeightsEnum):
    """Trained weights of `resnet18`."""

    IMAGENET1K_V1 = imagenet(
        "resnet18-f37072fd.pth",
        11_689_512,
        69.758,
        89.078,
        1.814,
        44.661,
        "#resnet",
    )
    DEFAULT = IMAGENET1K_V1


class ResNet34_Weights(WeightsEnum):
    """Trained weights of `resnet34`."""

    IMAGENET1K_V1 = imagenet(
        "resnet34-b627a593.pth",
        21_797_672,
        73.314,
        91.42,
        3.664,
        83.275,
        "#resnet",
    )
    DEFAULT = IMAGENET1K_V1


class ResNet50_Weights(WeightsEnum):
    """Trained weights of `resnet50`."""

    IMAGENET1K_V1 = imagenet(
        "resnet50-0676ba61.pth",
        25_557_032,
        76.13,
        92.862,
        4.089,
        97.781,
        "#resnet",
    )
    IMAGENET1K_V2 = imagenet(
        "resnet50-11ad3fa6.pth",
        25_557_032,
        80.858,
        95.434,
        4.089,
        97.79,
        "issues/3995#issuecomment-1013906621",
        resize_size=232,
    )
    DEFAULT = IMAGENET1K_V2


class ResNet101_Weights(WeightsEnum):
    """Trained weights of `resnet101`."""

    IMAGENET1K_V1 = imagenet(
        "resnet101-63fe2227.pth",
        44_549_160,
        77.374,
        93.546,
        7.801,
        170.511,
        "#resnet",
    )
    IMAGENET1K_V2 = imagenet(
        "resnet101-cd907fc2.pth",
        44_549_160,
        81.886,
        95.78,
        7.801,
        170.53,
        "issues/3995#new-recipe",
        resize_size=232,
    )
    DEFAULT = IMAGENET1K_V2


class ResNet152_Weights(WeightsEnum):
    """Trained weights of `resnet152`."""

    IMAGENET1K_V1 = imagenet(
        "resnet152-394f9c45.pth",
        60_192_808,
        78.312,
        94.046,
        11.514,
        230.434,
        "#resnet",
    )
    IMAGENET1K_V2 = imagenet(
        "resnet152-f82ba261.pth",
        60_192_808,
        82.284,
        96.002,
        11.514,
        230.474,
        "issues/3995#new-recipe",
        resize_size=232,
    )
    DEFAULT = IMAGENET1K_V2


class ResNeXt50_32X4D_Weights(WeightsEnum):
    """Trained weights of `resnext50_32x4d`."""

    IMAGENET1K_V1 = imagenet(
        "resnext50_32x4d-7cdf4587.pth",
        25_028_904,
        77.618,
        93.698,
        4.23,
        95.789,
        "#resnext",
    )
    IMAGENET1K_V2 = imagenet(
        "resnext50_32x4d-1a0047aa.pth",
        25_028_904,
        81.198,
        95.34,
        4.23,
        95.833,
        "issues/3995#new-recipe",
        resize_size=232,
    )
    DEFAULT = IMAGENET1K_V2


class ResNeXt101_32X8D_Weights(WeightsEnum):
    """Trained weights of `resnext101_32x8d`."""

    IMAGENET1K_V1 = imagenet(
        "resnext101_32x8d-8ba56ff5.pth",
        88_791_336,
        79.312,
        94.526,
        16.414,
        339.586,
        "#resnext",
    )
    IMAGENET1K_V2 = imagenet(
        "resnext101_32x8d-110c445d.pth",
        88_791_336,
        82.834,
        96.228,
        16.414,
        339.673,
        "issues/3995#new-recipe-with-fixres",
        resize_size=232,
    )
    DEFAULT = IMAGENET1K_V2


class ResNeXt101_64X4D_Weights(WeightsEnum):
    """Trained weights of `resnext101_64x4d`."""

    IMAGENET1K_V1 = imagenet(
        "resnext101_64x4d-173b62eb.pth",
        83_455_272,
        83.246,
        96.454,
        15.46,
        319.318,
        "pull/5935",
        resize_size=232,
    )
    DEFAULT = IMAGENET1K_V1


class Wide_ResNet50_2_Weights(WeightsEnum):
    """Trained weights of `wide_resnet50_2`."""

    IMAGENET1K_V1 = imagenet(
        "wide_resnet50_2-95faca4d.pth",
        68_883_240,
        78.468,
        94.086,
        11.398,
        131.82,
        "pull/912#issue-445437439",
    )
    IMAGENET1K_V2 = imagenet(
        "wide_resnet50_2-9ba9bcbe.pth",
        68_883_240,
        81.602,
        95.758,
        11.398,
        263.124,
        "issues/3995#new-recipe-with-fixres",
        resize_size=232,
    )
    DEFAULT = IMAGENET1K_V2


class Wide_ResNet101_2_Weights(WeightsEnum):
    """Trained weights of `wide_resnet101_2`."""

    IMAGENET1K_V1 = imagenet(
        "wide_resnet101_2-32ee1156.pth",
        126_886_696,
        78.848,
        94.284,
        22.753,
        242.896,
        "pull/912#issue-445437439",
    )
    IMAGENET1K_V2 = imagenet(
        "wide_resnet101_2-d733dc28.pth",
        126_886_696,
        82.51,
        96.02,
        22.753,
        484.747,
        "issues/3995#new-recipe",
        resize_size=232,
    )
    DEFAULT = IMAGENET1K_V2


@builder(ResNet18_Weights)
def resnet18(
    *, weights: ResNet18_Weights | None = None, progress: bool = True, **kwargs: Any
) -> ResNet:
    """ResNet-18; `kwargs` go to :class:`ResNet`."""
    return assemble(ResNet, weights, progress, BasicBlock, [2, 2, 2, 2], **kwargs)


@builder(ResNet34_Weights)
def resnet34(
    *, weights: ResNet34_Weights | None = None, progress: bool = True, **kwargs: Any
) -> ResNet:
    """ResNet-34; `kwargs` go to :class:`ResNet`."""
    return assemble(ResNet, weights, progress, BasicBlock, [3, 4, 6, 3], **kwargs)


@builder(ResNet50_Weights)
def resnet50(
    *, weights: ResNet50_Weights | None = None, progress: bool = True, **kwargs: Any
) -> ResNet:
    """ResNet-50; `kwargs` go to :class:`ResNet`."""
    return assemble(ResNet, weights, progress, Bottleneck, [3, 4, 6, 3], **kwargs)


@builder(ResNet101_Weights)
def resnet101(
    *, weights: ResNet101_Weights | None = None, progress: bool = True, **kwargs: Any
) -> ResNet:
    """ResNet-101; `kwargs` go to :class:`ResNet`."""
    return assemble(ResNet, weights, progress, Bottleneck, [3, 4, 23, 3], **kwargs)


@builder(ResNet152_Weights)
def resnet152(
    *, weights: ResNet152_Weights | None = None, progress: bool = True, **kwargs: Any
) -> ResNet:
    """ResNet-152; `kwargs` go to :class:`ResNet`."""
    return assemble(ResNet, weights, progress, Bottleneck, [3, 8, 36, 3], **kwargs)


@builder(ResNeXt50_32X4D_Weights)
def resnext50_32x4d(
    *, weights: ResNeXt50_32X4D_Weights | None = None, progress: bool = True, **kwargs: Any
) -> ResNet:
    """ResNeXt-50, 32 groups of 4 channels; `kwargs` go to :class:`ResNet`."""
    fix(kwargs, groups=32, width_per_group=4)
    return assemble(ResNet, weights, progress, Bottleneck, [3, 4, 6, 3], **kwargs)


@builder(ResNeXt101_32X8D_Weights)
def resnext101_32x8d(
    *, weights: ResNeXt101_32X8D_Weights | None = None, progress: bool = True, **kwargs: Any
) -> ResNet:
    """ResNeXt-101, 32 groups of 8 channels; `kwargs` go to :class:`ResNet`."""
    fix(kwargs, groups=32, width_per_group=8)
    return assemble(ResNet, weights, progress, Bottleneck, [3, 4, 23, 3], **kwargs)


@builder(ResNeXt101_64X4D_Weights)
def resnext101_64x4d(
    *, weights: ResNeXt101_64X4D_Weights | None = None, progress: bool = True, **kwargs: Any
) -> ResNet:
    """ResNeXt-101, 64 groups of 4 channels; `kwargs` go to :class:`ResNet`."""
    fix(kwargs, groups=64, width_per_group=4)
    return assemble(ResNet, weights, progress, Bottleneck, [3, 4, 23, 3], **kwargs)


@builder(Wide_ResNet50_2_Weights)
def wide_resnet50_2(
    *, weights: Wide_ResNet50_2_Weights | None = None, progress: bool = True, **kwargs: Any
) -> ResNet:
    """Wide ResNet-50-2: 3x3 convolutions twice as wide; `kwargs` go to :class:`ResNet`."""
    fix(kwargs, width_per_group=128)
    return assemble(ResNet, weights, progress, Bottleneck, [3, 4, 6, 3], **kwargs)


@builder(Wide_ResNet101_2_Weights)
def wide_resnet101_2(
    *, weights: Wide_ResNet101_2_Weights | None = None, progress: bool = True, **kwargs: Any
) -> ResNet:
    """Wide ResNet-101-2: 3x3 convolutions twice as wide; `kwargs` go to :class:`ResNet`."""
    fix(kwargs, width_per_group=128)
    return assemble(ResNet, weights, progress, Bottleneck, [3, 4, 23, 3], **kwargs)
