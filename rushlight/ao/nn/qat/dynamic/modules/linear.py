"""The linear layer for models that choose the range of its input while they run."""

from __future__ import annotations

from typing import Any

from rushlight.ao.nn.qat.modules.linear import Linear as _Linear
from rushlight.ao.quantization.qconfig import _activation_is_memoryless
from rushlight.errors import message

__all__ = ["Linear"]


class Linear(_Linear):
    """`torch.ao.nn.qat.Linear` for a QConfig whose observer remembers the last input alone.

    >>> qconfig = torch.ao.quantization.default_dynamic_qat_qconfig
    >>> torch.ao.nn.qat.dynamic.Linear(3, 2, qconfig=qconfig)(torch.ones(1, 3)).shape
    torch.Size([1, 2])
    """

    def __init__(
        self,
        in_features: int,
        out_features: int,
        bias: bool = True,
        qconfig: Any = None,
        device: Any = None,
        dtype: Any = None,
    ) -> None:
        super().__init__(in_features, out_features, bias, qconfig, device, dtype)
        if not _activation_is_memoryless(qconfig):
            raise ValueError(
                message(
                    "Dynamic QAT requires a memoryless observer. This means a MovingAverage "
                    "observer with averaging constant equal to 1",
                    hint="qconfig=torch.ao.quantization.default_dynamic_qat_qconfig",
                )
            )
