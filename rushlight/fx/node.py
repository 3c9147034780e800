"""Where PyTorch keeps these names of torch.fx."""

from __future__ import annotations

from rushlight import unsupported
from rushlight.fx import FEATURE, HINT

__getattr__, __dir__ = unsupported.module(
    __name__,
    "Argument Node Target map_arg",
    FEATURE,
    HINT,
)
