"""What writes a program down: an observer of the door that puts numbers in place of arrays.

The capture of a run (`capture.py`) is one, and so is what writes down a backward that comes later
(`backwards.py`).
"""

from __future__ import annotations

from typing import Any

import numpy as np

from ..autograd.node import TensorBase
from ..autograd.observe import Observer
from . import known
from .program import MADE, Line, Program, Ref, Value
from .seeing import Unknown


class Writer(Observer):
    """One who writes lines.

    Attributes:
        program: what was computed.
        number: id of an array (or a generator) to the number of its value; values keep arrays, so
            that no id is used twice.
    """

    def __init__(self) -> None:
        self.program = Program()
        self.number: dict[int, Ref] = {}

    def value(self, kind: str, a: Any, note: str = "") -> Ref:
        """A new value, or the one that this array is already."""
        found = self.number.get(id(a))
        if found is None:
            found = self.number[id(a)] = Ref(len(self.program.values))
            self.program.values.append(Value(kind, a, note=note))
        return found

    def origin(self, a: Any) -> Ref | None:
        """The value that an array which nobody has made is, where that is known."""
        return None

    def line(
        self, record: Any, arrays: Any, kw: dict[str, Any], results: Any,
        where: tuple[str, int] | None = None,
    ) -> Line:  # fmt: skip
        """A computation as a line.

        Raises:
            Unknown: it is given something of which nobody knows where it comes from.
        """
        operands = tuple([self.refer(a) for a in arrays])
        # (the place on the tape that a gradient is for is there for the text of an error)
        given = {k: None if k == "edge" else self.refer(v) for k, v in kw.items()}
        return Line(record, operands, given, self.refer_result(results), where)

    def refer(self, x: Any) -> Any:
        """Numbers of values in place of arrays."""
        if x.__class__ is np.ndarray or isinstance(x, np.generic):
            found = self.number.get(id(x))
            if found is None:
                found = self.origin(x)
            if found is not None:
                return found
            if isinstance(x, np.generic):
                return x
            raise Unknown("is given an array of which nobody knows where it comes from")
        if isinstance(x, (tuple, list)):
            parts = [self.refer(v) for v in x]
            if all(p is v for p, v in zip(parts, x, strict=True)):
                return x  # (one of the kinds with names is made in another way)
            return parts if type(x) is list else tuple(parts)
        if isinstance(x, TensorBase):
            raise Unknown("is given a tensor")
        return x if x.__class__ in known.PLAIN else self.number.get(id(x), x)

    def refer_result(self, x: Any) -> Any:
        """Numbers of new values in place of what came out."""
        if isinstance(x, (tuple, list)):
            return tuple([self.refer_result(v) for v in x])
        if x.__class__ is np.ndarray or isinstance(x, np.generic):
            return self.value(MADE, x)
        return None
