"""torch.return_types: the named tuples that ops with several results return."""

from __future__ import annotations

from typing import Any

from rushlight.ops.core import return_types as _made


def __getattr__(name: str) -> Any:
    return getattr(_made, name)
