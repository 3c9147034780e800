"""`torch._functorch`: where PyTorch keeps what `torch.func` and `functorch` export."""

from __future__ import annotations

from . import autograd_function

__all__ = ["autograd_function"]
