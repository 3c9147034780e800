"""What goes wrong in a call of an op, in PyTorch's classes and words: shapes, types, memory."""

from __future__ import annotations

import re
from typing import Any

import numpy as np

from .. import dtypes
from ..dtypes import type_name
from ..errors import OutOfMemoryError, message
from .node import TensorBase

ndarray = np.ndarray


def shapes_text(inputs: Any) -> str:
    return " and ".join(str(tuple(t._a.shape)) for t in inputs if isinstance(t, TensorBase))


def broadcast_error(op: Any, inputs: tuple[Any, ...], error: ValueError) -> Exception:
    """NumPy's broadcasting complaint in PyTorch's class and words."""
    if "broadcast" not in str(error):
        return dims_error(op.name, error)
    shapes = [t._a.shape for t in inputs if isinstance(t, TensorBase)]
    text = f"{op.name}: shapes do not broadcast"
    if len(shapes) == 2:
        a, b = shapes
        n = max(len(a), len(b))
        for back in range(1, n + 1):
            sa = a[-back] if back <= len(a) else 1
            sb = b[-back] if back <= len(b) else 1
            if sa != sb and 1 not in (sa, sb):
                text = (
                    f"{op.name}: The size of tensor a ({sa}) must match the size of tensor b "
                    f"({sb}) at non-singleton dimension {n - back}"
                )
                break
    return RuntimeError(
        message(
            text,
            got=shapes_text(inputs),
            wanted="sizes that are equal or 1, compared from the last dimension on",
            hint="unsqueeze() a dimension, transpose one of them, or look at where the shapes "
            "come from",
        )
    )


def dims_error(name: str, error: Exception) -> Exception:
    """The error of a call that asked for more dimensions than NumPy's arrays have; any other as it
    was."""
    told = str(error)
    if not told.startswith(("maximum supported dimension", "number of dimensions must be within")):
        return error
    asked = re.findall(r"\d+", told)[-1]
    return RuntimeError(
        message(
            f"{name}: a tensor of {asked} dimensions",
            wanted="at most 64: NumPy's arrays, which hold the numbers, have no more",
            hint="reshape() to fewer dimensions, flatten() those that belong together",
        )
    )


def type_error(op: Any, arrays: Any, error: TypeError) -> Exception:
    """NumPy's complaint that a function has no loop for a type, in PyTorch's class and words."""
    if "not supported for the input types" not in str(
        error
    ) and "did not contain a loop" not in str(error):
        return error
    kinds = [type_name(dtypes.from_numpy(a.dtype)) for a in arrays if isinstance(a, ndarray)]
    return NotImplementedError(
        message(
            f"\"{op.name}_cpu\" not implemented for '{kinds[0] if kinds else '?'}'",
            hint="another dtype: x.float()",
        )
    )


# What NumPy says of an array whose size is no number of bytes.
TOO_LARGE = ("array is too big", "Maximum allowed dimension exceeded")


def is_too_large(error: ValueError) -> bool:
    """Whether NumPy was asked for an array of so many elements that nobody has counted them."""
    return str(error).startswith(TOO_LARGE)


def too_much(name: str, error: Exception) -> Exception:
    """The error of a call that asked for more memory than there is; any other as it was."""
    if not isinstance(error, ValueError):
        return memory_error(name, error)
    if not is_too_large(error):
        return dims_error(name, error)
    return memory_error(name, ValueError(f"Storage size calculation overflowed: {error}"))


def memory_error(name: str, error: Exception) -> OutOfMemoryError:
    """Out of memory: the largest live tensors, who holds them and the lines that made them."""
    from .holders import largest

    lines = [str(held) for held in largest(5)]
    return OutOfMemoryError(
        message(
            f"{name}: not enough memory ({error})",
            got="the largest live tensors are\n" + "\n".join(lines) if lines else "no live tensor",
            hint="a smaller batch, torch.no_grad() for evaluation, loss.item() when you add up "
            "losses",
        )
    )
