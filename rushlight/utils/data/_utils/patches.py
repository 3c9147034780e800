"""What Python's multiprocessing says and does otherwise for a while, to one thread.

It has no arguments for these things, and the program's other threads may be starting processes of
their own meanwhile.
"""

from __future__ import annotations

import multiprocessing
import threading
from collections.abc import Callable, Iterator
from multiprocessing import spawn
from typing import Any

from ....blocks import contextmanager

_patching = threading.RLock()


@contextmanager
def replaced(module: Any, name: str, make: Callable[[Any], Any]) -> Iterator[None]:
    """Within the block, `module.name` is `make(original)` to this thread."""
    with _patching:
        original = getattr(module, name)
        ours, owner = make(original), threading.get_ident()

        def call(*args: Any, **kw: Any) -> Any:
            return (ours if threading.get_ident() == owner else original)(*args, **kw)

        try:
            setattr(module, name, call)
            yield
        finally:
            setattr(module, name, original)


def without_main() -> Any:
    """Within the block, processes that this thread starts do not import the main program."""

    def make(original: Any) -> Any:
        def without(name: str) -> dict[str, Any]:
            data = original(name)
            return {k: v for k, v in data.items() if not k.startswith("init_main")}

        return without

    return replaced(spawn, "get_preparation_data", make)


def undecided() -> Any:
    """Within the block, asking for the start method does not decide it.

    It does otherwise, and the program could no longer call `set_start_method`.
    """
    chosen = multiprocessing.get_start_method(allow_none=True)
    method = chosen or multiprocessing.get_all_start_methods()[0]
    return replaced(spawn, "get_start_method", lambda _: lambda *args, **kw: method)
