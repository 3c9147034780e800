"""Whether a gradient is the derivative of what PyTorch itself computes, by differences.

Where PyTorch's gradient and Rushlight's differ, one of them is not the derivative of the function.
So the program is run again, by PyTorch in double precision, with the tensor that the gradient is of
moved a little to both sides; what that changes, times what went backward, is the gradient times the
move. At a kink it is the mean of both sides. Results that are not finite say nothing.
"""

from __future__ import annotations

import re
from typing import Any

import numpy as np

from tests.compare.random_calls import exact
from tests.compare.random_calls.calls import changing
from tests.compare.random_calls.same import array

STEP = 1e-6
MOVES = 3
CLOSE = 2e-4  # of the sum of all magnitudes
ASKED = (r"v\d+ = torch\.autograd\.grad\((v\d+), (v\d+), (.+), (?:create|retain)_graph=True, "
         r".*\)\[0\]")  # fmt: skip
BACKWARD = r"(v\d+)\.backward\((.+), retain_graph=True\)"


def ours_alone(d: Any) -> bool:
    """Whether Rushlight's gradient is the derivative and PyTorch's is not."""
    return judged(d) == (True, False)


def of_none(d: Any) -> bool:
    """Whether neither is: there is no derivative there."""
    return judged(d) == (False, False)


def judged(d: Any) -> tuple[bool, bool] | None:
    """Whether each of the two is the derivative; None where differences say nothing."""
    asked = re.fullmatch(ASKED, d.line)
    if d.line.endswith(".grad"):
        of, lines, pairs = d.line[:-5], d.lines[:-1], None
    elif asked:
        of, lines, pairs = asked[2], d.lines[:-1], [(asked[1], asked[3])]
    else:
        return None
    other = rf"\b(?:m\d+|{of})\b.*(?:zero_grad|step\()|\b{of}\.grad\b"
    if any(re.search(other, line) for line in lines):
        return None
    ours, theirs = d.ours, d.theirs
    if ours is None or not hasattr(ours, "dtype"):
        return None
    mine = array(ours)
    yours = np.zeros_like(mine) if theirs is None else array(theirs)
    finite = np.isfinite(mine)
    if mine.shape != yours.shape:
        return None
    with np.errstate(all="ignore"):
        if not (finite | (mine == yours) | ((mine != mine) & (yours != yours))).all():
            return None
    behind = [" ".join(pair) for pair in pairs or ()]
    lines = needed([line for line in lines if not line.startswith("#")] + behind, of)
    lines = lines[: -len(behind) or None]
    unit = exact.unit_of(lines, str(ours.dtype).rpartition(".")[2])
    draw = np.random.default_rng(0)
    right = [True, True]
    for _ in range(MOVES):
        move = draw.standard_normal(mine.shape)
        if mine.dtype.kind == "c":
            move = move + 1j * draw.standard_normal(mine.shape)
        move = np.where(finite, move, 0)
        above, below = [moved(lines, of, way * STEP * move, pairs) for way in (1, -1)]
        if above is None or below is None:
            return None
        wanted = change(above, below) / (2 * STEP)
        for k, gradient in enumerate((mine, yours)):
            with np.errstate(all="ignore"):
                parts = (np.where(finite, gradient, 0) * move.conj()).real
                size = max(CLOSE, exact.FEW * unit) * (abs(parts).sum() + abs(wanted)) + 1e-5
                right[k] &= bool(abs(parts.sum() - wanted) <= size < np.inf)
    return right[0], right[1]


def needed(lines: list[str], of: str) -> list[str]:
    """The lines on which what goes backward depends: others may not run in double precision."""
    kept: list[str] = []
    wanted = {of}
    for line in reversed(lines):
        made = re.match(r"(\w+) = ", line)
        if made is None or made[1] in wanted or changing(line):
            kept.insert(0, line)
            wanted |= set(re.findall(r"\b[vm]\d+\b", line))
    return kept


def moved(lines: list[str], of: str, by: Any, pairs: Any) -> list[tuple[Any, Any]] | None:
    """(result, what goes backward from it), where `of` is moved; None: another program."""
    import torch

    found = []
    try:
        going = [line if re.fullmatch(BACKWARD, line) is None else "0" for line in lines]
        for line, (name, space) in zip(lines, exact.executed(going), strict=True):
            backward = re.fullmatch(BACKWARD, line)
            if backward and pairs is None:
                sent = eval(exact.widened(backward[2]), space)
                found.append((array(space[backward[1]]).copy(), array(sent)))
            if name == of:
                t = space[of]
                t.data.add_(torch.as_tensor(by).to(t.dtype))
        for result, sent in pairs or ():
            found.append((array(space[result]).copy(),
                          array(eval(exact.widened(sent), space))))  # fmt: skip
    except Exception:
        return None
    return found


def change(above: Any, below: Any) -> float:
    """How much the results change, times what goes backward."""
    total = 0.0
    for (a, sent), (b, _) in zip(above, below, strict=True):
        with np.errstate(all="ignore"):
            by = ((a - b) * np.conj(sent)).real
        total += float(np.where(np.isfinite(by), by, 0).sum())
    return total
