"""Lines of the user's program: where an event comes from.

A line is found by walking out of this package. Where the first frame outside belongs to an
installed package, the walk goes on to a line of the user's own program, and both are kept.
"""

from __future__ import annotations

import linecache
import os
import sysconfig
from types import CodeType
from typing import Any

from .recording import NONE, Line

_OURS = os.path.dirname(os.path.dirname(os.path.abspath(__file__))) + os.sep
_PATHS = sysconfig.get_paths()
_LIBRARY = tuple(
    {os.path.normpath(_PATHS[k]) + os.sep for k in ("stdlib", "platstdlib") if k in _PATHS}
)
INSTALLED = (f"{os.sep}site-packages{os.sep}", f"{os.sep}dist-packages{os.sep}")

OURS, LIBRARY, PACKAGE, USER = range(4)  # whose a file is


def whose(file: str) -> int:
    """Whether a file is ours, of Python itself, of an installed package, or the user's."""
    if file.startswith(_OURS):
        return OURS
    if any(part in file for part in INSTALLED):
        return PACKAGE
    if file.startswith("<frozen") or file.startswith(_LIBRARY):
        return LIBRARY
    return USER


class Lines:
    """The lines that a recording has met.

    Attributes:
        lines: they, in the order in which they were met.
    """

    def __init__(self) -> None:
        self.lines: list[Line] = []
        self._kinds: dict[int, int] = {}  # id of a code: whose it is
        self._codes: list[CodeType] = []  # so that no id is used again
        self._places: dict[tuple[int, int], int] = {}
        self._same: dict[tuple[str, int], int] = {}

    def at(self, frame: Any) -> tuple[int, int]:
        """The user's line that a frame was called from, and the line of a package between them."""
        kinds = self._kinds
        package: Any = None
        library: Any = None
        while frame is not None:
            code = frame.f_code
            kind = kinds.get(id(code))
            if kind is None:
                kind = self._kind(code)
            if kind == USER:
                break
            if kind == PACKAGE and package is None:
                package = frame
            elif kind == LIBRARY and library is None:
                library = frame
            frame = frame.f_back
        if frame is None:
            found = package or library
            return (NONE if found is None else self.of(found)), NONE
        return self.of(frame), NONE if package is None else self.of(package)

    def of(self, frame: Any) -> int:
        """The line at which a frame stands."""
        code = frame.f_code
        place = id(code), frame.f_lasti
        found = self._places.get(place)
        if found is None:
            if id(code) not in self._kinds:
                self._kind(code)
            found = self._places[place] = self.line(code, frame.f_lineno or code.co_firstlineno)
        return found

    def at_offset(self, code: CodeType | None, lasti: int) -> int:
        """The line of an instruction, as nodes and notes keep it."""
        if code is None:
            return NONE
        place = id(code), lasti
        found = self._places.get(place)
        if found is None:
            if id(code) not in self._kinds:
                self._kind(code)
            number = code.co_firstlineno
            for start, end, n in code.co_lines():
                if start <= lasti < end and n is not None:
                    number = n
            found = self._places[place] = self.line(code, number)
        return found

    def line(self, code: CodeType, number: int) -> int:
        """A line of a function."""
        key = code.co_filename, number
        found = self._same.get(key)
        if found is None:
            found = self._same[key] = len(self.lines)
            self.lines.append(Line(code.co_filename, number, code.co_qualname, ""))
        return found

    def _kind(self, code: CodeType) -> int:
        kind = self._kinds[id(code)] = whose(code.co_filename)
        self._codes.append(code)
        return kind

    def finish(self) -> list[Line]:
        """The lines with their texts."""
        for line in self.lines:
            line.text = linecache.getline(line.file, line.number).strip()
        return self.lines
