"""What the user allows `load` to build beyond the table: `add_safe_globals` and its kin.

Not here: the table itself (`names.py`). Read next: `classes.py`.
"""

from __future__ import annotations

import contextlib
from typing import Any

from .classes import library_object, torch_name

SafeGlobal = Any  # a class or function, or a pair of one and the name it goes by in files

_own: list[Any] = []  # functions of the library's modules that are loaded when they are asked for
_items: list[SafeGlobal] = []
_by_name: dict[str, Any] = {}


def add_safe_globals(safe_globals: list[SafeGlobal]) -> None:
    """Allow `load` to use these classes and functions, from now on.

    A class listed here may be called and its `__setstate__` run with whatever a file holds, so list
    only those that are harmless with any argument.

    Args:
        safe_globals: classes or functions, or pairs `(object, "module.name in the file")`.

    >>> import argparse
    >>> add_safe_globals([argparse.Namespace])
    >>> argparse.Namespace in get_safe_globals()
    True
    >>> clear_safe_globals()
    """
    for item in safe_globals:
        if isinstance(item, tuple):
            if len(item) != 2 or not isinstance(item[1], str):
                raise ValueError(f"Expected a pair (object, 'full.name'), got {item!r}")
        elif not callable(item):
            raise TypeError(f"add_safe_globals takes classes and functions, got {item!r}")
    for item in safe_globals:
        if item not in _items:
            _items.append(item)
    _index()


def add_own(function: Any) -> None:
    """Allow a function of the library whose module is loaded late; not the user's to take back."""
    _own.append(function)
    _index()


def get_safe_globals() -> list[SafeGlobal]:
    """What `add_safe_globals` has allowed.

    >>> get_safe_globals()
    []
    """
    return list(_items)


def clear_safe_globals() -> None:
    """Take back everything that `add_safe_globals` has allowed.

    >>> clear_safe_globals()
    """
    _items.clear()
    _index()


class safe_globals(contextlib.ContextDecorator):
    """`with safe_globals([Class]): load(...)`: allow names inside the block only.

    >>> import io
    >>> file = io.BytesIO()
    >>> torch.save(torch.nn.Flatten(), file)
    >>> _ = file.seek(0)
    >>> with torch.serialization.safe_globals([torch.nn.Flatten]):
    ...     torch.load(file)
    Flatten(start_dim=1, end_dim=-1)
    """

    def __init__(self, safe_globals: list[SafeGlobal]) -> None:
        self._added = safe_globals

    def __enter__(self) -> None:
        self._before = list(_items)
        add_safe_globals(self._added)

    def __exit__(self, *_: object) -> None:
        _items[:] = self._before
        _index()


def allowed_by_user(module: str, name: str) -> Any:
    """The object that the user allowed for `module.name`, or None."""
    found = _by_name.get(f"{module}.{name}")
    if found is None and _by_name:
        ours = library_object(module, name)  # a class of the library has several names in files
        if ours is not None and any(ours is thing for thing in _by_name.values()):
            found = ours
    return found


def _index() -> None:
    _by_name.clear()
    for item in (*_own, *_items):
        if isinstance(item, tuple):
            _by_name[item[1]] = item[0]
        else:
            _by_name[full_name(item)] = item


def full_name(thing: Any) -> str:
    """`module.name` under which files mention a class or function."""
    known = torch_name(thing)
    if known is not None:
        return ".".join(known)
    name = getattr(thing, "__qualname__", None) or getattr(thing, "__name__", type(thing).__name__)
    return f"{thing.__module__}.{name}"
