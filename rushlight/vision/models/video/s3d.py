"""S3D: Inception's branches, each convolution cut into one in space and one in time
(https://arxiv.org/abs/1712.04851).
"""

from __future__ import annotations

from functools import partial
from typing import Any

import rushlight

from .... import nn
from ....tensor import Tensor
from ...ops.misc import Conv3dNormActivation
from .._api import WeightsEnum, assemble, builder
from .._utils import Layer
from ._utils import kinetics

__all__ = ["S3D", "S3D_Weights", "s3d"]


class TemporalSeparableConv(nn.Sequential):
    """A convolution in space and one in time, each with norm and ReLU."""

    def __init__(
        self,
        in_planes: int,
        out_planes: int,
        kernel_size: int,
        stride: int,
        padding: int,
        norm_layer: Layer,
    ) -> None:
        k, s, p = kernel_size, stride, padding
        conv = partial(Conv3dNormActivation, bias=False, norm_layer=norm_layer)
        super().__init__(
            conv(in_planes, out_planes, (1, k, k), (1, s, s), (0, p, p)),
            conv(out_planes, out_planes, (k, 1, 1), (s, 1, 1), (p, 0, 0)),
        )


class SepInceptionBlock3D(nn.Module):
    """Four branches side by side: 1x1x1; twice 1x1x1 and 3x3x3; pooling and 1x1x1."""

    def __init__(
        self,
        in_planes: int,
        b0_out: int,
        b1_mid: int,
        b1_out: int,
        b2_mid: int,
        b2_out: int,
        b3_out: int,
        norm_layer: Layer,
    ) -> None:
        super().__init__()
        point = partial(Conv3dNormActivation, in_planes, kernel_size=1, norm_layer=norm_layer)
        self.branch0 = point(b0_out)
        self.branch1 = nn.Sequential(
            point(b1_mid), TemporalSeparableConv(b1_mid, b1_out, 3, 1, 1, norm_layer)
        )
        self.branch2 = nn.Sequential(
            point(b2_mid), TemporalSeparableConv(b2_mid, b2_out, 3, 1, 1, norm_layer)
        )
        self.branch3 = nn.Sequential(nn.MaxPool3d((3, 3, 3), stride=1, padding=1), point(b3_out))

    def forward(self, x: Tensor) -> Tensor:  # (B, C, T, H, W)
        branches = self.branch0, self.branch1, self.branch2, self.branch3
        return rushlight.cat([branch(x) for branch in branches], 1)


class S3D(nn.Module):
    """A stem, nine blocks of four branches, a classifier at every place, and their mean.

    Videos (B, 3, T, H, W) of at least 14 pictures of 224 by 224.

    Args:
        norm_layer: in place of BatchNorm3d with eps 0.001 and momentum 0.001.

    >>> with torch.device("meta"):
    ...     torch.vision.models.video.s3d()(torch.zeros(1, 3, 16, 224, 224)).shape
    torch.Size([1, 400])
    """

    def __init__(
        self, num_classes: int = 400, dropout: float = 0.2, norm_layer: Layer | None = None
    ) -> None:
        super().__init__()
        norm = norm_layer or partial(nn.BatchNorm3d, eps=0.001, momentum=0.001)

        def shrink() -> nn.Module:
            return nn.MaxPool3d((1, 3, 3), stride=(1, 2, 2), padding=(0, 1, 1))

        block = partial(SepInceptionBlock3D, norm_layer=norm)
        self.features = nn.Sequential(
            TemporalSeparableConv(3, 64, 7, 2, 3, norm),
            shrink(),
            Conv3dNormActivation(64, 64, kernel_size=1, norm_layer=norm),
            TemporalSeparableConv(64, 192, 3, 1, 1, norm),
            shrink(),
            block(192, 64, 96, 128, 16, 32, 32),
            block(256, 128, 128, 192, 32, 96, 64),
            nn.MaxPool3d((3, 3, 3), stride=(2, 2, 2), padding=(1, 1, 1)),
            block(480, 192, 96, 208, 16, 48, 64),
            block(512, 160, 112, 224, 24, 64, 64),
            block(512, 128, 128, 256, 24, 64, 64),
            block(512, 112, 144, 288, 32, 64, 64),
            block(528, 256, 160, 320, 32, 128, 128),
            nn.MaxPool3d((2, 2, 2), stride=(2, 2, 2)),
            block(832, 256, 160, 320, 32, 128, 128),
            block(832, 384, 192, 384, 48, 128, 128),
        )
        self.avgpool = nn.AvgPool3d(kernel_size=(2, 7, 7), stride=1)
        self.classifier = nn.Sequential(nn.Dropout(dropout), nn.Conv3d(1024, num_classes, 1))

    def forward(self, x: Tensor) -> Tensor:  # (B, 3, T, H, W)
        x = self.classifier(self.avgpool(self.features(x)))  # (B, num_classes, t, h, w)
        return x.mean((2, 3, 4))  # (B, num_classes)


class S3D_Weights(WeightsEnum):
    """Trained weights of `s3d`."""

    KINETICS400_V1 = kinetics(
        "s3d-d76dad2f.pth", 8_320_048, 68.368, 88.05, 17.979, 31.972,
        "tree/main/references/video_classification#s3d", min_size=(224, 224), min_temporal_size=14,
        crop_size=(224, 224), resize_size=(256, 256),
    )
    DEFAULT = KINETICS400_V1


@builder(S3D_Weights, "KINETICS400_V1")
def s3d(
    *, weights: S3D_Weights | None = None, progress: bool = True, **kwargs: Any
) -> S3D:
    """S3D; `kwargs` go to :class:`S3D`."""
    return assemble(S3D, weights, progress, **kwargs)
