"""torch.linalg: the names that the op records publish there."""

from __future__ import annotations

from .derive import namespaces
from .errors import LinAlgError

globals().update(namespaces.get("linalg", {}))
__all__ = ["LinAlgError", *sorted(namespaces.get("linalg", {}))]
