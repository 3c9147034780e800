"""Running sums, products and extremes: which kernel computes them.

float32 is added and multiplied in float64. Work is cut by shape, so results do not depend on the
number of threads. Small arrays and other types are NumPy's.

Not here: the kernels (`scan.py`), NumPy's way (`reference.py`).
"""

from __future__ import annotations

import functools
import math
from typing import Any

import numpy as np

from .. import runtime, tuning
from ..elementwise.axes import is_contiguous
from ..meta import MetaArray
from ..plan import Launch, Plan, Reference, nbytes
from . import reference

Array = Any
COLUMNS = 512  # whose running results `scan.across` keeps on the stack: a piece of work
ELEMENTS = {
    np.dtype(np.float32): "float",
    np.dtype(np.float64): "double",
    np.dtype(np.int64): "i64",
}
NUMPY = "scan.numpy"


def accumulate(how: str, x: Array, d: int, back: bool = False) -> Array:
    """Running results along dim d, which is in range.

    Args:
        how: "add", "mul", "max", "min" or "logadd" (log of the sum of exponentials).
        back: from the end to the start.
    """
    if x.size < tuning.SCAN_LEAST or not x.flags.aligned:
        return reference.accumulate(x, how=how, d=d, back=back)
    return plan(how, x.shape, x.strides, x.dtype, d, back).run(x)


def extremes(how: str, x: Array, d: int) -> tuple[Array, Array]:
    """("max" or "min" of what came up to each place along dim d, the last places of these)."""
    if x.size < tuning.SCAN_LEAST or not x.flags.aligned:
        return reference.extremes(x, how=how, d=d)
    return plan(how, x.shape, x.strides, x.dtype, d, False, True).run(x)  # type: ignore[no-any-return]


@functools.lru_cache(maxsize=4096)
def plan(
    how: str, shape: tuple[int, ...], strides: tuple[int, ...], dtype: Any, d: int,
    back: bool = False, places: bool = False,
) -> Plan:  # fmt: skip
    """y of an array x: running results along dim d; with `places` (y, at)."""
    x = MetaArray(shape, dtype, strides)
    made = Steps(how, x, back, places)
    if not made.has_kernel(d):
        return made.by_numpy(d)
    count, rows, n = math.prod(shape[:d]), shape[d], math.prod(shape[d + 1 :])
    if n > 1:
        made.across("x" if made.is_dense else made.dense(), count, rows, n, "y", shape)
    elif how == "logadd" and count >= tuning.SCAN_MANY:  # exponentials side by side
        made.outputs["columns"] = made.outputs["sums"] = MetaArray((rows, count), dtype)
        made.launches.append(
            Reference(reference.columns, ("x",), ("columns",), count=count, rows=rows)
        )
        made.across("columns", 1, rows, count, "sums", (rows, count))
        made.outputs["y"] = MetaArray(shape, dtype)
        made.launches.append(Reference(reference.lines, ("sums",), ("y",), shape=shape))
    else:
        made.along("x" if made.is_dense else made.dense(), count, rows)
    return made.plan()


class Steps:
    """The arrays and launches of a scan's plan while it is made."""

    def __init__(self, how: str, x: MetaArray, back: bool, places: bool) -> None:
        self.how, self.x, self.back, self.places = how, x, back, places
        self.outputs: dict[str, MetaArray] = {}
        self.workspace: dict[str, int] = {}
        self.launches: list[Launch | Reference] = []
        self.returns = ("y", "at") if places else ("y",)

    def has_kernel(self, d: int) -> bool:
        """Whether a kernel takes the array; d is the dim."""
        x = self.x
        if x.size < max(tuning.SCAN_LEAST, 1) or x.dtype not in ELEMENTS or not runtime.available():
            return False
        along = math.prod(x.shape[d + 1 :]) == 1
        if along and self.how == "mul" and x.dtype == np.float64:
            return False  # products of neighbours may overflow where one after the other does not
        return x.shape[d] < 1 << 31

    @property
    def is_dense(self) -> bool:
        return is_contiguous(self.x.shape, self.x.strides, self.x.itemsize)

    def dense(self) -> str:
        """Add a copy of x without gaps."""
        self.outputs["dense"] = MetaArray(self.x.shape, self.x.dtype)
        self.launches.append(Reference(np.ascontiguousarray, ("x",), ("dense",)))
        return "dense"

    def across(self, x: str, count: int, rows: int, n: int, y: str, shape: Any) -> None:
        """Add a scan down the columns of `count` matrices."""
        tiles = -(-n // COLUMNS)
        self.launch("across", x, y, shape, rows=count, n=n, segment=rows, parts=tiles, each=1,
                    chunks=count * tiles)  # fmt: skip

    def along(self, x: str, count: int, rows: int) -> None:
        """Add a scan along lines; long ones are cut into segments."""
        segment, parts, each = rows, 1, max(1, tuning.SCAN_PIECE // rows)
        if rows >= 4 * tuning.SCAN_PIECE and self.how != "mul":
            segment, each = tuning.SCAN_PIECE, 1
            parts = -(-rows // segment)
            self.workspace["part"] = 8 * count * parts
            if self.places:
                self.workspace["partat"] = 8 * count * parts
        self.launch("along", x, "y", self.x.shape, rows=count, n=rows, segment=segment,
                    parts=parts, each=each, chunks=-(-count // each) * parts)  # fmt: skip

    def launch(self, direction: str, x: str, y: str, shape: Any, **ints: int) -> None:
        """Add a kernel."""
        from . import scan

        self.outputs[y] = MetaArray(shape, self.x.dtype)
        if self.places:
            self.outputs["at"] = MetaArray(shape, np.int64)
        element = ELEMENTS[self.x.dtype]
        kernel = scan.kernel(direction, self.how, element, self.places, self.back)
        optional = {k: k if k in self.workspace else None for k in ("part", "partat")}
        self.launches.append(
            Launch(kernel, x=x, y=y, at="at" if self.places else None, **optional, **ints)
        )

    def plan(self) -> Plan:
        """The finished plan."""
        return Plan(
            f"scan.{self.how}", ("x",), self.outputs, self.launches, workspace=self.workspace,
            returns=self.returns, flops=self.x.size, bytes=nbytes(self.x, *self.outputs.values()),
        )  # fmt: skip

    def by_numpy(self, d: int) -> Plan:
        """The plan of NumPy's way."""
        self.outputs["y"] = MetaArray(self.x.shape, self.x.dtype)
        given: dict[str, Any] = {"how": self.how, "d": d}
        fn: Any = reference.extremes
        if self.places:
            self.outputs["at"] = MetaArray(self.x.shape, np.int64)
        else:
            fn, given["back"] = reference.accumulate, self.back
        self.launches = [Reference(fn, ("x",), self.returns, **given)]
        return Plan(
            NUMPY, ("x",), self.outputs, self.launches, flops=self.x.size,
            bytes=nbytes(self.x, *self.outputs.values()),
        )  # fmt: skip
