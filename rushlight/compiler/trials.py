"""Which kernels had NumPy's bits when they were tried out, kept on disk beside the kernels.

A trial (`small.py`) compares on many numbers, which takes as long as all else of a capture. What it
found depends on the description of what NumPy did, on NumPy, its BLAS and the CPU, and on the text
of the kernels and of this package: a file's name is a hash over all that, so that it is never
stale. Another process then asks the disk.

Not here: the trials; files, their checksums and their folder (`kernels/runtime/jit.py`).
"""

from __future__ import annotations

import functools
import hashlib
import os
from pathlib import Path

import numpy as np

from ..kernels.runtime import disk, jit

NONE = -1  # no way had NumPy's bits
# What chooses NumPy's own kernels and those of its BLAS.
CHOOSING = ("NPY_", "OPENBLAS_", "MKL_", "BLIS_", "OMP_", "VECLIB_")
_known: dict[str, int] = {}


@functools.cache
def surroundings() -> str:
    """A hash over what the results of trials depend on, beside what is tried out."""
    h = hashlib.sha256(np.__version__.encode())
    for path in sorted(Path(__file__).parent.glob("*.py")):
        h.update(path.read_bytes())
    h.update(repr(np.show_config(mode="dicts")).encode())
    h.update(repr(sorted((k, v) for k, v in os.environ.items() if k.startswith(CHOOSING))).encode())
    return h.hexdigest()


def file_of(what: str) -> Path | None:
    """Where the result of a trial is kept."""
    folder = disk.folder("kernels")
    return None if folder is None else folder / jit.file_name(("trial", surroundings(), what))


def kept(what: str) -> int | None:
    """The number of the way that had NumPy's bits, NONE, or None where nobody knows yet."""
    found = _known.get(what)
    if found is None:
        path = file_of(what)
        data = None if path is None else disk.read(path)
        if data is not None:
            found = _known[what] = int(data)
    return found


def keep(what: str, way: int) -> None:
    """Remember the result of a trial."""
    _known[what] = way
    path = file_of(what)
    if path is not None:
        disk.write(path, str(way).encode())

