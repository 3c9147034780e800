"""`torch.utils.deterministic`: what deterministic algorithms do beside being deterministic, which
all are here.
"""

from __future__ import annotations

import sys
from types import ModuleType

from ..config import current


class _Deterministic(ModuleType):
    @property
    def fill_uninitialized_memory(self) -> bool:
        """Whether memory that nobody has filled is NaN, or the largest number of its type, while
        `torch.use_deterministic_algorithms` is set.
        """
        return current.fill_uninitialized_memory

    @fill_uninitialized_memory.setter
    def fill_uninitialized_memory(self, mode: bool) -> None:
        if not isinstance(mode, bool):
            raise RuntimeError(f"expected a bool, but got {type(mode).__name__}")
        current.fill_uninitialized_memory = mode


sys.modules[__name__].__class__ = _Deterministic
