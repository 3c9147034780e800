"""The types that records are written with: arrays, functions of arrays, rules.

What stands for an array anywhere in an op is a NumPy array or, for meta tensors, a `MetaArray`. The
functions of a record take as many of them as the op has tensors, and its parameters by keyword,
which no type of Python's can say: that is what `...` means below.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, TypeAlias

import numpy as np

from ...kernels.meta import MetaArray

Array: TypeAlias = np.ndarray | MetaArray
Forward: TypeAlias = Callable[..., Any]  # (*arrays, **parameters) -> one array, or a tuple of them
Rule: TypeAlias = Callable[..., Any]  # (g, y, *inputs, **parameters) -> gradient(s)
ShapeRule: TypeAlias = Callable[..., MetaArray | tuple[MetaArray, ...]]
Check: TypeAlias = Callable[..., None]  # (*tensors) -> None, or an exception
Public: TypeAlias = Callable[..., Any]  # (*tensors and numbers, **parameters) -> Tensor(s)
