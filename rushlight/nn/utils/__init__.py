"""Tools around modules: gradient clipping, parametrisations, pruning, sequences, fusion.

Most files are imported when one of their names is first asked for. Read next: `clip_grad.py`.
"""

from __future__ import annotations

import importlib
from typing import TYPE_CHECKING, Any

# Not later: these files would hide the functions of the same name when they are imported.
from .spectral_norm import remove_spectral_norm, spectral_norm
from .weight_norm import remove_weight_norm, weight_norm

if TYPE_CHECKING:
    from . import parametrizations, parametrize, prune, rnn, stateless
    from .clip_grad import (
        clip_grad_norm,
        clip_grad_norm_,
        clip_grad_value_,
        clip_grads_with_norm_,
        get_total_norm,
    )
    from .convert_parameters import parameters_to_vector, vector_to_parameters
    from .fusion import (
        fuse_conv_bn_eval,
        fuse_conv_bn_weights,
        fuse_linear_bn_eval,
        fuse_linear_bn_weights,
    )
    from .init import skip_init
    from .memory_format import (
        convert_conv2d_weight_memory_format,
        convert_conv3d_weight_memory_format,
    )

__all__ = [
    "clip_grad_norm",
    "clip_grad_norm_",
    "clip_grad_value_",
    "clip_grads_with_norm_",
    "convert_conv2d_weight_memory_format",
    "convert_conv3d_weight_memory_format",
    "fuse_conv_bn_eval",
    "fuse_conv_bn_weights",
    "fuse_linear_bn_eval",
    "fuse_linear_bn_weights",
    "get_total_norm",
    "parameters_to_vector",
    "parametrizations",
    "parametrize",
    "prune",
    "remove_spectral_norm",
    "remove_weight_norm",
    "rnn",
    "skip_init",
    "spectral_norm",
    "stateless",
    "vector_to_parameters",
    "weight_norm",
]

_WHERE = {
    "clip_grad_norm": "clip_grad",
    "clip_grad_norm_": "clip_grad",
    "clip_grad_value_": "clip_grad",
    "clip_grads_with_norm_": "clip_grad",
    "convert_conv2d_weight_memory_format": "memory_format",
    "convert_conv3d_weight_memory_format": "memory_format",
    "fuse_conv_bn_eval": "fusion",
    "fuse_conv_bn_weights": "fusion",
    "fuse_linear_bn_eval": "fusion",
    "fuse_linear_bn_weights": "fusion",
    "get_total_norm": "clip_grad",
    "parameters_to_vector": "convert_parameters",
    "skip_init": "init",
    "vector_to_parameters": "convert_parameters",
}
_FILES = (
    "clip_grad",
    "convert_parameters",
    "fusion",
    "init",
    "memory_format",
    "parametrizations",
    "parametrize",
    "prune",
    "rnn",
    "stateless",
)


def __getattr__(name: str) -> Any:
    if name in _WHERE:
        value = getattr(importlib.import_module(f".{_WHERE[name]}", __package__), name)
    elif name in _FILES:
        value = importlib.import_module(f".{name}", __package__)
    else:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    globals()[name] = value
    return value
