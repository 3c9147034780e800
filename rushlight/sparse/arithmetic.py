"""Sums, products and functions of elements that keep zero zero."""

from __future__ import annotations

from typing import Any

import numpy as np

from .. import dtypes
from ..autograd import door
from ..autograd.node import TensorBase
from ..autograd.steps import Step
from ..kernels.sparse import arrays
from ..kernels.sparse.arrays import Compressed
from .core import (
    at_places,
    dense,
    elements_of,
    in_form,
    is_sparse,
    joined,
    like,
    masked,
    ordered,
    performed,
    picked,
    recorded,
    refuse,
    traceable,
    values_of,
)
from .shape import broadcast_to

NUMBER = (int, float, complex, bool, np.generic)


def is_number(x: Any) -> bool:
    """A number, or a dense tensor without dimensions."""
    return isinstance(x, NUMBER) or (isinstance(x, TensorBase) and not is_sparse(x) and x.ndim == 0)


def same_sizes(name: str, a: Any, b: Any) -> None:
    if tuple(a.shape) != tuple(b.shape):
        raise RuntimeError(
            f"{name}: expected sizes of 'self' and 'other' to match, but {list(a.shape)} != "
            f"{list(b.shape)}"
        )


def add(a: Any, b: Any, *, alpha: Any = 1, out: Any = None) -> Any:
    """a + alpha * b."""
    if not is_sparse(a):
        if not isinstance(a, TensorBase):
            a, b = (b * alpha, a) if alpha != 1 else (b, a)
            raise RuntimeError(
                "add(sparse, dense) is not supported. Use add(dense, sparse) instead."
            )
        return dense_plus(a, b, alpha)
    if not is_sparse(b):
        if a._a.__class__ is Compressed and isinstance(b, TensorBase):
            return dense_plus(b * alpha if alpha != 1 else b, a, 1)
        raise RuntimeError("add(sparse, dense) is not supported. Use add(dense, sparse) instead.")
    same_sizes("add", a, b)
    kind = dtypes.promote_types(a.dtype, b.dtype)
    x, y = traceable(a), traceable(b)
    if x._a.sparse_dim != y._a.sparse_dim:
        if not x._a.nnz:
            return y.to(kind) if alpha == 1 else mul(y.to(kind), alpha)
        if not y._a.nnz:
            return x.to(kind)
        raise RuntimeError(
            "add: expected 'self' and 'other' to have same density, but 'self' has "
            f"{x._a.sparse_dim} sparse dimensions while 'other' has {y._a.sparse_dim} sparse "
            "dimensions"
        )
    u, v = values_of(x).to(kind), values_of(y).to(kind)
    if alpha != 1:
        v = v * alpha
    if x._a.indices is y._a.indices:
        return in_form(like(x._a, u + v), a._a)
    indices = np.concatenate([x._a.indices, y._a.indices], 1)
    made = at_places(indices, joined([u, v]), x._a.shape)
    if x._a.coalesced and y._a.coalesced:
        made = ordered(made)
    return in_form(made, a._a)


def dense_plus(a: Any, b: Any, alpha: Any) -> Any:
    """A dense tensor plus alpha times a sparse one: dense."""
    if tuple(a.shape) != tuple(b.shape):
        raise RuntimeError(
            "add: expected 'self' and 'other' to have same size, but self has size "
            f"{list(a.shape)} while other has size {list(b.shape)} (FYI: dense-sparse addition "
            "does not currently support broadcasting)"
        )
    b = ordered(b)
    kind = dtypes.promote_types(a.dtype, b.dtype)
    if alpha != 1:
        b = mul(b, alpha)
    source, other = a.to(kind), b.to(kind)
    held = other._a
    out = door.wrap(performed(_plus, source._a, held))
    return recorded("AddBackward0", out, (source, other), lambda g: (g, masked(g, held)))


_plus = Step("add_sparse", arrays.added, shown="aten::add")


def sub(a: Any, b: Any, *, alpha: Any = 1, out: Any = None) -> Any:
    """a - alpha * b."""
    if is_sparse(b) and not isinstance(a, TensorBase):
        raise RuntimeError(
            "add: expected 'self' and 'other' to have same size, but self has size [] while other "
            f"has size {list(b.shape)} (FYI: dense-sparse addition does not currently support "
            "broadcasting)"
        )
    return add(a, b, alpha=-alpha)


def rsub(a: Any, b: Any, *, alpha: Any = 1) -> Any:
    """b - alpha * a."""
    return sub(b, a, alpha=alpha)


def mul(a: Any, b: Any, *, out: Any = None) -> Any:
    """The product of elements: at places that both have, or of a dense tensor at the places of the
    sparse one."""
    if not is_sparse(a):
        a, b = b, a
    if is_sparse(b) and (a.ndim == 0 or b.ndim == 0):
        if b.ndim or (a.ndim == 0 and a._a.coalesced and not b._a.coalesced):
            a, b = b, a
        b = dense(b)
    if is_number(b):
        x = elements_of(a)
        values = values_of(x)
        if a.ndim == 0 and isinstance(b, TensorBase):  # (values are a vector, which would prevail)
            values = values.to(dtypes.promote_types(a.dtype, b.dtype))
        return like_values(x, values * b)
    if not is_sparse(b):
        return times_dense(a, b)
    x, y = a, b
    if tuple(a.shape) != tuple(b.shape):
        shape = np.broadcast_shapes(tuple(a.shape), tuple(b.shape))
        x, y = broadcast_to(a, shape), broadcast_to(b, shape)
    x, y = ordered(x), ordered(y)
    if x._a.sparse_dim != y._a.sparse_dim:
        raise RuntimeError("mul(sparse, sparse): expected the same number of sparse dimensions")
    at, there = arrays.looked_up(y._a, x._a.indices)
    mine = np.flatnonzero(there)
    u = values_of(x).index_select(0, door.wrap(mine))
    v = values_of(y).index_select(0, door.wrap(at[mine]))
    made = at_places(x._a.indices[:, mine], u * v, x._a.shape, True)
    return in_form(made, a._a)


def like_values(s: Any, values: Any) -> Any:
    """Other values at the places of a sparse tensor."""
    return like(s._a, values)


def times_dense(s: Any, d: Any) -> Any:
    """A sparse tensor times a dense one that has its shape, or broadcasts to it."""
    shape = np.broadcast_shapes(tuple(s.shape), tuple(d.shape))
    if shape != tuple(s.shape):
        s = broadcast_to(s, shape)
    x = elements_of(s)
    return like_values(x, values_of(x) * picked(d.expand(shape), x._a))


def div(a: Any, b: Any, *, rounding_mode: Any = None, out: Any = None, name: str = "div") -> Any:
    """A sparse tensor divided by a number."""
    if not is_sparse(a):
        refuse("reciprocal" if not isinstance(a, TensorBase) else "div.Tensor", b)
    if not is_number(b):
        kind = (
            "floor division" if rounding_mode == "floor" and name == "floor_divide" else "division"
        )
        raise RuntimeError(
            f"Sparse {kind} requires a scalar or zero-dim dense tensor divisor (got shape "
            f"{list(b.shape)} for divisor)"
        )
    x = elements_of(a)
    if rounding_mode is not None:
        x = elements_of(a, ordered)
    return like_values(x, values_of(x).div(b, rounding_mode=rounding_mode))


def floor_divide(a: Any, b: Any, *, out: Any = None) -> Any:
    """A sparse tensor divided by a number, rounded down."""
    return div(a, b, rounding_mode="floor", name="floor_divide")


def pow_(a: Any, exponent: Any, *, out: Any = None) -> Any:
    """A sparse tensor to the power of a number."""
    if not is_sparse(a) or not is_number(exponent):
        refuse("pow.Tensor_Tensor", a, exponent)
    if exponent == 0:
        raise RuntimeError(
            "pow: cannot raise to zeroth power on sparse tensor; it would make the result tensor "
            "dense"
        )
    x = elements_of(a, ordered)
    return like_values(x, values_of(x) ** exponent)


def neg(a: Any, *, out: Any = None) -> Any:
    """-a."""
    x = elements_of(a)
    return like_values(x, -values_of(x))


def positive(a: Any) -> Any:
    """a itself."""
    return a


# Functions with f(0) = 0: they act on the values.
UNARY = frozenset(
    [
        "abs",
        "asin",
        "asinh",
        "atan",
        "atanh",
        "ceil",
        "conj_physical",
        "deg2rad",
        "erf",
        "erfinv",
        "expm1",
        "floor",
        "frac",
        "isinf",
        "isnan",
        "isneginf",
        "isposinf",
        "log1p",
        "nan_to_num",
        "rad2deg",
        "relu",
        "round",
        "sgn",
        "sign",
        "signbit",
        "sin",
        "sinh",
        "sqrt",
        "square",
        "tan",
        "tanh",
        "trunc",
        "absolute",
        "arcsin",
        "arcsinh",
        "arctan",
        "arctanh",
        "fix",
        "conj",
        "hardshrink",
        "threshold",
    ]
)


def unary(name: str) -> Any:
    def fn(s: Any, *args: Any, **kw: Any) -> Any:
        kw.pop("inplace", None)
        kw.pop("out", None)
        if not is_sparse(s):
            refuse(name, s, *args)
        x = elements_of(s, ordered)
        return like_values(x, getattr(values_of(x), name)(*args, **kw))

    fn.__name__ = name
    return fn


# Those whose forms with an underscore take coordinates that are not coalesced.
_ANY_ORDER = ["isinf", "isnan", "isneginf", "isposinf", "signbit", "conj_physical", "conj", "relu",
              "hardshrink", "threshold", "nan_to_num", "square", "fix", "absolute"]  # fmt: skip
ORDERED = UNARY - {*_ANY_ORDER}


def check_coalesced(name: str, s: Any) -> None:
    """PyTorch's error of a function in place on coordinates that are not coalesced."""
    if s._a.__class__ is not Compressed and not s._a.coalesced:
        shown = name.replace("arc", "a") if name.startswith("arc") else name
        raise RuntimeError(f"{shown} requires coalesced input")


def isclose_values(a: Any, b: Any) -> bool:
    """Whether two sparse tensors are the same numbers."""
    return bool(np.array_equal(arrays.dense_of(a._a), arrays.dense_of(b._a)))


def norm(s: Any, p: Any = 2, dim: Any = None, keepdim: bool = False, dtype: Any = None) -> Any:
    """The norm of all values."""
    dims = None if dim is None else {int(d) % max(s.ndim, 1) for d in np.atleast_1d(dim)}
    if p == "nuc" and dims is not None and len(dims) != 2:
        shown = " ".join(map(str, np.atleast_1d(dim)))
        raise RuntimeError(f"linalg.matrix_norm: dim must be a 2-tuple. Got {shown}")
    if dims and len(dims) != s.ndim:
        raise RuntimeError(
            "norm_sparse currently only supports full reductions, so 'dim' must either be empty or "
            "contain all dimensions of the input"
        )
    if keepdim:
        raise RuntimeError("norm_sparse currently does not support keepdim=True")
    if dtype is not None and p == "fro":
        raise ValueError("dtype argument is not supported in frobenius norm")
    if dtype is not None:
        raise RuntimeError("norm_sparse currently does not support 'dtype' argument")
    values = values_of(ordered(s))
    return values.norm(2 if p == "fro" else p, dtype=dtype)


def any_(s: Any, *args: Any) -> Any:
    """Whether a value is not zero."""
    if args:
        refuse("any.dim", s)
    return values_of(ordered(s)).any()
