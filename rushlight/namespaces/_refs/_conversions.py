"""`torch._refs._conversions`: the methods that change the type, as functions."""

from __future__ import annotations

from . import of

__getattr__ = of("")
