"""Neural networks: Module, all layers and losses, `functional`, `init`, `utils`.

    import rushlight.nn as nn

Read next: `module.py`, then `containers.py`, then the layers in `modules/`.
"""

from __future__ import annotations

import importlib
from typing import Any

from . import functional, init, modules, parameter
from .modules import *  # noqa: F403 - the list is `modules.__all__`
from .parameter import Buffer, Parameter, UninitializedBuffer, UninitializedParameter

__all__ = [
    "Buffer",
    "Parameter",
    "UninitializedBuffer",
    "UninitializedParameter",
    "functional",
    "init",
    "modules",
    "parameter",
]
__all__ += modules.__all__  # a form that type checkers read
__all__ += [*modules._LATER]

_FILES = ["attention", "common_types", "grad", "parallel", "rnn", "transformer", "utils"]
_FILES += ["intrinsic", "qat", "quantized"]


def __getattr__(name: str) -> Any:
    """Parts that most programs do not need are imported when they are first asked for."""
    if name in modules._LATER:
        return getattr(modules, name)
    if name in _FILES:
        return importlib.import_module(f".{name}", __package__)
    if name == "DataParallel":
        from .parallel import DataParallel

        return DataParallel
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
