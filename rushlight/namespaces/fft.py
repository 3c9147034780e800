"""torch.fft: the names that the op records publish there."""

from __future__ import annotations

from rushlight.publish import namespaces

globals().update(namespaces.get("fft", {}))
__all__ = sorted(namespaces.get("fft", {}))
