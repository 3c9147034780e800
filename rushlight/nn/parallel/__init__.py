"""DataParallel on a machine with one processor device: the module itself.

Not here: training in several processes, which does not exist yet.
"""

from __future__ import annotations

from typing import Any

from ..module import Module

__all__ = ["DataParallel", "DistributedDataParallel"]


class DataParallel(Module):
    """Wraps `module`, whose names then start with 'module.'; there are no devices to spread over.

    >>> list(nn.DataParallel(nn.Linear(2, 1)).state_dict())
    ['module.weight', 'module.bias']
    """

    def __init__(
        self, module: Module, device_ids: Any = None, output_device: Any = None, dim: int = 0
    ) -> None:
        super().__init__()
        self.module = module
        self.device_ids: list[int] = []
        self.output_device = output_device
        self.dim = dim

    def forward(self, *inputs: Any, **kwargs: Any) -> Any:
        return self.module(*inputs, **kwargs)


class DistributedDataParallel(Module):
    """Raises: there is no distributed training yet (`distributed.is_available()` is False)."""

    def __init__(self, module: Module, *args: Any, **kwargs: Any) -> None:
        raise RuntimeError(
            "DistributedDataParallel needs distributed training, which does not exist here; "
            "distributed.is_available() is False"
        )
