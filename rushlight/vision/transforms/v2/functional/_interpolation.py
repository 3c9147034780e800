"""How pixels are read between pixels: modes by their names, and what the functions default to.

Not here: what a mode computes (`../../layout.py`, `../../geometry.py`).
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from ...image import InterpolationMode, mode_of_number

Mode = InterpolationMode | str | int
Fill = float | Sequence[float] | None

NEAREST, BILINEAR = InterpolationMode.NEAREST, InterpolationMode.BILINEAR


def _mode(interpolation: Mode) -> Any:
    """A mode from its name, Pillow's number or itself."""
    if isinstance(interpolation, str):
        return InterpolationMode(interpolation)
    return mode_of_number(interpolation)
