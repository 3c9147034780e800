"""`torch.ao.quantization`: quantization-aware training, in floating point.

Models are fake-quantized: a fake quantizer gives the values that quantized numbers would have, so
that training sees their error (`fake_quantize.py`). Observers remember the ranges from which it
chooses the scale (`observer.py`, `histogram.py`); a QConfig says which of them a layer gets
(`qconfig.py`). Tensors of quantized numbers are not here (decision 0034), so `convert` to layers
that compute with them, and all that ends in such layers, raises.
"""

from __future__ import annotations

from typing import Any

from ... import unsupported
from . import fake_quantize, observer, qconfig, stubs, utils
from .fake_quantize import *  # noqa: F403 - the list is `fake_quantize.__all__`
from .observer import *  # noqa: F403
from .qconfig import *  # noqa: F403
from .stubs import *  # noqa: F403

FEATURE = "quantized tensors"
HINT = "the model as it is, or model.to(torch.bfloat16) for half of the memory"

__all__ = [*fake_quantize.__all__, *observer.__all__, *qconfig.__all__, *stubs.__all__]
_PARTS = (utils,)

_refused, _names = unsupported.module(
    __name__,
    "QConfigMapping convert fuse_modules fuse_modules_qat get_default_qconfig_mapping "
    "prepare prepare_qat propagate_qconfig_ quantize quantize_dynamic quantize_qat swap_module "
    "quantize_per_tensor quantize_per_channel quantize_per_tensor_dynamic",
    FEATURE,
    HINT,
)


def __getattr__(name: str) -> Any:
    return _refused(name)


def __dir__() -> list[str]:
    return sorted({*__all__, *_names()})
