"""Faster R-CNN (https://arxiv.org/abs/1506.01497): a network proposes regions, a second stage says
what they are.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from .... import nn
from ....errors import message
from ....nn import functional as F
from ....tensor import Tensor
from ...ops.misc import Conv2dNormActivation
from ...ops.poolers import MultiScaleRoIAlign
from .._api import WeightsEnum, builder
from .._utils import fan_out
from ..mobilenetv3 import MobileNet_V3_Large_Weights, mobilenet_v3_large
from ..resnet import ResNet50_Weights
from ._builders import Start, coco, loaded, resnet50_pyramid, start
from .anchor_utils import AnchorGenerator
from .backbone_utils import _mobilenet_extractor
from .generalized_rcnn import GeneralizedRCNN
from .roi_heads import RoIHeads
from .rpn import RegionProposalNetwork, RPNHead
from .transform import GeneralizedRCNNTransform

__all__ = [
    "FasterRCNN",
    "FasterRCNN_MobileNet_V3_Large_320_FPN_Weights",
    "FasterRCNN_MobileNet_V3_Large_FPN_Weights",
    "FasterRCNN_ResNet50_FPN_V2_Weights",
    "FasterRCNN_ResNet50_FPN_Weights",
    "fasterrcnn_mobilenet_v3_large_320_fpn",
    "fasterrcnn_mobilenet_v3_large_fpn",
    "fasterrcnn_resnet50_fpn",
    "fasterrcnn_resnet50_fpn_v2",
]

IMAGE_MEAN = [0.485, 0.456, 0.406]
IMAGE_STD = [0.229, 0.224, 0.225]


def _default_anchorgen() -> AnchorGenerator:
    sizes = ((32,), (64,), (128,), (256,), (512,))
    return AnchorGenerator(sizes, ((0.5, 1.0, 2.0),) * len(sizes))


def checked_backbone(backbone: Any) -> Any:
    """ValueError for a backbone that does not say how many channels it gives."""
    if not hasattr(backbone, "out_channels"):
        raise ValueError(
            "backbone should contain an attribute out_channels specifying the number of output "
            "channels (assumed to be the same for all the levels)"
        )
    return backbone


def checked(value: Any, kind: type, name: str) -> Any:
    """TypeError for what is neither None nor a `kind`."""
    if not isinstance(value, (kind, type(None))):
        raise TypeError(
            f"{name} should be of type {kind.__name__} or None instead of {type(value)}"
        )
    return value


def only_one(number: Any, name: str, predictor: Any, kind: str) -> None:
    """ValueError where a number of outputs and a layer that has one are both given."""
    if number is not None and predictor is not None:
        raise ValueError(f"{name} should be None when {kind} is specified")


def region_pool(size: int) -> MultiScaleRoIAlign:
    """From the four maps of a pyramid on a ResNet."""
    return MultiScaleRoIAlign(["0", "1", "2", "3"], output_size=size, sampling_ratio=2)


class FasterRCNN(GeneralizedRCNN):
    """Faster R-CNN from any backbone; `Detector` says what goes in and what comes out.

    Losses: "loss_classifier", "loss_box_reg", "loss_objectness", "loss_rpn_box_reg".

    Args:
        backbone: images (N, 3, H, W) to a feature map, or to a dictionary of them, of
            `out_channels` channels.
        num_classes: with the background. None where a `box_predictor` is given.
        min_size, max_size, image_mean, image_std: see `GeneralizedRCNNTransform`.
        rpn_anchor_generator, rpn_head and all that begins with "rpn": see `RegionProposalNetwork`.
        box_roi_pool, box_head, box_predictor and all that begins with "box": see `RoIHeads`.

    >>> from rushlight.vision.models.detection import FasterRCNN
    >>> from rushlight.vision.models.detection.anchor_utils import AnchorGenerator
    >>> backbone = torch.nn.Conv2d(3, 8, 16, 16)
    >>> backbone.out_channels = 8
    >>> pool = torch.vision.ops.MultiScaleRoIAlign(["0"], 7, 2)
    >>> anchors = AnchorGenerator(((16, 32),), ((1.0,),))
    >>> net = FasterRCNN(backbone, 2, 64, rpn_anchor_generator=anchors, box_roi_pool=pool).eval()
    >>> sorted(net([torch.rand(3, 50, 70)])[0])
    ['boxes', 'labels', 'scores']
    """

    def __init__(
        self,
        backbone: Any,
        num_classes: int | None = None,
        min_size: int | tuple[int, ...] = 800,
        max_size: int = 1333,
        image_mean: list[float] | None = None,
        image_std: list[float] | None = None,
        rpn_anchor_generator: AnchorGenerator | None = None,
        rpn_head: nn.Module | None = None,
        rpn_pre_nms_top_n_train: int = 2000,
        rpn_pre_nms_top_n_test: int = 1000,
        rpn_post_nms_top_n_train: int = 2000,
        rpn_post_nms_top_n_test: int = 1000,
        rpn_nms_thresh: float = 0.7,
        rpn_fg_iou_thresh: float = 0.7,
        rpn_bg_iou_thresh: float = 0.3,
        rpn_batch_size_per_image: int = 256,
        rpn_positive_fraction: float = 0.5,
        rpn_score_thresh: float = 0.0,
        box_roi_pool: MultiScaleRoIAlign | None = None,
        box_head: nn.Module | None = None,
        box_predictor: nn.Module | None = None,
        box_score_thresh: float = 0.05,
        box_nms_thresh: float = 0.5,
        box_detections_per_img: int = 100,
        box_fg_iou_thresh: float = 0.5,
        box_bg_iou_thresh: float = 0.5,
        box_batch_size_per_image: int = 512,
        box_positive_fraction: float = 0.25,
        bbox_reg_weights: tuple[float, float, float, float] | None = None,
        **kwargs: Any,
    ) -> None:
        channels = checked_backbone(backbone).out_channels
        checked(rpn_anchor_generator, AnchorGenerator, "rpn_anchor_generator")
        checked(box_roi_pool, MultiScaleRoIAlign, "box_roi_pool")
        only_one(num_classes, "num_classes", box_predictor, "box_predictor")
        if num_classes is None and box_predictor is None:
            raise ValueError("num_classes should not be None when box_predictor is not specified")
        anchors = rpn_anchor_generator or _default_anchorgen()
        rpn = RegionProposalNetwork(
            anchors,
            rpn_head or RPNHead(channels, anchors.num_anchors_per_location()[0]),
            rpn_fg_iou_thresh,
            rpn_bg_iou_thresh,
            rpn_batch_size_per_image,
            rpn_positive_fraction,
            {"training": rpn_pre_nms_top_n_train, "testing": rpn_pre_nms_top_n_test},
            {"training": rpn_post_nms_top_n_train, "testing": rpn_post_nms_top_n_test},
            rpn_nms_thresh,
            score_thresh=rpn_score_thresh,
        )
        pool = box_roi_pool or region_pool(7)
        head = box_head or TwoMLPHead(channels * pool.output_size[0] ** 2, 1024)
        if box_predictor is None:
            assert num_classes is not None
            box_predictor = FastRCNNPredictor(1024, num_classes)
        roi_heads = RoIHeads(
            pool,
            head,
            box_predictor,
            box_fg_iou_thresh,
            box_bg_iou_thresh,
            box_batch_size_per_image,
            box_positive_fraction,
            bbox_reg_weights,
            box_score_thresh,
            box_nms_thresh,
            box_detections_per_img,
        )
        mean, std = image_mean or IMAGE_MEAN, image_std or IMAGE_STD
        transform = GeneralizedRCNNTransform(min_size, max_size, mean, std, **kwargs)
        super().__init__(backbone, rpn, roi_heads, transform)


class TwoMLPHead(nn.Module):
    """Regions (K, C, H, W) to features (K, representation_size) by two linear layers."""

    def __init__(self, in_channels: int, representation_size: int) -> None:
        super().__init__()
        self.fc6 = nn.Linear(in_channels, representation_size)
        self.fc7 = nn.Linear(representation_size, representation_size)

    def forward(self, x: Tensor) -> Tensor:
        return F.relu(self.fc7(F.relu(self.fc6(x.flatten(start_dim=1)))))


class FastRCNNConvFCHead(nn.Sequential):
    """Regions (K, C, H, W) to features by convolutions, then linear layers.

    Args:
        input_size: (C, H, W).
        conv_layers, fc_layers: channels of each convolution, features of each linear layer.
    """

    def __init__(
        self,
        input_size: tuple[int, int, int],
        conv_layers: list[int],
        fc_layers: list[int],
        norm_layer: Callable[..., nn.Module] | None = None,
    ) -> None:
        channels, height, width = input_size
        blocks: list[nn.Module] = []
        for size in conv_layers:
            blocks.append(Conv2dNormActivation(channels, size, norm_layer=norm_layer))
            channels = size
        blocks.append(nn.Flatten())
        features = channels * height * width
        for size in fc_layers:
            blocks += [nn.Linear(features, size), nn.ReLU(inplace=True)]
            features = size
        super().__init__(*blocks)
        he_init(self)


def he_init(module: nn.Module) -> None:
    """He's numbers for convolutions, no biases."""
    for layer in module.modules():
        if isinstance(layer, nn.Conv2d):
            fan_out(layer.weight)
            if layer.bias is not None:
                nn.init.zeros_(layer.bias)


class FastRCNNPredictor(nn.Module):
    """Features (K, in_channels) to logits (K, classes) and codes of boxes (K, 4 classes).

    >>> from rushlight.vision.models.detection.faster_rcnn import FastRCNNPredictor
    >>> logits, codes = FastRCNNPredictor(8, 3)(torch.zeros(5, 8))
    >>> tuple(logits.shape), tuple(codes.shape)
    ((5, 3), (5, 12))
    """

    def __init__(self, in_channels: int, num_classes: int) -> None:
        super().__init__()
        self.cls_score = nn.Linear(in_channels, num_classes)
        self.bbox_pred = nn.Linear(in_channels, num_classes * 4)

    def forward(self, x: Tensor) -> tuple[Tensor, Tensor]:
        if x.dim() == 4 and list(x.shape[2:]) != [1, 1]:
            raise AssertionError(
                message(
                    "x has the wrong shape, expecting the last two dimensions to be [1,1] instead "
                    f"of {list(x.shape[2:])}"
                )
            )
        x = x.flatten(start_dim=1)
        return self.cls_score(x), self.bbox_pred(x)


class FasterRCNN_ResNet50_FPN_Weights(WeightsEnum):
    """Trained weights of `fasterrcnn_resnet50_fpn`."""

    COCO_V1 = coco(
        "fasterrcnn_resnet50_fpn_coco-258fb6c6",
        41_755_286,
        "#faster-r-cnn-resnet-50-fpn",
        37.0,
        134.38,
        159.743,
    )
    DEFAULT = COCO_V1


class FasterRCNN_ResNet50_FPN_V2_Weights(WeightsEnum):
    """Trained weights of `fasterrcnn_resnet50_fpn_v2`."""

    COCO_V1 = coco(
        "fasterrcnn_resnet50_fpn_v2_coco-dd69338a", 43_712_278, "pull/5763", 46.7, 280.371, 167.104
    )
    DEFAULT = COCO_V1


class FasterRCNN_MobileNet_V3_Large_FPN_Weights(WeightsEnum):
    """Trained weights of `fasterrcnn_mobilenet_v3_large_fpn`."""

    COCO_V1 = coco(
        "fasterrcnn_mobilenet_v3_large_fpn-fb6a3cc7",
        19_386_354,
        "#faster-r-cnn-mobilenetv3-large-fpn",
        32.8,
        4.494,
        74.239,
    )
    DEFAULT = COCO_V1


class FasterRCNN_MobileNet_V3_Large_320_FPN_Weights(WeightsEnum):
    """Trained weights of `fasterrcnn_mobilenet_v3_large_320_fpn`."""

    COCO_V1 = coco(
        "fasterrcnn_mobilenet_v3_large_320_fpn-907ea3f9",
        19_386_354,
        "#faster-r-cnn-mobilenetv3-large-320-fpn",
        22.8,
        0.719,
        74.239,
    )
    DEFAULT = COCO_V1


@builder(FasterRCNN_ResNet50_FPN_Weights, "COCO_V1", ResNet50_Weights.IMAGENET1K_V1)
def fasterrcnn_resnet50_fpn(
    *,
    weights: FasterRCNN_ResNet50_FPN_Weights | None = None,
    progress: bool = True,
    num_classes: int | None = None,
    weights_backbone: ResNet50_Weights | None = ResNet50_Weights.IMAGENET1K_V1,
    trainable_backbone_layers: int | None = None,
    **kwargs: Any,
) -> FasterRCNN:
    """Faster R-CNN on a ResNet-50 with a feature pyramid; `kwargs` go to :class:`FasterRCNN`."""
    begin = start(weights, num_classes, weights_backbone, trainable_backbone_layers)
    model = FasterRCNN(resnet50_pyramid(begin, progress), begin.num_classes, **kwargs)
    return loaded(model, weights, progress, eps=True)


def second_version(backbone: Any) -> dict[str, Any]:
    """The heads of https://arxiv.org/abs/2111.11429: deeper, with norms."""
    channels, anchors = backbone.out_channels, _default_anchorgen()
    size = (channels, 7, 7)
    return {
        "rpn_anchor_generator": anchors,
        "rpn_head": RPNHead(channels, anchors.num_anchors_per_location()[0], conv_depth=2),
        "box_head": FastRCNNConvFCHead(size, [256] * 4, [1024], norm_layer=nn.BatchNorm2d),
    }


@builder(FasterRCNN_ResNet50_FPN_V2_Weights, "COCO_V1", ResNet50_Weights.IMAGENET1K_V1)
def fasterrcnn_resnet50_fpn_v2(
    *,
    weights: FasterRCNN_ResNet50_FPN_V2_Weights | None = None,
    progress: bool = True,
    num_classes: int | None = None,
    weights_backbone: ResNet50_Weights | None = None,
    trainable_backbone_layers: int | None = None,
    **kwargs: Any,
) -> FasterRCNN:
    """:func:`fasterrcnn_resnet50_fpn` with deeper heads and norms that are trained."""
    begin = start(weights, num_classes, weights_backbone, trainable_backbone_layers)
    backbone = resnet50_pyramid(begin, progress, nn.BatchNorm2d)
    heads = second_version(backbone)
    return loaded(
        FasterRCNN(backbone, begin.num_classes, **heads, **kwargs), weights, progress
    )


def _on_mobilenet(begin: Start, weights: Any, progress: bool, **kwargs: Any) -> FasterRCNN:
    net = mobilenet_v3_large(weights=begin.backbone, progress=progress, norm_layer=begin.norm)
    backbone = _mobilenet_extractor(net, True, begin.layers)
    anchors = AnchorGenerator(((32, 64, 128, 256, 512),) * 3, ((0.5, 1.0, 2.0),) * 3)
    model = FasterRCNN(backbone, begin.num_classes, rpn_anchor_generator=anchors, **kwargs)
    return loaded(model, weights, progress)


@builder(
    FasterRCNN_MobileNet_V3_Large_320_FPN_Weights,
    "COCO_V1",
    MobileNet_V3_Large_Weights.IMAGENET1K_V1,
)
def fasterrcnn_mobilenet_v3_large_320_fpn(
    *,
    weights: FasterRCNN_MobileNet_V3_Large_320_FPN_Weights | None = None,
    progress: bool = True,
    num_classes: int | None = None,
    weights_backbone: MobileNet_V3_Large_Weights
    | None = MobileNet_V3_Large_Weights.IMAGENET1K_V1,
    trainable_backbone_layers: int | None = None,
    **kwargs: Any,
) -> FasterRCNN:
    """:func:`fasterrcnn_mobilenet_v3_large_fpn` for images of 320 pixels and fewer proposals."""
    begin = start(weights, num_classes, weights_backbone, trainable_backbone_layers, 6)
    usual = {
        "min_size": 320,
        "max_size": 640,
        "rpn_pre_nms_top_n_test": 150,
        "rpn_post_nms_top_n_test": 150,
        "rpn_score_thresh": 0.05,
    }
    return _on_mobilenet(begin, weights, progress, **{**usual, **kwargs})


@builder(
    FasterRCNN_MobileNet_V3_Large_FPN_Weights,
    "COCO_V1",
    MobileNet_V3_Large_Weights.IMAGENET1K_V1,
)
def fasterrcnn_mobilenet_v3_large_fpn(
    *,
    weights: FasterRCNN_MobileNet_V3_Large_FPN_Weights | None = None,
    progress: bool = True,
    num_classes: int | None = None,
    weights_backbone: MobileNet_V3_Large_Weights
    | None = MobileNet_V3_Large_Weights.IMAGENET1K_V1,
    trainable_backbone_layers: int | None = None,
    **kwargs: Any,
) -> FasterRCNN:
    """Faster R-CNN on a MobileNetV3 with a feature pyramid; `kwargs` go to :class:`FasterRCNN`."""
    begin = start(weights, num_classes, weights_backbone, trainable_backbone_layers, 6)
    return _on_mobilenet(begin, weights, progress, **{"rpn_score_thresh": 0.05, **kwargs})
