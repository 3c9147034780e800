"""`RemovableHandle` under the name that programs import it by; it lives in `autograd/hooks.py`."""

from __future__ import annotations

from ..autograd.hooks import RemovableHandle

__all__ = ["RemovableHandle"]
