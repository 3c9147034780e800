"""Operands that lie partly where an operation writes: `x[1:] += x[:-1]`, `add(x, 1, out=x.T)`.

PyTorch refuses them, as what comes out would depend on the order in which elements are computed.
Here results are computed before they are written, so nothing would go wrong; they are refused all
the same, for a program that runs here should run there. Operands that the check cannot tell about,
because they have gaps, pass as they do in PyTorch.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import numpy as np

from ..array_memory import address, root
from ..errors import message
from ..kernels.runtime import few
from .node import TensorBase

NO, YES, TOO_HARD = 0, 1, 2


def dense(a: Any) -> bool:
    """Whether the elements fill a block of memory, each its own place, in whatever order."""
    if a.flags.forc:
        return True
    expected = a.itemsize
    for step, n in sorted((s, n) for s, n in zip(a.strides, a.shape, strict=True) if n > 1):
        if step != expected:
            return False
        expected *= n
    return True


def within(a: Any) -> int:
    """Whether elements of a tensor lie over each other: NO, YES or TOO_HARD to say."""
    if not a.size or dense(a):
        return NO
    expanded = any(s == 0 and n > 1 for s, n in zip(a.strides, a.shape, strict=True))
    return YES if expanded else TOO_HARD


def overlap(a: Any, b: Any, wholly: bool = False) -> bool:
    """Whether two arrays share a part of their memory (`wholly`: or all of it)."""
    if a is b:
        return wholly
    if few.apart(a, b):
        return False
    if (a.base is None and b.base is None) or not a.size or not b.size or root(a) is not root(b):
        return False
    if not dense(a) or not dense(b):
        return False
    first, second = address(a), address(b)
    if first == second and a.nbytes == b.nbytes:
        return wholly or places(a) != places(b)
    return first < second + b.nbytes and second < first + a.nbytes


def places(a: Any) -> list[int]:
    """The strides, without those of dimensions of one element, which mean nothing."""
    return [s for s, n in zip(a.strides, a.shape, strict=True) if n > 1]


def refuse(name: str, target: Any, operands: Iterable[Any], wholly: bool = False) -> None:
    """Raise if one of the operands overlaps with the tensor that is written to."""
    if not isinstance(target, TensorBase) or target._a.__class__ is not np.ndarray:
        return
    a: Any = target._a
    cell = target._vc  # which views share: without one, nothing else can look at this memory
    if cell is None and not wholly:
        return
    for t in operands:
        if not isinstance(t, TensorBase) or (t._vc is not cell and t is not target):
            continue
        b: Any = t._a
        if b.__class__ is np.ndarray and overlap(a, b, wholly):
            raise RuntimeError(
                message(
                    f"{name}: unsupported operation: some elements of the input tensor and the "
                    "written-to tensor refer to a single memory location.",
                    got=f"shapes {tuple(a.shape)} and {tuple(b.shape)} on one storage",
                    hint="Please clone() the tensor before performing the operation, as in "
                    "x[1:] += x[:-1].clone()",
                )
            )
