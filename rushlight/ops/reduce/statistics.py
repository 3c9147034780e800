"""More reductions as records: prod, variance, logsumexp, extremes with their positions, counts.

The first ones are in `sums.py`; the public functions with PyTorch's overloads in
`public.py`.
"""

from __future__ import annotations

import math as pymath
from typing import Any

import numpy as np

from ... import dtypes
from ...autograd.node import TensorBase
from ...errors import axis, message
from ...kernels.argreduce import select as argreduce
from ...kernels.loss import select as loss_kernels
from ...kernels.meta import MetaArray, OuterArray
from ...kernels.reduce import select as reduce_kernels
from ...kernels.reduce.select import Reduction, add_reduce
from ..core import return_types
from ..core.record import op
from ..core.reduction import by_numpy, quick_dims, reduction
from ..core.samples import arr, case, error
from ..core.shapes import real_of, scalar
from ..elementwise import formulas as m
from ..shape.views import stack
from .sums import NP, S34, dims_of, keep, reduced_shape, share_of_all, wide

# -- products ------------------------------------------------------------------------------------


@reduction(
    autocast="float32",
    identity=1,
    before=lambda x: wide(x, None),
    samples=[*S34[:2], case((3, 4), dim=0, keepdim=True), case(())],
    public="",
)
def prod(a: Any, b: Any) -> Any:
    """Product over one dimension, or over all."""
    return a * b


@prod.vjp
def _(g: Any, y: Any, x: Any, *, dim: Any, keepdim: bool) -> Any:
    if not x.ndim:
        return g
    whole, g = keep(y, x.shape, dim, keepdim), keep(g, x.shape, dim, keepdim)
    if not has_zero(x):
        return conj(whole / x) * g
    if dim is None:
        flat = x.reshape((-1,))
        return (g.reshape((1,)) * conj(others(flat, 0))).reshape(tuple(x.shape))
    return g * conj(others(x, axis(dim if isinstance(dim, int) else dim[0], x.ndim)))


def conj(x: Any) -> Any:
    if (
        x.dtype == dtypes.complex64
        or x.dtype == dtypes.complex128
        or getattr(x.dtype, "kind", "") == "c"
    ):
        return x.conj()
    return x


def has_zero(x: Any) -> bool:
    """Whether a factor is zero; also where nobody here sees the numbers (a tensor whose class
    computes for it)."""
    a = x._a if isinstance(x, TensorBase) else x
    return a.__class__ is OuterArray or bool((a == 0).any())


def others(x: Any, d: int) -> Any:
    """At each place the product of all other elements along d, without dividing."""
    n = x.shape[d]
    at = (slice(None),) * d
    parts = [x[(*at, i)] for i in range(n)]
    before = [m.ones_in(parts[0])]
    after = [before[0]]
    for i in range(n - 1):
        before.append(before[-1] * parts[i])
        after.append(after[-1] * parts[n - 1 - i])
    return stack(*[b * a for b, a in zip(before, reversed(after), strict=True)], dim=d)


# -- sums without NaN ----------------------------------------------------------------------------


@reduction(identity=0, by=add_reduce, of=lambda a: m.where(a != a, 0.0, a), samples=S34, public="")
def nan_sum(a: Any, b: Any) -> Any:
    """Sum with NaN counted as zero, of floats."""
    return a + b


nan_sum.vjp(
    lambda g, _y, x, *, dim, keepdim, shapes: m.where(x != x, 0.0, keep(g, shapes[0], dim, keepdim))
)

# -- variance ------------------------------------------------------------------------------------


def count(shape: Any, dim: Any) -> int:
    return pymath.prod(shape[d] for d in dims_of(dim, len(shape)))


def scale(shape: Any, dim: Any, correction: Any) -> float:
    """1 / (n - correction); inf when nothing is left."""
    left = max(count(shape, dim) - correction, 0)
    return 1 / left if left else pymath.inf


def need_float(name: str, x: Any) -> None:
    if x.dtype.kind in "iub":
        raise RuntimeError(
            message(
                f"{'std and var' if name in ('std', 'var') else name} only support floating point "
                "and complex dtypes",
                got=repr(dtypes.from_numpy(x.dtype)),
                hint=f"{name} of x.float()",
            )
        )


def centred(x: Any, dims: tuple[int, ...]) -> Any:
    n = max(pymath.prod(x.shape[d] for d in dims), 1)
    mean = (
        NP.add.reduce(
            x, axis=dims, keepdims=True, dtype=np.float64 if x.dtype == np.float32 else None
        )
        / n
    )
    return x - mean.astype(x.dtype)


VAR = [*S34, case((3, 4), dim=1, correction=0)]


def spread_by_numpy(
    x: Any, *, dims: Any, keepdims: bool, count: float, left: float, root: bool
) -> Any:
    """The variance by NumPy, or its root."""

    def plain(x: Any) -> Any:
        away = np.abs(centred(x, dims))
        total = np.asarray(add_reduce(away * away, dims, keepdims))
        with np.errstate(all="ignore"):
            y = total / total.dtype.type(left)
        return np.sqrt(y) if root else y

    return by_numpy(x, plain)


def spread(x: Any, dim: Any, keepdim: bool, correction: Any, root: bool) -> Any:
    """The variance or, with `root`, the standard deviation."""
    dims = dims_of(dim, x.ndim)
    n = count(x.shape, dim)
    left = max(n - correction, 0)
    return reduce_kernels.variance(x, dims, keepdim, n, left, root, spread_by_numpy)


def plan_spread(root: bool) -> Any:
    """What states the plan of `spread`."""
    return lambda input, *, dim, keepdim, correction: reduce_kernels.plan_variance(
        (input.shape, input.strides, input.dtype), dims_of(dim, input.ndim), keepdim, root,
        spread_by_numpy,
    )  # fmt: skip


def spread_shape(x: Any, *, dim: Any = None, keepdim: bool = False, correction: Any = 1) -> Any:
    """The shape of a variance or a deviation, which are real."""
    need_float("var", x)
    return MetaArray(reduced_shape(x.shape, dim, keepdim), real_of(x.dtype))


@op(samples=VAR, fresh=True, public="", low="own", plan=plan_spread(False))
def var(input: Any, *, dim: Any = None, keepdim: bool = False, correction: Any = 1) -> Any:
    """Variance: the sum of |x - mean|^2, over n - correction."""
    need_float("var", input)
    return spread(input, dim, keepdim, correction, False)


var.shape(spread_shape)


def var_rule(g: Any, _y: Any, x: Any, *, dim: Any, keepdim: bool, correction: Any) -> Any:
    return keep(g, x.shape, dim, keepdim) * (
        (x - mean_kept(x, dim)) * (2 * scale(x.shape, dim, correction))
    )


var.vjp(var_rule)


def mean_kept(x: Any, dim: Any) -> Any:
    from .sums import mean

    return mean(x, dim=dims_of(dim, x.ndim) or None, keepdim=True)


@op(samples=VAR, fresh=True, public="", low="own", plan=plan_spread(True))
def std(input: Any, *, dim: Any = None, keepdim: bool = False, correction: Any = 1) -> Any:
    """Standard deviation: the root of the variance."""
    need_float("std", input)
    return spread(input, dim, keepdim, correction, True)


std.shape(spread_shape)


def std_rule(g: Any, y: Any, x: Any, *, dim: Any, keepdim: bool, correction: Any) -> Any:
    g = m.where(y == 0, g * 0.0, g / (2 * m.where(y == 0, y * 0 + 1, y)))
    return keep(g, x.shape, dim, keepdim) * (
        (x - mean_kept(x, dim)) * (2 * scale(x.shape, dim, correction))
    )


std.vjp(std_rule)


def with_mean(name: str, root: bool) -> Any:
    """A record of a spread and the mean, two outputs of one node."""
    from .sums import mean

    def fn(input: Any, *, dim: Any = None, keepdim: bool = False, correction: Any = 1) -> Any:
        need_float(name, input)
        return (
            spread(input, dim, keepdim, correction, root),
            mean(input, dim=dim, keepdim=keepdim),
        )

    samples = [
        case((3, 4), correction=1),
        case((2, 3, 4), dim=(0, 2), keepdim=True, correction=1),
        case((3, 4), dim=1, correction=0),
    ]
    fn.__doc__ = f"(The {'standard deviation' if root else 'variance'}, the mean)."
    record = op(samples=samples, fresh=True, public="", low="own", outputs=2, name=name)(fn)
    record.shape(
        lambda x, *, dim=None, keepdim=False, correction=1: (
            spread_shape(x, dim=dim, keepdim=keepdim, correction=correction),
            MetaArray(reduced_shape(x.shape, dim, keepdim), x.dtype),
        )
    )

    return record


def both(of_spread: Any, of_mean: Any, x: Any, dim: Any, keepdim: bool) -> Any:
    """The gradient by a spread, if there is one, and by the mean."""
    if of_mean is None:
        return of_spread
    of_mean = keep(of_mean, x.shape, dim, keepdim) / max(count(x.shape, dim), 1)
    return of_mean if of_spread is None else of_spread + of_mean


var_mean = with_mean("var_mean", False)
std_mean = with_mean("std_mean", True)


@var_mean.vjp
def _(g: Any, _y: Any, x: Any, *, dim: Any, keepdim: bool, correction: Any) -> Any:
    kw = {"dim": dim, "keepdim": keepdim, "correction": correction}
    return both(None if g[0] is None else var_rule(g[0], None, x, **kw), g[1], x, dim, keepdim)


@std_mean.vjp
def _(g: Any, y: Any, x: Any, *, dim: Any, keepdim: bool, correction: Any) -> Any:
    kw = {"dim": dim, "keepdim": keepdim, "correction": correction}
    return both(None if g[0] is None else std_rule(g[0], y[0], x, **kw), g[1], x, dim, keepdim)


# -- logsumexp -----------------------------------------------------------------------------------

EXPONENTIALS = Reduction("add", lambda x, top: m.exp(x - top), "exponentials")


def logsumexp_by_numpy(x: Any, *, dims: Any, keepdims: bool) -> Any:
    """log(sum(exp(x))) by NumPy."""
    top = NP.maximum.reduce(x.real if x.dtype.kind in "cW" else x, axis=dims, keepdims=True)
    top = np.where(np.isfinite(top), top, top.dtype.type(0))
    return np.log(add_reduce(np.exp(x - top), dims, True)) + top


@op(
    samples=[case((3, 4), dim=1), case((2, 3, 4), dim=(0, 2), keepdim=True)],
    promote="float",
    fresh=True,
    public="",
    errors=[error(IndexError, "Dimension out of range", (3, 4), dim=2)],
)
def logsumexp(input: Any, *, dim: Any, keepdim: bool = False) -> Any:
    """log(sum(exp(x))), computed without overflow."""
    dims = dims_of(dim, input.ndim)
    if input.size == 0:
        return np.log(NP.add.reduce(np.exp(input), axis=dims, keepdims=keepdim))
    if dims == (input.ndim - 1,):
        rows = loss_kernels.logsumexp(input)
        if rows is not None:
            return rows.reshape(reduced_shape(input.shape, dim, keepdim))
    y = reduce_kernels.logsumexp(input, dims, EXPONENTIALS, logsumexp_by_numpy)
    return y if keepdim else y.reshape(reduced_shape(input.shape, dim, False))


logsumexp.shape(
    lambda x, *, dim, keepdim=False: MetaArray(reduced_shape(x.shape, dim, keepdim), x.dtype)
)


@logsumexp.vjp
def _(g: Any, y: Any, x: Any, *, dim: Any, keepdim: bool) -> Any:
    y = keep(y, x.shape, dim, keepdim)
    share = m.exp(x - m.where(y == -pymath.inf, 0.0, y))
    return keep(g, x.shape, dim, keepdim) * conj(share)


# -- extremes ------------------------------------------------------------------------------------

EXTREME = [case((3, 4)), case((3,))]


def extreme_op(name: str, ufunc: Any) -> Any:
    def fn(input: Any) -> Any:
        if input.size == 0:
            raise RuntimeError(
                f"{name}(): Expected reduction dim to be specified for input.numel() == 0. "
                "Specify the reduction dim with the 'dim' argument."
            )
        return fold((input,))

    def by_ufunc(x: Any, *, dims: Any, keepdims: bool, over: float) -> Any:
        return by_numpy(x, lambda x: ufunc.reduce(x, axis=None))

    fold = Reduction(name, reference=by_ufunc, few=ufunc)

    fn.__name__ = name + "_all"
    fn.__doc__ = (
        f"The {'largest' if name == 'max' else 'smallest'} of all values; ties share the gradient."
    )
    record = op(
        samples=EXTREME, fresh=True, public="", low="own", node=f"{name.capitalize()}Backward1",
        plan=lambda input: fold.plan((input,)),
    )(fn)  # fmt: skip
    record.shape(scalar)
    return record.vjp(share_of_all)


max_all = extreme_op("max", np.maximum)
min_all = extreme_op("min", np.minimum)


def located(name: str) -> Any:
    """max and min along one dimension: values and the places of the first."""

    def fn(input: Any, *, dim: int, keepdim: bool = False) -> Any:
        if input.dtype.kind in "cW":
            raise RuntimeError(f'"{name}_values_cpu" not implemented for complex types')
        d = axis(dim, input.ndim)
        if input.ndim == 0:
            return input.copy(), np.zeros((), np.int64)
        if input.shape[d] == 0:
            raise IndexError(f"{name}(): Expected reduction dim {d} to have non-zero size.")
        return argreduce.extremes(name, input, d, keepdim)

    fn.__name__ = name + "_dim"
    fn.__doc__ = f"({name} values, first positions) along `dim`."
    record = op(
        samples=[case((3, 4), dim=1), case((3, 4), dim=0, keepdim=True)],
        fresh=True,
        public="",
        outputs=2,
        low="keep",
        differentiable=(0,),
        node=f"{name.capitalize()}Backward0",
        return_type=return_types.return_type(name, ("values", "indices")),
        plan=lambda input, *, dim, keepdim: argreduce.plan(
            name, input.shape, input.strides, input.dtype, dim % input.ndim, keepdim
        ),
    )(fn)
    record.shape(located_shape)
    return record.vjp(
        lambda g, y, _x, *, dim, keepdim, shapes: to_places(g, y, dim, keepdim, shapes)
    )


def located_shape(x: Any, *, dim: int, keepdim: bool = False) -> tuple[MetaArray, MetaArray]:
    """The shapes of extremes along a dimension and of their places."""
    shape = reduced_shape(x.shape, axis(dim, x.ndim), keepdim) if x.ndim else ()
    return MetaArray(shape, x.dtype), MetaArray(shape, np.int64)


def to_places(g: Any, y: Any, dim: int, keepdim: bool, shapes: Any) -> Any:
    from ..index.gather import scatter_zeros

    shape = shapes[0]
    if not shape:
        return g[0] * 1.0
    grad, where = g[0], y[1]
    if grad is None:
        return None
    if not keepdim:
        grown = reduced_shape(shape, dim, True)
        grad, where = grad.reshape(grown), where.reshape(grown)
    return scatter_zeros(grad, where, shape=shape, dim=dim)


max_dim = located("max")
min_dim = located("min")


def position(name: str, doc: str) -> Any:
    def along(input: Any, dim: Any) -> int | None:
        """The dimension, counted from the front; IndexError where there are no elements."""
        d = None if dim is None else axis(dim, input.ndim)
        if input.size == 0 and (d is None or input.shape[d] == 0):
            what = f"dim {d} to have non-zero size."
            what = "dim to be specified for input.numel() == 0." if d is None else what
            raise IndexError(f"{name}(): Expected reduction {what}")
        return d

    def fn(input: Any, *, dim: Any = None, keepdim: bool = False) -> Any:
        if isinstance(dim, (tuple, list)):
            raise TypeError(
                f"{name}(): argument 'dim' (position 2) must be int, not {type(dim).__name__}"
            )
        if input.dtype.kind in "bcW":
            raise RuntimeError(
                f'"{name}_cpu" not implemented for '
                f"'{'Bool' if input.dtype.kind == 'b' else 'ComplexFloat'}'"
            )
        d = along(input, dim)
        if input.ndim == 0:
            return np.zeros((), np.int64)
        got = argreduce.places(name[3:], input, d)
        if keepdim:
            return np.expand_dims(got, d) if d is not None else got.reshape((1,) * input.ndim)
        return got

    fn.__name__, fn.__doc__ = name, doc
    record = op(
        samples=[case((3, 4)), case((3, 4), dim=1, keepdim=True)], fresh=True, low="keep",
        plan=lambda input, *, dim, keepdim: argreduce.plan(
            name[3:], input.shape, input.strides, input.dtype,
            None if dim is None else dim % input.ndim, False, False,
        ),
    )(fn)  # fmt: skip

    def shape(x: Any, *, dim: Any = None, keepdim: bool = False) -> MetaArray:
        along(x, dim)
        return place_shape(x, dim=dim, keepdim=keepdim)

    return record.shape(shape)


def place_shape(x: Any, *, dim: Any = None, keepdim: bool = False) -> MetaArray:
    """The shape of the places of extremes."""
    return MetaArray(reduced_shape(x.shape, dim, keepdim) if x.ndim else (), np.int64)


argmax = position(
    "argmax",
    """The place of the largest value, in int64: in the flattened tensor, or along `dim`.

    dim: one dimension; None, the default, takes all. keepdim: the dimension stays, with size 1. Of
    equal values the first is taken, and NaN is larger than all. Not for bools; IndexError for no
    elements.

    >>> logits = torch.tensor([[0.1, 0.7, 0.2], [0.5, 0.3, 0.2]])
    >>> torch.argmax(logits, 1)
    tensor([1, 0])
    >>> torch.argmax(logits)
    tensor(1)
    """,
)
argmin = position(
    "argmin",
    """The place of the smallest value, in int64: in the flattened tensor, or along `dim`.

    dim: one dimension; None, the default, takes all. keepdim: the dimension stays, with size 1. Of
    equal values the first is taken, and NaN is smaller than all. Not for bools; IndexError for no
    elements.

    >>> x = torch.tensor([[0.1, 0.7, 0.2], [0.5, 0.3, 0.2]])
    >>> torch.argmin(x, 1)
    tensor([0, 2])
    >>> torch.argmin(x)
    tensor(0)
    """,
)


def count_by_numpy(x: Any, *, dims: Any, keepdims: bool, over: float) -> Any:
    """How many elements are not zero, by NumPy."""
    return np.asarray(np.count_nonzero(x, axis=dims_of(dims, x.ndim)), np.int64)


COUNT = Reduction("add", "nonzero", reference=count_by_numpy)


@op(samples=[case(arr((3, 4), 0, 2, "int64")), case(arr((3, 4), 0, 2, "int64"), dim=1)], fresh=True,
    plan=lambda input, *, dim: COUNT.plan((input,), quick_dims(dim, input.ndim)))  # fmt: skip
def count_nonzero(input: Any, *, dim: Any = None) -> Any:
    """How many elements are not zero, in int64.

    dim: an int or a tuple of dimensions to count over; None, the default, counts all.

    >>> x = torch.tensor([[0.0, 1.0, 2.0], [0.0, 0.0, 3.0]])
    >>> torch.count_nonzero(x), torch.count_nonzero(x, 0)
    (tensor(3), tensor([0, 1, 2]))
    """
    return COUNT((input,), quick_dims(dim, input.ndim))


count_nonzero.shape(lambda x, *, dim=None: MetaArray(reduced_shape(x.shape, dim, False), np.int64))
