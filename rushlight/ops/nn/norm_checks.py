"""Checks of normalisations: types, parameters, channels, and the last dims.

Not here: the functions that ask for them (`batch_norm.py`, `norm_public.py`).
"""

from __future__ import annotations

from typing import Any

from ... import dtypes
from ...autograd.node import TensorBase
from ...dtypes import type_name
from ...errors import message
from .spatial import Ints, as_int, check_tensor, dtype_of, list_of


def check_types(fn: str, input: Any, *params: Any) -> None:
    d = dtype_of(input)
    if not d.is_floating_point:
        raise NotImplementedError(
            message(
                f"\"{fn}\" not implemented for '{type_name(d)}'",
                got=f"{d!r}",
                hint="x.float()",
            )
        )
    for t in params:
        if t is not None and dtype_of(t) is not d and not (d.low and dtype_of(t) is dtypes.float32):
            raise RuntimeError(
                message(
                    f"{fn}: mixed dtype (CPU): all inputs must share same datatype. "
                    f"expected scalar type {type_name(d)} but found {type_name(dtype_of(t))}",
                    got=f"input {d!r}, parameter {dtype_of(t)!r}",
                    hint=f"module.to({d!r}), or input.to({dtype_of(t)!r})",
                )
            )


def check_params(fn: str, first: int, **params: Any) -> None:
    """TypeError for a parameter that is neither a Tensor nor None; the first one's position."""
    for position, (name, t) in enumerate(params.items(), first):
        if t is not None:
            check_tensor(fn, name, position, t)


def check_switch(fn: str, name: str, position: int, value: Any) -> None:
    if value.__class__ is not bool:
        raise TypeError(
            message(
                f"{fn}(): argument '{name}' (position {position}) must be bool, not "
                f"{type(value).__name__}",
                hint=f"{name}=bool(x)",
            )
        )


def check_channels(fn: str, input: Any, weight: Any, bias: Any) -> None:
    for name, t in (("weight", weight), ("bias", bias)):
        if t is not None and tuple(t.shape) != (input.shape[1],):
            raise RuntimeError(
                message(
                    f"{fn}: Expected {name} to be a vector of size equal to the number of channels "
                    f"in input, but got {name} of shape {list_of(t.shape)} and input of shape "
                    f"{list_of(input.shape)}"
                )
            )


def usual(input: Any, normalized_shape: Any, weight: Any, bias: Any) -> bool:
    """Whether these are rows and lines of one float type that fit: then nothing else is asked."""
    if not isinstance(input, TensorBase) or normalized_shape.__class__ is not tuple:
        return False
    a = input._a
    last = a.shape[-1:]
    if not last or last != normalized_shape or a.dtype.kind != "f":
        return False
    dtype = a.dtype
    for p in (weight, bias):
        if p is not None:
            if not isinstance(p, TensorBase):
                return False
            b = p._a
            if b.shape != last or b.dtype is not dtype:
                return False
    return True


def last_dims(fn: str, input: Any, normalized_shape: Any, weight: Any, bias: Any) -> Ints:
    """The dimensions of `normalized_shape`, with everything checked against it."""
    if usual(input, normalized_shape, weight, bias):
        return (input._a.ndim - 1,)
    check_tensor(fn, "input", 1, input)
    check_params(fn, 3, weight=weight, bias=bias)
    if not isinstance(normalized_shape, (tuple, list)):
        raise TypeError(
            message(
                f"{fn}(): argument 'normalized_shape' (position 2) must be tuple of ints, not "
                f"{type(normalized_shape).__name__}",
                hint=f"[{normalized_shape}]",
            )
        )
    shape = tuple(as_int(fn, "normalized_shape", n) for n in normalized_shape)
    if not shape:
        raise RuntimeError(
            message(
                "Expected normalized_shape to be at least 1-dimensional, i.e., containing at least "
                "one element, but got normalized_shape = []"
            )
        )
    if fn == "rms_norm" and input.ndim < len(shape):
        raise ValueError(
            message(
                f"Input tensor must have at least {len(shape)} dimensions, but got {input.ndim}"
            )
        )
    for name, t in (("weight", weight), ("bias", bias)):
        if t is not None and tuple(t.shape) != shape:
            raise RuntimeError(
                message(
                    f"Expected {name} to be of same shape as normalized_shape, but got {name} of "
                    f"shape {list_of(t.shape)} and normalized_shape = {list_of(shape)}"
                )
            )
    if tuple(input.shape[-len(shape) :]) != shape or input.ndim < len(shape):
        raise RuntimeError(
            message(
                f"{fn}: Given normalized_shape={list_of(shape)}, expected input with shape "
                f"[*, {', '.join(map(str, shape))}], but got input of size{list_of(input.shape)}",
                wanted="an input whose last dimensions are normalized_shape",
                hint=f"normalized_shape={list_of(input.shape[-len(shape) :])}, or permute() "
                "the channels to the end",
            )
        )
    if fn != "rms_norm" or not dtype_of(input).is_complex:
        check_types(fn, input, *(() if fn == "rms_norm" else (weight, bias)))
    return tuple(range(input.ndim - len(shape), input.ndim))
