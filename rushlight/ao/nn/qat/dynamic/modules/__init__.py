"""Layers for models that choose the range of their inputs while they run."""

from __future__ import annotations

from .linear import Linear

__all__ = ["Linear"]
