"""Outer and vector products, Kronecker products, triangles, diagonals and the trace.

Matrix products are in `matmul.py`.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from ... import dtypes
from ...autograd import door
from ...dtypes import type_name
from ...errors import axis, message
from ...kernels.copy import select as copying
from ...kernels.elementwise.formula import outer_product
from ...kernels.elementwise.where import lower_triangle, where
from ...kernels.meta import MetaArray
from ..core.arguments import need_tensor
from ..core.composite import composite
from ..core.record import op
from ..core.samples import case, error
from ..core.shapes import on
from ..elementwise import formulas as m
from .matmul import dot, matmul
from .operands import constant, finish, need_dims, tall

# -- outer, inner, kron, cross ---------------------------------------------------------------------


def outer_shape(a: Any, b: Any) -> MetaArray:
    """The shape of all products of two vectors' elements."""
    need_dims(a, "outer: self", 1)
    need_dims(b, "outer: vec2", 1)
    return MetaArray((a.shape[0], b.shape[0]), a.dtype)


def same_scalars(a: Any, b: Any, **_: Any) -> None:
    """A vector product does not promote."""
    if a.dtype != b.dtype:
        kinds = [type_name(dtypes.from_numpy(x.dtype)) for x in (a, b)]
        raise RuntimeError(
            message(
                f"expected scalar type {kinds[0]} but found {kinds[1]}",
                wanted="two tensors of one type",
                hint="other.to(input.dtype)",
            )
        )


def crossed_shape(a: Any, b: Any, *, dim: int = -1) -> MetaArray:
    """The shape of a vector product."""
    if a.ndim != b.ndim:
        raise RuntimeError("linalg.cross: inputs must have the same number of dimensions.")
    back = axis(dim, max(a.ndim, b.ndim)) - max(a.ndim, b.ndim)
    if a.shape[back] != 3 or b.shape[back] != 3:
        raise RuntimeError(
            message(
                f"linalg.cross: inputs dimension {dim} must have length 3. "
                f"Got {a.shape[back]} and {b.shape[back]}",
                f"{tuple(a.shape)} and {tuple(b.shape)}",
            )
        )
    return MetaArray(np.broadcast_shapes(a.shape, b.shape), a.dtype)


def taken_diagonal(x: Any, *, offset: int = 0) -> MetaArray:
    """The shape of a diagonal of the last two dimensions."""
    m, n = x.shape[-2:]
    return MetaArray((*x.shape[:-2], max(min(m + min(offset, 0), n - max(offset, 0)), 0)), x.dtype)


def trace_shape(x: Any) -> MetaArray:
    """One number; whole numbers are summed in int64."""
    if x.ndim != 2:
        raise RuntimeError(message("trace: expected a matrix", f"shape {tuple(x.shape)}"))
    return MetaArray((), np.int64 if x.dtype.kind in "biu" else x.dtype)


@op(
    samples=[case((3,), (4,))],
    errors=[error(RuntimeError, "vector", (3, 1), (3,))],
    promote="common",
    numbers=(),
    holomorphic=True,
    fresh=True,
    aliases="ger",
)
def outer(input: Any, vec2: Any) -> Any:
    """All products of an element of one vector with one of another: y[i, j] = input[i] * vec2[j].

    >>> x = torch.tensor([1, 2])
    >>> torch.outer(x, torch.tensor([3, 4, 5]))
    tensor([[ 3,  4,  5],
            [ 6,  8, 10]])
    """
    need_dims(input, "outer: self", 1)
    need_dims(vec2, "outer: vec2", 1)
    return outer_product(input, vec2)


outer.shape(outer_shape)


# The operands may be of two types, which products of matrices do not take.
outer.vjp(
    lambda g, _y, _a, b: matmul(g, b) if g.dtype == b.dtype else (g * b).sum(-1),
    lambda g, _y, a, _b: matmul(a, g) if g.dtype == a.dtype else (a[:, None] * g).sum(0),
)


@composite(samples=[case((2, 3), (4, 3)), case((3,), (3,))])
def inner(input: Any, other: Any, *, out: Any = None) -> Any:
    """Sums of products over the last dimension of both, without conjugation.

    (*a, n) and (*b, n) give (*a, *b); vectors a number. If one has no dimensions, the plain
    product.

    >>> x = torch.tensor([[1, 2], [3, 4]])
    >>> torch.inner(x, torch.tensor([1, 10]))
    tensor([21, 43])
    """
    if input.ndim == 0 or other.ndim == 0:
        return finish("inner", input * other, out)
    if input.shape[-1] != other.shape[-1]:
        raise RuntimeError(
            message(
                "inner() the last dimension must match on both input tensors but got shapes "
                f"{list(input.shape)} and {list(other.shape)}"
            )
        )
    if door.state.autocast is not None and input.ndim == other.ndim == 1:
        return finish("inner", dot(input, other), out)  # in their own type, as in PyTorch
    if input.dtype != other.dtype:
        raise RuntimeError(
            message("both inputs should have same dtype", f"{input.dtype} and {other.dtype}")
        )
    y = matmul(tall(input), tall(other).mT)
    y = y.reshape((*input.shape[:-1], *other.shape[:-1]))
    return finish("inner", y, out)


@composite(samples=[case((2, 3), (3, 2))])
def kron(input: Any, other: Any, *, out: Any = None) -> Any:
    """The Kronecker product: every element of `input` times the whole of `other`, as blocks.

    (n, m) and (p, q) give (n * p, m * q); leading dimensions of 1 are added where one has fewer.

    >>> x = torch.tensor([[1, 2]])
    >>> torch.kron(x, torch.tensor([[1, 1], [0, 1]]))
    tensor([[1, 1, 2, 2],
            [0, 1, 0, 2]])
    """
    dims = max(input.ndim, other.ndim)
    a = (1,) * (dims - input.ndim) + tuple(input.shape)
    b = (1,) * (dims - other.ndim) + tuple(other.shape)
    left = input.reshape(tuple(n for s in a for n in (s, 1)))
    right = other.reshape(tuple(n for s in b for n in (1, s)))
    y = (left * right).reshape(tuple(m * n for m, n in zip(a, b, strict=True)))
    return finish("kron", y, out)


@op(
    samples=[case((4, 3), (4, 3)), case((3, 4), (3, 4), dim=0), case((2, 1, 3), (1, 4, 3))],
    errors=[error(RuntimeError, "must have length 3", (4, 2), (4, 2))],
    public="",
    unmixed=same_scalars,
    holomorphic=True,
    fresh=True,
)
def linalg_cross(input: Any, other: Any, *, dim: int = -1) -> Any:
    """The vector product along a dim of size 3."""
    where = axis(dim, max(input.ndim, other.ndim))
    back = where - max(input.ndim, other.ndim)
    if input.ndim != other.ndim:
        raise RuntimeError("linalg.cross: inputs must have the same number of dimensions.")
    if input.shape[back] != 3 or other.shape[back] != 3:
        raise RuntimeError(
            message(
                f"linalg.cross: inputs dimension {dim} must have length 3. "
                f"Got {input.shape[back]} and {other.shape[back]}",
                f"{tuple(input.shape)} and {tuple(other.shape)}",
            )
        )
    if input.dtype.kind == "b":
        raise NotImplementedError(
            message("\"cross\" not implemented for 'Bool'", hint="input.float()")
        )
    same_scalars(input, other)
    a = [input.take(i, axis=back) for i in range(3)]
    b = [other.take(i, axis=back) for i in range(3)]
    parts = [a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]]
    return np.stack(parts, axis=where if parts[0].ndim + 1 == max(input.ndim, other.ndim) else back)


linalg_cross.shape(crossed_shape)


linalg_cross.vjp(
    lambda g, _y, _a, b, *, dim: linalg_cross(b, g, dim=dim),
    lambda g, _y, a, _b, *, dim: linalg_cross(g, a, dim=dim),
)


@composite(public="linalg", name="cross", samples=[case((2, 3), (2, 3))])
def _cross_last(input: Any, other: Any, *, dim: int = -1, out: Any = None) -> Any:
    """The vector product along a dimension of size 3, the last one by default; the others
    broadcast.

    >>> x = torch.tensor([1.0, 0.0, 0.0])
    >>> torch.linalg.cross(x, torch.tensor([0.0, 1.0, 0.0]))
    tensor([0., 0., 1.])
    """
    return finish("cross", linalg_cross(input, other, dim=dim), out)


@composite(samples=[case((2, 3), (2, 3)), case((3, 2), (3, 2), 0)])
def cross(input: Any, other: Any, dim: int | None = None, *, out: Any = None) -> Any:
    """The vector product along `dim`, a dimension of size 3.

    (a1*b2 - a2*b1, a2*b0 - a0*b2, a0*b1 - a1*b0). Without `dim` the first dimension of size 3 is
    taken; `linalg.cross` takes the last one.

    >>> x = torch.tensor([1.0, 0.0, 0.0])
    >>> torch.cross(x, torch.tensor([0.0, 1.0, 0.0]), dim=0)
    tensor([0., 0., 1.])
    """
    need_tensor("cross", other, 2, "other")
    if dim is None:
        found = [i for i, n in enumerate(input.shape) if n == 3]
        if not found:
            raise RuntimeError("no dimension of size 3 in input")
        dim = found[0]
    return finish("cross", linalg_cross(input, other, dim=dim), out)


# -- triangles and diagonals -----------------------------------------------------------------------


def _part(x: Any, diagonal: int, inside: bool) -> Any:
    """The elements of each matrix up to a diagonal, or those behind it."""
    if x.flags.c_contiguous:
        plan = copying.plan_triangle(x.dtype, x.shape, diagonal, inside)
        if plan is not None:
            return plan.run(x)
    n, m = x.shape[-2:]
    mask = lower_triangle(n, m, diagonal)
    nothing = np.zeros((), x.dtype)
    return where(mask, x, nothing) if inside else where(mask, nothing, x)


def _at_least_2d(name: str, x: Any) -> None:
    if x.ndim < 2:
        raise RuntimeError(
            message(
                f"{name}: input tensor must have at least 2 dimensions", f"shape {tuple(x.shape)}"
            )
        )


@op(
    samples=[case((3, 4)), case((2, 4, 3), diagonal=-1), case((3, 3), diagonal=2)],
    errors=[error(RuntimeError, "at least 2 dimensions", (3,))],
    low="keep",
    inplace="method",
    fresh=True,
)
def tril(input: Any, *, diagonal: int = 0) -> Any:
    """The lower triangle of each matrix (*, n, m): elements above the diagonal are 0.

    `diagonal`: up to which diagonal elements stay; positive ones are above the main one.

    >>> x = torch.ones(2, 3)
    >>> torch.tril(x)
    tensor([[1., 0., 0.],
            [1., 1., 0.]])
    >>> torch.tril(x, 1)
    tensor([[1., 1., 0.],
            [1., 1., 1.]])
    """
    _at_least_2d("tril", input)
    return _part(input, diagonal, True)


tril.shape(on(lambda x, diagonal=0: _at_least_2d("tril", x)))


tril.vjp(lambda g, _y, _x, *, diagonal: tril(g, diagonal=diagonal))


@op(
    samples=[case((3, 4)), case((2, 4, 3), diagonal=-1), case((3, 3), diagonal=2)],
    errors=[error(RuntimeError, "at least 2 dimensions", (3,))],
    low="keep",
    inplace="method",
    fresh=True,
)
def triu(input: Any, *, diagonal: int = 0) -> Any:
    """The upper triangle of each matrix (*, n, m): elements below the diagonal are 0.

    `diagonal`: from which diagonal on elements stay; positive ones are above the main one.

    >>> x = torch.ones(2, 3)
    >>> torch.triu(x)
    tensor([[1., 1., 1.],
            [0., 1., 1.]])
    >>> torch.triu(x, 1)
    tensor([[0., 1., 1.],
            [0., 0., 1.]])
    """
    _at_least_2d("triu", input)
    return _part(input, diagonal - 1, False)


triu.shape(on(lambda x, diagonal=0: _at_least_2d("triu", x)))


triu.vjp(lambda g, _y, _x, *, diagonal: triu(g, diagonal=diagonal))


@op(samples=[case((3, 4)), case((2, 3, 3), offset=1)], public=None, low="keep", fresh=True)
def take_diagonal(x: Any, *, offset: int = 0) -> Any:
    """The diagonal of the last two dims, copied."""
    return np.diagonal(x, offset, -2, -1).copy()


take_diagonal.shape(taken_diagonal)


@take_diagonal.vjp
def _take_rule(g: Any, _y: Any, _x: Any, *, offset: int, shapes: Any) -> Any:
    return put_diagonal(g, rows=shapes[0][-2], columns=shapes[0][-1], offset=offset)


@op(
    samples=[case((3,), rows=3, columns=4), case((2, 2), rows=3, columns=3, offset=1)],
    public=None,
    low="keep",
    fresh=True,
)
def put_diagonal(v: Any, *, rows: int, columns: int, offset: int = 0) -> Any:
    """Matrices of zeros with the last dim of v on a diagonal."""
    y = np.zeros((*v.shape[:-1], rows, columns), v.dtype)
    i = np.arange(v.shape[-1])
    y[..., i + max(-offset, 0), i + max(offset, 0)] = v
    return y


put_diagonal.shape(
    lambda v, *, rows, columns, offset=0: MetaArray((*v.shape[:-1], rows, columns), v.dtype)
)


put_diagonal.vjp(lambda g, _y, _v, *, offset: take_diagonal(g, offset=offset))


@composite(samples=[case((3,)), case((3, 4), 1)])
def diag(input: Any, diagonal: int = 0, *, out: Any = None) -> Any:
    """Of a vector (n,) the matrix that has it on its diagonal; of a matrix its diagonal, as a copy.

    A positive `diagonal` is above the main one.

    >>> x = torch.tensor([1, 2])
    >>> torch.diag(x)
    tensor([[1, 0],
            [0, 2]])
    >>> torch.diag(torch.tensor([[1, 2], [3, 4]]))
    tensor([1, 4])
    """
    if input.ndim == 1:
        n = input.shape[0] + abs(diagonal)
        y = put_diagonal(input, rows=n, columns=n, offset=diagonal)
    elif input.ndim == 2:
        y = take_diagonal(input, offset=diagonal)
    else:
        raise RuntimeError(
            message(
                f"diag(): Supports 1D or 2D tensors. Got {input.ndim}D",
                hint="torch.diagonal or torch.diag_embed for stacks",
            )
        )
    return finish("diag", y, out)


@op(
    accepts="floating integral complex: trace",
    autocast="float32",
    samples=[case((3, 4)), case((3, 3))],
    errors=[error(RuntimeError, "matrix", (3,))],
    fresh=True,
)
def trace(input: Any) -> Any:
    """The sum of the diagonal of a matrix (n, m); of integers in int64.

    >>> x = torch.tensor([[1.0, 2.0], [3.0, 4.0]])
    >>> torch.trace(x)
    tensor(5.)
    """
    if input.ndim != 2:
        raise RuntimeError(message("trace: expected a matrix", f"shape {tuple(input.shape)}"))
    return np.trace(input, dtype=np.int64 if input.dtype.kind in "biu" else None)


trace.shape(trace_shape)


trace.vjp(
    lambda g, _y, _x, *, shapes: m.where(constant(np.eye(*shapes[0]), g) == 1, g, m.zero_like(g))
)


@composite(public="linalg", name="diagonal", samples=[case((3, 4)), case((3, 4), offset=1)])
def _linalg_diagonal(A: Any, *, offset: int = 0, dim1: int = -2, dim2: int = -1) -> Any:
    """A view of the diagonals of matrices (*, m, n), as the last dimension.

    `torch.diagonal`, but of the last two dimensions by default.

    >>> torch.linalg.diagonal(torch.eye(2))
    tensor([1., 1.])
    """
    return A.diagonal(offset, dim1, dim2)
