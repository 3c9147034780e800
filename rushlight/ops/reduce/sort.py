"""Order: sort, topk, kthvalue, median, mode, quantile. Counting is in `counts.py`.

PyTorch's rules: NaN is the greatest value, sorting is stable, `median` of an even number is the
lower one. Gradients go to the elements that were chosen. The array work is in
`kernels/sort/reference.py`.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from ...autograd.door import wrap
from ...errors import axis, message
from ...kernels import dense
from ...kernels.meta import MetaArray
from ...kernels.sort import reference as kernels
from ...kernels.sort import select
from ..core.composite import composite
from ..core.record import op
from ..core.reduction import reduced_shape
from ..core.return_types import return_type
from ..core.samples import arr, case, values
from ..core.shapes import scalar
from ..elementwise import formulas as m
from ..linalg.operands import constant, finish
from . import sums

Sorted = return_type("sort", ("values", "indices"))
TopK = return_type("topk", ("values", "indices"))
KthValue = return_type("kthvalue", ("values", "indices"))
Median = return_type("median", ("values", "indices"))
NanMedian = return_type("nanmedian", ("values", "indices"))
Mode = return_type("mode", ("values", "indices"))

# -- choosing elements -----------------------------------------------------------------------------


@op(
    samples=[case((3, 4), arr((3, 2), 0, 4, "int64"), dim=1)],
    public="",
    low="keep",
    fresh=True,
    smooth=False,
)
def pick_along(x: Any, index: Any, *, dim: int) -> Any:
    """x at the given places along dim."""
    return np.take_along_axis(x, index, dim)


pick_along.shape(lambda x, index, *, dim: MetaArray(index.shape, x.dtype))


def _pick_rule(g: Any, _y: Any, _x: Any, index: Any, *, dim: int, shapes: Any) -> Any:
    return put_along(g, index, dim=dim, size=shapes[0][dim])


pick_along.vjp(_pick_rule, None)


@op(
    samples=[case((3, 1), arr((3, 1), 0, 4, "int64"), dim=1, size=4)],
    public="",
    low="keep",
    fresh=True,
    smooth=False,
)
def put_along(g: Any, index: Any, *, dim: int, size: int) -> Any:
    """Zeros, with the values of g at the given places along dim, which must be different ones."""
    shape = list(g.shape)
    shape[dim] = size
    y = np.zeros(shape, g.dtype)
    np.put_along_axis(y, index, g, dim)
    return y


put_along.shape(
    lambda g, i, *, dim, size: MetaArray((*g.shape[:dim], size, *g.shape[dim + 1 :]), g.dtype)
)


put_along.vjp(lambda g, _y, _g, index, *, dim: pick_along(g, index, dim=dim), None)


def _choosing(name: str, places: Any, node: str, samples: list[Any], count: Any = None) -> Any:
    """An op that returns (values, indices) of the elements that `places(x, dim, ...)` chooses: all
    along dim, or `count(*how)` of them."""

    def forward(x: Any, *, dim: int, how: tuple[Any, ...] = ()) -> Any:
        index = np.ascontiguousarray(places(x, dim, *how), np.int64)
        values = kernels.chosen(x, index, dim)
        if count is None and not x.flags.c_contiguous:  # what is as large as x lies as x does
            return in_order_of(x, values), in_order_of(x, index)
        return values, index

    def rule(g: Any, y: Any, _x: Any, *, dim: int, shapes: Any) -> Any:
        return put_along(g[0], y[1], dim=dim, size=shapes[0][dim])

    forward.__name__ = name
    forward.__doc__ = (
        f"Values and places that `{name}` chooses along dim (how: its further arguments)."
    )
    record = op(samples=samples, public="", fresh=True, outputs=2, differentiable=(0,), node=node)(
        forward
    )
    def shape(x: Any, *, dim: int, how: tuple[Any, ...] = ()) -> tuple[MetaArray, MetaArray]:
        n = x.shape[dim] if count is None else count(*how)
        found = (*x.shape[:dim], n, *x.shape[dim:][1:])
        return MetaArray(found, x.dtype), MetaArray(found, np.int64)

    return record.vjp(rule).shape(shape)


def in_order_of(x: Any, y: Any) -> Any:
    """The values of `y` in memory of the order of `x`."""
    made = dense.empty_like(x, y.dtype)
    made[...] = y
    return made


sort_values = _choosing(
    "sort_values",
    lambda x, dim, descending: kernels.argsort(x, dim, descending),
    "SortBackward0",
    [case((3, 4), dim=1, how=(False,)), case((3, 4), dim=0, how=(True,))],
)
topk_values = _choosing(
    "topk_values",
    lambda x, dim, k, largest, ordered: select.topk(x, k, dim, largest, ordered),
    "TopkBackward0",
    [case((3, 4), dim=1, how=(2, True, True)), case((300,), dim=0, how=(3, False, True))],
    lambda k, largest, ordered: k,
)
kth_values = _choosing(
    "kth_values",
    lambda x, dim, k: select.kth(x, k, dim),
    "KthvalueBackward0",
    [case((3, 4), dim=1, how=(2,))],
    lambda k: 1,
)
median_values = _choosing(
    "median_values",
    lambda x, dim, skip: kernels.median(x, dim, skip),
    "MedianBackward1",
    [case((3, 4), dim=1, how=(False,)), case((3, 5), dim=0, how=(True,))],
    lambda skip: 1,
)
mode_values = _choosing(
    "mode_values",
    lambda x, dim: kernels.mode(x, dim),
    "ModeBackward0",
    [case((3, 4), dim=1)],
    lambda: 1,
)


def _chosen(record: Any, input: Any, dim: int, keepdim: bool, *how: Any) -> tuple[Any, Any]:
    """Values and indices of one element along dim; a 0-d input counts as one element."""
    where = axis(dim, input.ndim)
    x = input.reshape((1,)) if input.ndim == 0 else input
    values, index = record(x, dim=where, how=how)
    if input.ndim == 0:
        return alone(values.reshape(())), alone(index.reshape(()))
    if keepdim:
        return values, index
    return alone(values.squeeze(where)), alone(index.squeeze(where))


def alone(t: Any) -> Any:
    """A view of a result that nobody else has, as a tensor that is no view."""
    t._v = None  # but what is saved of it still counts its changes
    return t


def orderable(name: str, x: Any) -> None:
    """Complex numbers have no order."""
    if x._a.dtype.kind in "cW":
        raise RuntimeError(f"{name}: Sort does not support complex dtypes on CPU")


def not_empty(name: str, x: Any, dim: int) -> None:
    """Raise PyTorch's error for a choice among no elements."""
    if x.ndim and x.shape[dim] == 0:
        raise IndexError(f"{name}(): Expected reduction dim {dim} to have non-zero size.")


# -- sort and topk ---------------------------------------------------------------------------------


@composite(adapt=True, samples=[case((3, 4)), case((3, 4), 0, True)])
def sort(
    input: Any,
    dim: int = -1,
    descending: bool = False,
    stable: bool | None = False,
    *,
    out: Any = None,
) -> Any:
    """The pair (values, indices) in order along `dim`: `values = input.gather(dim, indices)`.

    dim: -1 by default; descending: False by default, the smallest first. NaN counts as the
    greatest. stable: equal values keep their order here in any case. Not for complex numbers.

    >>> values, indices = torch.tensor([3.0, 1.0, 2.0]).sort()
    >>> values
    tensor([1., 2., 3.])
    >>> indices
    tensor([1, 2, 0])
    """
    if isinstance(dim, bool):  # sort(x, descending) of NumPy habit is not PyTorch's
        raise TypeError("sort(): argument 'dim' must be int, not bool")
    axis(dim, input.ndim)
    orderable("sort", input)
    if input.ndim == 0:
        axis(dim, 0)
        pair = (input.clone(), wrap(np.zeros((), np.int64)))
    else:
        pair = sort_values(input, dim=axis(dim, input.ndim), how=(bool(descending),))
    return finish("sort", Sorted(pair), out)


@composite(adapt=True, samples=[case((3, 4)), case((3, 4), 0, True)])
def argsort(input: Any, dim: int = -1, descending: bool = False, stable: bool = False) -> Any:
    """The indices, int64, that bring input into order along `dim`: the second of what `sort` gives.

    dim: -1 by default; descending: False by default. stable: equal values keep their order in any
    case.

    >>> x = torch.tensor([3.0, 1.0, 2.0])
    >>> torch.argsort(x)
    tensor([1, 2, 0])
    >>> x[torch.argsort(x, descending=True)]
    tensor([3., 2., 1.])
    """
    return sort(input, dim, descending)[1]


@composite(samples=[case((3, 4))])
def msort(input: Any, *, out: Any = None) -> Any:
    """The values in order along the first dimension: `torch.sort(input, 0).values`.

    >>> torch.msort(torch.tensor([[3, 1], [2, 5], [1, 4]]))
    tensor([[1, 1],
            [2, 4],
            [3, 5]])
    """
    return finish("msort", sort(input, 0)[0], out)


def whole_k(name: str, k: Any) -> None:
    if isinstance(k, (float, bool)):
        raise TypeError(
            f"{name}(): argument 'k' (position 2) must be int, not {type(k).__name__}"
        )



@composite(accepts="floating integral: topk does not support bool dtypes on CPU",
           samples=[case((3, 4), 2), case((3, 4), 2, 0, False)])
def topk(
    input: Any, k: int, dim: int = -1, largest: bool = True, sorted: bool = True, *, out: Any = None
) -> Any:
    """The pair (values, indices) of the k largest, or smallest, elements along `dim`.

    k: how many, at most the size of the dimension, else RuntimeError. dim: -1 by default; largest:
    False takes the smallest; sorted: True, the default, gives them in order. NaN counts as the
    greatest.

    >>> values, indices = torch.topk(torch.tensor([3, 1, 2, 5]), 2)
    >>> values, indices
    (tensor([5, 3]), tensor([3, 0]))
    """
    whole_k("topk", k)
    orderable("topk", input)
    a = input._a
    where = axis(dim, a.ndim)
    k = int(k)
    n = a.shape[where] if a.ndim else 1
    if not 0 <= k <= n:
        raise RuntimeError(
            message(
                "selected index k out of range",
                f"k = {k}, size {n} along dim {dim}",
                f"0 <= k <= {n}",
            )
        )
    x = input if a.ndim else input.reshape((1,))
    values, index = topk_values(x, dim=where, how=(k, bool(largest), bool(sorted)))
    if not a.ndim and k == 1:
        values, index = values.reshape(()), index.reshape(())
    return finish("topk", TopK((values, index)), out)


@composite(accepts="floating integral empty 0-d: kthvalue_cpu",
           samples=[case((3, 4), 2), case((3, 4), 1, 0, True)])
def kthvalue(input: Any, k: int, dim: int = -1, keepdim: bool = False, *, out: Any = None) -> Any:
    """The pair (values, indices) of the k-th smallest element along `dim`.

    k: from 1 to the size of the dimension, else RuntimeError. dim: -1 by default; keepdim: the
    dimension stays, with size 1. NaN counts as the greatest.

    >>> value, index = torch.kthvalue(torch.tensor([30.0, 10.0, 20.0]), 2)
    >>> value, index
    (tensor(20.), tensor(2))
    """
    whole_k("kthvalue", k)
    where = axis(dim, input.ndim)
    not_empty("kthvalue", input, where)
    n = input.shape[where] if input.ndim else 1
    if not 1 <= k <= n:
        raise RuntimeError(
            message(
                f"kthvalue(): selected number k out of range for dimension {dim}",
                f"k = {k}",
                f"1 <= k <= {n}",
            )
        )
    return finish("kthvalue", KthValue(_chosen(kth_values, input, dim, keepdim, int(k))), out)


# -- median and mode -------------------------------------------------------------------------------


@op(
    samples=[case((3, 4)), case((3, 5), skip_nan=True)],
    public="",
    fresh=True,
    node="MedianBackward0",
)
def median_of_all(x: Any, *, skip_nan: bool = False) -> Any:
    """The lower median of all elements; NaN wins unless it is skipped."""
    if x.size == 0:
        with np.errstate(invalid="ignore"):
            return np.asarray(np.nan).astype(x.dtype)
    flat = x.reshape(-1)
    if x.dtype.kind == "f":
        missing = np.isnan(flat)
        if missing.any():
            if not skip_nan:
                return np.asarray(np.nan, x.dtype)
            flat = flat[~missing]
            if not flat.size:
                return np.asarray(np.nan, x.dtype)
    middle = (flat.size - 1) // 2
    return np.asarray(np.partition(flat, middle)[middle])


median_of_all.shape(scalar)


@median_of_all.vjp
def _median_rule(g: Any, y: Any, x: Any) -> Any:
    # equal elements share the gradient; for a NaN the NaNs do
    hit = (x == y) | ((x != x) & (y != y))
    return m.where(hit, g / sums.sum(hit), m.zero_like(g))


def _median(name: str, kind: Any, input: Any, dim: Any, keepdim: bool, skip: bool, out: Any) -> Any:
    orderable(name, input)
    if dim is None:
        return finish(name, median_of_all(input, skip_nan=skip), out)
    not_empty(name, input, axis(dim, input.ndim))
    return finish(name, kind(_chosen(median_values, input, dim, keepdim, skip)), out)


@composite(accepts="floating integral: median_cpu",
           samples=[case((3, 4)), case((3, 5), 1)])
def median(input: Any, dim: int | None = None, keepdim: bool = False, *, out: Any = None) -> Any:
    """The median of all elements, or the pair (values, indices) along `dim`.

    Of an even number it is the lower of the two in the middle, not their mean: that is
    `torch.quantile(x, 0.5)`. NaN where there is one. dim: None by default; keepdim: the dimension
    stays, with size 1.

    >>> torch.median(torch.tensor([1.0, 9.0, 3.0, 4.0]))
    tensor(3.)
    >>> values, indices = torch.median(torch.tensor([[1.0, 9.0, 3.0], [5.0, 2.0, 8.0]]), 1)
    >>> values, indices
    (tensor([3., 5.]), tensor([2, 0]))
    """
    return _median("median", Median, input, dim, keepdim, False, out)


@composite(accepts="floating integral: median_cpu",
           samples=[case((3, 4)), case((3, 5), 1, True)])
def nanmedian(input: Any, dim: int | None = None, keepdim: bool = False, *, out: Any = None) -> Any:
    """The median of the elements that are not NaN, or the pair (values, indices) along `dim`; NaN
    where all are.

    dim: None by default; keepdim: the dimension stays, with size 1.

    >>> torch.nanmedian(torch.tensor([1.0, float("nan"), 3.0, 4.0]))
    tensor(3.)
    """
    return _median("nanmedian", NanMedian, input, dim, keepdim, True, out)


@composite(accepts="floating integral bool empty 0-d: mode_cpu",
           smooth=False, samples=[case(values([[1.0, 2.0, 2.0], [3.0, 3.0, 1.0]]))])
def mode(input: Any, dim: int = -1, keepdim: bool = False, *, out: Any = None) -> Any:
    """The pair (values, indices) of the most frequent element along `dim`; the smallest of several.

    dim: -1 by default; keepdim: the dimension stays, with size 1. The index is that of the last
    place of the value.

    >>> values, indices = torch.mode(torch.tensor([2, 1, 3, 1, 2, 1]))
    >>> values, indices
    (tensor(1), tensor(5))
    """
    not_empty("mode", input, axis(dim, input.ndim))
    return finish("mode", Mode(_chosen(mode_values, input, dim, keepdim)), out)


# -- quantiles -------------------------------------------------------------------------------------

INTERPOLATIONS = ("linear", "lower", "higher", "midpoint", "nearest")


def others(where: int, ndim: int) -> tuple[int, ...]:
    """All dims but one."""
    return tuple(d for d in range(ndim) if d != where)


def _quantile(name: str, x: Any, q: Any, dim: Any, keepdim: bool, how: str, skip: bool) -> Any:
    if isinstance(dim, bool):
        raise TypeError(
            message(
                f"{name}() received an invalid combination of arguments",
                got=f"dim={dim}",
                hint=f"{name}(input, q, None, {dim})",
            )
        )
    if x._a.dtype not in (np.float32, np.float64):
        raise RuntimeError(
            message(
                f"{name}() input tensor must be either float or double dtype",
                f"{x.dtype}",
                hint="x.float()",
            )
        )
    if how not in INTERPOLATIONS:
        raise RuntimeError(
            f"{name}() interpolation must be one of linear, lower, higher, midpoint or nearest, "
            f"but got {how}"
        )
    if x.numel() == 0:
        raise RuntimeError(f"{name}() input tensor must be non-empty")
    places = q._a if hasattr(q, "_a") else np.asarray(float(q), x._a.dtype)
    if places.dtype != x._a.dtype:
        raise RuntimeError(f"{name}() q tensor must be same dtype as the input tensor")
    if places.ndim > 1:
        raise RuntimeError(f"{name}() q must be a scalar or 1D tensor")
    if not ((places >= 0) & (places <= 1)).all():
        raise RuntimeError(
            message(
                f"{name}() q values must be in the range [0, 1]", hint="q / 100 for percentages"
            )
        )
    ndim = x.ndim
    if dim is None:
        flat = x.reshape((x.numel(),))
        shape = (1,) * ndim if keepdim else ()
    else:
        where = axis(dim, ndim)
        flat = x.reshape((1,)) if ndim == 0 else x.permute((*others(where, ndim), where))
        rest = list(x.shape)
        if ndim:
            if keepdim:
                rest[where] = 1
            else:
                del rest[where]
        shape = tuple(rest)
    ordered = sort_values(flat, dim=flat.ndim - 1, how=(False,))[0]
    values = ordered._a
    n = values.shape[-1]
    missing = np.isnan(values)
    count = n - missing.sum(axis=-1, keepdims=True)
    line = places.reshape(-1).astype(np.float64)
    if skip:
        rank = np.maximum(line * (count - 1), 0)
    else:
        rank = np.where(count < n, n - 1.0, line * (n - 1))  # a NaN is at the end: take it
    if how == "lower":
        rank = np.floor(rank)
    elif how == "higher":
        rank = np.ceil(rank)
    elif how == "nearest":
        rank = np.rint(rank)
    low, high = np.floor(rank).astype(np.int64), np.ceil(rank).astype(np.int64)
    y = pick_along_many(ordered, wrap(low))
    moving = how == "linear" and getattr(q, "requires_grad", False)
    apart = (low != high).any() or not np.isfinite(values).all()
    if how in ("linear", "midpoint") and (apart or moving):
        weight = np.where(low == high, 0.0, 0.5) if how == "midpoint" else rank - low
        w = constant(weight, y)
        if moving:  # the weight moves with q, at the rate of the number of gaps
            rate = constant(np.broadcast_to((count if skip else n) - 1.0, rank.shape), y)
            w = q.reshape((places.size,)) * rate - constant(low, y)
        top = pick_along_many(ordered, wrap(high))
        y = m.where(w < 0.5, y + (top - y) * w, top - (top - y) * (1 - w))
    # dims are now (others..., q), and a keepdim of size 1 needs no place of its own
    y = y.permute((y.ndim - 1, *range(y.ndim - 1)))
    return y.reshape((places.size, *shape) if places.ndim else shape)


@op(
    samples=[case((3, 4), arr((3, 6), 0, 4, "int64"))],
    public="",
    low="keep",
    fresh=True,
    node="GatherBackward0",
    smooth=False,
)
def pick_along_many(x: Any, index: Any) -> Any:
    """x at places of the last dim, the same place as often as it is asked for."""
    return np.take_along_axis(x, np.broadcast_to(index, (*x.shape[:-1], index.shape[-1])), -1)


pick_along_many.shape(lambda x, index: MetaArray((*x.shape[:-1], index.shape[-1]), x.dtype))


def _pick_many_rule(g: Any, _y: Any, _x: Any, index: Any, *, shapes: Any) -> Any:
    return add_along(g, index, size=shapes[0][-1])


pick_along_many.vjp(_pick_many_rule, None)


@op(samples=[case((3, 6), arr((3, 6), 0, 4, "int64"), size=4)], public="", fresh=True, smooth=False)
def add_along(g: Any, index: Any, *, size: int) -> Any:
    """Zeros, with the values of g added at places of the last dim."""
    y = np.zeros((*g.shape[:-1], size), g.dtype)
    index = np.broadcast_to(index, g.shape)
    flat = y.reshape(-1, size)
    rows = np.arange(len(flat))[:, None]
    np.add.at(flat, (rows, index.reshape(len(flat), -1)), g.reshape(len(flat), -1))
    return y


add_along.shape(lambda g, index, *, size: MetaArray((*g.shape[:-1], size), g.dtype))


add_along.vjp(lambda g, _y, _g, index: pick_along_many(g, index), None)


def _quantile_shape(
    input: Any, q: Any, dim: int | None = None, keepdim: bool = False, **_: Any
) -> MetaArray:
    shape = reduced_shape(input.shape, dim, keepdim) if input.ndim else ()
    return MetaArray((*getattr(q, "shape", ()), *shape), input._a.dtype)


@composite(
    autocast="float32",
    shape=_quantile_shape,
    samples=[case((3, 4), 0.4), case((3, 4), values([0.2, 0.7]), 1, True)],
)
def quantile(
    input: Any,
    q: Any,
    dim: int | None = None,
    keepdim: bool = False,
    *,
    interpolation: str = "linear",
    out: Any = None,
) -> Any:
    """The q-th quantile of all elements, or along `dim`: below it lies the share q of them.

    q: a number in [0, 1], or a one-dimensional tensor of them, which makes a new first dimension.
    dim: None, the default, takes all. keepdim: the dimension stays, with size 1. interpolation,
    between two neighbours: "linear" (the default), "lower", "higher", "midpoint" or "nearest". NaN
    where there is one. For float32 and float64, and q of the type of input.

    >>> torch.quantile(torch.tensor([0.0, 1.0, 2.0, 3.0]), 0.5)
    tensor(1.5000)
    >>> torch.quantile(torch.tensor([0.0, 1.0, 2.0, 3.0]), torch.tensor([0.25, 0.75]))
    tensor([0.7500, 2.2500])
    """
    return finish(
        "quantile", alone(_quantile("quantile", input, q, dim, keepdim, interpolation, False)), out
    )


@composite(
    autocast="float32",
    shape=_quantile_shape,
    samples=[case((3, 4), 0.4), case((3, 4), values([0.2, 0.7]), 1)],
)
def nanquantile(
    input: Any,
    q: Any,
    dim: int | None = None,
    keepdim: bool = False,
    *,
    interpolation: str = "linear",
    out: Any = None,
) -> Any:
    """The q-th quantile of the elements that are not NaN; parameters are those of `quantile`.

    >>> torch.nanquantile(torch.tensor([0.0, float("nan"), 2.0, 4.0]), 0.5)
    tensor(2.)
    """
    return finish(
        "nanquantile", _quantile("nanquantile", input, q, dim, keepdim, interpolation, True), out
    )
