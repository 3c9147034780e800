"""Element types that PyTorch names and that no array here holds: quantized types, bits, integers of
less than eight bits.

They are dtypes, so that programs can compare with them, list them and ask what they are. Whatever
would make or convert a tensor asks for the NumPy type, `d.np`, and is told there: the types are not
held, and which one to take. `docs/decisions/0034-complex32-is-a-name.md` says why.
"""

from __future__ import annotations

from typing import Any, NoReturn

from . import dtypes
from .dtypes import BOOL, FLOAT, INT
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
        self.is_complex = False

    @property
    def stored(self) -> str | None:
        """The integers that numbers of a quantized type would be."""
        if self.kind != QUANTIZED:
            return None
        return {"qint8": "int8", "qint32": "int32"}.get(self.name, "uint8")

    @property
    def np(self) -> NoReturn:  # type: ignore[override]
        hint = "torch.int8, or torch.uint8"
        if self.category == FLOAT:
            hint = "torch.float8_e5m2"
        raise NotImplementedError(
            message(f"tensors of type {self!r} are not held by Rushlight", hint=hint)
        )

    @property
    def is_signed(self) -> bool:  # type: ignore[override]
        if self.kind == QUANTIZED:
            raise RuntimeError("isSignedType not supported for quantized types")
        if self.kind == BITS:
            raise RuntimeError("Bits types are undefined")
        return self.name.startswith(("int", "float4"))

    def to_real(self) -> dtypes.dtype:
        return self

    def to_complex(self) -> dtypes.dtype:
        raise RuntimeError(f"Unknown Complex ScalarType for {self.name}")

    def promoted(self, other: dtypes.dtype) -> dtypes.dtype:
        """`promote_types` with another type."""
        if self.kind == QUANTIZED:
            raise RuntimeError("promoteTypes with quantized numbers is not handled yet")
        if other is self:
            return self
        raise RuntimeError(f"Promotion from {self.name} and {other.name} is unsupported.")

    def castable(self, to: dtypes.dtype) -> bool:
        """`can_cast` to another type."""
        return True


def _types() -> dict[str, Unheld]:
    quantized = ("qint8", "quint8", "quint4x2", "quint2x4")
    rows: list[tuple[Any, ...]] = [(name, 1, INT, QUANTIZED) for name in quantized]
    rows += [("qint32", 4, INT, QUANTIZED), ("float8_e8m0fnu", 1, FLOAT)]
    rows += [(name, 1, BOOL, BITS) for name in ("bits8", "bits1x8", "bits2x4", "bits4x2")]
    rows += [("bits16", 2, BOOL, BITS), ("float4_e2m1fn_x2", 1, FLOAT)]
    rows += [(f"{kind}{n}", 1, INT) for kind in ("int", "uint") for n in range(1, 8)]
    return {row[0]: Unheld(*row) for row in rows}


TYPES = _types()
globals().update(TYPES)
