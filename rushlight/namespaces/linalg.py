"""torch.linalg: the names that the op records publish there."""

from __future__ import annotations

from rushlight.errors import LinAlgError
from rushlight.publish import namespaces

globals().update(namespaces.get("linalg", {}))
__all__ = ["LinAlgError", *sorted(namespaces.get("linalg", {}))]
