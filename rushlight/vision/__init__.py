"""Images: data sets, transforms, models, files and pictures; torchvision's names.

Each part is imported when it is first used. Read next: `datasets/`, `transforms/`, `models/`,
`io/` (image files), `utils.py` (grids and drawing).
"""

from __future__ import annotations

import importlib
from typing import Any

__all__ = ["datasets", "get_image_backend", "io", "models", "ops", "set_image_backend"]
__all__ += ["transforms", "tv_tensors", "utils"]

_PARTS = {"datasets", "io", "models", "ops", "transforms", "tv_tensors", "utils"}


def get_image_backend() -> str:
    """The library that reads images: always Pillow.

    >>> get_image_backend()
    'PIL'
    """
    return "PIL"


def set_image_backend(backend: str) -> None:
    """Accept "PIL", the only one there is; ValueError for any other.

    >>> torch.vision.set_image_backend("PIL")
    """
    if backend != "PIL":
        raise ValueError(f"Invalid backend '{backend}'. Options are 'PIL'")


def __getattr__(name: str) -> Any:
    if name in _PARTS:
        return importlib.import_module(f"{__package__}.{name}")
    raise AttributeError(
        f"module 'rushlight.vision' has no attribute '{name}'"
        f"\n  wanted  a name that Rushlight has; torchvision.{name} is not there (yet)"
    )


def __dir__() -> list[str]:
    return sorted({*globals(), *_PARTS})
