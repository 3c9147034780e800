"""Keypoint R-CNN (https://arxiv.org/abs/1703.06870, section 5): Faster R-CNN with key points."""

from __future__ import annotations

from typing import Any

from .... import nn
from ....nn import functional as F
from ....tensor import Tensor
from ...ops.poolers import MultiScaleRoIAlign
from .._api import WeightsEnum, builder, fix
from .._meta import _COCO_PERSON_CATEGORIES, _COCO_PERSON_KEYPOINT_NAMES
from .._utils import fan_out
from ..resnet import ResNet50_Weights
from ._builders import coco, loaded, resnet50_pyramid, start
from .anchor_utils import AnchorGenerator
from .faster_rcnn import FasterRCNN, checked, he_init, only_one, region_pool

__all__ = ["KeypointRCNN", "KeypointRCNN_ResNet50_FPN_Weights", "keypointrcnn_resnet50_fpn"]


class KeypointRCNN(FasterRCNN):
    """:class:`FasterRCNN` with key points.

    Targets have "keypoints" (N, K, 3) of x, y and whether it is seen, losses "loss_keypoint", and
    detections "keypoints" (N, K, 3) and "keypoints_scores" (N, K).

    Args:
        keypoint_roi_pool: regions to one size. keypoint_head: these to features.
        keypoint_predictor: features to a map for each key point.
        num_keypoints: of an object, 17 by default. None where a predictor is given.

    The others are :class:`FasterRCNN`'s.
    """

    def __init__(
        self,
        backbone: Any,
        num_classes: int | None = None,
        min_size: int | tuple[int, ...] | None = None,
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
        keypoint_roi_pool: MultiScaleRoIAlign | None = None,
        keypoint_head: nn.Module | None = None,
        keypoint_predictor: nn.Module | None = None,
        num_keypoints: int | None = None,
        **kwargs: Any,
    ) -> None:
        checked(keypoint_roi_pool, MultiScaleRoIAlign, "keypoint_roi_pool")
        only_one(num_keypoints, "num_keypoints", keypoint_predictor, "keypoint_predictor")
        if min_size is None:
            min_size = (640, 672, 704, 736, 768, 800)
        pool = keypoint_roi_pool or region_pool(14)
        head = keypoint_head or KeypointRCNNHeads(backbone.out_channels, (512,) * 8)
        predictor = keypoint_predictor or KeypointRCNNPredictor(512, num_keypoints or 17)
        super().__init__(
            backbone, num_classes, min_size, max_size, image_mean, image_std,
            rpn_anchor_generator, rpn_head, rpn_pre_nms_top_n_train, rpn_pre_nms_top_n_test,
            rpn_post_nms_top_n_train, rpn_post_nms_top_n_test, rpn_nms_thresh, rpn_fg_iou_thresh,
            rpn_bg_iou_thresh, rpn_batch_size_per_image, rpn_positive_fraction, rpn_score_thresh,
            box_roi_pool, box_head, box_predictor, box_score_thresh, box_nms_thresh,
            box_detections_per_img, box_fg_iou_thresh, box_bg_iou_thresh,
            box_batch_size_per_image, box_positive_fraction, bbox_reg_weights, **kwargs,
        )  # fmt: skip
        self.roi_heads.keypoint_roi_pool = pool
        self.roi_heads.keypoint_head = head
        self.roi_heads.keypoint_predictor = predictor


class KeypointRCNNHeads(nn.Sequential):
    """3x3 convolutions on regions."""

    def __init__(self, in_channels: int, layers: Any) -> None:
        blocks: list[nn.Module] = []
        for channels in layers:
            blocks += [nn.Conv2d(in_channels, channels, 3, 1, 1), nn.ReLU(inplace=True)]
            in_channels = channels
        super().__init__(*blocks)
        he_init(self)


class KeypointRCNNPredictor(nn.Module):
    """Features (K, in_channels, M, M) to maps (K, key points, 4 M, 4 M).

    >>> from rushlight.vision.models.detection.keypoint_rcnn import KeypointRCNNPredictor
    >>> KeypointRCNNPredictor(8, 3)(torch.zeros(2, 8, 14, 14)).shape
    torch.Size([2, 3, 56, 56])
    """

    def __init__(self, in_channels: int, num_keypoints: int) -> None:
        super().__init__()
        self.kps_score_lowres = nn.ConvTranspose2d(in_channels, num_keypoints, 4, 2, 1)
        fan_out(self.kps_score_lowres.weight)
        nn.init.zeros_(self.kps_score_lowres.bias)  # type: ignore[arg-type]  # it has one
        self.up_scale = 2
        self.out_channels = num_keypoints

    def forward(self, x: Tensor) -> Tensor:
        return F.interpolate(
            self.kps_score_lowres(x),
            scale_factor=float(self.up_scale),
            mode="bilinear",
            align_corners=False,
            recompute_scale_factor=False,
        )


_PERSONS: dict[str, Any] = {
    "categories": _COCO_PERSON_CATEGORIES,
    "meta": {"keypoint_names": _COCO_PERSON_KEYPOINT_NAMES},
}


class KeypointRCNN_ResNet50_FPN_Weights(WeightsEnum):
    """Trained weights of `keypointrcnn_resnet50_fpn`; COCO_LEGACY are of an early epoch."""

    COCO_LEGACY = coco(
        "keypointrcnn_resnet50_fpn_coco-9f466800",
        59_137_258,
        "issues/1606",
        50.6,
        133.924,
        226.054,
        kp_map=61.1,
        **_PERSONS,
    )
    COCO_V1 = coco(
        "keypointrcnn_resnet50_fpn_coco-fc266e95",
        59_137_258,
        "#keypoint-r-cnn",
        54.6,
        137.42,
        226.054,
        kp_map=65.0,
        **_PERSONS,
    )
    DEFAULT = COCO_V1


@builder(KeypointRCNN_ResNet50_FPN_Weights, "COCO_V1", ResNet50_Weights.IMAGENET1K_V1)
def keypointrcnn_resnet50_fpn(
    *,
    weights: KeypointRCNN_ResNet50_FPN_Weights | None = None,
    progress: bool = True,
    num_classes: int | None = None,
    num_keypoints: int | None = None,
    weights_backbone: ResNet50_Weights | None = ResNet50_Weights.IMAGENET1K_V1,
    trainable_backbone_layers: int | None = None,
    **kwargs: Any,
) -> KeypointRCNN:
    """Keypoint R-CNN on a ResNet-50 with a feature pyramid; `kwargs` go to :class:`KeypointRCNN`.

    By default 2 classes (with the background) and 17 key points.
    """
    layers = trainable_backbone_layers
    begin = start(weights, num_classes, weights_backbone, layers, classes=2)
    points: dict[str, Any] = {} if num_keypoints is None else {"num_keypoints": num_keypoints}
    if weights is not None:
        fix(points, num_keypoints=len(weights.meta["keypoint_names"]))
    backbone = resnet50_pyramid(begin, progress)
    model = KeypointRCNN(backbone, begin.num_classes, **points, **kwargs)
    return loaded(model, weights, progress, eps=True)
