"""Products of matrices and vectors: matmul and its family.

Every product of two operands is one op with the two textbook rules; what PyTorch calls by other
names (mm, bmm, mv, ...) differs only in the shapes it accepts. Linear layers are in
`ops/nn/linear.py`, `einsum` and `tensordot` in `einsum.py`, outer products and triangles in
`triangles.py`, norms in `norm.py`, inverses in `inverse.py`, systems in `solve.py`, factorizations
in the files of their names.
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from ...errors import message
from ...kernels.matmul import select as products
from ...kernels.meta import MetaArray
from ...kernels.narrow import is_narrow
from ..core.composite import composite
from ..core.derivative import up
from ..core.record import op
from ..core.samples import case, cplx, error
from .operands import (
    is_complex,
    need_dims,
    same_type,
    same_type_of_vectors,
    tall,
    times,
    unmixed,
)

ndarray = np.ndarray


def check_product(a: Any, b: Any) -> None:
    """Raise PyTorch's error unless a @ b is possible."""
    if a.ndim == 2 == b.ndim and a.shape[1] == b.shape[0] and a.dtype == b.dtype:
        return
    if a.ndim == 0 or b.ndim == 0:
        raise RuntimeError(
            message(
                "both arguments to matmul need to be at least 1D, "
                f"but they are {a.ndim}D and {b.ndim}D",
                hint="a * b for numbers",
            )
        )
    same_type(a, b)
    inner = b.shape[-2] if b.ndim > 1 else b.shape[0]
    if a.shape[-1] == inner:
        return
    if a.ndim == 1 and b.ndim == 1:
        what = (
            f"inconsistent tensor size, expected tensor [{a.shape[0]}] and src [{b.shape[0]}] "
            f"to have the same number of elements, but got {a.shape[0]} and {b.shape[0]} elements "
            "respectively"
        )
    elif b.ndim == 1:
        rows = (math.prod(a.shape[:-1]), a.shape[-1])
        what = f"size mismatch, got input ({rows[0]}), mat ({times(rows)}), vec ({b.shape[0]})"
    elif b.ndim == 2:
        rows = (math.prod(a.shape[:-1]), a.shape[-1])
        what = f"mat1 and mat2 shapes cannot be multiplied ({times(rows)} and {times(b.shape)})"
    else:
        wanted = [*np.broadcast_shapes(a.shape[:-2], b.shape[:-2]), a.shape[-1]]
        what = (
            "Expected size for first two dimensions of batch2 tensor to be: "
            f"{[math.prod(wanted[:-1]), wanted[-1]]} but got: "
            f"{[math.prod(wanted[:-1]), b.shape[-2]]}."
        )
    raise RuntimeError(
        message(
            f"{what}: the inner sizes differ",
            f"{tuple(a.shape)} @ {tuple(b.shape)}",
            "a.shape[-1] == b.shape[-2]" if b.ndim > 1 else "a.shape[-1] == b.shape[0]",
            product_hint(a, b),
        )
    )


def product_hint(a: Any, b: Any) -> str:
    """Which transposition would make the product possible."""
    if b.ndim > 1 and a.shape[-1] == b.shape[-1]:
        return "b.mT"
    if a.ndim > 1 and b.ndim > 1 and a.shape[-2] == b.shape[-2]:
        return "a.mT"
    return "check the in_features of the layer, or reshape one of the two"


def batch_shape(a: Any, b: Any) -> tuple[int, ...]:
    """The broadcast batch dims of two stacks of matrices."""
    try:
        return np.broadcast_shapes(a.shape[:-2], b.shape[:-2])
    except ValueError:
        raise RuntimeError(
            message(
                "matmul: batch dims do not broadcast: The size of tensor a must match the size of "
                "tensor b",
                f"{tuple(a.shape)} @ {tuple(b.shape)}",
                "equal batch dims, or 1",
            )
        ) from None


def product_shape(a: Any, b: Any) -> MetaArray:
    """Shape rule of a @ b."""
    check_product(a, b)
    if a.ndim == 1 and b.ndim == 1:
        shape: tuple[int, ...] = ()
    elif a.ndim == 1:
        shape = (*b.shape[:-2], b.shape[-1])
    elif b.ndim == 1:
        shape = a.shape[:-1]
    else:
        shape = (*batch_shape(a, b), a.shape[-2], b.shape[-1])
    return MetaArray(shape, a.dtype)


@op(
    unmixed=unmixed,
    accepts="floating integral complex empty: addmm_impl_cpu_",
    operator="matmul",
    low="inside",
    autocast="lower",
    samples=[
        case((4, 3), (3, 5)),
        case((3,), (3,)),
        case((4, 3), (3,)),
        case((3,), (3, 5)),
        case((2, 4, 3), (3, 5)),
        case((2, 4, 3), (3,)),
        case((3,), (2, 3, 5)),
        case((2, 1, 4, 3), (5, 3, 2)),
        case((0, 3), (3, 2)),
        case((2, 0), (0, 3)),
    ],
    errors=[
        error(RuntimeError, "mat1 and mat2 shapes cannot be multiplied", (4, 3), (5, 2)),
        error(RuntimeError, "at least 1D", (), (5, 2)),
        error(RuntimeError, "inconsistent tensor size", (3,), (4,)),
        error(RuntimeError, "batch2", (2, 3, 4), (2, 5, 6)),
    ],
    holomorphic=True,
    fresh=True,
    node="MmBackward0",  # PyTorch's name where both are matrices
)
def matmul(input: Any, other: Any) -> Any:
    """The matrix product, `input @ other`, of vectors, matrices and stacks of matrices.

    (n, k) @ (k, m) is (n, m); (k,) @ (k,) a number; (n, k) @ (k,) is (n,). Of more dimensions the
    last two are matrices, (*, n, k) @ (*, k, m), and the leading ones broadcast. RuntimeError if
    the inner sizes or the dtypes differ, or for tensors without dimensions.

    >>> a = torch.tensor([[1.0, 2.0], [3.0, 4.0]])
    >>> torch.matmul(a, torch.tensor([1.0, 10.0]))
    tensor([21., 43.])
    >>> torch.matmul(torch.ones(5, 1, 2, 3), torch.ones(4, 3, 6)).shape
    torch.Size([5, 4, 2, 6])
    """
    check_product(input, other)
    if input.ndim > 2 or other.ndim > 2:
        batch_shape(input, other)
    return products.product(input, other)


matmul.shape(product_shape)
matmul.planned(lambda *a, **kw: products.plan_product(*a, **kw))


def in_rule(a: Any, b: Any, op: Any = None) -> Any:
    """A product in a rule: of narrow arrays in the type that they are computed in, so that what the
    engine adds up is rounded once."""
    if a.__class__ is ndarray and is_narrow(a.dtype):
        return products.wide_product(a, b)
    return (op or matmul)(a, b)


def _left_rule(g: Any, _y: Any, _a: Any, b: Any, *, shapes: Any) -> Any:
    a_dims = len(shapes[0])
    if b.ndim == 1:
        g, b = up(g), up(b)
        return g * b if a_dims == 1 else g[..., None] * b
    if a_dims == 1:
        return in_rule(b, g[..., None])[..., 0]
    if a_dims == 2 and b.ndim == 3:
        # one matrix against a stack: sum over the stack inside the product
        g2 = g.swapaxes(0, 1).reshape((g.shape[1], g.shape[0] * g.shape[2]))
        b2 = b.swapaxes(0, 1).reshape((b.shape[1], b.shape[0] * b.shape[2]))
        return in_rule(g2, b2.mT)
    return in_rule(g, b.mT)


def _right_rule(g: Any, _y: Any, a: Any, _b: Any, *, shapes: Any) -> Any:
    b_dims = len(shapes[1])
    if a.ndim == 1:
        g, a = up(g), up(a)
        return g * a if b_dims == 1 else a[:, None] * g[..., None, :]
    if b_dims == 1:
        return in_rule(g.reshape((math.prod(g.shape),)), tall(a))
    if b_dims == 2:
        return in_rule(tall(a).mT, tall(g))
    return in_rule(a.mT, g)


matmul.vjp(_left_rule, _right_rule)


@op(
    unmixed=unmixed,
    accepts="floating integral complex empty: addmm_impl_cpu_",
    low="inside",
    autocast="lower",
    samples=[case((4, 3), (3, 5)), case((0, 3), (3, 2))],
    errors=[
        error(RuntimeError, "mat1 and mat2 shapes cannot be multiplied", (4, 3), (5, 2)),
        error(RuntimeError, "must be a matrix", (3,), (3, 2)),
    ],
    holomorphic=True,
    fresh=True,
)
def mm(input: Any, mat2: Any) -> Any:
    """The product of two matrices, (n, k) and (k, m), without broadcasting.

    >>> a = torch.tensor([[1.0, 2.0], [3.0, 4.0]])
    >>> torch.mm(a, torch.eye(2) * 2)
    tensor([[2., 4.],
            [6., 8.]])
    """
    need_dims(input, "self")
    need_dims(mat2, "mat2")
    check_product(input, mat2)
    return products.product(input, mat2)


mm.shape(product_shape)
mm.planned(lambda *a, **kw: products.plan_product(*a, **kw))
mm.vjp(
    lambda g, _y, _a, b: in_rule(g, b.mT, mm),
    lambda g, _y, a, _b: in_rule(a.mT, g, mm),
)


def check_stacks(input: Any, mat2: Any) -> None:
    """Raise PyTorch's error unless these are equally long stacks of matrices that fit."""
    need_dims(input, "batch1", 3)
    need_dims(mat2, "batch2", 3)
    same_type(input, mat2, "batch1", "batch2")
    if input.shape[0] != mat2.shape[0] or input.shape[2] != mat2.shape[1]:
        raise RuntimeError(
            message(
                "Expected size for first two dimensions of batch2 tensor to be: "
                f"[{input.shape[0]}, {input.shape[2]}] but got: "
                f"[{mat2.shape[0]}, {mat2.shape[1]}].",
                f"{tuple(input.shape)} @ {tuple(mat2.shape)}",
                hint="torch.matmul, which broadcasts",
            )
        )


def of_two(input: Any, _vec: Any) -> None:
    """PyTorch asks for the size of the result before it looks at anything else."""
    if not input.ndim:
        raise IndexError("Dimension specified as 0 but tensor has no dimensions")


@op(
    unmixed=unmixed,
    accepts="floating integral complex empty: bmm",
    low="inside",
    autocast="lower",
    samples=[case((2, 4, 3), (2, 3, 5))],
    errors=[
        error(RuntimeError, "Expected size for first two dimensions", (2, 4, 3), (3, 3, 5)),
        error(RuntimeError, "must be a 3D tensor", (4, 3), (2, 3, 5)),
    ],
    holomorphic=True,
    fresh=True,
)
def bmm(input: Any, mat2: Any) -> Any:
    """The products of two stacks of matrices: (b, n, k) and (b, k, m) give (b, n, m).

    Nothing broadcasts: `matmul` does.

    >>> a = torch.ones(2, 1, 3)
    >>> torch.bmm(a, torch.ones(2, 3, 2))
    tensor([[[3., 3.]],
    <BLANKLINE>
            [[3., 3.]]])
    """
    check_stacks(input, mat2)
    return products.product(input, mat2)


bmm.shape(product_shape)
bmm.planned(lambda *a, **kw: products.plan_product(*a, **kw))
bmm.vjp(
    lambda g, _y, _a, b: in_rule(g, b.mT, bmm),
    lambda g, _y, a, _b: in_rule(a.mT, g, bmm),
)


@op(
    unmixed=unmixed,
    check=of_two,
    accepts="floating integral complex empty: addmv_impl_cpu",
    samples=[case((4, 3), (3,))],
    errors=[error(RuntimeError, "size mismatch", (4, 3), (4,))],
    holomorphic=True,
    fresh=True,
)
def mv(input: Any, vec: Any) -> Any:
    """The product of a matrix (n, m) and a vector (m,): a vector (n,).

    >>> a = torch.tensor([[1.0, 2.0], [3.0, 4.0]])
    >>> torch.mv(a, torch.tensor([1.0, 10.0]))
    tensor([21., 43.])
    """
    need_dims(input, "self")
    need_dims(vec, "vec", 1)
    check_product(input, vec)
    return products.product(input, vec)


mv.shape(product_shape)
mv.planned(lambda *a, **kw: products.plan_product(*a, **kw))
mv.vjp(lambda g, _y, _a, b: g[:, None] * b, lambda g, _y, a, _b: matmul(g, a))


def _vectors(name: str, a: Any, b: Any) -> None:
    if a.ndim != 1 or b.ndim != 1:
        raise RuntimeError(
            message(
                f"{name}: 1D tensors expected, but got {a.ndim}D and {b.ndim}D tensors",
                f"{tuple(a.shape)} and {tuple(b.shape)}",
                hint="(a * b).sum(), or x.flatten()",
            )
        )
    same_type_of_vectors(name, a, b)


@op(
    unmixed=unmixed,
    accepts="floating integral complex: dot",
    samples=[case((3,), (3,)), case((0,), (0,))],
    errors=[
        error(RuntimeError, "1D tensors expected", (3, 1), (3,)),
        error(RuntimeError, "inconsistent tensor size", (3,), (4,)),
    ],
    holomorphic=True,
    fresh=True,
)
def dot(input: Any, tensor: Any) -> Any:
    """The sum of the products of two vectors of one length, without conjugation: sum(x * y).

    >>> x = torch.tensor([1, 2])
    >>> torch.dot(x, torch.tensor([10, 100]))
    tensor(210)
    """
    _vectors("dot", input, tensor)
    check_product(input, tensor)
    return products.product(input, tensor)


dot.shape(product_shape)
dot.planned(lambda *a, **kw: products.plan_product(*a, **kw))
dot.vjp(lambda g, _y, _a, b: g * b, lambda g, _y, a, _b: g * a)


@composite(samples=[case((3,), (3,)), case(cplx((3,)), cplx((3,)))])
def vdot(input: Any, other: Any, *, out: Any = None) -> Any:
    """The sum of the products of two vectors of one length, the first one conjugated: sum(conj(x) *
    y).

    >>> x = torch.tensor([1 + 2j])
    >>> torch.vdot(x, x)
    tensor(5.+0.j)
    """
    return dot.public_function()(input.conj() if is_complex(input) else input, other, out=out)


@composite(public="linalg", name="matmul", samples=[case((2, 3), (3, 4))])
def _linalg_matmul(input: Any, other: Any, *, out: Any = None) -> Any:
    """The matrix product of vectors, matrices and stacks of matrices: another name of
    `torch.matmul`.

    >>> torch.linalg.matmul(torch.eye(2) * 2, torch.tensor([1.0, 2.0]))
    tensor([2., 4.])
    """
    return matmul.public_function()(input, other, out=out)
