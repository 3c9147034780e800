"""Norms: vector_norm, matrix_norm, norm (both generations), dist, renorm, vecdot.

One op carries all vector norms; matrix norms are made of it, of sums, and of singular values. Not
here: distances between rows (`distances.py`).
"""

from __future__ import annotations

import builtins
import math
from typing import Any

import numpy as np

from ...autograd.door import wrap
from ...dtypes import type_name
from ...errors import axes, axis, message
from ...kernels.elementwise.lowered import EXPONENTS
from ...kernels.meta import MetaArray
from ...kernels.reduce.select import Reduction
from ..core.arguments import need_tensor
from ..core.composite import composite
from ..core.record import op
from ..core.reduction import reduced_shape
from ..core.samples import arr, case
from ..core.shapes import real_of
from ..elementwise.formulas import abs as magnitude
from ..elementwise.formulas import sgn, where, zero_like
from ..reduce import sums as reductions
from .operands import finish

INF = math.inf


def _root_of_squares(x: Any, *, dims: Any, keepdims: bool, over: float) -> Any:
    if dims is None and not keepdims and x.dtype.kind == "f" and x.flags.c_contiguous:
        flat = x.reshape(-1)
        total = np.dot(flat, flat)
        if np.isfinite(total) and total > 1e-30:
            return np.sqrt(total)
    if x.dtype.kind not in "cW":
        return np.sqrt((x * x).sum(axis=dims, keepdims=keepdims))
    squares = x.real**2 + x.imag**2
    if np.isnan(squares).any():  # a part of infinity makes a number infinite, beside NaN too
        squares = np.abs(x) ** 2
    return np.sqrt(squares.sum(axis=dims, keepdims=keepdims))


def _sizes(x: Any, *, dims: Any, keepdims: bool, over: float) -> Any:
    return np.abs(x).sum(axis=dims, keepdims=keepdims)


def _largest(x: Any, *, dims: Any, keepdims: bool, over: float) -> Any:
    return np.abs(x).max(axis=dims, keepdims=keepdims, initial=0)


def _smallest(x: Any, *, dims: Any, keepdims: bool, over: float) -> Any:
    return np.abs(x).min(axis=dims, keepdims=keepdims)


def _powers(x: Any, *, dims: Any, keepdims: bool, over: float, p: float) -> Any:
    size = np.abs(x)
    return (size ** size.dtype.type(p)).sum(axis=dims, keepdims=keepdims)


BY_ORDER = {
    2.0: Reduction("add", lambda x: x * x, "squares", wide=True, finish="root",
                   reference=_root_of_squares),
    1.0: Reduction("add", magnitude, "sizes", reference=_sizes),
    INF: Reduction("max", magnitude, "sizes", reference=_largest),
    -INF: Reduction("min", magnitude, "sizes", reference=_smallest),
}  # fmt: skip
POWERS = Reduction("add", lambda x, *, p: magnitude(x) ** p, "powers", reference=_powers,
                   fixed={"p": EXPONENTS})  # fmt: skip


def plan_norm(x: Any, *, ord: float, dim: Any, keepdim: bool) -> Any:
    """The plan of the reduction of a vector norm."""
    if ord in BY_ORDER:
        return BY_ORDER[ord].plan((x,), dim, keepdim)
    return POWERS.plan((x,), dim, keepdim, p=ord)


@op(
    samples=[
        case((3, 4), ord=2.0),
        case((3, 4), ord=2.0, dim=(1,)),
        case((3, 4), ord=1.0, dim=(0,), keepdim=True),
        case((3, 4), ord=INF, dim=(1,)),
        case((3, 4), ord=-INF),
        case((3, 4), ord=3.0, dim=(1,)),
        case((3, 4), ord=0.5, dim=(1,)),
        case((2, 3, 4), ord=2.5, dim=(0, 2)),
        case((3, 4), ord=0.0),
    ],
    public="",
    fresh=True,
    promote="float",
    plan=plan_norm,
)
def linalg_vector_norm(x: Any, *, ord: float = 2.0, dim: Any = None, keepdim: bool = False) -> Any:
    """(sum |x|^ord)^(1/ord) over dims."""
    if x.size == 0:
        empty = [d for d in (range(x.ndim) if dim is None else dim) if x.shape[d] == 0]
        if empty and (ord < 0 or ord == INF):
            raise RuntimeError(
                message(
                    f"linalg.vector_norm cannot compute the {ord} norm on an empty tensor because "
                    "the operation does not have an identity",
                    f"shape {tuple(x.shape)}",
                )
            )
    if ord in BY_ORDER:
        return BY_ORDER[ord]((x,), dim, keepdim)
    if ord == 0:
        size = np.abs(x)
        return (size != 0).sum(axis=dim, keepdims=keepdim, dtype=size.dtype)
    total = POWERS((x,), dim, keepdim, p=ord)
    return np.asarray(total ** total.dtype.type(1 / ord))


linalg_vector_norm.shape(
    lambda x, *, ord=2.0, dim=None, keepdim=False: (
        MetaArray(reduced_shape(x.shape, dim, keepdim), real_of(x.dtype))
    )
)


def _kept(v: Any, shape: tuple[int, ...], dim: Any, keepdim: bool) -> Any:
    """A reduced value with its dims back as size 1."""
    if keepdim:
        return v
    dims = range(len(shape)) if dim is None else dim
    return v.reshape(tuple(1 if i in dims else n for i, n in enumerate(shape)))


@linalg_vector_norm.vjp
def _vector_norm_rule(g: Any, y: Any, x: Any, *, ord: float, dim: Any, keepdim: bool) -> Any:
    g, y = _kept(g, x.shape, dim, keepdim), _kept(y, x.shape, dim, keepdim)
    if ord == 0:
        return None
    if builtins.abs(ord) == INF:
        hit = magnitude(x) == y
        dims = tuple(range(x.ndim)) if dim is None else dim
        return sgn(x) * (hit * (g / reductions.sum(hit, dim=dims, keepdim=True)))
    return slopes(g, y, x, ord)


def slopes(g: Any, y: Any, x: Any, ord: float) -> Any:
    """What each x has of the gradient of y, their norm of an order that is neither 0 nor infinite;
    g and y broadcast to x."""
    if ord == 1:
        return sgn(x) * g
    if ord == 2:
        return x * where(y == 0, zero_like(g), g / (y + (y == 0)))
    size = magnitude(x)
    if ord < 0:  # a zero makes the norm 0, of which the others have no part
        return sgn(x) * (g * (y / (size + (size == 0))) ** (1 - ord))
    ratio = (size + (size == 0)) / (y + (y == 0))  # 1 where both are 0, and sgn(x) is 0 there
    return sgn(x) * (where(y == 0, zero_like(g), g) * ratio ** (ord - 1))


def as_ord(ord: Any) -> float:
    """The order of a vector norm as a number."""
    if isinstance(ord, str):
        raise RuntimeError(f"linalg.vector_norm: order {ord!r} is not a number")
    not_complex("vector_norm", ord)
    return float(ord)


def not_complex(name: str, ord: Any) -> None:
    """RuntimeError for an order that is complex."""
    if isinstance(ord, complex):
        raise RuntimeError(
            message(
                f"linalg.{name}: Expected a non-complex scalar as the order of norm.",
                f"ord={ord}",
            )
        )


def as_dims(dim: Any, ndim: int) -> tuple[int, ...] | None:
    """A dim argument (None, a number, a list) as a tuple or None."""
    dims = None if dim is None else axes(dim, ndim)
    return (dims or None) if ndim else None


def need_float(name: str, x: Any) -> None:
    """Raise PyTorch's error unless x is a float or complex tensor."""
    if x._a.dtype.kind not in "fcVW":
        raise RuntimeError(
            message(
                f"{name}: Expected a floating point or complex tensor as input. Got {x.dtype}",
                hint="x.float()",
            )
        )


@composite(
    public="linalg",
    samples=[case((3, 4)), case((3, 4), 1, 1), case(arr((3, 4), 0.5, 2), 3.0, 0, True)],
)
def vector_norm(
    x: Any,
    ord: Any = 2,
    dim: Any = None,
    keepdim: bool = False,
    *,
    dtype: Any = None,
    out: Any = None,
) -> Any:
    """The vector norm over dims (all by default): (sum |x|^ord)^(1/ord); ord may be 0, inf,
    -inf.

    >>> torch.linalg.vector_norm(torch.tensor([3.0, 4.0]))
    tensor(5.)
    """
    need_float("linalg.vector_norm", x)
    x = x if dtype is None else x.to(dtype)
    y = linalg_vector_norm(x, ord=as_ord(ord), dim=as_dims(dim, x.ndim), keepdim=keepdim)
    return finish("vector_norm", y, out)


@composite(public="linalg", samples=[case((3, 4)), case((3, 4), "nuc"), case((3, 4), 1)])
def matrix_norm(
    A: Any,
    ord: Any = "fro",
    dim: Any = (-2, -1),
    keepdim: bool = False,
    *,
    dtype: Any = None,
    out: Any = None,
) -> Any:
    """The norm of matrices: of the last two dimensions by default.

    `ord`: "fro" (the root of the sum of squares), "nuc" (the sum of the singular values), inf and
    -inf (largest, smallest sum of |a| over a row), 1 and -1 (over a column), 2 and -2 (largest,
    smallest singular value).

    >>> a = torch.tensor([[3.0, 0.0], [0.0, 4.0]])
    >>> torch.linalg.matrix_norm(a)
    tensor(5.)
    >>> torch.linalg.matrix_norm(a, "nuc")
    tensor(7.)
    """
    need_float("linalg.matrix_norm", A)
    if A.ndim < 2:
        raise RuntimeError(
            "linalg.matrix_norm: The input tensor A must have at least 2 dimensions."
        )
    places = dim if isinstance(dim, (tuple, list)) else (dim,)
    if len(places) != 2:
        raise RuntimeError(
            f"linalg.matrix_norm: dim must be a 2-tuple. Got {' '.join(map(str, places))}"
        )
    not_complex("matrix_norm", ord)
    if isinstance(ord, str) and ord not in ("fro", "nuc"):
        raise RuntimeError(f"linalg.matrix_norm: Order {ord} not supported.")
    dims = tuple(axis(d, A.ndim) for d in places)
    if dims[0] == dims[1]:
        raise RuntimeError(f"linalg.matrix_norm: dims must be different. Got {dims}")
    A = A if dtype is None else A.to(dtype)
    row, column = dims
    if ord in (INF, -INF):
        row, column = column, row
    counted = A.shape[column] if ord in (1, INF) else min(A.shape[row], A.shape[column])
    if ord in (1, 2, INF) and counted == 0:  # the largest of nothing: 0, of which no history is
        sizes = [1 if i in dims else n for i, n in enumerate(A.shape) if keepdim or i not in dims]
        y = A.real.new_zeros(sizes)
    elif ord == "fro":
        y = linalg_vector_norm(A, ord=2.0, dim=dims, keepdim=keepdim)
    elif ord == "nuc" or ord in (2, -2):
        from .spectral import svdvals

        rest = [i for i in range(A.ndim) if i not in dims]
        s = svdvals(A.permute((*rest, *dims)))
        y = s.sum(-1) if ord == "nuc" else s.amax(-1) if ord == 2 else s.amin(-1)
        if keepdim:
            y = y.reshape(tuple(1 if i in dims else n for i, n in enumerate(A.shape)))
    elif ord in (1, -1, INF, -INF):
        sums = A.abs().sum(row, keepdim=True)
        y = sums.amax(column, keepdim=True) if ord > 0 else sums.amin(column, keepdim=True)
        y = y if keepdim else y.squeeze(dims)
    else:
        raise RuntimeError(f"linalg.matrix_norm: Order {ord} not supported.")
    return finish("matrix_norm", y, out)


@composite(adapt=True, public="torch", samples=[case((3, 4)), case((2, 3, 4), [0, 2])])
def nuclear_norm(input: Any, dim: Any = (-2, -1), keepdim: bool = False) -> Any:
    """The sum of the singular values of matrices; an older name of `linalg.matrix_norm(A, "nuc")`.

    >>> x = torch.tensor([[3.0, 0.0], [0.0, 4.0]])
    >>> torch.nuclear_norm(x)
    tensor(7.)
    """
    return matrix_norm(input, "nuc", dim, keepdim)


@composite(
    public="linalg",
    name="norm",
    samples=[case((3, 4)), case((3, 4), 2), case((3, 4), 1, 1)],
)
def _linalg_norm(
    input: Any,
    ord: Any = None,
    dim: Any = None,
    keepdim: bool = False,
    *,
    dtype: Any = None,
    out: Any = None,
) -> Any:
    """A vector norm or a matrix norm, as `ord` and `dim` say.

    Without `ord` the root of the sum of squares of all elements (or over `dim`). With an `ord` and
    one dimension `vector_norm`, with two dimensions, or for a matrix without `dim`, `matrix_norm`.

    >>> a = torch.tensor([[3.0, 0.0], [0.0, 4.0]])
    >>> torch.linalg.norm(a)
    tensor(5.)
    >>> torch.linalg.norm(a, 2)
    tensor(4.)
    """
    if dim is not None and not isinstance(dim, (tuple, list)):
        dim = (dim,)
    if ord is None:
        return vector_norm(input, 2, dim, keepdim, dtype=dtype, out=out)
    if dim is not None and len(dim) not in (1, 2):
        raise RuntimeError(
            "linalg.norm: If dim is specified, it must be of length 1 or 2. "
            f"Got [{', '.join(map(str, dim))}]"
        )
    if dim is None and input.ndim not in (1, 2):
        raise RuntimeError(
            "linalg.norm: If dim is not specified but ord is, the input must be 1D or 2D. "
            f"Got {input.ndim}D."
        )
    if isinstance(ord, str) or len(dim or input.shape) == 2:
        dims = (-2, -1) if dim is None else dim
        return matrix_norm(input, ord, dims, keepdim, dtype=dtype, out=out)
    return vector_norm(input, ord, dim, keepdim, dtype=dtype, out=out)


@composite(public="torch Tensor", samples=[case((3, 4)), case((3, 4), 1, 1)])
def norm(
    input: Any,
    p: Any = "fro",
    dim: Any = None,
    keepdim: bool = False,
    out: Any = None,
    dtype: Any = None,
) -> Any:
    """The p-norm over `dim`, of all elements by default: (sum |x|^p)^(1/p).

    `p` is a number, inf or -inf, "fro" (the same as 2) or "nuc" (of matrices). Of matrices a number
    is not the operator's norm: `linalg.matrix_norm` is. `dtype` converts first.

    >>> x = torch.tensor([[3.0, 4.0], [0.0, 0.0]])
    >>> torch.norm(x)
    tensor(5.)
    >>> torch.norm(x, p=1, dim=1)
    tensor([7., 0.])
    """
    need_float("norm", input)
    if p == "nuc":
        dims = tuple(range(input.ndim)) if dim is None else dim
        return matrix_norm(input, "nuc", dims, keepdim, dtype=dtype, out=out)
    if isinstance(p, str) and p != "fro":
        raise RuntimeError(
            message(f"norm: order {p!r} is not supported", hint='"fro", "nuc" or a number')
        )
    order = 2.0 if p is None or p == "fro" else float(p)
    x = input if dtype is None else input.to(dtype)
    y = linalg_vector_norm(x, ord=order, dim=as_dims(dim, x.ndim), keepdim=keepdim)
    return finish("norm", y, out)


@composite(samples=[case((3, 4), (4,)), case((3, 4), (3, 4), 1)])
def dist(input: Any, other: Any, p: float = 2) -> Any:
    """The p-norm of input - other: one number, (sum |input - other|^p)^(1/p).

    The operands broadcast; p may be 0 (how many differ), inf and -inf.

    >>> x = torch.tensor([1.0, 1.0])
    >>> torch.dist(x, torch.tensor([4.0, 5.0]))
    tensor(5.)
    >>> torch.dist(x, torch.tensor([4.0, 5.0]), p=1)
    tensor(7.)
    """
    need_tensor("dist", input)
    need_tensor("dist", other, 2, "other")
    apart = input - other
    if apart._a.dtype.kind in "iub":
        kind = type_name(apart.dtype)
        raise RuntimeError(
            message(
                f"norm(): input dtype should be either floating point or complex. Got {kind} "
                "instead."
            )
        )
    return linalg_vector_norm(apart, ord=float(p))


@composite(accepts=(
               "floating complex: linalg.vecdot: Expected a floating point or complex tensor as "
               "input. Got {}"
           ),
           autocast="lower", public="linalg", samples=[case((2, 3), (2, 3))])
def vecdot(x: Any, y: Any, *, dim: int = -1, out: Any = None) -> Any:
    """Sums of conj(x) * y along `dim`; the other dimensions broadcast.

    >>> x = torch.tensor([[1.0, 2.0], [3.0, 4.0]])
    >>> torch.linalg.vecdot(x, torch.tensor([1.0, 10.0]))
    tensor([21., 43.])
    """
    if x._a.dtype != y._a.dtype:
        raise RuntimeError(
            message(
                "linalg.vecdot: Expected x and y to have the same dtype, but found x of type "
                f"{type_name(x.dtype)} and y of type {type_name(y.dtype)} instead",
                hint="y.to(x.dtype)",
            )
        )
    return finish("vecdot", (x.conj() * y).sum(dim), out)


@composite(public="torch Tensor", inplace="method", samples=[case((3, 4), 2, 0, 1.0)])
def renorm(input: Any, p: float, dim: int, maxnorm: float, *, out: Any = None) -> Any:
    """Each slice along `dim` scaled down so that its p-norm is at most `maxnorm`.

    Slices below stay as they are.

    >>> x = torch.tensor([[3.0, 4.0], [0.3, 0.4]])
    >>> torch.renorm(x, 2, 0, 1.0)
    tensor([[0.6000, 0.8000],
            [0.3000, 0.4000]])
    """
    if input.ndim < 2:
        raise RuntimeError(
            f"renorm: input needs at least 2 dimensions, got {input.ndim} dimensions"
        )
    if p <= 0:
        raise RuntimeError(message("renorm: non-positive-norm not supported", got=f"p={p}"))
    if maxnorm < 0:
        raise RuntimeError(message(f"renorm: expected maxnorm to be >= 0 but got {maxnorm}"))
    where_dim = axis(dim, input.ndim)
    need_float("linalg.vector_norm", input)
    dims = tuple(i for i in range(input.ndim) if i != where_dim)

    def sizes(x: Any) -> Any:
        return linalg_vector_norm(x, ord=float(p), dim=dims, keepdim=True)

    over = sizes(input.detach()) > maxnorm
    # no gradient passes the size of what stays, which may not be finite; 1 is in its place
    size = sizes(where(over, input, wrap(np.zeros((), input._a.dtype)))) + ~over
    return finish("renorm", where(over, input * (maxnorm / (size + 1e-7)), input), out)
