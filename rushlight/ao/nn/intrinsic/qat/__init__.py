"""Layers that belong together and fake-quantize their weights while they train."""

from __future__ import annotations

from . import modules
from .modules import *  # noqa: F403 - the list is `modules.__all__`

__all__ = [*modules.__all__]
