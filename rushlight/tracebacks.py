"""Tracebacks of errors that we raise on purpose: the program's lines say where, the text says what.

Where an error of ours is shown (`dropin/runner.py`), our lines are left out; where somebody else
shows it, a notebook or pytest, they are marked in the way that these understand. An error that came
to us unforeseen is a fault of ours, perhaps, and is shown as it is.
"""

from __future__ import annotations

import os
from collections.abc import Iterator
from types import TracebackType

from .once import HOME

WHOLE = "RUSHLIGHT_TRACEBACK"  # set in the environment: errors show our lines, too
MARK = "__tracebackhide__"  # a local variable that IPython, its debugger and pytest look for


def lines(where: TracebackType | None) -> Iterator[TracebackType]:
    """The lines of a traceback, from the outermost call on."""
    while where is not None:
        yield where
        where = where.tb_next


def is_ours(where: TracebackType) -> bool:
    """Whether a line belongs to this package."""
    return where.tb_frame.f_code.co_filename.startswith(HOME)


def on_purpose(where: TracebackType | None) -> bool:
    """Whether a traceback ends at a `raise` of ours."""
    import dis

    last = where
    while last is not None and last.tb_next is not None:
        last = last.tb_next
    if last is None or not is_ours(last):
        return False
    return dis.opname[last.tb_frame.f_code.co_code[last.tb_lasti]] == "RAISE_VARARGS"


def explains_itself(error: BaseException, where: TracebackType | None) -> bool:
    """Whether the text of an error is all there is to know of our side. If we raised it because of
    another one, this is how we noticed, and is forgotten."""
    if not on_purpose(where) or not str(error):
        return False
    inner = error.__cause__ or (None if error.__suppress_context__ else error.__context__)
    if inner is not None:
        if not all(map(is_ours, lines(inner.__traceback__))):
            return False
        error.__cause__, error.__suppress_context__ = None, True
    return True


def programs_lines(where: TracebackType | None) -> tuple[TracebackType | None, int]:
    """A traceback without our lines, and how many these were."""
    kept = [each for each in lines(where) if not is_ours(each)]
    if not kept:
        return where, 0
    made: TracebackType | None = None
    for each in reversed(kept):
        made = TracebackType(made, each.tb_frame, each.tb_lasti, each.tb_lineno)
    return made, sum(1 for _ in lines(where)) - len(kept)


def mark(error: BaseException) -> None:
    """Mark our lines on an error's way so far, as those to be hidden."""
    for each in lines(error.__traceback__):
        if not is_ours(each):
            continue
        seen = each.tb_frame.f_locals
        if MARK in seen:
            return
        seen[MARK] = True
        if seen.__class__ is dict:  # a copy, which must not keep the error alive
            for name in [name for name, value in seen.items() if value is error]:
                del seen[name]


def marks() -> bool:
    """Whether lines are to be marked."""
    return WHOLE not in os.environ
