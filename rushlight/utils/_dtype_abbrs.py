"""Short names of types, as PyTorch's tools print them: `f32[2, 3]`."""

from __future__ import annotations

from .. import dtypes

__all__ = ["dtype_abbrs"]

KINDS = {"float": "f", "bfloat": "bf", "complex": "c", "int": "i", "uint": "u"}


def short(name: str) -> str:
    """`f32` for float32, `f8e4m3fn` for float8_e4m3fn."""
    if name == "bool":
        return "b8"
    kind = name.rstrip("0123456789") if "_" not in name else name.partition("8")[0]
    return KINDS[kind] + name.removeprefix(kind).replace("_", "")


dtype_abbrs = {d: short(d.name) for d in vars(dtypes).values() if isinstance(d, dtypes.dtype)}
