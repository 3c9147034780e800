"""Trained weights of networks for videos."""

from __future__ import annotations

import functools
from typing import Any

from ...transforms._presets import VideoClassification
from .._api import _FILES, _PAGES, Weights
from .._meta import _KINETICS400_CATEGORIES


def kinetics(
    file: str,
    params: int,
    top1: float,
    top5: float,
    gflops: float,
    megabytes: float,
    recipe: str,
    *,
    min_size: tuple[int, int] = (1, 1),
    min_temporal_size: int | None = None,
    **preset: Any,
) -> Weights:
    """Weights of PyTorch's server trained on Kinetics-400, and how videos are prepared for them.

    `recipe` is an address, whole or below torchvision's pages.
    """
    meta = {
        "categories": _KINETICS400_CATEGORIES,
        "num_params": params,
        "min_size": min_size,
        "recipe": recipe if recipe.startswith("http") else _PAGES + recipe,
        "_metrics": {"Kinetics-400": {"acc@1": top1, "acc@5": top5}},
        "_ops": gflops,
        "_file_size": megabytes,
    }
    if min_temporal_size is not None:
        meta["min_temporal_size"] = min_temporal_size
    return Weights(_FILES + file, functools.partial(VideoClassification, **preset), meta)
