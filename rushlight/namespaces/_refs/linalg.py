"""`torch._refs.linalg`: `torch.linalg` under another name."""

from __future__ import annotations

from . import of

__getattr__ = of("linalg")
