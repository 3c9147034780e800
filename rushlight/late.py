"""Modules that are executed when a name of them is first asked for.

A program uses few kernels, so `import rushlight` need not read them all. A package says which of
its modules can wait:

    late.modules(__name__, "reference", "select")

Nothing changes where they are used: `from ...kernels.rnn import select` gives the module, and the
first `select.lstm_forward` reads and executes its file. From then on it is a module like any other,
so calls pay nothing. `from ...kernels.rnn.select import lstm_forward` executes it at once.
"""

from __future__ import annotations

import importlib
import sys
import threading
from importlib.machinery import ModuleSpec, SourceFileLoader
from types import ModuleType
from typing import Any

# What the import system asks for; it is there before the file has been executed.
KNOWN = frozenset(("__class__", "__file__", "__loader__", "__name__", "__package__", "__spec__"))
waiting: dict[str, threading.RLock] = {}  # a lock for each module that has not been executed
running: set[str] = set()


class Late(ModuleType):
    """A module that has not been executed.

    Threads that need it wait until it is complete. They never wait for each other, for no module
    imports one that imports it (`tests/test_layers.py`).
    """

    def __getattribute__(self, name: str) -> Any:
        if name not in KNOWN:
            execute(self)
        return ModuleType.__getattribute__(self, name)

    def __setattr__(self, name: str, value: Any) -> None:
        execute(self)
        ModuleType.__setattr__(self, name, value)

    def __delattr__(self, name: str) -> None:
        execute(self)
        ModuleType.__delattr__(self, name)


def execute(module: ModuleType) -> None:
    """Execute a module, unless that has been done or this thread is about it."""
    name = module.__name__
    lock = waiting.get(name)
    if lock is None:
        return
    with lock:
        if name in running or name not in waiting:
            return
        try:
            running.add(name)  # within: Ctrl-C may come right after it
            spec: Any = module.__spec__
            ModuleType.__setattr__(module, "__cached__", spec.cached)
            spec.loader.exec_module(module)
            object.__setattr__(module, "__class__", ModuleType)
            del waiting[name]
        finally:
            running.discard(name)


def modules(package: str, *names: str) -> None:
    """Let these modules of a package wait; a package that is not a folder imports them at once."""
    parent = sys.modules[package]
    for name in names:
        full = f"{package}.{name}"
        if type(parent.__loader__) is not SourceFileLoader:
            importlib.import_module(full)
            continue
        path = f"{parent.__path__[0]}/{name}.py"
        loader = SourceFileLoader(full, path)
        spec = ModuleSpec(full, loader, origin=path)
        spec.has_location = True
        module = Late(full)
        ModuleType.__getattribute__(module, "__dict__").update(
            __file__=path, __loader__=loader, __package__=package, __spec__=spec
        )
        waiting[full] = threading.RLock()
        sys.modules[full] = module
        setattr(parent, name, module)
