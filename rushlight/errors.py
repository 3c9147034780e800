"""Error texts in four parts (what, got, wanted, try), and the few error classes of our own."""

from __future__ import annotations

import builtins
from typing import Any

import numpy as np


def message(what: str, got: Any = None, wanted: Any = None, hint: Any = None) -> str:
    """Build the text of an error: what failed, what it got, what it wanted, what to do.

    >>> print(message("matmul: inner sizes differ", "(4, 3) @ (5, 2)", hint="b.mT"))
    matmul: inner sizes differ
      got     (4, 3) @ (5, 2)
      try     b.mT
    """
    parts = [what]
    for label, text in (("got", got), ("wanted", wanted), ("try", hint)):
        if text is not None:
            lines = str(text).split("\n")
            parts.append(f"  {label:<8}" + ("\n" + " " * 10).join(lines))
    return "\n".join(parts)


def ambiguous(shape: tuple[int, ...]) -> RuntimeError:
    """The error of a condition on a tensor with several elements."""
    return RuntimeError(
        message(
            "Boolean value of Tensor with more than one value is ambiguous",
            got=f"a tensor of shape {builtins.tuple(shape)} as a condition",
            hint="x.any() or x.all(); & | ~ in place of and, or, not; torch.where(condition, a, b)",
        )
    )


class BoundsError(IndexError, RuntimeError):
    """An index out of range of which PyTorch says the one or the other, by the kernel that types
    and layouts choose."""


class LinAlgError(RuntimeError, np.linalg.LinAlgError):
    """A matrix has no inverse, factorisation or eigenvalues (PyTorch's
    ``torch.linalg.LinAlgError``).

    >>> try:
    ...     torch.linalg.inv(torch.zeros(2, 2))
    ... except torch.linalg.LinAlgError:
    ...     print("no inverse")
    no inverse
    """

    __module__ = "rushlight.linalg"


class OutOfMemoryError(RuntimeError):
    """An allocation failed; the text lists the largest live tensors.

    >>> issubclass(torch.OutOfMemoryError, RuntimeError)
    True
    """

    __module__ = "rushlight"


class AcceleratorError(RuntimeError):
    """What an accelerator reports; nothing raises it on a CPU.

    >>> issubclass(torch.AcceleratorError, RuntimeError)
    True
    """

    __module__ = "rushlight"


def axis(dim: Any, ndim: int, wrap_scalar: bool = True) -> int:
    """Bring `dim` into 0..ndim-1; IndexError in PyTorch's words when it is out of range."""
    if dim.__class__ is builtins.int and -ndim <= dim < ndim:
        return dim % ndim  # type: ignore[no-any-return]
    span = ndim if ndim or not wrap_scalar else 1
    if dim.__class__ is not int:
        if isinstance(dim, bool) or not hasattr(dim, "__index__"):
            raise TypeError(f"dim must be an int, not {type(dim).__name__}")
        dim = dim.__index__()
    if not -span <= dim < span:
        raise IndexError(
            f"Dimension out of range (expected to be in range of [{-span}, {span - 1}], but "
            f"got {dim})"
        )
    return builtins.int(dim % span) if span else 0


def axes(dims: Any, ndim: int) -> tuple[int, ...]:
    """Bring several dims into range; RuntimeError when one occurs twice."""
    if not isinstance(dims, (tuple, list)):
        dims = (dims,)
    got = tuple([axis(d, ndim) for d in dims])
    if len(got) > 1 and len(set(got)) != len(got):
        twice = next(d for d in got if got.count(d) > 1)
        raise RuntimeError(f"dim {twice} appears multiple times in the list of dims")
    return got
