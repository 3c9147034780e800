"""Training on several devices or in several processes.

`DistributedDataParallel` is read when it is asked for: it brings `rushlight.distributed` with it.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from .data_parallel import DataParallel, data_parallel
from .parallel_apply import parallel_apply, replicate
from .scatter_gather import gather, scatter

if TYPE_CHECKING:
    from .distributed import DistributedDataParallel

__all__ = ["DataParallel", "DistributedDataParallel", "data_parallel", "gather", "parallel_apply"]
__all__ += ["replicate", "scatter"]


def __getattr__(name: str) -> Any:
    if name in ("DistributedDataParallel", "distributed"):
        import importlib

        module = importlib.import_module(f"{__name__}.distributed")
        globals()["DistributedDataParallel"] = module.DistributedDataParallel
        return globals()[name]
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")


def __dir__() -> list[str]:
    return sorted({*globals(), "DistributedDataParallel", "distributed"})
