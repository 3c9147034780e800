"""Boxes and losses beside torchvision's: values and gradients."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from rushlight.vision import ops

torch = pytest.importorskip("torch")


def boxes(rng: np.random.Generator, n: int) -> np.ndarray:
    corner = rng.uniform(0, 10, (n, 2))
    return np.concatenate([corner, corner + rng.uniform(0.5, 5, (n, 2))], 1)


@pytest.mark.parametrize(
    "name",
    ["box_iou", "generalized_box_iou", "distance_box_iou", "complete_box_iou"],
)
def test_overlaps(
    name: str, torchvision: Any, same: Callable[..., Any], rng: np.random.Generator
) -> None:
    ours, theirs = getattr(ops, name), getattr(torchvision.ops, name)
    same(ours, theirs, boxes(rng, 5), boxes(rng, 4))


@pytest.mark.parametrize("source", ["xyxy", "xywh", "cxcywh"])
@pytest.mark.parametrize("target", ["xyxy", "xywh", "cxcywh"])
def test_formats(
    source: str,
    target: str,
    torchvision: Any,
    same: Callable[..., Any],
    rng: np.random.Generator,
) -> None:
    x = boxes(rng, 5)
    same(
        lambda t: ops.box_convert(t, source, target),
        lambda t: torchvision.ops.box_convert(t, source, target),
        x,
    )
    same(lambda t: ops.box_area(t, source), lambda t: torchvision.ops.box_area(t, source), x)


def test_the_rest(torchvision: Any, same: Callable[..., Any], rng: np.random.Generator) -> None:
    x, theirs = boxes(rng, 6), torchvision.ops
    same(
        lambda t: ops.clip_boxes_to_image(t, (7, 8)),
        lambda t: theirs.clip_boxes_to_image(t, (7, 8)),
        x,
    )
    same(
        lambda t: ops.remove_small_boxes(t, 2.5),
        lambda t: theirs.remove_small_boxes(t, 2.5),
        x,
        order=0,
    )
    masks = rng.integers(0, 4, (3, 5, 6)) == 0
    same(ops.masks_to_boxes, theirs.masks_to_boxes, masks, order=0)
    scores, labels = rng.standard_normal((3, 4)), rng.integers(0, 2, (3, 4)).astype(float)
    for options in ({}, {"alpha": -1}, {"gamma": 1.5, "reduction": "sum"}):
        same(
            lambda a, b, options=options: ops.sigmoid_focal_loss(a, b, **options),
            lambda a, b, options=options: theirs.sigmoid_focal_loss(a, b, **options),
            scores,
            labels,
            fixed=(1,),
        )
