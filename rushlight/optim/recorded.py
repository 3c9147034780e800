"""The primitives of the update formulas on Tensors, for `differentiable=True`.

Each makes a new Tensor, so autograd records the step and can go through it; nothing is overwritten
that a backward pass may still need. The array side, which overwrites, is
`kernels/optim/reference.py`.
"""

from __future__ import annotations

from typing import Any

import numpy as np

import rushlight as torch
from rushlight.kernels.optim.formulas import Operators
from rushlight.tensor import Tensor


class Recorded(Operators):
    """The names of `kernels.optim.reference.Arrays`, by operators, for tensors of one dtype."""

    def __init__(self, dtype: Any) -> None:
        self._dtype = dtype

    def sqrt_(self, x: Any) -> Any:
        """The square root of x."""
        return x.sqrt()

    sqrt = sqrt_

    def abs(self, x: Any) -> Any:
        """|x|."""
        return x.abs()

    def sign(self, x: Any) -> Any:
        """-1, 0 or 1."""
        return x.sign()

    def maximum_(self, x: Any, a: Any) -> Any:
        """max(x, a)."""
        return torch.maximum(x, a)

    def clip_(self, x: Any, low: Any, high: Any) -> Any:
        """x brought into [low, high]."""
        return x.clamp(low, high)

    def set_(self, x: Any, y: Any) -> Any:
        """y."""
        return y.clone()

    def where(self, condition: Any, a: Any, b: Any) -> Any:
        """a where the condition holds, else b."""
        # Two plain numbers would give the default dtype and lose digits of a float64 update.
        if not isinstance(a, Tensor):
            a = Tensor._wrap(np.array(a, self._dtype.np))
        if not isinstance(b, Tensor):
            b = Tensor._wrap(np.array(b, self._dtype.np))
        return torch.where(condition, a, b)
