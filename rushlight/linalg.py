"""torch.linalg: the names that the op records publish there."""

from __future__ import annotations

from .errors import LinAlgError
from .publish import namespaces

globals().update(namespaces.get("linalg", {}))
__all__ = ["LinAlgError", *sorted(namespaces.get("linalg", {}))]
