"""Vandermonde matrices: the powers of each element, in both of PyTorch's orders.

Not here: powers of matrices (`matrix_functions.py`).
"""

from __future__ import annotations

from typing import Any

from ... import dtypes
from ...errors import message
from ..core.composite import composite
from ..core.samples import case
from ..shape.views import cat


@composite(public="linalg", samples=[case((3,)), case((3,), N=5)])
def vander(x: Any, *, N: int | None = None) -> Any:
    """The powers x^0, x^1, ... x^(N-1) of each element, in a new last dimension; N is the last
    size.

    >>> torch.linalg.vander(torch.tensor([2, 3]), N=4)
    tensor([[ 1,  2,  4,  8],
            [ 1,  3,  9, 27]])
    """
    x = x.reshape((1,)) if x.ndim == 0 else x
    if x._a.dtype.kind == "b":
        raise RuntimeError(
            message(
                "linalg.vander supports floating point, complex, and integer tensors, but got Bool",
                hint="x.int()",
            )
        )
    if x._a.dtype.kind in "iu":
        x = x.to(dtypes.int64)
    n = x.shape[-1] if N is None else N
    if n <= 1:
        raise RuntimeError("N must be greater than 1.")
    return _powers(x, n)


def _powers(x: Any, n: int) -> Any:
    """x^0 ... x^(n-1) of each element, in a new last dim."""
    one = x.new_ones((*x.shape, 1))
    if n < 2:
        return one[..., :n]
    return cat(one, x[..., None].expand(*x.shape, n - 1).cumprod(-1), dim=-1)


@composite(public="torch", name="vander", samples=[case((3,)), case((3,), 4, True)])
def _old_vander(x: Any, N: int | None = None, increasing: bool = False) -> Any:
    """The Vandermonde matrix (n, N) of a vector (n,): powers, the highest first unless
    `increasing`.

    >>> x = torch.tensor([2, 3])
    >>> torch.vander(x, 4)
    tensor([[ 8,  4,  2,  1],
            [27,  9,  3,  1]])
    >>> torch.vander(x, 4, increasing=True)
    tensor([[ 1,  2,  4,  8],
            [ 1,  3,  9, 27]])
    """
    if isinstance(N, bool):
        raise TypeError("vander(): argument 'N' (position 2) must be int, not bool")
    if N is not None and N < 0:
        raise RuntimeError("N must be non-negative.")
    if x.ndim != 1:
        raise RuntimeError(
            message("x must be a one-dimensional tensor.", f"{tuple(x.shape)}", hint="x.flatten()")
        )
    if x._a.dtype.kind in "biu":
        x = x.to(dtypes.int64)
    n = x.shape[0] if N is None else N
    powers = _powers(x, n)
    return powers if increasing else powers.flip(-1)
