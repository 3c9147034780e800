"""Reductions of large arrays in machine code, and when that is used.

A `Reduction` folds a formula of one or several arrays over dims: sums, products, extremes, truths.
Called, it answers None for what NumPy does: small arrays, and types and layouts without a kernel.
The choice looks at types, shapes and layouts alone, and work is cut by shape, so a result does not
depend on the number of threads. Sums of float32 are kept in float64 until the end, those of
float16 and bfloat16 in float32, those of integers in int64.

Not here: the kernels (`reduction.py`), places of extremes (`argreduce/select.py`).
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

import ml_dtypes
import numpy as np

from ..codegen.expr import Expr, Trace
from ..elementwise import select as elementwise

Array = Any
ndarray = np.ndarray
LEAST = 1 if elementwise.ALWAYS else 8192  # elements from which on a kernel is used
# Elements side by side below which another axis is innermost.
SHORT = 1 if elementwise.ALWAYS else 8
PIECE = 65536  # elements of a piece of work, along the axis that is reduced
BLOCK = 131072  # and across it
TILE = 1024  # columns of such a block, at most (as in `reduction.py`)
CHUNKS = 11  # the place of the number of chunks among a kernel's numbers
MOST_PLANS = 2048  # layouts that a reduction remembers
MOST_VARIANTS = 64  # kernels of one reduction with different constants; others stay with NumPy
ELEMENTS = {
    np.dtype(np.float32): "float", np.dtype(np.float64): "double", np.dtype(np.float16): "half",
    np.dtype(ml_dtypes.bfloat16): "bfloat", np.dtype(bool): "bool", np.dtype(np.uint8): "u8",
    np.dtype(np.int8): "i8", np.dtype(np.int16): "i16", np.dtype(np.int32): "i32",
    np.dtype(np.int64): "i64",
}  # fmt: skip
COUNTED = np.dtype(np.int64)
Axis = tuple[int, bool, int, tuple[int, ...]]  # size, reduced?, step of the result, of operands


def same_or_more(a: int, size: int) -> int:
    """How many pieces of `size` are in `a`, the last one perhaps smaller."""
    return -(-a // size)


class Reduction:
    """A formula folded over dims.

    Args:
        how: "add", "mul", "max", "min" or "any".
        formula: of the arrays (None: of one array, itself), as `fused.fuse` takes it; "nonzero" or
            "zero".
        name: of the formula.
        wide: the formula is computed in the type of the sum.
        finish: words among "over" (divided by the number `over`), "root", "not".
        out: the type of the result, where it is not what the operands' types say.
    """

    def __init__(self, how: str, formula: Any = None, name: str = "", *, wide: bool = False,
                 finish: str = "", out: Any = None) -> None:  # fmt: skip
        self.how, self.formula, self.name = how, formula, name
        self.wide, self.finish = wide, finish
        self.out = None if out is None else np.dtype(out)
        self.plans: dict[Any, Any] = {}
        self.kernels: dict[Any, Any] = {}

    def __call__(self, arrays: Sequence[Array], dims: tuple[int, ...] | None,
                 keepdims: bool = False, over: float = 1.0, **kw: Any) -> Array | None:  # fmt: skip
        """The result, or None when NumPy should compute it. Dims are in range; None: all."""
        key: tuple[Any, ...] = (dims, keepdims)
        for a in arrays:
            if a.__class__ is not ndarray or not a.flags.aligned:
                return None
            key += (a.shape, a.strides, a.dtype)
        whole = key + tuple(kw.items()) if kw else key
        plan = self.plans.get(whole)
        if plan is None:
            if len(self.plans) >= MOST_PLANS:
                self.plans.clear()
            plan = self.plans[whole] = self.planned(arrays, dims, keepdims, kw)
        if plan is False:
            return None
        kernel, numbers, shape, dtype, scratch, shared = plan
        y = np.empty(shape, dtype)
        if shared:
            elementwise.jit()[2].ready()
        kernel(*arrays, y, np.empty(scratch, np.int64) if scratch else y, *numbers, over)
        return y

    def planned(self, arrays: Sequence[Array], dims: tuple[int, ...] | None, keepdims: bool,
                kw: dict[str, Any]) -> Any:  # fmt: skip
        """(kernel, its numbers, shape and type of the result, words of scratch, whether threads
        share the work), or False."""
        try:
            shape = np.broadcast_shapes(*[a.shape for a in arrays])
        except ValueError:
            return False  # the formula in NumPy says what is wrong
        if dims is None:
            dims = tuple(range(len(shape)))
        size = math.prod(shape)
        types = tuple([a.dtype for a in arrays])
        if size < max(LEAST, 1) or any(t not in ELEMENTS for t in types) or not elementwise.jit():
            return False
        if np.dtype(np.float16) in types and not has_half():
            return False
        laid = laid_out(shape, dims, arrays)
        if laid is None:
            return False
        axes, inner = laid
        kinds = tuple([
            "value" if step == 0 else "row" if step == 1 else "far" for step in inner[3]
        ])  # fmt: skip
        direction = "along" if inner[1] else "across"
        key = (direction, types, kinds, *kw.items())
        made = self.kernels.get(key)
        if made is None:
            made = self.kernels[key] = self.made(direction, types, kinds, kw)
        if made is False:
            return False
        kernel, dtype = made
        numbers, scratch = numbers_of(direction, axes, inner, len(arrays))
        result = tuple(1 if d in dims else n for d, n in enumerate(shape)
                       if keepdims or d not in dims)  # fmt: skip
        return kernel, numbers, result, dtype, scratch, numbers[CHUNKS] > 1

    def made(self, direction: str, types: tuple[Any, ...], kinds: tuple[str, ...],
             kw: dict[str, Any]) -> Any:  # fmt: skip
        """(kernel, type of the result), or False when there is none."""
        if len(self.kernels) >= MOST_VARIANTS:
            return False
        from . import reduction

        found = self.written(types, kw)
        if found is None:
            return False
        name, write, dtype = found
        ins = [(ELEMENTS[t], kind) for t, kind in zip(types, kinds, strict=True)]
        fold = reduction.Fold(self.how, ins, write, self.wide, self.finish, ELEMENTS[dtype])
        try:
            return reduction.kernel(direction, (self.name, name), fold), dtype
        except elementwise.jit()[1].NoKernel:
            return False

    def written(self, types: tuple[Any, ...], kw: dict[str, Any]) -> Any:
        """(text of the formula, what writes it, type of the result); None: there is none."""
        own = np.dtype(bool) if self.how == "any" else self.out
        whole = types[0].kind in "biu"
        if self.formula in ("zero", "nonzero"):
            return self.formula, TESTS[self.formula], own or COUNTED
        if self.formula is None:
            if self.how in ("max", "min") and types[0].kind == "b":
                return None
            dtype = COUNTED if whole and self.how in ("add", "mul") else types[0]
            return "", None, own or dtype
        floats = {t for t in types if t.kind != "b"}
        if whole or any(t.kind in "iu" for t in types) or (len(floats) > 1 and not self.wide):
            return None
        lower = elementwise.jit()[1]
        trace = Trace()
        variables = [trace.variable(f"x{k}") for k in range(len(types))]
        try:
            root = lower.expanded(self.formula(*variables, **kw), trace)
            if not isinstance(root, Expr) or root.op is None:
                return None
            booleans = {f"x{k}" for k, t in enumerate(types) if t.kind == "b"}
            boolean = lower.is_boolean(root, booleans)
            return repr(root), lower.written(root, variables), (
                own or (COUNTED if boolean else types[0])
            )  # fmt: skip
        except (lower.NoKernel, TypeError, AttributeError, ValueError):
            return None  # the formula does what formulas cannot


def is_nonzero(f: Any, v: Any) -> list[Any]:
    return [v if v.type.endswith(("i1", "i1>")) else v != 0]


def is_zero(f: Any, v: Any) -> list[Any]:
    return [~v if v.type.endswith(("i1", "i1>")) else v == 0]


TESTS = {"nonzero": is_nonzero, "zero": is_zero}


def has_half() -> bool:
    """Whether this CPU reads float16."""
    from ..runtime import jit

    target = jit.target()
    return not target.machine.triple.startswith(("x86", "i")) or "+f16c" in target.features


def laid_out(shape: Sequence[int], dims: Sequence[int],
             arrays: Sequence[Array]) -> tuple[list[Axis], Axis] | None:  # fmt: skip
    """The axes around the innermost one, outer ones first, and that one; None: too many."""
    steps: list[list[int]] = []
    for a in arrays:
        own = [0] * (len(shape) - a.ndim)
        for n, step in zip(a.shape, a.strides, strict=True):
            if step % a.itemsize:
                return None
            own.append(0 if n == 1 else step // a.itemsize)
        steps.append(own)
    axes: list[Axis] = []
    result = 1
    for d in range(len(shape) - 1, -1, -1):
        if shape[d] > 1:
            gone = d in dims
            axes.append((shape[d], gone, 0 if gone else result, tuple([s[d] for s in steps])))
            result *= 1 if gone else shape[d]
    axes.reverse()
    if not any(gone for _, gone, _, _ in axes):
        return None
    axes.sort(key=lambda axis: -max(abs(s) for s in axis[3]))
    joined: list[Axis] = []
    for n, gone, y, each in axes:
        if joined:
            before = joined[-1]
            inside = tuple([s * n for s in each])
            if before[1] == gone and before[2] == y * n and before[3] == inside:
                joined[-1] = (before[0] * n, gone, y, each)
                continue
        joined.append((n, gone, y, each))
    place = len(joined) - 1
    if joined[place][0] < SHORT:  # a longer axis is better, though its elements lie apart
        place = max(range(len(joined)), key=lambda k: (min(joined[k][0], 64), k))
    inner = joined.pop(place)
    if sum(gone for _, gone, _, _ in joined) > 2 or sum(not a[1] for a in joined) > 3:
        return None
    return joined, inner


def numbers_of(direction: str, axes: list[Axis], inner: Axis,
               count: int) -> tuple[tuple[int, ...], int]:  # fmt: skip
    """The numbers that a kernel is given, and the words of scratch that it needs."""
    nothing: Axis = (1, False, 0, (0,) * count)
    kept = [a for a in axes if not a[1]]
    gone = [a for a in axes if a[1]]
    kept = [nothing] * (3 - len(kept)) + kept
    gone = [nothing] * (2 - len(gone)) + gone
    cells, rows, n = math.prod(a[0] for a in kept), gone[0][0] * gone[1][0], inner[0]
    work = rows * n
    piece = PIECE if direction == "along" else BLOCK
    down, wide, each = rows, n, 1
    if work < piece:
        each = same_or_more(piece, work)
    elif direction == "along":
        if work >= 2 * piece:
            wide = min(n, piece)
            down = 1 if n >= piece else same_or_more(piece, n)
    else:
        wide = min(n, max(TILE, piece // rows // TILE * TILE))
        down = min(rows, same_or_more(piece, wide * 8) * 8)
    across = same_or_more(n, wide)
    blocks = same_or_more(rows, down)
    parts = blocks * across
    chunks = same_or_more(cells, each) * parts
    if direction == "along":
        scratch = 0 if parts == 1 else cells * parts
    else:
        scratch = 0 if blocks == 1 else cells * blocks * n
    numbers = [cells, kept[1][0], kept[2][0], rows, gone[1][0], n, down, wide, across, parts, each,
               chunks, kept[0][2], kept[1][2], kept[2][2], inner[2]]  # fmt: skip
    for k in range(count):
        numbers += [a[3][k] for a in (*kept, *gone, inner)]
    return tuple(numbers), scratch


# -- the common ones -----------------------------------------------------------------------------

PLAIN = {
    "add": Reduction("add"),
    "mul": Reduction("mul"),
    "maximum": Reduction("max"),
    "minimum": Reduction("min"),
    "logical_or": Reduction("any", "nonzero"),
    "logical_and": Reduction("any", "zero", finish="not"),
}
COUNT = Reduction("add", "nonzero")
MEAN = Reduction("add", finish="over")
LONG_MEAN = Reduction("add", finish="over", out=np.float64)


def reduced(
    how: str, x: Array, dims: tuple[int, ...] | None, keepdims: bool = False
) -> Array | None:
    """x reduced over `dims` by the ufunc named; None when NumPy should do it."""
    return PLAIN[how]((x,), dims, keepdims)
