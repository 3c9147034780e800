"""`parallelize_module`: the styles of a plan, applied to the submodules that it names."""

from __future__ import annotations

import warnings
from fnmatch import fnmatch
from typing import Any

from ....nn.module import Module
from ...device_mesh import DeviceMesh, _mesh_resources
from .style import ParallelStyle


def parallelize_module(
    module: Module,
    device_mesh: DeviceMesh | None = None,
    parallelize_plan: ParallelStyle | dict[str, ParallelStyle] | None = None,
    *,
    src_data_rank: int | None = 0,
) -> Module:
    """Spread a module's layers over a mesh of one dimension, in place.

    Args:
        device_mesh: None: that of the `with` block. Of several dimensions, give one: `mesh["tp"]`.
        parallelize_plan: a style for the module, or one for each name of a submodule, in which *
            stands for anything between dots: `{"layers.*.up": ColwiseParallel()}`.
        src_data_rank: the rank whose parameters are taken; None: each rank takes its own, and
            nothing is sent.

    Raises:
        TypeError: a plan that is neither.
        NotImplementedError: a style on a layer that it does not know.

    Example, as each of two processes runs it::

        mlp = nn.Sequential(nn.Linear(8, 32), nn.GELU(), nn.Linear(32, 8))
        parallelize_module(mlp, mesh, {"0": ColwiseParallel(), "2": RowwiseParallel()})
        mlp(torch.ones(4, 8))       # the same on all ranks, and as of one process
    """
    mesh = device_mesh or _mesh_resources.get_current_mesh()
    if parallelize_plan is None:
        warnings.warn(
            "No parallelize_plan is provided and auto-parallel is not supported at the moment, so "
            "this parallelize_module call will do nothing.",
            stacklevel=2,
        )
        return module
    if isinstance(parallelize_plan, ParallelStyle):
        parallelize_plan.src_data_rank = src_data_rank
        return parallelize_plan._apply(module, mesh)
    if not isinstance(parallelize_plan, dict):
        raise TypeError(
            "Expect Union[ParallelStyle, Dict[str, ParallelStyle]] for parallelize_plan, "
            f"{type(parallelize_plan)} found!"
        )
    for path, style in parallelize_plan.items():
        found: list[Any] = [module]
        for token in path.split(".") if path else ():
            below = [c for m in found for name, c in m.named_children() if fnmatch(name, token)]
            if not below:
                warnings.warn(
                    f"Parallelize plan key '{path}' could not be resolved: no submodule matching "
                    f"token '{token}' in module {module}, skipping this plan entry.",
                    stacklevel=2,
                )
            found = below
        for part in found:
            parallelize_module(part, mesh, style, src_data_rank=src_data_rank)
    return module
