"""Formulas about one element, computed in one pass: which kernel computes one.

`fuse(formula, name)` gives a function with the same meaning. Small arrays, complex numbers and
whatever has no machine code go to the formula itself, which is NumPy calls; large arrays go to
a kernel that is compiled when it is first needed and shared by the pool's threads. `plan` looks at
shapes, types and strides alone, so that the same call gives the same bits every time. Numbers are
operands of a kernel, so one serves all slopes and limits; only exponents such as 2 are part of it.

* `contiguous.py` where all operands lie alike: one loop from end to end;
* `broadcast.py` where they have other shapes or layouts: up to three axes.

float16 and bfloat16 are computed in float32 and rounded once, integers of less than 32 bits in 32.

Not here: how a formula is written in instructions. Read next: `codegen/lower.py`.
"""

from __future__ import annotations

import functools
import importlib
import math
import types
from collections.abc import Callable, Sequence
from operator import itemgetter
from typing import Any

import ml_dtypes
import numpy as np

from .. import runtime, tuning
from ..codegen.expr import Expr, Trace, order
from ..meta import MetaArray
from ..plan import Launch, Plan, Reference, nbytes
from ..runtime import few
from . import axes

Array = Any
ndarray = np.ndarray
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
NUMPY = "elementwise.numpy"
Fixed = tuple[int, tuple[float, ...]]  # an operand, and numbers of it: see `Formula`
# How NumPy computes a formula, as records say it (`least_for`).
BY_NUMPY = (None, "arithmetic", "root", "avx2", "avx512", "scalar", "steps")


def least_for(numpy: str | None, alone: bool, into: bool = False) -> int:
    """Elements from which on a kernel is used, for a formula or for one step alone; `into`: where
    the result is written over an operand.

    `numpy` is how NumPy computes it, as a record says:
        "arithmetic": by an instruction, as a + b; "root": by a slow one;
        "avx2": by vectors, of which AVX2 has some and AVX-512 better ones, as exp;
        "avx512": by vectors where the CPU has AVX-512, else number by number, as atan;
        "scalar": number by number, by the C library, as hypot;
        "steps": in many steps, or in float64, as erf;
        None: one step by vectors on any CPU, or a formula of some steps.
    """
    if numpy == "steps":
        return min(tuning.ELEMENTWISE_STEPS_LEAST, tuning.ELEMENTWISE_LEAST)
    if not alone or numpy == "root":
        return tuning.ELEMENTWISE_LEAST
    if numpy == "arithmetic":
        if into:
            return tuning.ELEMENTWISE_ARITHMETIC_INTO
        return tuning.ELEMENTWISE_ARITHMETIC_LEAST
    if numpy == "scalar" or (numpy == "avx512" and not has_avx512()):
        return tuning.ELEMENTWISE_SCALAR_LEAST
    if numpy == "avx2" and not has_avx512():
        return tuning.ELEMENTWISE_AVX2_LEAST
    return tuning.ELEMENTWISE_FUNCTION_LEAST


@functools.cache
def has_avx512() -> bool:
    """Whether NumPy computes functions by vectors of 16 floats. (Its own list of what the CPU has,
    for LLVM would have to be started first.)"""
    core = importlib.import_module("numpy._core._multiarray_umath")
    has = getattr(core, "__cpu_features__", {})
    return bool(has.get("AVX512_SKX") or has.get("X86_V4"))


# -- formulas as functions of arrays --------------------------------------------------------------


def by_steps(x: Array) -> bool:
    """Whether x has so few elements that NumPy takes each step of a formula: an op that knows what
    these steps come to may take them without asking."""
    return x.size < tuning.ELEMENTWISE_LEAST


def fuse(
    formula: Callable[..., Any],
    name: str,
    traced: Callable[..., Any] | None = None,
    alone: bool | None = None,
    *,
    widens: bool = True,
    numpy: str | None = None,
    fixed: Fixed | None = None,
) -> Callable[..., Any]:
    """`formula`, by a kernel where arrays are large. Arguments may be None where it allows.

    `traced` is what is called on `Expr` variables to see the formula, where that differs: where
    the formula is one step (`alone`), a NumPy ufunc, or is written for NumPy's sake. float16 and
    bfloat16 may come as they are; they are computed in float32 (`widens`), but for a formula that
    has no kernel and looks at the bits of the type that it is given. `numpy`: see `least_for`.
    `fixed`: see `Formula`.
    """

    def by_numpy(*args: Any, **kw: Any) -> Any:
        for a in args if widens else ():
            if a.__class__ is ndarray and a.dtype in LOW:
                return computed_wide(formula, a.dtype, args, kw)
        return formula(*args, **kw)

    alone = traced is not None if alone is None else alone
    known = Formula(traced or formula, name, by_numpy, alone=alone, numpy=numpy, fixed=fixed)
    least = known.least()
    sought = least_sought(least)

    def call(*args: Any, **kw: Any) -> Any:
        a = args[0]
        if a.__class__ is not ndarray or a.size >= sought:
            run = known.find(few.kinds(*args, *kw, *kw.values()) if kw else few.kinds(*args))
            if run is not None:
                return run.of(args, kw) if run.__class__ is Chosen else run(*args)
        limit, low = least if alone else min(least, tuning.ELEMENTWISE_LEAST), None
        for a in args:
            if a.__class__ is ndarray:
                if a.size >= limit:
                    return known.first_time(*args, **kw)
                dtype = a.dtype  # to compare two takes longer than to look whether they are one
                if dtype is not F32 and dtype is not F64 and dtype in LOW:
                    if widens and a.size >= tuning.ELEMENTWISE_LOW_LEAST:
                        return known.first_time(*args, **kw)
                    low = dtype if low is None else low
        if low is not None and widens:
            return computed_wide(formula, low, args, kw)
        return formula(*args, **kw)

    call.__name__ = name
    call.__doc__ = formula.__doc__
    call.planned = known  # type: ignore[attr-defined]
    return call


def fuse_step(
    ufunc: Callable[..., Any], name: str, numpy: str | None = None
) -> Callable[..., Any]:
    """`fuse` of a ufunc that is one step, by its name in `lower.TABLE`: for programs on arrays,
    whose records stand in no formula."""
    step = types.SimpleNamespace(name=name)
    return fuse(ufunc, name, lambda *args: args[0].trace.call(step, args), numpy=numpy)


def least_sought(least: int) -> int:
    """Elements below which no kernel computes a formula, so that it need not be looked for."""
    return min(least, tuning.ELEMENTWISE_LEAST, tuning.ELEMENTWISE_LOW_LEAST)


def fuse_rule(
    rule: Callable[..., Any], name: str, otherwise: Callable[..., Any] | None = None,
    numpy: str | None = None, fixed: Fixed | None = None,
) -> Callable[..., Any]:  # fmt: skip
    """A derivative rule (g, y, *inputs), by a kernel where its gradient is large, else by
    `otherwise`, or by the rule itself. `numpy`: how NumPy computes the op; that of one in many
    steps has many too. `fixed`: see `Formula`."""
    plain = otherwise or rule
    by = "steps" if numpy == "steps" else None
    known = Formula(rule, name, plain, numpy=by, fixed=fixed)
    least = known.least()
    sought = least_sought(least)

    def call(g: Any, *values: Any, **kw: Any) -> Any:
        if g.__class__ is ndarray and g.size >= sought:
            more = (*values, *kw, *kw.values()) if kw else values
            run = known.find(few.kinds(g, *more))
            if run is not None:
                return run.of((g, *values), kw) if run.__class__ is Chosen else run(g, *values)
        if g.__class__ is ndarray and g.size >= min(least, tuning.ELEMENTWISE_LEAST):
            return known.first_time(g, *values, **kw)
        return plain(g, *values, **kw)

    call.planned = known  # type: ignore[attr-defined]
    return call


def computed_wide(formula: Callable[..., Any], low: Any, args: Any, kw: Any) -> Any:
    """A formula of narrow floats by NumPy, in float32."""
    wide = [a if a is None else np.asarray(a, None if is_wide(a) else np.float32) for a in args]
    y = formula(*wide, **kw)
    return y.astype(low) if y.dtype == np.float32 else y


def is_wide(a: Any) -> bool:
    return a.__class__ is ndarray and a.dtype not in LOW


def takes_low(formula: Formula, arrays: list[Any]) -> bool:
    """Whether a call of float16 or bfloat16 may come as it is: one is large, and all are known."""
    least = min(formula.least(), tuning.ELEMENTWISE_LOW_LEAST)
    large = False
    for a in arrays:
        if a.__class__ is ndarray:
            if a.dtype not in ELEMENTS:
                return False
            large = large or (a.ndim > 0 and a.size >= least)
        elif a is not None and not isinstance(a, (int, float)):
            return False
    return large


UFUNC = np.ufunc


class Chosen:
    """A run that takes other things than the operands as they stand: arrays, then numbers, then
    parameters that are numbers, and nothing for None.

    Args:
        run: of a plan.
        args: operands of a call.
        count: how many parameters are numbers.
    """

    __slots__ = ("numbered", "pick", "run")

    def __init__(self, run: Callable[..., Array], args: Sequence[Any], count: int) -> None:
        self.run, self.numbered = run, count > 0
        places = [*places_of(args), *range(len(args), len(args) + count)]
        # (of one place alone it would give the thing itself)
        whole = len(places) > 1
        self.pick = itemgetter(*places) if whole else itemgetter(slice(places[0], places[0] + 1))

    def of(self, args: tuple[Any, ...], kw: dict[str, Any]) -> Array:
        """The result for operands and parameters."""
        return self.run(*self.pick((*args, *parameters(kw)) if self.numbered else args))


def places_of(args: Sequence[Any]) -> list[int]:
    """Where operands stand that a plan takes: arrays, then numbers."""
    arrays = [i for i, a in enumerate(args) if a.__class__ is ndarray]
    return arrays + [i for i, a in enumerate(args) if a.__class__ is not ndarray and a is not None]


class Runs(dict[Any, Any]):
    """What has computed calls of one formula, by their operands and parameters (`few.kinds`): to
    find a plan by its key, tuples in tuples, takes several times as long."""

    def __init__(self) -> None:
        plans_by_kinds.all.append(self)

    def keep(self, key: bytes | None, run: Callable[..., Array] | Chosen) -> None:
        """Find `run` by the key from now on."""
        if key is not None:
            if len(self) >= tuning.MOST_KEYS:
                self.clear()
            self[key] = run


class _AllRuns:
    """Those of all formulas, which are forgotten with the plans (`keys.forget_plans`)."""

    def __init__(self) -> None:
        self.all: list[Runs] = []

    def cache_clear(self) -> None:
        for runs in self.all:
            runs.clear()


plans_by_kinds = _AllRuns()


class Formula:
    """A formula that plans its calls: called, it computes what is large enough for a kernel.

    Args:
        seen: what is called on `Expr` variables to see the formula.
        name: in keys of kernels, and in messages.
        reference: computes it by NumPy.
        alone: whether it is one step, as NumPy computes it.
        numpy: how NumPy computes it (`least_for`).
        fixed: an operand and the numbers that, where it is one of them, decide on the code, as the
            exponent 2 does.
    """

    by_kinds = True  # False where `key` looks at the values of numbers: then `find` knows none

    def __init__(
        self,
        seen: Callable[..., Any],
        name: str,
        reference: Callable[..., Any] | None = None,
        *,
        alone: bool = False,
        numpy: str | None = None,
        fixed: Fixed | None = None,
    ) -> None:
        self.seen, self.name, self.alone, self.by_numpy = seen, name, alone, numpy
        self.reference = reference or seen
        self.fixed = fixed
        self.lowered: dict[Any, Lowered | None] = {}  # by kinds and types of the operands
        self.runs = Runs()
        self.find = self.runs.get

    def __call__(self, *args: Any, **kw: Any) -> Array:
        """The result for arrays (of which one at least has dims), None and numbers."""
        found = self.key(args, kw)
        if found is None:
            return self.reference(*args, **kw)
        operands, words, values = found
        return plan(self, operands, words).run(*values)

    def first_time(self, *args: Any, **kw: Any) -> Array:
        """The same of a call that `fuse` has chosen a kernel for, by sizes and types: `find` knows
        it from now on. (Other calls are planned at any size, which is not to be found there.)"""
        found = self.key(args, kw)
        if found is None:
            return self.reference(*args, **kw)
        operands, words, values = found
        made = plan(self, operands, words)
        y = made.run(*values)
        if self.by_kinds and self.fixed is None:
            count, as_they_stand = len(parameters(kw)), places_of(args) == list(range(len(args)))
            run = made.run if as_they_stand and not count else Chosen(made.run, args, count)
            self.runs.keep(few.kinds(*args, *kw, *kw.values()), run)
        return y

    def into(self, fn: Callable[..., Any], a: Array, *rest: Any, **kw: Any) -> None:
        """Write fn(a, *rest), a function of NumPy or of arrays which this formula is, into a.

        Raises:
            ValueError, TypeError: where the result is not of a's shape and type; a is as it was.
        """
        some = a.size >= min(tuning.ELEMENTWISE_STEPS_LEAST, tuning.ELEMENTWISE_LEAST)
        by_kernel = some and a.size >= self.least(into=True) and a.dtype.kind == "f"
        found = self.key((a, *rest), kw) if by_kernel else None
        if found is None:
            if fn.__class__ is UFUNC:
                fn(a, *rest, out=a)
            else:
                write(a, fn(a, *rest, **kw))
            return
        operands, words, values = found
        # Elements of `a` are written while others of the operands are still to be read: that is
        # right where an operand is `a` itself, and wrong where one lies across it.
        if any(b.__class__ is ndarray and b is not a and np.may_share_memory(a, b) for b in rest):
            write(a, plan(self, operands, words).run(*values))
        else:
            plan_into(self, operands, words).run(*values)

    def key(self, args: Sequence[Any], kw: dict[str, Any], stand_ins: bool = False) -> Any:
        """(metadata of the operands, what a kernel depends on of the parameters, arrays and numbers
        as a plan takes them); None: an operand or a parameter is of a kind that no plan knows.

        `stand_ins`: MetaArrays may stand for arrays, in a plan that is not run.
        """
        operands: list[Any] = []
        arrays: list[Any] = []
        numbers: list[Any] = []
        for a in args:
            kind = a.__class__
            if kind is ndarray or (stand_ins and kind is MetaArray):
                operands.append((a.shape, a.strides, a.dtype))
                arrays.append(a)
            elif a is None:
                operands.append(None)
            elif kind is float or kind is int:
                operands.append(kind)
                numbers.append(a)
            else:
                return None
        if self.fixed is not None and len(args) > self.fixed[0]:
            place, values = self.fixed
            a = args[place]
            known = a.dtype.kind == "f" and not a.ndim if a.__class__ is ndarray else (
                a.__class__ is float or a.__class__ is int
            )  # fmt: skip
            if known and float(a) in values:
                operands[place] = (operands[place], float(a))
        words: tuple[Any, ...] = ()
        if kw:
            words = tuple(signature(kw))
            numbers += parameters(kw)
            try:
                hash(words)  # a list among them, say: no plan can be kept by it
            except TypeError:
                return None
        return tuple(operands), words, (*arrays, *numbers)

    def numpy(self, count: int, parameters: list[str]) -> Callable[..., Array]:
        """The reference, with what comes behind `count` operands as the parameters named."""

        def call(*values: Any, **fixed: Any) -> Any:
            given = dict(zip(parameters, values[count:], strict=True))
            return self.reference(*values[:count], **given, **fixed)

        call.__name__, call.__module__ = self.name, self.seen.__module__
        return call

    def least(self, into: bool = False) -> int:
        """Elements from which on a kernel is used; `into`: as in `least_for`."""
        return least_for(self.by_numpy, self.alone, into)

    def plan(self, *args: Any, **kw: Any) -> Plan:
        """How a call would be computed, of whatever size; arguments may be MetaArrays."""
        found = self.key(args, kw, stand_ins=True)
        if found is None:
            raise TypeError(f"{self.name}: an argument is neither an array nor a number")
        operands, words, _ = found
        sizes = [a.size for a in args if isinstance(a, (ndarray, MetaArray))]
        if max(sizes, default=0) < self.least():
            return Problem(self, operands, words).by_numpy()
        return plan(self, operands, words)


def parameters(kw: dict[str, Any]) -> list[Any]:
    """Those parameters that are operands of the kernel: numbers."""
    return [v for v in kw.values() if v.__class__ is float or v.__class__ is int]


def signature(kw: dict[str, Any]) -> list[Any]:
    """What a kernel depends on, of parameters: the types of numbers, the values of others."""
    return [
        (k, v.__class__ if v.__class__ is float or v.__class__ is int else v) for k, v in kw.items()
    ]


# -- choosing ------------------------------------------------------------------------------------


@functools.lru_cache(maxsize=tuning.ELEMENTWISE_MOST_PLANS)
def plan(formula: Formula, operands: tuple[Any, ...], words: tuple[Any, ...] = ()) -> Plan:
    """The plan of a formula of large operands: y of arrays x0, x1, …, then numbers s0, s1, … and
    the parameters that are numbers.

    Args:
        operands: of each operand (shape, strides, type), None, or float or int for a number; with
            its value beside it where that decides on the code, as an exponent's does.
        words: (name, type of a number or value) of each parameter.
    """
    return Problem(formula, operands, words).plan()


@functools.lru_cache(maxsize=tuning.ELEMENTWISE_MOST_PLANS)
def plan_into(
    formula: Formula, operands: tuple[Any, ...], words: tuple[Any, ...] = ()
) -> Plan:
    """The plan that writes the result of a formula of large operands into the first of them, which
    shares no memory with others."""
    made = plan(formula, operands, words)
    shape, _, dtype = operands[0]
    y = made.outputs.get("y")
    given: dict[str, Any] = {
        "scalars": made.scalars, "mutates": ("x0",), "flops": made.flops, "bytes": made.bytes,
    }  # fmt: skip
    (launch,) = made.launches
    fits = y is not None and y.dtype == dtype and y.shape == shape and lies_as(operands[0], y)
    if fits and isinstance(launch, Launch):
        own = Launch(launch.kernel, **{**dict(launch.fields()), "y0": "x0"})
        return Plan(f"{made.name}.into", made.operands, {}, [own], **given)
    launches = [*made.launches, Reference(write, ("x0", "y"), ())]
    return Plan(f"{made.name}.into", made.operands, made.outputs, launches, returns=(), **given)


def write(a: Array, y: Array) -> None:
    """Copy a result into an array of its shape and type."""
    if a.shape != y.shape or a.dtype != y.dtype:
        raise ValueError(f"a result of shape {y.shape}, {y.dtype} in {a.shape}, {a.dtype}")
    if not few.assigned(a, y):
        np.copyto(a, y)


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


class Problem:
    """A call of a formula: its operands' metadata, and the ways to compute it."""

    def __init__(self, formula: Formula, operands: tuple[Any, ...], words: tuple[Any, ...]) -> None:
        self.formula, self.operands, self.words = formula, operands, words
        plain = [o[0] if is_fixed(o) else o for o in operands]
        self.values = [o[1] if is_fixed(o) else None for o in operands]
        self.arrays = [o for o in plain if o.__class__ is tuple]
        names = iter(f"x{k}" for k in range(len(self.arrays)))
        others = iter(f"s{k}" for k in range(len(operands)))
        self.names: list[str | None] = [
            None if o is None else next(names) if o.__class__ is tuple else next(others)
            for o in plain
        ]
        self.metas = plain
        self.parameters = [k for k, kind in words if kind is float or kind is int]
        self.scalars = [str(n) for n, o in zip(self.names, plain, strict=True)
                        if o is not None and o.__class__ is not tuple]  # fmt: skip

    def plan(self) -> Plan:
        """The first way that takes these operands."""
        dims = [a for a in self.arrays if a[0] or len(self.operands) == 1]
        if not dims or not runtime.available():  # 0-d arrays alone
            return self.by_numpy()
        alike = all(a[0] == dims[0][0] for a in dims)
        if alike:
            made = self.lowered(self.kinds(), "contiguous")
            if made is None:
                return self.by_numpy()
            shape, strides, dtype = dims[0]
            own = made.out.itemsize
            y = MetaArray(shape, made.out, axes.strides_like(shape, strides, dtype.itemsize, own))
            if all(lies_as(a, y) for a in self.arrays if a[0]):
                return self.contiguous(made, y)
        return self.broadcast()

    def kinds(self) -> tuple[Any, ...]:
        """What each operand is to a kernel of operands that lie alike."""
        found: list[Any] = []
        for o, value in zip(self.metas, self.values, strict=True):
            if value is not None:
                found.append(value)
            elif o.__class__ is tuple:
                found.append("array" if o[0] or len(self.operands) == 1 else "one")
            else:
                found.append("none" if o is None else o)
        return tuple(found)

    def lowered(self, kinds: tuple[Any, ...], way: str, whole: bool = True) -> Lowered | None:
        """What writes the formula of such operands; None where it has no machine code.

        `whole`: the operands alone have the shape of the result; else each must be used by the
        formula, or the result would be smaller than what they broadcast to.
        """
        known = self.formula.lowered
        types = [o[2] for o, k in zip(self.metas, kinds, strict=True)
                 if o.__class__ is tuple and k.__class__ is str]  # fmt: skip
        key = (way, whole, *kinds, *types, *self.words)
        if key not in known:
            made = lower_formula(self.formula, kinds, types, self.words)
            if made is not None and not whole:
                used = {node.name for node in order(made.root) if node.op is None}
                if not all(f"x{k}" in used for k in range(len(types))):
                    made = None
            known[key] = made if made is not None and made.can_be_written(way) else None
        return known[key]

    def numbers(self, kinds: tuple[Any, ...]) -> dict[str, str]:
        """The names of the plan's numbers by what a kernel calls them."""
        taken = [n for n, k in zip(self.names, kinds, strict=True) if k is float or k is int]
        return {f"c{k}": str(n) for k, n in enumerate([*taken, *self.parameters])}

    def made(self, way: str, y: MetaArray, flops: int, launch: Launch | Reference) -> Plan:
        """A plan of one launch."""
        operands = [MetaArray(shape, dtype) for shape, _, dtype in self.arrays]
        return Plan(
            f"elementwise.{way}", [f"x{k}" for k in range(len(self.arrays))], {"y": y}, [launch],
            scalars=[*self.scalars, *self.parameters], flops=flops * y.size,
            bytes=nbytes(*operands, y),
        )  # fmt: skip

    # -- ways --------------------------------------------------------------------------------

    def contiguous(self, made: Lowered, y: MetaArray) -> Plan:
        """All operands lie as the result does, or are one value."""
        from . import contiguous

        kinds = self.kinds()
        each = contiguous.share_of(y.size)
        given = [n for n, k in zip(self.names, kinds, strict=True) if k in ("array", "one")]
        launch = Launch(
            made.kernel("contiguous", y.nbytes >= tuning.ELEMENTWISE_FAR),
            **{f"x{k}": n for k, n in enumerate(given)}, y0="y",
            n=y.size, each=each, chunks=-(-y.size // each), **self.numbers(kinds),
        )  # fmt: skip
        return self.made("contiguous", y, made.flops, launch)

    def broadcast(self) -> Plan:
        """Operands that broadcast, or lie in another order than the result."""
        from . import broadcast

        try:
            shape = np.broadcast_shapes(*[a[0] for a in self.arrays])
        except ValueError:
            return self.by_numpy()  # the formula says what is wrong
        each_operand = list(zip(self.metas, self.names, self.values, strict=True))
        arrays = {n: o for o, n, v in each_operand if o.__class__ is tuple and v is None}
        found = [axes.steps_of(s, strides, d.itemsize, shape) for s, strides, d in arrays.values()]
        steps = [s for s in found if s is not None]
        few = math.prod(shape) < min(tuning.ELEMENTWISE_LEAST, self.formula.least())
        if few or len(steps) < len(found) or not 0 < len(found) <= 8:
            return self.by_numpy()
        dims = axes.order_of(shape, steps)
        steps = [[s[d] for d in dims] for s in steps]
        sizes, joined = axes.axes_of([shape[d] for d in dims], steps)
        if len(sizes) > 3 or not sizes or sizes[-1] < tuning.BROADCAST_SHORT \
                or any(abs(j[-1]) > tuning.BROADCAST_FAR for j in joined):  # fmt: skip
            return self.by_numpy()
        rows = iter(["value" if j[-1] == 0 else "row" if j[-1] == 1 else "far" for j in joined])
        kinds = tuple(
            v if v is not None else next(rows) if n in arrays else "none" if o is None else o
            for o, n, v in each_operand
        )
        made = self.lowered(kinds, "broadcast", all(a[0] == shape for a in arrays.values()))
        if made is None:
            return self.by_numpy()
        outer, inner, n = [1] * (3 - len(sizes)) + sizes
        each, width = broadcast.pieces(n, "far" in kinds)
        rows_ = outer * inner
        chunks = -(-n // width) * -(-rows_ // each)
        words: dict[str, int] = {}
        for k, j in enumerate(joined):
            words[f"outer{k}"], words[f"inner{k}"], words[f"along{k}"] = [0] * (3 - len(j)) + j
        lying = MetaArray(tuple([shape[d] for d in dims]), made.out)
        strides = tuple([lying.strides[dims.index(d)] for d in range(len(dims))])
        y = MetaArray(shape, made.out, strides)
        launch = Launch(
            made.kernel("broadcast"), **{f"x{k}": n for k, n in enumerate(arrays)}, y0="y",
            rows=rows_, inner=inner, n=n, each=each, width=width, chunks=chunks, **words,
            **self.numbers(kinds),
        )  # fmt: skip
        return self.made("broadcast", y, made.flops, launch)

    def by_numpy(self) -> Plan:
        """By the formula itself."""
        fn = self.formula.reference
        fixed = {k: v for k, v in self.words if k not in self.parameters}
        ones = [None if o is None else np.ones((1,) * len(o[0]), o[2]) if o.__class__ is tuple
                else o(1) for o in self.metas]  # fmt: skip
        numbers = {k: kind(1) for k, kind in self.words if k in self.parameters}
        outputs: dict[str, MetaArray] = {}
        try:
            with np.errstate(all="ignore"):
                dtype = np.asarray(fn(*ones, **numbers, **fixed)).dtype
            outputs["y"] = MetaArray(np.broadcast_shapes(*[a[0] for a in self.arrays]), dtype)
        except Exception:  # what it refuses, it refuses when it is called
            pass
        operands = [MetaArray(shape, dtype) for shape, _, dtype in self.arrays]
        return Plan(
            NUMPY, [f"x{k}" for k in range(len(self.arrays))], outputs,
            [Reference(self.formula.numpy(len(self.names), self.parameters),
                       [*self.names, *self.parameters], **fixed)],
            scalars=[*self.scalars, *self.parameters], returns=("y",),
            flops=sum(m.size for m in outputs.values()), bytes=nbytes(*operands, *outputs.values()),
        )  # fmt: skip


def is_fixed(o: Any) -> bool:
    """Whether an operand comes with the value that decides on the code."""
    return o.__class__ is tuple and len(o) == 2


def lies_as(a: Any, y: MetaArray) -> bool:
    """Whether the elements of a (dense) array lie in the order of those of the fresh array y."""
    shape, strides, dtype = a
    if tuple([s * y.itemsize for s in strides]) == tuple([s * dtype.itemsize for s in y.strides]):
        return True
    return axes.is_contiguous(shape, strides, dtype.itemsize) and axes.is_contiguous(
        y.shape, y.strides, y.itemsize
    )


# -- formulas in instructions --------------------------------------------------------------------


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


# -- products of two vectors -----------------------------------------------------------------------

_PRODUCTS = Formula(lambda a, b: a * b, "outer")


def outer_product(a: Array, b: Array) -> Array:
    """a[i] * b[j]: the result says whether a kernel is worth it, for the operands may be short."""
    large = a.size * b.size >= tuning.OUTER_LEAST and a.dtype == b.dtype
    if large and a.dtype.kind == "f" and a.dtype not in LOW:
        return _PRODUCTS(a[:, None], b)
    return a[:, None] * b
