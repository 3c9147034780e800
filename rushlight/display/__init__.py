"""What a notebook shows: `_repr_html_` of tensors, modules, optimisers, plans and data sets.

A notebook asks for `_repr_html_` and takes the plain text where that gives None; everywhere else
nothing changes. A class says what it is drawn as (`rushlight/drawn.py`); the bodies are here, and
read when the first of them is asked for: what is drawn has never heard of them. What they look at
is bounded, so that a display of large things takes no time; nothing in them raises.

`parts.py` has what all of them are made of (escaped text, colours, PNG), `tensors.py`, `modules.py`
(and optimisers), `data.py` and `plans.py` have one kind of object each.
"""

from __future__ import annotations

import importlib
from typing import Any

KINDS = {  # of what is drawn, the file that has a function of that name
    "tensor": "tensors", "module": "modules", "optimizer": "modules", "dataset": "data",
    "loader": "data", "plan": "plans", "explanation": "plans",
}  # fmt: skip


def draw(kind: str, what: Any) -> str | None:
    """HTML of something of a kind; None: its text will do."""
    file = importlib.import_module(f"{__name__}.{KINDS[kind]}")
    found: str | None = getattr(file, kind)(what)
    return found
