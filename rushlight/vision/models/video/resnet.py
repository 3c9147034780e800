"""Residual networks for videos: 3x3x3 convolutions (R3D), those only in the first stage (MC3), or
each cut into one in space and one in time (R(2+1)D) (https://arxiv.org/abs/1711.11248).
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from .... import nn
from ....tensor import Tensor
from .._api import WeightsEnum, assemble, builder
from .._utils import fan_out
from ._utils import kinetics

__all__ = [
    "MC3_18_Weights",
    "R2Plus1D_18_Weights",
    "R3D_18_Weights",
    "VideoResNet",
    "mc3_18",
    "r2plus1d_18",
    "r3d_18",
]

Triple = tuple[int, int, int]
Maker = Callable[..., nn.Module]


def _conv(
    in_planes: int, out_planes: int, kernel: Triple, stride: Triple, padding: Triple
) -> nn.Conv3d:
    return nn.Conv3d(in_planes, out_planes, kernel, stride, padding, bias=False)


class Conv3DSimple(nn.Conv3d):
    """A 3x3x3 convolution."""

    def __init__(
        self,
        in_planes: int,
        out_planes: int,
        midplanes: int | None = None,
        stride: int = 1,
        padding: int = 1,
    ) -> None:
        super().__init__(in_planes, out_planes, (3, 3, 3), stride, padding, bias=False)

    @staticmethod
    def get_downsample_stride(stride: int) -> Triple:
        return stride, stride, stride


class Conv2Plus1D(nn.Sequential):
    """A 1x3x3 convolution to `midplanes`, a norm, a ReLU, and a 3x1x1 convolution."""

    def __init__(
        self, in_planes: int, out_planes: int, midplanes: int, stride: int = 1, padding: int = 1
    ) -> None:
        space = (1, stride, stride), (0, padding, padding)
        time = (stride, 1, 1), (padding, 0, 0)
        super().__init__(
            _conv(in_planes, midplanes, (1, 3, 3), *space),
            nn.BatchNorm3d(midplanes),
            nn.ReLU(inplace=True),
            _conv(midplanes, out_planes, (3, 1, 1), *time),
        )

    @staticmethod
    def get_downsample_stride(stride: int) -> Triple:
        return stride, stride, stride


class Conv3DNoTemporal(nn.Conv3d):
    """A 1x3x3 convolution: each picture by itself."""

    def __init__(
        self,
        in_planes: int,
        out_planes: int,
        midplanes: int | None = None,
        stride: int = 1,
        padding: int = 1,
    ) -> None:
        sizes: tuple[Triple, Triple] = (1, stride, stride), (0, padding, padding)
        super().__init__(in_planes, out_planes, (1, 3, 3), *sizes, bias=False)

    @staticmethod
    def get_downsample_stride(stride: int) -> Triple:
        return 1, stride, stride


def _midplanes(inplanes: int, planes: int) -> int:
    """So many that a cut convolution has as many parameters as a whole one."""
    return (inplanes * planes * 3 * 3 * 3) // (inplanes * 3 * 3 + 3 * planes)


class BasicBlock(nn.Module):
    """Two convolutions of `conv_builder` beside a shortcut."""

    expansion = 1

    def __init__(
        self,
        inplanes: int,
        planes: int,
        conv_builder: Maker,
        stride: int = 1,
        downsample: nn.Module | None = None,
    ) -> None:
        super().__init__()
        mid = _midplanes(inplanes, planes)
        self.conv1 = nn.Sequential(
            conv_builder(inplanes, planes, mid, stride),
            nn.BatchNorm3d(planes),
            nn.ReLU(inplace=True),
        )
        self.conv2 = nn.Sequential(conv_builder(planes, planes, mid), nn.BatchNorm3d(planes))
        self.relu = nn.ReLU(inplace=True)
        self.downsample = downsample
        self.stride = stride

    def forward(self, x: Tensor) -> Tensor:  # (B, C, T, H, W)
        out = self.conv2(self.conv1(x))
        return self.relu(out + (x if self.downsample is None else self.downsample(x)))


class Bottleneck(nn.Module):
    """1x1x1, a convolution of `conv_builder`, 1x1x1, beside a shortcut."""

    expansion = 4

    def __init__(
        self,
        inplanes: int,
        planes: int,
        conv_builder: Maker,
        stride: int = 1,
        downsample: nn.Module | None = None,
    ) -> None:
        super().__init__()
        out = planes * self.expansion
        self.conv1 = nn.Sequential(
            nn.Conv3d(inplanes, planes, kernel_size=1, bias=False),
            nn.BatchNorm3d(planes),
            nn.ReLU(inplace=True),
        )
        self.conv2 = nn.Sequential(
            conv_builder(planes, planes, _midplanes(inplanes, planes), stride),
            nn.BatchNorm3d(planes),
            nn.ReLU(inplace=True),
        )
        self.conv3 = nn.Sequential(
            nn.Conv3d(planes, out, kernel_size=1, bias=False), nn.BatchNorm3d(out)
        )
        self.relu = nn.ReLU(inplace=True)
        self.downsample = downsample
        self.stride = stride

    def forward(self, x: Tensor) -> Tensor:  # (B, C, T, H, W)
        out = self.conv3(self.conv2(self.conv1(x)))
        return self.relu(out + (x if self.downsample is None else self.downsample(x)))


class BasicStem(nn.Sequential):
    """A 3x7x7 convolution that halves the pictures, a norm, a ReLU."""

    def __init__(self) -> None:
        super().__init__(
            _conv(3, 64, (3, 7, 7), (1, 2, 2), (1, 3, 3)),
            nn.BatchNorm3d(64),
            nn.ReLU(inplace=True),
        )


class R2Plus1dStem(nn.Sequential):
    """:class:`BasicStem` cut into one convolution in space and one in time."""

    def __init__(self) -> None:
        super().__init__(
            _conv(3, 45, (1, 7, 7), (1, 2, 2), (0, 3, 3)),
            nn.BatchNorm3d(45),
            nn.ReLU(inplace=True),
            _conv(45, 64, (3, 1, 1), (1, 1, 1), (1, 0, 0)),
            nn.BatchNorm3d(64),
            nn.ReLU(inplace=True),
        )


class VideoResNet(nn.Module):
    """A stem, four stages of residual blocks, one linear layer: videos (B, 3, T, H, W).

    Args:
        block: :class:`BasicBlock` or :class:`Bottleneck`.
        conv_makers: the convolutions of each stage.
        layers: blocks in each stage.
        stem: what makes the first 64 channels.
        zero_init_residual: let every bottleneck begin as the identity.

    >>> net = torch.vision.models.video.r3d_18(num_classes=5)
    >>> net(torch.zeros(2, 3, 4, 16, 16)).shape
    torch.Size([2, 5])
    """

    def __init__(
        self,
        block: type[BasicBlock] | type[Bottleneck],
        conv_makers: Sequence[Any],
        layers: Sequence[int],
        stem: Maker,
        num_classes: int = 400,
        zero_init_residual: bool = False,
    ) -> None:
        super().__init__()
        self.inplanes = 64
        self.stem = stem()
        self.layer1 = self._make_layer(block, conv_makers[0], 64, layers[0], stride=1)
        self.layer2 = self._make_layer(block, conv_makers[1], 128, layers[1], stride=2)
        self.layer3 = self._make_layer(block, conv_makers[2], 256, layers[2], stride=2)
        self.layer4 = self._make_layer(block, conv_makers[3], 512, layers[3], stride=2)
        self.avgpool = nn.AdaptiveAvgPool3d((1, 1, 1))
        self.fc = nn.Linear(512 * block.expansion, num_classes)
        for m in self.modules():
            if isinstance(m, nn.Conv3d):
                fan_out(m.weight)
            elif isinstance(m, nn.Linear):
                nn.init.normal_(m.weight, 0, 0.01)
                nn.init.zeros_(m.bias)
        if zero_init_residual:
            for m in self.modules():
                if isinstance(m, Bottleneck):
                    last: Any = m.conv3[1]
                    nn.init.zeros_(last.weight)

    def forward(self, x: Tensor) -> Tensor:  # (B, 3, T, H, W)
        x = self.layer4(self.layer3(self.layer2(self.layer1(self.stem(x)))))
        return self.fc(self.avgpool(x).flatten(1))  # (B, num_classes)

    def _make_layer(
        self,
        block: type[BasicBlock] | type[Bottleneck],
        conv_builder: Any,
        planes: int,
        blocks: int,
        stride: int = 1,
    ) -> nn.Sequential:
        """One stage; its first block changes the size of the videos and the channels."""
        out = planes * block.expansion
        downsample = None
        if stride != 1 or self.inplanes != out:
            strides = conv_builder.get_downsample_stride(stride)
            downsample = nn.Sequential(
                nn.Conv3d(self.inplanes, out, kernel_size=1, stride=strides, bias=False),
                nn.BatchNorm3d(out),
            )
        stage = [block(self.inplanes, planes, conv_builder, stride, downsample)]
        self.inplanes = out
        stage += [block(out, planes, conv_builder) for _ in range(1, blocks)]
        return nn.Sequential(*stage)


def _video_resnet(
    makers: Sequence[Any], stem: Maker, weights: WeightsEnum | None, progress: bool, **kwargs: Any
) -> VideoResNet:
    layers = [2, 2, 2, 2]
    return assemble(VideoResNet, weights, progress, BasicBlock, makers, layers, stem, **kwargs)


class R3D_18_Weights(WeightsEnum):
    """Trained weights of `r3d_18`."""

    KINETICS400_V1 = kinetics(
        "r3d_18-b3b3357e.pth", 33_371_472, 63.2, 83.479, 40.697, 127.359,
        "tree/main/references/video_classification", crop_size=(112, 112), resize_size=(128, 171),
    )
    DEFAULT = KINETICS400_V1


class MC3_18_Weights(WeightsEnum):
    """Trained weights of `mc3_18`."""

    KINETICS400_V1 = kinetics(
        "mc3_18-a90a0ba3.pth", 11_695_440, 63.96, 84.13, 43.343, 44.672,
        "tree/main/references/video_classification", crop_size=(112, 112), resize_size=(128, 171),
    )
    DEFAULT = KINETICS400_V1


class R2Plus1D_18_Weights(WeightsEnum):
    """Trained weights of `r2plus1d_18`."""

    KINETICS400_V1 = kinetics(
        "r2plus1d_18-91a641e6.pth", 31_505_325, 67.463, 86.175, 40.519, 120.318,
        "tree/main/references/video_classification", crop_size=(112, 112), resize_size=(128, 171),
    )
    DEFAULT = KINETICS400_V1


@builder(R3D_18_Weights, "KINETICS400_V1")
def r3d_18(
    *, weights: R3D_18_Weights | None = None, progress: bool = True, **kwargs: Any
) -> VideoResNet:
    """R3D-18; `kwargs` go to :class:`VideoResNet`."""
    return _video_resnet([Conv3DSimple] * 4, BasicStem, weights, progress, **kwargs)


@builder(MC3_18_Weights, "KINETICS400_V1")
def mc3_18(
    *, weights: MC3_18_Weights | None = None, progress: bool = True, **kwargs: Any
) -> VideoResNet:
    """MC3-18; `kwargs` go to :class:`VideoResNet`."""
    makers = [Conv3DSimple, *[Conv3DNoTemporal] * 3]
    return _video_resnet(makers, BasicStem, weights, progress, **kwargs)


@builder(R2Plus1D_18_Weights, "KINETICS400_V1")
def r2plus1d_18(
    *, weights: R2Plus1D_18_Weights | None = None, progress: bool = True, **kwargs: Any
) -> VideoResNet:
    """R(2+1)D-18; `kwargs` go to :class:`VideoResNet`."""
    return _video_resnet([Conv2Plus1D] * 4, R2Plus1dStem, weights, progress, **kwargs)
