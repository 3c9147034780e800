"""DistributedDataParallel: the name, for programs that import it and then run in one process."""

from __future__ import annotations

from typing import Any

from ..module import Module

__all__ = ["DistributedDataParallel"]


class DistributedDataParallel(Module):
    """Raises: it is not there yet (`distributed.is_available()` is False)."""

    def __init__(self, module: Module, *args: Any, **kwargs: Any) -> None:
        raise RuntimeError(
            "DistributedDataParallel needs distributed training, which does not exist here: "
            "distributed.is_available() is False\n"
            "  try     the module itself, in one process"
        )
