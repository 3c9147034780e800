"""Modules of settings: `torch._dynamo.config` and its relatives.

Any name may be read that is there, and set. Those that the compiler knows live in `state.py`, under
one name or two (`cache_size_limit` is the older spelling of `recompile_limit`); the others are kept
and change nothing.
"""

from __future__ import annotations

import contextlib
import sys
from collections.abc import Iterator
from types import ModuleType
from typing import Any

from ..blocks import contextmanager
from ..errors import message
from . import state

# The name of the setting: its name in `state`, its type.
KNOWN: dict[str, tuple[str, type]] = {
    "recompile_limit": ("recompile_limit", int),
    "cache_size_limit": ("recompile_limit", int),
    "accumulated_recompile_limit": ("accumulated_recompile_limit", int),
    "accumulated_cache_size_limit": ("accumulated_recompile_limit", int),
    "fail_on_recompile_limit_hit": ("fail_on_recompile_limit_hit", bool),
    "fail_on_cache_limit_hit": ("fail_on_recompile_limit_hit", bool),
    "error_on_recompile": ("error_on_recompile", bool),
    "automatic_dynamic_shapes": ("automatic_dynamic_shapes", bool),
    "assume_static_by_default": ("assume_static_by_default", bool),
    "disable": ("disable", bool),
}


class Settings(ModuleType):
    """A module whose known names are those of `state`."""

    def __getattr__(self, name: str) -> Any:
        if name in KNOWN:
            return getattr(state, KNOWN[name][0])
        raise AttributeError(f"{self.__name__}.{name} does not exist")

    def __setattr__(self, name: str, value: Any) -> None:
        if name not in KNOWN:
            super().__setattr__(name, value)
            return
        where, kind = KNOWN[name]
        if not isinstance(value, kind):
            raise TypeError(
                message(
                    f"{self.__name__}.{name}: a value of another type",
                    f"{value!r}",
                    f"{'an' if kind is int else 'a'} {kind.__name__}",
                )
            )
        setattr(state, where, value)
        state.changed()

    def __dir__(self) -> list[str]:
        return sorted({*super().__dir__(), *KNOWN})

    def patch(self, *given: Any, **settings: Any) -> contextlib.AbstractContextManager[None]:
        """A context, or a decorator, in which settings are others.

        >>> import rushlight
        >>> with rushlight._dynamo.config.patch(recompile_limit=3):
        ...     rushlight._dynamo.config.cache_size_limit
        3
        """
        if len(given) == 1 and isinstance(given[0], dict):
            settings = {**given[0], **settings}
        elif given:
            name, value = given
            settings = {name: value, **settings}
        return self._patched(settings)

    @contextmanager
    def _patched(self, settings: dict[str, Any]) -> Iterator[None]:
        before = {name: getattr(self, name) for name in settings}
        try:
            for name, value in settings.items():
                setattr(self, name, value)
            yield
        finally:
            for name, value in before.items():
                setattr(self, name, value)


def install(name: str) -> None:
    """Make the module of that name one of settings."""
    sys.modules[name].__class__ = Settings
