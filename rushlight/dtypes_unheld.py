"""Element types that PyTorch names and that no array here holds: complex32, quantized types, bits.

They are dtypes, so that programs can compare with them, list them and ask what they are. Whatever
would make or convert a tensor asks for the NumPy type, `d.np`, and is told there: the types are not
held, and which one to take. `docs/decisions/0034-complex32-is-a-name.md` says why.
"""

from __future__ import annotations

from typing import Any, NoReturn

from . import dtypes
from .dtypes import BOOL, COMPLEX, FLOAT, INT
from .errors import message

QUANTIZED, BITS = "quantized", "bits"


class Unheld(dtypes.dtype):
    """A dtype without a NumPy type."""

    __slots__ = ("kind",)
    __module__ = "rushlight"

    def __init__(self, name: str, itemsize: int, category: int, kind: str = "") -> None:
        self.name = name
        self.itemsize = itemsize
        self.category = category
        self.rank = 1
        self.low = True
        self.kind = kind
        self.is_floating_point = category == FLOAT
        self.is_complex = category == COMPLEX

    @property
    def np(self) -> NoReturn:  # type: ignore[override]
        hint = {
            "complex32": "torch.complex64",
            "float8_e8m0fnu": "torch.float8_e5m2",
        }.get(self.name, "torch.int8, or torch.uint8")
        raise NotImplementedError(
            message(f"tensors of type {self!r} are not held by Rushlight", hint=hint)
        )

    @property
    def is_signed(self) -> bool:  # type: ignore[override]
        if self.kind == QUANTIZED:
            raise RuntimeError("isSignedType not supported for quantized types")
        if self.kind == BITS:
            raise RuntimeError("Bits types are undefined")
        return self.is_complex

    def to_real(self) -> dtypes.dtype:
        return dtypes.float16 if self.is_complex else self

    def to_complex(self) -> dtypes.dtype:
        if self.is_complex:
            return self
        raise RuntimeError(f"Unknown Complex ScalarType for {self.name}")

    def promoted(self, other: dtypes.dtype) -> dtypes.dtype:
        """`promote_types` with another type."""
        if self.kind == QUANTIZED:
            raise RuntimeError("promoteTypes with quantized numbers is not handled yet")
        if other is self:
            return self
        if not self.is_complex or isinstance(other, Unheld):
            raise RuntimeError(f"Promotion from {self.name} and {other.name} is unsupported.")
        if other.category <= INT or other is dtypes.float16:
            return self
        return dtypes.promote_types(dtypes.complex64, other)

    def castable(self, to: dtypes.dtype) -> bool:
        """`can_cast` to another type."""
        return to.is_complex or not self.is_complex


def _types() -> dict[str, Unheld]:
    rows: list[tuple[Any, ...]] = [("complex32", 4, COMPLEX)]
    rows += [(name, 1, INT, QUANTIZED) for name in ("qint8", "quint8", "quint4x2", "quint2x4")]
    rows += [("qint32", 4, INT, QUANTIZED), ("float8_e8m0fnu", 1, FLOAT)]
    rows += [(name, 1, BOOL, BITS) for name in ("bits8", "bits1x8", "bits2x4", "bits4x2")]
    rows += [("bits16", 2, BOOL, BITS)]
    return {row[0]: Unheld(*row) for row in rows}


TYPES = _types()
TYPES["chalf"] = TYPES["complex32"]
globals().update(TYPES)
