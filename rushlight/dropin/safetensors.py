"""What `import safetensors` gives: `safe_open` is ours; `safetensors.torch` is
`serialization/safetensors.py`. The other modules of the package (`safetensors.numpy`, ...) are
those of the package itself, where it is installed."""

from __future__ import annotations

import importlib
import sys
from importlib.machinery import PathFinder
from typing import Any

from ..serialization.safetensors import SafetensorError, safe_open
from .children import FOLDER
from .distribution import installed

__all__ = ["SafetensorError", "safe_open"]

_spec = PathFinder.find_spec("safetensors", [entry for entry in sys.path if entry != FOLDER])
__path__ = list(_spec.submodule_search_locations or ()) if _spec is not None else []
__version__ = installed("safetensors") or "0"


def __getattr__(name: str) -> Any:
    if name in ("TensorSpec", "deserialize", "serialize", "serialize_file") and __path__:
        return getattr(importlib.import_module("safetensors._safetensors_rust"), name)
    raise AttributeError(f"module 'safetensors' has no attribute '{name}'")
