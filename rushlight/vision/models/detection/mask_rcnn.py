"""Mask R-CNN (https://arxiv.org/abs/1703.06870): Faster R-CNN with a mask for every object."""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Callable
from typing import Any

from .... import nn
from ...ops.feature_pyramid_network import move
from ...ops.misc import Conv2dNormActivation
from ...ops.poolers import MultiScaleRoIAlign
from .._api import WeightsEnum, builder
from .._utils import fan_out
from ..resnet import ResNet50_Weights
from ._builders import coco, loaded, resnet50_pyramid, start
from .anchor_utils import AnchorGenerator
from .faster_rcnn import FasterRCNN, checked, he_init, only_one, region_pool, second_version

__all__ = [
    "MaskRCNN",
    "MaskRCNN_ResNet50_FPN_V2_Weights",
    "MaskRCNN_ResNet50_FPN_Weights",
    "maskrcnn_resnet50_fpn",
    "maskrcnn_resnet50_fpn_v2",
]


class MaskRCNN(FasterRCNN):
    """:class:`FasterRCNN` with masks.

    Targets have "masks" (N, H, W) of 0 and 1 as well, losses "loss_mask", and detections "masks"
    (N, 1, H, W) of probabilities.

    Args:
        mask_roi_pool: regions to one size. mask_head: these to features.
        mask_predictor: features to masks of each class.

    The others are :class:`FasterRCNN`'s.
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
        mask_roi_pool: MultiScaleRoIAlign | None = None,
        mask_head: nn.Module | None = None,
        mask_predictor: nn.Module | None = None,
        **kwargs: Any,
    ) -> None:
        checked(mask_roi_pool, MultiScaleRoIAlign, "mask_roi_pool")
        only_one(num_classes, "num_classes", mask_predictor, "mask_predictor")
        pool = mask_roi_pool or region_pool(14)
        head = mask_head or MaskRCNNHeads(backbone.out_channels, (256, 256, 256, 256), 1)
        if mask_predictor is None:
            mask_predictor = MaskRCNNPredictor(256, 256, num_classes)  # type: ignore[arg-type]
        super().__init__(
            backbone, num_classes, min_size, max_size, image_mean, image_std,
            rpn_anchor_generator, rpn_head, rpn_pre_nms_top_n_train, rpn_pre_nms_top_n_test,
            rpn_post_nms_top_n_train, rpn_post_nms_top_n_test, rpn_nms_thresh, rpn_fg_iou_thresh,
            rpn_bg_iou_thresh, rpn_batch_size_per_image, rpn_positive_fraction, rpn_score_thresh,
            box_roi_pool, box_head, box_predictor, box_score_thresh, box_nms_thresh,
            box_detections_per_img, box_fg_iou_thresh, box_bg_iou_thresh,
            box_batch_size_per_image, box_positive_fraction, bbox_reg_weights, **kwargs,
        )  # fmt: skip
        self.roi_heads.mask_roi_pool = pool
        self.roi_heads.mask_head = head
        self.roi_heads.mask_predictor = mask_predictor


class MaskRCNNHeads(nn.Sequential):
    """3x3 convolutions on regions."""

    _version = 2

    def __init__(
        self,
        in_channels: int,
        layers: Any,
        dilation: int,
        norm_layer: Callable[..., nn.Module] | None = None,
    ) -> None:
        blocks = []
        for channels in layers:
            blocks.append(
                Conv2dNormActivation(
                    in_channels, channels, 3, 1, dilation, norm_layer=norm_layer, dilation=dilation
                )
            )
            in_channels = channels
        super().__init__(*blocks)
        he_init(self)

    def _load_from_state_dict(
        self, state_dict: Any, prefix: str, local_metadata: dict[str, Any], *rest: Any
    ) -> None:
        if (local_metadata.get("version") or 1) < 2:
            for i in range(len(self)):
                move(state_dict, f"{prefix}mask_fcn{i + 1}", f"{prefix}{i}.0")
        super()._load_from_state_dict(state_dict, prefix, local_metadata, *rest)


class MaskRCNNPredictor(nn.Sequential):
    """Features (K, in_channels, M, M) to masks (K, classes, 2 M, 2 M).

    >>> from rushlight.vision.models.detection.mask_rcnn import MaskRCNNPredictor
    >>> MaskRCNNPredictor(8, 4, 3)(torch.zeros(2, 8, 14, 14)).shape
    torch.Size([2, 3, 28, 28])
    """

    def __init__(self, in_channels: int, dim_reduced: int, num_classes: int) -> None:
        super().__init__(
            OrderedDict(
                conv5_mask=nn.ConvTranspose2d(in_channels, dim_reduced, 2, 2, 0),
                relu=nn.ReLU(inplace=True),
                mask_fcn_logits=nn.Conv2d(dim_reduced, num_classes, 1, 1, 0),
            )
        )
        for name, parameter in self.named_parameters():
            if "weight" in name:
                fan_out(parameter)


class MaskRCNN_ResNet50_FPN_Weights(WeightsEnum):
    """Trained weights of `maskrcnn_resnet50_fpn`."""

    COCO_V1 = coco(
        "maskrcnn_resnet50_fpn_coco-bf2d0c1e",
        44_401_393,
        "#mask-r-cnn",
        37.9,
        134.38,
        169.84,
        mask_map=34.6,
    )
    DEFAULT = COCO_V1


class MaskRCNN_ResNet50_FPN_V2_Weights(WeightsEnum):
    """Trained weights of `maskrcnn_resnet50_fpn_v2`."""

    COCO_V1 = coco(
        "maskrcnn_resnet50_fpn_v2_coco-73cbd019",
        46_359_409,
        "pull/5773",
        47.4,
        333.577,
        177.219,
        mask_map=41.8,
    )
    DEFAULT = COCO_V1


@builder(MaskRCNN_ResNet50_FPN_Weights, "COCO_V1", ResNet50_Weights.IMAGENET1K_V1)
def maskrcnn_resnet50_fpn(
    *,
    weights: MaskRCNN_ResNet50_FPN_Weights | None = None,
    progress: bool = True,
    num_classes: int | None = None,
    weights_backbone: ResNet50_Weights | None = ResNet50_Weights.IMAGENET1K_V1,
    trainable_backbone_layers: int | None = None,
    **kwargs: Any,
) -> MaskRCNN:
    """Mask R-CNN on a ResNet-50 with a feature pyramid; `kwargs` go to :class:`MaskRCNN`."""
    begin = start(weights, num_classes, weights_backbone, trainable_backbone_layers)
    model = MaskRCNN(resnet50_pyramid(begin, progress), begin.num_classes, **kwargs)
    return loaded(model, weights, progress, eps=True)


@builder(MaskRCNN_ResNet50_FPN_V2_Weights, "COCO_V1", ResNet50_Weights.IMAGENET1K_V1)
def maskrcnn_resnet50_fpn_v2(
    *,
    weights: MaskRCNN_ResNet50_FPN_V2_Weights | None = None,
    progress: bool = True,
    num_classes: int | None = None,
    weights_backbone: ResNet50_Weights | None = None,
    trainable_backbone_layers: int | None = None,
    **kwargs: Any,
) -> MaskRCNN:
    """:func:`maskrcnn_resnet50_fpn` with deeper heads and norms that are trained."""
    begin = start(weights, num_classes, weights_backbone, trainable_backbone_layers)
    backbone = resnet50_pyramid(begin, progress, nn.BatchNorm2d)
    heads = second_version(backbone)
    channels = backbone.out_channels
    heads["mask_head"] = MaskRCNNHeads(channels, [256] * 4, 1, norm_layer=nn.BatchNorm2d)
    return loaded(MaskRCNN(backbone, begin.num_classes, **heads, **kwargs), weights, progress)
