"""The plain executor: a program as one Python function that calls the records' functions on arrays.

It is right for every record. What `native.py` cannot turn into machine code runs as here.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from . import written_functions
from .program import HELD, Program, Ref

Array = Any


FILE = "<compiled step>"  # what tracebacks call the text


def function(program: Program) -> Callable[..., tuple[Array, ...]]:
    """`run(*given) -> returned`, written out as text.

    Values are local variables, forgotten after their last use: their memory serves the next.
    """
    space: dict[str, Any] = {}
    lines: list[str] = []
    where: dict[int, Any] = {}  # line of the text to (file, line) of the user's
    last = program.last_uses()
    for k, value in enumerate(program.values):
        if value.kind == HELD:
            space[f"v{k}"] = value.example
    for k, line in enumerate(program.lines):
        space[f"f{k}"] = line.record.fn
        given = [written(x, space) for x in line.operands]
        given += [f"{name}={written(x, space)}" for name, x in line.kw.items()]
        made = target(line.results) + " = " if any(True for _ in line.makes()) else ""
        where[len(lines) + 2] = line.where
        lines.append(f"{made}f{k}({', '.join(given)})")
        if last.get(k):
            lines.append(f"del {', '.join(f'v{r:d}' for r in last[k])}")
    lines.append(f"return ({''.join(f'v{r:d}, ' for r in program.returns)})")
    signature = ", ".join(f"v{r:d}" for r in program.given)
    source = f"def run({signature}):\n" + "".join(f"    {line}\n" for line in lines)
    space["where"] = where
    return written_functions.function("run", source, FILE, space)


def target(results: Any) -> str:
    """Where results go; `_` for those that nobody looks at."""
    if results.__class__ is Ref:
        return f"v{int(results)}"
    if results is None:
        return "_"
    return f"({''.join(target(r) + ', ' for r in results)})"


def written(x: Any, space: dict[str, Any]) -> str:
    """An operand, a parameter or a place for results as text; objects are put into `space`."""
    if x.__class__ is Ref:
        return f"v{int(x)}"
    if x.__class__ is tuple and any(v.__class__ in (Ref, tuple, list) for v in x):
        return f"({''.join(written(v, space) + ', ' for v in x)})"
    if x.__class__ is list:
        return f"[{', '.join(written(v, space) for v in x)}]"
    if x is None or x.__class__ is bool or x.__class__ is int:
        return repr(x)
    name = f"c{len(space)}"
    space[name] = x
    return name
