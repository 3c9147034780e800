"""Argument checks that convolution, pooling, normalisation and resampling share.

Each raises PyTorch's exception class with PyTorch's key words. The ops: `conv_public.py`,
`pool_public.py`, ...
"""

from __future__ import annotations

from typing import Any

from ... import dtypes
from ...autograd import door
from ...autograd.node import TensorBase
from ...dtypes import type_name
from ...errors import message

Ints = tuple[int, ...]

_C_NAMES = {
    "float32": "float",
    "float64": "double",
    "float16": "c10::Half",
    "bfloat16": "c10::BFloat16",
    "int64": "long int",
}


def check_tensor(fn: str, name: str, position: int, t: Any) -> None:
    """TypeError unless `t` is a Tensor."""
    if not isinstance(t, TensorBase):
        raise TypeError(
            message(
                f"{fn}(): argument '{name}' (position {position}) must be Tensor, "
                f"not {type(t).__name__}",
                got=repr(t)[:60],
                hint="torch.tensor(x) or torch.from_numpy(x)",
            )
        )


def dtype_of(t: Any) -> dtypes.dtype:
    return dtypes.from_numpy(t._a.dtype)


def same_types(fn: str, op: Any, **tensors: Any) -> None:
    """RuntimeError unless all tensors (None is skipped) reach `op` in the type of the first."""
    (first, t), *others = tensors.items()
    for name, other in others:
        if other is not None and other._a.dtype != t._a.dtype:
            a, b = door.arriving(op, t._a, other._a)
            if a == b:  # autocast brings them together
                continue
            a, b = dtype_of(t), dtype_of(other)
            a, b = dtype_of(t), dtype_of(other)
            raise RuntimeError(
                message(
                    f"{fn}: Input type ({_C_NAMES.get(a.name, a.name)}) and {name} type "
                    f"({_C_NAMES.get(b.name, b.name)}) should be the same",
                    got=f"{first} {a!r}, {name} {b!r}: expected scalar type {type_name(a)} "
                    f"but found {type_name(b)}",
                    hint=f"{first}.to({name}.dtype), or .to({a!r}) on the module",
                )
            )


def ints(fn: str, name: str, value: Any, n: int, words: str | None = None) -> Ints:
    """One whole number, or n of them, as a tuple of n; else RuntimeError in PyTorch's `words`."""
    if value.__class__ is int:
        return (value,) * n
    if isinstance(value, (tuple, list)):
        found = tuple(as_int(fn, name, v) for v in value)
        if len(found) == 1:
            return found * n
        if len(found) == n:
            return found
        raise RuntimeError(
            message(
                words
                or f"{fn}: expected {name} to be a single integer value or a list of {n} values "
                f"to match the convolution dimensions, but got {name}={list(found)}",
                got=f"{name}={value}",
                wanted=f"one number, or {n}",
            )
        )
    return (as_int(fn, name, value),) * n


def as_int(fn: str, name: str, value: Any) -> int:
    if value.__class__ is int:
        return int(value)
    if isinstance(value, float) or not hasattr(value, "__index__"):
        raise TypeError(
            message(
                f"{fn}(): argument '{name}' must be tuple of ints, not {type(value).__name__}",
                got=repr(value),
                hint="int(value), or // instead of / where it is computed",
            )
        )
    return int(value.__index__())


def list_of(shape: Any) -> str:
    """A shape as PyTorch's messages write it: [2, 3]."""
    return str(list(shape))
