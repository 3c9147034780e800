"""What layers with a QConfig ask of it and of the layers that they are made of."""

from __future__ import annotations

from typing import Any

from rushlight.errors import message
from rushlight.nn.utils.parametrize import type_before_parametrizations
from rushlight.tensor import Parameter

HINT = "model.qconfig = torch.ao.quantization.get_default_qat_qconfig(), then prepare_qat(model)"


def configure(module: Any, qconfig: Any, **factory: Any) -> None:
    """Give a layer its QConfig and what fake-quantizes its weight; AssertionError without one."""
    check_given(qconfig)
    module.qconfig = qconfig
    module.weight_fake_quant = qconfig.weight(factory_kwargs=factory)


def check_given(qconfig: Any) -> None:
    """AssertionError unless there is a QConfig."""
    if not qconfig:
        raise AssertionError(message("qconfig must be provided for QAT module", hint=HINT))


def check_source(cls: Any, mod: Any, exact: bool = True) -> None:
    """AssertionError unless `mod` is the layer of floats that `cls` is made of, with a QConfig.

    `exact`: not with parametrizations either.
    """
    found = type(mod) if exact else type_before_parametrizations(mod)
    if found is not cls._FLOAT_MODULE:
        raise AssertionError(
            f"qat.{cls.__name__}.from_float only works for {cls._FLOAT_MODULE.__name__}, got "
            f"{found.__name__}"
        )
    if not hasattr(mod, "qconfig"):
        raise AssertionError(message("Input float module must have qconfig defined", hint=HINT))
    if not mod.qconfig:
        raise AssertionError(message("Input float module must have a valid qconfig", hint=HINT))


def copied_into(target: Any, source: Any, *names: str) -> Any:
    """`target` with copies of the parameters of `source`, in its mode."""
    for name in names:
        value = getattr(source, name)
        if value is not None:
            setattr(target, name, Parameter(value.detach()))
    target.train(source.training)
    return target
