"""Tensors as memory that MPI reads and writes: arrays without gaps, and how they get back.

A contiguous tensor is its own memory; any other one is copied, and written back when the collective
is over. Collectives have no derivative: what they write counts as changed in place.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from ..autograd import changes, door
from ..errors import message
from ..kernels.meta import MetaArray
from ..layout import strided
from ..tensor import Tensor


def check(name: str, argument: str, x: Any) -> None:
    """TypeError for what is no tensor; RuntimeError for tensors without memory of their own."""
    if not isinstance(x, Tensor):
        raise TypeError(
            message(
                f"Invalid function argument. Expected parameter `{argument}` of type torch.Tensor",
                got=type(x).__name__,
                wanted=f"{name}() with tensors",
            )
        )
    if x.layout is not strided:
        raise RuntimeError(
            message(
                f"{name}: sparse tensors are not sent",
                got=str(x.layout),
                hint="to_dense() first, or indices and values one by one",
            )
        )
    if isinstance(x._a, MetaArray):
        raise RuntimeError(
            message(f"{name}: tensors on the meta device have no numbers", hint='device="cpu"')
        )


def check_list(name: str, argument: str, xs: Any) -> None:
    """The same for a list of tensors."""
    if not isinstance(xs, (list, tuple)) or not all(isinstance(x, Tensor) for x in xs):
        raise TypeError(
            message(
                f"Invalid function argument. Expected parameter `{argument}` of type "
                "List[torch.Tensor]",
                got=type(xs).__name__
                if not isinstance(xs, (list, tuple))
                else f"a list of {[type(x).__name__ for x in xs]}",
            )
        )
    for x in xs:
        check(name, argument, x)


def same_types(tensors: Sequence[Tensor]) -> None:
    """ValueError when tensors of one call have several types."""
    first = tensors[0].dtype
    for t in tensors:
        if t.dtype is not first:
            raise ValueError(
                f"Invalid usage of tensors with different dtypes. Found {first} and  {t.dtype}"
            )


def readable(x: Tensor) -> np.ndarray:
    """The numbers of a tensor in an array without gaps: its own memory where that has none."""
    return np.ascontiguousarray(door.resolved(x._a)).reshape(x.shape)


class Writable:
    """A tensor that a collective writes to. `array` has no gaps; `done()` brings its numbers into
    the tensor where that is not its memory."""

    __slots__ = ("array", "tensor")

    def __init__(self, x: Tensor, read: bool = False) -> None:
        a = x._a
        self.tensor: Tensor | None = x
        if a.__class__ is np.ndarray and a.flags.c_contiguous and a.flags.writeable:
            self.tensor, self.array = None, a
        elif read:
            self.array = np.array(door.resolved(a), order="C")
        else:
            self.array = np.empty(x.shape, door.resolved(a).dtype)

    def done(self) -> None:
        if self.tensor is not None:
            door.put(self.tensor._a, self.array)


def writable(name: str, tensors: Sequence[Tensor], read: bool = False) -> list[Writable]:
    """Memory for the tensors that `name` writes to, which count as changed from now on."""
    changes.all_changed(tensors, name)
    return [Writable(t, read) for t in tensors]
