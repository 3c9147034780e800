"""The header of a safetensors file, checked before anything is allocated.

Not here: reading and writing the tensors (`safetensors.py`).
"""

from __future__ import annotations

import json
import math
from typing import Any

from .. import dtypes
from ..errors import message
from .errors import CheckpointError
from .unpickler import shown

MAX_HEADER = 100_000_000

# In the order in which files hold them: what needs the strictest alignment comes first.
DTYPES = {
    name: getattr(dtypes, ours)
    for name, ours in (
        ("U64", "uint64"),
        ("I64", "int64"),
        ("F64", "float64"),
        ("C64", "complex64"),
        ("F32", "float32"),
        ("U32", "uint32"),
        ("I32", "int32"),
        ("BF16", "bfloat16"),
        ("F16", "float16"),
        ("U16", "uint16"),
        ("I16", "int16"),
        ("F8_E5M2FNUZ", "float8_e5m2fnuz"),
        ("F8_E4M3FNUZ", "float8_e4m3fnuz"),
        ("F8_E4M3", "float8_e4m3fn"),
        ("F8_E5M2", "float8_e5m2"),
        ("I8", "int8"),
        ("U8", "uint8"),
        ("BOOL", "bool"),
    )
    if hasattr(dtypes, ours)
}
NAMES = {dtype: name for name, dtype in DTYPES.items()}
RANK = {dtype: rank for rank, dtype in enumerate(NAMES)}


class Row:
    """One tensor of the header: `nbytes` of data from `begin` of the file."""

    def __init__(self, dtype: dtypes.dtype, shape: tuple[int, ...], begin: int) -> None:
        self.dtype, self.shape, self.begin = dtype, shape, begin
        self.nbytes = math.prod(shape) * dtype.itemsize

    def reshaped(self, shape: tuple[int, ...]) -> Row:
        """A part of it."""
        return Row(self.dtype, shape, self.begin)


class Header:
    """The header of a file of `size` bytes: `rows` in the order of the data, and `metadata`."""

    def __init__(self, head: bytes, size: int, read: Any) -> None:
        if len(head) < 8:
            raise bad("header too small: the file ends before it", f"{size} bytes")
        length = int.from_bytes(head, "little")
        if length > MAX_HEADER or length > size - 8:
            raise bad("header too large: longer than the file or 100 MB", f"{length} bytes")
        raw = read(length)
        try:
            if raw[:1] != b"{":
                raise ValueError("it begins with no brace")
            table = json.loads(raw.decode("utf-8"), object_pairs_hook=_unique)
        except (ValueError, RecursionError) as error:
            raise bad(f"invalid JSON in header ({str(error)[:120]})") from error
        self.metadata = self._texts(table.pop("__metadata__", None))
        rows = sorted(
            ((*self._offsets(name, entry), name, entry) for name, entry in table.items()),
            key=lambda row: row[:2],
        )
        self.rows: dict[str, Row] = {}
        at = 0
        for begin, end, name, entry in rows:
            if begin != at:
                raise bad(f"tensor {shown(name)} overlaps another or leaves a gap before it")
            row = Row(*self._kind(name, entry), 8 + length + begin)
            if row.nbytes != end - begin:
                raise bad(
                    f"tensor {shown(name)} has the wrong length",
                    f"{end - begin} bytes",
                    f"{row.nbytes} for {row.dtype!r} of shape {shown(row.shape)}",
                )
            self.rows[name] = row
            at = end
        if at != size - 8 - length:
            raise bad(
                "incomplete: its tensors do not fill the file", f"{size - 8 - length} bytes", at
            )

    @staticmethod
    def _texts(value: Any) -> dict[str, str] | None:
        if value is not None and (
            type(value) is not dict or not all(type(v) is str for v in value.values())
        ):
            raise bad("its metadata is no table of texts", shown(value))
        return value

    @staticmethod
    def _offsets(name: str, entry: Any) -> tuple[int, int]:
        offsets: Any = entry.get("data_offsets") if type(entry) is dict else None
        fine = type(offsets) is list and len(offsets) == 2
        if not fine or not all(type(n) is int and 0 <= n < 2**62 for n in offsets):
            raise bad(f"tensor {shown(name)} has no place", shown(entry))
        if offsets[1] < offsets[0]:
            raise bad(f"tensor {shown(name)} ends before it begins", shown(offsets))
        return offsets[0], offsets[1]

    @staticmethod
    def _kind(name: str, entry: dict[str, Any]) -> tuple[dtypes.dtype, tuple[int, ...]]:
        kind: Any = entry.get("dtype")
        shape: Any = entry.get("shape")
        dtype = DTYPES.get(kind) if type(kind) is str else None
        if dtype is None:
            raise bad(f"tensor {shown(name)} has an unknown dtype", shown(kind), ", ".join(DTYPES))
        fine = type(shape) is list and len(shape) <= 64
        if not fine or not all(type(n) is int and 0 <= n < 2**62 for n in shape):
            raise bad(f"tensor {shown(name)} has an impossible shape", shown(shape))
        if math.prod(n for n in shape if n) >= 2**62:
            raise bad(f"tensor {shown(name)} has an impossible shape", shown(shape))
        return dtype, tuple(shape)


def _unique(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    table = dict(pairs)
    if len(table) != len(pairs):
        raise ValueError("a name occurs twice")
    return table


def bad(what: str, got: Any = None, wanted: Any = None) -> CheckpointError:
    """The error for a file that is no whole safetensors file."""
    return CheckpointError(
        message(
            f"Error while deserializing: not a whole safetensors file: {what}",
            got=got,
            wanted=wanted,
            hint="another copy of the file",
        )
    )
