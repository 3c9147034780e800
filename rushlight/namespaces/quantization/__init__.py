"""The older name of `torch.ao.quantization`."""

from __future__ import annotations

from rushlight.ao.old_names import shown

__all__, __getattr__, __dir__ = shown(__name__, "rushlight.ao.quantization")
