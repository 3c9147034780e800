"""Copies: which kernel moves the elements of one array into another.

`into(y, x)` is `np.copyto(y, x)` for arrays of one shape, with the same bits; `plan` looks at
shapes, types and strides alone. Both arrays are brought to common axes in the order in which the
result lies, neighbours are joined where both allow it, and the innermost two decide on the way:

* "span": one span of memory in both, or one number all over it, by the kernel of formulas about
  one element (`elementwise/contiguous.py`), which the compiler joins with others;
* "rows": side by side in both;
* "turned": the source side by side along another axis; "interleaved", "separated": where that, or
  the row, is two to four elements long;
* "filled", "reversed": one number, or backwards, along a row;
* "apart": anything else.

NumPy copies few elements, and whatever has more than five axes or a type without a kernel. Floats
become integers of 32 and 64 bits here, as C has it: what these do not hold is their least number.

Not here: the kernels (`strided.py`), in which order a copy shall lie (`kernels/dense.py`).
"""

from __future__ import annotations

import functools
import math
from typing import Any

import numpy as np

from .. import runtime, tuning
from ..codegen.expr import Trace
from ..elementwise.axes import axes_of, steps_of
from ..elementwise.lowered import COMPUTED, ELEMENTS, Lowered
from ..elementwise.lowered import LOW as LOW_FLOATS
from ..meta import MetaArray
from ..plan import Launch, Plan, Reference, nbytes

Array = Any
ndarray = np.ndarray
Shape = tuple[int, ...]
BITS = {1: "s8", 2: "i16", 4: "i32", 8: "i64"}  # what is copied as it is, by the size of an element
F64 = np.dtype(np.float64)
WIDE, WHOLE = (np.dtype(np.float32), F64), (np.dtype(np.int32), np.dtype(np.int64))
CHANNELS = (2, 3, 4)  # elements beside each other that are shuffled in registers
NARROW = frozenset(d.num for d in LOW_FLOATS)
LOW = (2,)  # bytes of the floats into which no float64 goes: it would be rounded twice


def by_kernel(n: int, source: Any, target: Any) -> bool:
    """Whether n elements are enough for a kernel."""
    if n >= tuning.COPY_LEAST:
        return True
    if source is target or n < tuning.COPY_LOW_LEAST:
        return False
    return source.num in NARROW or target.num in NARROW  # (types are slow to compare)


def into(y: Array, x: Array) -> None:
    """y[...] = x, of arrays of one shape that share no memory."""
    arrays = y.__class__ is ndarray and x.__class__ is ndarray
    if not arrays or not by_kernel(y.size, x.dtype, y.dtype):
        np.copyto(y, x, casting="unsafe")
        return
    plan(x.dtype, y.dtype, x.shape, x.strides, y.strides).run(x, y)


def safely(y: Array, x: Array) -> None:
    """`into`, of arrays that may broadcast, share memory, or refuse to be written."""
    arrays = y.__class__ is ndarray and x.__class__ is ndarray
    large = arrays and by_kernel(y.size, x.dtype, y.dtype)
    if not large or not y.flags.writeable or np.may_share_memory(x, y):
        np.copyto(y, x, casting="unsafe")
        return
    if x.shape != y.shape:
        try:
            x = np.broadcast_to(x, y.shape)
        except ValueError:
            np.copyto(y, x, casting="unsafe")  # more dims, of size 1; or it says what is wrong
            return
    plan(x.dtype, y.dtype, x.shape, x.strides, y.strides).run(x, y)


@functools.lru_cache(maxsize=tuning.COPY_MOST_PLANS)
def plan(source: Any, target: Any, shape: Shape, x_strides: Shape, y_strides: Shape) -> Plan:
    """The plan of `into`: operands x and y, which is written to."""
    x, y = MetaArray(shape, source, x_strides), MetaArray(shape, target, y_strides)
    found = Problem(x, y)
    launch: Any = found.launch() if found.kinds is not None and runtime.available() else None
    name = found.way
    if launch is None:
        name, launch = "numpy", Reference(copied, ("x", "y"), ())
    return Plan(
        f"copy.{name}", ("x", "y"), {}, [launch], returns=(), mutates=("y",), bytes=nbytes(x, y)
    )  # fmt: skip


@functools.lru_cache(maxsize=256)
def plan_triangle(dtype: Any, shape: Shape, diagonal: int, lower: bool) -> Plan | None:
    """The lower triangle of each matrix of a contiguous array, up to a diagonal, or what is above
    it: operand x; None: there is no kernel for it."""
    from . import shown, triangle

    known = dtype.itemsize in shown.ELEMENTS and not dtype.hasobject and runtime.available()
    if not known or not math.prod(shape):
        return None
    x = MetaArray(shape, dtype)
    lines, width = math.prod(shape[:-1]), shape[-1]
    each = max(1, tuning.COPY_CHUNK // width)
    far = max(-shape[-2], min(diagonal, width))  # beyond, all or nothing
    launch = Launch(
        triangle.kernel(shown.ELEMENTS[dtype.itemsize], lower), x="x", y="y", lines=lines,
        height=shape[-2], width=width, diagonal=far, each=each, chunks=-(-lines // each),
    )  # fmt: skip
    return Plan("copy.triangle", ("x",), {"y": x}, [launch], bytes=nbytes(x, x))


def copied(x: Array, y: Array) -> None:
    """By NumPy."""
    np.copyto(y, x, casting="unsafe")


def kinds_of(source: Any, target: Any) -> tuple[str, str, int] | None:
    """(types in memory of the elements, how many are one of the arrays'); None: NumPy's."""
    if source == target:
        size = source.itemsize
        if source.hasobject or (size not in BITS and size != 16):
            return None
        return (BITS[8], BITS[8], 2) if size == 16 else (BITS[size], BITS[size], 1)
    if source not in ELEMENTS or target not in ELEMENTS:
        return None
    floating = [d.kind in "fV" for d in (source, target)]
    if floating[0] and target.kind in "iu" and (source not in WIDE or target not in WHOLE):
        return None
    if source == F64 and target.itemsize in LOW and floating[1]:
        return None
    return ELEMENTS[source], ELEMENTS[target], 1


@functools.cache
def span_kernel(e: str, dtype: Any, kind: str) -> Any:
    """The kernel that copies elements as they are; `e`: what they are called, an integer of their
    size. What has a type that formulas know is a formula itself: x0."""
    from ..elementwise import contiguous

    made = contiguous.kernel(("copy", f"{e}({e} x0)"), lambda f, x: [x], [(e, kind)], [e])
    if dtype in ELEMENTS:
        known = ELEMENTS[dtype]
        compute = "i1" if known == "i8" else COMPUTED.get(known, "float")
        x = Trace().variable("x0")
        made.formula = Lowered("copy", x, None, [(known, kind)], dtype, [x], compute)
    return made


class Problem:
    """A copy in common axes."""

    def __init__(self, x: MetaArray, y: MetaArray) -> None:
        self.way = "numpy"
        self.dtype = x.dtype if x.dtype == y.dtype else None  # of both
        self.kinds = kinds_of(x.dtype, y.dtype) if x.size else None
        if self.kinds is None:
            return
        parts = self.kinds[2]
        each = [steps_of(a.shape, a.strides, a.dtype.itemsize // parts, a.shape) for a in (x, y)]
        if each[0] is None or each[1] is None:
            self.kinds = None
            return
        shape, steps = list(x.shape), [list(s) for s in each if s is not None]
        if parts > 1:
            shape.append(parts)
            steps = [[*s, 1] for s in steps]
        dims = sorted(range(len(shape)), key=lambda d: -abs(steps[1][d]))
        self.sizes, (self.x, self.y) = axes_of(
            [shape[d] for d in dims], [[s[d] for d in dims] for s in steps]
        )
        if not self.sizes:
            self.sizes, self.x, self.y = [1], [1], [1]
        reach = 1  # steps that the axes further in take, at most
        for n, step in zip(reversed(self.sizes), reversed(self.y), strict=True):
            if abs(step) < reach:
                self.kinds = None  # elements of the result share memory: the last one stays
            reach = abs(step) * n

    def span(self) -> Launch:
        """The launch where both arrays are one span, or the source is one number."""
        from ..elementwise import contiguous

        assert self.kinds is not None
        (n,) = self.sizes
        each = contiguous.share_of(n)
        kernel = span_kernel(self.kinds[0], self.dtype, "array" if self.x == [1] else "one")
        return Launch(kernel, x0="x", y0="y", n=n, each=each, chunks=-(-n // each))

    def launch(self) -> Launch | None:
        """The kernel and its numbers."""
        from . import strided

        assert self.kinds is not None
        sizes, x, y = self.sizes, self.x, self.y
        if self.dtype is not None and self.kinds[2] == 1 and y == [1] and x in ([1], [0]):
            self.way = "span"
            return self.span()
        row, self.way = self.row_and_way()
        columns = len(sizes) - 1
        outer = [d for d in range(len(sizes)) if d not in (row, columns)]
        if len(outer) > 3:
            return None
        rows, n = 1 if row is None else sizes[row], sizes[-1]
        source, target, _ = self.kinds
        height, width = self.piece(rows, n)
        down, across = -(-rows // height), -(-n // width)
        pieces = down * across * math.prod(sizes[d] for d in outer)
        each = max(1, tuning.COPY_CHUNK // (min(height, rows) * min(width, n)))
        words: dict[str, int] = {}
        for k, d in zip(range(3 - len(outer), 3), outer, strict=True):
            words |= {f"from{k}": x[d], f"to{k}": y[d], f"size{k}": sizes[d]}
        for k in range(3 - len(outer)):
            words |= {f"from{k}": 0, f"to{k}": 0, f"size{k}": 1}
        del words["size0"]
        return Launch(
            strided.kernel(self.way, source, target), x="x", y="y", rows=rows, n=n,
            from_row=0 if row is None else x[row], to_row=0 if row is None else y[row],
            from_=x[-1], to=y[-1], height=height, width=width, down=down, across=across,
            pieces=pieces, each=each, chunks=-(-pieces // each), **words,
        )  # fmt: skip

    def row_and_way(self) -> tuple[int | None, str]:
        """Which axis the rows of a piece are, and how a row is copied."""
        x, y, sizes = self.x, self.y, self.sizes
        others = range(len(sizes) - 1)
        if y[-1] != 1:
            way = "apart"
        else:
            way = {1: "rows", 0: "filled", -1: "reversed"}.get(x[-1], "apart")
        near = next((d for d in others if x[d] == 1), None)
        if way == "apart" and y[-1] == 1 and near is not None:
            if sizes[-1] in CHANNELS and y[near] == sizes[-1]:
                return near, f"interleaved{sizes[-1]}"
            if sizes[near] in CHANNELS and x[-1] == sizes[near]:
                return near, f"separated{sizes[near]}"
            if min(sizes[near], sizes[-1]) >= tuning.COPY_TURNED:
                return near, "turned"
        if not others:
            return None, way
        # The axis beside the columns, unless it is short: every piece costs some divisions.
        beside = len(sizes) - 2
        if sizes[beside] < tuning.COPY_FEW_ROWS:
            beside = max(others, key=lambda d: sizes[d])
        return beside, way

    def piece(self, rows: int, n: int) -> tuple[int, int]:
        """Rows and columns of a piece."""
        if self.way == "turned" or (self.way == "apart" and rows > 1):
            return tuning.COPY_SQUARE
        if self.way.startswith("separated"):
            return rows, max(1, tuning.COPY_CHUNK // rows)
        width = tuning.COPY_CHUNK
        return max(1, tuning.COPY_CHUNK // min(n, width)), width
