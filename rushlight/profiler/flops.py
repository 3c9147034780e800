"""Floating point operations of the operations for which PyTorch counts them.

A product of matrices is 2*m*n*k, a convolution twice its multiplications; `mul` and `add` count
one a result. Where PyTorch's `linear` shows an `addmm` inside, ours is one operation and counts
itself.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

Shapes = list[Any]


def _product(sizes: Any) -> int:
    n = 1
    for size in sizes:
        n *= int(size)
    return n


def _mm(shapes: Shapes, out: Any) -> int:
    return 2 * _product(out) * shapes[0][-1]


def _addmm(shapes: Shapes, out: Any) -> int:
    return 2 * _product(out) * shapes[1][-1]


def _conv2d(shapes: Shapes, out: Any) -> int:
    return 2 * _product(out) * _product(shapes[1][1:])


def _each(shapes: Shapes, out: Any) -> int:
    return _product(shapes[0] or out)


RULES: dict[str, Callable[[Shapes, Any], int]] = {
    "aten::mm": _mm,
    "aten::bmm": _mm,
    "aten::matmul": _mm,
    "aten::linear": _mm,
    "aten::addmm": _addmm,
    "aten::baddbmm": _addmm,
    "aten::conv2d": _conv2d,
    "aten::mul": _each,
    "aten::add": _each,
}


def count(name: str, shapes: Shapes, out: Any) -> int:
    """Operations of a call from the shapes of its operands and of its result; 0 if unknown."""
    rule = RULES.get(name)
    if rule is None or not hasattr(out, "shape") or not shapes:
        return 0
    try:
        return rule(shapes, out.shape)
    except (IndexError, TypeError):  # operands given by keyword, or of other kinds
        return 0
