"""`make_tensor`: random tensors for tests."""

from __future__ import annotations

import math
from typing import Any

from .. import dtypes
from ..ops.random.factories import rand, randint
from ..tensor import Tensor

__all__ = ["make_tensor"]


def make_tensor(
    *shape: Any,
    dtype: Any,
    device: Any = None,
    low: float | None = None,
    high: float | None = None,
    requires_grad: bool = False,
    noncontiguous: bool = False,
    exclude_zero: bool = False,
    memory_format: Any = None,
) -> Tensor:
    """A random tensor in [low, high): by default -9..9 for floats, -9..9 for signed and 0..9 for
    unsigned integers.

    Args:
        shape: numbers, or one tuple.
        low, high: the bounds.
        noncontiguous: leave gaps between the elements.
        exclude_zero: put a small number in the place of zeros.

    >>> x = torch.testing.make_tensor(2, 3, dtype=torch.float32, device="cpu", low=0, high=1)
    >>> x.shape, bool((x >= 0).all())
    (torch.Size([2, 3]), True)
    """
    sizes = tuple(shape[0]) if len(shape) == 1 and isinstance(shape[0], (tuple, list)) else shape
    work = (*sizes[:-1], 2 * sizes[-1]) if noncontiguous and sizes else sizes
    if dtype is dtypes.bool:
        t = randint(0, 2, work).bool()
    elif dtype.category == dtypes.INT:
        lowest = 0 if not dtype.is_signed else -9
        limits = dtypes.iinfo(dtype)  # as PyTorch: what the type cannot hold is left out

        def held(value: float) -> int:
            return math.ceil(min(max(value, limits.min), limits.max))

        t = randint(
            held(lowest if low is None else low),
            held(10 if high is None else high),
            work,
            dtype=dtype,
        )
    else:
        lo, hi = (-9.0 if low is None else low), (9.0 if high is None else high)
        real = dtypes.float32 if dtype.itemsize == 1 else dtype.to_real()  # (no random float8)
        t = rand(work, dtype=real) * (hi - lo) + lo
        if dtype.is_complex:
            t = t + 1j * (rand(work, dtype=real) * (hi - lo) + lo)
        t = t.to(dtype)
    if noncontiguous and sizes:
        t = t[..., ::2]
    if exclude_zero:
        t = t.masked_fill(t == 0, 1)
    return t.requires_grad_(requires_grad)
