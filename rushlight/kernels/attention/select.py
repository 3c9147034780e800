"""Attention without the matrix of scores: when machine code computes it, and the same with NumPy.

`forward` and `backward` answer None for what NumPy does: small work, other types and layouts. The
choice looks at types, shapes and layouts alone.

Not here: the kernels (`flash.py`), attention with dropout or weights (`ops/nn/attention.py`).
"""

from __future__ import annotations

import functools
from typing import Any

import numpy as np

from ..elementwise import select as elementwise
from ..matmul.select import ELEMENTS, steps

Array = Any
LEAST_WORK = 1 if elementwise.ALWAYS else 1 << 18  # multiplications of the scores
DEEPEST = 256  # elements of a query or value at most (flash.py)


@functools.cache
def kernel(element: str, mask: str, backward: bool) -> Any:
    from . import flash

    return flash.kernel(element, mask, backward)


def applies(q: Array, k: Array, v: Array, mask: Array | None) -> bool:
    """Whether kernels compute this."""
    if not all(a.__class__ is np.ndarray for a in (q, k, v)) or q.ndim not in (3, 4):
        return False
    dtype, lead = q.dtype, q.shape[:-2]
    if dtype not in ELEMENTS or k.dtype != dtype or v.dtype != dtype:
        return False
    if k.shape[:-2] != lead or v.shape[:-2] != lead or not q.size or not k.size or not v.size:
        return False
    if max(q.shape[-1], v.shape[-1]) > DEEPEST or q.size * k.shape[-2] < LEAST_WORK:
        return False
    if k.shape[-2] != v.shape[-2] or q.shape[-1] != k.shape[-1]:
        return False
    if mask is not None:
        if mask.__class__ is not np.ndarray or mask.dtype not in (dtype, np.dtype(bool)):
            return False
        whole = (*lead, q.shape[-2], k.shape[-2])
        if mask.ndim > q.ndim or np.broadcast_shapes(mask.shape, whole) != whole:
            return False
    return bool(elementwise.jit()) and all(steps(a) is not None for a in (q, k, v))


def four(x: Array) -> Array:
    """With two leading dims."""
    return x if x.ndim == 4 else x[None]


def result(like: Array, length: int, width: int) -> Array:
    """Room for a result (..., length, width); heads lie within a position, as PyTorch has it."""
    lead = like.shape[:-2]
    if len(lead) == 1:
        return np.empty((*lead, length, width), like.dtype)
    return np.empty((lead[0], length, lead[1], width), like.dtype).transpose(0, 2, 1, 3)


def in_lines(x: Array) -> Array:
    """With the elements of a query, key or value side by side."""
    if x.strides[-1] == x.itemsize and steps(x) is not None:
        return x
    return np.ascontiguousarray(x)


def laid_out(mask: Array | None, q: Array, k: Array) -> Array | None:
    """The mask with all dims, its columns side by side."""
    if mask is None:
        return None
    if mask.shape[-1:] != k.shape[-2:-1]:
        mask = np.broadcast_to(mask, (*mask.shape[:-1], k.shape[-2]))
    if mask.strides[-1] != mask.itemsize or steps(mask) is None:
        mask = np.ascontiguousarray(mask)
    return four(np.broadcast_to(mask, (*q.shape[:-1], k.shape[-2])))


def run(backward: bool, causal: bool, scale: float, arrays: dict[str, Array]) -> None:
    """Call a kernel with the operands by name."""
    from .flash import ARRAYS, BACKWARD, BLOCK, FORWARD, WORDS

    q, v, mask = arrays["q"], arrays["v"], arrays["mask"]
    element = ELEMENTS[q.dtype]
    blocks = -(-q.shape[-2] // BLOCK)
    sizes = (q.shape[1], q.shape[2], v.shape[2], q.shape[3], v.shape[3])
    words = [*sizes, causal, causal or mask is not None, blocks]
    for name in ARRAYS:
        a = arrays.get(name)
        words += (0,) * 4 if a is None else steps(a)  # type: ignore[arg-type]
    assert len(words) == len(WORDS)
    arrays["scale"] = np.array([scale], q.dtype)
    kind = "none" if mask is None else "bool" if mask.dtype == bool else "float"
    chunks = q.shape[0] * q.shape[1] * (1 if backward else blocks)
    call = kernel(element, kind, backward)
    elementwise.jit()[2].ready()
    given = [arrays[n] for n in (BACKWARD if backward else FORWARD)]
    call(*given, np.array(words, np.int64), chunks)


def forward(
    q: Array, k: Array, v: Array, mask: Array | None, scale: float, causal: bool
) -> tuple[Array, Array] | None:
    """(result, logarithm of the sum of exp(scores) of each row (..., L); inf where it is 0)."""
    if not applies(q, k, v, mask):
        return None
    q, k, v = (in_lines(a) for a in (q, k, v))
    out = result(q, q.shape[-2], v.shape[-1])
    kept = np.empty(q.shape[:-1], q.dtype)
    mask = laid_out(mask, q, k)
    arrays = {"q": four(q), "k": four(k), "v": four(v), "mask": mask, "out": four(out)}
    run(False, causal, scale, {**arrays, "kept": kept})
    return out, kept


def backward(
    g: Array, out: Array, kept: Array, q: Array, k: Array, v: Array, mask: Array | None,
    scale: float, causal: bool,
) -> tuple[Array, Array, Array] | None:  # fmt: skip
    """Gradients of q, k and v."""
    if not applies(q, k, v, mask) or g.dtype != q.dtype or kept.dtype != q.dtype:
        return None
    kept = np.ascontiguousarray(kept)
    q, k, v, g, out = (in_lines(a) for a in (q, k, v, g, out))
    dq, dk, dv = (result(q, *a.shape[-2:]) for a in (q, k, v))
    if causal and k.shape[-2] > q.shape[-2]:  # keys that nobody sees
        dk[...] = 0
        dv[...] = 0
    arrays = {"q": q, "k": k, "v": v, "out": out, "g": g, "dq": dq, "dk": dk, "dv": dv}
    arrays = {n: four(a) for n, a in arrays.items()}
    arrays |= {"mask": laid_out(mask, q, k), "kept": kept, "along": np.empty_like(kept)}
    run(True, causal, scale, arrays)
    return dq, dk, dv
