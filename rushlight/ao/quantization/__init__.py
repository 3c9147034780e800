"""`torch.ao.quantization`: quantization-aware training, in floating point.

Models are fake-quantized: a fake quantizer gives the values that quantized numbers would have, so
that training sees their error (`fake_quantize.py`). Observers remember the ranges from which it
chooses the scale (`observer.py`, `histogram.py`); a QConfig says which of them a layer gets
(`qconfig.py`); `prepare` and `prepare_qat` put them into a model (`quantize.py`), whose layers may
be fused before (`fuse_modules.py`). Tensors of quantized numbers are not here (decision 0034), so
`convert` to layers that compute with them, and all that ends in such layers, raises.

    model.qconfig = torch.ao.quantization.get_default_qat_qconfig()
    model = torch.ao.quantization.fuse_modules_qat(model, [["conv", "bn", "relu"]])
    model = torch.ao.quantization.prepare_qat(model)
    ...                                                   # train it, as any model
    model.apply(torch.ao.quantization.disable_observer)   # in the last epochs
    torch.save(model.state_dict(), "model.pt")            # which PyTorch can load, and convert
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
    stubs,
    utils,
)
from . import quantize as placing  # a function hides the module
from .fake_quantize import *  # noqa: F403 - the list is `fake_quantize.__all__`
from .fuse_modules import fuse_modules, fuse_modules_qat  # of which one hides the module
from .fuser_method_mappings import *  # noqa: F403
from .observer import *  # noqa: F403
from .qconfig import *  # noqa: F403
from .quantization_mappings import *  # noqa: F403
from .quantize import *  # noqa: F403
from .quantize import FEATURE, HINT
from .stubs import *  # noqa: F403
from .utils import get_combined_dict as get_combined_dict

__all__ = [
    "default_eval_fn",
    "fuse_modules",
    "fuse_modules_qat",
    *fake_quantize.__all__,
    *fuser_method_mappings.__all__,
    *observer.__all__,
    *qconfig.__all__,
    *quantization_mappings.__all__,
    *placing.__all__,
    *stubs.__all__,
]
_PARTS = (utils,)

_refused, _names = unsupported.module(
    __name__,
    "QConfigMapping get_default_qconfig_mapping get_default_qat_qconfig_mapping "
    "quantize_per_tensor quantize_per_channel quantize_per_tensor_dynamic "
    "quantize_jit quantize_dynamic_jit prepare_jit prepare_dynamic_jit convert_jit "
    "convert_dynamic_jit script_qconfig script_qconfig_dict fuse_conv_bn_jit "
    "get_default_static_quant_module_mappings get_default_dynamic_quant_module_mappings "
    "get_default_static_quant_reference_module_mappings get_embedding_static_quant_module_mappings "
    "get_default_static_sparse_quant_module_mappings get_static_quant_module_class "
    "get_default_dynamic_sparse_quant_module_mappings get_dynamic_quant_module_class "
    "get_default_float_to_quantized_operator_mappings get_quantized_operator "
    "get_default_compare_output_module_list get_fuser_method_new",
    FEATURE,
    HINT,
)


def default_eval_fn(model: Any, calib_data: Any) -> None:
    """Call a model on the inputs of a data set of (input, target), so that it observes them.

    >>> model = nn.Sequential(torch.ao.quantization.MinMaxObserver())
    >>> torch.ao.quantization.default_eval_fn(model, [(torch.ones(2), 0)])
    >>> model[0].max_val
    tensor(1.)
    """
    for data, _ in calib_data:
        model(data)


def __getattr__(name: str) -> Any:
    return _refused(name)


def __dir__() -> list[str]:
    return sorted({*__all__, *_names()})
