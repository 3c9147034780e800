"""`torch._functorch.eager_transforms`."""

from __future__ import annotations

from rushlight.func import grad, grad_and_value, hessian, jacfwd, jacrev, jvp, linearize, vjp
from rushlight.func.functional_modules import functionalize
from rushlight.func.transforms import slice_argnums as _slice_argnums

__all__ = [
    "_slice_argnums",
    "functionalize",
    "grad",
    "grad_and_value",
    "hessian",
    "jacfwd",
    "jacrev",
    "jvp",
    "linearize",
    "vjp",
]
