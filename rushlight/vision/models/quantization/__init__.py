"""Networks ready to be quantized, with torchvision's names; they stay in floating point here.

Programs build them with `quantize=False` to train them or to load weights of the networks in
floating point, and that works: between the stubs they compute what these do, and
`torch.ao.quantization.prepare_qat` makes them fake-quantize. `quantize=True`, the trained quantized
weights and `fuse_model` raise.
"""

from __future__ import annotations

from .... import unsupported
from ....ao.quantization import FEATURE, HINT
from .builders import (
    QuantizableGoogLeNet,
    QuantizableInception3,
    QuantizableMobileNetV2,
    QuantizableMobileNetV3,
    QuantizableResNet,
    QuantizableShuffleNetV2,
    googlenet,
    inception_v3,
    mobilenet_v2,
    mobilenet_v3_large,
    resnet18,
    resnet50,
    resnext101_32x8d,
    resnext101_64x4d,
    shufflenet_v2_x0_5,
    shufflenet_v2_x1_0,
    shufflenet_v2_x1_5,
    shufflenet_v2_x2_0,
)

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

__getattr__, __dir__ = unsupported.module(
    __name__,
    "GoogLeNet_QuantizedWeights Inception_V3_QuantizedWeights MobileNet_V2_QuantizedWeights "
    "MobileNet_V3_Large_QuantizedWeights ResNet18_QuantizedWeights ResNet50_QuantizedWeights "
    "ResNeXt101_32X8D_QuantizedWeights ResNeXt101_64X4D_QuantizedWeights "
    "ShuffleNet_V2_X0_5_QuantizedWeights ShuffleNet_V2_X1_0_QuantizedWeights "
    "ShuffleNet_V2_X1_5_QuantizedWeights ShuffleNet_V2_X2_0_QuantizedWeights",
    FEATURE,
    HINT,
)
