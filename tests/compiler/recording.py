"""Programs for the tests of executors: what a function computes on arrays, seen at the door."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from rushlight.autograd import door
from rushlight.compiler.program import GIVEN, HELD, MADE, Line, Program, Ref, Value, refs


def recorded(
    fn: Callable[[], Any], given: Sequence[Any], held: Sequence[Any] = ()
) -> tuple[Program, Any]:
    """(the program of one run of `fn`, what `fn` returned: a tensor or a list of them).

    The arrays of `given` are given anew to each run, those of `held` are the same ones always; what
    `fn` returns is what the program returns.
    """
    program = Program()
    number: dict[int, Ref] = {}
    kept: list[Any] = []

    def name(a: Any, kind: str) -> Ref:
        found = number.get(id(a))
        if found is None:
            found = number[id(a)] = Ref(len(program.values))
            program.values.append(Value(kind, a, len(program.lines) if kind == MADE else -1))
            kept.append(a)
        return found

    def refer(x: Any, kind: str) -> Any:
        if isinstance(x, (tuple, list)):
            return type(x)(refer(v, kind) for v in x)
        if isinstance(x, (np.ndarray, np.generic)) or id(x) in number:
            return name(x, kind)
        return x

    def note(record: Any, arrays: Any, kw: dict[str, Any], results: Any) -> None:
        operands = refer(tuple(arrays), HELD)
        kw = {k: number.get(id(v), v) for k, v in kw.items()}
        made = refer(results, MADE)
        if not refs(made):
            made = None
        program.lines.append(Line(record, operands, kw, made))

    for a in given:
        program.given.append(name(a, GIVEN))
    for a in held:
        name(a, HELD)
    with door.observing(note):
        found = fn()
    for t in found if isinstance(found, (list, tuple)) else [found]:
        ref = number[id(t._a)]
        program.returns.append(ref)
        program.values[ref].fresh = True
    program.without_dead_lines()
    return program, found
