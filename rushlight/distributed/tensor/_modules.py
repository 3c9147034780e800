"""Modules whose parameters are DTensors: `distribute_module`."""

from __future__ import annotations

import inspect
from collections.abc import Callable
from typing import Any

from ...autograd import no_grad
from ...nn.module import Module
from ...nn.parameter import Parameter
from ..device_mesh import DeviceMesh, _mesh_resources
from ._api import DTensor, distribute_tensor


def replicate(module: Module, mesh: DeviceMesh) -> None:
    """Make DTensors of a module's own parameters and buffers that are none: the whole on each
    rank."""
    with no_grad():
        for name, p in list(module._parameters.items()):
            if p is not None and not isinstance(p, DTensor):
                whole = distribute_tensor(p.data, mesh)
                module.register_parameter(name, Parameter(whole, p.requires_grad))
        for name, b in list(module._buffers.items()):
            if b is not None and not isinstance(b, DTensor):
                module._buffers[name] = distribute_tensor(b, mesh)


def distribute_module(
    module: Module,
    device_mesh: DeviceMesh | None = None,
    partition_fn: Callable[[str, Module, DeviceMesh], None] | None = None,
    input_fn: Callable[..., Any] | None = None,
    output_fn: Callable[..., Any] | None = None,
) -> Module:
    """Make a module's parameters and buffers DTensors, in place.

    Args:
        device_mesh: None: that of the `with` block.
        partition_fn: called with (name, submodule, mesh) of every submodule, replaces those of its
            parameters that are to be cut. What is left becomes replicated.
        input_fn: called with (module, inputs, mesh) before `forward`, gives its inputs.
        output_fn: called with (module, outputs, mesh) after it, gives its result.

    Raises:
        RuntimeError: it was called on the module before.
        ValueError: an input_fn or output_fn of another number of arguments.
    """
    if getattr(module, "_distribute_module_applied", False):
        raise RuntimeError(
            "distribute_module should only be called once on a module, but it has already been "
            "called on this module!"
        )
    mesh = device_mesh or _mesh_resources.get_current_mesh()
    for name, part in module.named_modules():
        if partition_fn is not None:
            partition_fn(name, part, mesh)
        replicate(part, mesh)
    if input_fn is not None:
        given = input_fn
        two = arguments("input_fn", given) == 2
        module.register_forward_pre_hook(
            lambda m, inputs: given(inputs, mesh) if two else given(m, inputs, mesh)
        )
    if output_fn is not None:
        gives = output_fn
        old = arguments("output_fn", gives) == 2
        module.register_forward_hook(
            lambda m, inputs, out: gives(out, mesh) if old else gives(m, out, mesh)
        )
    module._distribute_module_applied = True  # type: ignore[assignment]
    return module


def arguments(name: str, fn: Callable[..., Any]) -> int:
    """How many arguments a function takes: 3, or 2 of old programs."""
    n = len(inspect.signature(fn).parameters)
    if n not in (2, 3):
        raise ValueError(f"{name} should take in 3 arguments, but got {n} arguments!")
    return n
