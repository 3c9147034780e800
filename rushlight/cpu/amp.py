"""`torch.cpu.amp`, the older spelling of `torch.amp` (what it is made of is in amp/old_names)."""

from __future__ import annotations

from rushlight.amp.old_names import cpu as _names

__all__ = ["GradScaler", "autocast"]

GradScaler, autocast = _names.GradScaler, _names.autocast
