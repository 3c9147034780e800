"""`functorch`: what was a package of its own before it became `torch.func`."""

from __future__ import annotations

from typing import Any

from rushlight.func import grad, grad_and_value, hessian, jacfwd, jacrev, jvp, vjp, vmap
from rushlight.func.functional_modules import (
    FunctionalModule,
    FunctionalModuleWithBuffers,
    combine_state_for_ensemble,
    functionalize,
    make_functional,
    make_functional_with_buffers,
)

__all__ = [
    "FunctionalModule",
    "FunctionalModuleWithBuffers",
    "combine_state_for_ensemble",
    "functionalize",
    "grad",
    "grad_and_value",
    "hessian",
    "jacfwd",
    "jacrev",
    "jvp",
    "make_functional",
    "make_functional_with_buffers",
    "vjp",
    "vmap",
]


def make_fx(*args: Any, **kwargs: Any) -> Any:
    """Refused: it traces with a dispatcher, which is not part of Rushlight."""
    raise NotImplementedError(
        "functorch.make_fx traces operations below autograd, where Rushlight has no dispatcher\n"
        "  try     torch.fx.symbolic_trace, or torch.compile"
    )
