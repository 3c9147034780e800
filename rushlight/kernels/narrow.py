"""Steps of plans for narrow floats: what float16, bfloat16 and narrower ones are computed in, and the
rounding at the end.

Products and convolutions of narrow floats are computed in float32: operands are brought there, and
the result is rounded once. A number of bfloat16 is one part of what a CPU's matrix unit multiplies,
so plans of such operands ask for the precision `EXACT`: where there is a unit, one product by it
has all digits, for which it takes six of any numbers of float32 (`matmul/amx.py`).

Not here: elementwise kernels, reductions and rows, which read narrow floats as they are
(`codegen/half.py`).
"""

from __future__ import annotations

from typing import Any

import ml_dtypes
import numpy as np

from .. import dtypes
from .copy import select as copy
from .dense import dense_strides
from .meta import MetaArray
from .plan import Draft

BFLOAT16 = np.dtype(ml_dtypes.bfloat16)
EXACT = "bfloat16"  # a precision beside those of `set_float32_matmul_precision`
FLOAT16, USER_TYPES = np.dtype(np.float16).num, 256  # from 256 on types are those of ml_dtypes


def is_narrow(dtype: Any) -> bool:
    """Whether a type is computed in a wider one."""
    num: int = dtype.num  # (types are slow to compare)
    return num == FLOAT16 or num >= USER_TYPES


def precision_of(dtype: Any, precision: str) -> str:
    """The precision with which numbers of a narrow type are multiplied in float32."""
    return EXACT if dtype == BFLOAT16 else precision


def wide(dtype: Any) -> Any:
    """The type in which a narrow one is computed."""
    return np.dtype(dtypes.wide(dtype))


def alike(meta: Any, dtype: Any) -> MetaArray:
    """An array of another type that lies as this one does, without gaps."""
    if 0 in meta.strides or not meta.size:
        return MetaArray(meta.shape, dtype)
    size = np.dtype(dtype).itemsize
    return MetaArray(
        meta.shape, dtype, dense_strides(meta.shape, meta.strides, meta.itemsize, size)
    )


def widened(d: Draft, name: str) -> str:
    """The array in the type that it is computed in."""
    found, meta = f"{name}_wide", d.metas[name]
    if found not in d.metas:
        d.array(found, alike(meta, wide(meta.dtype)))
        copied(d, name, found)
    return found


def rounded(d: Draft, name: str, result: str, dtype: Any) -> None:
    """Add the rounding of an array to a narrow type."""
    d.array(result, alike(d.metas[name], dtype))
    copied(d, name, result)


def copied(d: Draft, source: str, target: str) -> None:
    """Add the copy of an array into another one."""
    x, y = d.metas[source], d.metas[target]
    if copy.by_kernel(y.size, x.dtype, y.dtype):
        of = copy.plan(x.dtype, y.dtype, x.shape, x.strides, y.strides)
        d.include(of, {"x": source, "y": target})
    else:
        d.numpy(copy.copied, (source, target))
