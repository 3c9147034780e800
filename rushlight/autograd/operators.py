"""The operators of Python, for all kinds of operands, and what quick calls share.

`plain_binary(op)` is `a + b` through the door; the short way of everyday operands is written by
`specialize.py`, which comes here for the rest.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from .node import TensorBase

ndarray = np.ndarray
NUMBERS = (int, float, complex, bool)


def operand(op: Any, b: Any) -> Any:
    """The other operand as the door takes it; NotImplemented when it is none of ours."""
    if isinstance(b, TensorBase) or b.__class__ in NUMBERS:
        return b
    if isinstance(b, np.generic):
        return b.item()
    if isinstance(b, ndarray):
        return array_operand(op, b)
    if isinstance(b, NUMBERS):
        return b.__class__.__mro__[-2](b) if not isinstance(b, (bool, int)) else int(b)
    return NotImplemented


def array_operand(op: Any, b: Any) -> Any:
    """An array on the other side: a tensor for `==`, as in PyTorch. All other operators leave it to
    NumPy, which computes `tensor + array` by `__array__` and gives a tensor by `__array_wrap__`.
    """
    from ..ops.create import from_data

    if op.name != "eq":
        return NotImplemented
    try:
        return from_data.from_numpy(b)
    except (TypeError, ValueError):
        return NotImplemented


# Those that are functions of Python in PyTorch when turned: they take any operand first.
TURNED = ("pow", "mod", "floordiv", "lshift", "rshift")


def plain_binary(op: Any, swap: bool = False) -> Any:
    """The operator through the door, for every kind of operand."""

    def method(a: Any, b: Any) -> Any:
        if not isinstance(a, TensorBase):
            if swap and op.publication.operator in TURNED and isinstance(b, TensorBase):
                return op.call((b, a), {})
            name = f"__{'r' if swap else ''}{op.publication.operator}__"
            raise TypeError(
                f"descriptor '{name}' for 'torch._C.TensorBase' objects doesn't apply to a "
                f"'{type(a).__name__}' object"
            )
        if swap and op.name == "div" and isinstance(b, ndarray):
            return a.reciprocal() * b  # the one operator of an array and a tensor in PyTorch
        b = operand(op, b)
        if b is NotImplemented:
            return b
        return op.call((b, a) if swap else (a, b), {})

    return method


def unary_plain(op: Any) -> Any:
    def method(a: Any) -> Any:
        return op.call((a,), {})

    return method


def run_pass(self: Any, g: Any, tensors: bool, wanted: Any = None) -> Any:
    """`OpNode.run` of an operation that hands its gradient to both operands as it is."""
    return (g, g)


plain_tensor: Any = None  # Tensor and Parameter, for quick tests; set by `take_classes`
plain_parameter: Any = None


def take_classes(tensor_class: type, parameter_class: type) -> None:
    """Say which classes take the short ways."""
    global plain_tensor, plain_parameter
    plain_tensor, plain_parameter = tensor_class, parameter_class
