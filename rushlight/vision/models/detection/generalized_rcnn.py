"""A detector from its parts, and what all detectors do first: check, resize, compute features."""

from __future__ import annotations

from collections import OrderedDict
from typing import Any

import rushlight

from .... import nn
from ....errors import message
from ....tensor import Tensor
from .image_list import ImageList

Target = dict[str, Tensor]


def asserted(ok: bool, what: str, **more: str) -> None:
    """AssertionError unless `ok`: PyTorch's class for what is wrong with images and targets."""
    if not ok:
        raise AssertionError(message(what, **more))


class Detector(nn.Module):
    """In training, images and targets to a dictionary of losses; else images to detections.

    Images are a list of tensors (C, H, W) of any sizes, with values from 0 to 1. A target is a
    dictionary with "boxes" (N, 4), in pixels, as (x1, y1, x2, y2), "labels" (N,), from 1, and what
    else the model needs. A detection has "boxes", "labels" and "scores", the best first.
    """

    transform: Any
    backbone: Any

    def _prepared(
        self, images: list[Tensor], targets: list[Target] | None
    ) -> tuple[ImageList, list[Target] | None, list[tuple[int, int]], OrderedDict[str, Tensor]]:
        """(the batch, targets at its scale, the images' own sizes, feature maps)."""
        if self.training:
            asserted(targets is not None, "targets should not be none when in training mode")
            for target in targets or ():
                boxes = target["boxes"]
                asserted(
                    isinstance(boxes, Tensor),
                    f"Expected target boxes to be of type Tensor, got {type(boxes)}.",
                )
                asserted(
                    boxes.ndim == 2 and boxes.shape[-1] == 4,
                    f"Expected target boxes to be a tensor of shape [N, 4], got {boxes.shape}.",
                )
        sizes = []
        for image in images:
            size = tuple(image.shape[-2:])
            asserted(
                len(size) == 2,
                "expecting the last two dimensions of the Tensor to be H and W instead got "
                f"{image.shape[-2:]}",
            )
            sizes.append((size[0], size[1]))
        batch, scaled = self.transform(images, targets)
        for i, target in enumerate(scaled or ()):
            boxes = target["boxes"]
            empty = (boxes[:, 2:] <= boxes[:, :2]).any(1)
            if empty.any():
                raise AssertionError(
                    message(
                        "All bounding boxes should have positive height and width. Found invalid "
                        f"box {boxes[empty][0].tolist()} for target at index {i}.",
                        hint="leave such boxes out of the targets",
                    )
                )
        features = self.backbone(batch.tensors)
        if isinstance(features, Tensor):
            features = OrderedDict([("0", features)])
        return batch, scaled, sizes, features


class GeneralizedRCNN(Detector):
    """A detector in two stages.

    Args:
        backbone: images to feature maps. rpn: these to proposals. roi_heads: feature maps and
            proposals to detections. transform: resizes images, and detections back.
    """

    def __init__(
        self, backbone: nn.Module, rpn: nn.Module, roi_heads: nn.Module, transform: nn.Module
    ) -> None:
        super().__init__()
        self.transform = transform
        self.backbone = backbone
        self.rpn: Any = rpn
        self.roi_heads: Any = roi_heads

    def forward(self, images: list[Tensor], targets: list[Target] | None = None) -> Any:
        """Losses by name in training, else a dictionary for each image."""
        batch, targets, sizes, features = self._prepared(images, targets)
        proposals, proposal_losses = self.rpn(batch, features, targets)
        found, losses = self.roi_heads(features, proposals, batch.image_sizes, targets)
        if self.training:
            return {**losses, **proposal_losses}
        return self.transform.postprocess(found, batch.image_sizes, sizes)


class SingleStage(Detector):
    """A detector whose head gives classes and codes of all anchors at once."""

    anchor_generator: Any
    head: Any

    def forward(self, images: list[Tensor], targets: list[Target] | None = None) -> Any:
        """Losses by name in training, else a dictionary for each image."""
        batch, targets, sizes, features = self._prepared(images, targets)
        maps = list(features.values())
        outputs = self.head(maps)
        anchors = self.anchor_generator(batch, maps)
        counts = [t.shape[2] * t.shape[3] for t in maps]  # places of each map
        if self.training:
            assert targets is not None
            return self._losses(targets, outputs, anchors, counts)
        found = self._found(outputs, anchors, batch.image_sizes, counts)
        return self.transform.postprocess(found, batch.image_sizes, sizes)

    def _losses(
        self, targets: list[Target], outputs: Any, anchors: list[Tensor], counts: list[int]
    ) -> dict[str, Tensor]:
        raise NotImplementedError

    def _found(
        self, outputs: Any, anchors: list[Tensor], shapes: Any, counts: list[int]
    ) -> list[Target]:
        """The detections of each image, from what the head gave for each feature map."""
        each = outputs["cls_logits"].shape[1] // sum(counts)  # anchors of a place
        counts = [count * each for count in counts]
        levels = {name: list(t.split(counts, dim=1)) for name, t in outputs.items()}
        split = [list(own.split(counts)) for own in anchors]
        return self.postprocess_detections(levels, split, shapes)

    def postprocess_detections(self, outputs: Any, anchors: Any, shapes: Any) -> list[Target]:
        """The detections of each image."""
        raise NotImplementedError

    def _matched(self, targets: list[Target], anchors: list[Tensor], match: Any) -> list[Tensor]:
        """For each image `match(boxes, anchors)`; without boxes all anchors are background."""
        found = []
        for own, target in zip(anchors, targets, strict=False):
            boxes = target["boxes"]
            none = boxes.numel() == 0
            background = rushlight.full((len(own),), -1, dtype=rushlight.int64, device=own.device)
            found.append(background if none else match(boxes, own))
        return found
