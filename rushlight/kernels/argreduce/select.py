"""Extremes with the places they stand in: which kernel computes them.

The kernel takes a dim that is not the last one of a dense array; NumPy has the rest.

Not here: the kernel (`argreduce.py`), NumPy's way (`reference.py`), extremes alone (`reduce/`).
"""

from __future__ import annotations

import functools
import math
from typing import Any

import numpy as np

from .. import runtime, tuning
from ..elementwise.axes import is_contiguous
from ..meta import MetaArray
from ..plan import Launch, Plan, Reference, nbytes
from . import reference

Array = Any
ELEMENTS = {np.dtype(np.float32): "float", np.dtype(np.float64): "double"}
NUMPY = "argreduce.numpy"


def extremes(how: str, x: Array, d: int, keepdims: bool = False) -> tuple[Array, Array]:
    """("max" or "min" of x over dim d, the first places). d is in range."""
    if x.size < tuning.ARGREDUCE_LEAST or not x.flags.aligned:
        return reference.extremes(x, how=how, d=d, keepdims=keepdims)
    return plan(how, x.shape, x.strides, x.dtype, d, keepdims).run(x)  # type: ignore[no-any-return]


def places(how: str, x: Array, d: int | None) -> Array:
    """The first place of the extreme along dim d; None: in the flattened array."""
    if d is None or x.size < tuning.ARGREDUCE_LEAST or not x.flags.aligned:
        return reference.places(x, how=how, d=d)
    return plan(how, x.shape, x.strides, x.dtype, d, False, False).run(x)


@functools.lru_cache(maxsize=4096)
def plan(
    how: str, shape: tuple[int, ...], strides: tuple[int, ...], dtype: Any, d: int | None,
    keepdims: bool = False, values: bool = True,
) -> Plan:  # fmt: skip
    """(y, at) of an array x: its extremes along dim d and their first places; without `values`
    at alone."""
    x = MetaArray(shape, dtype, strides)
    if d is None:
        kept: tuple[int, ...] = ()
    else:
        kept = (*shape[:d], *([1] if keepdims else []), *shape[d + 1 :])
    outputs = {"y": MetaArray(kept, dtype), "at": MetaArray(kept, np.int64)}
    returns = ("y", "at") if values else ("at",)
    if d is None or not has_kernel(x, d):
        if values:
            launch = Reference(reference.extremes, ("x",), returns, how=how, d=d, keepdims=keepdims)
        else:
            launch = Reference(reference.places, ("x",), returns, how=how, d=d)
        outputs = {k: outputs[k] for k in returns}
        moved = nbytes(x, *outputs.values())
        return Plan(NUMPY, ("x",), outputs, [launch], flops=x.size, bytes=moved)
    from . import argreduce

    count, rows, n = math.prod(shape[:d]), shape[d], math.prod(shape[d + 1 :])
    element = ELEMENTS[dtype]
    block = max(argreduce.BLOCK, -(-rows // 8))
    blocks = -(-rows // block)
    where = np.int32 if element == "float" else np.int64
    outputs["parts"] = MetaArray((count, blocks, n), dtype)
    outputs["parts_at"] = MetaArray((count, blocks, n), where)
    launches: list[Launch | Reference] = [
        Launch(
            argreduce.kernel(how, element), x="x", y="parts", at="parts_at", rows=rows, n=n,
            block=block, chunks=count * blocks * -(-n // argreduce.width_of(element)),
        ),
        Reference(
            reference.first_of_blocks, ("parts", "parts_at"), ("y", "at"), how=how, shape=kept
        ),
    ]  # fmt: skip
    return Plan(
        "argreduce.columns", ("x",), outputs, launches, returns=returns, flops=x.size,
        bytes=nbytes(x, *outputs.values()),
    )  # fmt: skip


def has_kernel(x: MetaArray, d: int) -> bool:
    """Whether the kernel takes this array and dim."""
    if x.size < tuning.ARGREDUCE_LEAST or d == x.ndim - 1 or x.dtype not in ELEMENTS:
        return False
    if not is_contiguous(x.shape, x.strides, x.itemsize) or not runtime.available():
        return False
    return math.prod(x.shape[d + 1 :]) >= tuning.ARGREDUCE_SHORT and x.shape[d] < 1 << 31
