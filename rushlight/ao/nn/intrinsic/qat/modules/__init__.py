"""Layers that belong together and fake-quantize their weights while they train."""

from __future__ import annotations

from . import conv_fused, linear_fused, linear_relu
from .conv_fused import *  # noqa: F403 - the list is `conv_fused.__all__`
from .linear_fused import LinearBn1d
from .linear_relu import LinearReLU

__all__ = ["LinearBn1d", "LinearReLU", *conv_fused.__all__]
_PARTS = (linear_fused, linear_relu)
