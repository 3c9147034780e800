"""Functions that are written as text while a program runs: ways into an operation, plans.

A process compiles a text once, and keeps the code on disk, as Python does for modules: to compile
one takes 0.3 to 1 ms, to read it back a tenth of that, and the first step of a small network has
90 of them. (Programs of `torch.compile` come and go: `compiler/written_functions.py`.)
"""

from __future__ import annotations

import hashlib
import importlib.util
import marshal
import sys
from types import CodeType

from . import disk

_codes: dict[str, CodeType] = {}
# What the code of a text depends on beside it: Python's version, and whether it leaves out asserts.
PYTHON = f"{importlib.util.MAGIC_NUMBER.hex()} {sys.implementation.cache_tag} {sys.flags.optimize}"


def code_of(source: str, file: str) -> CodeType:
    """The code of the function that a text defines; `file` is what tracebacks call the text."""
    found = _codes.get(source)
    if found is None:
        found = _codes[source] = kept(source, file)
    return found


def kept(source: str, file: str) -> CodeType:
    """Code from the disk, or from Python's compiler."""
    place = disk.folder("texts")
    if place is None:
        return compiled(source, file)
    name = hashlib.sha256(f"{PYTHON} {file}\n{source}".encode()).hexdigest()[:32]
    path = place / f"{name}{disk.KINDS['texts']}"
    data = disk.read(path)
    if data is not None:
        code: CodeType = marshal.loads(data)
        return code
    code = compiled(source, file)
    disk.write(path, marshal.dumps(code))
    return code


def compiled(source: str, file: str) -> CodeType:
    """Code from Python's compiler."""
    module = compile(source, file, "exec")
    return next(c for c in module.co_consts if isinstance(c, CodeType))
