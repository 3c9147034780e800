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

    def __add__(self, other: Any) -> Size:
        return tuple.__new__(Size, tuple.__add__(self, other))

    def __radd__(self, other: Any) -> Size:
        return tuple.__new__(Size, tuple(other) + tuple(self))

    def __mul__(self, n: SupportsIndex) -> Size:
        return tuple.__new__(Size, tuple.__mul__(self, n))

    __rmul__ = __mul__

    def __reduce__(self) -> Any:
        return (Size, (tuple(self),))
