"""Formulas whose operands broadcast (a bias, a channel, a slice): the choice and the axes.

`spread` is asked by `fused.large` when shapes or layouts differ. All operands are brought to the
same few axes, in the order in which the result lies, by joining neighbouring dims; what needs more
than three axes or has short rows goes to NumPy.

Not here: the kernel (`broadcast.py`).
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from ..codegen.expr import order
from . import select

ndarray = np.ndarray
SHORT = 1 if select.ALWAYS else 8  # elements of a row below which NumPy is quicker
FAR = 1 << 24  # the longest step between neighbours of a row, in elements
KINDS = ("row", "value", "far", "none", float, int)
Steps = list[int]


def steps_of(a: ndarray, shape: Sequence[int]) -> Steps | None:
    """The steps (in elements) of `a` along the dims of `shape`, 0 where it is repeated; None where
    an element does not lie at a multiple of its size."""
    size = a.itemsize
    steps = [0] * (len(shape) - a.ndim)
    for n, step in zip(a.shape, a.strides, strict=True):
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


def spread(
    formula: Callable[..., Any],
    name: str,
    kernels: dict[Any, Any],
    args: tuple[Any, ...],
    kw: dict[str, Any],
) -> Any:
    """The formula of operands that broadcast; None when NumPy computes it."""
    arrays = [a for a in args if a.__class__ is ndarray]
    try:
        shape = np.broadcast_shapes(*[a.shape for a in arrays])
    except ValueError:
        return None  # the formula says what is wrong
    if math.prod(shape) < select.LEAST or not 0 < len(arrays) <= 8:
        return None
    steps = [steps_of(a, shape) for a in arrays]
    if any(s is None for s in steps):
        return None
    dims = order_of(shape, steps)  # type: ignore[arg-type]
    turned = dims != list(range(len(shape)))
    if turned:
        steps = [[s[d] for d in dims] for s in steps]  # type: ignore[index]
    sizes, joined = axes_of([shape[d] for d in dims], steps)  # type: ignore[arg-type]
    if len(sizes) > 3 or not sizes or sizes[-1] < SHORT or any(abs(j[-1]) > FAR for j in joined):
        return None
    rows = iter(["value" if j[-1] == 0 else "row" if j[-1] == 1 else "far" for j in joined])
    kinds = [
        next(rows) if a.__class__ is ndarray else "none" if a is None else a.__class__ for a in args
    ]
    if not all(k in KINDS for k in kinds):
        return None
    own = kernels.setdefault("spread", {})
    equal = all(a.shape == shape for a in arrays)
    key = (equal, *kinds, *[a.dtype for a in arrays], *select.signature(kw))
    try:
        found = own.get(key)
    except TypeError:  # a parameter that cannot be hashed
        return None
    if found is None:
        found = own[key] = make(formula, name, kinds, [a.dtype for a in arrays], kw, equal)
    if found is False:
        return None
    kernel, out_type = found
    outer, inner, n = [1] * (3 - len(sizes)) + sizes
    each, width = kernel_pieces(n, "far" in kinds)
    words = [word for j in joined for word in ([0] * (3 - len(sizes)) + j)[:2]]
    words += [j[-1] for j in joined]
    numbers = [a for a in args if a.__class__ in (float, int)] + select.parameters(kw)
    y = np.empty([shape[d] for d in dims], out_type)
    select.jit()[2].ready()
    kernel(*arrays, y, outer * inner, inner, n, each, width, *words, *numbers)
    return y.transpose(np.argsort(dims)) if turned else y


def kernel_pieces(n: int, far: bool) -> tuple[int, int]:
    from .broadcast import pieces

    return pieces(n, far)


def make(
    formula: Callable[..., Any],
    name: str,
    kinds: Any,
    types: Any,
    kw: dict[str, Any],
    equal: bool,
) -> Any:
    """(kernel, type of the result), or False when the formula has no such kernel; `equal` says
    that all operands have the shape of the result."""
    found = select.planned(formula, kinds, types, kw)
    if found is None:
        return False
    root, write, operands, out = found
    used = {node.name for node in order(root) if node.op is None}
    if not equal and not all(f"x{k}" in used for k in range(len(types))):
        return False  # the result may be smaller than the operands together
    from . import broadcast

    try:
        kernel = broadcast.kernel((name, repr(root)), write, operands, [select.ELEMENTS[out]])
    except select.jit()[1].NoKernel:
        return False
    return kernel, out
