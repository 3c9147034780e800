"""The public reductions, with PyTorch's overloads: sum, mean, prod, std, var, max, min and their
relatives.

The records are in `sums.py` and `statistics.py`; cumulative forms in `cumulative.py`.
"""

from __future__ import annotations

from typing import Any

from ... import dtypes
from ...autograd import door
from ...autograd.node import TensorBase
from ...autograd.views import type_name
from ...errors import message
from ..core import return_types
from ..core.arguments import need_tensor
from ..core.composite import composite
from ..core.record import registry
from ..core.samples import case, ints, values
from ..shape.convert import cast
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


def typed(x: Any, dtype: Any) -> Any:
    return x if dtype is None else cast(x, dtypes.of(dtype))


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
    """The sum of all elements, or over `dim` (one or several).

    Integers are summed in int64; `dtype=` casts first.

    >>> import rushlight as torch
    >>> torch.sum(torch.tensor([[1, 2], [3, 4]]), 0)
    tensor([4, 6])
    """
    need_tensor("sum", input)
    if dim is None and dtype is None and not keepdim:
        return door.apply(r.sum_all, (input,), {})
    if dtype is not None:
        input = typed(input, dtype)
        if input._a.dtype.kind in "iub" and input._a.dtype.itemsize < 8:
            total = door.apply(r.sum, (input,), {"dim": dims(dim), "keepdim": keepdim})
            return cast(total, dtypes.of(dtype))
    return door.apply(r.sum, (input,), {"dim": dims(dim), "keepdim": keepdim})


@composite(adapt=True, samples=[case((3, 4)), case((3, 4), 1, True)])
def mean(input: Any, dim: Any = None, keepdim: bool = False, *, dtype: Any = None) -> Any:
    """The mean of all elements, or over `dim`; for floating and complex tensors.

    >>> import rushlight as torch
    >>> torch.mean(torch.tensor([1.0, 2.0, 6.0]))
    tensor(3.)
    """
    need_tensor("mean", input)
    if dtype is not None and dtypes.of(dtype).category < dtypes.FLOAT:
        raise RuntimeError(
            "mean(): could not infer output dtype. Optional dtype must be either a floating point "
            "or complex dtype. "
            f"Got: {type_name(dtypes.of(dtype))}"
        )
    return door.apply(r.mean, (typed(input, dtype),), {"dim": dims(dim), "keepdim": keepdim})


@composite(adapt=True, samples=[case((3, 4)), case((3, 4), 1, True)])
def prod(input: Any, dim: Any = None, keepdim: bool = False, *, dtype: Any = None) -> Any:
    """The product of all elements, or over one dimension."""
    need_tensor("prod", input)
    out = door.apply(more.prod, (typed(input, dtype),), {"dim": dims(dim), "keepdim": keepdim})
    return typed(out, dtype)


@composite(adapt=True, samples=[case((3, 4)), case(values([1.0, float("nan"), 3.0]), 0)])
def nansum(input: Any, dim: Any = None, keepdim: bool = False, *, dtype: Any = None) -> Any:
    """The sum with NaN counted as zero; they are left out before `dtype=` converts."""
    need_tensor("nansum", input)
    if input.is_complex():
        raise RuntimeError("nansum on CPU does not support complex inputs")
    if not input.is_floating_point():
        return sum(input, dim, keepdim, dtype=dtype)
    if dtype is not None and not dtypes.of(dtype).is_floating_point:
        return sum(input.nan_to_num(0.0, float("inf"), float("-inf")), dim, keepdim, dtype=dtype)
    x = typed(input, dtype)
    return door.apply(more.nan_sum, (x,), {"dim": dims(dim), "keepdim": keepdim})


@composite(adapt=True, samples=[case((3, 4), 1), case(values([1.0, float("nan"), 3.0]), 0)])
def nanmean(input: Any, dim: Any = None, keepdim: bool = False, *, dtype: Any = None) -> Any:
    """The mean of the elements that are not NaN."""
    if not (input.is_floating_point() or input.is_complex()):
        raise RuntimeError(
            "nanmean(): expected input to have floating point or complex dtype but got "
            f"{input.dtype!r}"
        )
    x = typed(input, dtype)
    return nansum(x, dim, keepdim) / sum(x == x, dim, keepdim)


# -- variance ------------------------------------------------------------------------------------


def spread(record: Any, name: str, doc: str) -> Any:
    def fn(
        input: Any,
        dim: Any = None,
        unbiased: Any = None,
        keepdim: bool = False,
        *,
        correction: Any = None,
    ) -> Any:
        if isinstance(dim, bool):  # var(unbiased)
            dim, unbiased = None, dim
        if unbiased is not None:
            if correction is not None:
                raise TypeError(
                    f"{name}() received an invalid combination of arguments: unbiased and "
                    "correction"
                )
            correction = 1 if unbiased else 0
        correction = 1 if correction is None else correction
        need_tensor(name, input)
        n = more.count(input._a.shape, dims(dim)) if input._a.ndim else 1
        if n <= correction and input._a.dtype.kind in "fcV":
            import warnings

            warnings.warn(
                f"{name}(): degrees of freedom is <= 0. Correction should be strictly less than "
                "the reduction factor "
                "(input numel divided by output numel).",
                UserWarning,
                stacklevel=4,
            )
        return door.apply(
            record, (input,), {"dim": dims(dim), "keepdim": keepdim, "correction": correction}
        )

    fn.__name__ = name
    fn.__doc__ = doc
    samples = [case((3, 4)), case((3, 4), 1, correction=0), case((3, 4), [0, 1], True, True)]
    return composite(fn, adapt=True, samples=samples)


var = spread(
    more.var,
    "var",
    "Variance over `dim`: the mean squared distance from the mean, over n - correction (1).",
)
std = spread(more.std, "std", "Standard deviation over `dim`: the root of the variance.")


@composite(adapt=True, public="torch", samples=[case((3, 4)), case((3, 4), 1, correction=0)])
def var_mean(
    input: Any,
    dim: Any = None,
    unbiased: Any = None,
    keepdim: bool = False,
    *,
    correction: Any = None,
) -> Any:
    """(variance, mean) over `dim`."""
    over = None if isinstance(dim, bool) else dim
    return var(input, dim, unbiased, keepdim, correction=correction), mean(input, over, keepdim)


@composite(adapt=True, public="torch", samples=[case((3, 4)), case((3, 4), 1, keepdim=True)])
def std_mean(
    input: Any,
    dim: Any = None,
    unbiased: Any = None,
    keepdim: bool = False,
    *,
    correction: Any = None,
) -> Any:
    """(standard deviation, mean) over `dim`."""
    over = None if isinstance(dim, bool) else dim
    return std(input, dim, unbiased, keepdim, correction=correction), mean(input, over, keepdim)


# -- extremes ------------------------------------------------------------------------------------


def overloads(name: str, whole: Any, along: Any, pair: str, doc: str) -> Any:
    def fn(input: Any, dim: Any = None, keepdim: bool = False, *, other: Any = None) -> Any:
        need_tensor(name, input)
        if other is not None or isinstance(dim, TensorBase):
            return registry[pair].call((input, dim if other is None else other), {})
        if dim is None:
            return door.apply(whole, (input,), {})
        if not hasattr(dim, "__index__"):
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
    return composite(fn, adapt=True, samples=samples)


max = overloads(
    "max",
    more.max_all,
    more.max_dim,
    "maximum",
    "The largest element; with `dim`, (values, indices) along it; with another tensor, the larger "
    "of each pair.",
)
min = overloads(
    "min",
    more.min_all,
    more.min_dim,
    "minimum",
    "The smallest element; with `dim`, (values, indices) along it; with another tensor, the "
    "smaller of each pair.",
)

_aminmax = return_types.return_type("aminmax", ("min", "max"))


@composite(adapt=True, samples=[case((3, 4)), case((3, 4), dim=1)])
def aminmax(input: Any, *, dim: Any = None, keepdim: bool = False) -> Any:
    """(smallest, largest) of all elements or along `dim`."""
    if input.numel() == 0 and dim is None:
        raise RuntimeError(
            "aminmax(): cannot compute aminmax over an empty dimension as the operation has no "
            "identity."
        )
    d = () if dim is None else dim
    if dim is None and keepdim:
        d = tuple(range(input.ndim))
    return _aminmax(
        (
            r.amin.call((input,), {"dim": d, "keepdim": keepdim}),
            r.amax.call((input,), {"dim": d, "keepdim": keepdim}),
        )
    )


@composite(adapt=True, samples=[case((3, 4), 1), case((3, 4), [0, 1], True)])
def logsumexp(input: Any, dim: Any, keepdim: bool = False) -> Any:
    """log(sum(exp(x))) over `dim`, computed without overflow."""
    return more.logsumexp.call((input,), {"dim": dims(dim), "keepdim": keepdim})
