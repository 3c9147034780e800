"""The older name of `torch.ao.nn.qat`."""

from __future__ import annotations

from rushlight.ao.old_names import shown

__all__, __getattr__, __dir__ = shown(__name__, "rushlight.ao.nn.qat")
