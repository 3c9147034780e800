"""Made by tools/stubs.py: names for the other stubs; there is no such module."""

import builtins
from collections.abc import Sequence
from typing import TypeAlias

from rushlight.device import device as _device
from rushlight.dtypes import dtype as _dtype
from rushlight.layout import layout as _layout

_bool: TypeAlias = builtins.bool
_bytes: TypeAlias = builtins.bytes
_complex: TypeAlias = builtins.complex
_float: TypeAlias = builtins.float
_int: TypeAlias = builtins.int
_str: TypeAlias = builtins.str
Number: TypeAlias = _int | _float | _bool | _complex
Dims: TypeAlias = _int | Sequence[_int]
Device: TypeAlias = _device | _str | _int | None
