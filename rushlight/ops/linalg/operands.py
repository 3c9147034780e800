"""What functions of linear algebra share: what they ask of operands and of `out=`, and how PyTorch
writes shapes and types in their messages."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from ... import dtypes
from ...autograd.door import wrap
from ...autograd.node import TensorBase
from ...dtypes import type_name
from ...errors import message
from ..core.publication import write_out
from ..core.return_types import ReturnType

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
            same_type_of_vectors("dot", a, b)
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


def same_type_of_vectors(name: str, a: Any, b: Any) -> None:
    """RuntimeError for vectors of two types."""
    if a.dtype != b.dtype:
        of = [type_name(dtypes.from_numpy(x.dtype)) for x in (a, b)]
        raise RuntimeError(
            message(
                f"{name} : expected both vectors to have same dtype, but found {of[0]} and {of[1]}",
                hint=_one_type(a.dtype, b.dtype),
            )
        )


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


def tall(x: Any) -> Any:
    """A stack of matrices as one tall matrix."""
    if x.ndim == 2:
        return x
    return x.reshape((math.prod(x.shape[:-1]), x.shape[-1]))


def constant(array: Any, like: Any) -> Any:
    """An array of numbers as a partner for `like`: an ndarray or a Tensor, of its type."""
    if isinstance(like, (ndarray, np.generic)):
        return array.astype(like.dtype, copy=False)
    return wrap(array.astype(like._a.dtype, copy=False))


def is_complex(x: Any) -> bool:
    """Whether an array or Tensor holds complex numbers."""
    return (x if isinstance(x, (ndarray, np.generic)) else x._a).dtype.kind in "cW"


def adjoint_(x: Any) -> Any:
    """The conjugate transpose of the last two dims, without a copy for real numbers."""
    return x.mT.conj() if is_complex(x) else x.mT


# -- results -------------------------------------------------------------------------------------


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
