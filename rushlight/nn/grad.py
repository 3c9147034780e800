"""Gradients of convolutions with respect to their input or weight, as functions."""

from __future__ import annotations

from typing import Any

import rushlight

from ..autograd.grad_mode import enable_grad
from ..tensor import Tensor
from . import functional as F

__all__ = [
    "conv1d_input",
    "conv1d_weight",
    "conv2d_input",
    "conv2d_weight",
    "conv3d_input",
    "conv3d_weight",
]


def _gradient(dims: int, of: str, size: Any, other: Any, grad_output: Any, rest: Any) -> Tensor:
    """The gradient for the operand `of`; its values do not matter, convolution is linear."""
    with enable_grad():
        operand = rushlight.zeros(size, dtype=other.dtype, requires_grad=True)
        operands = (operand, other) if of == "input" else (other, operand)
        out = getattr(F, f"conv{dims}d")(*operands, None, *rest)
    return rushlight.autograd.grad(out, operand, grad_output)[0]


def conv1d_input(
    input_size: Any,
    weight: Tensor,
    grad_output: Tensor,
    stride: Any = 1,
    padding: Any = 0,
    dilation: Any = 1,
    groups: int = 1,
) -> Tensor:
    """The gradient of `conv1d` with respect to an input of this size.

    >>> nn.grad.conv1d_input((1, 1, 4), torch.ones(1, 1, 2), torch.ones(1, 1, 3))
    tensor([[[1., 2., 2., 1.]]])
    """
    rest = (stride, padding, dilation, groups)
    return _gradient(1, "input", input_size, weight, grad_output, rest)


def conv1d_weight(
    input: Tensor,
    weight_size: Any,
    grad_output: Tensor,
    stride: Any = 1,
    padding: Any = 0,
    dilation: Any = 1,
    groups: int = 1,
) -> Tensor:
    """The gradient of `conv1d` with respect to a weight of this size."""
    rest = (stride, padding, dilation, groups)
    return _gradient(1, "weight", weight_size, input, grad_output, rest)


def conv2d_input(
    input_size: Any,
    weight: Tensor,
    grad_output: Tensor,
    stride: Any = 1,
    padding: Any = 0,
    dilation: Any = 1,
    groups: int = 1,
) -> Tensor:
    """The gradient of `conv2d` with respect to an input of this size."""
    rest = (stride, padding, dilation, groups)
    return _gradient(2, "input", input_size, weight, grad_output, rest)


def conv2d_weight(
    input: Tensor,
    weight_size: Any,
    grad_output: Tensor,
    stride: Any = 1,
    padding: Any = 0,
    dilation: Any = 1,
    groups: int = 1,
) -> Tensor:
    """The gradient of `conv2d` with respect to a weight of this size."""
    rest = (stride, padding, dilation, groups)
    return _gradient(2, "weight", weight_size, input, grad_output, rest)


def conv3d_input(
    input_size: Any,
    weight: Tensor,
    grad_output: Tensor,
    stride: Any = 1,
    padding: Any = 0,
    dilation: Any = 1,
    groups: int = 1,
) -> Tensor:
    """The gradient of `conv3d` with respect to an input of this size."""
    rest = (stride, padding, dilation, groups)
    return _gradient(3, "input", input_size, weight, grad_output, rest)


def conv3d_weight(
    input: Tensor,
    weight_size: Any,
    grad_output: Tensor,
    stride: Any = 1,
    padding: Any = 0,
    dilation: Any = 1,
    groups: int = 1,
) -> Tensor:
    """The gradient of `conv3d` with respect to a weight of this size."""
    rest = (stride, padding, dilation, groups)
    return _gradient(3, "weight", weight_size, input, grad_output, rest)
