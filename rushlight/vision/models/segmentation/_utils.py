"""What networks for segmentation share: a backbone, a head, and their trained weights."""

from __future__ import annotations

import functools
from collections import OrderedDict
from collections.abc import Callable
from typing import Any, TypeVar

from .... import nn
from ....nn import functional as F
from ....tensor import Tensor
from ...transforms._presets import SemanticSegmentation
from .._api import _FILES, _PAGES, Weights, WeightsEnum, fix
from .._meta import _VOC_CATEGORIES
from .._utils import IntermediateLayerGetter
from ..mobilenetv3 import MobileNetV3
from ..resnet import ResNet

M = TypeVar("M", bound=nn.Module)


class _SimpleSegmentationModel(nn.Module):
    """A class for every pixel: images (B, 3, H, W) to {"out": (B, classes, H, W)}.

    Args:
        backbone: gives a dictionary with "out", and "aux" where there is an `aux_classifier`.
        classifier: from the features "out" to classes, at the features' size.
        aux_classifier: the same from "aux", for a second loss while training.
    """

    def __init__(
        self, backbone: nn.Module, classifier: nn.Module, aux_classifier: nn.Module | None = None
    ) -> None:
        super().__init__()
        self.backbone = backbone
        self.classifier = classifier
        self.aux_classifier = aux_classifier

    def forward(self, x: Tensor) -> OrderedDict[str, Tensor]:
        features = self.backbone(x)
        result = OrderedDict(out=enlarged(self.classifier(features["out"]), x))
        if self.aux_classifier is not None:
            result["aux"] = enlarged(self.aux_classifier(features["aux"]), x)
        return result


def enlarged(y: Tensor, x: Tensor) -> Tensor:
    """`y` (B, C, h, w) at the size of `x` (..., H, W)."""
    return F.interpolate(y, size=x.shape[-2:], mode="bilinear", align_corners=False)


def conv_norm_relu(
    in_channels: int, out_channels: int, kernel_size: int = 1, dilation: int = 1
) -> list[nn.Module]:
    """A convolution that keeps the image's size, a norm and a ReLU."""
    padding = kernel_size // 2 * dilation
    return [
        nn.Conv2d(
            in_channels, out_channels, kernel_size, padding=padding, dilation=dilation, bias=False
        ),
        nn.BatchNorm2d(out_channels),
        nn.ReLU(),
    ]


def resnet_features(net: ResNet, aux: bool | None) -> tuple[nn.Module, int, int]:
    """A ResNet up to its last stage, and the channels of "out" and "aux"."""
    layers = {"layer4": "out", **({"layer3": "aux"} if aux else {})}
    return IntermediateLayerGetter(net, layers), 2048, 1024


def mobilenet_features(
    net: MobileNetV3, out: str, low: str | None
) -> tuple[nn.Module, int, int]:
    """A MobileNetV3 without its head: `out` at 1/16 of the image's size, `low` (None: not given)
    at 1/8; and the channels of both.
    """
    features: Any = net.features
    strided = [i for i, block in enumerate(features) if getattr(block, "_is_cn", False)]
    high, below = len(features) - 1, [0, *strided][-3]
    layers = {str(high): out, **({str(below): low} if low else {})}
    cut = IntermediateLayerGetter(features, layers)
    return cut, features[high].out_channels, features[below].out_channels


def assemble(
    build: Callable[..., M],
    backbone: Callable[..., nn.Module],
    weights: WeightsEnum | None,
    progress: bool,
    weights_backbone: WeightsEnum | None,
    num_classes: int | None,
    **options: Any,
) -> M:
    """`build(backbone, num_classes, **options)`: with trained `weights`, or the backbone's only."""
    if weights is not None:
        given = {"num_classes": num_classes, **options}
        wanted = {"num_classes": len(weights.meta["categories"]), **dict.fromkeys(options, True)}
        fix({name: value for name, value in given.items() if value is not None}, **wanted)
        num_classes, options, weights_backbone = wanted.pop("num_classes"), wanted, None
    classes = 21 if num_classes is None else num_classes
    model = build(backbone(weights=weights_backbone), classes, **options)
    if weights is not None:
        model.load_state_dict(weights.get_state_dict(progress=progress, check_hash=True))
    return model


def voc(
    name: str,
    digest: str,
    params: int,
    miou: float,
    accuracy: float,
    gflops: float,
    megabytes: float,
    recipe: str = "",
) -> Weights:
    """Weights of PyTorch's server trained on those images of COCO that show classes of VOC."""
    meta = {
        "categories": _VOC_CATEGORIES,
        "min_size": (1, 1),
        "num_params": params,
        "recipe": f"{_PAGES}tree/main/references/segmentation#{recipe or name}",
        "_metrics": {"COCO-val2017-VOC-labels": {"miou": miou, "pixel_acc": accuracy}},
        "_ops": gflops,
        "_file_size": megabytes,
    }
    transforms = functools.partial(SemanticSegmentation, resize_size=520)
    return Weights(f"{_FILES}{name}{digest}.pth", transforms, meta)
