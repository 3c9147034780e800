"""Which types an operation takes: PyTorch's kernels, and what they say of others.

A record or a composite states them in words, with what PyTorch calls the kernel:

    accepts="floating: igamma_cpu"                  "igamma_cpu" not implemented for 'Long'
    accepts="number: fmax not implemented for complex tensors."        a sentence is said as it is
    accepts=("number: ...", NotImplementedError)    ... in another class than RuntimeError

Not here: how operands are brought together (`numerics.py`). The door asks on its long way alone,
of the operands' common type, before an integer becomes a float.
"""

from __future__ import annotations

import functools
from collections.abc import Callable
from typing import Any

import numpy as np

from ... import dtypes
from ...autograd.node import TensorBase
from ...autograd.views import type_name
from ...errors import message

GROUPS: dict[str, Callable[[dtypes.dtype], bool]] = {
    "floating": lambda d: d.category == dtypes.FLOAT,
    "wide": lambda d: d.category == dtypes.FLOAT and not d.low,
    "integral": lambda d: d.category == dtypes.INT,
    "long": lambda d: d is dtypes.int64,
    "bool": lambda d: d.category == dtypes.BOOL,
    "complex": lambda d: d.category == dtypes.COMPLEX,
}


class Accepted:
    """The types that an operation takes.

    Attributes:
        types: these types.
        numpy: the NumPy types that store them.
    """

    def __init__(self, spec: Any) -> None:
        text, self.error = spec if isinstance(spec, tuple) else (spec, None)
        groups, _, self.words = text.partition(": ")
        self.groups = groups.split()
        wrong = [g for g in self.groups if g not in GROUPS]
        if wrong or not self.words:
            raise TypeError(f"accepts={spec!r}: groups of types, a colon, a kernel's name or words")
        self.types = frozenset(d for d in dtypes.ALL if any(GROUPS[g](d) for g in self.groups))
        self.numpy = frozenset(d.np for d in self.types)

    def check(self, d: dtypes.dtype) -> None:
        """Raise in PyTorch's words unless `d` is one of them."""
        if d in self.types:
            return
        wanted = " or ".join(self.groups) + " tensors"
        if " " in self.words:
            text = self.words.replace("{}", type_name(d))
            raise (self.error or RuntimeError)(message(text, wanted=wanted))
        text = f"\"{self.words}\" not implemented for '{type_name(d)}'"
        raise NotImplementedError(message(text, wanted=wanted, hint="another dtype: x.float()"))

    def check_array(self, np_type: Any) -> None:
        """`check` of a NumPy type."""
        if np_type not in self.numpy:
            self.check(dtypes.from_numpy(np_type))


def guarded(fn: Any, spec: Any) -> Any:
    """`fn`, which takes a first tensor of these types alone; a list of tensors by its first one."""
    accepted = Accepted(spec)
    taken = accepted.numpy

    @functools.wraps(fn)
    def shown(*args: Any, **kw: Any) -> Any:
        first = args[0] if args else kw.get("input")
        if first.__class__ is list and first:
            first = first[0]
        if isinstance(first, TensorBase) and first._a.dtype not in taken:
            accepted.check_array(np.dtype(first._a.dtype))
        return fn(*args, **kw)

    shown.__wrapped__ = getattr(fn, "__wrapped__", fn)  # whose parameters are looked at
    return shown
