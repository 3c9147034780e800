"""Modules of `torch.ao` under the names that they had before: `torch.quantization`, `torch.nn.qat`.

They are the same modules, so the classes are the same.
"""

from __future__ import annotations

import importlib
import sys
from collections.abc import Callable
from typing import Any


def shown(old: str, new: str) -> tuple[list[str], Callable[[str], Any], Callable[[], list[str]]]:
    """`__all__`, `__getattr__` and `__dir__` of the module `old`, which shows what `new` has; the
    modules inside `new` can be imported from `old`."""
    found = importlib.import_module(new)
    for name, module in [*sys.modules.items()]:
        if name.startswith(new + "."):
            sys.modules.setdefault(old + name.removeprefix(new), module)

    def ask(name: str) -> Any:
        if name == "__path__":  # there are no files here
            raise AttributeError(name)
        return getattr(found, name)

    return found.__all__, ask, lambda: dir(found)
