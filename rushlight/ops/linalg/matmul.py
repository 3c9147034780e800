"""Products of matrices and vectors: matmul and its family, linear, bilinear.

Every product of two operands is one op with the two textbook rules; what PyTorch calls by other
names (mm, bmm, mv, ...) differs only in the shapes it accepts. `einsum` and `tensordot` are in
`einsum.py`, outer products and triangles in `triangles.py`, norms in `norm.py`,
inverses in `inverse.py`, systems in `solve.py`, factorizations in the files of their names.
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from ... import dtypes
from ...autograd.door import wrap
from ...autograd.node import TensorBase
from ...dtypes import type_name
from ...errors import message
from ...kernels.matmul import select as products
from ...kernels.matmul.linear import gradients as linear_gradients
from ...kernels.meta import MetaArray
from ...kernels.narrow import is_narrow
from ..core.composite import composite
from ..core.derivative import up
from ..core.publication import write_out
from ..core.record import op
from ..core.return_types import ReturnType
from ..core.samples import case, cplx, error

ndarray = np.ndarray
NAMES = {
    "float32": "float",
    "float64": "double",
    "float16": "c10::Half",
    "bfloat16": "c10::BFloat16",
    "int64": "long",
    "int32": "int",
    "int16": "short",
    "int8": "signed char",
    "uint8": "unsigned char",
    "bool": "bool",
    "complex64": "c10::complex<float>",
    "complex128": "c10::complex<double>",
}


def times(shape: tuple[int, ...]) -> str:
    """A shape as PyTorch writes it in messages about matrices: 4x3."""
    return "x".join(map(str, shape))


def same_type(a: Any, b: Any, first: str = "m1", second: str = "m2") -> None:
    """Products do not promote: both operands must have one type."""
    if a.dtype != b.dtype:
        if first == "m1" and a.ndim == b.ndim == 1:
            _one_type_of_vectors("dot", a, b)
        names = [NAMES.get(x.dtype.name, x.dtype.name) for x in (a, b)]
        raise RuntimeError(
            message(
                f"expected {first} and {second} to have the same dtype, "
                f"but got: {names[0]} != {names[1]}",
                f"{a.dtype} @ {b.dtype}",
                "one dtype",
                _one_type(a.dtype, b.dtype),
            )
        )


def _fitting(shape: tuple[int, ...], weight: tuple[int, ...]) -> str:
    """What to do about an input that does not fit a layer's weight."""
    wanted = weight[-1] if weight else 1
    if len(shape) > 2 and math.prod(shape[1:]) == wanted:
        return "x.flatten(1) before the Linear layer, or nn.Flatten() in a Sequential"
    if wanted in shape[1:]:
        return f"x.movedim({shape.index(wanted, 1)}, -1), as the features are the last dimension"
    last = shape[-1] if shape else 1
    if len(shape) > 2:
        rest = f"x.flatten(1) before it and in_features={math.prod(shape[1:])}"
        return f"in_features={last} in the Linear layer, or {rest}"
    return f"in_features={last} in the Linear layer, or x.flatten(1) before it"


def _one_type(a: Any, b: Any) -> str:
    """What to do about operands of two types."""
    kinds = (a.kind, b.kind)
    if "f" in kinds and ("i" in kinds or "u" in kinds or "b" in kinds):
        return "x.float() for the one of whole numbers"
    if {str(a), str(b)} == {"float32", "float64"}:
        return "x.float() (NumPy's numbers are float64), or model.double()"
    return "x.to(w.dtype), or model.double() / model.float()"


def unmixed(a: Any, b: Any, *_more: Any, **_: Any) -> None:
    """`same_type`, of operands that narrow types have not been taken from yet."""
    same_type(a, b)


def constant(array: Any, like: Any) -> Any:
    """An array of numbers as a partner for `like`: an ndarray or a Tensor, of its type."""
    if isinstance(like, (ndarray, np.generic)):
        return array.astype(like.dtype, copy=False)
    return wrap(array.astype(like._a.dtype, copy=False))


def finish(name: str, y: Any, out: Any) -> Any:
    """A composite's result, stored in `out` where that is given."""
    if out is None:
        return y
    castable(name, y, out)
    written = write_out(name, out, y)
    return type(y)(written) if isinstance(y, ReturnType) else written


# Functions of which PyTorch wants `out=` in the very type of the result, and its names for types.
EXACT = frozenset(
    ("cholesky", "cholesky_ex", "det", "eigh", "eigvalsh", "inv", "inv_ex", "ldl_factor",
     "ldl_factor_ex", "ldl_solve", "lu", "lu_factor", "lu_factor_ex", "lu_solve", "lu_unpack", "qr",
     "slogdet", "solve", "solve_ex", "svd", "svdvals", "triangular_solve")
)  # fmt: skip
CTYPES = {
    "Float": "float", "Double": "double", "ComplexFloat": "c10::complex<float>", "Int": "int",
    "ComplexDouble": "c10::complex<double>", "Long": "long int", "Short": "short int",
    "Char": "signed char", "Byte": "unsigned char", "Bool": "bool", "Half": "c10::Half",
    "BFloat16": "c10::BFloat16",
}  # fmt: skip


def castable(name: str, y: Any, out: Any) -> None:
    """Raise for an `out=` of another type, or of one that cannot hold the numbers, in the words of
    PyTorch's linear algebra."""
    parts = y if isinstance(y, tuple) else (y,)
    places = out if isinstance(out, (tuple, list)) else (out,)
    names = getattr(y, "fields", ("eigenvalues" if name == "eigvals" else "result",))
    for part, place, field in zip(parts, places, names, strict=False):
        if not (isinstance(place, TensorBase) and isinstance(part, TensorBase)):
            continue
        have, want = dtypes.from_numpy(part._a.dtype), dtypes.from_numpy(place._a.dtype)
        of, to = type_name(have), type_name(want)
        if have is not want and name in EXACT:
            raise RuntimeError(
                message(
                    f"Expected out tensor to have dtype {CTYPES.get(of, of)}, but got "
                    f"{CTYPES.get(to, to)} instead",
                    f"{name}(..., out= of {want!r})",
                    repr(have),
                )
            )
        if not dtypes.can_cast(have, want):
            raise RuntimeError(
                f"{name}: Expected {field} to be safely castable from {of} dtype, but got {field} "
                f"with dtype {to}: result type {of} can't be cast to the desired output type {to}"
            )


def is_complex(x: Any) -> bool:
    """Whether an array or Tensor holds complex numbers."""
    return (x if isinstance(x, (ndarray, np.generic)) else x._a).dtype.kind in "cW"


def adjoint_(x: Any) -> Any:
    """The conjugate transpose of the last two dims, without a copy for real numbers."""
    return x.mT.conj() if is_complex(x) else x.mT


# -- matmul ----------------------------------------------------------------------------------------


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


def tall(x: Any) -> Any:
    """A stack of matrices as one tall matrix."""
    if x.ndim == 2:
        return x
    return x.reshape((math.prod(x.shape[:-1]), x.shape[-1]))


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


def need_dims(x: Any, name: str, dims: int = 2) -> None:
    if x.ndim != dims:
        kind = {1: "a vector", 2: "a matrix", 3: "a 3D tensor"}[dims]
        raise RuntimeError(
            message(
                f"{name} must be {kind}",
                f"{name}.shape = {tuple(x.shape)}",
                f"{dims} dimensions",
                "torch.matmul, which takes any number of dimensions",
            )
        )


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
    _one_type_of_vectors(name, a, b)


def _one_type_of_vectors(name: str, a: Any, b: Any) -> None:
    """RuntimeError for vectors of two types."""
    if a.dtype != b.dtype:
        of = [type_name(dtypes.from_numpy(x.dtype)) for x in (a, b)]
        raise RuntimeError(
            message(
                f"{name} : expected both vectors to have same dtype, but found {of[0]} and {of[1]}",
                hint=_one_type(a.dtype, b.dtype),
            )
        )


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


# -- linear layers ---------------------------------------------------------------------------------


def _by_addmm(input: Any, bias: Any) -> bool:
    """Whether PyTorch adds a bias by addmm, which wants one type and a matrix of weights; else it
    is a product and `+=`."""
    row = bias.ndim == 1 or (bias.ndim == 2 and bias.shape[0] == 1)
    if input.ndim == 2 or not row:
        return bool(input.ndim == 2)
    # (tensors made of others, such as those of several processes, do not say how they lie)
    return all(a.flags is None or a.flags.c_contiguous for a in (input, bias))


def _unmixed_layer(input: Any, weight: Any, bias: Any = None, **_: Any) -> None:
    """`same_type` of a linear layer, of operands that narrow types have not been taken from yet."""
    same_type(input, weight)
    if bias is not None and _by_addmm(input, bias):
        same_type(bias, weight, "self", "mat2")


@op(
    unmixed=_unmixed_layer,
    accepts="floating integral complex empty: addmm_impl_cpu_",
    low="inside",
    autocast="lower",
    samples=[case((4, 3), (5, 3), (5,)), case((2, 4, 3), (5, 3), None), case((3,), (5, 3), (5,))],
    errors=[error(RuntimeError, "mat1 and mat2 shapes cannot be multiplied", (4, 3), (5, 2))],
    public="nn.functional",
    holomorphic=True,
    fresh=True,
    node="AddmmBackward0",  # PyTorch's name for rows and a bias
    optional=(2,),
)
def linear(input: Any, weight: Any, bias: Any = None) -> Any:
    """y = input @ weight^T + bias.

    `input` (*, in), `weight` (out, in), `bias` (out,) or none; y (*, out).

    >>> x = torch.tensor([[1.0, 2.0]])
    >>> weight = torch.tensor([[1.0, 0.0], [0.0, 1.0], [1.0, 1.0]])
    >>> F.linear(x, weight, torch.tensor([0.0, 0.0, 10.0]))
    tensor([[ 1.,  2., 13.]])
    """
    if (
        input.ndim == 2 == weight.ndim
        and input.shape[1] == weight.shape[1]
        and input.dtype == weight.dtype
        and (bias is None or bias.dtype == weight.dtype)
    ):
        return products.linear(input, weight.T, bias)
    if input.dtype != weight.dtype or (bias is not None and bias.dtype != weight.dtype):
        if is_narrow(input.dtype) or is_narrow(weight.dtype):
            _unmixed_layer(input, weight, bias)
        same_type(input, weight, "mat1", "mat2")
    if not (input.ndim and weight.ndim):
        raise RuntimeError(
            message(
                "both arguments to linear need to be at least 1D, but they are "
                f"{input.ndim}D and {weight.ndim}D",
                hint="x.reshape(1), for a single number",
            )
        )
    if weight.ndim > 2 or input.shape[-1] != weight.shape[-1]:
        rows = (math.prod(input.shape[:-1]), input.shape[-1])
        raise RuntimeError(
            message(
                "linear: mat1 and mat2 shapes cannot be multiplied "
                f"({times(rows)} and {times(weight.shape[::-1])})",
                f"input {tuple(input.shape)}, weight {tuple(weight.shape)}",
                f"input of shape (..., {weight.shape[-1]})",
                _fitting(input.shape, weight.shape),
            )
        )
    if bias is not None and _by_addmm(input, bias):
        if weight.ndim == 1:
            raise RuntimeError(
                message(
                    "mat2 must be a matrix, got 1-D tensor",
                    f"weight {tuple(weight.shape)} and a bias",
                    "weight (out, in) beside a bias",
                    "weight.unsqueeze(0)",
                )
            )
        same_type(input, bias, "mat1", "bias")
    elif bias is not None and input.dtype != bias.dtype:
        source, into = dtypes.from_numpy(bias.dtype), dtypes.from_numpy(input.dtype)
        if not dtypes.can_cast(source, into):
            raise RuntimeError(
                message(
                    f"result type {type_name(source)} can't be cast to the desired output type "
                    f"{type_name(into)}",
                    f"a bias of type {source!r}",
                    hint=f"bias.to({into!r})",
                )
            )
        bias = bias.astype(input.dtype)
    if weight.ndim == 1:
        y = products.product(input, weight)
        whole = y if bias is None else y + bias
        if whole.shape != y.shape:
            raise RuntimeError(
                message(
                    f"output with shape {list(y.shape)} doesn't match the broadcast shape "
                    f"{list(whole.shape)}",
                    f"a bias of shape {tuple(bias.shape)}",
                    "one that broadcasts to the product",
                )
            )
        return whole
    return products.linear(input, weight.T, bias)


@linear.shape
def _linear_shape(input: Any, weight: Any, bias: Any = None) -> MetaArray:
    same_type(input, weight, "mat1", "mat2")
    check_product(input, MetaArray(weight.shape[::-1], weight.dtype))
    return MetaArray((*input.shape[:-1], *weight.shape[:-1]), input.dtype)


def _linear_rule(g: Any, _y: Any, input: Any, weight: Any, _bias: Any, *, needs: Any) -> Any:
    gx = gw = gb = None
    if weight.ndim == 1:
        gx = up(g)[..., None] * up(weight) if needs[0] else None
        gw = in_rule(g.reshape((math.prod(g.shape),)), tall(input)) if needs[1] else None
        return gx, gw, g
    if g.__class__ is ndarray and needs[0] and needs[1]:
        found = linear_gradients(g, input, weight, needs[2])
        if found is not None:
            return found if needs[2] else (*found, None)
    product = products.wide_product if g.__class__ is ndarray else matmul  # shapes fit
    if needs[0]:
        gx = product(g, weight)
    if needs[1]:
        # (out, rows) @ (rows, in): the result is contiguous as (out, in), as the weight is
        gw = product(tall(g).mT, tall(input))
    if needs[2]:
        gb = g
    return gx, gw, gb


linear.joint(_linear_rule)
linear.planned(lambda *a, **kw: products.plan_linear(*a, **kw))


@composite(public="nn.functional", samples=[case((2, 3), (2, 4), (5, 3, 4), (5,))])
def bilinear(input1: Any, input2: Any, weight: Any, bias: Any = None) -> Any:
    """y[k] = input1^T @ weight[k] @ input2 + bias[k], for each output k.

    `input1` (*, in1), `input2` (*, in2), `weight` (out, in1, in2), `bias` (out,) or none; y (*,
    out).

    >>> x1, x2 = torch.tensor([[1.0, 2.0]]), torch.tensor([[3.0]])
    >>> F.bilinear(x1, x2, torch.ones(1, 2, 1))
    tensor([[9.]])
    """
    parts = {"input1": input1, "input2": input2, "weight": weight, "bias": bias}
    kinds = {k: x._a.dtype.name for k, x in parts.items() if x is not None}
    if len(set(kinds.values())) > 1:
        found = ", ".join(f"{k}: {NAMES.get(d, d)}" for k, d in kinds.items())
        raise RuntimeError(
            message(f"All tensors must have the same dtype, got {found}", hint="x.to(weight.dtype)")
        )
    if input1.shape[:-1] != input2.shape[:-1]:
        raise RuntimeError(
            message(
                "bilinear(): input batch dimensions do not match",
                f"{tuple(input1.shape)} and {tuple(input2.shape)}",
                "equal sizes except in the last dim",
            )
        )
    for name, x, side in (("input1", input1, 1), ("input2", input2, 2)):
        if x.shape[-1] != weight.shape[side]:
            raise RuntimeError(
                message(
                    f"bilinear(): {name} size does not match weight size",
                    f"got {x.shape[-1]}",
                    f"but expected {weight.shape[side]}",
                )
            )
    if bias is not None and (bias.ndim == 0 or bias.shape[0] != weight.shape[0]):
        if bias.ndim == 0:
            raise IndexError("Dimension specified as 0 but tensor has no dimensions")
        raise RuntimeError(
            message(
                "bilinear(): bias size does not match weight size",
                f"got {bias.shape[0]}",
                f"but expected {weight.shape[0]}",
            )
        )
    batch = tuple(input1.shape[:-1])
    rows = math.prod(batch)
    x1, x2 = input1.reshape((rows, input1.shape[-1])), input2.reshape((rows, input2.shape[-1]))
    y = (matmul(x1, weight) * x2).sum(-1, dtype=x1.dtype).mT.contiguous()
    y = y.reshape((*batch, weight.shape[0]))
    return y if bias is None else y + bias
