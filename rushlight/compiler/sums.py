"""Sums and products of few numbers in the order of NumPy and its BLAS, as calls of kernels.

Each function gives ways that may have NumPy's bits; `small.py` tries them out.
Not here: the kernels (`kernels/reduce/numpy_order.py`).
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

import numpy as np

from ..kernels.codegen.ir import I64
from ..kernels.elementwise import axes
from ..kernels.launch import Launch, Series
from ..kernels.matmul import select as matmul
from ..kernels.reduce import numpy_order
from .calls import Call, Lying, Place
from .spy import Event, Refused
from .trace import called

ELEMENTS: dict[Any, str] = {**matmul.ELEMENTS, np.dtype(np.int64): I64}
MOST_IN_A_ROW = 4096  # numbers of which one kernel without lanes finds the largest
MOST_PARTS = 64  # calls that one thing NumPy did may become


class Way:
    """How an event is computed: calls, whose places are "array" (operands, then the result) and
    "room", and the bytes of each room."""

    def __init__(self, calls: Sequence[Call], temps: Sequence[int] = ()) -> None:
        self.calls, self.temps = list(calls), list(temps)


def sums(event: Event) -> list[Way]:
    """`np.add.reduce` and those of the other `numpy_order.STEPS`."""
    (x,), out, more = event.arrays, event.out, dict(event.more)
    op = event.what.__name__
    if op not in numpy_order.STEPS or out.dtype not in ELEMENTS:
        raise Refused(f"NumPy: {op}.reduce of {x.dtype}")
    if x.dtype != out.dtype:
        return of_another_type(event)
    if more.get("dtype") not in (None, x.dtype):
        raise Refused("NumPy: a sum in another type")
    axis = more.get("axis", 0)
    whole = range(len(x.shape))
    given = axis if isinstance(axis, tuple) else (axis,)
    dims = set(whole) if axis is None else {d % max(1, len(x.shape)) for d in given}
    size = x.dtype.itemsize
    if not x.shape or any(s % size for s in x.strides):
        raise Refused("NumPy: a sum of numbers that are not aligned")
    order = sorted([d for d in whole if x.shape[d] > 1], key=lambda d: -abs(x.strides[d]))
    kept = [d for d in order if d not in dims]
    kept_shape = [x.shape[d] for d in whole if d not in dims and x.shape[d] > 1]
    own = [n for n in out.shape if n > 1]
    steps = axes.steps_of(out.shape, out.strides, size, out.shape)
    if own != kept_shape or [x.shape[d] for d in kept] != own or steps is None:
        raise Refused("NumPy: a sum whose result lies otherwise")
    if not axes.is_contiguous(out.shape, out.strides, size):
        raise Refused("NumPy: a sum whose result lies otherwise")
    marks = [int(d in dims) for d in order]
    sizes, (joined, _) = axes.axes_of(
        [x.shape[d] for d in order],
        [[x.strides[d] // size for d in order], boundaries(marks, [x.shape[d] for d in order])],
    )
    groups = groups_of(order, marks, [x.shape[d] for d in order])
    if len(groups) != len(sizes):
        raise Refused("NumPy: a sum over numbers that lie apart")
    element = ELEMENTS[x.dtype]
    exact = element == I64 or op != "add"  # in whichever order, or one after the other
    if not groups:  # one number
        groups, sizes, joined = [1], [1], [1]
    if groups[-1] == 1 and op in ("maximum", "minimum") and sizes[-1] > MOST_IN_A_ROW:
        raise Refused(f"NumPy: {op}.reduce of many numbers")
    found: list[Way] = []

    def call(way: str, first: bool, rows: int, n: int, step: int, apart: int, offset: int,
             to: int) -> Call:  # fmt: skip
        return Call(
            numpy_order.kernel("row" if way == "pairs" and exact else way, element, first, op),
            (x.place.moved(offset * size), out.place.moved(to * size)),
            (rows, n, step, apart, 1), (),
        )  # fmt: skip

    for first in (True,) if exact else (False, True):
        if groups == [1]:
            found.append(Way([call("pairs", first, 1, sizes[0], joined[0], 0, 0, 0)]))
        elif groups == [0, 1]:
            rows = call("pairs", first, sizes[0], sizes[1], joined[1], joined[0], 0, 0)
            found.append(Way([rows]))
        elif groups == [1, 0] and joined[1] == 1:
            found.append(Way([call("along", first, sizes[1], sizes[0], joined[0], 0, 0, 0)]))
        elif groups == [0, 1, 0] and joined[2] == 1 and sizes[0] <= MOST_PARTS:
            found.append(Way([
                call("along", first, sizes[2], sizes[1], joined[1], 0, i * joined[0], i * sizes[2])
                for i in range(sizes[0])
            ]))  # fmt: skip
    return found


def places(event: Event) -> list[Way]:
    """`np.argmax` and `np.argmin`."""
    (x,), out = event.arrays, event.out
    axis, size = dict(event.more)["axis"], x.dtype.itemsize
    if x.dtype not in ELEMENTS or out.dtype != np.int64 or any(s % size for s in x.strides):
        raise Refused(f"NumPy: {event.what.__name__} of {x.dtype}")
    if not axes.is_contiguous(out.shape, out.strides, out.dtype.itemsize):
        raise Refused(f"NumPy: {event.what.__name__} whose result lies otherwise")
    if axis is None:
        if not axes.is_contiguous(x.shape, x.strides, size):
            raise Refused(f"NumPy: {event.what.__name__} of numbers that lie apart")
        rows, n, step, apart = 1, math.prod(x.shape), 1, 0
    else:
        d = axis % len(x.shape)
        n, step = x.shape[d], x.strides[d] // size
        kept = [k for k in range(len(x.shape)) if k != d and x.shape[k] > 1]
        steps = [x.strides[k] // size for k in kept]
        sizes, (joined,) = axes.axes_of([x.shape[k] for k in kept], [steps])
        if len(sizes) > 1:
            raise Refused(f"NumPy: {event.what.__name__} of numbers that lie apart")
        rows, apart = (sizes[0], joined[0]) if sizes else (1, 0)
    if n > MOST_IN_A_ROW:
        raise Refused(f"NumPy: {event.what.__name__} of many numbers")
    op = "maximum" if event.what is np.argmax else "minimum"
    kernel = numpy_order.kernel("place", ELEMENTS[x.dtype], op=op)
    return [Way([Call(kernel, (x.place, out.place), (rows, n, step, apart, 1), ())])]


def of_another_type(event: Event) -> list[Way]:
    """A sum of numbers that are cast first, to lie in the same order."""
    from . import small

    (x,), out = event.arrays, event.out
    order = sorted(range(len(x.shape)), key=lambda d: -abs(x.strides[d]))
    strides, step = [0] * len(x.shape), out.dtype.itemsize
    for d in reversed(order):
        strides[d], step = step, step * x.shape[d]
    room = Lying(Place("room", 0), x.shape, tuple(strides), out.dtype)
    cast = small.copy(Event("copy", None, (x,), room))[0].calls
    more = tuple([(k, v) for k, v in event.more if k != "dtype"])
    ways = sums(event._replace(arrays=(room,), more=more))
    return [Way([*cast, *way.calls], [step]) for way in ways]


def boundaries(marks: list[int], sizes: list[int]) -> list[int]:
    """Steps that let dims join where all of them are summed, or none."""
    steps: list[int] = []
    step = 1
    for k in range(len(marks) - 1, -1, -1):
        if k + 1 < len(marks) and marks[k] != marks[k + 1]:
            step *= 1 << 20
        steps.insert(0, step)
        step *= sizes[k]
    return steps


def groups_of(order: Sequence[int], marks: list[int], sizes: list[int]) -> list[int]:
    """Summed or kept, of each run of dims."""
    found: list[int] = []
    for mark in marks:
        if not found or found[-1] != mark:
            found.append(mark)
    return found


def products(event: Event) -> list[Way]:
    """A product of matrices, of few numbers."""
    a, b = event.arrays
    out = event.out
    if a.dtype not in matmul.ELEMENTS or not axes.is_contiguous(
        out.shape, out.strides, out.dtype.itemsize
    ):
        raise Refused(f"NumPy: a product of {a.dtype}")
    found: list[Way] = []
    problem = matmul.parsed(
        a.dtype, a.shape, a.strides, b.dtype, b.shape, b.strides, None, (), least=0
    )
    if problem is None:
        raise Refused("NumPy: a product")
    one = problem.n == 1 and not problem.levels  # a matrix times a vector, both along k
    lanes = 8 if a.dtype.itemsize == 4 else 4
    if one and problem.a[1] == 1 and problem.b[0] == 1 and problem.k % lanes == 0:
        kernel = numpy_order.kernel("lanes", problem.element)
        words = (problem.m, problem.k, problem.a[0], 1)
        found.append(Way([Call(kernel, (a.place, b.place, out.place), words, ())]))
    for choose in ("small_gemm", "choose"):
        made = matmul.Ways(a.dtype, problem.shape)
        copy = problem.changed(precision="highest", plain=True)
        try:
            getattr(copy, choose)(made)
        except (KeyError, ValueError, TypeError):
            continue
        way = planned(made, {"a": a.place, "b": b.place, "y": out.place})
        if way is not None:
            found.append(way)
    return found


def planned(made: Any, places: dict[str, Place]) -> Way | None:
    """The launches of a plan as a way; None where one of them is NumPy's."""
    temps: list[int] = []
    at: dict[str, Any] = dict(places)
    for name, meta in made.arrays.items():
        if name not in at:
            at[name] = Place("room", len(temps))
            temps.append(meta.nbytes)
    for name, size in made.workspace.items():
        at[name] = Place("room", len(temps))
        temps.append(size)
    scalars = {"alpha": 1.0, "beta": 0.0}
    calls_: list[Call] = []
    for launch in made.launches:
        if not isinstance(launch, (Launch, Series)):
            return None
        calls_.append(called(launch, at, scalars))
    return Way(calls_, temps)
