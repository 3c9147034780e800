"""`torch._refs.fft`: `torch.fft` under another name."""

from __future__ import annotations

from rushlight._refs import of

__getattr__ = of("fft")
