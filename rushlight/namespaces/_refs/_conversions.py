"""`torch._refs._conversions`: the methods that change the type, as functions."""

from __future__ import annotations

from . import of

NAMES = """
    bfloat16 bool byte cdouble cfloat chalf char complex double float half int long polar short
"""
__getattr__ = of("", names=NAMES)
