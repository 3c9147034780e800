"""`functorch`: what was a package of its own before it became `torch.func`."""

from __future__ import annotations

import functools
import warnings
from collections.abc import Callable
from typing import Any

from rushlight import func
from rushlight.func import functional_modules
from rushlight.func.functional_modules import FunctionalModule, FunctionalModuleWithBuffers

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


def deprecated(fn: Callable[..., Any], instead: str) -> Callable[..., Any]:
    """A function that says, as PyTorch's of this package do, what has its place now."""

    @functools.wraps(fn)
    def public(*args: Any, **kwargs: Any) -> Any:
        warnings.warn(
            "We've integrated functorch into PyTorch. As the final step of the integration, "
            f"`functorch.{fn.__name__}` is deprecated as of PyTorch 2.0 and will be deleted in a "
            f"future version of PyTorch >= 2.3. Please use `{instead}` instead; see the PyTorch "
            "2.0 release notes and/or the `torch.func` migration guide for more details "
            "https://pytorch.org/docs/main/func.migrating.html",
            FutureWarning,
            stacklevel=2,
        )
        return fn(*args, **kwargs)

    return public


grad = deprecated(func.grad, "torch.func.grad")
grad_and_value = deprecated(func.grad_and_value, "torch.func.grad_and_value")
hessian = deprecated(func.hessian, "torch.func.hessian")
jacfwd = deprecated(func.jacfwd, "torch.func.jacfwd")
jacrev = deprecated(func.jacrev, "torch.func.jacrev")
jvp = deprecated(func.jvp, "torch.func.jvp")
vjp = deprecated(func.vjp, "torch.func.vjp")
vmap = deprecated(func.vmap, "torch.vmap")
functionalize = deprecated(functional_modules.functionalize, "torch.func.functionalize")
make_functional = deprecated(functional_modules.make_functional, "torch.func.functional_call")
make_functional_with_buffers = deprecated(
    functional_modules.make_functional_with_buffers, "torch.func.functional_call"
)
combine_state_for_ensemble = deprecated(
    functional_modules.combine_state_for_ensemble, "torch.func.stack_module_state"
)


def __getattr__(name: str) -> Any:
    """What is asked for seldom, in a file of its own."""
    if name == "make_fx":
        from rushlight.fx.experimental.proxy_tensor import make_fx

        return make_fx
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
