"""The 1,000 class names of ImageNet's classification task, in the order of a model's outputs."""

from __future__ import annotations

from pathlib import Path

_IMAGENET_CATEGORIES = (
    Path(__file__).with_name("imagenet_categories.txt").read_text(encoding="utf-8").splitlines()
)
