"""Whose line an operation stands in: the innermost one outside this package, cheap to find.

Every recorded operation asks, on behalf of errors that come at backward. A line is a code object
and the place of an instruction in it, of which `show_line` makes text when somebody reads it.

The frames in between are this package's: modules call functions, which call others. Whose a code
object is, is found out once, by the names of its module; from then on machine code walks over the
frames (`lines_code.py`), where kernels are in use.

Not here: tracebacks of errors as they come (`rushlight/tracebacks.py`).
"""

from __future__ import annotations

import gc
import linecache
import sys
from types import CodeType
from typing import Any

import numpy as np

from ..kernels.runtime import few

PACKAGE = __name__.partition(".")[0]
OURS, THEIRS = 1, 2
ROOM = 4096  # places of the table, a power of 2; half as many code objects are known at most

# Where a code object is found by its address, in the first free place from a hash of it on: the
# address and, in its lowest bits, whose it is. What is found there is kept alive.
table = np.zeros(ROOM, np.int64)
_held: list[CodeType] = []


def remember(code: CodeType, whose: int) -> None:
    """Let machine code know whose a code object is."""
    if len(_held) >= ROOM // 2:
        table[:] = 0
        _held.clear()
    at = place_of(id(code))
    while (found := int(table[at])) and found & ~3 != id(code):
        at = (at + 1) % ROOM
    if not found:
        _held.append(code)
        table[at] = id(code) | whose


def place_of(address: int) -> int:
    """Where the search for a code object begins."""
    return (address >> 5) % ROOM


# id() of the globals of this package's modules, as they are met: the name of a module is looked at
# once.
_ours: set[int] = set()
unseen: list[Any] = [None]  # where the code of farther frames goes


def user_line() -> tuple[CodeType | None, int]:
    """The innermost line outside this package, as (code, instruction): cheap to keep."""
    return line_from(sys._getframe(1), [None])


def line_from(frame: Any, seen: list[Any]) -> tuple[CodeType | None, int]:
    """`user_line` from a frame on; the code of that frame is put into `seen` when it is a
    user's."""
    names = frame.f_globals
    if id(names) in _ours:
        seen = unseen
        try:
            while True:
                if _taught:
                    remember(frame.f_code, OURS)
                if id(names := (frame := frame.f_back).f_globals) not in _ours:
                    break
        except AttributeError:  # no frame is left
            return None, 0
    code = frame.f_code
    if code is not seen[0]:  # else the same function as last time: a training loop
        if (names.get("__package__") or names.get("__name__", "")).partition(".")[0] == PACKAGE:
            _ours.add(id(names))
            return line_from(frame, seen)
        seen[0] = code
    if _taught:
        remember(code, THEIRS)
    return code, frame.f_lasti


by_python = line_from
_taught = False  # whether there is machine code that wants to know


def load() -> None:
    """Put the function of machine code into its place."""
    global line_from, _taught
    from . import lines_code

    _taught = True
    line_from = lines_code.function(table, by_python)


few.when_loaded(load)


def line_of(thread: int) -> tuple[CodeType | None, int]:
    """`user_line` of another thread, by its number.

    No collection may begin meanwhile. Up to Python 3.11 one begins wherever an object is made, also
    inside `frame.f_back`; its finalisers let the other thread go on, which leaves that frame, and
    what comes out is memory of something else: a segmentation fault now and then. Later Pythons
    collect between two instructions alone.
    """
    collecting = sys.version_info < (3, 12) and gc.isenabled()
    if collecting:
        gc.disable()
    try:
        frame = sys._current_frames().get(thread)
        return (None, 0) if frame is None else line_from(frame, [None])
    finally:
        if collecting:
            gc.enable()


def show_line(code: CodeType | None, lasti: int) -> str:
    """'file.py:12 in train: loss.backward()' for what `user_line` kept."""
    if code is None:
        return "an unknown line"
    line = code.co_firstlineno
    for start, end, number in code.co_lines():
        if start <= lasti < end and number is not None:
            line = number
            break
    text = linecache.getline(code.co_filename, line).strip()
    return f"{code.co_filename}:{line} in {code.co_name}" + (f": {text}" if text else "")
