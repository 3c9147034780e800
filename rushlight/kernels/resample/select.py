"""Resizing: which kernel computes the weighted sums along one axis.

A kernel takes arrays in rows, of float32 and float64, and tables of few taps (linear, cubic, and
their transposes); NumPy takes the rest: nearest neighbours, which are copies, filters that widen
with the step, few elements.

Not here: the kernel (`taps.py`), tables of positions and weights, sampling at points of a grid
(`reference.py`).
"""

from __future__ import annotations

import functools
import math
from typing import Any

import numpy as np

from .. import runtime, tuning
from ..elementwise.select import ELEMENTS
from ..meta import MetaArray
from ..plan import Launch, Plan, nbytes
from . import reference
from .reference import Resize

Array = Any
FLOATS = (np.dtype(np.float32), np.dtype(np.float64))


def resize(x: Array, how: tuple[Resize, ...]) -> Array:
    """Resize the last dimensions of x, those that shrink most first."""
    order = sorted(range(len(how)), key=lambda i: how[i].out / max(1, how[i].size))
    for i in order:
        x = along(x, x.ndim - len(how) + i, how[i], False)
    return x


def resize_input(g: Array, how: tuple[Resize, ...]) -> Array:
    """The transpose of `resize`."""
    order = sorted(range(len(how)), key=lambda i: how[i].size / max(1, how[i].out))
    for i in order:
        g = along(g, g.ndim - len(how) + i, how[i], True)
    return g


def along(x: Array, axis: int, how: Resize, turned: bool) -> Array:
    """Resize one axis, or the transpose of it."""
    if x.size >= tuning.RESAMPLE_LEAST and x.dtype in FLOATS and x.flags.c_contiguous:
        made = plan(x.dtype, x.shape, axis, how, turned)
        if made is not None:
            return made.run(x)
    return reference.along(x, axis, table_of(how, x.dtype, turned))


def table_of(how: Resize, dtype: Any, turned: bool) -> reference.Table:
    """Positions and weights along one axis."""
    made = reference.turned_table if turned else reference.table
    return made(how, reference.real_type(dtype))


@functools.lru_cache(maxsize=256)
def plan(dtype: Any, shape: tuple[int, ...], axis: int, how: Resize, turned: bool) -> Plan | None:
    """The plan of one axis of an array in rows; None: there is no kernel for it."""
    t = table_of(how, dtype, turned)
    if t.weight is None or t.index.shape[1] > tuning.RESAMPLE_DENSE or not runtime.available():
        return None
    from . import taps

    out, count = t.index.shape
    rows, inner = math.prod(shape[:axis]), math.prod(shape[axis + 1 :])
    way = "row" if inner == 1 else "planes"
    if way == "planes" and inner < tuning.RESAMPLE_SHORT:
        return None
    y = MetaArray((*shape[:axis], out, *shape[axis + 1 :]), dtype)
    each = max(1, taps.LEAST_CHUNK // max(1, out * inner))
    launch = Launch(
        taps.kernel(way, ELEMENTS[dtype], count), x="x", index="index", weight="weight",
        live="live", y="y", rows=rows, size=shape[axis], out=out, inner=inner, taps=count,
        each=each, chunks=-(-rows // each),
    )  # fmt: skip
    constants = {
        "index": np.ascontiguousarray(np.minimum(t.index, t.size - 1).T),
        "weight": np.ascontiguousarray(t.weight.T.astype(dtype)),
        "live": t.weight.any(1).astype(np.int64),
    }
    x = MetaArray(shape, dtype)
    return Plan(
        f"resample.{way}", ("x",), {"y": y}, [launch], constants=constants,
        flops=2 * count * y.size, bytes=nbytes(x, y),
    )  # fmt: skip
