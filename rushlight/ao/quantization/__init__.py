"""`torch.ao.quantization`: quantization-aware training, in floating point.

Models are fake-quantized: a fake quantizer gives the values that quantized numbers would have, so
that training sees their error (`fake_quantize.py`). Observers remember the ranges from which it
chooses the scale (`observer.py`, `histogram.py`); a QConfig says which of them a layer gets
(`qconfig.py`); `prepare` and `prepare_qat` put them into a model (`quantize.py`), whose layers may
be fused before (`fuse_modules.py`). Tensors of quantized numbers are not here (decision 0034), so
`convert` to layers that compute with them, and all that ends in such layers, raises.
"""

from __future__ import annotations

from typing import Any

from ... import unsupported
from . import (
    fake_quantize,
    fuser_method_mappings,
    observer,
    qconfig,
    quantization_mappings,
    quantize,
    stubs,
    utils,
)
from .fake_quantize import *  # noqa: F403 - the list is `fake_quantize.__all__`
from .fuse_modules import fuse_modules, fuse_modules_qat  # of which one hides the module
from .fuser_method_mappings import *  # noqa: F403
from .observer import *  # noqa: F403
from .qconfig import *  # noqa: F403
from .quantization_mappings import *  # noqa: F403
from .quantize import *  # noqa: F403
from .quantize import FEATURE, HINT
from .stubs import *  # noqa: F403

__all__ = [
    "fuse_modules",
    "fuse_modules_qat",
    *fake_quantize.__all__,
    *fuser_method_mappings.__all__,
    *observer.__all__,
    *qconfig.__all__,
    *quantization_mappings.__all__,
    *quantize.__all__,
    *stubs.__all__,
]
_PARTS = (utils,)

_refused, _names = unsupported.module(
    __name__,
    "QConfigMapping get_default_qconfig_mapping get_default_qat_qconfig_mapping "
    "quantize quantize_dynamic quantize_qat quantize_jit quantize_dynamic_jit prepare_jit "
    "quantize_per_tensor quantize_per_channel quantize_per_tensor_dynamic",
    FEATURE,
    HINT,
)
quantize = _refused("quantize")  # which hides the module, as in PyTorch


def __getattr__(name: str) -> Any:
    return _refused(name)


def __dir__() -> list[str]:
    return sorted({*__all__, *_names()})
