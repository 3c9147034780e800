"""What a notebook draws: a class says as what kind of thing, and no more.

    class Plan:
        _repr_html_ = drawn_as("plan")

How is the matter of `display/`, which stands above all that is drawn, has a table of the kinds, and
is read when the first of them is asked for. This is the only place that asks for it.
"""

from __future__ import annotations

import importlib
from collections.abc import Callable
from typing import Any


def drawn_as(kind: str) -> Callable[[Any], str | None]:
    """The `_repr_html_` of a class."""

    def _repr_html_(self: Any) -> str | None:
        """What a notebook shows, or None for the text."""
        found: str | None = importlib.import_module(f"{__package__}.display").draw(kind, self)
        return found

    return _repr_html_
