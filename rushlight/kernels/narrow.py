"""Steps of plans for narrow floats: the type that float16, bfloat16 and narrower ones are computed
in, and the rounding at the end.

Products and convolutions of narrow floats are computed in float32: operands are brought there, and
the result is rounded once. A number of bfloat16 is one part of what a CPU's matrix unit multiplies,
so plans of such operands ask for the precision `EXACT`: where there is a unit, one product by it
has all digits, for which it takes six of any numbers of float32 (`matmul/amx.py`).

Not here: elementwise kernels, reductions and rows, which read narrow floats as they are
(`codegen/half.py`).
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import ml_dtypes
import numpy as np

from .. import dtypes
from .copy import select as copy
from .dense import dense_strides
from .meta import MetaArray
from .plan import Draft, Plan

BFLOAT16 = np.dtype(ml_dtypes.bfloat16)
EXACT = "bfloat16"  # a precision beside those of `set_float32_matmul_precision`
# Numbers of the types that NumPy computes narrowly: float16, and all of ml_dtypes, which are
# registered by a program and so numbered from here on.
FLOAT16 = np.dtype(np.float16).num
FIRST_USER_TYPE = 256


def is_narrow(dtype: Any) -> bool:
    """Whether a type is computed in a wider one."""
    num: int = dtype.num  # (types are slow to compare)
    return num == FLOAT16 or num >= FIRST_USER_TYPE


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


def narrow_plan(
    family: str, given: dict[str, MetaArray | None], make: Callable[..., Plan | None],
    rounds: bool = True,
) -> Any:  # fmt: skip
    """The plan of narrow operands whose work is that of `make(*operands)`, which gets them as they
    are computed. Results are rounded, or stay in that type. None where `make` gives none."""
    d = Draft(given)
    names: dict[str, str | None] = {
        k: None if meta is None else widened(d, k) for k, meta in given.items()
    }
    made = make(*[None if name is None else d.metas[name] for name in names.values()])
    if made is None:
        return None
    dtype = next(meta.dtype for meta in given.values() if meta is not None)
    for k in made.returns:
        names[k] = d.array(f"{k}_wide" if rounds else k, made.outputs[k])
    d.include(made, names)
    for k in made.returns if rounds else ():
        rounded(d, f"{k}_wide", k, dtype)
    return d.plan(f"{family}.{dtype.name} by {made.way}", made.returns, made.flops or 0)


def key_of(*metas: Any) -> list[Any]:
    """What a plan asks of its operands: types, shapes and strides."""
    return [part for m in metas for part in (m.dtype, m.shape, m.strides)]


def copied(d: Draft, source: str, target: str) -> None:
    """Add the copy of an array into another one."""
    x, y = d.metas[source], d.metas[target]
    if copy.by_kernel(y.size, x.dtype, y.dtype):
        of = copy.plan(x.dtype, y.dtype, x.shape, x.strides, y.strides)
        d.include(of, {"x": source, "y": target})
    else:
        d.numpy(copy.copied, (source, target))
