"""`torch._refs.fft`: `torch.fft` under another name."""

from __future__ import annotations

from . import of

__getattr__ = of("fft")
