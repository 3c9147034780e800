"""Fourier transforms: which kernels compute one, dim by dim.

Sizes whose factors are 2, 3, 5, 7, 11 and 13 have kernels, of float32 and float64, each computed in
its own type: short rows (`rows.py`), long ones (`long.py`), other dims (`columns.py`). A plan lays
the operand down as PyTorch does its result, the transformed dims innermost, transforms the last of
them on the way from operand to result, and the others in place. Real transforms are of even sizes.
NumPy takes the rest.

Not here: NumPy's way, tables (`reference.py`).
"""

from __future__ import annotations

import functools
import math
from typing import Any

import numpy as np

from .. import runtime, tuning
from ..meta import MetaArray, contiguous_strides
from ..plan import Draft, Plan, Reference, is_dense, nbytes
from . import reference

Array = Any
Dims = tuple[int, ...]
ELEMENTS = {"f": "float", "d": "double", "F": "float", "D": "double"}
COMPLEX: dict[str, Any] = {"float": np.dtype(np.complex64), "double": np.dtype(np.complex128)}
REAL: dict[str, Any] = {"float": np.dtype(np.float32), "double": np.dtype(np.float64)}


def c2c(x: Array, dims: Dims, forward: bool, scale: float) -> Array:
    """The transform over dims, times scale; nothing is empty."""
    if x.size < tuning.FFT_LEAST or not x.flags.aligned:
        return reference.c2c(x, dims=dims, forward=forward, scale=scale)
    return plan("c2c", x.dtype, x.shape, x.strides, dims, forward, 0, scale).run(x)


def r2c(x: Array, dims: Dims, scale: float, onesided: bool = True) -> Array:
    """The transform of real values; the first half of the last of dims if `onesided`."""
    kind = "r2c" if onesided else "full"
    if x.size < tuning.FFT_LEAST or not x.flags.aligned:
        return getattr(reference, kind)(x, dims=dims, scale=scale)
    return plan(kind, x.dtype, x.shape, x.strides, dims, True, x.shape[dims[-1]], scale).run(x)


def c2r(x: Array, dims: Dims, n: int, scale: float) -> Array:
    """The transform of such a half to n real values in the last of dims."""
    if x.size < tuning.FFT_LEAST or not x.flags.aligned:
        return reference.c2r(x, dims=dims, n=n, scale=scale)
    return plan("c2r", x.dtype, x.shape, x.strides, dims, False, n, scale).run(x)


@functools.lru_cache(maxsize=tuning.FFT_MOST_PLANS)
def plan(
    kind: str, dtype: Any, shape: Dims, strides: Dims, dims: Dims, forward: bool, n: int,
    scale: float,
) -> Plan:  # fmt: skip
    """The plan of "c2c", "r2c", "full" (real, both halves of the result) or "c2r"; n is the
    real size of the last of dims."""
    x = MetaArray(shape, dtype, strides)
    made = Transform(kind, x, dims, forward, n, scale)
    return made.plan() if made.has_kernels() else made.by_numpy()


class Transform:
    """A transform while it is planned."""

    def __init__(
        self, kind: str, x: MetaArray, dims: Dims, forward: bool, n: int, scale: float
    ) -> None:
        self.kind, self.x, self.dims, self.scale, self.n = kind, x, dims, scale, n
        self.back = not forward
        order = reference.memory_order(x, dims if kind != "c2r" else dims[:-1], kind == "r2c")
        if kind == "c2r":
            order = [*(d for d in order if d != dims[-1]), dims[-1]]
        self.order = order  # of the result's dims in memory; the transformed ones are the last
        self.first = order[-1]
        self.e = ELEMENTS.get(x.dtype.char, "")

    def result(self) -> MetaArray:
        """Shape, type and strides of the result."""
        shape = list(self.x.shape)
        dtype = REAL[self.e] if self.kind == "c2r" else COMPLEX[self.e]
        if self.kind in ("r2c", "c2r"):
            shape[self.dims[-1]] = self.n if self.kind == "c2r" else self.n // 2 + 1
        inner = contiguous_strides(tuple(shape[d] for d in self.order), dtype.itemsize)
        strides = [inner[self.order.index(d)] for d in range(len(shape))]
        return MetaArray(tuple(shape), dtype, tuple(strides))

    def by_numpy(self) -> Plan:
        """The plan of NumPy's way."""
        given: dict[str, Any] = {"dims": self.dims, "scale": self.scale}
        if self.kind == "c2c":
            given["forward"] = not self.back
        elif self.kind == "c2r":
            given["n"] = self.n
        y = self.result()
        launch = Reference(getattr(reference, self.kind), ("x",), ("y",), **given)
        return Plan("fft.numpy", ("x",), {"y": y}, [launch], flops=None, bytes=nbytes(self.x, y))

    # -- by kernels --------------------------------------------------------------------------------

    def has_kernels(self) -> bool:
        """Whether kernels take the transform, all dims of it."""
        if not self.e or self.x.size < max(tuning.FFT_LEAST, 1) or not runtime.available():
            return False
        if (self.kind in ("r2c", "full")) != (self.x.dtype.kind == "f"):
            return False
        points = self.points()
        if points is None or not self.way_of(points):
            return False
        others = [self.x.shape[d] for d in self.dims if d != self.first]
        return all(1 < n <= tuning.FFT_COLUMNS_MOST and reference.radices(n) for n in others)

    def points(self) -> int | None:
        """Complex points of a transform along the last dim."""
        n = self.x.shape[self.first] if self.kind in ("c2c", "full") else self.n
        if self.kind == "c2c":
            return n
        return n // 2 if n % 2 == 0 else None

    def rows(self) -> int:
        """Transforms along the last dim."""
        return self.x.size // self.x.shape[self.first]

    def way_of(self, points: int) -> str:
        """The kernel of the last dim; empty: there is none."""
        buffered = 2 * points if self.kind == "full" else points
        if reference.rounds(points) and (buffered > tuning.FFT_ROWS_MOST or self.rows() == 1):
            return "long"
        return "rows" if short(points) and buffered <= reference.MOST_POINTS else ""

    def plan(self) -> Plan:
        """The plan of kernels."""
        draft = Draft({"x": self.x})
        y = draft.array("y", self.result())
        at = self.laid_down(draft)
        others = sorted((d for d in self.dims if d != self.first), key=self.order.index)
        points = self.points()
        assert points is not None
        if self.kind == "c2r" and others:
            between = draft.room("between_dims", self.x.nbytes)
            for d in reversed(others):
                self.columns(draft, d, at, between, 1.0)
                at = between
        last = self.scale if self.kind == "c2r" or not others else 1.0
        way = self.long if self.way_of(points) == "long" else self.short_rows
        way(draft, points, at, y, last)
        if self.kind != "c2r":
            for d in reversed(others):
                self.columns(draft, d, y, y, self.scale if d == others[0] else 1.0)
        size = math.prod(self.result().shape)
        total = math.prod(self.n if d == self.first else self.x.shape[d] for d in self.dims)
        flops = int(5 * size * math.log2(max(2, total)))
        return draft.plan("fft." + self.way_of(points), flops=flops)

    def laid_down(self, draft: Draft) -> str:
        """The operand, its dims in the order of the result's."""
        shape = tuple(self.x.shape[d] for d in self.order)
        strides = tuple(self.x.strides[d] for d in self.order)
        if is_dense(MetaArray(shape, self.x.dtype, strides)):
            return "x"
        from ..copy import select as copy

        inner = contiguous_strides(shape, self.x.itemsize)
        own = tuple(inner[self.order.index(d)] for d in range(self.x.ndim))
        draft.array("ordered", MetaArray(self.x.shape, self.x.dtype, own))
        made = copy.plan(self.x.dtype, self.x.dtype, self.x.shape, self.x.strides, own)
        draft.include(made, {"x": "x", "y": "ordered"})
        return "ordered"

    def tables(self, draft: Draft, n: int, mark: str = "") -> tuple[set[int], dict[str, Any]]:
        """(radices, tables) of n points; `mark` ends the arguments'
        names."""
        found, steps, factors = reference.pass_tables(n, self.back, REAL[self.e])
        names = {f"steps{mark}": draft.constant(f"steps_{n}", steps),
                 f"factors{mark}": draft.constant(f"factors_{n}", factors),
                 f"passes{mark}": len(found)}  # fmt: skip
        return set(found), names

    def short_rows(self, draft: Draft, points: int, x: str, y: str, scale: float) -> None:
        """Add short transforms along the last dim."""
        from . import rows

        found, given = self.tables(draft, points)
        numbers = {"c2c": (2 * points, 2 * points), "r2c": (2 * points, 2 * points + 2),
                   "full": (2 * points, 4 * points),
                   "c2r": (2 * points + 2, 2 * points)}[self.kind]  # fmt: skip
        half = None
        if self.kind != "c2c":
            half = draft.constant(
                "half", reference.halves(2 * points, self.kind, REAL[self.e])
            )
        count, w = self.rows(), rows.lanes_of(self.e)
        each = max(1, tuning.FFT_PIECE // (w * points))
        kernel = rows.kernel(self.kind, self.e, radices_of(found), self.back)
        draft.launch(
            kernel, x=x, y=y, half=half, rows=count, x_row=numbers[0],
            y_row=numbers[1], points=points, x_numbers=numbers[0], y_numbers=numbers[1],
            each=each, chunks=-(-count // (w * each)), scale=scale, **given,
        )  # fmt: skip

    def columns(self, draft: Draft, d: int, x: str, y: str, scale: float) -> None:
        """Add short transforms along another dim."""
        from . import columns

        shape = list(self.result().shape) if self.kind != "c2r" else list(self.x.shape)
        place = self.order.index(d)
        outer = math.prod(shape[k] for k in self.order[:place])
        inner = math.prod(shape[k] for k in self.order[place + 1 :])
        n = shape[d]
        found, given = self.tables(draft, n)
        blocks = -(-inner // columns.lanes_of(self.e))
        each = max(1, tuning.FFT_PIECE // (columns.lanes_of(self.e) * n))
        units = outer * blocks
        room, buffer = None, 0
        if n > reference.MOST_POINTS:
            buffer = 2 * columns.lanes_of(self.e) * n
            each = max(1, -(-units // tuning.FFT_BUFFERS))
            chunks = -(-units // each)
            room = draft.room(f"buffers{d}", chunks * 2 * buffer * REAL[self.e].itemsize)
        draft.launch(
            columns.kernel(self.e, radices_of(found), self.back), x=x, y=y, room=room, points=n,
            inner=inner, blocks=blocks, units=units, each=each, chunks=-(-units // each),
            buffer=buffer, scale=scale, **given,
        )  # fmt: skip

    def long(self, draft: Draft, points: int, x: str, y: str, scale: float) -> None:
        """Add long transforms along the last dim."""
        from . import long

        n1, n2 = reference.rounds(points) or (0, 0)
        w = long.lanes_of(self.e)
        first, given = self.tables(draft, n1, "1")
        second, more = self.tables(draft, n2, "2")
        between = draft.constant(
            "between", reference.between(n1, n2, w, self.back, REAL[self.e])
        )
        each = max(1, tuning.FFT_PIECE // points)
        if self.rows() < tuning.FFT_LONG_MANY and self.rows() * points > tuning.FFT_PIECE:
            each = 0
        half, packed, x_row, y_row = None, None, 2 * points, 2 * points
        if self.kind != "c2c":
            table = reference.halves_in_lanes(2 * points, self.kind, w, REAL[self.e])
            half = draft.constant("half", table)
        y_row += {"r2c": 2, "full": 2 * points}.get(self.kind, 0)
        if self.kind == "c2r":
            x_row += 2
            packed = draft.room("packed", self.rows() * 2 * points * REAL[self.e].itemsize)
        draft.launch(
            long.kernel(self.kind, self.e, radices_of(first | second), self.back), x=x, y=y,
            between=between, half=half, packed=packed, rows=self.rows(), x_row=x_row, y_row=y_row,
            n1=n1, n2=n2,
            blocks1=-(-n2 // w), blocks2=-(-n1 // w),
            each=each, scale=scale, **given, **more,
        )  # fmt: skip


def short(n: int) -> bool:
    """Whether n points fit into buffers on the stack, and have passes."""
    return 1 < n <= reference.MOST_POINTS and reference.radices(n) is not None


def radices_of(found: set[int]) -> tuple[int, ...]:
    """Those that a kernel is compiled with: powers of two alone, with 3 and 5, with 7, or all."""
    sets = (4, 8), (2, 3, 4, 5, 8), (2, 3, 4, 5, 7, 8), (2, 3, 4, 5, 7, 8, 11, 13)
    return next(some for some in sets if found <= set(some))
