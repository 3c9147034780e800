"""`torch._refs.special`: `torch.special` under another name."""

from __future__ import annotations

from . import of

__getattr__ = of("special")
