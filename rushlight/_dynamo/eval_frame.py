"""Where PyTorch keeps the class of compiled modules."""

from __future__ import annotations

from ..nn.optimized import OptimizedModule

__all__ = ["OptimizedModule"]
