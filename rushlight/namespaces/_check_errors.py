"""`torch._check` and its relatives: errors of programs and packages that test their arguments."""

from __future__ import annotations

import warnings
from collections.abc import Callable
from typing import Any

from rushlight.autograd.node import TensorBase

Message = Callable[[], Any] | None


def _check_with(error_type: type[Exception], cond: Any, message: Message = None) -> None:
    """Raise `error_type` with the text of `message()` unless the condition holds."""
    if not isinstance(cond, bool):
        if isinstance(cond, TensorBase):
            raise TypeError(
                "cond must be a bool, but got a Tensor. For tensor conditions, use "
                "torch._check_tensor_all() to assert that all elements are true."
            )
        raise TypeError(f"cond must be a bool, but got {type(cond)}")
    if cond:
        return
    if message is None:
        text = (
            "Expected cond to be True, but got False. (Could this error message be improved? If "
            "so, please report an enhancement request to PyTorch.)"
        )
    elif not callable(message):
        raise TypeError("message must be a callable")
    else:
        text = str(message())
    raise error_type(text)


def _check(cond: Any, message: Message = None) -> None:
    """Raise RuntimeError unless the condition holds."""
    _check_with(RuntimeError, cond, message)


def _check_is_size(i: int, message: Message = None, *, max: int | None = None) -> None:
    """Raise RuntimeError unless 0 <= i, and i <= max where that is given."""
    warnings.warn(
        "_check_is_size will be removed in a future PyTorch release along with "
        "guard_size_oblivious.     Use _check(i >= 0) instead.",
        FutureWarning,
        stacklevel=2,
    )
    _check(i >= 0, message)
    if max is not None:
        _check(i <= max, message)


def _check_index(cond: Any, message: Message = None) -> None:
    """Raise IndexError unless the condition holds."""
    _check_with(IndexError, cond, message)


def _check_value(cond: Any, message: Message = None) -> None:
    """Raise ValueError unless the condition holds."""
    _check_with(ValueError, cond, message)


def _check_type(cond: Any, message: Message = None) -> None:
    """Raise TypeError unless the condition holds."""
    _check_with(TypeError, cond, message)


def _check_not_implemented(cond: Any, message: Message = None) -> None:
    """Raise NotImplementedError unless the condition holds."""
    _check_with(NotImplementedError, cond, message)


def _check_tensor_all_with(error_type: type[Exception], cond: Any, message: Message = None) -> None:
    """Raise `error_type` unless all elements of a boolean tensor are True."""
    if not isinstance(cond, TensorBase):
        raise TypeError(f"cond must be a tensor, but got {type(cond)}")
    if cond._a.dtype != bool:
        raise TypeError(f"cond tensor must have dtype torch.bool, but got {cond._a.dtype}")
    _check_with(error_type, bool(cond._a.all()), message)


def _check_tensor_all(cond: Any, message: Message = None) -> None:
    """Raise RuntimeError unless all elements of a boolean tensor are True."""
    _check_tensor_all_with(RuntimeError, cond, message)
