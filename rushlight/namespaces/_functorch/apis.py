"""`torch._functorch.apis`."""

from __future__ import annotations

from rushlight.func import grad, grad_and_value, vmap
from rushlight.func.vectorize import chunk_vmap

__all__ = ["chunk_vmap", "grad", "grad_and_value", "vmap"]
