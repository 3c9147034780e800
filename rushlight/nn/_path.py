"""Errors that leave a module name it: "in module: features.2 (Linear(...)) of Net".

The innermost module adds a note to the exception; every enclosing module lengthens the path in it.
So a call that succeeds pays nothing. Read next: `Module.__call__` in `module.py`.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from .. import tracebacks

if TYPE_CHECKING:
    from .module import Module


def name_module(error: BaseException, module: Module) -> None:
    """Note on `error` which module it came from; every enclosing module lengthens the path."""
    try:
        trail = error.__dict__.get("_module_trail")
        if trail is None:
            trail = error.__dict__["_module_trail"] = Trail(module)
            error.add_note(trail.note)
            trail.hides = tracebacks.marks() and tracebacks.on_purpose(error.__traceback__)
        elif trail.outermost is not module:
            notes = error.__notes__
            at = notes.index(trail.note)
            trail.enclose(module)
            notes[at] = trail.note
        if trail.hides:
            tracebacks.mark(error)
    except Exception:  # an exception class without a dictionary, or with notes of its own kind
        return


class Trail:
    """The way from the outermost module to the one that failed."""

    hides = False  # whether our lines on it are hidden from notebooks and pytest

    def __init__(self, module: Module) -> None:
        self.outermost = module
        self.path: list[str] = []
        leaf = not module._modules
        self.what = repr(module).replace("\n", "\n  ") if leaf else module._get_name()
        self.note = f"in module: {self.what}"

    def enclose(self, module: Module) -> None:
        inner = self.outermost
        names = (name for name, below in module.named_modules() if below is inner)
        self.path.insert(0, next(names, "?"))
        self.outermost = module
        self.note = f"in module: {'.'.join(self.path)} ({self.what}) of {module._get_name()}"

    def __reduce__(self) -> Any:  # exceptions travel between processes; modules should not
        return str, (self.note,)
