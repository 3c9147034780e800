"""`torch._refs._conversions`: the methods that change the type, as functions."""

from __future__ import annotations

from rushlight._refs import of

__getattr__ = of("")
