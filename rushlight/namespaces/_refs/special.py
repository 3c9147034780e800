"""`torch._refs.special`: `torch.special` under another name."""

from __future__ import annotations

from rushlight._refs import of

__getattr__ = of("special")
