"""`functorch.experimental`."""

from __future__ import annotations

from rushlight.func import hessian, jacfwd, jvp
from rushlight.func.functional_modules import functionalize, replace_all_batch_norm_modules_
from rushlight.func.vectorize import chunk_vmap

__all__ = [
    "chunk_vmap",
    "functionalize",
    "hessian",
    "jacfwd",
    "jvp",
    "replace_all_batch_norm_modules_",
]
