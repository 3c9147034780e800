"""What `same_bits.py` starts, with a tree on its path: a program that tells its bits.

    python tools/same_bits_child.py PROGRAM STEPS [FILE KEY...]

Prints a line for each value: what it is, and a hash of its bits. With FILE, the values that keys
name are written into it instead; of single calls also what float64 makes of the same operands.

Not here: training programs (`same_bits_programs.py`), single calls (`same_bits_calls.py`).
"""

from __future__ import annotations

import hashlib
import importlib
import os
import pickle
import sys
from pathlib import Path
from typing import Any

import numpy as np


def forbid_the_matrix_unit() -> None:
    """For trees that are older than the setting: the one function that decides says no."""
    for name in ("rushlight.kernels.matmul.amx", "rushlight.kernels.llvm.amx"):
        try:
            module = importlib.import_module(name)
        except ImportError:
            continue
        if "RUSHLIGHT_AMX" not in Path(module.__file__ or "").read_text(encoding="utf-8"):
            module.available = lambda: False  # type: ignore[attr-defined]


if os.environ.get("RUSHLIGHT_AMX") == "0":
    forbid_the_matrix_unit()

import rushlight as torch  # noqa: E402 - after what is above


def array(value: Any) -> np.ndarray:
    """A value as NumPy has it; bfloat16 and complex32, which it lacks, in the next wider type."""
    if isinstance(value, torch.Tensor):
        value = value.detach()
        value = value.to_dense() if value.layout is not torch.strided else value
        value = value.resolve_conj().resolve_neg()
        wider = {torch.bfloat16: torch.float32, torch.complex32: torch.complex64}
        return np.asarray(value.to(wider.get(value.dtype, value.dtype)).numpy())
    return np.asarray(value)


def hashed(value: Any) -> str:
    """A hash of type, shape and bits."""
    a = array(value)
    kind = str(getattr(value, "dtype", a.dtype))
    data = repr(a.tolist()).encode() if a.dtype.kind == "O" else np.ascontiguousarray(a).tobytes()
    return hashlib.sha256(f"{kind} {a.shape} ".encode() + data).hexdigest()[:24]


def main(program: str, steps: str, file: str = "", *keys: str) -> None:
    if program in ("records", "calls"):
        import same_bits_calls  # here: they import Rushlight

        moments = same_bits_calls.moments(program, {key.rsplit(": ", 1)[0] for key in keys})
    else:
        import same_bits_programs

        torch.manual_seed(0)
        moments = getattr(same_bits_programs, program)(int(steps))
    kept, wanted = {}, set(keys)
    for moment, values in moments:
        for name, value in values.items():
            key = f"{moment}: {name}"
            if not file:
                print(f"{key}\t{hashed(value)}")
            elif key.replace(", exactly: ", ": ") in wanted:
                kept[key] = array(value)
    if file:
        with open(file, "wb") as opened:
            pickle.dump(kept, opened)


if __name__ == "__main__":
    main(*sys.argv[1:])
