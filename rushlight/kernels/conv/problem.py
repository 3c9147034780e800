"""The numbers of a convolution, as everything that plans one reads them."""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from typing import Any

from .. import runtime
from ..matmul.select import ELEMENTS
from . import reference, tables

Ints = tuple[int, ...]


@dataclass(frozen=True)
class Conv:
    """The numbers of a convolution; c and o are channels of a group.

    `element` is what kernels call the type of both operands, None where no kernel has it; with
    `pairs` an element is a pair of bfloat16 (`pairs.py`).
    """

    dtype: Any
    element: str | None
    n: int
    groups: int
    c: int
    o: int
    size: Ints
    kernel: Ints
    out: Ints
    stride: Ints
    padding: Ints
    dilation: Ints
    precision: str
    is_flipped: bool = False
    pairs: bool = False

    @staticmethod
    def of(
        x: Any, w: Any, out: Ints, stride: Ints, padding: Ints, dilation: Ints, groups: int,
        precision: str,
    ) -> Conv:  # fmt: skip
        """The convolution of an input and a weight of these shapes and types."""
        known = runtime.available() and x.dtype == w.dtype
        return Conv(
            x.dtype, ELEMENTS.get(x.dtype) if known else None, x.shape[0], groups, w.shape[1],
            w.shape[0] // groups, x.shape[2:], w.shape[2:], out, stride, padding, dilation,
            precision,
        )  # fmt: skip

    @property
    def p(self) -> int:
        """Output positions of an image."""
        return math.prod(self.out)

    @property
    def taps(self) -> int:
        """Elements of a kernel."""
        return math.prod(self.kernel)

    @property
    def k(self) -> int:
        """Elements of a window: rows of a group's columns."""
        return self.c * self.taps

    @property
    def work(self) -> int:
        """Multiplications."""
        return self.n * self.groups * self.o * self.k * self.p

    @property
    def padded(self) -> Ints:
        """The size of an image with its margin."""
        return tuple([s + 2 * p for s, p in zip(self.size, self.padding, strict=True)])

    @property
    def is_depthwise(self) -> bool:
        """Whether each channel has a few kernels of its own."""
        return reference.is_depthwise((self.groups * self.o, self.c), self.groups)

    @property
    def is_whole(self) -> bool:
        """Whether the only window is the whole image."""
        plain = not any(self.padding) and max(self.dilation) == 1
        return self.p == 1 and self.kernel == self.size and plain

    @property
    def planar(self) -> tuple[Ints, Ints, Ints, Ints]:
        """kernel, stride, padding and dilation in two dimensions."""
        return (
            two(self.kernel), two(self.stride), two(self.padding, 0), two(self.dilation),
        )  # fmt: skip

    @property
    def grid(self) -> tables.Grid:
        """How the matrix unit goes through the images."""
        how = (self.stride, self.padding, self.dilation, self.out)
        return tables.grid(self.size, self.kernel, *how)

    def flipped(self) -> Conv:
        """The convolution that the gradient of the input is: g with the flipped kernel."""
        around = reference.flipped_padding((0, 0, *self.kernel), self.padding, self.dilation)
        return replace(
            self, c=self.o, o=self.c, size=self.out, out=self.size, padding=around, is_flipped=True
        )


def two(numbers: Ints, before: int = 1) -> Ints:
    """Numbers of one or two dimensions as of two."""
    return (before,) * (2 - len(numbers)) + numbers
