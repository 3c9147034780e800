"""Reductions: sum, prod, mean, extremes, any, all, variance, norms, logsumexp; cumulative forms.

A dim of None means all dimensions; several dims may be given as a tuple. The result of a reduction
is
accumulated pairwise or in blocks (`kernels/sums.py`).
"""

from __future__ import annotations

import math as pymath
from typing import Any

import numpy as np

from .. import dtypes
from ..autograd.views import type_name
from ..errors import axes, message
from ..kernels.meta import MetaArray
from ..kernels.sums import add_reduce
from . import math as m
from .record import op
from .samples import arr, case, error

NP: Any = np  # NumPy's stubs know `reduce` only with a literal keepdims
S34 = [case((3, 4)), case((3, 4), dim=1), case((2, 3, 4), dim=(0, -1), keepdim=True)]
OUT_OF_RANGE = [error(IndexError, "Dimension out of range", (3, 4), dim=2)]


def dims_of(dim: Any, ndim: int) -> tuple[int, ...]:
    """The reduced dimensions, in range; all of them for None and ()."""
    if dim is None or dim == ():
        return tuple(range(ndim))
    if ndim == 0:
        axes(dim, 0)
        return ()
    return axes(dim, ndim)


def reduced_shape(shape: Any, dim: Any, keepdim: bool) -> tuple[int, ...]:
    dims = dims_of(dim, len(shape))
    return tuple(1 if i in dims else n for i, n in enumerate(shape) if keepdim or i not in dims)


def keep(g: Any, shape: Any, dim: Any, keepdim: bool) -> Any:
    """A reduced value with its lost dimensions back as 1."""
    if keepdim or (dim is None and g.ndim == 0):
        return g
    return g.reshape(reduced_shape(shape, dim, True))


def wide(x: Any, dtype: Any) -> Any:
    """Integers and bools are summed in int64; an explicit dtype wins."""
    if dtype is not None:
        return x.astype(dtype.np if dtype.np not in dtypes.LOW_NP else np.float32, copy=False)
    return x.astype(np.int64) if x.dtype.kind in "iub" and x.dtype != np.int64 else x


def to_dtype(y: Any, dtype: Any) -> Any:
    return y if dtype is None or y.dtype == dtype.np else np.asarray(y).astype(dtype.np)


@op(samples=S34, errors=OUT_OF_RANGE, fresh=True, public="")
def sum(input: Any, *, dim: Any = None, keepdim: bool = False, dtype: Any = None) -> Any:
    """Sum over `dim` (all dimensions when None). Integers are summed in int64."""
    x = wide(input, dtype)
    return to_dtype(add_reduce(x, dims_of(dim, x.ndim), keepdim), dtype)


@op(samples=[case((3, 4)), case(()), case(arr((5,), 0, 9, "int64"))], fresh=True, public="")
def sum_all(input: Any) -> Any:
    """The sum of all elements: `sum` without parameters, which is most of its calls."""
    if input.dtype.kind == "f":
        return NP.add.reduce(input, axis=None, out=...)  # an array, also when 0-d
    return NP.add.reduce(wide(input, None), axis=None, out=...)


sum_all.node_name = "SumBackward0"
sum_all.vjp(lambda g, _y, _x: g)  # the engine expands
sum_all.shape(lambda x: MetaArray((), np.int64 if x.dtype.kind in "iub" else x.dtype))

# The engine expands what is smaller than the input.
sum.vjp(lambda g, _y, _x, *, dim, keepdim, shapes: keep(g, shapes[0], dim, keepdim))
sum.shape(
    lambda x, dim=None, keepdim=False, dtype=None: MetaArray(
        reduced_shape(x.shape, dim, keepdim),
        dtype.np if dtype else np.int64 if x.dtype.kind in "iub" else x.dtype,
    )
)


@op(samples=S34, errors=OUT_OF_RANGE, fresh=True, public="")
def mean(input: Any, *, dim: Any = None, keepdim: bool = False, dtype: Any = None) -> Any:
    """Mean over `dim`: sum / count. Needs a floating or complex type."""
    if dtype is None and input.dtype.kind in "iub":
        raise RuntimeError(
            message(
                "mean(): could not infer output dtype. Input dtype must be either a floating "
                "point or complex dtype. "
                f"Got: {type_name(dtypes.from_numpy(input.dtype))}",
                hint="x.float().mean()",
            )
        )
    x = wide(input, dtype)
    dims = dims_of(dim, x.ndim)
    n = pymath.prod(x.shape[d] for d in dims)
    total = np.asarray(add_reduce(x, dims, keepdim))
    with np.errstate(all="ignore"):
        return to_dtype(np.true_divide(total, x.dtype.type(n)), dtype)


mean.vjp(
    lambda g, _y, _x, *, dim, keepdim, shapes: expand(
        keep(g, shapes[0], dim, keepdim)
        / max(pymath.prod(shapes[0][d] for d in dims_of(dim, len(shapes[0]))), 1),
        shape=shapes[0],
    )
)
mean.shape(
    lambda x, dim=None, keepdim=False, dtype=None: MetaArray(
        reduced_shape(x.shape, dim, keepdim), dtype.np if dtype else x.dtype
    )
)


def no_identity(name: str, x: Any, dims: tuple[int, ...], dim: Any = None) -> None:
    """Raise when an extreme of nothing is asked for."""
    for d in dims:
        if x.size == 0 and x.shape[d] == 0:
            if dim is None or dim == ():
                raise RuntimeError(
                    f"{name}(): Expected reduction dim to be specified for input.numel() == 0. "
                    "Specify the reduction "
                    "dim with the 'dim' argument."
                )
            raise IndexError(f"{name}(): Expected reduction dim {d} to have non-zero size.")


@op(samples=S34, errors=OUT_OF_RANGE, fresh=True)
def amax(input: Any, *, dim: Any = (), keepdim: bool = False) -> Any:
    """The largest value over `dim`; gradients are shared equally among ties."""
    dims = dims_of(dim, input.ndim)
    no_identity("amax", input, dims, dim)
    return NP.maximum.reduce(input, axis=dims, keepdims=keepdim)


@op(samples=S34, errors=OUT_OF_RANGE, fresh=True)
def amin(input: Any, *, dim: Any = (), keepdim: bool = False) -> Any:
    """The smallest value over `dim`; gradients are shared equally among ties."""
    dims = dims_of(dim, input.ndim)
    no_identity("amin", input, dims, dim)
    return NP.minimum.reduce(input, axis=dims, keepdims=keepdim)


def share(g: Any, y: Any, x: Any, *, dim: Any, keepdim: bool) -> Any:
    """The gradient of an extreme: to every element equal to it, in equal parts."""
    hit = x == keep(y, x.shape, dim, keepdim)
    count = sum(hit, dim=dims_of(dim, x.ndim) or None, keepdim=True)
    return m.where(hit, keep(g, x.shape, dim, keepdim) / count, m.zero_like(g))


amax.vjp(share)
amin.vjp(share)


@op(
    samples=[case(arr((3, 4), 0, 2, "bool")), case((3, 4), dim=1)],
    fresh=True,
    public="torch Tensor",
)
def any(input: Any, *, dim: Any = None, keepdim: bool = False) -> Any:
    """Whether some element is non-zero."""
    y = NP.logical_or.reduce(input, axis=dims_of(dim, input.ndim), keepdims=keepdim)
    return y.astype(np.uint8) if input.dtype == np.uint8 else y


@op(
    samples=[case(arr((3, 4), 0, 2, "bool")), case((3, 4), dim=1)],
    fresh=True,
    public="torch Tensor",
)
def all(input: Any, *, dim: Any = None, keepdim: bool = False) -> Any:
    """Whether every element is non-zero."""
    y = NP.logical_and.reduce(input, axis=dims_of(dim, input.ndim), keepdims=keepdim)
    return y.astype(np.uint8) if input.dtype == np.uint8 else y


from .shape import expand  # noqa: E402 - the rules of shape.py use sum
