"""DataParallel on a machine without accelerators: the module itself."""

from __future__ import annotations

from typing import Any

from ..module import Module

__all__ = ["DataParallel", "data_parallel"]


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


def data_parallel(
    module: Module,
    inputs: Any,
    device_ids: Any = None,
    output_device: Any = None,
    dim: int = 0,
    module_kwargs: Any = None,
) -> Any:
    """Call `module`; there are no devices to spread the batch over.

    Args:
        inputs: a tensor, or a tuple of arguments.
        device_ids, output_device, dim: accepted where they name no device.
        module_kwargs: arguments by name.

    >>> nn.parallel.data_parallel(nn.Identity(), torch.ones(2))
    tensor([1., 1.])
    """
    inputs = inputs if isinstance(inputs, tuple) else (inputs,)
    return module(*inputs, **(module_kwargs or {}))
