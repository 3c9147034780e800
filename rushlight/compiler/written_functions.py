"""Functions that are written as text: a program, its guards.

Blocks that are alike have the same text, which is compiled once: twelve of them, compiled one by
one and as one step, took an eighth less time. (`autograd/specialize.py` does so for the texts of
the door, which are a few hundred, stay, and are shown in tracebacks; programs come and go.)
"""

from __future__ import annotations

import functools
from collections.abc import Callable
from types import CodeType, FunctionType
from typing import Any

MOST = 256  # texts whose code is kept


def function(name: str, source: str, file: str, space: dict[str, Any]) -> Callable[..., Any]:
    """The function `name` that a text defines, with the names of `space`; `file` is what tracebacks
    call the text."""
    # A code object of its own: the interpreter notes in it where globals lie.
    made: Callable[..., Any] = FunctionType(code_of(name, source, file).replace(), space, name)
    space[name] = made
    return made


@functools.lru_cache(MOST)
def code_of(name: str, source: str, file: str) -> CodeType:
    parts = compile(source, file, "exec").co_consts
    return next(c for c in parts if isinstance(c, CodeType) and c.co_name == name)
