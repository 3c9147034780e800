"""Where PyTorch keeps `torch.cuda.amp.GradScaler`."""

from __future__ import annotations

from . import GradScaler

__all__ = ["GradScaler"]
