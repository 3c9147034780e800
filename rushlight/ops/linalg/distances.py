"""Distances between rows: cdist, pdist.

Distances are reductions of a formula of two operands, each expanded along the other's rows: no
difference is written down, but for those of order 0 and for gradients. The second operand is turned
first, so that a vector holds the distances of one row to several others. Many distances of order 2
are one product of matrices, their gradients too.

Not here: norms, the distance of two tensors (`norm.py`), of rows that belong together
(`nn/loss_pairs.py`).
"""

from __future__ import annotations

from typing import Any

import numpy as np

from ...autograd.door import wrap
from ...dtypes import type_name
from ...errors import message
from ...kernels.elementwise.formula import fuse
from ...kernels.elementwise.lowered import EXPONENTS
from ...kernels.matmul.select import product
from ...kernels.meta import MetaArray
from ...kernels.reduce.select import Reduction
from ...kernels.strided import expanded, view_with
from ..core.arguments import need_tensor
from ..core.composite import composite
from ..core.record import op
from ..core.samples import case
from ..elementwise import formulas as m
from ..elementwise.formulas import abs as magnitude
from ..elementwise.formulas import sgn, where, zero_like
from ..reduce import sums as reductions
from .matmul import matmul
from .norm import INF, slopes


def _root_of_squares(a: Any, b: Any, *, dims: Any, keepdims: bool, over: float) -> Any:
    """By NumPy, squares in float64 as the kernel has them."""
    squares = np.square(a - b, dtype=np.float64).sum(axis=dims, keepdims=keepdims)
    return np.sqrt(squares).astype(a.dtype)


BY_ORDER = {
    1.0: Reduction("add", lambda a, b: magnitude(a - b), "distances"),
    2.0: Reduction("add", lambda a, b: (a - b) * (a - b), "squared distances", wide=True,
                   finish="root", reference=_root_of_squares),
    INF: Reduction("max", lambda a, b: magnitude(a - b), "distances"),
}  # fmt: skip
POWERS = Reduction("add", lambda a, b, *, p: magnitude(a - b) ** p, "powers of distances",
                   fixed={"p": EXPONENTS})  # fmt: skip
SQUARES = Reduction("add", lambda x: x * x, "squares", wide=True)
EUCLIDEAN = fuse(
    lambda ab, a, b: m.sqrt(m.maximum(a + b - ab * 2, zero_like(ab))), "euclidean distances"
)  # fmt: skip


def distances_shape(a: Any, b: Any, **_p: Any) -> MetaArray:
    """The shape of all distances of two sets of rows."""
    return MetaArray(shape_of(a, b), a.dtype)


def shape_of(a: Any, b: Any) -> tuple[int, ...]:
    """The same as a tuple: (..., rows of a, rows of b)."""
    batch, other = a.shape[:-2], b.shape[:-2]
    if batch != other:
        batch = np.broadcast_shapes(batch, other)
    return (*batch, a.shape[-2], b.shape[-2])


def pairs(x1: Any, x2: Any, shape: tuple[int, ...]) -> tuple[Any, Any]:
    """Both operands (..., P, R, M) without copies, but for x2, turned so that R lies innermost."""
    turned, whole = np.ascontiguousarray(x2.mT), (*shape, x1.shape[-1])
    if x1.shape[:-2] == x2.shape[:-2]:  # quicker than NumPy's helpers
        *batch, rows, columns = x1.strides
        first = view_with(x1, whole, (*batch, rows, 0, columns))
        *batch, columns, rows = turned.strides
        return first, view_with(turned, whole, (*batch, 0, rows, columns))
    return expanded(x1[..., :, None, :], whole), expanded(turned.mT[..., None, :, :], whole)


# -- one by one ------------------------------------------------------------------------------------


@op(
    samples=[
        case((5, 3), (4, 3), p=2.0),
        case((2, 5, 3), (4, 3), p=1.0),
        case((1, 5, 3), (2, 4, 3), p=INF),
        case((5, 3), (4, 3), p=3.0),
        case((5, 3), (4, 3), p=0.5),
        case((5, 3), (4, 3), p=0.0),
    ],
    public="",
    fresh=True,
    node="CdistBackward0",
)
def distances_of_order(x1: Any, x2: Any, *, p: float) -> Any:
    """(sum over m of |x1[i, m] - x2[j, m]|^p)^(1/p); of order 0 how many are not 0."""
    shape = shape_of(x1, x2)
    if x1.shape[-1] == 0 or 0 in shape:
        return np.zeros(shape, x1.dtype)
    both = pairs(x1, x2, shape)
    if p == 0:
        return (both[0] != both[1]).sum(-1, dtype=x1.dtype)
    fold = BY_ORDER.get(p)
    if fold is not None:
        return fold(both, len(shape))
    total = POWERS(both, len(shape), p=p)
    return total ** total.dtype.type(1 / p)


distances_of_order.shape(distances_shape)


def _slopes(g: Any, y: Any, x1: Any, x2: Any, p: float) -> Any:
    """What each difference x1[i, m] - x2[j, m] has of the gradient; of equal largest ones each has
    it whole, as in PyTorch."""
    apart, g, y = x1[..., :, None, :] - x2[..., None, :, :], g[..., None], y[..., None]
    if p == INF:
        return sgn(apart) * (g * (magnitude(apart) == y))
    return slopes(g, y, apart, p)


def _of_first(g: Any, y: Any, x1: Any, x2: Any, *, p: float) -> Any:
    if p == 0:
        return zero_like(x1)
    return reductions.sum(_slopes(g, y, x1, x2, p), dim=(-2,))


def _of_second(g: Any, y: Any, x1: Any, x2: Any, *, p: float) -> Any:
    if p == 0:
        return zero_like(x2)
    return -reductions.sum(_slopes(g, y, x1, x2, p), dim=(-3,))


distances_of_order.vjp(_of_first, _of_second)


# -- through a product of matrices -----------------------------------------------------------------


@op(
    samples=[case((5, 3), (4, 3)), case((2, 5, 3), (2, 4, 3))],
    public="",
    fresh=True,
    node="EuclideanDistBackward0",
)
def euclidean_distances(x1: Any, x2: Any) -> Any:
    """All distances through one matrix product: sqrt(|a|^2 + |b|^2 - 2 ab)."""
    if 0 in shape_of(x1, x2):
        return np.zeros(shape_of(x1, x2), x1.dtype)
    first, second = (SQUARES((x,), x.ndim - 1) for x in (x1, x2))
    return EUCLIDEAN(product(x1, x2.mT), first[..., :, None], second[..., None, :])


euclidean_distances.shape(distances_shape)


def _one_side(g: Any, y: Any, x: Any, other: Any) -> Any:
    w = where(y == 0, zero_like(g), g / (y + (y == 0)))
    return x * reductions.sum(w, dim=(-1,), keepdim=True) - matmul(w, other)


euclidean_distances.vjp(
    lambda g, y, a, b: _one_side(g, y, a, b),
    lambda g, y, a, b: _one_side(g.mT, y.mT, b, a),
)


# -- what is public --------------------------------------------------------------------------------


@composite(accepts="floating: cdist only supports floating-point dtypes, X1 got: {}",
           autocast="float32", public="torch",
           samples=[case((2, 3, 4), (2, 5, 4)), case((3, 4), (5, 4), 1.0)])
def cdist(
    x1: Any,
    x2: Any,
    p: float = 2.0,
    compute_mode: str | None = "use_mm_for_euclid_dist_if_necessary",
) -> Any:
    """The p-norm distances between rows of x1 (*, P, M) and rows of x2 (*, R, M): (*, P, R).

    For p=2 and more than 25 rows through one matrix product, which is faster and less exact where
    points are close; `compute_mode` "use_mm_for_euclid_dist" or "donot_use_mm_for_euclid_dist"
    says that always, or never.

    >>> torch.cdist(torch.zeros(1, 2), torch.tensor([[3.0, 4.0]]))
    tensor([[5.]])
    """
    need_tensor("cdist", x1, 1, "x1")
    need_tensor("cdist", x2, 2, "x2")
    if x1.ndim < 2 or x2.ndim < 2:
        raise RuntimeError(
            f"cdist only supports at least 2D tensors, X1 got: {x1.ndim}D and X2 got: {x2.ndim}D"
        )
    if x1.shape[-1] != x2.shape[-1]:
        raise RuntimeError(
            message(
                "X1 and X2 must have the same number of columns.",
                f"X1: {x1.shape[-1]} X2: {x2.shape[-1]}",
            )
        )
    if x1._a.dtype != x2._a.dtype:
        wide = type_name(x1.dtype)
        if x1.dtype.low:
            raise NotImplementedError(f"\"cdist\" not implemented for '{wide}'")
        raise RuntimeError(
            message(
                f"expected scalar type {wide} but found {type_name(x2.dtype)}",
                got=f"cdist of {x1.dtype!r} and {x2.dtype!r}",
                hint="x2.to(x1.dtype)",
            )
        )
    if p < 0:
        raise RuntimeError("cdist only supports non-negative p values")
    large = x1.shape[-2] > 25 or x2.shape[-2] > 25
    if p == 2 and (
        compute_mode == "use_mm_for_euclid_dist"
        or (large and compute_mode != "donot_use_mm_for_euclid_dist")
    ):
        return euclidean_distances(x1, x2)
    return distances_of_order(x1, x2, p=float(p))


@composite(accepts="floating: pdist only supports floating-point dtypes",
           public="torch nn.functional", samples=[case((4, 3))])
def pdist(input: Any, p: float = 2.0) -> Any:
    """The p-norm distances between all pairs of rows of a matrix (n, m): a vector (n * (n - 1) /
    2,).

    In the order (0, 1), (0, 2), ..., (1, 2), ...; `cdist(x, x)` has them all as a matrix.

    >>> x = torch.tensor([[0.0, 0.0], [3.0, 4.0], [0.0, 1.0]])
    >>> torch.pdist(x)
    tensor([5.0000, 1.0000, 4.2426])
    """
    if input.ndim != 2:
        raise RuntimeError(f"pdist only supports 2D tensors, got: {input.ndim}D")
    above = wrap(np.flatnonzero(~np.tri(len(input), dtype=bool)))  # places in the whole matrix
    return distances_of_order(input, input, p=float(p)).take(above)
