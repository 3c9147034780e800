"""Element types: PyTorch's names over NumPy's (and ml_dtypes') types, and how they promote.

Not here: conversion of tensors (`ops/shape/views.py`, `Tensor.to`). Read next: `tensor.py`.
"""

from __future__ import annotations

import builtins
from typing import Any

import ml_dtypes
import numpy as np

from .errors import message

BOOL, INT, FLOAT, COMPLEX = range(4)  # promotion categories: the higher one wins


class dtype:
    """An element type, such as ``rushlight.float32``; one object a type, compared by identity.

    Attributes:
        itemsize: bytes an element takes.
        is_floating_point, is_complex, is_signed: as in PyTorch.
        np: the NumPy type that stores it.

    >>> torch.float32.itemsize, torch.float32.is_floating_point
    (4, True)
    >>> torch.ones(2, dtype=torch.int8).dtype is torch.int8
    True
    >>> torch.float16.to_complex(), torch.complex128.to_real()
    (torch.complex32, torch.float64)
    """

    __slots__ = (
        "category",
        "is_complex",
        "is_floating_point",
        "is_signed",
        "itemsize",
        "low",
        "name",
        "np",
        "rank",
    )
    __module__ = "rushlight"

    def __init__(
        self,
        name: str,
        np_type: Any,
        category: builtins.int,
        rank: builtins.int,
        low: builtins.bool = False,
    ) -> None:
        self.name = name
        self.np = np.dtype(np_type)
        self.category = category
        self.rank = rank
        self.low = low  # narrower than float32: computed in float32, as PyTorch's op-math does
        self.itemsize = self.np.itemsize
        self.is_floating_point = category == FLOAT
        self.is_complex = category == COMPLEX
        self.is_signed = category != BOOL and not name.startswith("uint")

    def __repr__(self) -> str:
        return f"torch.{self.name}"

    def __reduce__(self) -> str:
        return self.name

    def to_real(self) -> dtype:
        """The type of the real part: float32 for complex64; itself when real."""
        named = {"complex32": float16, "complex64": float32, "complex128": float64}
        return named.get(self.name, self)

    def to_complex(self) -> dtype:
        """The complex type with parts of this precision."""
        if self in (float16, complex32):
            return complex32
        return complex128 if self in (float64, complex128) else complex64


bool = dtype("bool", np.bool_, BOOL, 0)
uint8 = dtype("uint8", np.uint8, INT, 1)
int8 = dtype("int8", np.int8, INT, 1)
int16 = dtype("int16", np.int16, INT, 2)
int32 = dtype("int32", np.int32, INT, 3)
int64 = dtype("int64", np.int64, INT, 4)
uint16 = dtype("uint16", np.uint16, INT, 2)
uint32 = dtype("uint32", np.uint32, INT, 3)
uint64 = dtype("uint64", np.uint64, INT, 4)
float16 = dtype("float16", np.float16, FLOAT, 1, low=True)
bfloat16 = dtype("bfloat16", ml_dtypes.bfloat16, FLOAT, 1, low=True)
float32 = dtype("float32", np.float32, FLOAT, 2)
float64 = dtype("float64", np.float64, FLOAT, 3)
float8_e4m3fn = dtype("float8_e4m3fn", ml_dtypes.float8_e4m3fn, FLOAT, 0, low=True)
float8_e5m2 = dtype("float8_e5m2", ml_dtypes.float8_e5m2, FLOAT, 0, low=True)
float8_e4m3fnuz = dtype("float8_e4m3fnuz", ml_dtypes.float8_e4m3fnuz, FLOAT, 0, low=True)
float8_e5m2fnuz = dtype("float8_e5m2fnuz", ml_dtypes.float8_e5m2fnuz, FLOAT, 0, low=True)
complex32 = dtype("complex32", ml_dtypes.complex32, COMPLEX, 1, low=True)
complex64 = dtype("complex64", np.complex64, COMPLEX, 2)
complex128 = dtype("complex128", np.complex128, COMPLEX, 3)

half, float, double = float16, float32, float64
chalf, cfloat, cdouble = complex32, complex64, complex128
short, int, long = int16, int32, int64

ALL: tuple[dtype, ...] = tuple(
    v for k, v in list(globals().items()) if isinstance(v, dtype) and v.name == k
)
_BY_NP = {d.np: d for d in ALL}
_BAREBONES = (uint16, uint32, uint64)
_FLOAT8 = (float8_e4m3fn, float8_e5m2, float8_e4m3fnuz, float8_e5m2fnuz)
_C32 = complex32.np
_WIDE_REAL, _WIDE_COMPLEX = float32.np, complex64.np
LOW_NP = frozenset(d.np for d in ALL if d.low)  # NumPy types that the door computes in float32

# what Python's own types stand for wherever PyTorch takes a dtype, whatever the default type is
PYTHON: dict[Any, dtype] = {
    builtins.float: float64,
    builtins.int: int64,
    builtins.bool: bool,
    complex: complex128,
}

_default = float32


def wide(np_type: Any) -> Any:
    """The NumPy type in which a narrow one is computed."""
    return _WIDE_COMPLEX if np_type == _C32 else _WIDE_REAL


def _near(d: Any) -> str:
    """The name of the dtype that was meant by a text or by NumPy's type of it."""
    name = d if isinstance(d, str) else getattr(d, "__name__", getattr(d, "name", ""))
    return name if isinstance(globals().get(name), dtype) else "float32, torch.int64 and so on"


def of(d: Any) -> Any:
    """A dtype of one, or of Python's `float`, `int`, `bool` and `complex`; else TypeError."""
    if d.__class__ is dtype:
        return d
    found = PYTHON.get(d) if isinstance(d, type) else None
    if found is None and isinstance(d, dtype):
        return d.np  # one that no array holds (dtypes_unheld.py): this raises
    if found is None:
        raise TypeError(
            message(
                f"dtype must be a torch.dtype, not {type(d).__name__}",
                got=repr(d),
                hint=f"torch.{_near(d)}",
            )
        )
    return found


def from_numpy(np_type: Any) -> dtype:
    """The dtype stored by a NumPy type; TypeError when there is none (strings, objects)."""
    found = _BY_NP.get(np_type)
    if found is None:
        np_type = np.dtype(np_type).newbyteorder("=")
        found = _BY_NP.get(np_type)
        if found is None and np_type.kind in "iu":  # longlong and long are two types of one size
            found = _BY_NP.get(np.dtype(f"{np_type.kind}{np_type.itemsize}"))
    if found is None:
        hints = {
            "O": "array.astype(np.float32) if all rows have one length; else "
            "nn.utils.rnn.pad_sequence of a tensor a row",
            "U": "numbers in place of text: np.unique(array, return_inverse=True)[1]",
            "M": "array.astype('int64'), the time since 1970",
        }
        raise TypeError(
            message(
                f"can't convert np.ndarray of type numpy.{np.dtype(np_type)}. The only supported "
                f"types are: "
                "float64, float32, float16, complex64, complex128, int64, int32, int16, int8, "
                "uint64, uint32, uint16, uint8, and bool.",
                hint=hints.get(np.dtype(np_type).kind),
            )
        )
    return found


def get_default_dtype() -> dtype:
    """The type that `tensor([1.0])`, `zeros(3)`, `randn(3)` get: float32 unless changed.

    >>> torch.get_default_dtype()
    torch.float32
    """
    return _default


def set_default_dtype(d: dtype) -> None:
    """Set the type of new floating tensors; TypeError unless `d` is a floating dtype.

    >>> torch.set_default_dtype(torch.float64)
    >>> torch.tensor([1.0, 2.0]).dtype, torch.tensor([1j]).dtype
    (torch.float64, torch.complex128)
    >>> torch.set_default_dtype(torch.float32)
    """
    global _default
    if not isinstance(d, dtype) or not d.is_floating_point:
        raise TypeError(f"only floating-point types are supported as the default type, got {d!r}")
    _default = d


def promote_types(a: dtype, b: dtype) -> dtype:
    """The smallest type that holds both: PyTorch's table (int64 with float16 is float16).

    >>> torch.promote_types(torch.int64, torch.float16)
    torch.float16
    >>> torch.promote_types(torch.uint8, torch.int8)
    torch.int16
    >>> torch.promote_types(torch.float16, torch.bfloat16)
    torch.float32
    """
    if a is b and a.__class__ is dtype:
        return a
    if a.__class__ is not dtype or b.__class__ is not dtype:
        for one, other in ((a, b), (b, a)):
            if hasattr(one, "promoted"):
                return one.promoted(other)  # type: ignore[no-any-return]
        return promote_types(of(a), of(b))
    if a in _FLOAT8 or b in _FLOAT8:
        raise RuntimeError(
            f"Promotion for Float8 Types is not supported, attempted to promote {a.name} and "
            f"{b.name}"
        )
    if a in _BAREBONES or b in _BAREBONES:
        for d in (a, b):
            if d.is_floating_point:
                return d
        raise RuntimeError(
            f"Promotion for uint16, uint32, uint64 types is not supported, attempted to "
            f"promote {a.name} and {b.name}"
        )
    if a.category != b.category:
        high, low = (a, b) if a.category > b.category else (b, a)
        if high.category == COMPLEX and low.category == FLOAT:
            return promote_types(high, low.to_complex())
        return high
    if a.rank == b.rank:  # uint8 with int8, float16 with bfloat16: neither holds the other
        return int16 if a.category == INT else float32
    high, low = (a, b) if a.rank > b.rank else (b, a)
    return high


def can_cast(from_: dtype, to: dtype) -> builtins.bool:
    """Whether an in-place result of type `from_` may be stored in `to`: never to a lower
    category.

    >>> torch.can_cast(torch.float64, torch.int32), torch.can_cast(torch.int64, torch.float16)
    (False, True)
    """
    if from_.__class__ is not dtype or to.__class__ is not dtype:
        if hasattr(from_, "castable"):
            return from_.castable(to)  # type: ignore[no-any-return]
        return can_cast(of(from_), complex64 if getattr(to, "is_complex", False) else of(to))
    if from_.category == COMPLEX and to.category != COMPLEX:
        return False
    if from_.category == FLOAT and to.category in (INT, BOOL):
        return False
    return not (to is bool and from_ is not bool)


def scalar_dtype(value: Any) -> dtype:
    """The type a Python number brings into promotion (weakly)."""
    if isinstance(value, builtins.bool):
        return bool
    if isinstance(value, builtins.int):
        return int64
    if isinstance(value, builtins.float):
        return _default
    if isinstance(value, complex):
        return _default.to_complex()
    raise TypeError(f"expected a number, got {type(value).__name__}")


def combine(dims: dtype | None, zero_dims: dtype | None, numbers: dtype | None) -> dtype:
    """Result type of operands in three strengths: tensors, 0-d tensors, Python numbers.

    A weaker operand counts only when its category is higher than all stronger ones.
    """
    current = dims
    for weaker in (zero_dims, numbers):
        if weaker is None:
            continue
        if current is None:
            current = weaker
        elif weaker.category > current.category:
            current = _weak(current, weaker)
    assert current is not None
    return current


def _weak(current: dtype, number: dtype) -> dtype:
    """A weaker operand of a higher category: it brings the category, the tensor its precision."""
    if number.category == COMPLEX and current.category == FLOAT:
        return current.to_complex()
    return promote_types(current, number)


class finfo:
    """Limits of a floating type: bits, eps, max, min, tiny, smallest_normal, resolution.

    Args:
        type: a floating or complex dtype; the default dtype unless given.

    >>> torch.finfo(torch.float16).max, torch.finfo(torch.bfloat16).eps
    (65504.0, 0.0078125)
    >>> torch.finfo(torch.float32).bits
    32
    """

    def __init__(self, type: dtype | None = None) -> None:
        d: Any = _default if type is None else PYTHON.get(type, type)
        if not isinstance(d, dtype) or d.category < FLOAT:
            raise TypeError(
                f"torch.finfo() requires a floating point input type. Use torch.iinfo to "
                f"handle '{d!r}'"
            )
        d = d.to_real()
        known = np.dtype(d.np).char in "efd"  # float8_e5m2 calls itself a float and is not NumPy's
        info: Any = np.finfo(d.np) if known else ml_dtypes.finfo(d.np)
        self.dtype = d.name
        self.bits = d.itemsize * 8
        self.eps = builtins.float(info.eps)
        self.max = builtins.float(info.max)
        self.min = builtins.float(info.min)
        self.tiny = self.smallest_normal = builtins.float(info.smallest_normal)
        self.resolution = builtins.float(info.resolution)

    def __repr__(self) -> str:
        fields = ["resolution", "min", "max", "eps", "smallest_normal", "tiny"]
        shown = ", ".join(f"{f}={getattr(self, f):g}" for f in fields)
        return f"finfo({shown}, dtype={self.dtype})"


class iinfo:
    """Limits of an integer type: bits, max, min.

    Raises:
        TypeError: not an integer dtype.

    >>> torch.iinfo(torch.int8).min, torch.iinfo(torch.int64).max
    (-128, 9223372036854775807)
    """

    def __init__(self, type: dtype) -> None:
        type = PYTHON.get(type, type)
        if not isinstance(type, dtype) or type.category != INT:
            raise TypeError(
                f"torch.iinfo() requires an integer input type. Use torch.finfo to handle "
                f"'{type!r}'"
            )
        info = np.iinfo(getattr(type, "stored", None) or type.np)  # quantized types' integers
        self.dtype = type.name
        self.bits = type.itemsize * 8
        self.max = builtins.int(info.max)
        self.min = builtins.int(info.min)

    def __repr__(self) -> str:
        return f"iinfo(min={self.min:g}, max={self.max:g}, dtype={self.dtype})"


def type_name(d: Any) -> str:
    """A dtype as PyTorch's C++ messages call it: Float, Long, ComplexFloat."""
    names = {
        "float32": "Float",
        "float64": "Double",
        "float16": "Half",
        "bfloat16": "BFloat16",
        "int64": "Long",
        "int32": "Int",
        "int16": "Short",
        "int8": "Char",
        "uint8": "Byte",
        "bool": "Bool",
        "complex32": "ComplexHalf",
        "complex64": "ComplexFloat",
        "complex128": "ComplexDouble",
        "uint16": "UInt16",
        "uint32": "UInt32",
        "uint64": "UInt64",
    }
    return names.get(d.name, d.name)
