"""Cumulative forms: cumsum, cumprod, cummax, cummin, logcumsumexp; diff, trapezoid, gradient.

Reductions are in `sums.py` and `statistics.py`.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from ... import dtypes
from ...autograd import changes
from ...autograd.node import TensorBase
from ...errors import axes, axis, message
from ...kernels.meta import MetaArray
from ...kernels.scan import select as scan
from ..core import return_types
from ..core.arguments import need_tensor
from ..core.composite import composite
from ..core.record import op
from ..core.samples import arr, case, error, ints, values
from ..core.shapes import along as along_dim
from ..elementwise import formulas as m
from ..elementwise.binary import log_add
from ..index.gather import scatter_zeros
from ..shape.views import stack
from .public import typed
from .statistics import conj, has_zero
from .sums import wide

LINE = [case((3, 4), dim=0), case((3, 4), dim=-1)]
OUT = [error(IndexError, "Dimension out of range", (3, 4), dim=2)]


def along(how: str, x: Any, dim: int, back: bool = False) -> Any:
    """Running results along `dim`, from the end with `back`."""
    d = axis(dim, x.ndim)
    return x.copy() if x.ndim == 0 else scan.accumulate(how, x, d, back)


def plan_along(how: str, back: bool = False) -> Any:
    """What states the plan of `along`."""
    return lambda input, *, dim: scan.plan(
        how, input.shape, input.strides, input.dtype, dim % input.ndim, back
    )


def summed(x: Any, *, dim: int) -> MetaArray:
    """The shape of running sums and products; whole numbers become int64."""
    axis(dim, x.ndim)
    return MetaArray(x.shape, np.int64 if x.dtype.kind in "iub" else x.dtype)


@op(samples=LINE, errors=OUT, fresh=True, public="", plan=plan_along("add"))
def cumsum(input: Any, *, dim: int) -> Any:
    """Running sums along `dim`."""
    return along("add", wide(input, None), dim)


cumsum.shape(summed)


@op(samples=LINE, fresh=True, public="", plan=plan_along("add", True))
def cumsum_back(input: Any, *, dim: int) -> Any:
    """Running sums from the end along `dim`."""
    return along("add", input, dim, True)


cumsum_back.shape(along_dim)


cumsum.vjp(lambda g, _y, _x, *, dim: cumsum_back(g, dim=dim))
cumsum_back.vjp(lambda g, _y, _x, *, dim: cumsum(g, dim=dim))


@op(samples=LINE, errors=OUT, fresh=True, public="", plan=plan_along("mul"))
def cumprod(input: Any, *, dim: int) -> Any:
    """Running products along `dim`."""
    return along("mul", wide(input, None), dim)


cumprod.shape(summed)


@cumprod.vjp
def _(g: Any, y: Any, x: Any, *, dim: int) -> Any:
    if x.ndim == 0 or x.shape[axis(dim, x.ndim)] == 1:
        return g
    if not has_zero(x):
        return cumsum_back(g * conj(y), dim=dim) / conj(x)
    d = axis(dim, x.ndim)
    n = x.shape[d]
    at = (slice(None),) * d
    xs = [conj(x[(*at, i)]) for i in range(n)]
    after = g[(*at, n - 1)]
    tails = [after]  # tails[j] = sum over k >= j of g_k * x_{j+1} ... x_k
    for j in range(n - 2, -1, -1):
        after = g[(*at, j)] + xs[j + 1] * after
        tails.append(after)
    before = m.ones_in(xs[0])
    out = []
    for j in range(n):
        out.append(before * tails[n - 1 - j])
        before = before * xs[j]
    return stack(*out, dim=d)


@op(samples=LINE, errors=OUT, fresh=True, promote="float", public="", plan=plan_along("logadd"))
def logcumsumexp(input: Any, *, dim: int) -> Any:
    """log of running sums of exp, computed without overflow."""
    if input.dtype.kind not in "cW" or input.ndim == 0:
        return along("logadd", input, dim)
    lines = np.moveaxis(input, axis(dim, input.ndim), 0)
    out = np.empty_like(lines)
    for k, line in enumerate(lines):
        out[k] = line if k == 0 else log_add(line, out[k - 1])  # of equals the new one
    return np.ascontiguousarray(np.moveaxis(out, 0, axis(dim, input.ndim)))


logcumsumexp.shape(along_dim)


@logcumsumexp.vjp
def _(g: Any, y: Any, x: Any, *, dim: int) -> Any:
    # d out_k / d x_j = exp(x_j - out_k), summed over k >= j
    a = x_array(y)
    top = float(a.real.max(initial=-np.inf))
    if np.isfinite(top) and top - float(x_array(x).real.min()) < (
        80 if a.dtype.itemsize <= 4 else 600
    ):
        return cumsum_back(g * conj(m.exp(top - y)), dim=dim) * conj(m.exp(x - top))
    if a.dtype.kind in "cW":  # logs of complex numbers have no sign to keep apart
        return conj(m.exp(back_log(m.log(conj(g)) - y, dim) + x))
    y = m.where(y == -np.inf, 0.0, y)
    # a wide range: logs all along, with positive and negative g apart
    up = m.log(m.where(g > 0, g, 0.0))
    down = m.log(m.where(g < 0, -g, 0.0))
    return m.exp(back_log(up - y, dim) + x) - m.exp(back_log(down - y, dim) + x)


def x_array(x: Any) -> Any:
    return x._a if isinstance(x, TensorBase) else x


def back_log(v: Any, dim: int) -> Any:
    return reversed_(logcumsumexp(reversed_(v, dim), dim=dim), dim)


def reversed_(v: Any, dim: int) -> Any:
    from ..shape.reorder import flip

    return flip(v, dims=(dim,)) if v.ndim else v


def running_shape(x: Any, *, dim: int) -> tuple[MetaArray, MetaArray]:
    """The shapes of running extremes and of their places."""
    axis(dim, x.ndim)
    return MetaArray(x.shape, x.dtype), MetaArray(x.shape, np.int64)


def running_extreme(name: str, pick: str) -> Any:
    def fn(input: Any, *, dim: int) -> Any:
        d = axis(dim, input.ndim)
        if input.ndim == 0:
            return input.copy(), np.zeros((), np.int64)
        return scan.extremes(name[3:], input, d)

    fn.__name__ = name + "_pair"
    fn.__doc__ = f"(running {pick} values, their last positions) along `dim`."
    record = op(
        samples=LINE,
        errors=OUT,
        fresh=True,
        public="",
        outputs=2,
        differentiable=(0,),
        node=f"{name.capitalize()}Backward0",
        return_type=return_types.return_type(name, ("values", "indices")),
        plan=lambda input, *, dim: scan.plan(
            name[3:], input.shape, input.strides, input.dtype, dim % input.ndim, False, True
        ),
    )(fn)
    record.shape(running_shape)
    return record.vjp(
        lambda g, y, _x, *, dim, shapes: (
            scatter_zeros(g[0], y[1], shape=shapes[0], dim=dim) if shapes[0] else g[0] * 1.0
        )
    )


cummax_pair = running_extreme("cummax", "largest")
cummin_pair = running_extreme("cummin", "smallest")

# -- public --------------------------------------------------------------------------------------


def of_truths(name: str, input: Any, dim: int) -> None:
    """There are no running sums and products in bool: raise, unless there is nothing to compute."""
    a = input._a
    axis(dim, a.ndim)
    if a.ndim and a.size:
        raise NotImplementedError(
            message(f"\"{name}_out_cpu\" not implemented for 'Bool'", hint=f"x.{name}({dim})")
        )


def running(record: Any, name: str, doc: str) -> Any:
    def fn(input: Any, dim: int, *, dtype: Any = None) -> Any:
        need_tensor(name, input)
        if dtype is dtypes.bool:
            of_truths(name, input, dim)
        out = record.call((typed(input, dtype, dim),), {"dim": dim})
        return typed(out, dtype)

    def inplace(input: Any, dim: int, *, dtype: Any = None) -> Any:
        if dtype is not None and dtype is not input.dtype:
            raise RuntimeError(
                message(
                    "Bad in-place call: input tensor dtype and output tensor dtype should match",
                    got=f"{name}_ of {input.dtype!r} with dtype={dtype!r}",
                    hint=f"x.{name}({dim}, dtype={dtype!r})",
                )
            )
        if input._a.dtype.kind == "b":
            of_truths(name, input, dim)
            return input  # nothing to compute
        return changes.apply_inplace(record, input, (), {"dim": dim})

    fn.__name__ = name
    inplace.__name__ = name + "_"
    fn.__doc__, inplace.__doc__ = doc, f"In-place form of `{name}`."
    samples = [case((3, 4), 1), case((3, 4), dim=0)]
    composite(inplace, adapt=True, public="Tensor", name=name + "_", samples=samples)
    samples.append(case(ints((3, 4)), 1))
    return composite(fn, adapt=True, apart="partly", entry=record, samples=samples)


public_cumsum = running(
    cumsum, "cumsum",
    """Running sums along `dim`: `y[i] = x[0] + ... + x[i]`.

    dim: the dimension; dtype: the type to which the elements are brought first. Integers and bools
    are summed in int64.

    >>> torch.cumsum(torch.tensor([[1, 2, 3], [4, 5, 6]]), 1)
    tensor([[ 1,  3,  6],
            [ 4,  9, 15]])
    """,
)
public_cumprod = running(
    cumprod, "cumprod",
    """Running products along `dim`: `y[i] = x[0] * ... * x[i]`.

    dim: the dimension; dtype: the type to which the elements are brought first. Integers and bools
    are multiplied in int64. The derivative is right where factors are 0 too.

    >>> torch.cumprod(torch.tensor([1.0, 2.0, 3.0, 4.0]), 0)
    tensor([ 1.,  2.,  6., 24.])
    """,
)


@composite(apart="partly", accepts="floating complex: logcumsumexp_out_cpu",
           adapt=True, name="logcumsumexp", samples=[case((3, 4), 1)])
def public_logcumsumexp(input: Any, dim: int) -> Any:
    """Running `log(exp(x[0]) + ... + exp(x[i]))` along `dim`, without overflow.

    For floats and complex numbers.

    >>> torch.logcumsumexp(torch.tensor([0.0, 0.0, 1000.0]), 0)
    tensor([0.0000e+00, 6.9315e-01, 1.0000e+03])
    """
    return logcumsumexp.call((input,), {"dim": dim})


@composite(accepts="floating integral bool empty 0-d: cummax_cpu",
           adapt=True, samples=[case((3, 4), 1)])
def cummax(input: Any, dim: int) -> Any:
    """The pair (values, indices) of the running maximum along `dim`.

    indices: the last place where each maximum stood, int64. NaN, once met, stays. The gradient goes
    to these places.

    >>> values, indices = torch.cummax(torch.tensor([1.0, 3.0, 2.0, 3.0]), 0)
    >>> values, indices
    (tensor([1., 3., 3., 3.]), tensor([0, 1, 1, 3]))
    """
    return cummax_pair.call((input,), {"dim": dim})


@composite(accepts="floating integral bool empty 0-d: cummin_cpu",
           adapt=True, samples=[case((3, 4), 0)])
def cummin(input: Any, dim: int) -> Any:
    """The pair (values, indices) of the running minimum along `dim`.

    indices: the last place where each minimum stood, int64. NaN, once met, stays. The gradient goes
    to these places.

    >>> values, indices = torch.cummin(torch.tensor([3.0, 1.0, 2.0, 1.0]), 0)
    >>> values, indices
    (tensor([3., 1., 1., 1.]), tensor([0, 1, 1, 3]))
    """
    return cummin_pair.call((input,), {"dim": dim})


# -- differences and integrals -------------------------------------------------------------------


@composite(
    adapt=True,
    samples=[case((3, 4)), case((3, 4), 2, 0), case((3, 4), prepend=arr((3, 1)))],
)
def diff(input: Any, n: int = 1, dim: int = -1, prepend: Any = None, append: Any = None) -> Any:
    """Differences of neighbours along `dim`, n times over: `y[i] = x[i + 1] - x[i]`.

    n: how often; 1 by default. dim: -1 by default. prepend, append: tensors put before and behind
    input first, so that the result may keep the size of input. Each time the dimension gets one
    shorter. Bools give the exclusive or.

    >>> torch.diff(torch.tensor([1, 4, 9, 16]))
    tensor([3, 5, 7])
    >>> torch.diff(torch.tensor([1, 4, 9, 16]), n=2)
    tensor([2, 2])
    >>> torch.diff(torch.tensor([1, 4, 9, 16]), prepend=torch.tensor([0]))
    tensor([1, 3, 5, 7])
    """
    if input._a.ndim == 0:
        raise RuntimeError("diff expects input to be at least one-dimensional")
    if n < 0:
        raise RuntimeError(f"order must be non-negative but got {n}")
    d = axis(dim, input._a.ndim)
    x = input
    for t in (prepend, append):
        if t is None:
            continue
        if t._a.ndim != x._a.ndim:
            raise RuntimeError("diff expects prepend or append to be the same dimension as input")
        for i, (n_x, n_t) in enumerate(zip(x._a.shape, t._a.shape, strict=True)):
            if i != d and n_x != n_t:
                raise RuntimeError(
                    "diff expects the shape of tensor to prepend or append to match that of input "
                    f"except along the differencing dimension; input.size({i}) = {n_x}, but got "
                    f"tensor.size({i}) = {n_t}"
                )
    parts = [t for t in (prepend, x, append) if t is not None]
    if len(parts) > 1:
        from ..shape.views import cat

        x = cat.call(tuple(parts), {"dim": d})
    for _ in range(n):
        k = x._a.shape[d]
        if k == 0:
            return x
        late, early = x.narrow(d, 1, k - 1), x.narrow(d, 0, k - 1)
        x = late.logical_xor(early) if x._a.dtype.kind == "b" else late - early
    return x if n else input.clone()


def widths(y: Any, x: Any, dx: Any, dim: int) -> Any:
    """Distances of neighbours: a number, or a tensor broadcastable to y's differences."""
    if x is None:
        return 1 if dx is None else dx
    if not isinstance(x, TensorBase):
        return x
    if x._a.ndim == 1:  # type: ignore[attr-defined]
        if x._a.shape[0] != y._a.shape[dim]:
            raise RuntimeError("trapezoid: There must be one `x` value for each sample point")
        shape = [1] * y._a.ndim
        shape[dim] = -1
        x = x.reshape(shape)  # type: ignore[attr-defined]
    return diff(x, 1, dim if x._a.ndim == y._a.ndim else dim - y._a.ndim)


def areas(y: Any, x: Any, dx: Any, dim: int) -> Any:
    if dx is not None and x is not None:
        raise TypeError("trapezoid() received both x and dx")
    if x is not None and not isinstance(x, TensorBase):
        raise TypeError(
            message(
                "trapezoid() received an invalid combination of arguments",
                got=f"x: {type(x).__name__}",
                wanted="a tensor of places, or one distance, dx=",
            )
        )
    d = axis(dim, y._a.ndim)
    k = y._a.shape[d]
    sums = y.narrow(d, 1, k - 1) + y.narrow(d, 0, k - 1) if k else y
    return sums * widths(y, x, dx, d) / 2.0


@composite(
    adapt=True,
    public="torch",
    aliases="trapz",
    samples=[case((3, 4)), case((3, 4), dx=0.5, dim=0), case((3, 4), values([0.0, 1.0, 3.0, 4.0]))],
)
def trapezoid(y: Any, x: Any = None, *, dx: Any = None, dim: int = -1) -> Any:
    """The integral of samples by the trapezoidal rule:
    `sum of (y[i] + y[i + 1]) / 2 * (x[i + 1] - x[i])`.

    y: the samples; x: where they were taken, of the shape of y or one-dimensional; dx: their
    distance where it is the same for all, 1 by default, not together with x. dim: -1 by default.

    >>> torch.trapezoid(torch.tensor([0.0, 1.0, 4.0]))
    tensor(3.)
    >>> torch.trapezoid(torch.tensor([0.0, 1.0, 4.0]), torch.tensor([0.0, 1.0, 3.0]))
    tensor(5.5000)
    """
    d = axis(dim, y._a.ndim)
    if not y._a.ndim:
        raise IndexError(f"Dimension specified as {dim} but tensor has no dimensions")
    if y._a.shape[d] == 0:  # of whatever type
        return y.new_zeros([n for i, n in enumerate(y._a.shape) if i != d])
    no_truths("trapezoid", y)
    no_truths("trapezoid", x)
    return areas(y, x, dx, dim).sum(dim)


@composite(
    accepts=(
        "floating integral complex: cumulative_trapezoid: received a bool input for `y`, but "
        "bool is not supported"
    ),
    adapt=True,
    public="torch",
    samples=[case((3, 4)), case((3, 4), values([0.0, 1.0, 3.0, 4.0]))],
)
def cumulative_trapezoid(y: Any, x: Any = None, *, dx: Any = None, dim: int = -1) -> Any:
    """Running integrals of samples by the trapezoidal rule; one shorter than y along `dim`.

    y, x, dx and dim are those of `trapezoid`, which is the last of them.

    >>> torch.cumulative_trapezoid(torch.tensor([0.0, 1.0, 4.0, 9.0]), dx=0.5)
    tensor([0.2500, 1.5000, 4.7500])
    """
    no_truths("cumulative_trapezoid", x)
    return areas(y, x, dx, dim).cumsum(dim)


def no_truths(name: str, x: Any) -> None:
    if isinstance(x, TensorBase) and x._a.dtype.kind == "b":
        raise RuntimeError(
            message(
                f"{name}: received a bool input for `x` or `y`, but bool is not supported",
                hint="x.float()",
            )
        )


def spacing_of(spacing: Any, count: int) -> list[Any]:
    if isinstance(spacing, (tuple, list)):
        if len(spacing) != count:
            raise RuntimeError(
                "torch.gradient expected spacing to be unspecified, a scalar or a list of length "
                f"{count}, but got a list of length {len(spacing)}"
            )
        return list(spacing)
    return [spacing] * count


@composite(
    adapt=True,
    public="torch",
    samples=[case((4, 5)), case((4, 5), spacing=2.0, dim=1, edge_order=2)],
)
def gradient(input: Any, *, spacing: Any = None, dim: Any = None, edge_order: int = 1) -> Any:
    """Derivatives estimated from samples, one tensor a dimension: central differences inside,
    one-sided ones at the edges.

    spacing: the distance of neighbours, one number for all (1 by default) or one a dimension, or a
    list of tensors of coordinates. dim: the dimensions, all by default. edge_order: 1 or 2, the
    order of the estimate at the edges. RuntimeError where a dimension has fewer than edge_order + 1
    samples.

    >>> x = torch.tensor([1.0, 4.0, 9.0, 16.0])
    >>> torch.gradient(x)
    (tensor([3., 4., 6., 7.]),)
    >>> torch.gradient(x, spacing=0.5, edge_order=2)
    (tensor([ 4.,  8., 12., 16.]),)
    """
    from ..shape.views import cat

    if input._a.dtype == np.uint8:
        raise RuntimeError(
            message("torch.gradient does not support uint8 input.", hint="input.int()")
        )

    if edge_order not in (1, 2):
        raise RuntimeError("torch.gradient only supports edge_order=1 and edge_order=2.")
    spacing = 1 if spacing is None else spacing
    n = input._a.ndim
    dims = list(range(n)) if dim is None else [dim] if isinstance(dim, int) else list(dim)
    out = []
    for d, step in zip(axes(dims, n), spacing_of(spacing, len(dims)), strict=True):
        k = input._a.shape[d]
        if k < edge_order + 1:
            raise RuntimeError(
                "torch.gradient expected each dimension size to be at least edge_order+1"
            )
        shape = [1] * n
        shape[d] = -1
        if not isinstance(step, TensorBase):
            out.append(even_gradient(input, d, k, step, edge_order))
            continue
        h = diff(step).reshape(shape)

        def at(t: Any, a: int, b: int, d: int = d) -> Any:
            return t.narrow(d, a, b)

        a, b = at(h, 0, k - 2), at(h, 1, k - 2)
        mid = (
            at(input, 0, k - 2) * (-b / (a * (a + b)))
            + at(input, 1, k - 2) * ((b - a) / (a * b))
            + at(input, 2, k - 2) * (a / (b * (a + b)))
        )
        if edge_order == 1:
            first = (at(input, 1, 1) - at(input, 0, 1)) / at(h, 0, 1)
            last = (at(input, k - 1, 1) - at(input, k - 2, 1)) / at(h, k - 2, 1)
        else:
            a, b = at(h, 0, 1), at(h, 1, 1)
            first = (
                at(input, 0, 1) * (-(2 * a + b) / (a * (a + b)))
                + at(input, 1, 1) * ((a + b) / (a * b))
                - at(input, 2, 1) * (a / (b * (a + b)))
            )
            a, b = at(h, k - 3, 1), at(h, k - 2, 1)
            last = (
                at(input, k - 3, 1) * (b / (a * (a + b)))
                - at(input, k - 2, 1) * ((a + b) / (a * b))
                + at(input, k - 1, 1) * ((2 * b + a) / (b * (a + b)))
            )
        out.append(cat.call((first, mid, last), {"dim": d}))
    return tuple(out)


def even_gradient(t: Any, d: int, k: int, h: Any, edge_order: int) -> Any:
    """Differences of evenly spaced samples, `h` apart."""
    from ..shape.views import cat

    def at(a: int, n: int = 1) -> Any:
        return t.narrow(d, a, n)

    mid = (at(2, k - 2) - at(0, k - 2)) / (2 * h)
    if edge_order == 1:
        first, last = (at(1) - at(0)) / h, (at(k - 1) - at(k - 2)) / h
    else:
        first = (-1.5 * at(0) + 2 * at(1) - 0.5 * at(2)) / h
        last = (1.5 * at(k - 1) - 2 * at(k - 2) + 0.5 * at(k - 3)) / h
    return cat.call((first, mid, last), {"dim": d})
