"""Updates of parameters: which way computes a formula of `formulas.py`.

Lists of dense float32 or float64 arrays are updated by one kernel (`update.py`), which is quicker
at any size; few elements wait until they have been updated so often that loading it pays. Other
types and layouts are NumPy's (`reference.py`). All ways give the same bits.
"""

from __future__ import annotations

import functools
from operator import itemgetter
from typing import Any

import numpy as np

from .. import runtime, tuning
from ..matmul.select import ELEMENTS
from ..plan import Launch, Plan, Reference
from ..runtime import few
from . import reference
from .reference import Flags, Names, Update

OPERATIONS = 12  # of one element of an update: what FLOPs count


def update(formula: Update, arrays: list[Any], numbers: dict[str, Any], states: Names) -> None:
    """Apply `formula(xp, k, p, g, *states)` to many parameters of one dtype, in place.

    Args:
        arrays: parameter, gradient and the states that are there, parameter after parameter.
        numbers: numbers and flags of the formula.
        states: names of the states that the formula takes; None: this one is not there.
    """
    dtype = arrays[0].dtype
    kept = numbers.__class__ is Kept
    # what kind of numbers they are, in their order, and how flags are set
    kinds = "" if kept else few.kinds(*numbers.values())
    known = (formula, dtype.char, len(arrays), states, kinds)
    ways = numbers.ways if kept else _ways  # type: ignore[attr-defined]
    way = ways.get(known)
    if way is not None and way.run(arrays, numbers):
        return
    parts = numbers.parted_for(dtype) if kept else parted_for(numbers, dtype)  # type: ignore[attr-defined]
    flags, taken, given = parts
    if dtype in ELEMENTS and worth(formula, arrays):
        width = len(states) + 2 - states.count(None)
        rows = len(arrays) // width
        from ..codegen import tensor_lists

        table = np.empty(tensor_lists.room(rows, width), np.int64)
        writes = (True, False, *[True] * (width - 2))
        gather = tensor_lists.gather(ELEMENTS[dtype], width, writes)
        total = gather(arrays, table)
        if total >= 0:
            plan = plan_update(formula, dtype, flags, taken, states, rows, total)
            plan.run(table, given)
            if kinds is not None:
                if len(ways) >= tuning.MOST_KEYS:
                    ways.clear()
                held = given if kept else None
                ways[known] = Way(gather, len(table), total, plan.run, taken, dtype, held)
            return
    plan_numpy(formula, flags, taken, states).run(arrays, given)


class Kept(dict[str, Any]):
    """Numbers and flags that stay as they are from step to step: parted once for each type.

    Attributes:
        ways: how lists were updated with them, by formula, type, length and names of states.
    """

    __slots__ = ("parted", "ways")

    def __init__(self, numbers: dict[str, Any]) -> None:
        super().__init__(numbers)
        self.parted: dict[str, Any] = {}
        self.ways: dict[Any, Way] = {}

    def parted_for(self, dtype: Any) -> tuple[Flags, tuple[str, ...], Any]:
        """`parted_for`, kept."""
        found = self.parted.get(dtype.char)
        if found is None:
            found = self.parted[dtype.char] = parted_for(self, dtype)
        return found  # type: ignore[no-any-return]


class Way:
    """How a list of arrays was updated: what the next step's is likely to be updated by. `given`
    are its numbers, where these stay as they are; else they are `taken` from those of the step."""

    __slots__ = ("gather", "given", "plan", "room", "single", "taken", "total")

    def __init__(
        self, gather: Any, room: int, total: int, plan: Any, taken: tuple[str, ...], dtype: Any,
        given: Any,
    ) -> None:  # fmt: skip
        self.gather, self.room, self.total, self.plan, self.given = gather, room, total, plan, given
        self.single = dtype.itemsize == 4
        self.taken = itemgetter(*taken) if len(taken) > 1 else None

    def run(self, arrays: list[Any], numbers: dict[str, Any]) -> bool:
        """Update arrays, if they are as many elements and lie as a kernel takes them."""
        given = self.given
        if given is None:
            if self.taken is None:
                return False
            values = tuple(map(float, self.taken(numbers)))
            # (`np.array` of what float32 does not hold would warn)
            given = few.numbers(values, True) if self.single else np.array(values)
            if given is None:
                return False
        table = np.empty(self.room, np.int64)
        if self.gather(arrays, table) != self.total:
            return False
        self.plan(table, given)
        return True


_ways: dict[Any, Way] = {}  # of numbers that change from step to step


def parted_for(numbers: dict[str, Any], dtype: Any) -> tuple[Flags, tuple[str, ...], Any]:
    """Flags; names of numbers; numbers as an array for parameters of a type."""
    flags, taken, values = parted(numbers)
    with np.errstate(over="ignore"):
        return flags, taken, np.array(values, reference.work_dtype(dtype))


def parted(numbers: dict[str, Any]) -> tuple[Flags, tuple[str, ...], list[Any]]:
    """Flags; names of numbers; numbers."""
    flags, taken, values = [], [], []
    for name, value in numbers.items():
        if value is True or value is False:
            flags.append((name, value))
        else:
            taken.append(name)
            values.append(value)
    return tuple(flags), tuple(taken), values


_waited: dict[Update, int] = {}  # formula to how many updates of few elements there were


def worth(formula: Update, arrays: list[Any]) -> bool:
    """Whether to load a kernel for these arrays. Not a matter of results: the bits are the same."""
    if not runtime.available():
        return False
    least = tuning.OPTIM_LEAST
    for a in arrays:
        if a.size >= least:
            return True
    _waited[formula] = _waited.get(formula, 0) + 1
    return _waited[formula] > tuning.OPTIM_PATIENCE


@functools.lru_cache(maxsize=1024)
def plan_update(
    formula: Update, dtype: Any, flags: Flags, taken: tuple[str, ...], states: Names, rows: int,
    total: int,
) -> Plan:  # fmt: skip
    """Operands table (`tensor_lists.gather` of parameters, gradients, states) and numbers."""
    from ..codegen import tensor_lists
    from .update import kernel

    width = len(states) + 2 - states.count(None)
    launches = []
    if total:
        made = kernel(formula, ELEMENTS[dtype], flags, taken, states)
        ints = tensor_lists.sizes(rows, total)
        launches = [Launch(made, table="table", numbers="numbers", **ints)]
    return Plan(
        f"optim.{formula.__name__}", ("table", "numbers"), {}, launches, mutates=("table",),
        flops=OPERATIONS * total, bytes=(2 * width - 1) * total * dtype.itemsize,
    )  # fmt: skip


@functools.lru_cache(maxsize=256)
def plan_numpy(formula: Update, flags: Flags, taken: tuple[str, ...], states: Names) -> Plan:
    """Operands arrays (a list) and numbers."""
    launch = Reference(
        reference.update, ("arrays", "numbers"), (), formula=formula, flags=flags, taken=taken,
        states=states,
    )  # fmt: skip
    return Plan("optim.numpy", ("arrays", "numbers"), {}, [launch], mutates=("arrays",))
