"""Layouts of operands: which axes they share, and how a result of theirs lies.

All operands that broadcast are brought to the same few axes, in the order in which the result lies,
by joining neighbouring dims. Shapes are tuples, strides are in bytes, steps in elements.

Not here: when a kernel is used (`select.py`).
"""

from __future__ import annotations

from collections.abc import Sequence

from ..meta import contiguous_strides

Shape = tuple[int, ...]
Steps = list[int]


def is_contiguous(shape: Shape, strides: Shape, size: int) -> bool:
    """Whether elements of `size` bytes lie in row-major order without gaps."""
    if 0 in shape:
        return True
    step = size
    for n, stride in zip(reversed(shape), reversed(strides), strict=True):
        if n != 1:
            if stride != step:
                return False
            step *= n
    return True


def strides_like(shape: Shape, strides: Shape, size: int, own: int) -> Shape:
    """The strides of a fresh array of elements of `own` bytes that lies as one of elements of
    `size` bytes does, as `np.empty_like` gives them."""
    if is_contiguous(shape, strides, size):
        return contiguous_strides(shape, own)
    if is_contiguous(shape[::-1], strides[::-1], size):
        return contiguous_strides(shape[::-1], own)[::-1]
    found = [0] * len(shape)
    step = own
    for d in sorted(range(len(shape)), key=lambda d: (-abs(strides[d]), d))[::-1]:
        found[d] = step
        step *= shape[d]
    return tuple(found)


def steps_of(shape: Shape, strides: Shape, size: int, whole: Shape) -> Steps | None:
    """The steps (in elements of `size` bytes) of an array along the dims of the shape `whole`, 0
    where it is repeated; None where an element does not lie at a multiple of its size."""
    steps = [0] * (len(whole) - len(shape))
    for n, step in zip(shape, strides, strict=True):
        if step % size:
            return None
        steps.append(0 if n == 1 else step // size)
    return steps


def order_of(shape: Sequence[int], steps: Sequence[Steps]) -> list[int]:
    """The dims in the order in which the result lies in memory: that of the operands where they
    agree, else that of the shape. NumPy's way: a dim moves inwards past those with longer steps."""
    dims = list(range(len(shape)))[::-1]  # innermost first
    for k in range(1, len(dims)):
        place = k
        for inner in range(k - 1, -1, -1):
            verdict = shorter(dims[k], dims[inner], steps)
            if verdict is False:
                break
            if verdict:
                place = inner
        dims.insert(place, dims.pop(k))
    return dims[::-1]


def shorter(d: int, e: int, steps: Sequence[Steps]) -> bool | None:
    """Whether the steps along dim d are shorter than those along e; None where no operand has both,
    False where operands disagree."""
    known = [abs(s[d]) < abs(s[e]) for s in steps if s[d] and s[e]]
    return all(known) if known else None


def axes_of(shape: Sequence[int], steps: Sequence[Steps]) -> tuple[list[int], list[Steps]]:
    """Dims joined where every operand allows it: (sizes, steps of each operand)."""
    sizes: list[int] = []
    joined: list[Steps] = [[] for _ in steps]
    for d in range(len(shape) - 1, -1, -1):
        n = shape[d]
        if n == 1:
            continue
        if sizes and all(s[d] == j[0] * sizes[0] for s, j in zip(steps, joined, strict=True)):
            sizes[0] *= n
            continue
        sizes.insert(0, n)
        for s, j in zip(steps, joined, strict=True):
            j.insert(0, s[d])
    return sizes, joined
