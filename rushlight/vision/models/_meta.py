"""Names of classes, in the order of a model's outputs: ImageNet's 1,000 (classification), Pascal
VOC's (segmentation), COCO's (detection; "N/A" for numbers that are not used) and Kinetics-400's
(video).
"""

from __future__ import annotations

from pathlib import Path


def _lines(file: str) -> list[str]:
    return Path(__file__).with_name(file).read_text(encoding="utf-8").splitlines()


_IMAGENET_CATEGORIES = _lines("imagenet_categories.txt")

_COCO_PERSON_CATEGORIES = ["no person", "person"]

_COCO_PERSON_KEYPOINT_NAMES = ["nose"] + [
    f"{side}_{part}"
    for part in ("eye", "ear", "shoulder", "elbow", "wrist", "hip", "knee", "ankle")
    for side in ("left", "right")
]


def __getattr__(name: str) -> list[str]:
    # Lists that only packages of their own want.
    if name not in {"_COCO_CATEGORIES", "_KINETICS400_CATEGORIES", "_VOC_CATEGORIES"}:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    globals()[name] = _lines(name.strip("_").lower() + ".txt")
    return globals()[name]
