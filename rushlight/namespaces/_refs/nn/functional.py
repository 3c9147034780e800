"""`torch._refs.nn.functional`: `torch.nn.functional` under another name."""

from __future__ import annotations

from .. import of

__getattr__ = of("nn.functional")
