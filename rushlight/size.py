"""Size: the shape of a tensor, a tuple that prints as PyTorch's. Read next: `tensor.py`."""

from __future__ import annotations

import math
from typing import Any, SupportsIndex, overload


class Size(tuple[int, ...]):
    """A shape: a tuple of ints with `numel()`; slices and sums of it are Sizes too.

    >>> Size([2, 3]).numel()
    6
    """

    __slots__ = ()
    __module__ = "rushlight"

    def __new__(cls, sizes: Any = ()) -> Size:
        return tuple.__new__(cls, [s.__index__() for s in sizes])

    def numel(self) -> int:
        """Number of elements: the product of the sizes (1 for a 0-d shape)."""
        return math.prod(self)

    def __repr__(self) -> str:
        return f"torch.Size({list(self)})"

    __str__ = __repr__

    @overload
    def __getitem__(self, i: SupportsIndex) -> int: ...
    @overload
    def __getitem__(self, i: slice) -> Size: ...
    def __getitem__(self, i: Any) -> Any:
        got = tuple.__getitem__(self, i)
        return tuple.__new__(Size, got) if type(i) is slice else got

    def __add__(self, other: Any) -> Any:
        if isinstance(other, tuple):
            return tuple.__new__(Size, tuple.__add__(self, whole(other)))
        if hasattr(type(other), "__radd__") and type(other).__module__ != "builtins":
            return NotImplemented
        kind = type(other).__name__
        raise TypeError(f"can only concatenate tuple (not {kind}) to torch.Size")

    def __radd__(self, other: Any) -> Any:
        if isinstance(other, tuple):
            return tuple.__new__(Size, tuple.__add__(whole(other), self))
        if isinstance(other, list):
            raise TypeError('can only concatenate list (not "torch.Size") to list')
        return NotImplemented

    def __mul__(self, n: SupportsIndex) -> Size:
        return tuple.__new__(Size, tuple.__mul__(self, n))

    __rmul__ = __mul__

    def __reduce__(self) -> Any:
        return (Size, (tuple(self),))


def whole(sizes: tuple[Any, ...]) -> tuple[Any, ...]:
    """The tuple, whose items must be whole numbers."""
    for i, n in enumerate(sizes):
        if n.__class__ is not int and not hasattr(n, "__index__"):
            raise TypeError(
                f"torch.Size() takes an iterable of 'int' (item {i} is '{type(n).__name__}')"
            )
    return sizes
