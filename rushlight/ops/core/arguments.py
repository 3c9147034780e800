"""What public functions do with their arguments before any computation: sizes, numbers, tensors."""

from __future__ import annotations

from typing import Any

import numpy as np

from ... import dtypes
from ...autograd import door
from ...autograd.node import TensorBase
from ...errors import message
from . import wrong_arguments


def need_tensor(name: str, x: Any, place: int = 1, argument: str = "input") -> None:
    """TypeError in PyTorch's words unless `x` is a tensor."""
    if not isinstance(x, TensorBase):
        raise wrong_arguments.refused(name, argument, f" (position {place})", x)


def need_gradients(input: Any, value: Any, name: str) -> None:
    """RuntimeError where a copy of an input of integers would take a value that requires grad."""
    if not isinstance(value, TensorBase) or value._fn is None or not door.state.enabled:
        return
    if input._a.dtype.kind in "iub":
        kind = dtypes.from_numpy(input._a.dtype)
        raise RuntimeError(
            message(
                f"Autograd not support dtype: {dtypes.type_name(kind)}",
                got=f"a {name} that requires grad for a tensor of {kind!r}",
                hint=f"{name}.detach(), or input.float()",
            )
        )


def sizes(args: tuple[Any, ...], name: str = "view", argument: str = "size") -> tuple[int, ...]:
    """`f(2, 3)`, `f((2, 3))`, `f(size)`: the sizes as plain ints."""
    if len(args) == 1 and isinstance(args[0], (tuple, list)):
        args = tuple(args[0])
    for n in args:
        if n.__class__ is not int:
            if args[0].__class__ is bool:  # PyTorch looks at the first one's class alone
                raise TypeError(
                    f"{name}(): argument '{argument}' (position 1) must be tuple of ints, but "
                    "found element of type bool at pos 0"
                )
            return tuple(whole(n, name, argument) for n in args)
    return args


def named(args: tuple[Any, ...], kw: dict[str, Any], argument: str) -> tuple[Any, ...]:
    """The variable arguments of a method, or their name: `x.tile(2, 3)`, `x.tile(dims=(2, 3))`."""
    if kw:
        wrong = [k for k in kw if k != argument]
        if wrong or args:
            raise TypeError(f"got an unexpected keyword argument '{(wrong or [argument])[0]}'")
        return (tuple(kw[argument]),)
    return args


def whole(n: Any, name: str, argument: str) -> int:
    """One size as an int; TypeError for floats and the like."""
    if isinstance(n, (float, str)) or not hasattr(n, "__index__"):
        raise TypeError(
            message(
                f"{name}(): argument '{argument}' (position 1) must be tuple of ints, but found "
                f"element of type {type(n).__name__}",
                hint="// in place of /, or int(n)" if isinstance(n, float) else None,
            )
        )
    return int(n.__index__())


def number(x: Any) -> Any:
    """A Python number of a number, a 0-d tensor or a NumPy scalar."""
    if isinstance(x, (TensorBase, np.generic)):
        return x.item()
    return x
