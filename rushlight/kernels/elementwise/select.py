"""Formulas about one element: which way computes a call.

A call with few elements, complex numbers and whatever has no machine code are computed by the
formula itself, which is NumPy calls; large arrays by a kernel that is compiled when it is first
needed and shared by the pool's threads. `plan` looks at shapes, types and strides alone, so that
the same call gives the same bits every time. Numbers are operands of a kernel, so one serves all
slopes and limits; only exponents such as 2 are part of it.

* `contiguous.py` where all operands lie alike: one loop from end to end;
* `broadcast.py` where they have other shapes or layouts: up to three axes.

Not here: what ops and rules call, and how a plan is found (`formula.py`); how a formula becomes
instructions (`lowered.py`).
"""

from __future__ import annotations

import functools
import importlib
import math
from typing import TYPE_CHECKING, Any

import numpy as np

from .. import runtime, tuning
from ..codegen.expr import order
from ..meta import MetaArray
from ..plan import Launch, Plan, Reference, nbytes
from ..runtime import few
from . import axes
from .lowered import Lowered, lower_formula

if TYPE_CHECKING:
    from .formula import Formula

Array = Any
NUMPY = "elementwise.numpy"
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


def by_steps(x: Array) -> bool:
    """Whether x has so few elements that NumPy takes each step of a formula: an op that knows what
    these steps come to may take them without asking."""
    return x.size < tuning.ELEMENTWISE_LEAST


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
