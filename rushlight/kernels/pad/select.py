"""Padding by a constant: which kernel computes it.

Not here: reflection, replication and wrapping around (`reference.py`), the kernel (`zero_pad.py`).
"""

from __future__ import annotations

import functools
import math
from typing import Any

from .. import runtime, tuning
from ..matmul.select import ELEMENTS
from ..meta import MetaArray
from ..plan import Draft, Plan, is_dense
from . import reference

Array = Any
Ints = tuple[int, ...]


def constant(x: Array, pad: Ints, value: Any = 0) -> Array:
    """x with a margin of `value`; `pad` is (left, right) pairs from the last dimension on."""
    return plan(x.dtype, x.shape, x.strides, pad, value).run(x)


def around(x: Array, padding: Ints, value: Any = 0) -> Array:
    """x with `padding` more positions on both sides of its last dimensions, or x itself."""
    if not any(padding):
        return x
    return plan(x.dtype, x.shape, x.strides, both_sides(padding), value).run(x)


def both_sides(padding: Ints) -> Ints:
    """Padding by dimension as pairs from the last dimension on."""
    return tuple([p for p in reversed(padding) for _ in (0, 1)])


@functools.lru_cache(maxsize=4096, typed=True)
def plan(dtype: Any, shape: Ints, strides: Ints, pad: Ints, value: Any = 0) -> Plan:
    """y = x with a margin: operand x."""
    x = MetaArray(shape, dtype, strides)
    full = reference.padded_shape(shape, pad)
    y = MetaArray(full, dtype)
    d = Draft({"x": x})
    d.array("y", y)
    if not by_kernel(x, y, pad):
        d.numpy(reference.constant, ("x",), "y", pad=pad, value=value)
        return d.plan("pad.numpy")
    from . import zero_pad

    dims = len(pad) // 2
    lead = (1,) * (3 - dims)
    size, out = (lead + s[len(s) - dims :] for s in (shape, full))
    before = (0,) * (3 - dims) + tuple(pad[-2::-2])
    plane = math.prod(out[1:])
    d.launch(
        zero_pad.kernel(ELEMENTS[dtype]), x="x", y="y", planes=y.size // plane,
        in_d=size[0], in_h=size[1], in_w=size[2], front=before[0], top=before[1], left=before[2],
        out_d=out[0], out_h=out[1], out_w=out[2], each=max(1, tuning.DEPTHWISE_PLANES // plane),
        value=float(value) if value else 0.0,  # -0.0 is written as NumPy writes it: 0
    )  # fmt: skip
    return d.plan("pad.zero_pad")


def by_kernel(x: MetaArray, y: MetaArray, pad: Ints) -> bool:
    """Whether the kernel takes it: up to three dimensions of arrays without gaps."""
    dims = len(pad) // 2
    if x.dtype not in ELEMENTS or not 0 < dims <= 3 or x.size < tuning.ZERO_PAD_LEAST:
        return False
    if not runtime.available() or not x.size or not y.size or not is_dense(x):
        return False
    return max(x.shape[-dims:]) + max(map(abs, pad)) < 1 << 29
