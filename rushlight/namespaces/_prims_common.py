"""`torch._prims_common`: questions about types, shapes and strides that code around operators asks.

Of PyTorch's module these are the functions that mean something without its primitives; what
tensors differ in is `compare_tensor_meta`.
"""

from __future__ import annotations

import enum
from collections.abc import Sequence
from typing import Any

from rushlight import dtypes
from rushlight.dtypes import dtype
from rushlight.ops.elementwise.compare import common_dtype
from rushlight.tensor import Tensor

from ._subclasses.fake_tensor import MetadataMismatchError

__all__ = [
    "ELEMENTWISE_TYPE_PROMOTION_KIND",
    "canonicalize_dim",
    "canonicalize_dims",
    "compare_tensor_meta",
    "corresponding_complex_dtype",
    "corresponding_real_dtype",
    "dtype_to_type",
    "elementwise_dtypes",
    "get_computation_dtype",
    "get_dtype",
    "is_boolean_dtype",
    "is_complex_dtype",
    "is_expandable_to",
    "is_float_dtype",
    "is_grad_dtype",
    "is_integer_dtype",
    "is_low_precision_dtype",
    "is_same_shape",
    "is_valid_permutation",
    "make_contiguous_strides_for",
    "type_to_dtype",
]

WIDER = {
    dtypes.float16: dtypes.float32,
    dtypes.bfloat16: dtypes.float32,
    dtypes.complex32: dtypes.complex64,
}
COMPLEX = {
    dtypes.float16: dtypes.complex32,
    dtypes.bfloat16: dtypes.complex64,
    dtypes.float32: dtypes.complex64,
    dtypes.float64: dtypes.complex128,
}
REAL = {wide: d for d, wide in COMPLEX.items() if d is not dtypes.bfloat16}


def checked(d: Any) -> dtype:
    """AssertionError for what is no type."""
    if not isinstance(d, dtype):
        raise AssertionError(f"Expected torch.dtype, got {type(d)}")
    return d


# -- types -----------------------------------------------------------------------------------------


def is_boolean_dtype(d: dtype) -> bool:
    """Whether a type is bool."""
    return checked(d).name == "bool"


def is_complex_dtype(d: dtype) -> bool:
    """Whether a type is one of complex numbers."""
    return checked(d).is_complex


def is_float_dtype(d: dtype) -> bool:
    """Whether a type is one of real floating point numbers."""
    return checked(d).is_floating_point


def is_integer_dtype(d: dtype) -> bool:
    """Whether a type is one of integers; bool is none."""
    return checked(d).name.startswith(("int", "uint"))


def is_low_precision_dtype(d: dtype) -> bool:
    """Whether numbers of a type are computed in a wider one."""
    return checked(d) in WIDER


def is_grad_dtype(d: dtype) -> bool:
    """Whether tensors of a type may require a gradient."""
    return d.is_floating_point or d.is_complex


def corresponding_real_dtype(d: dtype) -> dtype:
    """The type of a complex type's parts; KeyError for others."""
    return REAL[d]


def corresponding_complex_dtype(d: dtype) -> dtype:
    """The complex type whose parts have a type, of bfloat16 complex64; KeyError for others."""
    return COMPLEX[d]


def get_computation_dtype(d: dtype) -> dtype:
    """The type that elements are computed in."""
    return WIDER.get(d, d)


def dtype_to_type(d: dtype) -> type:
    """bool, int, float or complex: the kind of numbers that a type has."""
    if is_boolean_dtype(d):
        return bool
    if is_integer_dtype(d):
        return int
    if d.is_floating_point:
        return float
    if d.is_complex:
        return complex
    raise ValueError("Invalid dtype!")


def type_to_dtype(kind: type) -> dtype:
    """The type that Python's numbers of a kind become in tensors of their own."""
    if not isinstance(kind, type):
        raise AssertionError(f"Expected type, got {type(kind)}")
    if kind is bool:
        return dtypes.bool
    if kind is int:
        return dtypes.int64
    if kind is float:
        return dtypes.get_default_dtype()
    if kind is complex:
        return corresponding_complex_dtype(dtypes.get_default_dtype())
    raise ValueError(f"Invalid type {kind}!")


def get_dtype(x: Any) -> dtype:
    """The type of a tensor, or of the tensor that a number becomes."""
    return x.dtype if isinstance(x, Tensor) else type_to_dtype(type(x))


class ELEMENTWISE_TYPE_PROMOTION_KIND(enum.Enum):
    """What an elementwise operation makes of the common type of its operands."""

    DEFAULT = (0,)
    NO_OPMATH = (1,)
    INT_TO_FLOAT = (2,)
    ALWAYS_BOOL = (3,)
    COMPLEX_TO_FLOAT = (4,)
    BOOL_TO_LONG = (5,)


def elementwise_dtypes(
    *args: Any, type_promotion_kind: ELEMENTWISE_TYPE_PROMOTION_KIND
) -> tuple[dtype, dtype]:
    """(the type that an elementwise operation computes in, the type of its result) for tensors
    and numbers; None among them is left out."""
    given = [x for x in args if x is not None]
    for x in given:
        if not isinstance(x, (Tensor, bool, int, float, complex)):
            raise ValueError(
                f"Unexpected type {type(x)} when computing elementwise type promotion!"
            )
    common = common_dtype(*given) if given else dtypes.bool
    kinds = ELEMENTWISE_TYPE_PROMOTION_KIND
    if type_promotion_kind is kinds.NO_OPMATH:
        return common, common
    if type_promotion_kind is kinds.INT_TO_FLOAT and not is_grad_dtype(common):
        common = dtypes.get_default_dtype()
    elif type_promotion_kind is kinds.BOOL_TO_LONG and is_boolean_dtype(common):
        common = dtypes.int64
    computed = get_computation_dtype(common)
    if type_promotion_kind is kinds.ALWAYS_BOOL:
        return computed, dtypes.bool
    if type_promotion_kind is kinds.COMPLEX_TO_FLOAT and common.is_complex:
        return computed, corresponding_real_dtype(common)
    return computed, common


# -- shapes ----------------------------------------------------------------------------------------


def canonicalize_dim(rank: int, idx: int, wrap_scalar: bool = True) -> int:
    """A dimension counted from the front; IndexError for one that `rank` dimensions do not have.
    No dimensions count as one, unless `wrap_scalar` is False."""
    if rank < 0:
        raise IndexError(f"Rank cannot be negative but got {rank}")
    if rank == 0 and not wrap_scalar:
        raise IndexError(f"Dimension specified as {idx} but tensor has no dimensions")
    n = max(rank, 1)
    if not -n <= idx < n:
        raise IndexError(
            f"Dimension out of range (expected to be in range of [{-n}, {n - 1}], but got {idx})"
        )
    return idx % n


def canonicalize_dims(rank: int, indices: Any, wrap_scalar: bool = True) -> Any:
    """`canonicalize_dim` of one dimension or of each of several."""
    if isinstance(indices, int):
        return canonicalize_dim(rank, indices, wrap_scalar)
    return tuple(canonicalize_dim(rank, i, wrap_scalar) for i in indices)


def is_valid_permutation(rank: int, perm: Any) -> bool:
    """Whether each of `rank` dimensions is in `perm` once."""
    return isinstance(perm, Sequence) and sorted(perm) == list(range(rank))


def is_same_shape(a: Sequence[int], b: Sequence[int]) -> bool:
    """Whether two shapes are equal."""
    return tuple(a) == tuple(b)


def is_expandable_to(shape: Sequence[int], desired: Sequence[int]) -> bool:
    """Whether a tensor of a shape may be expanded to the other one."""
    if len(shape) > len(desired):
        return False
    ends = zip(reversed(shape), reversed(desired), strict=False)
    return all(n in (m, 1) for n, m in ends)


def make_contiguous_strides_for(shape: Sequence[int], row_major: bool = True) -> tuple[int, ...]:
    """The strides of a tensor in rows; with `row_major=False` those of matrices in columns."""
    steps, n = [], 1
    for size in reversed(shape):
        steps.append(n)
        n *= max(size, 1)
    if not row_major and len(shape) > 1:
        steps[:2] = [max(shape[-2], 1), 1]
    return tuple(reversed(steps))


def compare_tensor_meta(
    a: Any,
    b: Any,
    check_sizes: bool = True,
    check_strides: bool = False,
    *,
    check_conj: bool = True,
) -> None:
    """MetadataMismatchError for tensors of different shapes, types, devices, and with
    `check_strides` of different strides where a dimension has several elements."""
    if check_sizes and a.shape != b.shape:
        raise MetadataMismatchError(f"Shapes {a.shape} and {b.shape} are not equal!")
    if a.dtype != b.dtype:
        raise MetadataMismatchError(f"Dtypes {a.dtype} and {b.dtype} are not equal!")
    if a.device != b.device:
        raise MetadataMismatchError(f"Devices {a.device} and {b.device} are not equal!")
    if check_strides:
        for i, (n, s, t) in enumerate(zip(a.shape, a.stride(), b.stride(), strict=True)):
            if n > 1 and s != t and a.numel():
                raise MetadataMismatchError(
                    f"Stride mismatch! Strides are {a.stride()} and {b.stride()} "
                    f"(mismatched at {i})!"
                )
    if check_conj and a.is_conj() != b.is_conj():
        raise MetadataMismatchError(
            f"Conj mismatch! is_conj is set to {a.is_conj()} and {b.is_conj()}"
        )
