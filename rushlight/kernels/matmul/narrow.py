"""Products of narrow floats, in float32 (`kernels/narrow.py`).

Sums along k (`gemv.py`) read them as they are: such a product takes the time of reading one
operand, the weights of a layer for one example. So does the matrix unit's kernel, where operands
are of bfloat16 and without gaps one way. CPUs without the unit may multiply pairs of bfloat16
(`pairs.py`): what lies along k is read as pairs, what lies across it is laid in pairs first.
For others they are brought to float32.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from .. import narrow, runtime
from ..codegen import half
from ..meta import MetaArray
from ..plan import Draft, Plan
from . import pairs

Array = Any
Shape = tuple[int, ...]
READ = {np.dtype(np.float16): "half", narrow.BFLOAT16: "bfloat"}  # that kernels read as they are
READING = ("gemv", "amx_gemm", "pair_gemm")  # ways that read them


def plan(
    make: Callable[..., Plan], alone: Sequence[str], dtype: Any, a_shape: Shape, a_strides: Shape,
    b_shape: Shape, b_strides: Shape, precision: str, d_shape: Shape | None, d_strides: Shape,
    rounds: bool = True,
) -> Plan:  # fmt: skip
    """y = a @ b (+ d): operands a, b and d (or None); without `rounds` y stays in float32.

    `make` plans the product in float32, `alone` has the names of plans that leave the sum out.
    """
    given = {
        "a": MetaArray(a_shape, dtype, a_strides),
        "b": MetaArray(b_shape, dtype, b_strides),
        "d": None if d_shape is None else MetaArray(d_shape, dtype, d_strides),
    }
    d, precision = Draft(given), narrow.precision_of(dtype, precision)
    added = None if given["d"] is None else d.metas[narrow.widened(d, "d")]
    more = () if added is None else (added.shape, added.strides)
    names = {"a": "a", "b": "b", "d": None if added is None else "d_wide"}
    found = None
    if dtype in READ and runtime.available() and half.has_half():
        of = narrow.key_of(*[lying_alike(d.metas[k]) for k in "ab"])
        found = make(*of, precision, *more, reads=READ[dtype])
    if found is None or not found.way.startswith(READING):
        laid = pairs.lay(d) if dtype == narrow.BFLOAT16 and makes_pairs() else {}
        if laid:
            names |= {k: name for k, (name, _) in laid.items()}
            of = narrow.key_of(*[meta for _, meta in laid.values()])
            found = make(*of, precision, *more, reads=pairs.PAIRS)
    if found is None or not found.way.startswith(READING):
        names |= {k: narrow.widened(d, k) for k in "ab"}
        found = make(*narrow.key_of(*[d.metas[f"{k}_wide"] for k in "ab"]), precision, *more)
    names["y"] = y = d.array("wide" if rounds else "y", found.outputs["y"])
    d.include(found, names, alpha=1.0, beta=0.0 if added is None else 1.0)
    if added is not None and found.name in alone:
        d.numpy(add, (y, names["d"]))
    if rounds:
        narrow.rounded(d, "wide", "y", dtype)
    name, flops = f"matmul.{dtype.name} by {found.way}", 2 * d.metas[y].size * a_shape[-1]
    return d.plan(name, flops=flops, scalars=("alpha", "beta"))


def makes_pairs() -> bool:
    """Whether this CPU multiplies pairs of bfloat16, and has no matrix unit. Where the unit is
    there and forbidden, vectors compute float32, as where nothing else is known: there pairs have
    not been measured."""
    if not runtime.available() or not pairs.is_fast():
        return False
    from . import amx

    return not amx.present()


def lying_alike(meta: MetaArray) -> MetaArray:
    """float32 whose elements lie as those of a narrow type: as many elements apart."""
    times = 4 // meta.itemsize
    return MetaArray(meta.shape, np.float32, tuple([s * times for s in meta.strides]))


def add(y: Array, d: Array) -> None:
    """y += d."""
    np.add(y, d, out=y)
