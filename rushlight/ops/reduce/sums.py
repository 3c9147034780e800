"""Reductions: sum, prod, mean, extremes, any, all, variance, norms, logsumexp; cumulative forms.

A dim of None means all dimensions; several dims may be given as a tuple. The result of a reduction
is accumulated pairwise or in blocks (`kernels/reduce/reference.py`).
"""

from __future__ import annotations

import math as pymath
from typing import Any

import numpy as np

from ... import dtypes
from ...dtypes import type_name
from ...errors import message
from ...kernels.meta import MetaArray
from ...kernels.reduce.select import Reduction, add_reduce
from ..core.record import op
from ..core.reduction import by_numpy, dims_of, keep, quick_dims, reduced_shape, reduction
from ..core.samples import arr, case, error
from ..elementwise import formulas as m

NP: Any = np  # NumPy's stubs know `reduce` only with a literal keepdims
S34 = [case((3, 4)), case((3, 4), dim=1), case((2, 3, 4), dim=(0, -1), keepdim=True)]
OUT_OF_RANGE = [error(IndexError, "Dimension out of range", (3, 4), dim=2)]


def wide(x: Any, dtype: Any = None) -> Any:
    """Integers and bools are summed in int64; an explicit dtype wins."""
    if dtype is not None:
        return x.astype(dtypes.wide(dtype.np) if dtype.low else dtype.np, copy=False)
    return x.astype(np.int64) if x.dtype.kind in "iub" and x.dtype != np.int64 else x


def to_dtype(y: Any, dtype: Any) -> Any:
    return y if dtype is None or y.dtype == dtype.np else np.asarray(y).astype(dtype.np)


@reduction(identity=0, before=wide, by=add_reduce, samples=S34, errors=OUT_OF_RANGE, public="")
def sum(a: Any, b: Any) -> Any:
    """Sum over `dim` (all dimensions when None). Integers are summed in int64."""
    return a + b


def total(x: Any, *, dims: Any, keepdims: bool, over: float) -> Any:
    """The sum of all elements by NumPy."""
    if x.dtype.kind == "f" and x.itemsize > 2:
        return NP.add.reduce(x, axis=None, out=...)  # an array, also when 0-d
    return by_numpy(x, lambda x: NP.add.reduce(wide(x, None), axis=None, out=...))


TOTAL = Reduction("add", reference=total, few=np.add)


@op(samples=[case((3, 4)), case(()), case(arr((5,), 0, 9, "int64"))], fresh=True, public="",
    node="SumBackward0", low="own", plan=lambda input: TOTAL.plan((input,)))  # fmt: skip
def sum_all(input: Any) -> Any:
    """The sum of all elements: `sum` without parameters, which is most of its calls."""
    return TOTAL((input,))


sum_all.vjp(lambda g, _y, _x: g)  # the engine expands
sum_all.shape(lambda x: MetaArray((), np.int64 if x.dtype.kind in "iub" else x.dtype))

# The engine expands what is smaller than the input.
sum.vjp(lambda g, _y, _x, *, dim, keepdim, shapes: keep(g, shapes[0], dim, keepdim))


def mean_by_numpy(x: Any, *, dims: Any, keepdims: bool, over: float) -> Any:
    """The mean by NumPy, of `over` elements."""
    dims = dims_of(dims, x.ndim)

    def plain(x: Any) -> Any:
        total = np.asarray(add_reduce(x, dims, keepdims))
        with np.errstate(all="ignore"):
            return np.true_divide(total, x.dtype.type(over))

    return by_numpy(x, plain)


MEAN = Reduction("add", finish="over", reference=mean_by_numpy, few=np.add)


@op(samples=S34, errors=OUT_OF_RANGE, fresh=True, public="", low="own",
    plan=lambda input, *, dim, keepdim, dtype: MEAN.plan(
        (input,), quick_dims(dim, input.ndim), keepdim))  # fmt: skip
def mean(input: Any, *, dim: Any = None, keepdim: bool = False, dtype: Any = None) -> Any:
    """Mean over `dim`: sum / count. Needs a floating or complex type."""
    if dtype is None and input.dtype.kind in "iub":
        raise RuntimeError(
            message(
                "mean(): could not infer output dtype. Input dtype must be either a floating "
                f"point or complex dtype. Got: {type_name(dtypes.from_numpy(input.dtype))}",
                hint="x.float().mean()",
            )
        )
    if dim is None:
        n = input.size
    elif dim.__class__ is int and -input.ndim <= dim < input.ndim:
        n = input.shape[dim]
    else:
        dim = dims_of(dim, input.ndim)
        n = pymath.prod(input.shape[d] for d in dim)
    if dtype is None:
        return MEAN((input,), dim, keepdim, n)
    x = wide(input, dtype)
    return to_dtype(mean_by_numpy(x, dims=dim, keepdims=keepdim, over=n), dtype)


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


@reduction(accepts="floating integral bool: max_values_cpu", exact_out=True,
           identity=-pymath.inf, empty=False, dim=(), samples=S34,
           errors=OUT_OF_RANGE)  # fmt: skip
def amax(a: Any, b: Any) -> Any:
    """The largest value over `dim`, one dimension or several.

    dim: an int or a tuple; (), the default, reduces all dimensions. keepdim: these dimensions stay,
    with size 1. The gradient is shared equally among equal maxima, other than that of `max` along a
    dimension, which goes to the one that it returns. IndexError for a dimension without elements.

    >>> torch.amax(torch.tensor([[1.0, 5.0], [7.0, 2.0]]), 1)
    tensor([5., 7.])
    >>> torch.amax(torch.tensor([[1.0, 5.0], [7.0, 2.0]]), (0, 1))
    tensor(7.)
    """
    return m.maximum(a, b)


@reduction(accepts="floating integral bool: min_values_cpu", exact_out=True,
           identity=pymath.inf, empty=False, dim=(), samples=S34,
           errors=OUT_OF_RANGE)  # fmt: skip
def amin(a: Any, b: Any) -> Any:
    """The smallest value over `dim`, one dimension or several.

    dim: an int or a tuple; (), the default, reduces all dimensions. keepdim: these dimensions stay,
    with size 1. The gradient is shared equally among equal minima. IndexError for a dimension
    without elements.

    >>> torch.amin(torch.tensor([[1.0, 5.0], [7.0, 2.0]]), 1)
    tensor([1., 2.])
    >>> torch.amin(torch.tensor([[1.0, 5.0], [7.0, 2.0]]), (0, 1))
    tensor(1.)
    """
    return m.minimum(a, b)


def share(g: Any, y: Any, x: Any, *, dim: Any, keepdim: bool) -> Any:
    """The gradient of an extreme: to every element equal to it, in equal parts."""
    hit = x == keep(y, x.shape, dim, keepdim)
    count = sum(hit, dim=dims_of(dim, x.ndim) or None, keepdim=True)
    none = count == 0  # NaN, which is equal to no element
    part = keep(g, x.shape, dim, keepdim) / m.where(none, pymath.nan, count)
    return m.where(hit | none, part, m.zero_like(g))


def share_of_all(g: Any, y: Any, x: Any) -> Any:
    """`share` for the extreme of all elements: NaN, where it is the extreme, is one among ties."""
    hit = (x == y) | (x != x)
    return m.where(hit, g / sum(hit, dim=None, keepdim=False), m.zero_like(g))


amax.vjp(share)
amin.vjp(share)


TRUTHS = [case(arr((3, 4), 0, 2, "bool")), case((3, 4), dim=1)]


def bytes_stay(y: Any, x: Any) -> Any:
    """uint8 tensors answer in uint8, the bool of older programs."""
    return y.astype(np.uint8) if x.dtype == np.uint8 else y


@reduction(identity=False, after=bytes_stay, out_of_truths="or bytes", samples=TRUTHS)
def any(a: Any, b: Any) -> Any:
    """Whether some element is not zero, of all or over `dim`; False for no elements.

    dim: an int or a tuple; None, the default, reduces all dimensions. keepdim: these dimensions
    stay, with size 1. The result is of bools, but of uint8 for uint8.

    >>> x = torch.tensor([[0, 1], [0, 0]])
    >>> torch.any(x), torch.any(x, 1)
    (tensor(True), tensor([ True, False]))
    """
    return m.logical_or(a, b)


@reduction(identity=True, after=bytes_stay, out_of_truths="or bytes", samples=TRUTHS)
def all(a: Any, b: Any) -> Any:
    """Whether every element is not zero, of all or over `dim`; True for no elements.

    dim: an int or a tuple; None, the default, reduces all dimensions. keepdim: these dimensions
    stay, with size 1. The result is of bools, but of uint8 for uint8.

    >>> x = torch.tensor([[1, 1], [0, 1]])
    >>> torch.all(x), torch.all(x, 1)
    (tensor(False), tensor([ True, False]))
    """
    return m.logical_and(a, b)


from ..shape.views import expand  # noqa: E402 - the rules of shape/views.py use sum
