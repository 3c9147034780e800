"""Layers that belong together, as one module."""

from __future__ import annotations

from . import fused
from .fused import *  # noqa: F403 - the list is `fused.__all__`

__all__ = [*fused.__all__]
