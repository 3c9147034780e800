"""Install the drop-in in a child process, at its first import of torch (see ../children.py)."""

from __future__ import annotations

import importlib
import importlib.util
import os
import sys


def take(name: str) -> None:
    """Replace the module `name`, which is being imported, by what it stands for."""
    folder = os.path.dirname(os.path.abspath(__file__))
    wanted = os.environ.get("RUSHLIGHT_DROPIN", "")
    del sys.modules[name]
    if wanted in ("", "1", sys.prefix):
        home = os.path.dirname(os.path.dirname(os.path.dirname(folder)))
        if importlib.util.find_spec("rushlight") is None:
            sys.path.append(home)
        from rushlight import dropin

        dropin.install()
        importlib.import_module(name)
    else:
        import_without(folder, name)


def import_without(folder: str, name: str) -> None:
    """Import what the rest of `sys.path` has under this name."""
    at = [i for i, entry in enumerate(sys.path) if os.path.abspath(entry or ".") == folder]
    kept = sys.path[:]
    sys.path[:] = [entry for i, entry in enumerate(kept) if i not in at]
    try:
        importlib.import_module(name)
    finally:
        sys.path[:] = kept
