"""How builders of detectors begin and end: whose weights, how many classes, what is trained."""

from __future__ import annotations

import warnings
from collections.abc import Callable
from typing import Any, NamedTuple, TypeVar

from .... import nn
from ...ops.feature_pyramid_network import LastLevelMaxPool
from ...ops.misc import FrozenBatchNorm2d
from ...transforms._presets import ObjectDetection
from .._api import _FILES, _PAGES, Weights, WeightsEnum, fix
from .._meta import _COCO_CATEGORIES
from ..resnet import resnet50
from ._utils import overwrite_eps
from .backbone_utils import BackboneWithFPN, _resnet_fpn_extractor, _validate_trainable_layers

M = TypeVar("M", bound=nn.Module)


def coco(
    file: str,
    params: int,
    recipe: str,
    box_map: float,
    gflops: float,
    megabytes: float,
    *,
    categories: list[str] | None = None,
    meta: dict[str, Any] | None = None,
    **metrics: float,
) -> Weights:
    """Weights of PyTorch's server trained on COCO; `recipe` is "#part" of torchvision's page of
    recipes for detection, or a path below its pages.
    """
    page = "tree/main/references/detection" if recipe[0] == "#" else ""
    about = {
        "categories": categories or _COCO_CATEGORIES,
        **(meta or {}),
        "min_size": (1, 1),
        "num_params": params,
        "recipe": f"{_PAGES}{page}{recipe}",
        "_metrics": {"COCO-val2017": {"box_map": box_map, **metrics}},
        "_ops": gflops,
        "_file_size": megabytes,
    }
    return Weights(f"{_FILES}{file}.pth", ObjectDetection, about)


class Start(NamedTuple):
    """What a builder's arguments come to."""

    num_classes: int
    backbone: Any  # weights of the backbone
    layers: int  # that are trained
    norm: Callable[..., nn.Module]


def start(
    weights: WeightsEnum | None,
    num_classes: int | None,
    weights_backbone: Any,
    trainable: int | None,
    most: int = 5,
    usual: int = 3,
    classes: int = 91,
) -> Start:
    """Trained weights bring their classes and need none of the backbone; of what is trained all but
    the last stages is frozen, with its norms.
    """
    if weights is not None:
        weights_backbone = None
        given = {} if num_classes is None else {"num_classes": num_classes}
        fix(given, num_classes=len(weights.meta["categories"]))
        num_classes = given["num_classes"]
    trained = weights is not None or weights_backbone is not None
    layers = _validate_trainable_layers(trained, trainable, most, usual)
    norm: Any = FrozenBatchNorm2d if trained else nn.BatchNorm2d
    return Start(classes if num_classes is None else num_classes, weights_backbone, layers, norm)


def resnet50_pyramid(
    begin: Start,
    progress: bool,
    norm: Any = None,
    pyramid_norm: bool = True,
    extra_blocks: Callable[[], Any] = LastLevelMaxPool,
    **kwargs: Any,
) -> BackboneWithFPN:
    """A ResNet-50 with a feature pyramid; `norm` is given to both, or (without `pyramid_norm`) to
    the ResNet alone.
    """
    net = resnet50(weights=begin.backbone, progress=progress, norm_layer=norm or begin.norm)
    kwargs["norm_layer"] = norm if pyramid_norm else None
    # The blocks are made after the ResNet, so that first values of a seed are torchvision's.
    return _resnet_fpn_extractor(net, begin.layers, extra_blocks=extra_blocks(), **kwargs)


def loaded(model: M, weights: WeightsEnum | None, progress: bool, eps: bool = False) -> M:
    """The model with the values of `weights`; `eps`: COCO_V1 was trained when norms had none."""
    if weights is not None:
        model.load_state_dict(weights.get_state_dict(progress=progress, check_hash=True))
        if eps and weights.name == "COCO_V1":
            overwrite_eps(model, 0.0)
    return model


def size_is_fixed(kwargs: dict[str, Any]) -> None:
    """Warn of a `size` that is not used."""
    if "size" in kwargs:
        text = "The size of the model is already fixed; ignoring the parameter."
        warnings.warn(text, stacklevel=3)
