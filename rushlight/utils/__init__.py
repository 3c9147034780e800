"""What programs need around tensors and modules: `data` (data sets and loaders), `checkpoint`."""

from __future__ import annotations

import importlib
from typing import Any

from . import data

__all__ = ["data"]


def __getattr__(name: str) -> Any:
    """Submodules are imported when they are first used."""
    if name == "swap_tensors":
        from ..nn._conversion import swap_tensors

        return swap_tensors
    if not name.startswith("__"):
        try:
            return importlib.import_module(f"{__package__}.{name}")
        except ModuleNotFoundError as error:
            if error.name != f"{__package__}.{name}":
                raise
    raise AttributeError(f"module '{__name__}' has no attribute '{name}'")
