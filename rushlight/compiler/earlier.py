"""Calls of lines that an earlier program had, by what the calls of a line depend on.

To find out what a line is takes most of the time of making a program (`lower_plans.py`), and many
lines are alike: of blocks of a model that are compiled one by one, of a function that is called
with sizes that come again, of a model that is made anew. Within a program `native.py` keeps what it
has found by the same keys.

Kept are lines of functions and parameters that mean the same in any program. What is no call is
looked at again: an index may have been out of range.
"""

from __future__ import annotations

from types import FunctionType
from typing import Any

import numpy as np

from .. import dtypes
from ..kernels.elementwise.formula import Formula
from ..ops.core.record import registry
from .copies import span
from .guards import settings_now
from .lower_plans import Lowered
from .program import Line, Ref

Array = Any
NUMBERS = (bool, int, float, complex, str, type(None))
LASTING = (type, np.dtype, dtypes.dtype)  # objects that mean the same as long as they live
MOST_LINES = 4096
MOST_CONSTANT = 4096  # bytes of constants of a line that is kept


def key_of(line: Line, names: list[Ref], examples: list[Array], fixed: list[bool]) -> Any:
    """What the calls of a line depend on."""
    number = {r: k for k, r in enumerate(names)}
    spans = [span(a) if isinstance(a, np.ndarray) else (0, 0) for a in examples]
    beside = []
    for i, (low, high) in enumerate(spans):
        for j, (first, last) in enumerate(spans[:i]):
            if low < last and first < high:
                a, b = examples[i], examples[j]
                beside.append((i, j, a.__array_interface__["data"][0]
                               - b.__array_interface__["data"][0]))  # fmt: skip
    metas = [(type(a), a.shape, a.strides, a.dtype.str, a.dtype.num, a.flags.writeable)
             for a in examples]  # fmt: skip
    more = parameters(line)
    operands, kw = frozen(line.operands, number), frozen(more, number)
    structure = frozen(line.results, dict.fromkeys(line.makes(), 0))
    known = tuple([a.tobytes() if k else None for a, k in zip(examples, fixed, strict=True)])
    return (line.record.fn, operands, kw, tuple(metas), tuple(beside), structure, known,
            settings_now())  # fmt: skip


def parameters(line: Line) -> tuple[tuple[str, Any], ...]:
    """A line's, without the edge, which only says in errors whose gradient it was."""
    return tuple([(k, v) for k, v in line.kw.items() if k != "edge"])


def frozen(x: Any, number: dict[Ref, int]) -> Any:
    """An operand or a parameter as a part of a key; other objects by their identity."""
    if x.__class__ is Ref:
        return "value", number[x]
    if isinstance(x, (tuple, list)):
        return type(x), *[frozen(v, number) for v in x]
    if isinstance(x, NUMBERS):
        return type(x), repr(x)  # 1 is no 1.0, 0.0 no -0.0
    return x if isinstance(x, LASTING) else id(x)


def lasts(x: Any) -> bool:
    """Whether no object stands in operands or parameters that is known by its identity alone."""
    if isinstance(x, (tuple, list)):
        return all([lasts(v) for v in x])
    return x.__class__ is Ref or isinstance(x, (*NUMBERS, *LASTING))


def stands_alone(fn: Any, depth: int = 3) -> bool:
    """Whether a function holds nothing of one program: formulas, numbers and such functions."""
    if fn.__class__ is not FunctionType or not depth:
        return isinstance(fn, (np.ufunc, Formula)) or lasts(fn)
    held = [c.cell_contents for c in fn.__closure__ or ()]
    held += [*(fn.__defaults__ or ()), *(fn.__kwdefaults__ or {}).values()]
    return all([stands_alone(x, depth - 1) for x in held])


def keep(key: Any, line: Line, lowered: Lowered) -> None:
    """Keep the calls of a line, if they may stand in another program."""
    record = line.record
    stays = registry.get(str(record.name)) is record or stands_alone(record.fn)
    small = sum([a.nbytes for a in lowered.constants]) <= MOST_CONSTANT
    if not (stays and small and lasts((line.operands, parameters(line)))):
        return
    if len(lines) >= MOST_LINES:  # sizes that vary without end
        lines.clear()
    lines[key] = lowered


lines: dict[Any, Lowered] = {}  # by `key_of`
