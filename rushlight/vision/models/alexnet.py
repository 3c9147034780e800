"""AlexNet, the network that won ImageNet in 2012, in the form of "One weird trick for parallelizing
convolutional neural networks" (https://arxiv.org/abs/1404.5997).
"""

from __future__ import annotations

from typing import Any

from ... import nn
from ...tensor import Tensor
from ._api import WeightsEnum, assemble, builder, imagenet

__all__ = ["AlexNet", "AlexNet_Weights", "alexnet"]


class AlexNet(nn.Module):
    """Five convolutions, then three linear layers."""

    def __init__(self, num_classes: int = 1000, dropout: float = 0.5) -> None:
        super().__init__()
        self.features = nn.Sequential(
            nn.Conv2d(3, 64, kernel_size=11, stride=4, padding=2),
            nn.ReLU(inplace=True),
            nn.MaxPool2d(kernel_size=3, stride=2),
            nn.Conv2d(64, 192, kernel_size=5, padding=2),
            nn.ReLU(inplace=True),
            nn.MaxPool2d(kernel_size=3, stride=2),
            nn.Conv2d(192, 384, kernel_size=3, padding=1),
            nn.ReLU(inplace=True),
            nn.Conv2d(384, 256, kernel_size=3, padding=1),
            nn.ReLU(inplace=True),
            nn.Conv2d(256, 256, kernel_size=3, padding=1),
            nn.ReLU(inplace=True),
            nn.MaxPool2d(kernel_size=3, stride=2),
        )
        self.avgpool = nn.AdaptiveAvgPool2d((6, 6))
        self.classifier = nn.Sequential(
            nn.Dropout(dropout),
            nn.Linear(256 * 6 * 6, 4096),
            nn.ReLU(inplace=True),
            nn.Dropout(dropout),
            nn.Linear(4096, 4096),
            nn.ReLU(inplace=True),
            nn.Linear(4096, num_classes),
        )

    def forward(self, x: Tensor) -> Tensor:  # (B, 3, 224, 224)
        x = self.features(x)  # (B, 256, 6, 6)
        x = self.avgpool(x).flatten(1)  # (B, 9216), whatever the image's size was
        return self.classifier(x)  # (B, num_classes)


class AlexNet_Weights(WeightsEnum):
    """Trained weights of `alexnet`."""

    IMAGENET1K_V1 = imagenet(
        "alexnet-owt-7be5be79.pth",
        61_100_840,
        56.522,
        79.066,
        0.714,
        233.087,
        "#alexnet-and-vgg",
        min_size=(63, 63),
    )
    DEFAULT = IMAGENET1K_V1


@builder(AlexNet_Weights)
def alexnet(
    *, weights: AlexNet_Weights | None = None, progress: bool = True, **kwargs: Any
) -> AlexNet:
    """AlexNet for images of 63x63 and more; `kwargs` go to :class:`AlexNet`."""
    return assemble(AlexNet, weights, progress, **kwargs)
