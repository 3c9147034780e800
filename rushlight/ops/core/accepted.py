"""Which types an operation takes: PyTorch's kernels, and what they say of others.

A record or a composite states them in words, with what PyTorch calls the kernel:

    accepts="floating: igamma_cpu"                  "igamma_cpu" not implemented for 'Long'
    accepts="number: fmax not implemented for complex tensors."        a sentence is said as it is
    accepts=("number: ...", NotImplementedError)    ... in another class than RuntimeError
    accepts="floating empty 0-d: cummax_cpu"        what PyTorch answers before it asks for the type

Not here: how operands are brought together (`numerics.py`). The door asks on its long way alone,
of the operands' common type, before an integer becomes a float. Where more is wrong with a call,
what PyTorch sees before it comes to a kernel is said first: arguments, and a `dim` out of range.
"""

from __future__ import annotations

import functools
import inspect
from collections.abc import Callable
from typing import Any

import numpy as np

from ... import dtypes
from ...autograd.node import TensorBase
from ...dtypes import type_name
from ...errors import axes, message

GROUPS: dict[str, Callable[[dtypes.dtype], bool]] = {
    "floating": lambda d: d.category == dtypes.FLOAT,
    "wide": lambda d: d.category == dtypes.FLOAT and not d.low,
    "integral": lambda d: d.category == dtypes.INT,
    "int": lambda d: d is dtypes.int32,
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
        self.groups = [g for g in groups.split() if g not in ("empty", "0-d")]
        self.empty, self.scalar = "empty" in groups.split(), "0-d" in groups.split()
        wrong = [g for g in self.groups if g not in GROUPS]
        if wrong or not self.words:
            raise TypeError(f"accepts={spec!r}: groups of types, a colon, a kernel's name or words")
        self.types, self.numpy = types_of(tuple(self.groups))

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

    def check_operand(self, a: Any, dim: Any = None) -> None:
        """`check` of an array, and before it of the `dim` that was given."""
        if a.dtype not in self.numpy:
            if dim is not None:
                axes(dim, a.ndim)
            if not (self.empty and not a.size) and not (self.scalar and not a.ndim):
                self.check(dtypes.from_numpy(np.dtype(a.dtype)))


@functools.cache
def types_of(groups: tuple[str, ...]) -> tuple[frozenset[dtypes.dtype], frozenset[Any]]:
    """The types of some groups, and the NumPy types that store them."""
    types = frozenset(d for d in dtypes.ALL if any(GROUPS[g](d) for g in groups))
    return types, frozenset(d.np for d in types)


def bound(fn: Any, name: str, args: tuple[Any, ...], kw: dict[str, Any]) -> Any:
    """The `dim` of a call. Raises what is wrong with its arguments."""
    known = inspect.signature(fn)
    stated = {k: v for k, v in kw.items() if k != "out" or k in known.parameters}
    try:
        given = known.bind(*args, **stated).arguments.get("dim")
    except TypeError:
        if "out" not in kw:  # which stands in no signature
            fn(*args, **kw)  # raises, and names what is missing
        return None
    one = name in ("max", "median", "min", "nanmedian") or (
        "dim" in known.parameters and known.parameters["dim"].annotation == "int"
    )
    if isinstance(given, (tuple, list)) and one:
        kind = type(given).__name__
        raise TypeError(f"{name}(): argument 'dim' must be int, not {kind}")
    return given if given.__class__ is int else None


def guarded(fn: Any, spec: Any, name: str) -> Any:
    """`fn`, which takes a first tensor of these types alone; a list of tensors by its first one."""
    accepted = Accepted(spec)
    taken = accepted.numpy

    @functools.wraps(fn)
    def shown(*args: Any, **kw: Any) -> Any:
        first = args[0] if args else kw.get("input")
        if first.__class__ is list and first:
            first = first[0]
        if isinstance(first, TensorBase) and first._a.dtype not in taken:
            accepted.check_operand(first._a, bound(fn, name, args, kw))
        return fn(*args, **kw)

    shown.__wrapped__ = getattr(fn, "__wrapped__", fn)  # whose parameters are looked at
    return shown
