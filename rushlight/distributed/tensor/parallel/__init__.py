"""Layers spread over a mesh of processes: tensor parallelism (`torch.distributed.tensor.parallel`).

    mesh = init_device_mesh("cpu", (2,))
    parallelize_module(mlp, mesh, {"up": ColwiseParallel(), "down": RowwiseParallel()})

Shoeybi et al., 2019, arXiv:1909.08053; parts along the sequence: Korthikanti et al., 2022,
arXiv:2205.05198.
"""

from __future__ import annotations

from .api import parallelize_module
from .loss import loss_parallel
from .style import (
    ColwiseParallel,
    ParallelStyle,
    PrepareModuleInput,
    PrepareModuleInputOutput,
    PrepareModuleOutput,
    RowwiseParallel,
    SequenceParallel,
)

__all__ = [
    "ColwiseParallel",
    "ParallelStyle",
    "PrepareModuleInput",
    "PrepareModuleInputOutput",
    "PrepareModuleOutput",
    "RowwiseParallel",
    "SequenceParallel",
    "loss_parallel",
    "parallelize_module",
]
