"""Formulas about one element as functions of arrays, computed in one pass.

`fuse(formula, name)` gives a function with the same meaning, `fuse_rule` that of a derivative rule.
Which way computes a call is `select.py`'s choice; what was chosen is found here by the kinds of the
operands (`few.kinds`).
"""

from __future__ import annotations

import types
from collections.abc import Callable, Sequence
from operator import itemgetter
from typing import Any

import numpy as np

from .. import tuning
from ..meta import MetaArray
from ..plan import Plan
from ..runtime import few
from .lowered import ELEMENTS, F32, F64, LOW, Lowered
from .select import Array, Problem, least_for, plan, plan_into, write

ndarray = np.ndarray
Fixed = tuple[int, tuple[float, ...]]  # an operand, and numbers of it: see `Formula`


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


# -- products of two vectors -----------------------------------------------------------------------

_PRODUCTS = Formula(lambda a, b: a * b, "outer")


def outer_product(a: Array, b: Array) -> Array:
    """a[i] * b[j]: the result says whether a kernel is worth it, for the operands may be short."""
    large = a.size * b.size >= tuning.OUTER_LEAST and a.dtype == b.dtype
    if large and a.dtype.kind == "f" and a.dtype not in LOW:
        return _PRODUCTS(a[:, None], b)
    return a[:, None] * b
