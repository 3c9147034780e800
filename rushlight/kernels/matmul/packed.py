"""A matrix that stays packed, for many products with few rows each: the weights of a recurrent
layer, which every time step multiplies by.

Not here: single products (`select.py`), the kernels (`gemm.py`, `amx_packed.py`).
"""

from __future__ import annotations

import functools
from typing import Any

import numpy as np

from ... import config
from .. import runtime, tuning
from ..plan import Launch, Plan
from ..runtime.workspace import aligned, workspace
from .select import ELEMENTS, steps, uses_amx

Array = Any


def packs(b: Array) -> bool:
    """Whether our kernels multiply by the matrix b."""
    return bool(
        b.ndim == 2 and b.dtype in ELEMENTS and b.size
        and steps(b) is not None and runtime.available()
    )  # fmt: skip


def packed(b: Array, rows: int) -> Packed | AmxPacked:
    """B for products with `rows` rows each; only where `packs(b)`."""
    return AmxPacked(b) if packs_for_amx(b, rows) else Packed(b)


def packs_for_amx(b: Array, rows: int) -> bool:
    """Whether the matrix unit multiplies `rows` rows by B."""
    large = rows >= tuning.MATMUL_AMX_ROWS and min(b.shape) >= tuning.MATMUL_AMX_SIDE
    return large and b.dtype == np.float32 and uses_amx("matmul")


def packing(element: str, k: int, n: int, row: int, col: int) -> Launch:
    """Pack all of `b`, whose elements lie so, into `panels`."""
    from . import gemm

    return Launch(
        gemm.kernel(element, ()),
        a="b", a_row=0, a_col=0, a_batch=0, b="b", b_row=row, b_col=col, b_batch=0,
        c="b", c_row=0, c_batch=0, packed="panels", m=1, n=n, k=k, batch=1, accumulate=0, mode=1,
        rows=gemm.PACKED, block=gemm.KC, depth=gemm.KC, chunks=gemm.CHUNKS,
    )  # fmt: skip


@functools.lru_cache(maxsize=256)
def plan_pack(element: str, k: int, n: int, row: int, col: int) -> Plan:
    """Operands b and panels, which are written."""
    launch = packing(element, k, n, row, col)
    return Plan("matmul.pack", ("b", "panels"), {}, [launch], mutates=("panels",))


@functools.lru_cache(maxsize=1024)
def plan_into(
    element: str, m: int, n: int, k: int, bias: bool = False, accumulate: bool = False
) -> Plan:
    """c = a @ B (+ bias) (+ c): operands a, panels, c, bias; rows of a and c without gaps."""
    from . import gemm

    rows = gemm.rows_read(element, m)
    launch = Launch(
        gemm.kernel(element, gemm.panel_heights(element, m), rows),
        a="a", a_row=k, a_col=1, a_batch=0, b="panels", b_row=0, b_col=0, b_batch=0,
        c="c", c_row=n, c_batch=0, bias_col="bias" if bias else None, packed="panels",
        m=m, n=n, k=k, batch=1, accumulate=int(accumulate), mode=2, rows=rows,
        block=gemm.KC, depth=gemm.blocks_of(k) * gemm.KC, chunks=gemm.CHUNKS,
    )  # fmt: skip
    size = 8 if element == "double" else 4
    return Plan(
        "matmul.packed", ("a", "panels", "c", "bias"), {}, [launch], mutates=("c",),
        flops=2 * m * n * k, bytes=size * (m * k + k * n + (1 + accumulate) * m * n + bias * n),
    )  # fmt: skip


class Packed:
    """A matrix B (K, N) kept as `gemm.py` reads it. Built only where `packs(b)`."""

    __slots__ = ("element", "k", "n", "panels")

    def __init__(self, b: Array) -> None:
        from . import gemm

        e = self.element = ELEMENTS[b.dtype]
        self.k, self.n = b.shape
        self.panels = aligned(gemm.whole_size(e, self.n, self.k) * b.itemsize)
        row, col = steps(b)  # type: ignore[misc]
        plan_pack(e, self.k, self.n, row, col).run(b, self.panels)

    def into(self, a: Array, c: Array, bias: Array | None = None, accumulate: bool = False) -> None:
        """c = a @ B (+ bias for each column) (+ c); the rows of a and c are without gaps."""
        made = plan_into(self.element, len(a), self.n, self.k, bias is not None, accumulate)
        made.run(a, self.panels, c, bias)


class AmxPacked:
    """`Packed` for the matrix unit; `plain` takes over where a number cannot be split."""

    __slots__ = ("b", "flag", "group", "k", "n", "packed", "parts", "plain", "run")

    def __init__(self, b: Array) -> None:
        from . import amx, amx_packed

        self.b, (self.k, self.n) = b, b.shape
        self.parts = amx.PARTS[config.current.matmul_precision]
        pack, self.run = amx_packed.kernels(self.parts)
        self.packed = aligned(amx_packed.panel_bytes(self.n, self.k, self.parts))
        self.group = amx_packed.group_of(self.n)
        self.flag = np.zeros(1, np.int64)
        self.plain: Packed | None = None
        from ..runtime import threads

        threads.ready()
        pack(b, *steps(b), self.k, self.n, self.packed, self.flag)  # type: ignore[misc]
        if self.flag[0]:
            self.plain = Packed(b)

    def into(self, a: Array, c: Array, bias: Array | None = None, accumulate: bool = False) -> None:
        """As `Packed.into`."""
        from . import amx_packed

        if self.plain is None:
            space = workspace(amx_packed.panel_bytes(len(a), self.k, self.parts))
            self.run(a, self.k, c, self.n, bias, len(a), self.n, self.k, self.packed, space,
                     1 if accumulate else 0, self.flag, self.group)  # fmt: skip
            if not self.flag[0]:
                return
            self.plain = Packed(self.b)
        self.plain.into(a, c, bias, accumulate)
