"""Distinct values, places and counts: unique, searchsorted, bucketize, histograms, bincount.

Results that are indices or counts have no gradient. The array work is in
`kernels/sort/reference.py`.
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from ... import dtypes
from ...autograd.door import wrap
from ...autograd.node import TensorBase
from ...autograd.unwritten import without_derivative
from ...dtypes import type_name
from ...errors import axis, message
from ...kernels.meta import MetaArray
from ...kernels.sort import reference as kernels
from ...kernels.sort import select
from ..core.accepted import Accepted
from ..core.arguments import need_tensor
from ..core.composite import composite
from ..core.return_types import return_type
from ..core.samples import arr, case, ints, values
from ..create.sequences import steps_between
from ..linalg.operands import finish

Histogram = return_type("histogram", ("hist", "bin_edges"))
Histogramdd = return_type("histogramdd", ("hist", "bin_edges"))

# -- distinct values -------------------------------------------------------------------------------


def _plain(x: Any) -> Any:
    """The array in a type that NumPy can order."""
    a = x._a
    return a.astype(np.float32) if a.dtype.kind == "V" or a.dtype.num >= 256 else a


def _listed(
    name: str, x: Any, found: tuple[Any, ...], return_inverse: bool, return_counts: bool
) -> Any:
    values, inverse, counts = found
    y = wrap(np.ascontiguousarray(values.astype(x._a.dtype, copy=False)))
    out = [without_derivative(name, y, x)]
    if return_inverse:
        out.append(wrap(inverse))
    if return_counts:
        out.append(wrap(counts))
    return out[0] if len(out) == 1 else tuple(out)


@composite(
    accepts="floating integral bool: unique",
    data_dependent=True,
    samples=[case(ints((8,), 5)), case(ints((8,), 5), return_inverse=True, return_counts=True)],
)
def unique(
    input: Any,
    sorted: bool = True,
    return_inverse: bool = False,
    return_counts: bool = False,
    dim: int | None = None,
) -> Any:
    """The distinct elements in ascending order, or the distinct slices along `dim`.

    return_inverse: also where each element of input stands among them; return_counts: also how
    often each occurs; both False by default. dim: None, the default, takes the flattened tensor.
    sorted: they are in order in any case.

    >>> x = torch.tensor([3, 1, 3, 2])
    >>> torch.unique(x)
    tensor([1, 2, 3])
    >>> torch.unique(x, return_inverse=True, return_counts=True)
    (tensor([1, 2, 3]), tensor([2, 0, 2, 1]), tensor([1, 1, 2]))
    """
    a = _plain(input)
    if dim is None:
        found: Any = kernels.unique(a, return_inverse)
    else:
        found = kernels.unique_rows(a, axis(dim, input.ndim))
    name = "_unique2" if dim is None else "unique_dim"
    return _listed(name, input, found, return_inverse, return_counts)


@composite(
    data_dependent=True,
    samples=[case(values([1, 1, 2, 2, 3, 1])), case(values([1, 1, 2]), True, True)],
)
def unique_consecutive(
    input: Any, return_inverse: bool = False, return_counts: bool = False, dim: int | None = None
) -> Any:
    """The elements, or slices along `dim`, without those that equal the one before.

    return_inverse: also where each element of input went; return_counts: also how long each run is;
    both False by default. dim: None, the default, takes the flattened tensor.

    >>> x = torch.tensor([1, 1, 2, 2, 3, 1])
    >>> torch.unique_consecutive(x)
    tensor([1, 2, 3, 1])
    >>> torch.unique_consecutive(x, return_counts=True)
    (tensor([1, 2, 3, 1]), tensor([2, 2, 1, 1]))
    """
    where = None if dim is None else axis(dim, input.ndim)
    found = kernels.unique_consecutive(_plain(input), where, return_inverse)
    return _listed("unique_consecutive", input, found, return_inverse, return_counts)


# -- places and histograms -------------------------------------------------------------------------


def _places_shape(
    sorted_sequence: Any, input: Any = None, *, out_int32: bool = False, **_: Any
) -> MetaArray:
    shape = tuple(input.shape) if hasattr(input, "shape") else ()
    return MetaArray(shape, np.int32 if out_int32 else np.int64)


SEARCHED = Accepted("floating integral: searchsorted_out_cpu")


@composite(
    shape=_places_shape,
    public="torch",
    samples=[
        case(values([1.0, 3.0, 5.0]), arr((2, 3), 0, 6)),
        case(values([1.0, 3.0, 5.0]), 3.0, right=True),
    ],
)
def searchsorted(
    sorted_sequence: Any,
    input: Any = None,
    *,
    out_int32: bool = False,
    right: bool = False,
    side: str | None = None,
    out: Any = None,
    sorter: Any = None,
) -> Any:
    """Where values would be inserted into sorted sequences so that these stay sorted.

    sorted_sequence (n,) or (*, n), ascending; input: values of any shape, or (*, m), or a number;
    the result has the shape of input.

    right: False, the default, gives the first place that fits, `s[i - 1] < v <= s[i]`; True the
    last. side: "left" or "right", another way to say it. out_int32: int32 in place of int64.
    sorter: indices that sort a sequence which is not in order.

    >>> torch.searchsorted(torch.tensor([1, 3, 5]), torch.tensor([0, 3, 9]))
    tensor([0, 1, 3])
    >>> torch.searchsorted(torch.tensor([1, 3, 5]), torch.tensor([0, 3, 9]), right=True)
    tensor([0, 2, 3])
    """
    if side is not None and side not in ("left", "right"):
        raise RuntimeError(
            f"torch.searchsorted(): side can only be 'left' or 'right' but got {side}"
        )
    if side == "left" and right:
        raise RuntimeError(
            "torch.searchsorted(): side and right can't be set to opposites, got side of left "
            "while right was True"
        )
    need_tensor("searchsorted", sorted_sequence, argument="sorted_sequence")
    sequence = _plain(sorted_sequence)
    if isinstance(input, (list, tuple)):
        raise TypeError(
            message(
                "searchsorted() received an invalid combination of arguments",
                got=type(input).__name__,
                wanted="a tensor or a number",
            )
        )
    values = _plain(input) if hasattr(input, "_a") else np.asarray(input)
    if sequence.ndim != 1 and sequence.shape[:-1] != values.shape[:-1]:
        raise RuntimeError(
            message(
                "torch.searchsorted(): boundaries tensor should be 1 dimension or the first N-1 "
                "dimensions of boundaries tensor and input value tensor must match",
                f"boundaries {sequence.shape}, input {values.shape}",
            )
        )
    if sequence.ndim == 0 or (values.ndim == 0 and sequence.ndim != 1):
        raise RuntimeError(
            message(
                "torch.searchsorted(): input value can be a scalar only when boundaries tensor "
                "dimension is 1"
                if values.ndim == 0
                else "torch.searchsorted(): boundaries tensor should have positive dimension, but "
                "got 0 dimension",
                f"boundaries {sequence.shape}, input {values.shape}",
            )
        )
    if not values.size:
        pass
    elif sequence.dtype == values.dtype or "c" in (sequence.dtype.kind, values.dtype.kind):
        SEARCHED.check_array(sequence.dtype if sequence.dtype.kind == "c" else values.dtype)
    order = None if sorter is None else sorter._a
    places = select.searchsorted(sequence, values, right or side == "right", order)
    return finish("searchsorted", wrap(places.astype(np.int32) if out_int32 else places), out)


@composite(
    accepts="floating integral bool: searchsorted_out_cpu",
    shape=lambda input, boundaries, **kw: _places_shape(boundaries, input, **kw),
    public="torch",
    samples=[
        case(arr((2, 3), 0, 6), values([1.0, 3.0, 5.0])),
        case(arr((2, 3), 0, 6), values([1.0, 3.0]), out_int32=True),
    ],
)
def bucketize(
    input: Any, boundaries: Any, *, out_int32: bool = False, right: bool = False, out: Any = None
) -> Any:
    """The number of the bucket into which each value falls: 0 below the first boundary, n above the
    last.

    boundaries (n,), ascending; input: a tensor of any shape, or a number. right: False, the
    default, counts a boundary to the bucket below it; True to the one above. out_int32: int32 in
    place of int64.

    >>> torch.bucketize(torch.tensor([0.5, 1.0, 7.0]), torch.tensor([1.0, 3.0, 5.0]))
    tensor([0, 0, 3])
    """
    if boundaries.ndim != 1:
        raise RuntimeError(
            f"bucketize(): boundaries tensor must be 1 dimension, but got dim({boundaries.ndim})"
        )
    return searchsorted(boundaries, input, out_int32=out_int32, right=right, out=out)


def _range(name: str, a: Any, low: float, high: float) -> tuple[float, float]:
    if low == high == 0 and a.size:
        low, high = float(a.min()), float(a.max())
    if not (np.isfinite(low) and np.isfinite(high)):
        raise RuntimeError(f"{name}: range of [{low}, {high}] is not finite")
    if low > high:
        raise RuntimeError(f"{name}: max must be larger than min")
    return (low - 1, high + 1) if low == high else (low, high)


@composite(
    accepts="floating: histogram_cpu",
    shape=lambda input, bins=100, *_, **kw: MetaArray((bins,), input._a.dtype),
    samples=[case((20,), 5, -2, 2), case((20,), 4)],
)
def histc(input: Any, bins: int = 100, min: float = 0, max: float = 0, *, out: Any = None) -> Any:
    """How many elements fall into each of `bins` equal bins between min and max, in the type of
    input.

    bins: 100 by default; min, max: 0 and 0, the default, take the range of the data; what lies
    outside is not counted. For floats.

    >>> torch.histc(torch.tensor([1.0, 2.0, 1.0, 4.0]), bins=4, min=0, max=4)
    tensor([0., 2., 1., 1.])
    """
    if bins <= 0:
        raise RuntimeError(f"torch.histogram(): bins must be > 0, but got {bins} for dimension 0")
    if input._a.dtype.kind in "iub":
        raise NotImplementedError(
            message(f'"histogram_cpu" not implemented for {input.dtype}', hint="input.float()")
        )
    a = _plain(input).reshape(-1)
    low, high = _range("torch.histc", a, float(min), float(max))
    inside = a[(a >= low) & (a <= high)].astype(np.float64)
    place = ((inside - low) / (high - low) * bins).astype(np.int64)
    counts = np.bincount(np.minimum(place, bins - 1), minlength=bins)
    return finish("histc", wrap(counts.astype(input._a.dtype)), out)


def _histogram_shape(input: Any, bins: Any, **_: Any) -> Any:
    n = bins.shape[0] - 1 if hasattr(bins, "shape") else int(bins)
    dtype = input._a.dtype
    return Histogram((MetaArray((n,), dtype), MetaArray((n + 1,), dtype)))


def _edges(a: Any, bins: Any, limits: Any) -> list[Any]:
    """The edges along each column of points: those given, or equal steps over a range."""
    name, many = "torch.histogramdd", a.shape[1]
    if any(hasattr(b, "_a") for b in bins):
        if len(bins) != many:
            raise RuntimeError(
                f"{name}: expected {many} sequences of bin edges for a {many}-dimensional "
                f"histogram but got {len(bins)}"
            )
        return [_given_edges(a, b, i) for i, b in enumerate(bins)]
    if len(bins) != many:
        raise RuntimeError(
            message(
                "histogramdd: The size of bins must be equal to the innermost dimension of the "
                "input.",
                f"{len(bins)} numbers of bins",
                many,
            )
        )
    if limits is not None and len(limits) != 2 * many:
        raise RuntimeError(
            f"{name}: for a {many}-dimensional histogram range should have {2 * many} elements, "
            f"but got {len(limits)}"
        )
    out = []
    for i, n in enumerate(bins):
        if n.__class__ is not int and not hasattr(n, "__index__"):
            raise TypeError(
                f"histogramdd(): argument 'bins' failed to unpack the object at pos {i + 1} with "
                f'error "type must be tuple of ints,but got {type(n).__name__}"'
            )
        if n <= 0:
            raise RuntimeError(
                f"torch.histogram(): bins must be > 0, but got {n} for dimension {i}"
            )
        if limits is not None:
            low, high = limits[2 * i], limits[2 * i + 1]
        elif len(a):
            low, high = a[:, i].min(), a[:, i].max()
        else:
            low, high = 0.0, 1.0
        if not (np.isfinite(low) and np.isfinite(high)):
            raise RuntimeError(f"{name}: dimension {i}'s range [{low:g}, {high:g}] is not finite")
        if low > high:
            raise RuntimeError(
                f"{name}: min should not exceed max, but got min {low:g} max {high:g} for "
                f"dimension {i}"
            )
        if low == high:
            low, high = low - 0.5, high + 0.5
        work = a.dtype if a.dtype.itemsize >= 4 else np.dtype(np.float32)
        edges = steps_between(float(low), float(high), int(n) + 1, work, a.dtype)
        out.append(edges.astype(a.dtype))  # those of `linspace`
    return out


def _given_edges(a: Any, edges: Any, i: int) -> Any:
    name = "torch.histogramdd"
    if not hasattr(edges, "_a"):
        raise TypeError(
            f"expected Tensor as element {i} in argument 1, but got {type(edges).__name__}"
        )
    if edges._a.dtype != a.dtype:
        raise RuntimeError(
            message(
                f"{name}: input tensor and bins tensors should have the same dtype, but got input "
                f"with dtype {a.dtype} and bins for dimension {i} with dtype {edges._a.dtype}"
            )
        )
    if edges.ndim != 1 or not edges.numel():
        got = (
            f"have one dimension, but got {edges.ndim} dimensions"
            if edges.ndim != 1
            else "have at least 1 element, but got 0 elements"
        )
        raise RuntimeError(f"{name}: bins tensor should {got} in the bins tensor for dimension {i}")
    if edges.numel() == 1:
        raise RuntimeError(f"torch.histogram(): bins must be > 0, but got 0 for dimension {i}")
    return edges._a


def _histogram(a: Any, weight: Any, bins: Any, limits: Any, density: bool) -> tuple[Any, Any]:
    """Counts or sums of weights of points (N, D), and the edges of each dimension."""
    if a.dtype.kind != "f":
        raise NotImplementedError(
            message(f'"histogramdd" not implemented for {a.dtype}', hint="input.float()")
        )
    if weight is not None:
        if weight.dtype != a.dtype:
            raise RuntimeError(
                "torch.histogramdd: if weight tensor is provided, input tensor and weight tensor "
                f"should have the same dtype, but got input({a.dtype}), and weight({weight.dtype})"
            )
        if weight.size != len(a):
            raise RuntimeError(
                "torch.histogramdd: if weight tensor is provided it should have the same shape as "
                "the input tensor excluding its innermost dimension, but got input with shape "
                f"{list(a.shape)} and weight with shape {list(weight.shape)}"
            )
        weight = weight.reshape(-1)
    edges = _edges(a, bins, limits)
    shape = tuple(len(e) - 1 for e in edges)
    inside = np.ones(len(a), bool)
    flat = np.zeros(len(a), np.int64)
    for i, e in enumerate(edges):
        x = a[:, i]
        inside &= (x >= e[0]) & (x <= e[-1])
        place = np.searchsorted(e, x, side="right") - 1
        flat = flat * shape[i] + np.clip(place, 0, shape[i] - 1)  # the last edge is in the last bin
    weights = None if weight is None else weight[inside].astype(np.float64)
    hist = np.bincount(flat[inside], weights, math.prod(shape)).reshape(shape).astype(a.dtype)
    if density:
        hist = hist / hist.sum()
        for i, e in enumerate(edges):
            hist = hist / np.diff(e).reshape((-1,) + (1,) * (len(edges) - i - 1))
    return hist, edges


COUNTED = Accepted("floating: histogram_cpu")


@composite(
    shape=_histogram_shape,
    smooth=False,
    samples=[case((20,), 5, range=(-2.0, 2.0)), case((20,), values([-1.0, 0.0, 1.0]))],
)
def histogram(
    input: Any,
    bins: Any = 100,
    *,
    range: Any = None,
    weight: Any = None,
    density: bool = False,
    out: Any = None,
) -> Any:
    """The pair (hist, bin_edges): how many elements fall into each bin.

    bins: their number (100 by default), or a tensor of ascending edges. range: the pair (lowest,
    highest) for a number of bins; by default that of the data. weight: a tensor of the shape of
    input that is summed in place of counting. density: True divides so that the integral is 1.

    >>> hist, edges = torch.histogram(torch.tensor([1.0, 2.0, 1.0]), bins=4, range=(0.0, 3.0))
    >>> hist, edges
    (tensor([0., 2., 1., 0.]), tensor([0.0000, 0.7500, 1.5000, 2.2500, 3.0000]))
    """
    if isinstance(bins, TensorBase) and bins.dtype is not input.dtype:
        raise RuntimeError(
            message(
                "torch.histogramdd: input tensor and bins tensors should have the same dtype",
                got=f"input {input.dtype!r}, bins {bins.dtype!r}",
                hint="bins.to(input.dtype)",
            )
        )
    COUNTED.check(input.dtype)
    if input._a.dtype == dtypes.bfloat16.np and (range is not None or isinstance(bins, TensorBase)):
        wide = [t.float() if isinstance(t, TensorBase) else t for t in (input, bins, weight)]
        found = histogram(wide[0], wide[1], range=range, weight=wide[2], density=density)
        return finish("histogram", Histogram(t.to(dtypes.bfloat16) for t in found), out)
    a = input._a.reshape(-1, 1)
    hist, edges = _histogram(a, None if weight is None else weight._a, (bins,), range, density)
    made = (wrap(hist), wrap(np.array(edges[0])))
    pair = Histogram(without_derivative("histogram", t, input, weight, bins) for t in made)
    return finish("histogram", pair, out)


def _histogramdd_shape(input: Any, bins: Any, **_: Any) -> Any:
    sides = [bins] * input.shape[-1] if isinstance(bins, int) else bins
    counts = [b.shape[0] - 1 if hasattr(b, "shape") else b for b in sides]
    dtype = input._a.dtype
    edges = tuple(MetaArray((n + 1,), dtype) for n in counts)
    return Histogramdd((MetaArray(tuple(counts), dtype), edges))


@composite(accepts="floating: histogramdd",
           shape=_histogramdd_shape, public="torch", samples=[case((20, 2), [3, 2])])
def histogramdd(
    input: Any, bins: Any, range: Any = None, weight: Any = None, density: bool = False
) -> Any:
    """The pair (hist, bin_edges) of points with several coordinates.

    input (*, d); hist has d dimensions, and bin_edges is a list of d tensors. bins: one number, a
    number for each coordinate, or a list of tensors of edges. range: 2 * d numbers, the lowest and
    the highest of each coordinate. weight (*); density: True divides so that the integral is 1.

    >>> points = torch.tensor([[0.0, 1.0], [1.0, 0.0], [2.0, 0.0], [2.0, 2.0]])
    >>> torch.histogramdd(points, bins=[3, 3]).hist
    tensor([[0., 1., 0.],
            [1., 0., 0.],
            [1., 0., 1.]])
    """
    if input.ndim < 2:
        raise RuntimeError("torch.histogramdd: input tensor should have at least 2 dimensions")
    shape = tuple(input.shape)
    if weight is not None and tuple(weight.shape) != shape[:-1]:
        raise RuntimeError(
            "torch.histogramdd: if weight tensor is provided it should have the same shape as the "
            f"input tensor excluding its innermost dimension, but got input with shape "
            f"{list(shape)} and weight with shape {list(weight.shape)}"
        )
    a = input._a.reshape(math.prod(shape[:-1]), shape[-1])
    bins = (bins,) * shape[-1] if isinstance(bins, int) else bins
    hist, edges = _histogram(a, None if weight is None else weight._a, bins, range, density)
    return Histogramdd((wrap(hist), tuple(wrap(np.array(e)) for e in edges)))


@composite(
    data_dependent=True,
    smooth=False,
    samples=[case(ints((10,), 5)), case(ints((10,), 5), (10,), 7)],
)
def bincount(input: Any, weights: Any = None, minlength: int = 0) -> Any:
    """How often each of 0, 1, 2, ... occurs, in int64.

    input (n,), integers, not negative; the result is as long as the largest of them plus one, and
    at least minlength (0 by default). weights (n,): summed in place of counting, in float64, or
    float32 where they are.

    >>> torch.bincount(torch.tensor([1, 3, 3]))
    tensor([0, 1, 0, 2])
    >>> torch.bincount(torch.tensor([1, 3, 3]), weights=torch.tensor([0.5, 1.0, 2.0]))
    tensor([0.0000, 0.5000, 0.0000, 3.0000])
    """
    if weights is not None:
        need_tensor("bincount", weights, 2, "weights")
    a = input._a
    if a.dtype.kind not in "iu":
        kind = type_name(input.dtype)
        raise NotImplementedError(f"\"bincount_cpu\" not implemented for '{kind}'")
    if a.ndim != 1 or a.dtype.kind not in "iu" or (a.size and a.min() < 0):
        raise RuntimeError(
            message(
                "bincount only supports 1-d non-negative integral inputs.",
                f"{input.dtype}, shape {tuple(input.shape)}",
            )
        )
    if minlength < 0:
        raise RuntimeError("minlength should be >= 0")
    if weights is None or not a.size:
        return wrap(np.bincount(a, minlength=minlength).astype(np.int64))
    if weights.shape != input.shape:
        raise RuntimeError("weights should be 1-d and have the same length as input")
    sums = np.bincount(a, weights._a.astype(np.float64), minlength)
    sums = sums.astype(np.float32 if weights._a.dtype == np.float32 else np.float64)
    return without_derivative("bincount", wrap(sums), weights)
