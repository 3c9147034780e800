"""Builders of networks that are ready to be quantized, from those of the networks as they are."""

from __future__ import annotations

import functools
from collections.abc import Callable
from typing import Any

from .... import unsupported
from ....ao.quantization import FEATURE, HINT, DeQuantStub, QuantStub
from .. import googlenet as _googlenet
from .. import inception_v3 as _inception_v3
from .. import mobilenet_v2 as _mobilenet_v2
from .. import mobilenet_v3_large as _mobilenet_v3_large
from .. import resnet18 as _resnet18
from .. import resnet50 as _resnet50
from .. import resnext101_32x8d as _resnext101_32x8d
from .. import resnext101_64x4d as _resnext101_64x4d
from .. import shufflenet_v2_x0_5 as _shufflenet_v2_x0_5
from .. import shufflenet_v2_x1_0 as _shufflenet_v2_x1_0
from .. import shufflenet_v2_x1_5 as _shufflenet_v2_x1_5
from .. import shufflenet_v2_x2_0 as _shufflenet_v2_x2_0
from .._api import register_model
from ..googlenet import GoogLeNet
from ..inception import Inception3
from ..mobilenetv2 import MobileNetV2
from ..mobilenetv3 import MobileNetV3
from ..resnet import ResNet
from ..shufflenetv2 import ShuffleNetV2

__all__ = [
    "QuantizableGoogLeNet",
    "QuantizableInception3",
    "QuantizableMobileNetV2",
    "QuantizableMobileNetV3",
    "QuantizableResNet",
    "QuantizableShuffleNetV2",
    "googlenet",
    "inception_v3",
    "mobilenet_v2",
    "mobilenet_v3_large",
    "resnet18",
    "resnet50",
    "resnext101_32x8d",
    "resnext101_64x4d",
    "shufflenet_v2_x0_5",
    "shufflenet_v2_x1_0",
    "shufflenet_v2_x1_5",
    "shufflenet_v2_x2_0",
]


FUSE = "torch.ao.quantization.fuse_modules_qat(model, names), with the names of the layers"


class _Quantizable:
    """What the networks here have further: stubs at both ends, which let values pass."""

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self._add_stubs()

    def _add_stubs(self) -> None:
        self.quant = QuantStub()
        self.dequant = DeQuantStub()

    def forward(self, x: Any) -> Any:
        return self.dequant(super().forward(self.quant(x)))  # type: ignore[misc]

    def fuse_model(self, is_qat: bool | None = None) -> None:
        """Raises NotImplementedError."""
        name = f"{type(self).__name__}.fuse_model"
        unsupported.refuse(name, "blocks that are made to be fused", FUSE)


class QuantizableGoogLeNet(_Quantizable, GoogLeNet):
    """A GoogLeNet between stubs."""


class QuantizableInception3(_Quantizable, Inception3):
    """An Inception v3 between stubs."""


class QuantizableMobileNetV2(_Quantizable, MobileNetV2):
    """A MobileNetV2 between stubs."""


class QuantizableMobileNetV3(_Quantizable, MobileNetV3):
    """A MobileNetV3 between stubs."""


class QuantizableResNet(_Quantizable, ResNet):
    """A ResNet or ResNeXt between stubs."""


class QuantizableShuffleNetV2(_Quantizable, ShuffleNetV2):
    """A ShuffleNetV2 between stubs."""


def _builder(build: Callable[..., Any], kind: type[Any]) -> Callable[..., Any]:
    """The builder of the same name here: the network of `build`, as a `kind`."""

    @functools.wraps(build, assigned=("__name__", "__qualname__"))
    def call(
        *, weights: Any = None, progress: bool = True, quantize: bool = False, **kwargs: Any
    ) -> Any:
        if quantize:
            name = f"torchvision.models.quantization.{build.__name__}(quantize=True)"
            unsupported.refuse(name, FEATURE, HINT)
        net = build(weights=weights, progress=progress, **kwargs)
        # The network is built, with its weights, by whom knows how; it becomes one with stubs.
        net.__class__ = kind
        net._add_stubs()
        return net

    del call.__wrapped__  # type: ignore[attr-defined]
    call.__doc__ = (
        f":class:`{kind.__name__}` with the values of `models.{build.__name__}`, whose arguments "
        "it takes.\n\n    Raises NotImplementedError for `quantize=True`."
    )
    call.weights_enum = build.weights_enum  # type: ignore[attr-defined]
    return register_model(f"quantized_{build.__name__}")(call)


googlenet = _builder(_googlenet, QuantizableGoogLeNet)
inception_v3 = _builder(_inception_v3, QuantizableInception3)
mobilenet_v2 = _builder(_mobilenet_v2, QuantizableMobileNetV2)
mobilenet_v3_large = _builder(_mobilenet_v3_large, QuantizableMobileNetV3)
resnet18 = _builder(_resnet18, QuantizableResNet)
resnet50 = _builder(_resnet50, QuantizableResNet)
resnext101_32x8d = _builder(_resnext101_32x8d, QuantizableResNet)
resnext101_64x4d = _builder(_resnext101_64x4d, QuantizableResNet)
shufflenet_v2_x0_5 = _builder(_shufflenet_v2_x0_5, QuantizableShuffleNetV2)
shufflenet_v2_x1_0 = _builder(_shufflenet_v2_x1_0, QuantizableShuffleNetV2)
shufflenet_v2_x1_5 = _builder(_shufflenet_v2_x1_5, QuantizableShuffleNetV2)
shufflenet_v2_x2_0 = _builder(_shufflenet_v2_x2_0, QuantizableShuffleNetV2)
