"""Where a quantized model would quantize its input and go back to floats: here values pass."""

from __future__ import annotations

from typing import Any

from ...nn import Module

__all__ = ["DeQuantStub", "QuantStub", "QuantWrapper"]


class QuantStub(Module):
    """Where a quantized model would quantize: the identity, at which `prepare` observes.

    Args:
        qconfig: a QConfig, if it is not that of the model.

    >>> torch.ao.quantization.QuantStub()(torch.ones(2))
    tensor([1., 1.])
    """

    def __init__(self, qconfig: Any = None) -> None:
        super().__init__()
        if qconfig:
            self.qconfig = qconfig

    def forward(self, x: Any) -> Any:
        return x


class DeQuantStub(Module):
    """Where a quantized model would go back to floating point: the identity.

    >>> torch.ao.quantization.DeQuantStub()(torch.ones(2))
    tensor([1., 1.])
    """

    def __init__(self, qconfig: Any = None) -> None:
        super().__init__()
        if qconfig:
            self.qconfig = qconfig

    def forward(self, x: Any) -> Any:
        return x


class QuantWrapper(Module):
    """A module between a `QuantStub` and a `DeQuantStub`.

    >>> torch.ao.quantization.QuantWrapper(nn.ReLU())(torch.tensor([-1.0, 1.0]))
    tensor([0., 1.])
    """

    quant: QuantStub
    dequant: DeQuantStub
    module: Module

    def __init__(self, module: Module) -> None:
        super().__init__()
        qconfig = getattr(module, "qconfig", None)
        self.add_module("quant", QuantStub(qconfig))
        self.add_module("dequant", DeQuantStub(qconfig))
        self.add_module("module", module)
        self.train(module.training)

    def forward(self, X: Any) -> Any:
        return self.dequant(self.module(self.quant(X)))
