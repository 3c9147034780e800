"""A formula about one element in instructions: for operands of certain kinds and types.

float16 and bfloat16 are computed in float32 and rounded once, integers of less than 32 bits in 32.

Read next: `codegen/lower.py`, which writes the steps; `contiguous.py` and `broadcast.py`, whose
loops have them inside.
"""

from __future__ import annotations

import functools
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import ml_dtypes
import numpy as np

from .. import runtime
from ..codegen.expr import Expr, Trace, order

if TYPE_CHECKING:
    from .formula import Formula

BOOLEAN = np.dtype(bool)
BFLOAT16 = np.dtype(ml_dtypes.bfloat16)
LOW = (np.dtype(np.float16), BFLOAT16)
F32, F64 = np.dtype(np.float32), np.dtype(np.float64)
FLOATS = (np.dtype(np.float32), np.dtype(np.float64), *LOW)
ELEMENTS = {  # what an array's elements are called in kernels
    np.dtype(np.float32): "float", np.dtype(np.float64): "double", BOOLEAN: "i8",
    np.dtype(np.float16): "half", BFLOAT16: "bfloat", np.dtype(np.int64): "i64",
    np.dtype(np.int32): "i32", np.dtype(np.int16): "i16", np.dtype(np.int8): "s8",
    np.dtype(np.uint8): "u8",
}  # fmt: skip
COMPUTED = {"double": "double", "i64": "i64", "i32": "i32", "i16": "i32", "s8": "i32", "u8": "i32"}
# Exponents of which a power is a product or a root.
EXPONENTS = (0.5, -0.5, 1.0, 2.0, 3.0, -1.0, -2.0)


class Lowered:
    """A formula of operands of certain kinds and types: what writes it, and its kernels.

    Args:
        root: the formula with its parameters' names in it.
        write: writes it for one vector.
        operands: (type in memory, kind) of the arrays, then of the numbers.
        variables, compute: what they are called in the formula, the type that it is computed in.
        out: type of the result.
        kernel: (way, far results) -> its kernel.
        flops: operations of an element: each step counts one, an exponential as much as a sum.
    """

    def __init__(
        self, name: str, root: Expr, write: Any, operands: list[tuple[str, str]], out: Any,
        variables: Sequence[Expr] = (), compute: str = "",
    ) -> None:  # fmt: skip
        self.name, self.root, self.write, self.operands, self.out = name, root, write, operands, out
        self.variables, self.compute = tuple(variables), compute
        self.flops = sum(node.op is not None for node in order(root))
        self.kernel = functools.cache(self._kernel)

    def _kernel(self, way: str, far: bool = False) -> Any:
        from . import broadcast, contiguous

        key = (self.name, repr(self.root))
        if way == "contiguous":
            made = contiguous.kernel(key, self.write, self.operands, [ELEMENTS[self.out]], far)
            made.formula = self
            return made
        return broadcast.kernel(key, self.write, self.operands, [ELEMENTS[self.out]])

    def can_be_written(self, way: str) -> bool:
        """Whether all its steps have instructions; this compiles it, or reads it from disk."""
        from ..codegen.lower import NoKernel

        try:
            return bool(self.kernel(way).addresses)
        except NoKernel:
            return False


def lower_formula(formula: Formula, kinds: Sequence[Any], types: Sequence[Any],
                  words: tuple[Any, ...]) -> Lowered | None:  # fmt: skip
    """The formula of operands of such kinds and types; None: there is no kernel of it.

    Operands of the kernel are the arrays, then the numbers, each in the order of the call.
    """
    dtype = common_type(types)
    if dtype is None or not runtime.available():
        return None
    from ..codegen import lower

    compute = "i1" if dtype == BOOLEAN else COMPUTED.get(ELEMENTS[dtype], "float")
    integers = compute not in ("float", "double")
    trace = Trace()
    arrays: list[Expr] = []
    numbers: list[Expr] = []
    operands: list[tuple[str, str]] = []
    last: list[tuple[str, str]] = []
    booleans: set[str] = set()
    given: list[Any] = []

    def number(kind: type, called: str) -> Expr:
        last.append(("i64" if kind is int and integers else "double", "number"))
        numbers.append(trace.variable(called))
        return numbers[-1]

    for kind in kinds:
        if kind == "none":
            given.append(None)
        elif kind is float or kind is int:
            given.append(number(kind, f"c{len(numbers)}"))
        elif kind.__class__ is float:
            given.append(kind)
        else:
            memory = ELEMENTS[types[len(arrays)]]
            arrays.append(trace.variable(f"x{len(arrays)}"))
            if memory == "i8":
                booleans.add(arrays[-1].name)
            operands.append((memory, kind))
            given.append(arrays[-1])
    with_numbers = {k: number(v, k) if v is float or v is int else v for k, v in words}
    try:
        root = lower.expanded(formula.seen(*given, **with_numbers), trace)
        if not isinstance(root, Expr) or root.op is None:
            return None
        out = BOOLEAN if lower.is_boolean(root, booleans) else dtype
        write = lower.written(root, [*arrays, *numbers], compute)
        variables = [*arrays, *numbers]
        return Lowered(formula.name, root, write, [*operands, *last], out, variables, compute)
    except (lower.NoKernel, TypeError, AttributeError, ValueError):
        return None  # the formula does what formulas cannot: it has no kernel


def common_type(types: Sequence[Any]) -> Any:
    """The type of a result of operands of these types: beside booleans there may be one; float32
    with narrower floats is float32. None: no kernel."""
    found = {t for t in types if t != BOOLEAN}
    if any(t not in ELEMENTS for t in types):
        return None
    if len(found) > 1 and found <= {np.dtype(np.float32), *LOW}:
        return np.dtype(np.float32)
    return found.pop() if len(found) == 1 else None if found else BOOLEAN
