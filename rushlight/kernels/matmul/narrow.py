"""Products of narrow floats, in float32 (`kernels/narrow.py`)."""

from __future__ import annotations

from typing import Any

import numpy as np

from .. import narrow
from ..meta import MetaArray
from ..plan import Draft, Plan
from . import select

Array = Any
Shape = tuple[int, ...]


def plan(
    dtype: Any, a_shape: Shape, a_strides: Shape, b_shape: Shape, b_strides: Shape, precision: str,
    d_shape: Shape | None, d_strides: Shape, rounds: bool = True,
) -> Plan:  # fmt: skip
    """y = a @ b (+ d): operands a, b and d (or None); without `rounds` y stays in float32."""
    d = Draft(
        {
            "a": MetaArray(a_shape, dtype, a_strides),
            "b": MetaArray(b_shape, dtype, b_strides),
            "d": None if d_shape is None else MetaArray(d_shape, dtype, d_strides),
        }
    )
    names = {k: narrow.widened(d, k) if k in d.metas else None for k in d.operands}
    a, b = d.metas[str(names["a"])], d.metas[str(names["b"])]
    of = (a.dtype, a.shape, a.strides, b.dtype, b.shape, b.strides)
    precision = narrow.precision_of(dtype, precision)
    added = None if names["d"] is None else d.metas[names["d"]]
    made = select.plan(*of, precision, *(() if added is None else (added.shape, added.strides)))
    y = d.array("wide" if rounds else "y", made.outputs["y"])
    d.include(made, {**names, "y": y}, alpha=1.0, beta=0.0 if added is None else 1.0)
    if added is not None and made.name in select.ALONE:
        d.numpy(add, (y, names["d"]))
    if rounds:
        narrow.rounded(d, "wide", "y", dtype)
    name = f"matmul.{dtype.name} by {made.way}"
    return d.plan(name, flops=made.flops or 0, scalars=("alpha", "beta"))


def add(y: Array, d: Array) -> None:
    """y += d."""
    np.add(y, d, out=y)
