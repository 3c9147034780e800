"""The types that programs write in annotations: `torch.types`."""

from __future__ import annotations

from builtins import bool as _bool
from builtins import complex as _complex
from builtins import float as _float
from builtins import int as _int
from os import PathLike
from typing import IO, Any, TypeAlias

from rushlight.device import device
from rushlight.dtypes import dtype
from rushlight.layout import layout
from rushlight.size import Size
from rushlight.storage import TypedStorage, UntypedStorage
from rushlight.tensor import Tensor

__all__ = ["Device", "FileLike", "IntLikeType", "Number", "Storage"]

Number: TypeAlias = _int | _float | _bool
IntLikeType: TypeAlias = _int
FloatLikeType: TypeAlias = _float
BoolLikeType: TypeAlias = _bool
Device: TypeAlias = device | str | _int | None
FileLike: TypeAlias = str | PathLike[str] | IO[bytes]
Storage: TypeAlias = TypedStorage | UntypedStorage
_dtype, _device, _layout, _size = dtype, device, layout, Size | list[_int] | tuple[_int, ...]
_TensorOrTensors: TypeAlias = Tensor | tuple[Tensor, ...]
_Number = (_int, _float, _bool, _complex)
_any = Any
