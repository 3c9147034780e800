"""Putting observers and fake quantizers into a model: `prepare`, `prepare_qat`.

`propagate_qconfig_` gives every module the QConfig of the nearest one above it that has one.
`convert` replaces layers by a mapping of classes; without one it would replace them by layers that
compute with quantized numbers, and raises (decision 0034).
"""

from __future__ import annotations

import copy
import inspect
import warnings
from typing import Any, NoReturn

from ... import nn, unsupported
from ...nn.utils.parametrize import type_before_parametrizations
from ..nn.intrinsic.modules.fused import _FusedModule
from ..nn.quantized.modules.functional_modules import FXFloatFunctional
from .observer import _is_activation_post_process
from .qconfig import (
    _activation_is_memoryless,
    _add_module_to_qconfig_obs_ctr,
    _assert_valid_qconfig,
)
from .quantization_mappings import (
    _get_special_act_post_process,
    _has_special_act_post_process,
    get_default_qat_module_mappings,
    get_default_qconfig_propagation_list,
)
from .stubs import DeQuantStub, QuantWrapper
from .utils import has_no_children_ignoring_parametrizations

FEATURE = "quantized tensors"
HINT = "the fake-quantized model as it is, or model.to(torch.bfloat16) for half of the memory"


def refuse(name: str) -> NoReturn:
    """Raise: the result would compute with quantized numbers."""
    unsupported.refuse(f"torch.ao.quantization.{name}", FEATURE, HINT)


quantize, quantize_dynamic, quantize_qat = [
    unsupported.function(f"torch.ao.quantization.{name}", FEATURE, HINT)
    for name in ("quantize", "quantize_dynamic", "quantize_qat")
]


def propagate_qconfig_(
    module: Any, qconfig_dict: Any = None, prepare_custom_config_dict: Any = None
) -> None:
    """Give every module inside `module` a QConfig, as `.qconfig`.

    Args:
        qconfig_dict: QConfigs by classes, or by names of modules; where a module has none of its
            own, and its class and name are not here, it has that of the module above it.
        prepare_custom_config_dict: {"non_traceable_module_name": [...],
            "non_traceable_module_class": [...]} are left alone.

    >>> model = nn.Sequential(nn.Linear(1, 1))
    >>> model.qconfig = torch.ao.quantization.default_qconfig
    >>> torch.ao.quantization.propagate_qconfig_(model)
    >>> model[0].qconfig.weight().qscheme
    torch.per_tensor_symmetric
    """
    left = prepare_custom_config_dict or {}
    names = left.get("non_traceable_module_name", [])
    classes = left.get("non_traceable_module_class", [])

    def give(m: Any, above: Any, prefix: str, top: bool) -> None:
        known = qconfig_dict or {}
        found = known.get(prefix, known.get(type_before_parametrizations(m), above))
        found = getattr(m, "qconfig", found)
        _assert_valid_qconfig(found, m)
        m.qconfig = _add_module_to_qconfig_obs_ctr(found, m)
        for name, child in m.named_children():
            if not (top and (name in names or type(child) in classes)):
                give(child, m.qconfig, f"{prefix}.{name}" if prefix else name, False)

    give(module, None, "", True)


# Layers that PyTorch takes apart before it observes them (torch.ao.nn.quantizable).
WHOLE = (nn.LSTM, nn.MultiheadAttention)


def _left_alone(module: Any, name: str, custom: Any) -> bool:
    """Whether a layer stays as it is, with a warning: what it computes inside is not observed."""
    kind = type_before_parametrizations(module)
    if kind not in WHOLE or kind in custom or getattr(module, "qconfig", None) is None:
        return False
    warnings.warn(
        f"prepare: {name!r} stays as it is, neither observed nor fake-quantized: "
        f"torch.ao.nn.quantizable.{kind.__name__}, by which PyTorch replaces it, is not there",
        stacklevel=3,
    )
    return True


def _observer_forward_hook(self: Any, input: Any, output: Any) -> Any:
    """The results, observed."""
    return self.activation_post_process(output)


def _observer_forward_pre_hook(self: Any, input: Any) -> Any:
    """The argument, observed."""
    return self.activation_post_process(input[0])


def _observe(module: Any, special: Any = None) -> None:
    """Observe a module's results: those of its QConfig's `activation`, or of a `special` one. Where
    only the last range counts its argument is observed, which a quantized layer quantizes."""
    qconfig = getattr(module, "qconfig", None)
    if qconfig is None or isinstance(module, DeQuantStub):
        return
    module.add_module("activation_post_process", (special or qconfig.activation)())
    if _activation_is_memoryless(qconfig):
        module.register_forward_pre_hook(_observer_forward_pre_hook, prepend=True)
    else:
        module.register_forward_hook(_observer_forward_hook, prepend=True)


def _add_observer_(module: Any, observed: Any, whole: Any, custom: Any) -> None:
    """Put observers into a model: behind leaves of the classes `observed`, behind modules of the
    classes `whole` and fused ones as a whole; modules of the classes `custom` are replaced."""
    for name, child in module.named_children():
        kind = type_before_parametrizations(child)
        wanted = getattr(child, "qconfig", None) is not None
        if kind is nn.Dropout or _left_alone(child, name, custom):
            continue
        if issubclass(kind, FXFloatFunctional):
            if wanted:
                child.activation_post_process = child.qconfig.activation()
        elif isinstance(child, _FusedModule) or kind in whole:
            _observe(child)
        elif _has_special_act_post_process(child):
            _observe(child, _get_special_act_post_process(child))
        elif wanted and kind in custom:
            made = custom[kind].from_float(child)
            setattr(module, name, made)
            _observe(made)
        else:
            _add_observer_(child, observed, whole, custom)
    if isinstance(module, nn.Sequential) or type_before_parametrizations(module) not in observed:
        return
    if has_no_children_ignoring_parametrizations(module) or hasattr(module, "weight_fake_quant"):
        _observe(module)


def prepare(
    model: Any,
    inplace: bool = False,
    allow_list: Any = None,
    observer_non_leaf_module_list: Any = None,
    prepare_custom_config_dict: Any = None,
) -> Any:
    """The model with an observer behind each layer that has a QConfig.

    Args:
        model: `model.qconfig`, or that of modules inside, says what observes.
        inplace: change the model itself, not a copy.
        allow_list: the classes of the layers; None: those of
            `get_default_qconfig_propagation_list()`.
        observer_non_leaf_module_list: classes of modules that are observed as a whole.
        prepare_custom_config_dict: {"float_to_observed_custom_module_class": {class: class}},
            whose `from_float` makes what takes the place of a module.

    >>> model = nn.Sequential(nn.Linear(2, 2), nn.ReLU())
    >>> model.qconfig = torch.ao.quantization.default_qconfig
    >>> observed = torch.ao.quantization.prepare(model)
    >>> _ = observed(torch.ones(1, 2))
    >>> observed[0].activation_post_process.max_val.isfinite()
    tensor(True)
    """
    if not inplace:
        model = copy.deepcopy(model)
    observed = get_default_qconfig_propagation_list() if allow_list is None else allow_list
    propagate_qconfig_(model)
    if not any(getattr(m, "qconfig", None) for m in model.modules()):
        warnings.warn(
            "None of the submodule got qconfig applied. Make sure you passed correct configuration "
            "through `qconfig_dict` or by assigning the `.qconfig` attribute directly on "
            "submodules",
            stacklevel=2,
        )
    custom = (prepare_custom_config_dict or {}).get("float_to_observed_custom_module_class", {})
    _add_observer_(model, observed, observer_non_leaf_module_list or (), custom)
    return model


def prepare_qat(model: Any, mapping: Any = None, inplace: bool = False) -> Any:
    """The model for quantization-aware training: linear layers and convolutions fake-quantize their
    weights, and results are fake-quantized behind each layer that has a QConfig.

    Args:
        model: in training mode; `model.qconfig` says what fake-quantizes
            (`get_default_qat_qconfig()`). Fuse its layers before (`fuse_modules_qat`).
        mapping: which classes are replaced by which; None: `get_default_qat_module_mappings()`.
        inplace: change the model itself, not a copy.

    Raises AssertionError for a model in evaluation mode.

    >>> model = nn.Sequential(nn.Linear(2, 2), nn.ReLU())
    >>> model.qconfig = torch.ao.quantization.get_default_qat_qconfig("qnnpack")
    >>> prepared = torch.ao.quantization.prepare_qat(model)
    >>> type(prepared[0]) is torch.ao.nn.qat.Linear
    True
    >>> prepared(torch.ones(1, 2)).sum().backward()
    """
    if not model.training:
        raise AssertionError("prepare_qat only works on models in training mode")
    mapping = get_default_qat_module_mappings() if mapping is None else mapping
    if not inplace:
        model = copy.deepcopy(model)
    propagate_qconfig_(model)
    convert(model, mapping, inplace=True, remove_qconfig=False)
    return prepare(model, inplace=True, observer_non_leaf_module_list={*mapping.values()})


def convert(
    module: Any,
    mapping: Any = None,
    inplace: bool = False,
    remove_qconfig: bool = True,
    is_reference: bool = False,
    convert_custom_config_dict: Any = None,
    use_precomputed_fake_quant: bool = False,
) -> Any:
    """The model with its layers replaced by a mapping of classes.

    Args:
        mapping: class -> class, whose `from_float` makes the replacement. None asks for layers that
            compute with quantized numbers: NotImplementedError.
        inplace: change the model itself, not a copy.
        remove_qconfig: take the QConfigs and observers away.

    >>> model = nn.Sequential(nn.Linear(2, 2))
    >>> model.qconfig = torch.ao.quantization.get_default_qat_qconfig("qnnpack")
    >>> torch.ao.quantization.propagate_qconfig_(model)
    >>> mapping = {nn.Linear: torch.ao.nn.qat.Linear}
    >>> type(torch.ao.quantization.convert(model, mapping)[0]) is torch.ao.nn.qat.Linear
    True
    >>> torch.ao.quantization.convert(model)
    Traceback (most recent call last):
        ...
    NotImplementedError: torch.ao.quantization.convert needs quantized tensors, which...
    """
    if mapping is None or is_reference:
        refuse("convert")
    if not inplace:
        module = copy.deepcopy(module)
    custom = (convert_custom_config_dict or {}).get("observed_to_quantized_custom_module_class", {})
    _replace(module, mapping, custom, use_precomputed_fake_quant)
    if remove_qconfig:
        _remove_qconfig(module)
    return module


def _replace(module: Any, mapping: Any, custom: Any, precomputed: bool) -> None:
    """Replace what is inside a module; fused modules as a whole."""
    for name, child in [*module.named_children()]:
        whole = isinstance(child, (_FusedModule, *WHOLE))
        if not whole and type_before_parametrizations(child) not in custom:
            _replace(child, mapping, custom, precomputed)
        module._modules[name] = swap_module(child, mapping, custom, precomputed)


def swap_module(
    mod: Any,
    mapping: Any,
    custom_module_class_mapping: Any,
    use_precomputed_fake_quant: bool = False,
) -> Any:
    """What takes the place of a module with a QConfig: the class that the mapping has for its own,
    made by `from_float`, with its hooks; else the module itself.

    >>> layer = nn.Linear(2, 2)
    >>> layer.qconfig = torch.ao.quantization.get_default_qat_qconfig("qnnpack")
    >>> made = torch.ao.quantization.swap_module(layer, {nn.Linear: torch.ao.nn.qat.Linear}, {})
    >>> made.weight is layer.weight
    True
    """
    kind = type_before_parametrizations(mod)
    if getattr(mod, "qconfig", None) is None:
        return mod
    if kind in custom_module_class_mapping:
        made = custom_module_class_mapping[kind].from_observed(mod)
    elif kind in mapping:
        make = mapping[kind].from_float
        known = inspect.signature(make).parameters
        how = {"use_precomputed_fake_quant": use_precomputed_fake_quant}
        made = make(mod, **{k: v for k, v in how.items() if k in known})
    else:
        return mod
    for pre_hook in mod._forward_pre_hooks.values():
        made.register_forward_pre_hook(pre_hook)
    for hook in mod._forward_hooks.values():
        if hook is not _observer_forward_hook:
            made.register_forward_hook(hook)
    return made


def _remove_qconfig(module: Any) -> None:
    """Take away QConfigs, observers and their hooks."""
    for m in module.modules():
        if hasattr(m, "qconfig"):
            del m.qconfig
    for m in [*module.modules()]:
        if _is_activation_post_process(m._modules.get("activation_post_process")):
            del m.activation_post_process
        for hooks in (m._forward_pre_hooks, m._forward_hooks):
            for key in [k for k, h in hooks.items() if h in OWN_HOOKS]:
                del hooks[key]


OWN_HOOKS = (_observer_forward_hook, _observer_forward_pre_hook)


def add_quant_dequant(module: Any) -> Any:
    """The model with each leaf that has a QConfig in a `QuantWrapper`.

    >>> model = nn.Sequential(nn.Linear(1, 1), nn.ReLU())
    >>> model[0].qconfig = torch.ao.quantization.default_qconfig
    >>> type(torch.ao.quantization.add_quant_dequant(model)[0]).__name__
    'QuantWrapper'
    """
    if has_no_children_ignoring_parametrizations(module) and getattr(module, "qconfig", None):
        return QuantWrapper(module)
    for name, child in module.named_children():
        module._modules[name] = add_quant_dequant(child)
    return module


def get_default_custom_config_dict() -> dict[str, Any]:
    """The modules that are replaced beside those of the mappings: none here.

    >>> sorted(torch.ao.quantization.get_default_custom_config_dict())
    ['float_to_observed_custom_module_class', 'observed_to_quantized_custom_module_class']
    """
    return {
        "float_to_observed_custom_module_class": {},
        "observed_to_quantized_custom_module_class": {},
    }


__all__ = [
    "add_quant_dequant",
    "convert",
    "get_default_custom_config_dict",
    "prepare",
    "prepare_qat",
    "propagate_qconfig_",
    "quantize",
    "quantize_dynamic",
    "quantize_qat",
    "swap_module",
]
