"""A product added to a tensor: addmm, addmv, addr, baddbmm, addbmm, each with factors alpha and
beta."""

from __future__ import annotations

from typing import Any

import numpy as np

from ... import dtypes
from ...dtypes import type_name
from ...errors import axis, message
from ...kernels.dense import copied
from ...kernels.matmul import select as kernel
from ...kernels.meta import MetaArray
from ...kernels.narrow import is_narrow
from ..core.derivative import up
from ..core.record import op
from ..core.samples import case, error
from ..create.arguments import stored
from .matmul import bmm, check_product, check_stacks, in_rule, matmul, mm, product_shape
from .operands import need_dims, same_type

ndarray = np.ndarray


def _scaled(x: Any, factor: Any) -> Any:
    return x if factor == 1 else x * factor


def _in_one(input: Any, a: Any, b: Any, beta: Any, alpha: Any) -> Any:
    """beta * input + alpha * (a @ b) by one kernel; None where there is none for these."""
    if beta == 0 or alpha.__class__ not in (int, float) or beta.__class__ not in (int, float):
        return None
    return kernel.added(input, a, b, beta, alpha)


def _unmixed_arrays(input: Any, a: Any, b: Any) -> None:
    """`of_one_type` where one is of narrow floats, which the door leaves as they are."""
    if input.dtype == a.dtype == b.dtype:
        return
    if is_narrow(input.dtype) or is_narrow(a.dtype) or is_narrow(b.dtype):
        of_one_type(input, a, b)


def _of_narrow(record: Any, input: Any, a: Any, b: Any, beta: Any, alpha: Any) -> Any:
    """`record` of narrow floats: as they are by one kernel, else in float32; rounded once."""
    y = None
    if beta == 1 == alpha:
        y = _in_one(input, a, b, 1, 1)
    if y is None:
        y = copied(record.fn(up(input), up(a), up(b), beta=beta, alpha=alpha), a.dtype)
    return y


def of_one_type(input: Any, a: Any, b: Any, **_: Any) -> None:
    """What is multiplied, and what that is added to, have one type."""
    same_type(a, b, "mat1", "mat2")
    same_type(input, b, "self", "mat2")


def check_truths(kernel: str, input: Any, a: Any, b: Any, size: int, beta: Any) -> None:
    """PyTorch multiplies bools only where there is nothing to multiply: for a result without
    elements (`size`), or of sums of nothing, to which input is added by a product that promotes."""
    if not input.dtype == a.dtype == b.dtype == bool or not size:
        return
    if a.size and b.size:
        raise NotImplementedError(
            message(f"\"{kernel}\" not implemented for 'Bool'", hint="another dtype: x.float()")
        )
    if beta != 0 and kernel != "addmv_impl_cpu":
        made = type_name(dtypes.get_default_dtype() if isinstance(beta, float) else dtypes.int64)
        raise RuntimeError(
            message(
                f"result type {made} can't be cast to the desired output type Bool",
                got=f"bools, and beta={beta}",
                hint="another dtype: x.float()",
            )
        )


def _added(input: Any, product: Any, beta: Any, alpha: Any, strict: bool = False) -> Any:
    """beta * input + alpha * product, writing into the product; beta 0 forgets input, NaN and
    all."""
    try:
        fits = np.broadcast_shapes(input.shape, product.shape) == product.shape
    except ValueError:
        fits = False
    if not fits:
        raise RuntimeError(
            message(
                f"The expanded size of the tensor {tuple(product.shape)} must match the existing "
                f"size {tuple(input.shape)}",
                f"input {tuple(input.shape)}",
                f"a shape that broadcasts to {tuple(product.shape)}",
            )
        )
    same_type(input, product, "input", "the product")
    if product.dtype.kind not in "fc":
        for word, number in (("beta", beta), ("alpha", alpha)):
            if strict and not isinstance(number, int):
                raise RuntimeError(
                    f"For integral input tensors, argument {word} must not be a floating point "
                    "number."
                )
        as_type = bool if product.dtype.kind == "b" else int
        alpha, beta = as_type(alpha), as_type(beta)
    if alpha != 1:
        product = product * product.dtype.type(alpha)
    if beta == 0:
        return product
    if isinstance(product, ndarray) and product.ndim:
        product += _scaled(input, product.dtype.type(beta) if beta != 1 else 1)
        return product
    return product + _scaled(input, beta)


@op(
    unmixed=of_one_type,
    low="inside",
    autocast="lower",
    samples=[
        case((4, 5), (4, 3), (3, 5)),
        case((5,), (4, 3), (3, 5), beta=0.5, alpha=2.0),
        case((4, 5), (4, 3), (3, 5), beta=0),
    ],
    errors=[
        error(RuntimeError, "mat1 and mat2 shapes cannot be multiplied", (4, 2), (4, 3), (5, 2)),
        error(RuntimeError, "expanded size", (3, 2), (4, 3), (3, 2)),
    ],
    holomorphic=True,
    fresh=True,
    inplace="method",
)
def addmm(input: Any, mat1: Any, mat2: Any, *, beta: Any = 1, alpha: Any = 1) -> Any:
    """beta * input + alpha * (mat1 @ mat2).

    `mat1` (n, k), `mat2` (k, m), `input` broadcasts to (n, m). With `beta=0` what `input` holds
    does not count, NaN neither.

    >>> x = torch.ones(2, 2)
    >>> torch.addmm(x, torch.tensor([[1.0], [2.0]]), torch.tensor([[3.0, 4.0]]))
    tensor([[4., 5.],
            [7., 9.]])
    >>> torch.addmm(x, x, x, beta=2, alpha=10)
    tensor([[22., 22.],
            [22., 22.]])
    """
    need_dims(mat1, "mat1")
    need_dims(mat2, "mat2")
    _unmixed_arrays(input, mat1, mat2)
    check_product(mat1, mat2)
    if is_narrow(mat1.dtype):
        return _of_narrow(addmm, input, mat1, mat2, beta, alpha)
    check_truths("addmm_impl_cpu_", input, mat1, mat2, mat1.shape[0] * mat2.shape[1], beta)
    y = _in_one(input, mat1, mat2, beta, alpha)
    if y is not None:
        return y
    return _added(input, kernel.product(mat1, mat2), beta, alpha)


addmm.shape(lambda _i, a, b, **_: product_shape(a, b))
addmm.vjp(
    lambda g, _y, _i, _a, _b, *, beta: up(g) * beta,
    lambda g, _y, _i, _a, b, *, alpha: _scaled(in_rule(g, b.mT, mm), alpha),
    lambda g, _y, _i, a, _b, *, alpha: _scaled(in_rule(a.mT, g, mm), alpha),
)


@op(
    unmixed=of_one_type,
    samples=[case((4,), (4, 3), (3,)), case((1,), (4, 3), (3,), beta=0.5, alpha=2.0)],
    errors=[error(RuntimeError, "size mismatch", (4,), (4, 3), (4,))],
    holomorphic=True,
    fresh=True,
    inplace=True,
)
def addmv(input: Any, mat: Any, vec: Any, *, beta: Any = 1, alpha: Any = 1) -> Any:
    """beta * input + alpha * (mat @ vec).

    `mat` (n, m), `vec` (m,), `input` broadcasts to (n,). With `beta=0` what `input` holds does not
    count.

    >>> x = torch.tensor([1.0, 1.0])
    >>> torch.addmv(x, torch.tensor([[1.0, 2.0], [3.0, 4.0]]), torch.tensor([1.0, 10.0]))
    tensor([22., 44.])
    """
    need_dims(mat, "mat")
    need_dims(vec, "vec", 1)
    check_product(mat, vec)
    check_truths("addmv_impl_cpu", input, mat, vec, mat.shape[0], beta)
    y = _in_one(input, mat, vec, beta, alpha)
    if y is not None:
        return y
    return _added(input, kernel.product(mat, vec), beta, alpha)


addmv.shape(lambda _i, a, b, **_: product_shape(a, b))
addmv.vjp(
    lambda g, _y, _i, _a, _b, *, beta: g * beta,
    lambda g, _y, _i, _a, b, *, alpha: _scaled(g[:, None] * b, alpha),
    lambda g, _y, _i, a, _b, *, alpha: _scaled(matmul(g, a), alpha),
)


def added_shape(input: Any, vec1: Any, vec2: Any, **_: Any) -> MetaArray:
    """The shape of `addr`."""
    need_dims(vec1, "vec1", 1)
    need_dims(vec2, "vec2", 1)
    return MetaArray((vec1.shape[0], vec2.shape[0]), np.result_type(vec1.dtype, vec2.dtype))


@op(
    numbers=(),
    promote="common",
    samples=[case((4, 3), (4,), (3,)), case((3,), (4,), (3,), beta=0.5, alpha=2.0)],
    holomorphic=True,
    fresh=True,
    inplace="method",
)
def addr(input: Any, vec1: Any, vec2: Any, *, beta: Any = 1, alpha: Any = 1) -> Any:
    """beta * input + alpha * outer(vec1, vec2).

    `vec1` (n,), `vec2` (m,), `input` broadcasts to (n, m). With `beta=0` what `input` holds does
    not count.

    >>> x = torch.zeros(2, 2)
    >>> torch.addr(x, torch.tensor([1.0, 2.0]), torch.tensor([3.0, 4.0]))
    tensor([[3., 4.],
            [6., 8.]])
    """
    need_dims(vec1, "vec1", 1)
    need_dims(vec2, "vec2", 1)
    for word, number in (("beta", beta), ("alpha", alpha)):
        if number.__class__ is bool and not input.dtype == vec1.dtype == bool:
            raise RuntimeError(f"Boolean {word} only supported for Boolean results.")
        if isinstance(number, complex) and input.dtype.kind == "f":
            stored(number, input.dtype)  # raises
    return _added(input, vec1[:, None] * vec2, beta, alpha, strict=True)


addr.shape(added_shape)


addr.vjp(
    lambda g, _y, _i, _a, _b, *, beta: g * beta,
    lambda g, _y, _i, _a, b, *, alpha: _scaled(matmul(g, b), alpha),
    lambda g, _y, _i, a, _b, *, alpha: _scaled(matmul(a, g), alpha),
)


def of_three(*operands: Any) -> None:
    """PyTorch asks for the sizes of the result before it looks at anything else."""
    _, first, second = operands
    axis(1, first.ndim)
    axis(2, second.ndim)


@op(
    unmixed=of_one_type,
    check=of_three,
    low="inside",
    autocast="lower",
    samples=[
        case((2, 4, 5), (2, 4, 3), (2, 3, 5)),
        case((4, 1), (2, 4, 3), (2, 3, 5), beta=0.5, alpha=2.0),
    ],
    errors=[
        error(RuntimeError, "Expected size for first two dimensions", (1,), (2, 4, 3), (3, 3, 5))
    ],
    holomorphic=True,
    fresh=True,
    inplace="method",
)
def baddbmm(input: Any, batch1: Any, batch2: Any, *, beta: Any = 1, alpha: Any = 1) -> Any:
    """beta * input + alpha * (batch1 @ batch2), for each matrix of the stacks.

    `batch1` (b, n, k), `batch2` (b, k, m), `input` broadcasts to (b, n, m). With `beta=0` what
    `input` holds does not count.

    >>> x = torch.ones(1, 2, 2)
    >>> torch.baddbmm(x, torch.ones(1, 2, 3), torch.ones(1, 3, 2))
    tensor([[[4., 4.],
             [4., 4.]]])
    """
    _unmixed_arrays(input, batch1, batch2)
    check_stacks(batch1, batch2)
    if is_narrow(batch1.dtype):
        return _of_narrow(baddbmm, input, batch1, batch2, beta, alpha)
    size = len(batch1) * batch1.shape[1] * batch2.shape[2]
    check_truths("baddbmm", input, batch1, batch2, size, beta)
    y = _in_one(input, batch1, batch2, beta, alpha)
    if y is not None:
        return y
    return _added(input, kernel.product(batch1, batch2), beta, alpha)


baddbmm.shape(lambda _i, a, b, **_: product_shape(a, b))
baddbmm.vjp(
    lambda g, _y, _i, _a, _b, *, beta: up(g) * beta,
    lambda g, _y, _i, _a, b, *, alpha: _scaled(in_rule(g, b.mT, bmm), alpha),
    lambda g, _y, _i, a, _b, *, alpha: _scaled(in_rule(a.mT, g, bmm), alpha),
)


@op(
    unmixed=of_one_type,
    check=of_three,
    autocast="lower",
    samples=[
        case((4, 5), (2, 4, 3), (2, 3, 5)),
        case((4, 1), (2, 4, 3), (2, 3, 5), beta=0.5, alpha=2.0),
    ],
    holomorphic=True,
    fresh=True,
    inplace="method",
)
def addbmm(input: Any, batch1: Any, batch2: Any, *, beta: Any = 1, alpha: Any = 1) -> Any:
    """beta * input + alpha * (the sum over i of batch1[i] @ batch2[i]).

    `batch1` (b, n, k), `batch2` (b, k, m), `input` broadcasts to (n, m), the result's shape.

    >>> x = torch.zeros(2, 2)
    >>> torch.addbmm(x, torch.ones(5, 2, 3), torch.ones(5, 3, 2))
    tensor([[15., 15.],
            [15., 15.]])
    """
    check_stacks(batch1, batch2)
    size = batch1.shape[1] * batch2.shape[2]
    check_truths("addmm_impl_cpu_", input, batch1, batch2, size, beta)
    products = bmm.fn(batch1, batch2)
    return _added(input, products.sum(axis=0, dtype=products.dtype), beta, alpha)


addbmm.shape(
    lambda x, a, b, **_: MetaArray((a.shape[1], b.shape[2]), np.result_type(a.dtype, b.dtype))
)


addbmm.vjp(
    lambda g, _y, _i, _a, _b, *, beta: g * beta,
    lambda g, _y, _i, _a, b, *, alpha: _scaled(matmul(g, b.mT), alpha),
    lambda g, _y, _i, a, _b, *, alpha: _scaled(matmul(a.mT, g), alpha),
)

for _record in (addmm, addmv, addr, baddbmm, addbmm):
    _record.signature.numbers_first = ("beta", "alpha")
