"""`torch.cuda.amp`, the older spelling of `torch.amp` (what it is made of is in amp/old_names)."""

from __future__ import annotations

from rushlight.amp.old_names import cuda as _names

__all__ = ["GradScaler", "autocast", "custom_bwd", "custom_fwd"]

GradScaler, autocast = _names.GradScaler, _names.autocast
custom_bwd, custom_fwd = _names.custom_bwd, _names.custom_fwd
