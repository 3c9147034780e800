"""The classes of named results (`torch.return_types.max`, ...). Made in `ops/return_types.py`."""

from __future__ import annotations

from .ops.return_types import ReturnType, all_return_types, return_type

__all__ = ["ReturnType", "all_return_types", "return_type"]

globals().update({made.__name__: made for made in all_return_types()})
