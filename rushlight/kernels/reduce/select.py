"""Reductions: which kernel computes one.

A `Reduction` folds a formula of one or several arrays over dims: sums, products, extremes, truths.
Its plan looks at types, shapes and layouts alone, and work is cut by shape, so a result does not
depend on the number of threads. Sums of float32 are kept in float64 until the end, those of
float16 and bfloat16 in float32, those of integers in int64. NumPy computes what is small, and types
and layouts without a kernel: by the reduction's own reference, or that of `reference.py`.

Not here: the kernels (`reduction.py`), where extremes stand (`argreduce/`), running results
(`scan/`).
"""

from __future__ import annotations

import functools
import math
from collections.abc import Callable, Sequence
from typing import Any

import ml_dtypes
import numpy as np

from .. import dense, runtime, tuning
from ..codegen.expr import Expr, Trace, order
from ..meta import MetaArray
from ..plan import Launch, Plan, Reference, nbytes
from . import reference

Array = Any
ndarray = np.ndarray
Dims = tuple[int, ...]
TILE = 1024  # columns whose results `reduction.across` keeps on the stack: blocks are multiples
ROWS = 8  # that it joins before it touches these results: so are they of this
ELEMENTS = {
    np.dtype(np.float32): "float", np.dtype(np.float64): "double", np.dtype(np.float16): "half",
    np.dtype(ml_dtypes.bfloat16): "bfloat", np.dtype(bool): "bool", np.dtype(np.uint8): "u8",
    np.dtype(np.int8): "i8", np.dtype(np.int16): "i16", np.dtype(np.int32): "i32",
    np.dtype(np.int64): "i64",
}  # fmt: skip
COUNTED = np.dtype(np.int64)
F32, F64, BOOL = np.dtype(np.float32), np.dtype(np.float64), np.dtype(bool)
NUMPY = "reduce.numpy"
Axis = tuple[int, bool, int, tuple[int, ...]]  # size, reduced?, step of the result, of operands
Layout = tuple[Dims, Dims, Any]  # shape, strides and type of an operand


def in_rows(reference: Callable[..., Array]) -> Callable[..., Array]:
    """NumPy's way of a reduction, its results in rows as the kernels' are."""

    @functools.wraps(reference)
    def fn(*arrays: Array, **kw: Any) -> Array:
        y = reference(*arrays, **kw)
        return y if y.__class__ is not ndarray else dense.in_rows(y)

    return fn


class Reduction:
    """A formula folded over dims; called, it computes it.

    Args:
        how: "add", "mul", "max", "min" or "any".
        formula: of the arrays (None: of one array, itself), as `elementwise.formula.fuse` takes it;
            "nonzero" or "zero".
        name: of the formula.
        wide: the formula is computed in the type of the sum.
        finish: words among "over" (divided by the number `over`), "root", "not".
        out: the type of the result, where it is not what the operands' types say.
        reference: what NumPy does, fn(*arrays, dims=, keepdims=, over=, **parameters).
        few: a ufunc whose own `reduce` is right and quick for a few floats ("any": or bools).
        fixed: parameters with values that decide on the code, as the exponent 2 does.
    """

    def __init__(
        self,
        how: str,
        formula: Any = None,
        name: str = "",
        *,
        wide: bool = False,
        finish: str = "",
        out: Any = None,
        reference: Callable[..., Array] | None = None,
        few: Any = None,
        fixed: dict[str, Sequence[float]] | None = None,
    ) -> None:
        self.how, self.formula, self.name = how, formula, name
        self.wide, self.finish, self.fixed = wide, finish, fixed or {}
        self.out = None if out is None else np.dtype(out)
        self.reference = in_rows(reference or by_ufunc(how, formula, finish, self.out))
        self.few = few
        self.simple = formula is None or formula in TESTS  # one call of NumPy's
        self.lowered: dict[Any, Any] = {}  # (formula, type of the result) by types and kinds

    def __call__(
        self, arrays: Sequence[Array], dims: Any = None, keepdims: bool = False,
        over: float = 1.0, **kw: Any,
    ) -> Array:  # fmt: skip
        """The result. Dims are None for all, an int in range, or a tuple of such."""
        x = arrays[0]
        if x.size < least_of(self) and (len(arrays) == 1 or alike(arrays)):
            if self.few is not None and 0 < x.size <= tuning.REDUCE_FEW:
                dtype = x.dtype
                right = dtype is F32 or dtype is F64 or (dtype is BOOL and self.how == "any")
                if right and dims.__class__ is not tuple:
                    # (`out=...`: an array, not a number, where no dims are left)
                    y = self.few.reduce(x, axis=dims, keepdims=keepdims, out=...)
                    if y.ndim > 1 and not y.flags.c_contiguous:
                        y = dense.in_rows(y)
                    return np.true_divide(y, over, out=y) if self.finish == "over" else y
            return self.reference(*arrays, dims=dims, keepdims=keepdims, over=over, **kw)
        key = []
        for a in arrays:
            # stand-ins, and elements that do not lie at multiples of their size, are NumPy's
            if a.__class__ is not ndarray or not a.flags.aligned:
                return self.reference(*arrays, dims=dims, keepdims=keepdims, over=over, **kw)
            key.append((a.shape, a.strides, a.dtype))
        words, numbers = self.split(kw) if kw else ((), ())
        return plan(self, tuple(key), dims, keepdims, words).run(*arrays, over, *numbers)

    def split(self, kw: dict[str, Any]) -> tuple[tuple[Any, ...], list[Any]]:
        """(what a kernel depends on of the parameters, those that it is given as numbers)."""
        words, numbers = [], []
        for k, v in kw.items():
            if (v.__class__ is float or v.__class__ is int) and v not in self.fixed.get(k, ()):
                words.append((k, float))
                numbers.append(v)
            else:
                words.append((k, v))
        return tuple(words), numbers

    def plan(
        self, arrays: Sequence[Any], dims: Any = None, keepdims: bool = False, **kw: Any
    ) -> Plan:
        """How a call would be computed; arrays may be MetaArrays."""
        key = tuple([(a.shape, a.strides, a.dtype) for a in arrays])
        return plan(self, key, dims, keepdims, self.split(kw)[0])

    def lower(self, types: tuple[Any, ...], words: tuple[Any, ...]) -> Lowered | None:
        """What writes the formula of operands of these types; None: it has no machine code."""
        own = np.dtype(bool) if self.how == "any" else self.out
        whole = types[0].kind in "biu"
        if self.formula in ("zero", "nonzero"):
            return Lowered(self.formula, TESTS[self.formula], own or COUNTED, 1)
        if self.formula is None:
            if self.how in ("max", "min") and types[0].kind == "b":
                return None
            dtype = COUNTED if whole and self.how in ("add", "mul") else types[0]
            return Lowered("", None, own or dtype, 0)
        floats = {t for t in types if t.kind != "b"}
        if whole or any(t.kind in "iu" for t in types) or (len(floats) > 1 and not self.wide):
            return None
        from ..codegen import lower

        trace = Trace()
        variables = [trace.variable(f"x{k}") for k in range(len(types))]
        kw = {k: trace.variable(k) if v is float else v for k, v in words}
        numbers = [v for v in kw.values() if isinstance(v, Expr)]
        try:
            root = lower.expanded(self.formula(*variables, **kw), trace)
            if not isinstance(root, Expr) or root.op is None:
                return None
            booleans = {f"x{k}" for k, t in enumerate(types) if t.kind == "b"}
            boolean = lower.is_boolean(root, booleans)
            write = lower.written(root, [*variables, *numbers])
        except (lower.NoKernel, TypeError, AttributeError, ValueError):
            return None  # the formula does what formulas cannot
        steps = sum(node.op is not None for node in order(root))
        return Lowered(repr(root), write, own or (COUNTED if boolean else types[0]), steps)


def least_of(fold: Reduction) -> int:
    """Elements from which on a kernel computes a reduction."""
    return tuning.REDUCE_LEAST if fold.simple else tuning.REDUCE_FORMULA_LEAST


def alike(arrays: Sequence[Array]) -> bool:
    """Whether all arrays have one shape."""
    shape = arrays[0].shape
    return all([a.shape == shape for a in arrays])


class Lowered:
    """A formula that can be written: its text, what writes it, the type of the reduction's result,
    and how many operations it has."""

    def __init__(self, text: str, write: Any, out: Any, steps: int) -> None:
        self.text, self.write, self.out, self.steps = text, write, np.dtype(out), steps
        self.kernels: dict[Any, Any] = {}


def is_nonzero(f: Any, v: Any) -> list[Any]:
    return [v if v.type.endswith(("i1", "i1>")) else v != 0]


def is_zero(f: Any, v: Any) -> list[Any]:
    return [~v if v.type.endswith(("i1", "i1>")) else v == 0]


TESTS = {"nonzero": is_nonzero, "zero": is_zero}


def by_ufunc(how: str, formula: Any, finish: str, out: Any) -> Callable[..., Array]:
    """NumPy's way of a reduction that has no reference of its own."""
    if formula in ("zero", "nonzero"):
        test = np.equal if formula == "zero" else np.not_equal
        return reference.of(how, lambda x: test(x, 0), finish, None)
    return reference.of(how, formula, finish, out)


# -- plans ---------------------------------------------------------------------------------------


@functools.lru_cache(maxsize=tuning.REDUCE_MOST_PLANS)
def plan(
    fold: Reduction, operands: tuple[Layout, ...], dims: Any, keepdims: bool,
    words: tuple[Any, ...], least: int | None = None,
) -> Plan:  # fmt: skip
    """y of arrays x0, x1, …, then the numbers `over` and the parameters that are numbers.

    Args:
        operands: (shape, strides, type) of each array.
        dims: None for all, an int, or a tuple.
        words: (name, float or value) of each parameter; float for those given as numbers.
        least: elements from which on a kernel computes it, where not as many as usual.
    """
    names = [f"x{k}" for k in range(len(operands))]
    scalars = ["over", *(k for k, v in words if v is float)]
    made = Steps()
    arrays = dict(zip(names, operands, strict=True))
    if made.reduce(fold, arrays, dims, keepdims, words, {k: k for k in scalars}, "y", least):
        return made.plan(f"reduce.{fold.how}", arrays, scalars)
    fixed = {k: v for k, v in words if v is not float}
    return by_numpy(fold.reference, arrays, dims, keepdims, scalars, fixed)


def by_numpy(
    fn: Callable[..., Array], arrays: dict[str, Layout], dims: Any, keepdims: bool,
    scalars: Sequence[str], fixed: dict[str, Any],
) -> Plan:  # fmt: skip
    """The plan of a reference fn(*arrays, dims=, keepdims=, **scalars, **fixed)."""
    count = len(arrays)

    def reduced(*values: Any, **more: Any) -> Any:
        return fn(*values[:count], **dict(zip(scalars, values[count:], strict=True)), **more)

    reduced.__name__, reduced.__module__ = fn.__name__, fn.__module__
    outputs = {}
    given = {"dims": dims, "keepdims": keepdims, **fixed}
    ones = [np.ones((1,) * len(shape), dtype) for shape, _, dtype in arrays.values()]
    try:
        shape = np.broadcast_shapes(*[a[0] for a in arrays.values()])
        with np.errstate(all="ignore"):
            dtype = np.asarray(reduced(*ones, *[1.0] * len(scalars), **given)).dtype
        outputs["y"] = MetaArray(result_shape(shape, dims_of(dims, len(shape)), keepdims), dtype)
    except Exception:  # what it refuses, it refuses when it is called
        pass
    metas = [MetaArray(shape, dtype) for shape, _, dtype in arrays.values()]
    return Plan(
        NUMPY, list(arrays), outputs, [Reference(reduced, [*arrays, *scalars], **given)],
        scalars=scalars, returns=("y",), flops=sum(m.size for m in metas),
        bytes=nbytes(*metas, *outputs.values()),
    )  # fmt: skip


class Steps:
    """Arrays, workspace and launches of a plan while it is made."""

    def __init__(self) -> None:
        self.outputs: dict[str, MetaArray] = {}
        self.workspace: dict[str, int] = {}
        self.launches: list[Launch | Reference] = []
        self.flops = 0

    def reduce(
        self, fold: Reduction, arrays: dict[str, Layout], dims: Any, keepdims: bool,
        words: tuple[Any, ...], scalars: dict[str, Any], y: str, least: int | None = None,
    ) -> bool:  # fmt: skip
        """Add the kernel of a reduction that writes `y`; whether there is one. `least` elements are
        enough, where the reduction is a part of more."""
        layouts = list(arrays.values())
        types = tuple([a[2] for a in layouts])
        try:
            shape = np.broadcast_shapes(*[a[0] for a in layouts])
        except ValueError:
            return False  # the formula in NumPy says what is wrong
        size, dims = math.prod(shape), dims_of(dims, len(shape))
        least = least_of(fold) if least is None else least
        if size < max(least, 1) or any(t not in ELEMENTS for t in types):
            return False
        if not runtime.available() or (np.dtype(np.float16) in types and not has_half()):
            return False
        laid = laid_out(shape, dims, layouts)
        if laid is None:
            return False
        axes, inner = laid
        kinds = ["value" if step == 0 else "row" if step == 1 else "far" for step in inner[3]]
        direction = "along" if inner[1] else "across"
        key = (types, words)
        if key not in fold.lowered:
            fold.lowered[key] = fold.lower(types, words)
        made = fold.lowered[key]
        kernel = None if made is None else kernel_of(fold, made, direction, types, kinds, words)
        if made is None or kernel is None:
            return False
        numbers, scratch = numbers_of(direction, axes, inner, len(layouts))
        self.outputs[y] = MetaArray(result_shape(shape, dims, keepdims), made.out)
        part = f"part_{y}" if scratch else None
        if part is not None:
            self.workspace[part] = 8 * scratch
        self.launches.append(
            Launch(kernel, **{f"x{k}": name for k, name in enumerate(arrays)}, y=y, part=part,
                   **numbers, **scalars)
        )  # fmt: skip
        self.flops += size * (made.steps + (fold.how != "any"))
        return True

    def plan(self, way: str, arrays: dict[str, Layout], scalars: Sequence[str]) -> Plan:
        """The finished plan, which returns y."""
        metas = [MetaArray(shape, dtype) for shape, _, dtype in arrays.values()]
        return Plan(
            way, list(arrays), self.outputs, self.launches, workspace=self.workspace,
            scalars=scalars, returns=("y",), flops=self.flops,
            bytes=nbytes(*metas, *self.outputs.values()),
        )  # fmt: skip


def kernel_of(
    fold: Reduction, made: Lowered, direction: str, types: Sequence[Any], kinds: Sequence[str],
    words: tuple[Any, ...],
) -> Any:  # fmt: skip
    """The kernel of a formula of such operands; None where a step of it has no instructions."""
    from ..codegen.lower import NoKernel
    from . import reduction

    key = (direction, *kinds)
    if key not in made.kernels:
        ins = [(ELEMENTS[t], kind) for t, kind in zip(types, kinds, strict=True)]
        numbers = tuple([k for k, v in words if v is float])
        folded = reduction.Fold(
            fold.how, ins, made.write, fold.wide, fold.finish, ELEMENTS[made.out], numbers
        )
        kernel = reduction.kernel(direction, (fold.name, made.text), folded)
        try:
            made.kernels[key] = kernel if kernel.addresses else None
        except NoKernel:
            made.kernels[key] = None
    return made.kernels[key]


def dims_of(dims: Any, ndim: int) -> Dims:
    """The reduced dims as a tuple; None: all."""
    if dims is None:
        return tuple(range(ndim))
    return (dims % ndim if ndim else 0,) if dims.__class__ is int else tuple(dims)


def result_shape(shape: Dims, dims: Dims, keepdims: bool) -> Dims:
    """What remains of a shape."""
    return tuple([1 if d in dims else n for d, n in enumerate(shape) if keepdims or d not in dims])


@functools.cache
def has_half() -> bool:
    """Whether this CPU reads float16."""
    from ..runtime import jit

    target = jit.target()
    return not target.machine.triple.startswith(("x86", "i")) or "+f16c" in target.features


def laid_out(
    shape: Sequence[int], dims: Sequence[int], operands: Sequence[Layout]
) -> tuple[list[Axis], Axis] | None:
    """The axes around the innermost one, outer ones first, and that one; None: too many."""
    steps: list[list[int]] = []
    for own_shape, strides, dtype in operands:
        own = [0] * (len(shape) - len(own_shape))
        for n, step in zip(own_shape, strides, strict=True):
            if step % dtype.itemsize:
                return None
            own.append(0 if n == 1 else step // dtype.itemsize)
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
    if joined[place][0] < tuning.REDUCE_SHORT:
        # a longer axis is better, though its elements lie apart
        place = max(range(len(joined)), key=lambda k: (min(joined[k][0], 64), k))
    inner = joined.pop(place)
    if sum(gone for _, gone, _, _ in joined) > 2 or sum(not a[1] for a in joined) > 3:
        return None
    return joined, inner


def numbers_of(
    direction: str, axes: list[Axis], inner: Axis, count: int
) -> tuple[dict[str, int], int]:
    """The ints that a kernel is given, and the words of scratch that it needs."""
    nothing: Axis = (1, False, 0, (0,) * count)
    kept = [a for a in axes if not a[1]]
    gone = [a for a in axes if a[1]]
    kept = [nothing] * (3 - len(kept)) + kept
    gone = [nothing] * (2 - len(gone)) + gone
    cells, rows, n = math.prod(a[0] for a in kept), gone[0][0] * gone[1][0], inner[0]
    work = rows * n
    piece = tuning.REDUCE_PIECE if direction == "along" else tuning.REDUCE_BLOCK
    down, wide, each = rows, n, 1
    if work < piece:
        each = -(-piece // work)
    elif direction == "along":
        if work >= 2 * piece:
            wide = min(n, piece)
            down = 1 if n >= piece else -(-piece // n)
    else:
        wide = min(n, max(TILE, piece // rows // TILE * TILE))
        down = min(rows, -(-piece // (wide * ROWS)) * ROWS)
    across = -(-n // wide)
    blocks = -(-rows // down)
    parts = blocks * across
    if direction == "along":
        scratch = 0 if parts == 1 else cells * parts
    else:
        scratch = 0 if blocks == 1 else cells * blocks * n
    numbers = {
        "cells": cells, "k1": kept[1][0], "k2": kept[2][0], "rows": rows, "r1": gone[1][0],
        "n": n, "down": down, "wide": wide, "across": across, "parts": parts, "each": each,
        "chunks": -(-cells // each) * parts,
        "ya": kept[0][2], "yb": kept[1][2], "yc": kept[2][2], "ys": inner[2],
    }  # fmt: skip
    for k in range(count):
        for name, axis in zip("abcdes", (*kept, *gone, inner), strict=True):
            numbers[f"step_{name}{k}"] = axis[3][k]
    return numbers, scratch


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
SUM = Reduction(
    "add", reference=lambda x, *, dims, keepdims, over: reference.add_reduce(x, dims, keepdims)
)
_SUM_OF_GRADIENT = Reduction(
    "add",
    reference=lambda x, *, dims, keepdims, over: np.asarray(
        np.add.reduce(x, axis=dims, keepdims=keepdims)
    ),
)


def add_reduce(x: Array, dims: Any, keepdims: bool = False) -> Array:
    """The sum of x over dims, of floats that are not narrower than float32, or of integers."""
    return SUM((x,), dims, keepdims)


def add_all(x: Array) -> Array:
    """The sum of all elements, an array without dims. Types are those of `add_reduce`."""
    dtype = x.dtype
    few = x.__class__ is ndarray and x.size < tuning.REDUCE_LEAST
    if few and (dtype is F32 or dtype is F64):
        return np.add.reduce(x, axis=None, out=...)  # as below, without the ways to it
    return np.asarray(SUM((x,), tuple(range(x.ndim))))


def add_leading(g: Array, count: int) -> Array:
    """The sum of a gradient over its leading dims, which go away."""
    if g.size < tuning.REDUCE_GRADIENT_LEAST:
        y = np.add.reduce(g, axis=0 if count == 1 else tuple(range(count)))
        return y if y.__class__ is ndarray else np.asarray(y)
    return _SUM_OF_GRADIENT((g,), 0 if count == 1 else tuple(range(count)))


def plan_leading(g: Any, count: int, least: int | None = None) -> Plan:
    """The plan of `add_leading`, of an operand and the number `over`, which it does not use.

    `least` elements are enough for a kernel, where the sum is a part of a larger plan.
    """
    key = ((g.shape, g.strides, g.dtype),)
    return plan(_SUM_OF_GRADIENT, key, 0 if count == 1 else tuple(range(count)), False, (), least)


def add_dims(g: Array, dims: Dims) -> Array:
    """The sum of a gradient over the dims that were expanded, which stay as 1."""
    return _SUM_OF_GRADIENT((g,), dims, True)


# -- in two passes: variance, log of the sum of exponentials -------------------------------------

AWAY = lambda x, mean: (x - mean) * (x - mean)  # noqa: E731 - a formula
SPREAD = {
    False: Reduction("add", AWAY, "away", wide=True, finish="over"),
    True: Reduction("add", AWAY, "away", wide=True, finish="over root"),
}


def variance(
    x: Array, dims: Any, keepdims: bool, count: float, left: float, root: bool,
    otherwise: Callable[..., Array],
) -> Array:  # fmt: skip
    """The sum of |x - mean|^2 over `left`, or its root; the mean is the sum over `count`.

    `otherwise` (x, dims=, keepdims=, count=, left=, root=) is NumPy's way.
    """
    if x.size < tuning.REDUCE_FORMULA_LEAST or not x.flags.aligned or x.__class__ is not ndarray:
        return otherwise(x, dims=dims, keepdims=keepdims, count=count, left=left, root=root)
    layout = (x.shape, x.strides, x.dtype)
    return plan_variance(layout, dims, keepdims, root, otherwise).run(x, count, left)


@functools.lru_cache(maxsize=tuning.REDUCE_MOST_PLANS)
def plan_variance(
    layout: Layout, dims: Any, keepdims: bool, root: bool, otherwise: Callable[..., Array]
) -> Plan:
    """y of an array x and the numbers `count` and `left`: the mean in float64, then the sum of
    squares of what is away from it."""
    made = Steps()
    least = tuning.REDUCE_FORMULA_LEAST
    mean = made.reduce(LONG_MEAN, {"x": layout}, dims, True, (), {"over": "count"}, "mean", least)
    if mean:
        held = made.outputs["mean"]
        arrays = {"x": layout, "mean": (held.shape, held.strides, held.dtype)}
        if made.reduce(SPREAD[root], arrays, dims, keepdims, (), {"over": "left"}, "y"):
            return made.plan("reduce.variance", {"x": layout}, ("count", "left"))
    return by_numpy(otherwise, {"x": layout}, dims, keepdims, ("count", "left"), {"root": root})


@functools.lru_cache(maxsize=tuning.REDUCE_MOST_PLANS)
def plan_logsumexp(
    layout: Layout, dims: Any, fold: Reduction, otherwise: Callable[..., Array]
) -> Plan:
    """y, with its dims kept, of an array x: the largest element, then the sum of `fold`'s
    exponentials of what is below it."""
    made = Steps()
    if made.reduce(PLAIN["maximum"], {"x": layout}, dims, True, (), {"over": 1.0}, "top"):
        top = made.outputs["top"]
        made.outputs["most"] = MetaArray(top.shape, top.dtype)
        made.launches.append(Reference(reference.finite, ("top",), ("most",)))
        arrays = {"x": layout, "most": (top.shape, made.outputs["most"].strides, top.dtype)}
        if made.reduce(fold, arrays, dims, True, (), {"over": 1.0}, "total"):
            made.outputs["y"] = MetaArray(top.shape, top.dtype)
            made.launches.append(Reference(reference.log_added, ("total", "most"), ("y",)))
            return made.plan("reduce.logsumexp", {"x": layout}, ())
    return by_numpy(otherwise, {"x": layout}, dims, True, (), {})


def logsumexp(x: Array, dims: Any, fold: Reduction, otherwise: Callable[..., Array]) -> Array:
    """log(sum(exp(x))) with the dims kept; `otherwise` (x, dims=, keepdims=) is NumPy's way."""
    if x.size < tuning.LOGSUMEXP_LEAST or not x.flags.aligned or x.__class__ is not ndarray:
        return otherwise(x, dims=dims, keepdims=True)
    return plan_logsumexp((x.shape, x.strides, x.dtype), dims, fold, otherwise).run(x)
