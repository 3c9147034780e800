"""Function transforms: grad, vjp, jvp, jacobians, vmap, and modules as functions (`torch.func`).

Transforms take functions of tensors (or of dictionaries, lists and tuples of tensors) and return
functions. They stand on ordinary autograd (`transforms.py`); `vmap` is a loop over slices
(`vectorize.py`), not a batching rewrite.
"""

from __future__ import annotations

from typing import Any

from .modules import functional_call, stack_module_state
from .transforms import grad, grad_and_value, hessian, jacfwd, jacrev, jvp, linearize, vjp
from .vectorize import vmap

__all__ = [
    "functional_call",
    "functionalize",
    "grad",
    "grad_and_value",
    "hessian",
    "jacfwd",
    "jacrev",
    "jvp",
    "linearize",
    "replace_all_batch_norm_modules_",
    "stack_module_state",
    "vjp",
    "vmap",
]


def __getattr__(name: str) -> Any:
    """What is asked for seldom, in files of its own."""
    if name == "functionalize":
        from .functional_modules import functionalize

        return functionalize
    if name == "replace_all_batch_norm_modules_":
        from .modules import replace_all_batch_norm_modules_

        return replace_all_batch_norm_modules_
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
