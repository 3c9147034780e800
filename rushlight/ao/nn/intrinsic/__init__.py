"""Layers that belong together, as one module: `torch.ao.nn.intrinsic`.

`fuse_modules` puts them in the places of the layers that they hold; in `qat` are those that
fake-quantize their weights.
"""

from __future__ import annotations

import importlib
from typing import Any

from . import modules
from .modules import *  # noqa: F403 - the list is `modules.__all__`
from .modules.fused import _FusedModule as _FusedModule

__all__ = [*modules.__all__]


def __getattr__(name: str) -> Any:
    if name == "qat":
        return importlib.import_module(f"{__package__}.qat")
    raise AttributeError(f"module '{__name__}' has no attribute '{name}'")
