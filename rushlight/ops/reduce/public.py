"""The public reductions, with PyTorch's overloads: sum, mean, prod, std, var, max, min and their
relatives; pieces of a dimension.

The records are in `sums.py` and `statistics.py`; cumulative forms in `cumulative.py`.
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from ... import dtypes
from ...autograd import door
from ...autograd.node import TensorBase
from ...dtypes import type_name
from ...errors import axes, message
from ...errors import axis as place_of
from ...kernels.meta import MetaArray
from ...kernels.reduce import segments
from ..core import return_types
from ..core.accepted import Accepted
from ..core.arguments import need_tensor
from ..core.composite import composite
from ..core.publication import write_out
from ..core.record import op, registry
from ..core.reduction import dims_of, no_identity, reduced_shape
from ..core.samples import arr, case, ints, values
from ..core.shapes import same
from ..shape.convert import cast
from ..shape.views import cat
from . import statistics as more
from . import sums as r


def dims(dim: Any) -> Any:
    """A dim argument as an int, a tuple of ints or None."""
    if dim is None or dim.__class__ is int:
        return dim
    if isinstance(dim, (tuple, list)):
        return tuple(int(d) for d in dim)
    if isinstance(dim, bool) or not hasattr(dim, "__index__"):
        raise TypeError(f"argument 'dim' must be tuple of ints, not {type(dim).__name__}")
    return dim.__index__()


def typed(x: Any, dtype: Any, dim: Any = None) -> Any:
    """x in the type of `dtype=`; RuntimeError where that has no gradients and x asks for some, and
    before it what there is to say of `dim`."""
    if dtype is None:
        return x
    kind = dtypes.of(dtype)
    if kind.category < dtypes.FLOAT and x._fn is not None and door.state.enabled:
        if dim is not None:
            axes(dim, x._a.ndim)
        raise RuntimeError(
            message(
                f"Autograd not support dtype: {type_name(kind)}",
                got="a tensor that requires grad",
                hint="x.detach()",
            )
        )
    return cast(x, kind)


@composite(
    adapt=True,
    samples=[
        case((3, 4)),
        case((3, 4), 1),
        case((3, 4), [0, 1], True),
        case(ints((3, 4)), 0, dtype=dtypes.float64),
    ],
)
def sum(input: Any, dim: Any = None, keepdim: bool = False, *, dtype: Any = None) -> Any:
    """The sum of all elements, or over `dim`.

    dim: an int or a tuple; None, the default, sums all. keepdim: these dimensions stay, with size
    1. dtype: the type to which the elements are brought first. Integers and bools are summed in
    int64.

    >>> x = torch.tensor([[1, 2], [3, 4]])
    >>> torch.sum(x), torch.sum(x, 0)
    (tensor(10), tensor([4, 6]))
    >>> torch.sum(x, 1, keepdim=True)
    tensor([[3],
            [7]])
    """
    need_tensor("sum", input)
    if dim is None and dtype is None and not keepdim:
        return door.apply(r.sum_all, (input,), {})
    if dtype is not None:
        if dim is not None and input._a.ndim:
            axes(dim, input._a.ndim)
        input = typed(input, dtype)
        if input._a.dtype.kind in "iub" and input._a.dtype.itemsize < 8:
            total = door.apply(r.sum, (input,), {"dim": dims(dim), "keepdim": keepdim})
            return cast(total, dtypes.of(dtype))
    return door.apply(r.sum, (input,), {"dim": dims(dim), "keepdim": keepdim})


def need_mean_of(name: str, dtype: Any) -> None:
    """RuntimeError for a type in which there is no mean: what PyTorch looks at first."""
    if dtype is not None and dtypes.of(dtype).category < dtypes.FLOAT:
        raise RuntimeError(
            f"{name}(): could not infer output dtype. Optional dtype must be either a floating "
            f"point or complex dtype. Got: {type_name(dtypes.of(dtype))}"
        )


@composite(adapt=True, samples=[case((3, 4)), case((3, 4), 1, True)])
def mean(input: Any, dim: Any = None, keepdim: bool = False, *, dtype: Any = None) -> Any:
    """The mean of all elements, or over `dim`: their sum by their number.

    dim: an int or a tuple; None, the default, takes all. keepdim: these dimensions stay, with size
    1. dtype: the type to which the elements are brought first. RuntimeError for integers and bools
    without it: `x.float().mean()`. Of no elements it is NaN.

    >>> torch.mean(torch.tensor([[1.0, 2.0], [3.0, 6.0]]))
    tensor(3.)
    >>> torch.mean(torch.tensor([[1.0, 2.0], [3.0, 6.0]]), 1)
    tensor([1.5000, 4.5000])
    """
    need_tensor("mean", input)
    need_mean_of("mean", dtype)
    return door.apply(r.mean, (typed(input, dtype),), {"dim": dims(dim), "keepdim": keepdim})


@composite(adapt=True, samples=[case((3, 4)), case((3, 4), 1, True)])
def prod(input: Any, dim: Any = None, keepdim: bool = False, *, dtype: Any = None) -> Any:
    """The product of all elements, or over one dimension; 1 of no elements.

    dim: an int; None, the default, takes all. keepdim: the dimension stays, with size 1. dtype: the
    type to which the elements are brought first. Integers and bools are multiplied in int64. The
    derivative is right where factors are 0 too.

    >>> torch.prod(torch.tensor([[1.0, 2.0], [3.0, 4.0]]), 1)
    tensor([ 2., 12.])
    """
    need_tensor("prod", input)
    out = door.apply(more.prod, (typed(input, dtype, dim),), {"dim": dims(dim), "keepdim": keepdim})
    return typed(out, dtype)


@composite(adapt=True, samples=[case((3, 4)), case(values([1.0, float("nan"), 3.0]), 0)])
def nansum(input: Any, dim: Any = None, keepdim: bool = False, *, dtype: Any = None) -> Any:
    """The sum with NaN counted as zero, of all elements or over `dim`.

    dim: an int or a tuple; None, the default, sums all. keepdim: these dimensions stay, with size
    1. dtype: the type of the sum. Not for complex numbers.

    >>> torch.nansum(torch.tensor([1.0, float("nan"), 3.0]))
    tensor(4.)
    """
    need_tensor("nansum", input)
    if dim is not None:
        axes(dim, input.ndim)
    if input.is_complex():
        raise RuntimeError("nansum on CPU does not support complex inputs")
    if not input.is_floating_point():
        return sum(input, dim, keepdim, dtype=dtype)
    if dtype is not None and dtypes.of(dtype).is_complex:
        raise NotImplementedError(
            f"\"nansum_cpu\" not implemented for '{type_name(dtypes.of(dtype))}'"
        )
    if dtype is not None and not dtypes.of(dtype).is_floating_point:
        return sum(input.nan_to_num(0.0, float("inf"), float("-inf")), dim, keepdim, dtype=dtype)
    x = typed(input, dtype, dim)
    return door.apply(more.nan_sum, (x,), {"dim": dims(dim), "keepdim": keepdim})


@composite(adapt=True, samples=[case((3, 4), 1), case(values([1.0, float("nan"), 3.0]), 0)])
def nanmean(input: Any, dim: Any = None, keepdim: bool = False, *, dtype: Any = None) -> Any:
    """The mean of the elements that are not NaN, of all or over `dim`; NaN where there is none.

    dim: an int or a tuple; None, the default, takes all. keepdim: these dimensions stay, with size
    1. RuntimeError for integers.

    >>> torch.nanmean(torch.tensor([1.0, float("nan"), 3.0]))
    tensor(2.)
    """
    if not (input.is_floating_point() or input.is_complex()):
        raise RuntimeError(
            "nanmean(): expected input to have floating point or complex dtype but got "
            f"{input.dtype!r}"
        )
    need_mean_of("nanmean", dtype)
    x = typed(input, dtype, dim)
    return nansum(x, dim, keepdim) / sum(x == x, dim, keepdim)


# -- variance ------------------------------------------------------------------------------------


def spread_of(
    record: Any, name: str, input: Any, dim: Any, unbiased: Any, keepdim: bool, correction: Any
) -> Any:
    """A call of `var` or another of its kind: the forms of arguments that they all have."""
    if isinstance(dim, bool):  # var(unbiased)
        if unbiased is not None or keepdim or correction is not None:
            raise TypeError(
                message(
                    f"{name}() received an invalid combination of arguments",
                    got=f"unbiased={dim} with arguments behind it, but without a dim",
                    hint=f"{name}(None, {dim}, ...)",
                )
            )
        dim, unbiased = None, dim
    if unbiased is not None:
        if correction is not None:
            raise TypeError(
                f"{name}() received an invalid combination of arguments: unbiased and correction"
            )
        correction = 1 if unbiased else 0
    correction = 1 if correction is None else correction
    need_tensor(name, input)
    more.need_float(name, input._a)
    n = more.count(input._a.shape, dims(dim)) if input._a.ndim else 1
    if n <= correction and input._a.dtype.kind in "fcVW":
        import warnings

        warnings.warn(
            f"{name}(): degrees of freedom is <= 0. Correction should be strictly less than the "
            "reduction factor (input numel divided by output numel).",
            UserWarning,
            stacklevel=5,
        )
    return door.apply(
        record, (input,), {"dim": dims(dim), "keepdim": keepdim, "correction": correction}
    )


def spread(record: Any, name: str, doc: str) -> Any:
    def fn(
        input: Any,
        dim: Any = None,
        unbiased: Any = None,
        keepdim: bool = False,
        *,
        correction: Any = None,
    ) -> Any:
        return spread_of(record, name, input, dim, unbiased, keepdim, correction)

    fn.__name__ = name
    fn.__doc__ = doc
    samples = [case((3, 4)), case((3, 4), 1, correction=0), case((3, 4), [0, 1], True, True)]
    return composite(fn, adapt=True, samples=samples)


var = spread(
    more.var,
    "var",
    """The variance of all elements, or over `dim`: `y = sum of |x - mean| ** 2 / (n - correction)`.

    dim: an int or a tuple; None, the default, takes all. correction: 1 by default, for samples of
    something larger; 0 for the variance of these numbers themselves. unbiased: the older way to say
    it, True for 1 and False for 0. keepdim: these dimensions stay, with size 1. A warning, and NaN,
    where n is not above correction. For floats and complex numbers.

    >>> torch.var(torch.tensor([1.0, 2.0, 3.0, 6.0]))
    tensor(4.6667)
    >>> torch.var(torch.tensor([1.0, 2.0, 3.0, 6.0]), correction=0)
    tensor(3.5000)
    """,
)
std = spread(
    more.std, "std",
    """The standard deviation, the root of the variance:
    `y = sqrt(sum of |x - mean| ** 2 / (n - correction))`.

    dim: an int or a tuple; None, the default, takes all. correction: 1 by default; 0 divides by n.
    unbiased: the older way to say it, True for 1 and False for 0. keepdim: these dimensions stay,
    with size 1.

    >>> torch.std(torch.tensor([1.0, 2.0, 3.0, 6.0]))
    tensor(2.1602)
    >>> torch.std(torch.tensor([[1.0, 3.0], [2.0, 8.0]]), 1, correction=0)
    tensor([1., 3.])
    """,
)


@composite(adapt=True, public="torch", samples=[case((3, 4)), case((3, 4), 1, correction=0)])
def var_mean(
    input: Any,
    dim: Any = None,
    unbiased: Any = None,
    keepdim: bool = False,
    *,
    correction: Any = None,
) -> Any:
    """The pair (variance, mean), of all elements or over `dim`; the parameters are those of `var`.

    >>> torch.var_mean(torch.tensor([[1.0, 3.0], [2.0, 8.0]]), 1)
    (tensor([ 2., 18.]), tensor([2., 5.]))
    """
    return spread_of(more.var_mean, "var_mean", input, dim, unbiased, keepdim, correction)


@composite(adapt=True, public="torch", samples=[case((3, 4)), case((3, 4), 1, keepdim=True)])
def std_mean(
    input: Any,
    dim: Any = None,
    unbiased: Any = None,
    keepdim: bool = False,
    *,
    correction: Any = None,
) -> Any:
    """The pair (standard deviation, mean), of all elements or over `dim`; the parameters are those
    of `std`.

    >>> torch.std_mean(torch.tensor([[1.0, 3.0], [2.0, 8.0]]), 1)
    (tensor([1.4142, 4.2426]), tensor([2., 5.]))
    """
    return spread_of(more.std_mean, "std_mean", input, dim, unbiased, keepdim, correction)


# -- extremes ------------------------------------------------------------------------------------


def overloads(name: str, whole: Any, along: Any, pair: str, doc: str) -> Any:
    def fn(input: Any, dim: Any = None, keepdim: bool = False, *, other: Any = None) -> Any:
        need_tensor(name, input)
        if other is not None or isinstance(dim, TensorBase):
            return registry[pair].call((input, dim if other is None else other), {})
        if dim is None:
            return door.apply(whole, (input,), {})
        if not hasattr(dim, "__index__") or isinstance(dim, bool):
            raise TypeError(
                message(
                    f"{name}() received an invalid combination of arguments - got (Tensor, "
                    f"{type(dim).__name__})",
                    wanted=f"{name}(), {name}(dim, keepdim=False) or {name}(other)",
                    hint=f"a{name}(dim=(0, 1)) for several dimensions",
                )
            )
        return along.call((input,), {"dim": dim.__index__(), "keepdim": keepdim})

    fn.__name__ = name
    fn.__doc__ = doc
    samples = [case((3, 4)), case((3, 4), 1), case((3, 4), 0, True), case((3, 4), (4,))]
    return composite(
        fn,
        adapt=True,
        accepts=f"floating integral bool: {name}_all",
        apart="partly",
        samples=samples,
    )


max = overloads(
    "max",
    more.max_all,
    more.max_dim,
    "maximum",
    """The largest element; along `dim`, the pair (values, indices); with another tensor, the
    larger of each two elements, as `maximum`.

    dim: one dimension (`amax` takes several); keepdim: it stays, with size 1. NaN is larger than
    all. Of equal values the index is that of the first, and along a dimension it gets the gradient;
    the largest of all shares it. Not for complex numbers; RuntimeError for no elements.

    >>> x = torch.tensor([[1.0, 5.0], [7.0, 2.0]])
    >>> torch.max(x)
    tensor(7.)
    >>> values, indices = torch.max(x, 1)
    >>> values, indices
    (tensor([5., 7.]), tensor([1, 0]))
    >>> torch.max(x, torch.tensor([3.0, 3.0]))
    tensor([[3., 5.],
            [7., 3.]])
    """,
)
min = overloads(
    "min",
    more.min_all,
    more.min_dim,
    "minimum",
    """The smallest element; along `dim`, the pair (values, indices); with another tensor, the
    smaller of each two elements, as `minimum`.

    dim: one dimension (`amin` takes several); keepdim: it stays, with size 1. NaN is smaller than
    all. Of equal values the index is that of the first, and along a dimension it gets the gradient;
    the smallest of all shares it. Not for complex numbers; RuntimeError for no elements.

    >>> x = torch.tensor([[1.0, 5.0], [7.0, 2.0]])
    >>> torch.min(x)
    tensor(1.)
    >>> values, indices = torch.min(x, 1)
    >>> values, indices
    (tensor([1., 2.]), tensor([0, 1]))
    >>> torch.min(x, torch.tensor([3.0, 3.0]))
    tensor([[1., 3.],
            [3., 2.]])
    """,
)

_aminmax = return_types.return_type("aminmax", ("min", "max"))


AMINMAX = Accepted("floating integral bool: aminmax_cpu")


@composite(adapt=True, samples=[case((3, 4)), case((3, 4), dim=1)])
def aminmax(input: Any, *, dim: Any = None, keepdim: bool = False) -> Any:
    """The pair (min, max) of all elements, or along `dim`.

    dim: one dimension; None, the default, takes all. keepdim: it stays, with size 1. RuntimeError
    for no elements.

    >>> low, high = torch.aminmax(torch.tensor([[1.0, 5.0], [7.0, 2.0]]), dim=1)
    >>> low, high
    (tensor([1., 2.]), tensor([5., 7.]))
    """
    if input.numel() == 0 and dim is None:
        raise RuntimeError(
            "aminmax(): cannot compute aminmax over an empty dimension as the operation has no "
            "identity."
        )
    if dim is not None and input._a.ndim and not input.shape[place_of(dim, input._a.ndim)]:
        where = place_of(dim, input._a.ndim)
        raise IndexError(f"aminmax: Expected reduction dim {where} to have non-zero size.")
    AMINMAX.check_operand(input._a)  # after the sizes, as in PyTorch
    d = () if dim is None else dim
    if dim is None and keepdim:
        d = tuple(range(input.ndim))
    return _aminmax(
        (
            r.amin.call((input,), {"dim": d, "keepdim": keepdim}),
            r.amax.call((input,), {"dim": d, "keepdim": keepdim}),
        )
    )


def summed_apart(x: Any, out: Any) -> bool:
    """Whether PyTorch adds up in another type than that of the result: that of `out`."""
    if not (isinstance(x, TensorBase) and isinstance(out, TensorBase)):
        return False
    floats = out.is_floating_point() or (out.is_complex() and not x.is_complex())
    return floats and out.dtype != x.dtype


@composite(adapt=True, samples=[case((3, 4), 1), case((3, 4), [0, 1], True)])
def logsumexp(input: Any, dim: Any, keepdim: bool = False, *, out: Any = None) -> Any:
    """`y = log(sum of exp(x))` over `dim`, without overflow: the sum of probabilities that are
    given by their logarithms.

    dim: an int or a tuple; keepdim: these dimensions stay, with size 1. Integers give the default
    float type. Its gradient is softmax.

    >>> torch.logsumexp(torch.tensor([[0.0, 1.0], [1000.0, 1000.0]]), 1)
    tensor([   1.3133, 1000.6932])
    """
    if isinstance(out, TensorBase) and not (out.is_floating_point() or out.is_complex()):
        raise RuntimeError(
            message(
                "logsumexp(): Expected floating point type for result tensor, but got: "
                f"{type_name(out.dtype)} (result type Float can't be cast to it)",
            )
        )
    if out is not None and input.numel() and summed_apart(input, out):
        input = input.float() if input._a.dtype.kind in "iub" else input
        top = (input.real if input.is_complex() else input).amax(dim, keepdim=True)
        top = top.masked_fill(top.isfinite().logical_not(), 0)
        y = sum((input - top).exp(), dim, keepdim, dtype=out.dtype).log()
        return write_out("logsumexp", out, y + top.reshape(y.shape).to(out.dtype))
    if out is not None:
        return write_out("logsumexp", out, logsumexp(input, dim, keepdim))
    return more.logsumexp.call((input,), {"dim": dims(dim), "keepdim": keepdim})


# -- pieces ----------------------------------------------------------------------------------------


def _pieces(x: Any, offsets: Any) -> tuple[Any, Any]:
    """An array as (outer, n, inner), the offsets as (outer, pieces + 1)."""
    along = offsets.ndim - 1
    outer, n = math.prod(x.shape[:along]), x.shape[along]
    inner = math.prod(x.shape[along + 1 :])
    return x.reshape(outer, n, inner), offsets.reshape(outer, offsets.shape[-1])


@op(
    samples=[
        case((5, 2), values([0, 2, 2, 5]), reduce="sum"),
        case((5,), values([0, 2, 5]), reduce="mean", initial=1.0),
        case(arr((5, 2), 0.5, 2), values([0, 2, 5]), reduce="prod"),
        case((2, 4), values([[0, 1, 4], [0, 3, 4]]), reduce="max"),
    ],
    public="",
    fresh=True,
    once=True,
    constant=(1,),
    node="SegmentReduceBackward0",
)
def segments_reduced(input: Any, offsets: Any, *, reduce: str, initial: float | None = None) -> Any:
    """One value a piece of the last dimension of `offsets`; piece i is [offsets[i],
    offsets[i+1])."""
    x, bounds = _pieces(input, offsets)
    shape = _segments_shape(input, offsets).shape
    return segments.forward(x, bounds, reduce, initial).reshape(shape)


def _segments_shape(x: Any, offsets: Any, **_: Any) -> MetaArray:
    along = offsets.ndim - 1
    return MetaArray((*x.shape[:along], offsets.shape[-1] - 1, *x.shape[along + 1 :]), x.dtype)


segments_reduced.shape(_segments_shape)


@op(
    samples=[case((2, 2), (2, 2), (5, 2), values([0, 2, 5]), reduce="sum", initial=None)],
    public="",
    fresh=True,
    smooth=False,
    constant=(3,),
)
def segments_backward(
    g: Any, y: Any, input: Any, offsets: Any, *, reduce: str, initial: float | None
) -> Any:
    """The gradient of `segments_reduced`, which has none itself, as in PyTorch."""
    x, bounds = _pieces(input, offsets)
    gy, yy = (v.reshape(len(x), -1, x.shape[2]) for v in (g, y))
    return segments.gradient(gy, yy, x, bounds, reduce, initial).reshape(input.shape)


segments_backward.shape(lambda _g, _y, x, _o, **_: same(x))
segments_backward.vjp(None, None, None, None)
segments_reduced.vjp(
    lambda g, y, x, offsets, *, reduce, initial=None: segments_backward(
        g, y, x, offsets, reduce=reduce, initial=initial
    ),
    None,
)


@composite(
    public="torch",
    aliases="_segment_reduce",
    samples=[
        case((5, 2), "sum", lengths=values([2, 0, 3])),
        case((5,), "max", offsets=values([0, 2, 5]), initial=0),
    ],
)
def segment_reduce(
    data: Any,
    reduce: str,
    *,
    lengths: Any = None,
    indices: Any = None,
    offsets: Any = None,
    axis: int = 0,
    unsafe: bool = False,
    initial: Any = None,
) -> Any:
    """sum, mean, prod, max or min of consecutive pieces along a dimension.

    The pieces are given by their `lengths`, or by `offsets`, one more than there are pieces, in the
    last dimension of either. An empty piece has `initial`, or what the reduction starts from.

    axis: the dimension that is cut, which is the last one of lengths; 0 by default. unsafe: True
    does not look whether lengths are right. For floats; RuntimeError where lengths do not add up.

    >>> torch.segment_reduce(torch.tensor([1.0, 2, 3]), "sum", lengths=torch.tensor([1, 2]))
    tensor([1., 5.])
    """
    need_tensor("segment_reduce", data, argument="data")
    name = "segment_reduce()"
    wrong = None
    reduce = {"amax": "max", "amin": "min"}.get(reduce, reduce)
    if reduce not in segments.UFUNCS:
        wrong = f"reduce argument must be either sum, prod, mean, amax or amin, got {reduce}"
    elif indices is not None:
        wrong = f"{name}: indices based reduction is not supported yet."
    elif lengths is None and offsets is None:
        wrong = f"{name}: Either lengths or offsets must be defined."
    elif not data.numel() and lengths is not None and not lengths.numel():
        wrong = f"{name}: data and lengths have no elements"
    if wrong is not None:
        raise RuntimeError(message(wrong, wanted="lengths or offsets"))
    lengths = None if offsets is not None else lengths
    given = lengths if lengths is not None else offsets
    what = "lengths" if lengths is not None else "offsets"
    along = place_of(axis, data.ndim)
    if along != given.ndim - 1:
        raise RuntimeError(
            message(
                f"{name}: Expected axis to be the last dimension of {what} but got {along}.",
                f"{what} of shape {tuple(given.shape)}",
                f"{along + 1} dimensions, those of data up to the axis",
            )
        )
    if given._a.dtype.kind not in "iu":
        raise NotImplementedError(
            message(f"{name}: not implemented for {what} of {given.dtype}", wanted="integers")
        )
    if given._a.dtype not in (np.int32, np.int64):
        kind = type_name(given.dtype)
        raise NotImplementedError(
            message(
                f"\"_segment_reduce_{what}_cpu_kernel1\" not implemented for '{kind}'",
                hint=f"{what}.long()",
            )
        )
    if data._a.dtype.kind in "iubc":
        raise NotImplementedError(
            message(f'"segment_reduce" not implemented for {data.dtype}', hint="data.float()")
        )
    if lengths is not None and not isinstance(given._a, MetaArray):
        counts = given._a
        if not unsafe and counts.size and counts.min() < 0:
            raise RuntimeError("lengths contains negative value!")
        if not unsafe and (counts.sum(-1) != data.shape[along]).any():
            raise RuntimeError(
                message(
                    f"{name}: Expected all rows of lengths along axis to sum to "
                    "data.size(lengths.dim()-1) when !unsafe.",
                    f"sums {counts.sum(-1).tolist()}",
                    data.shape[along],
                )
            )
    if lengths is not None:
        zero = given.new_zeros((*given.shape[:-1], 1))
        offsets = cat(zero, given.cumsum(-1), dim=-1)
    if not isinstance(offsets._a, MetaArray) and (np.diff(offsets._a) < 0).any():
        raise RuntimeError(message(f"{name}: offsets must not descend", str(offsets.tolist())))
    start = None if initial is None else float(initial)
    return segments_reduced(data, offsets, reduce=reduce, initial=start)


@op(samples=[case((3, 4)), case(ints((3, 4)), dim=1)], public="", fresh=True, low="keep")
def bits_combined(input: Any, *, dim: Any = None) -> Any:
    """The exclusive or of the bits of the elements, as 64-bit numbers."""
    wide = input.astype(np.int64 if input.dtype.kind in "iub" else np.float64)
    return np.bitwise_xor.reduce(wide.view(np.uint64), axis=dims_of(dim, input.ndim))


bits_combined.shape(lambda x, *, dim=None: MetaArray(reduced_shape(x.shape, dim, False), np.uint64))


@composite(
    adapt=True,
    typed=True,  # the bits of float64 are others
    samples=[case((3, 4)), case((3, 4), 1, keepdim=True)],
)
def hash_tensor(input: Any, dim: Any = (), *, keepdim: bool = False, mode: int = 0) -> Any:
    """A number that tells tensors apart: the exclusive or of the bits of all elements, or over
    `dim`, after each was made a 64-bit number.

    dim: an int or a tuple; (), the default, takes all. keepdim: these dimensions stay, with size 1.
    mode: 0 alone. Not for complex numbers. The order of the elements makes no difference.

    >>> torch.hash_tensor(torch.tensor([1, 2, 4]))
    tensor(7, dtype=torch.uint64)
    """
    need_tensor("hash_tensor", input)
    if mode != 0:
        raise RuntimeError(message(f"Unknown hash_tensor mode: {mode}", wanted="mode=0"))
    if input._a.dtype.kind in "cW":
        raise NotImplementedError(
            message(f'"xor_sum_cpu" not implemented for {input.dtype}', hint="view_as_real(x)")
        )
    dim = (dim,) if isinstance(dim, int) else dim
    over = dims_of(dim, input.ndim)
    no_identity("hash_tensor", input._a, over, dim)
    y = bits_combined(input.detach(), dim=over)
    return y.reshape(reduced_shape(input.shape, over, True)) if keepdim else y
