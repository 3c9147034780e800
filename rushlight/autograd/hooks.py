"""RemovableHandle: what every register_*_hook returns."""

from __future__ import annotations

import itertools
import weakref
from typing import Any

_next_id = itertools.count().__next__
changes = [0]  # how many hooks were ever registered: a compiled step looks at this one number


class RemovableHandle:
    """Remove a hook with `remove()`, or use the handle as a context manager."""

    def __init__(self, hooks_dict: Any, *, extra_dict: Any = None) -> None:
        self.id = _next_id()
        changes[0] += 1
        try:
            self.hooks_dict_ref: Any = weakref.ref(hooks_dict)
        except TypeError:  # a plain dict cannot be referenced weakly
            self.hooks_dict_ref = lambda: hooks_dict
        extras = (
            []
            if extra_dict is None
            else (extra_dict if isinstance(extra_dict, list) else [extra_dict])
        )
        self.extra_dict_ref = tuple(weakref.ref(d) for d in extras)

    def remove(self) -> None:
        """Take the hook away; a second call does nothing."""
        for ref in (self.hooks_dict_ref, *self.extra_dict_ref):
            hooks = ref()
            if hooks is not None:
                hooks.pop(self.id, None)

    def __getstate__(self) -> Any:
        return (self.hooks_dict_ref(), self.id)

    def __setstate__(self, state: Any) -> None:
        hooks, self.id = state
        if hooks is None:
            hooks = {}
        try:
            self.hooks_dict_ref = weakref.ref(hooks)
        except TypeError:
            self.hooks_dict_ref = lambda: hooks
        self.extra_dict_ref = ()

    def __enter__(self) -> RemovableHandle:
        return self

    def __exit__(self, kind: Any, value: Any, tb: Any) -> None:
        self.remove()


def add_hook(hooks: Any, fn: Any) -> RemovableHandle:
    """Add `fn` to a dictionary of hooks and return its handle."""
    handle = RemovableHandle(hooks)
    hooks[handle.id] = fn
    return handle
