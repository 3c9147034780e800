"""PyTorch's primitives: there are none here, but their helpers are looked for in this place."""

from __future__ import annotations

from .. import _prims_common as utils

__all__ = ["utils"]
