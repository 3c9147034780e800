"""Attention: which way computes softmax(q k^T * scale + mask) v and its gradients.

`flash.py` never has the matrix of scores; NumPy (`reference.py`) takes other types and layouts. The
gradients of what NumPy computes are the op's rule, so `backward` answers None for them.

Not here: attention with dropout, or whose weights are wanted (`ops/nn/attention.py`).
"""

from __future__ import annotations

import functools
import math
from typing import Any

import numpy as np

from .. import runtime, tuning
from ..keys import Plans
from ..matmul.select import ELEMENTS, in_elements
from ..meta import MetaArray, contiguous_strides
from ..plan import Launch, Plan, Reference, View, nbytes
from ..runtime import few
from . import reference

Array = Any
Shape = tuple[int, ...]
Layout = tuple[Any, Shape, Shape]  # type, shape and strides of an array
NUMPY = "attention.numpy"
BOOL = np.dtype(bool)


def layout(a: Array) -> Layout | None:
    """What a plan asks of an array (None of one that is not there)."""
    return None if a is None else (a.dtype, a.shape, a.strides)


@Plans
def plans_forward(q: Array, k: Array, v: Array, mask: Array | None, causal: bool) -> Plan:
    return plan_forward(layout(q), layout(k), layout(v), layout(mask), causal)


def forward(
    q: Array, k: Array, v: Array, mask: Array | None, scale: float, causal: bool
) -> tuple[Array, Array]:
    """(result (..., L, V), logarithm of the sum of exp(scores) of each row (..., L); inf where that
    sum is 0). Shapes: q (..., L, E), k (..., S, E), v (..., S, V), mask broadcasts to (..., L, S).
    """
    key = few.layouts(q, k, v, mask, causal)
    plan = plans_forward.get(key) or plans_forward.make(key, q, k, v, mask, causal)
    return plan.run(q, k, v, mask, scale)


@Plans
def plans_backward(
    g: Array, out: Array, kept: Array, q: Array, k: Array, v: Array, mask: Array | None,
    causal: bool,
) -> Plan | None:  # fmt: skip
    return plan_backward(*map(layout, (g, out, kept, q, k, v, mask)), causal, True)


def backward(
    g: Array, out: Array, kept: Array, q: Array, k: Array, v: Array, mask: Array | None,
    scale: float, causal: bool,
) -> tuple[Array, Array, Array] | None:  # fmt: skip
    """Gradients of q, k and v, from that of the result; None where no kernel computes them."""
    key = few.layouts(g, out, kept, q, k, v, mask, causal)
    plan = plans_backward.get(key) or plans_backward.make(
        key, g, out, kept, q, k, v, mask, causal
    )
    return None if plan is None else plan.run(g, out, kept, q, k, v, mask, scale)


def plan_of(
    q: Any, k: Any, v: Any, mask: Any = None, *, scale: float = 1.0, causal: bool = False
) -> Plan:
    """The plan of `forward`, for arrays or what stands for them; `scale` is a number of the run."""
    of = [(a.dtype, a.shape, a.strides) for a in (q, k, v)]
    return plan_forward(*of, layout(mask), causal)


def fits(q: Layout, k: Layout, v: Layout, mask: Layout | None) -> bool:
    """Whether the kernels compute this."""
    dtype, shape, _ = q
    keys, values, lead = k[1], v[1], q[1][:-2]
    if dtype not in ELEMENTS or k[0] != dtype or v[0] != dtype or len(shape) not in (3, 4):
        return False
    if keys[:-2] != lead or values[:-2] != lead or not all(map(math.prod, (shape, keys, values))):
        return False
    if keys[-2] != values[-2] or shape[-1] != keys[-1]:
        return False
    if max(shape[-1], values[-1]) > tuning.ATTENTION_DEEPEST:
        return False
    if mask is not None:
        whole = (*lead, shape[-2], keys[-2])
        if mask[0] not in (dtype, BOOL) or len(mask[1]) > len(whole):
            return False
        if np.broadcast_shapes(mask[1], whole) != whole:
            return False
    steps = [in_elements(a[2], dtype.itemsize) for a in (q, k, v)]
    return runtime.available() and all(s is not None for s in steps)


# -- plans ---------------------------------------------------------------------------------------


class Making:
    """The operands of a plan while it is made: copies where a kernel needs another layout."""

    def __init__(self, q: Layout, k: Layout, v: Layout, mask: Layout | None, causal: bool) -> None:
        self.dtype, self.element = q[0], ELEMENTS[q[0]]
        self.lead, (self.rows, self.depth) = q[1][:-2], q[1][-2:]
        self.columns, self.width = v[1][-2:]
        work = math.prod(self.lead) * self.rows * self.depth * self.columns
        self.exact = work < tuning.ATTENTION_EXACT
        self.causal = causal
        self.launches: list[Launch | Reference | View] = []
        self.arrays: dict[str, str | None] = {}
        self.ints: dict[str, int] = {}
        for name, a in (("q", q), ("k", k), ("v", v)):
            self.operand(name, a)
        self.mask(mask)

    def operand(self, name: str, a: Layout) -> None:
        """An operand whose rows have their elements side by side, copied where they have not."""
        dtype, shape, strides = a
        if strides[-1] != dtype.itemsize or in_elements(strides, dtype.itemsize) is None:
            self.launches.append(Reference(np.ascontiguousarray, (name,), (f"{name}_dense",)))
            self.named(name, f"{name}_dense", contiguous_strides(shape, dtype.itemsize))
        else:
            self.named(name, name, strides)

    def named(self, field: str, name: str | None, strides: Shape, size: int = 0) -> None:
        """Let a kernel's array be one of the plan's, and state its strides, in elements."""
        size = size or self.dtype.itemsize
        steps = [s // size for s in strides]
        self.arrays[field] = name
        labels = [f"{field}_{s}" for s in ("batch", "head", "row", "col")]
        self.ints |= dict(zip(labels, [0] * (4 - len(steps)) + steps, strict=True))

    def mask(self, mask: Layout | None) -> None:
        """The mask, broadcast by strides; its columns side by side."""
        self.kind = "none"
        if mask is None:
            self.named("mask", None, ())
            return
        dtype, shape, strides = mask
        name, size = "mask", dtype.itemsize
        self.kind = "bool" if dtype == BOOL else "float"
        one = shape[-1:] != (self.columns,)
        if one or strides[-1] != size or in_elements(strides, size) is None:
            shape = (*shape[:-1], self.columns)
            name = "mask_dense"
            self.launches.append(Reference(reference.dense, ("mask",), (name,), shape=shape))
            strides = contiguous_strides(shape, size)
        spread = tuple(0 if n == 1 else s for n, s in zip(shape[:-1], strides[:-1], strict=True))
        missing = len(self.lead) + 2 - len(shape)
        self.named("mask", name, (*(0,) * missing, *spread, size), size)

    def result(self, length: int, width: int) -> MetaArray:
        """A result (..., length, width); heads lie within a position, as PyTorch has it."""
        shape, size = (*self.lead, length, width), self.dtype.itemsize
        if len(self.lead) == 1:
            return MetaArray(shape, self.dtype)
        heads = self.lead[1]
        row = heads * width * size
        return MetaArray(shape, self.dtype, (length * row, width * size, row, size))

    def interleaved(self, operands: dict[str, Layout]) -> tuple[str, ...]:
        """Those operands that lie, or may lie, as parts of one projection: the keys and values, or
        the queries too. Each of its rows then has a row of all heads of each."""
        (_, shape, strides), size = operands["v"], self.dtype.itemsize
        if len(shape) != 4 or 0 in shape:
            return ()
        _, heads, length, width = shape
        of_heads = heads * width * size
        n = strides[2] // of_heads
        if strides != (length * strides[2], width * size, n * of_heads, size) or n not in (2, 3):
            return ()
        names = tuple(operands)[-n:]
        return names if all(operands[k][1:] == (shape, strides) for k in names) else ()

    def gradient(self, of: Layout) -> MetaArray:
        """The gradient of an operand, in rows where that lies so: a leaf keeps it without a copy;
        otherwise as a result."""
        dtype, shape, strides = of
        if strides == contiguous_strides(shape, dtype.itemsize):
            return MetaArray(shape, dtype)
        return self.result(*shape[-2:])

    def written(self, name: str, meta: MetaArray) -> MetaArray:
        """An array that a kernel writes."""
        self.named(name, name, meta.strides)
        return meta

    def launch(self, kernel: Any, **arrays: str) -> None:
        """Add the kernel, which has all that was named before."""
        from .flash import BLOCK

        blocks = -(-self.rows // BLOCK)
        heads = math.prod(self.lead)
        self.launches.append(Launch(
            kernel, **self.arrays, **arrays, **self.ints, heads=self.lead[-1], rows=self.rows,
            columns=self.columns, depth=self.depth, width=self.width, causal=int(self.causal),
            guarded=int(self.causal or self.kind != "none"), blocks=blocks,
            chunks=heads * (1 if "dq" in self.arrays else blocks), scale="scale",
        ))  # fmt: skip

    def flops(self, products: int) -> int:
        """Multiplications and additions of so many products over all scores (a causal mask hides
        half of them, which is not taken off)."""
        work = math.prod(self.lead) * self.rows * self.columns
        return work * (products * (self.depth + self.width) + 5)


@functools.lru_cache(maxsize=1024)
def plan_forward(q: Layout, k: Layout, v: Layout, mask: Layout | None, causal: bool) -> Plan:
    """Operands q, k, v, mask (or None), scalar scale; outputs out and kept."""
    operands, metas = ("q", "k", "v", "mask"), [MetaArray(a[1], a[0]) for a in (q, k, v)]
    launches: list[Launch | Reference | View]
    if fits(q, k, v, mask):
        from .flash import kernel

        making = Making(q, k, v, mask, causal)
        outputs = {
            "out": making.written("out", making.result(making.rows, making.width)),
            "kept": MetaArray(q[1][:-1], q[0]),
        }
        making.launch(kernel(making.element, making.kind, False, making.exact), kept="kept")
        name, launches, flops = "attention.flash", making.launches, making.flops(2)
    else:
        lead = np.broadcast_shapes(q[1][:-2], k[1][:-2], v[1][:-2], mask[1][:-2] if mask else ())
        rows = (*lead, q[1][-2])
        outputs = {"out": MetaArray((*rows, v[1][-1]), q[0]), "kept": MetaArray(rows, q[0])}
        given = (*operands, "scale")
        launches = [Reference(reference.forward, given, ("out", "kept"), causal=causal)]
        name, flops = NUMPY, math.prod(rows) * k[1][-2] * (2 * (q[1][-1] + v[1][-1]) + 5)
    return Plan(
        name, operands, outputs, launches, scalars=("scale",), flops=flops,
        bytes=nbytes(*metas, *outputs.values()),
    )  # fmt: skip


@functools.lru_cache(maxsize=1024)
def plan_backward(
    g: Layout, out: Layout, kept: Layout, q: Layout, k: Layout, v: Layout, mask: Layout | None,
    causal: bool, together: bool = False,
) -> Plan | None:  # fmt: skip
    """Operands g, out, kept, q, k, v, mask (or None), scalar scale; outputs dq, dk and dv.

    `together`: gradients of operands that lie as parts of one array are parts of one, too, which
    is that of the gradient of the whole: whoever joins them finds it there (`few.beside`).
    """
    if g[0] != q[0] or kept[0] != q[0] or not fits(q, k, v, mask):
        return None
    from .flash import kernel

    making = Making(q, k, v, mask, causal)
    making.operand("g", g)
    making.operand("out", out)
    along = "kept"
    if kept[2] != contiguous_strides(kept[1], kept[0].itemsize):
        along = "kept_dense"
        making.launches.append(Reference(np.ascontiguousarray, ("kept",), (along,)))
    operands = {"q": q, "k": k, "v": v}
    parts = making.interleaved(operands) if together else ()
    outputs = {}
    if parts:
        batch, heads, length, width = v[1]
        outputs["whole"] = MetaArray((batch, length, len(parts), heads, width), v[0])
    for name, a in operands.items():
        if name in parts:
            offset = parts.index(name) * math.prod(a[1][1::2]) * v[0].itemsize
            making.launches.append(View(f"d{name}", "whole", MetaArray(a[1], a[0], a[2]), offset))
            making.named(f"d{name}", f"d{name}", a[2])
        else:
            outputs[f"d{name}"] = making.written(f"d{name}", making.gradient(a))
    if causal and making.columns > making.rows:  # keys that nobody sees
        making.launches.append(Reference(reference.zero, ("dk", "dv"), ()))
    made = kernel(making.element, making.kind, True, making.exact)
    making.launch(made, kept=along, along="along")
    metas = [MetaArray(a[1], a[0]) for a in (g, out, kept, q, k, v)]
    return Plan(
        "attention.flash_backward", ("g", "out", "kept", "q", "k", "v", "mask"), outputs,
        making.launches, workspace={"along": nbytes(metas[2]) * (2 if making.exact else 1)},
        returns=("dq", "dk", "dv"), scalars=("scale",), flops=making.flops(5),
        bytes=nbytes(*metas, *outputs.values()),
    )  # fmt: skip
