"""Collectives with gradients: `torch.distributed.nn.all_reduce(x)` is a tensor with history."""

from __future__ import annotations

from ... import unsupported
from .functional import (
    all_gather,
    all_reduce,
    all_to_all,
    all_to_all_single,
    broadcast,
    gather,
    reduce,
    reduce_scatter,
    scatter,
)

__all__ = [
    "all_gather",
    "all_reduce",
    "all_to_all",
    "all_to_all_single",
    "broadcast",
    "gather",
    "reduce",
    "reduce_scatter",
    "scatter",
]

__getattr__, __dir__ = unsupported.module(
    __name__, "RemoteModule", "modules in other processes", "a module in each process"
)
