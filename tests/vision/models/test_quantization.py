"""Networks ready to be quantized: they work in floating point, and say so where they do not."""

from __future__ import annotations

import pytest

import rushlight as torch
from rushlight.vision import models
from rushlight.vision.models import quantization


def test_in_floating_point_they_are_the_plain_networks() -> None:
    torch.manual_seed(0)
    net = quantization.resnet18(num_classes=3).eval()
    torch.manual_seed(0)
    plain = models.resnet18(num_classes=3).eval()
    assert isinstance(net, quantization.QuantizableResNet)
    assert isinstance(net, models.ResNet)
    assert list(net.state_dict()) == list(plain.state_dict())
    x = torch.randn(1, 3, 32, 32)
    assert net(x).equal(plain(x))
    own = quantization.QuantizableMobileNetV2(num_classes=3)
    assert tuple(own(torch.randn(2, 3, 32, 32)).shape) == (2, 3)


def test_quantized_ones_are_refused() -> None:
    told = r"(?s)resnet18\(quantize=True\) needs quantized tensors.*try"
    with pytest.raises(NotImplementedError, match=told):
        quantization.resnet18(quantize=True)
    with torch.device("meta"):
        net = models.get_model("quantized_mobilenet_v2")
    with pytest.raises(NotImplementedError, match=r"(?s)fuse_model needs.*fuse_modules_qat"):
        net.fuse_model()
    with pytest.raises(NotImplementedError, match="needs quantized tensors"):
        quantization.ResNet18_QuantizedWeights.DEFAULT()


def test_names() -> None:
    names = models.list_models(quantization)
    assert names == sorted(f"quantized_{n}" for n in quantization.__all__ if n.islower())
    assert models.get_model_weights("quantized_resnet50") is models.ResNet50_Weights
