"""Backbones of detectors: a ResNet or a MobileNet cut at some stages, with a feature pyramid."""

from __future__ import annotations

import functools
import warnings
from collections import OrderedDict
from collections.abc import Callable, Mapping
from typing import Any, TypeVar

from .... import nn
from ....tensor import Tensor
from ...ops.feature_pyramid_network import ExtraFPNBlock, FeaturePyramidNetwork, LastLevelMaxPool
from ...ops.misc import FrozenBatchNorm2d
from .. import mobilenet, resnet
from .._api import WeightsEnum, _modern, _named, get_model_weights
from .._utils import IntermediateLayerGetter

Norm = Callable[..., nn.Module]
F = TypeVar("F", bound=Callable[..., Any])


def older_calls(build: F) -> F:
    """Accept positional arguments and `pretrained=`, as torchvision did before 0.13."""

    @functools.wraps(build)
    def call(*args: Any, **kwargs: Any) -> Any:
        if args:
            kwargs = _named(build, args, kwargs)
        if "pretrained" in kwargs or isinstance(kwargs.get("weights"), bool):
            kind = get_model_weights(kwargs["backbone_name"])
            member = kind.__members__.get("IMAGENET1K_V1")
            kwargs = _modern(kind, member, "weights", "pretrained", build.__name__, kwargs)
        return build(**kwargs)

    return call  # type: ignore[return-value]


class BackboneWithFPN(nn.Module):
    """Some stages of a network, and a :class:`FeaturePyramidNetwork` on them.

    Args:
        backbone: its children are called in their order.
        return_layers: name of a child -> name of the feature map.
        in_channels_list: channels of these feature maps.
        out_channels: channels of the pyramid's maps.
        extra_blocks: adds maps; :class:`LastLevelMaxPool` by default.
        norm_layer: stands after the pyramid's convolutions.
    """

    def __init__(
        self,
        backbone: nn.Module,
        return_layers: Mapping[str, str],
        in_channels_list: list[int],
        out_channels: int,
        extra_blocks: ExtraFPNBlock | None = None,
        norm_layer: Norm | None = None,
    ) -> None:
        super().__init__()
        self.body = IntermediateLayerGetter(backbone, return_layers=return_layers)
        self.fpn = FeaturePyramidNetwork(
            in_channels_list, out_channels, extra_blocks or LastLevelMaxPool(), norm_layer
        )
        self.out_channels = out_channels

    def forward(self, x: Tensor) -> OrderedDict[str, Tensor]:
        return self.fpn(self.body(x))


@older_calls
def resnet_fpn_backbone(
    *,
    backbone_name: str,
    weights: WeightsEnum | None,
    norm_layer: Norm = FrozenBatchNorm2d,
    trainable_layers: int = 3,
    returned_layers: list[int] | None = None,
    extra_blocks: ExtraFPNBlock | None = None,
) -> BackboneWithFPN:
    """A ResNet with a feature pyramid of 256 channels.

    Args:
        backbone_name: such as "resnet50".
        trainable_layers: how many stages, counted from the last one, are trained (0 to 5).
        returned_layers: which of the stages 1 to 4 give maps; all by default.

    >>> from rushlight.vision.models.detection.backbone_utils import resnet_fpn_backbone
    >>> net = resnet_fpn_backbone(backbone_name="resnet18", weights=None)
    >>> [(name, tuple(t.shape[2:])) for name, t in net(torch.zeros(1, 3, 64, 64)).items()]
    [('0', (16, 16)), ('1', (8, 8)), ('2', (4, 4)), ('3', (2, 2)), ('pool', (1, 1))]
    """
    net = vars(resnet)[backbone_name](weights=weights, norm_layer=norm_layer)
    return _resnet_fpn_extractor(net, trainable_layers, returned_layers, extra_blocks)


def _resnet_fpn_extractor(
    backbone: resnet.ResNet,
    trainable_layers: int,
    returned_layers: list[int] | None = None,
    extra_blocks: ExtraFPNBlock | None = None,
    norm_layer: Norm | None = None,
) -> BackboneWithFPN:
    if trainable_layers < 0 or trainable_layers > 5:
        raise ValueError(f"Trainable layers should be in the range [0,5], got {trainable_layers}")
    trained = ["layer4", "layer3", "layer2", "layer1", "conv1"][:trainable_layers]
    if trainable_layers == 5:
        trained.append("bn1")
    for name, parameter in backbone.named_parameters():
        if not name.startswith(tuple(trained)):
            parameter.requires_grad_(False)
    returned = returned_layers or [1, 2, 3, 4]
    if min(returned) <= 0 or max(returned) >= 5:
        raise ValueError(f"Each returned layer should be in the range [1,4]. Got {returned}")
    layers = {f"layer{k}": str(v) for v, k in enumerate(returned)}
    channels = [backbone.inplanes // 8 * 2 ** (k - 1) for k in returned]
    return BackboneWithFPN(backbone, layers, channels, 256, extra_blocks, norm_layer)


def _validate_trainable_layers(
    is_trained: bool, trainable_backbone_layers: int | None, max_value: int, default_value: int
) -> int:
    layers = trainable_backbone_layers
    if not is_trained:
        if layers is not None:
            warnings.warn(
                "Changing trainable_backbone_layers has no effect if neither pretrained nor "
                "pretrained_backbone have been set to True, falling back to "
                f"trainable_backbone_layers={max_value} so that all layers are trainable",
                stacklevel=3,
            )
        layers = max_value
    if layers is None:
        layers = default_value
    if layers < 0 or layers > max_value:
        raise ValueError(
            f"Trainable backbone layers should be in the range [0,{max_value}], got {layers} "
        )
    return layers


@older_calls
def mobilenet_backbone(
    *,
    backbone_name: str,
    weights: WeightsEnum | None,
    fpn: bool,
    norm_layer: Norm = FrozenBatchNorm2d,
    trainable_layers: int = 2,
    returned_layers: list[int] | None = None,
    extra_blocks: ExtraFPNBlock | None = None,
) -> nn.Module:
    """A MobileNet with 256 channels: its last two stages with a feature pyramid, or (without `fpn`)
    its last map.

    Args:
        backbone_name: such as "mobilenet_v3_large".
        trainable_layers: how many stages, counted from the last one, are trained.
        returned_layers: indices of the stages that give maps.

    >>> from rushlight.vision.models.detection.backbone_utils import mobilenet_backbone
    >>> net = mobilenet_backbone(backbone_name="mobilenet_v2", weights=None, fpn=False)
    >>> net.eval()(torch.zeros(1, 3, 64, 64)).shape
    torch.Size([1, 256, 2, 2])
    """
    net = vars(mobilenet)[backbone_name](weights=weights, norm_layer=norm_layer)
    return _mobilenet_extractor(net, fpn, trainable_layers, returned_layers, extra_blocks)


def stages(features: Any) -> list[int]:
    """The indices where a MobileNet's features change their size, with the first and the last."""
    strided = [i for i, b in enumerate(features) if getattr(b, "_is_cn", False)]
    return [0, *strided, len(features) - 1]


def freeze(features: Any, begins: list[int], trainable_layers: int) -> None:
    """No gradients for all stages but the last `trainable_layers`."""
    before = begins[len(begins) - trainable_layers] if trainable_layers else len(features)
    for block in features[:before]:
        for parameter in block.parameters():
            parameter.requires_grad_(False)


def _mobilenet_extractor(
    backbone: Any,
    fpn: bool,
    trainable_layers: int,
    returned_layers: list[int] | None = None,
    extra_blocks: ExtraFPNBlock | None = None,
    norm_layer: Norm | None = None,
) -> nn.Module:
    features = backbone.features
    begins = stages(features)
    count = len(begins)
    if trainable_layers < 0 or trainable_layers > count:
        raise ValueError(
            f"Trainable layers should be in the range [0,{count}], got {trainable_layers} "
        )
    freeze(features, begins, trainable_layers)
    if not fpn:
        whole = nn.Sequential(features, nn.Conv2d(features[-1].out_channels, 256, 1))
        whole.out_channels = 256  # type: ignore[assignment]  # detectors ask for it
        return whole
    returned = returned_layers or [count - 2, count - 1]
    if min(returned) < 0 or max(returned) >= count:
        raise ValueError(
            f"Each returned layer should be in the range [0,{count - 1}], got {returned} "
        )
    layers = {f"{begins[k]}": str(v) for v, k in enumerate(returned)}
    channels = [features[begins[k]].out_channels for k in returned]
    return BackboneWithFPN(features, layers, channels, 256, extra_blocks, norm_layer)
