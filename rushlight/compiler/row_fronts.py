"""Formulas in front of rows: a norm or a softmax takes the formulas before it into its own kernel.

`layer_norm(gelu(x) + y)` is one pass: a row of `gelu(x) + y` is computed where the norm reads it
for the first time, and is in the cache when it is read again. Where the norm is its only reader it
is never written to memory of its own: it lies in the row of results until these take its place.

Only what `fuse.py` joins is moved, into the call over rows right behind it, and only where no array
of one meets another of the other but from end to end. Not here: which bodies take formulas (their
`fronts`, `kernels/codegen/row_body.py`), how the kernel is written
(`kernels/codegen/row_front.py`).
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from ..kernels.codegen import lower
from ..kernels.codegen.row_front import Front
from ..kernels.elementwise.lowered import ELEMENTS
from . import fuse
from .calls import Call, Place

if TYPE_CHECKING:
    from ..kernels.codegen.row_kernels import OfRows
    from .fuse import Group, Part
    from .native import Build

# Steps of a formula that is computed in a body's first loop, of which four copies share the
# registers: with functions among them, whose constants fill these, it is a loop of its own. Of 768
# rows of 512 on two threads: a norm of `x + y` 31.5 in place of 33.0 µs, of `gelu(x) + y` 47.9 in
# place of 45.2.
MOST_STEPS = 16


def join(build: Build, group: Group, readers: dict[int, Any], outside: set[int]) -> bool:
    """Put one call in the place of the formulas and of the rows behind them; whether there is one.

    Args:
        readers: of each buffer, (number, call) of the calls that use it.
        outside: the buffers of values that Python needs.
    """
    assert group.behind is not None
    parts = group.parts
    step, call, number = group.behind
    rows = call.kernel.rows
    arrays = dict(zip(call.kernel.interface.arrays, call.arrays, strict=True))
    ints = dict(zip(call.kernel.interface.ints, call.ints, strict=True))
    last = {p.output: p for p in parts}  # what each place has in the end
    taken = {
        k: last[place] for k, place in arrays.items()
        if place in last and k in rows.body.fronts and k in rows.given
        and ELEMENTS[last[place].formula.out] == rows.e
    }  # fmt: skip
    if not taken or ints["n"] * ints["rows"] != parts[0].n or parts[0].n == 1:
        return False
    if not apart(parts, arrays, taken, rows):
        return False
    kept = fuse.parts_kept(build, parts, readers, outside, {*[p.number for p in parts], number})
    overs: list[str] = []
    for k, part in taken.items():
        over = rows.body.fronts[k]
        if over in rows.given and over not in overs and list(taken.values()).count(part) == 1:
            overs.append(over)
        elif part not in kept:
            kept.append(part)
    arrays |= {k: arrays[rows.body.fronts[k]] for k, part in taken.items() if part not in kept}
    made = composed(parts, kept, taken, arrays, call)
    if made is None:
        return False
    fuse.replace(build, [*[(p.step, p.call) for p in parts], (step, call)], made)
    return True


def apart(
    parts: Sequence[Part], arrays: dict[str, Any], taken: dict[str, Part], rows: OfRows
) -> bool:
    """Whether rows read nothing that formulas write but what is `taken`, and write nothing that
    these read or write."""
    written = {p.output.number for p in parts}
    read = {place.number for p in parts for place, _, _ in p.inputs}
    for k, place in arrays.items():
        if place is None:
            continue
        if place.__class__ is not Place or (place.number in written and k not in taken):
            return False
        writes = k in rows.body.writes or k not in rows.given
        if writes and (place.number in read or place.number in written):
            return False
    return True


def composed(
    parts: Sequence[Part], kept: Sequence[Part], taken: dict[str, Part], arrays: dict[str, Any],
    call: Call,
) -> Call | None:  # fmt: skip
    """The call over rows with the formulas in front; None where these have no machine code."""
    rows, names = call.kernel.rows, call.kernel.interface
    made = fuse.Formulas(parts)
    others = [p for p in kept if p not in taken.values()]
    results = [*taken.items(), *[(f"r{k}", p) for k, p in enumerate(others)]]
    if len(made.arrays) + len(results) > 2 * fuse.MOST_ARRAYS:
        return None
    text, write = made.written([p for _, p in results])
    outs = [(k, ELEMENTS[p.formula.out]) for k, p in results]
    steps = [node.op.name for node in made.nodes([p for _, p in results])]
    first = len(steps) > MOST_STEPS or any(name in lower.FUNCTIONS for name in steps)
    kernel = rows.behind(Front(text, write, made.operands, outs, first))
    kernel.width = fuse.width_of(made, [ELEMENTS[p.formula.out] for p in kept])
    kernel.width += fuse.WIDTHS[rows.e] * sum(
        kind == "row" and k in rows.given and k not in taken for k, kind in rows.body.kinds.items()
    )
    try:
        if not kernel.addresses:
            return None
    except lower.NoKernel:
        return None
    words: dict[str, Any] = dict(zip(names.ints, call.ints, strict=True))
    words |= zip(names.floats, call.floats, strict=True)
    words |= {f"c{k}": v for k, (_, _, v) in enumerate(made.numbers)}
    places = arrays | {f"f{k}": place for k, (place, _, _) in enumerate(made.arrays)}
    places |= {k: p.output for k, p in results if k not in places}
    wanted = kernel.interface
    return Call(kernel, tuple([places[k] for k in wanted.arrays]),
                tuple([int(words[k]) for k in wanted.ints]),
                tuple([float(words[k]) for k in wanted.floats]))  # fmt: skip
