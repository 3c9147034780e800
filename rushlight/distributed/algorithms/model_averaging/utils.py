"""The mean of parameters over ranks."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from ....autograd.grad_mode import no_grad
from ....tensor import Parameter
from ...collectives import all_reduce
from ...group import resolve

__all__ = [
    "average_parameters",
    "average_parameters_or_parameter_groups",
    "get_params_to_average",
]


def average_parameters(params: Iterable[Any], process_group: Any) -> None:
    """Replace parameters by their means over the ranks of a group; on others nothing is done."""
    import rushlight

    group, found = resolve(process_group), list(params)
    if group is None or not found:
        return
    with no_grad():
        flat = rushlight.cat([p.detach().reshape(-1) for p in found])
        flat /= group.size()
        all_reduce(flat, group=group)
        for p, part in zip(found, flat.split([p.numel() for p in found]), strict=True):
            p.copy_(part.view_as(p))


def get_params_to_average(params: Iterable[Any]) -> list[Any]:
    """Those of some parameters, or of an optimiser's groups, that have gradients."""
    found = []
    for p in params:
        if isinstance(p, Parameter):
            found.append(p)
        elif isinstance(p, dict):
            found += p["params"]
        else:
            raise NotImplementedError(f"Parameter input of type {type(p)} is not supported")
    return [p for p in found if p.grad is not None]


def average_parameters_or_parameter_groups(params: Iterable[Any], process_group: Any) -> None:
    """`average_parameters` of those that have gradients."""
    average_parameters(get_params_to_average(params), process_group)
