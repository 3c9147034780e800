"""Padding by a constant, or by what is inside, and the transpose of the latter: which kernels.

Not here: NumPy's ways (`reference.py`), the kernels (`zero_pad.py`, `folded.py`, `copy/shown.py`).
"""

from __future__ import annotations

import functools
import math
from typing import Any

import numpy as np

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


# -- by what is inside ---------------------------------------------------------------------------


def by_sources(x: Array, pad: Ints, mode: str) -> Array:
    """x continued beyond its edges as `mode` says; x itself where nothing is added."""
    if x.size < tuning.PAD_SHOWN_LEAST or not any(pad):
        return reference.by_sources(x, pad, mode)
    return plan_shown(x.dtype, x.shape, x.strides, pad, mode).run(x)


def to_sources(g: Array, pad: Ints, mode: str) -> Array:
    """The transpose of `by_sources`: what each position was shown as, added up."""
    if g.size < tuning.PAD_SHOWN_LEAST or not any(pad):
        return reference.to_sources(g, pad, mode)
    return plan_folded(g.dtype, g.shape, g.strides, pad, mode).run(g)


@functools.lru_cache(maxsize=1024)
def plan_shown(dtype: Any, shape: Ints, strides: Ints, pad: Ints, mode: str) -> Plan:
    """y = x continued beyond its edges: operand x."""
    from ..copy import shown

    full = reference.padded_shape(shape, pad)
    d = Draft({"x": MetaArray(shape, dtype, strides)})
    y = d.array("y", MetaArray(full, dtype))
    known = dtype.itemsize in shown.ELEMENTS and not dtype.hasobject
    if not known or 0 in full or not runtime.available():
        d.numpy(reference.by_sources, ("x",), y, pad=pad, mode=mode)
        return d.plan("pad_shown.numpy")
    dims, n = len(pad) // 2, len(shape)
    lead = (1,) * (3 - dims)
    size, out = (lead + s[n - dims :] for s in (shape, full))
    sides = [(pad[2 * i], pad[2 * i + 1]) for i in reversed(range(dims))]
    sides = [(0, 0)] * (3 - dims) + sides
    tables = [
        d.constant(name, reference.sources(m, *side, mode).astype(np.int64))
        for name, m, side in zip(("depths", "lines", "columns"), size, sides, strict=True)
    ]
    left, right = sides[-1]
    count = math.prod(full[: n - dims]) * out[0] * out[1]
    each = max(1, tuning.COPY_CHUNK // out[2])
    d.launch(
        shown.kernel(shown.ELEMENTS[dtype.itemsize], "edges"), x=d.dense("x"), y=y,
        **dict(zip(("depths", "lines", "columns"), tables, strict=True)), count=count,
        in_d=size[0], in_h=size[1], in_w=size[2], out_d=out[0], out_h=out[1], out_w=out[2],
        left=max(0, left), end=max(max(0, left), out[2] - max(0, right)), each=each,
        chunks=-(-count // each),
    )  # fmt: skip
    return d.plan("pad_shown.lines")


@functools.lru_cache(maxsize=1024)
def plan_folded(dtype: Any, shape: Ints, strides: Ints, pad: Ints, mode: str) -> Plan:
    """y = the transpose of `plan_shown`: operand x."""
    less = reference.padded_shape(shape, tuple(-p for p in pad))
    d = Draft({"x": MetaArray(shape, dtype, strides)})
    floats = dtype in (np.dtype(np.float32), np.dtype(np.float64))
    if not floats or 0 in less or not runtime.available():
        d.array("y", MetaArray(less, dtype))
        d.numpy(reference.to_sources, ("x",), "y", pad=pad, mode=mode)
        return d.plan("pad_folded.numpy")
    from . import folded

    at, now = d.dense("x"), list(shape)
    axes = reference.pairs(pad, len(shape))
    for i, (axis, left, right) in enumerate(axes):
        size = now[axis]
        n = now[axis] = size - left - right
        start = max(0, left)
        end = max(start, size - max(0, right))
        source = reference.sources(n, left, right, mode).astype(np.int64)
        margins = np.array([*range(start), *range(end, size)], np.int64)
        rows, inner = math.prod(now[:axis]), math.prod(now[axis + 1 :])
        y = d.array("y" if i + 1 == len(axes) else f"part{i}", MetaArray(tuple(now), dtype))
        each = max(1, tuning.COPY_CHUNK // (size * inner))
        d.launch(
            folded.kernel("row" if inner == 1 else "planes", ELEMENTS[dtype]), x=at, y=y,
            source=d.constant(f"source{i}", source), margins=d.constant(f"margins{i}", margins),
            rows=rows, size=size, out=n, inner=inner, many=len(margins), first=start,
            to=max(0, -left), count=end - start, each=each, chunks=-(-rows // each),
        )  # fmt: skip
        at = y
    return d.plan("pad_folded.lines")
