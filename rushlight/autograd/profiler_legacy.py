"""`torch.autograd.profiler_legacy`: the profiler's oldest name."""

from __future__ import annotations

from .profiler import profile

__all__ = ["profile"]
