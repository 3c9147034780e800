"""All parameters as one vector, and back. Read next: `weight_norm.py`."""

from __future__ import annotations

from collections.abc import Iterable

import rushlight

from ...tensor import Tensor

__all__ = ["parameters_to_vector", "vector_to_parameters"]


def parameters_to_vector(parameters: Iterable[Tensor]) -> Tensor:
    """The elements of all parameters in one vector; gradients flow back.

    >>> nn.utils.parameters_to_vector(nn.Linear(2, 3).parameters()).shape
    torch.Size([9])
    """
    return rushlight.cat([param.view(-1) for param in parameters])


def vector_to_parameters(vec: Tensor, parameters: Iterable[Tensor]) -> None:
    """Make the parameters views of the elements of `vec`, in order.

    >>> net = nn.Linear(2, 1)
    >>> nn.utils.vector_to_parameters(torch.tensor([1.0, 2.0, 3.0]), net.parameters())
    >>> net.bias.item()
    3.0
    """
    if not isinstance(vec, Tensor):
        raise TypeError(f"expected torch.Tensor, but got: {type(vec).__name__}")
    start = 0
    for param in parameters:
        stop = start + param.numel()
        param.data = vec[start:stop].view(param.shape).data
        start = stop
