"""Products of narrow floats, in float32 (`kernels/narrow.py`)."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from .. import narrow
from ..meta import MetaArray
from ..plan import Draft, Plan

Array = Any
Shape = tuple[int, ...]


def plan(
    make: Callable[..., Plan], alone: Sequence[str], dtype: Any, a_shape: Shape, a_strides: Shape,
    b_shape: Shape, b_strides: Shape, precision: str, d_shape: Shape | None, d_strides: Shape,
    rounds: bool = True,
) -> Plan:  # fmt: skip
    """y = a @ b (+ d): operands a, b and d (or None); without `rounds` y stays in float32.

    `make` plans the product in float32, `alone` has the names of plans that leave the sum out.
    """
    d = Draft(
        {
            "a": MetaArray(a_shape, dtype, a_strides),
            "b": MetaArray(b_shape, dtype, b_strides),
            "d": None if d_shape is None else MetaArray(d_shape, dtype, d_strides),
        }
    )
    names = {k: narrow.widened(d, k) if k in d.metas else None for k in d.operands}
    of = narrow.key_of(d.metas[str(names["a"])], d.metas[str(names["b"])])
    added = None if names["d"] is None else d.metas[names["d"]]
    more = () if added is None else (added.shape, added.strides)
    made = make(*of, narrow.precision_of(dtype, precision), *more)
    y = d.array("wide" if rounds else "y", made.outputs["y"])
    d.include(made, {**names, "y": y}, alpha=1.0, beta=0.0 if added is None else 1.0)
    if added is not None and made.name in alone:
        d.numpy(add, (y, names["d"]))
    if rounds:
        narrow.rounded(d, "wide", "y", dtype)
    name = f"matmul.{dtype.name} by {made.way}"
    return d.plan(name, flops=made.flops or 0, scalars=("alpha", "beta"))


def add(y: Array, d: Array) -> None:
    """y += d."""
    np.add(y, d, out=y)
