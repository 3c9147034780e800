"""Softmax along a dimension by machine code, and what all kernels over rows have in common.

Every function answers None for what NumPy does: small arrays, other types and layouts, short rows.
The choice looks at types, shapes and layouts alone.

Not here: the kernels (`codegen/rows.py`, `softmax.py`), normalisations (`norm/select.py`), losses
(`loss/select.py`).
"""

from __future__ import annotations

import functools
import math
from typing import Any

import ml_dtypes
import numpy as np

from ..elementwise import select as elementwise
from ..matmul.select import ELEMENTS

Array = Any
FLOAT32 = np.dtype(np.float32)
LEAST = 1 if elementwise.ALWAYS else 2048  # elements from which on a kernel is used
ELEMENTS_OF_CHUNK = 8192
NARROW = 1 if elementwise.ALWAYS else 8  # columns below which NumPy is quicker
WIDE = 64  # columns from which on four vectors of them are computed together
LOW = {np.dtype(np.float16): "half", np.dtype(ml_dtypes.bfloat16): "bfloat"}
ROW_ELEMENTS = ELEMENTS | LOW  # rows may be narrow; they are computed in float32


def computed(dtype: Any) -> Any:
    """The type that rows of a type are computed in, which lines and numbers beside them have."""
    return FLOAT32 if dtype in LOW else dtype


def usable(x: Array, *others: Array | None, least: int | None = None) -> bool:
    """Whether rows x, and lines and numbers beside them, are dense arrays for a kernel, and large
    enough."""
    if x.__class__ is not np.ndarray or x.size < (LEAST if least is None else least):
        return False
    dtype = x.dtype
    if dtype not in ROW_ELEMENTS or not x.flags.c_contiguous or not elementwise.jit():
        return False
    if dtype in LOW:
        if dtype == np.float16 and not has_half():
            return False
        dtype = FLOAT32
    for a in others:
        if a is not None and (
            a.__class__ is not np.ndarray or a.dtype != dtype or not a.flags.c_contiguous
        ):
            return False
    return True


def has_half() -> bool:
    """Whether the CPU converts float16."""
    from ..codegen import half

    return half.has_half()


# -- softmax -------------------------------------------------------------------------------------


@functools.lru_cache(maxsize=128)
def kernel(
    module: str, name: str, element: str, kinds: tuple[tuple[str, str], ...], vectors: int
) -> tuple[Any, int]:
    """A kernel along the last dimension, or (`vectors` > 0) along an earlier one, and how many
    columns it computes together."""
    from ..codegen import rows
    from ..loss import cross_entropy
    from ..norm import layer_norm
    from . import softmax

    body = getattr({"loss": cross_entropy, "norm": layer_norm, "softmax": softmax}[module], name)
    if not vectors:
        return rows.kernel(body, element, dict(kinds)), 1
    return rows.column_kernel(body, element, dict(kinds), vectors), rows.columns(element, vectors)


def launch(
    module: str, name: str, x: Array, n: int, inner: int, kinds: Any, arrays: list[Array]
) -> None:
    """Run a body of one of the modules above along the middle of (outer, n, inner)."""
    element = ROW_ELEMENTS[x.dtype]
    if inner == 1:
        call, _ = kernel(module, name, element, kinds, 0)
        count, each = x.size // n, max(1, ELEMENTS_OF_CHUNK // n)
        elementwise.jit()[2].ready()
        call(*arrays, n, count, 1, each, -(-count // each))
        return
    call, width = kernel(module, name, element, kinds, 4 if inner >= WIDE else 1)
    blocks = -(-inner // width)
    count, each = x.size // (n * inner) * blocks, max(1, ELEMENTS_OF_CHUNK // (n * width))
    elementwise.jit()[2].ready()
    call(*arrays, n, inner, blocks, count, each, -(-count // each))


def along(name: str, out: str, dim: int, **given: Array) -> Array | None:
    """Run a kernel of `softmax.py` on arrays of one shape and type."""
    arrays = []
    for a in given.values():
        if a.__class__ is not np.ndarray or a.size < LEAST:
            return None
        arrays.append(np.ascontiguousarray(a))
    x = arrays[0]
    if a.dtype != x.dtype or not usable(x):
        return None
    ndim = x.ndim
    dim = dim + ndim if dim < 0 else dim
    if not 0 <= dim < ndim:
        return None
    inner = 1 if dim == ndim - 1 else math.prod(x.shape[dim + 1 :])
    if 1 < inner < NARROW:
        return None
    y = np.empty(x.shape, x.dtype)
    arrays.append(y)
    launch("softmax", name, x, x.shape[dim], inner, KINDS[(*given, out)], arrays)
    return y


NAMES = (("x", "y"), ("g", "y", "dx"))  # operands of the bodies in `softmax.py`
KINDS: dict[Any, Any] = {names: tuple([(k, "row") for k in names]) for names in NAMES}


def softmax(x: Array, dim: int) -> Array | None:
    """exp(x) / sum(exp(x)) along a dimension."""
    return along("softmax", "y", dim, x=x)


def log_softmax(x: Array, dim: int) -> Array | None:
    """x - log(sum(exp(x))) along a dimension."""
    return along("log_softmax", "y", dim, x=x)


def softmax_grad(g: Array, y: Array, dim: int) -> Array | None:
    """The gradient of softmax, given its result y."""
    return along("softmax_grad", "dx", dim, g=g, y=y)


def log_softmax_grad(g: Array, y: Array, dim: int) -> Array | None:
    """The gradient of log_softmax, given its result y."""
    return along("log_softmax_grad", "dx", dim, g=g, y=y)
