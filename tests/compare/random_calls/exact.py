"""What a program gives in double precision, and how far rounding may move that.

Two ways of computing the same differ by roundings, and which of them is the worse is chance. So a
difference of numbers is one of rounding when Rushlight's are

- as exact as their type is: no further from the numbers in double precision than a few units in the
  last place of the largest of them; or
- no further from those, or from PyTorch's, than a few times what they move by when each value on
  the way is changed in its last place: what the problem makes of roundings, whoever computes; or
- no further from the numbers in double precision than a few times PyTorch's, where those are off by
  what a rounding of an operand leaves behind a norm (whose eps makes it 316 times as large).

The program is run again, by PyTorch, with all floats as float64. A place where a function jumps is
no rounding, so numbers that move far answer nothing.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from contextlib import suppress
from typing import Any

import numpy as np

from tests.compare.random_calls.same import array

WIDE = {"float32": "float64", "float16": "float64", "bfloat16": "float64",
        "complex64": "complex128"}  # fmt: skip
UNITS = {"float16": 2.0**-10, "bfloat16": 2.0**-7, "float32": 2.0**-23, "complex64": 2.0**-23,
         "float64": 2.0**-52, "complex128": 2.0**-52}  # fmt: skip
FEW = 8  # units, and times
TRIALS = 3
NEAR = 1000  # units of the largest operand
FAR = 0.02  # of the largest number: a function that jumps there


def widened(line: str) -> str:
    """A line with all floats as float64."""
    for narrow, wide in WIDE.items():
        line = re.sub(rf"torch\.{narrow}\b", f"torch.{wide}", line)
    return re.sub(r"\.(?:float|half|bfloat16)\(\)", ".double()", line)


def executed(lines: list[str]) -> Iterator[tuple[str, dict[str, Any]]]:
    """Run lines one by one, by PyTorch in double precision: after each one the name that it makes
    ("" for none) and all that there is.

    Raises:
        Exception: whatever a line raises, where that is another program than the narrow one.
    """
    import torch

    space: dict[str, Any] = {"torch": torch}
    before = torch.get_default_dtype()
    torch.set_default_dtype(torch.float64)
    try:
        for line in lines:
            if line.startswith("#"):
                continue
            name = line.partition(" = ")[0] if re.match(r"\w+ = ", line) else ""
            if re.match(r"m\d+ = ", line):  # of the numbers that float32 draws
                torch.set_default_dtype(torch.float32)
                exec(widened(line), space)
                torch.set_default_dtype(torch.float64)
                space[name].double()
            elif line.endswith(".grad") and not name:
                name = line
                space[name] = eval(line, space)
            else:
                exec(widened(line), space)
            yield name, space
    finally:
        torch.set_default_dtype(before)


def run(lines: list[str], unit: float, seed: int) -> Any:
    """What the last line gives in double precision; with a unit, of values that are changed by so
    much of themselves. None where that is another program."""
    import torch

    draw = np.random.default_rng(seed)
    found = None
    steps = [line for line in lines if not line.startswith("#")]
    try:
        for line, (name, space) in zip(steps, executed(steps), strict=True):
            found = t = space.get(name)
            if line is steps[-1] or not unit or not isinstance(t, torch.Tensor):
                continue
            if t.is_floating_point() or t.is_complex():
                by = 1 + unit * draw.choice([-1.0, 1.0], tuple(t.shape))
                with suppress(RuntimeError):  # several elements in one place
                    t.data.mul_(torch.as_tensor(by).to(t.dtype))
    except Exception:
        return None
    return found


def parts(x: Any) -> list[Any]:
    found = list(x) if isinstance(x, (tuple, list)) else [x]
    return [array(t) for t in found if hasattr(t, "dtype") and hasattr(t, "stride")]


def unit_of(lines: list[str], kind: str) -> float:
    """The widest step of the types of a program."""
    named = set(re.findall(r"torch\.(b?float\d+|complex\d+)", "\n".join(lines)))
    return max([UNITS.get(k, 0.0) for k in (kind, *named)])


def rounding(d: Any) -> bool:
    """Whether a difference of values is one of rounding."""
    ours, theirs = parts(d.ours), parts(d.theirs)
    truth = parts(run(d.lines, 0.0, 0))
    if not ours or [x.shape for x in ours] != [x.shape for x in truth]:
        return False
    unit = unit_of(d.lines, str(getattr(d.theirs, "dtype", ""))[6:])
    moved = [parts(run(d.lines, unit, seed)) for seed in range(TRIALS)]
    sizes = [abs(array(t)[np.isfinite(array(t))]).max(initial=0.0) for t in d.operands]
    near = NEAR * unit * max([1.0, *sizes])
    with np.errstate(all="ignore"):
        for k, (a, b, x) in enumerate(zip(ours, theirs, truth, strict=True)):
            if a.dtype.kind in "iub":
                if (a != b).any():
                    return False
                continue
            finite = np.isfinite(x) & np.isfinite(a)
            same = (a == b) | ((a != a) & (b != b)) | (a == x) | ((a != a) & (x != x))
            if not (finite | same).all():
                return False
            a, b, x = a[finite], b[finite], x[finite]
            if not x.size:
                continue
            largest = abs(x).max()
            if abs(a - x).max() <= FEW * unit * largest:
                continue
            if not np.isfinite(b).all():
                return False
            off = abs(b - x).max()
            if off <= near and abs(a - x).max() <= FEW / 2 * off:
                continue
            shifts = [abs(m[k][finite] - x).max() for m in moved
                      if len(m) > k and m[k].shape == truth[k].shape]  # fmt: skip
            shift = max(shifts, default=0.0)
            apart = min(abs(a - b).max(), abs(a - x).max())
            if not apart <= FEW * shift or shift > max(FAR * largest, 100 * unit):
                return False
    return True
