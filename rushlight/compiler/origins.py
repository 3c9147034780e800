"""Exceptions inside a program, shown at the user's line.

A program runs no code of the user's, so a traceback would end at the call of the compiled function.
`at_user_line` raises the exception once more from a code object that says it is that line.
"""

from __future__ import annotations

from types import TracebackType
from typing import Any, NoReturn

from .arrays import FILE


def at_user_line(error: BaseException, name: str) -> NoReturn:
    """Raise an exception of an executor's function at the line that it came from.

    Args:
        name: of the function that the traceback shows there.
    """
    where = place(error.__traceback__)
    if where is None:
        raise error
    file, line = where
    text = "\n" * (line - 1) + "raise error"
    code = compile(text, file, "exec").replace(co_name=name, co_qualname=name)
    exec(code, {"error": error, "__name__": "user's line"})
    raise error


def place(tb: TracebackType | None) -> Any:
    """The user's (file, line) of the innermost line of a program in a traceback."""
    found = None
    while tb is not None:
        if tb.tb_frame.f_code.co_filename == FILE:
            found = tb.tb_frame.f_globals["where"].get(tb.tb_lineno)
        tb = tb.tb_next
    return found
