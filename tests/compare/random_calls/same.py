"""Whether a result of Rushlight is PyTorch's: type, sizes, strides, numbers, place on the tape."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import numpy as np

import rushlight

# Relative errors that two ways of computing the same may have.
CLOSE = {"float16": 4e-3, "bfloat16": 3e-2, "float32": 2e-5, "complex64": 2e-5, "float64": 1e-9,
         "complex128": 1e-9}  # fmt: skip


def array(t: Any) -> np.ndarray:
    """The numbers of a tensor, narrow ones as float32 or complex64: a copy, since PyTorch resizes
    no memory that NumPy has seen."""
    t = t.detach().resolve_conj().clone()
    name = str(t.dtype)
    if "bfloat16" in name or "float8" in name:
        t = t.float()
    if "complex32" in name:
        t = t.cfloat()
    return np.asarray(t.numpy(force=True))


def different(
    ours: Any,
    theirs: Any,
    gradient: bool = False,
    operands: Iterable[Any] = (),
    strides: bool = True,
) -> str | None:
    """What is different, in a few words; None when nothing is. A result is as exact as the
    narrowest of its operands."""
    if hasattr(theirs, "stride") and hasattr(theirs, "dtype"):
        if not hasattr(ours, "stride"):
            return "not a tensor"
        return tensors(ours, theirs, gradient, operands, strides)
    if isinstance(theirs, (tuple, list)):
        if not isinstance(ours, (tuple, list)) or len(ours) != len(theirs):
            return "number of results"
        for a, b in zip(ours, theirs, strict=True):
            what = different(a, b, gradient, operands, strides)
            if what:
                return what
        return None
    if theirs is None or ours is None:
        return None if ours is theirs else "None"
    if isinstance(theirs, (bool, int, str)):
        return None if type(ours) is type(theirs) and ours == theirs else "value"
    if isinstance(theirs, (float, complex)):
        if type(ours) is not type(theirs):
            return "value"
        close = np.allclose(ours, theirs, rtol=2e-5, atol=1e-6, equal_nan=True)
        return None if close else "value"
    return None if str(ours).split(".")[-1] == str(theirs).split(".")[-1] else "value"


def tensors(
    a: Any, b: Any, gradient: bool, operands: Iterable[Any], strides: bool = True
) -> str | None:
    """What is different between two tensors."""
    name = str(b.dtype)[6:]
    if str(a.dtype)[6:] != name:
        return "dtype"
    if tuple(a.shape) != tuple(b.shape):
        return "shape"
    if a.layout != rushlight.strided:
        return None
    if strides and not gradient and meaning(a) != meaning(b):
        return "strides"
    if not gradient and a.requires_grad != b.requires_grad:
        return "requires_grad"
    if not gradient and leaf(a) != leaf(b):
        return "is_leaf"
    x, y = array(a), array(b)
    if x.dtype.kind in "iub":
        return None if (x == y).all() else "value"
    eps = max(CLOSE.get(n, 2e-5) for n in (name, *(str(t.dtype)[6:] for t in operands)))
    eps *= 10 if gradient else 1
    finite = y[np.isfinite(y)]
    scale = float(np.abs(finite).max()) if finite.size else 0.0
    close = np.allclose(x, y, rtol=eps, atol=eps * max(min(scale, 1e30), 1e-3), equal_nan=True)
    return None if close else "value"


def leaf(t: Any) -> Any:
    """Whether it is a leaf; the question alone raises of a view whose base was changed."""
    try:
        return t.is_leaf
    except RuntimeError:
        return "refused"


def meaning(t: Any) -> list[int]:
    """The strides by which elements are found: none where there are no two to tell apart."""
    if not t.numel():
        return []
    return [s for s, n in zip(t.stride(), t.shape, strict=True) if n > 1]


def give_numbers(ours: Any, theirs: Any) -> None:
    """Give a result PyTorch's very numbers, from which it may differ in the last digits."""
    if isinstance(theirs, (tuple, list)):
        for a, b in zip(ours, theirs, strict=True):
            give_numbers(a, b)
    elif not hasattr(theirs, "stride") or not hasattr(theirs, "dtype"):  # a layer has strides, too
        return
    elif theirs.is_floating_point() or theirs.is_complex():
        a = ours._a
        if isinstance(a, np.ndarray) and a.flags.writeable:
            if "bfloat16" in str(theirs.dtype):  # bit by bit: float32 knows fewer kinds of NaN
                import torch

                a, theirs = a.view(np.int16), theirs.detach().view(torch.int16)
            a[...] = array(theirs)
