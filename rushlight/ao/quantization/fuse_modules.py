"""Layers of a model that stand one behind the other, as one module."""

from __future__ import annotations

import copy
from typing import Any

from ... import nn
from ...nn.utils.parametrize import type_before_parametrizations
from .fuser_method_mappings import fuse_conv_bn, fuse_conv_bn_relu, get_fuser_method

__all__ = ["fuse_known_modules", "fuse_modules", "fuse_modules_qat"]
_FORMERLY_HERE = (fuse_conv_bn, fuse_conv_bn_relu)


def fuse_known_modules(
    mod_list: Any, is_qat: bool, additional_fuser_method_mapping: Any = None
) -> list[Any]:
    """What takes the places of these layers: the fused module first, then identities. The first
    layer's hooks before it, and the last one's behind it, go along.

    >>> from rushlight.ao.quantization.fuse_modules import fuse_known_modules
    >>> [type(m).__name__ for m in fuse_known_modules([nn.Linear(1, 1), nn.ReLU()], True)]
    ['LinearReLU', 'Identity']
    """
    types = tuple(type_before_parametrizations(m) for m in mod_list)
    fused = get_fuser_method(types, additional_fuser_method_mapping)(is_qat, *mod_list)
    for hook in mod_list[0]._forward_pre_hooks.values():
        fused.register_forward_pre_hook(hook)
    mod_list[0]._forward_pre_hooks.clear()
    for hook in mod_list[-1]._forward_hooks.values():
        fused.register_forward_hook(hook)
    mod_list[-1]._forward_hooks.clear()
    rest = [nn.Identity().train(mod_list[0].training) for _ in mod_list[1:]]
    return [fused, *rest]


def _fuse(
    model: Any, modules_to_fuse: Any, is_qat: bool, inplace: bool, fuser_func: Any, custom: Any
) -> Any:
    if not inplace:
        model = copy.deepcopy(model)
    further = (custom or {}).get("additional_fuser_method_mapping", {})
    one = all(isinstance(name, str) for name in modules_to_fuse)
    for names in [modules_to_fuse] if one else modules_to_fuse:
        found = [model.get_submodule(name) for name in names]
        for name, made in zip(names, fuser_func(found, is_qat, further), strict=True):
            parent, _, last = name.rpartition(".")
            setattr(model.get_submodule(parent), last, made)
    return model


def fuse_modules(
    model: Any,
    modules_to_fuse: Any,
    inplace: bool = False,
    fuser_func: Any = fuse_known_modules,
    fuse_custom_config_dict: Any = None,
) -> Any:
    """The model with layers fused, for evaluation: a batch norm goes into the weight before it.

    Args:
        modules_to_fuse: names of layers that stand one behind the other, or a list of such lists:
            Conv, BatchNorm, ReLU; Conv, ReLU; Linear, ReLU; BatchNorm, ReLU and the like.
        inplace: change the model itself, not a copy.
        fuser_func: what makes the modules of a list of layers.
        fuse_custom_config_dict: {"additional_fuser_method_mapping": {classes: function}}.

    The first layer's place has the fused module, the others have identities.

    >>> model = nn.Sequential(nn.Conv2d(1, 2, 3), nn.BatchNorm2d(2), nn.ReLU()).eval()
    >>> torch.ao.quantization.fuse_modules(model, ["0", "1", "2"])
    Sequential(
      (0): ConvReLU2d(
        (0): Conv2d(1, 2, kernel_size=(3, 3), stride=(1, 1))
        (1): ReLU()
      )
      (1): Identity()
      (2): Identity()
    )
    """
    return _fuse(model, modules_to_fuse, False, inplace, fuser_func, fuse_custom_config_dict)


def fuse_modules_qat(
    model: Any,
    modules_to_fuse: Any,
    inplace: bool = False,
    fuser_func: Any = fuse_known_modules,
    fuse_custom_config_dict: Any = None,
) -> Any:
    """`fuse_modules` for quantization-aware training: a batch norm stays, in one module with the
    layer before it.

    >>> model = nn.Sequential(nn.Conv2d(1, 2, 3), nn.BatchNorm2d(2), nn.ReLU())
    >>> type(torch.ao.quantization.fuse_modules_qat(model, ["0", "1", "2"])[0]).__name__
    'ConvBnReLU2d'
    """
    return _fuse(model, modules_to_fuse, True, inplace, fuser_func, fuse_custom_config_dict)
