"""Products of bfloat16 on CPUs that multiply pairs of them (AVX-512's VDPBF16PS).

Two numbers of bfloat16 that follow each other along k are one number of 32 bits. To packing and to
chunks (`gemm.py`) these are as numbers of float32, half as many along k: they only move them. The
tile alone knows, and adds two products to a sum where the other one adds one.

What lies along k is read as pairs where it is; what lies across k is laid in pairs first, by a copy
that exchanges two axes. An odd k, or an operand that has its elements apart, is left to others.

Not here: when this is used (`narrow.py`), the instruction (`codegen/half.py`).
"""

from __future__ import annotations

import functools
from collections.abc import Sequence
from typing import Any

import numpy as np

from .. import tuning
from ..codegen import half
from ..codegen.interface import Kernel
from ..codegen.ir import Function, Pointer, Value
from ..copy import select as copy
from ..meta import MetaArray
from ..plan import Draft, Launch, Plan, is_dense
from ..runtime import jit, tables
from . import gemm
from .gemm import Gemm
from .tile import NEXT, Tile, tile_rows

HALF = np.dtype(np.int16)  # as what an element is copied
PAIRS = "pairs"  # what a plan says that it reads: each held as a float32
# Pairs whose products are summed in one go: as many terms as of float32. Twice as many would be 3
# to 7 % faster, and off by twice as much where k is long.
BLOCK = gemm.KC // 2


def add_products(f: Function, place: Pointer, row: Sequence[Value], sums: Sequence[Any]) -> None:
    """As `tile.add_products`, of a pair and vectors of pairs."""
    for values, total in zip(row, sums, strict=True):
        total.set(half.dot_of(f, place, values, total.get()))


class PairTile(Tile):
    """Writes the tiles: arguments as those of `Tile.write_micro`."""

    def write_micro(self, h: int, direct: bool = False, vectors: int = 2) -> None:
        """An h x NR tile of C; rows are packed."""
        w, e = self.w, self.e
        f, sums = self.begin_tile(h, vectors, *NEXT)
        a, b = f.args["a"].of(e), f.args["b"].of(e)

        def multiply(k: Value) -> None:
            row = [b.load(k * self.nr + j * w, w, aligned=True) for j in range(vectors)]
            for i in range(h):
                add_products(f, a.at(k * h + i), row, sums[i])

        self.by_packed_rows(f, h, vectors, multiply)
        self.write_sums(f, h, sums)


def is_fast() -> bool:
    """Whether this CPU has the instruction; elsewhere tiles take two steps, for tests."""
    return jit.target().has_dot


def key(pairs: bool = True) -> tuple[Any, ...]:
    """What tells kernels and tiles of pairs from those of float32, and those with the instruction
    from those without it."""
    return ("pairs", is_fast()) if pairs else ()


def tile_symbols(heights: tuple[int, ...] | None) -> dict[str, int]:
    """As `gemm.tile_symbols`, with these tiles."""
    return gemm.tile_symbols("float", ()) | {"micro": table_of(heights, 2)}


def narrow_symbols(heights: tuple[int, ...] | None) -> dict[str, int]:
    """As `gemm.narrow_symbols`, with these tiles."""
    return {"narrow": table_of(heights, 1)}


def table_of(heights: tuple[int, ...] | None, vectors: int) -> int:
    """Where the table of the tiles of so many vectors is; some heights (or all) are made."""
    kind = ("tile", vectors, *key(), jit.target().lanes)
    table = tables.Table.of(kind, tile_rows("float"))
    table.fill(heights, lambda some: PairTile("float").build_tiles(some, vectors=vectors))
    return table.address


@functools.cache
def kernel(heights: tuple[int, ...] | None = None) -> Kernel:
    """`gemm.kernel` for operands in pairs: k counts pairs, and rows are packed."""
    all_of_it = (*key(), gemm.KC, gemm.NC, gemm.GROUPS, gemm.group())
    return Kernel(
        gemm.INTERFACE, all_of_it, lambda: Gemm("float").build(), lambda: tile_symbols(heights)
    )


# -- operands ------------------------------------------------------------------------------------


def lay(d: Draft) -> dict[str, tuple[str, MetaArray]]:
    """What a draft's a and b are called in pairs along k, held as float32, and how these lie.
    Empty where there are none, or where they do not pay."""
    a, b = d.metas["a"], d.metas["b"]
    flat = b.ndim == 2 and is_dense(a)  # one tall A
    if min(a.ndim, b.ndim) < 2 or (max(a.ndim, b.ndim) > 3 and not flat):
        return {}
    k, n = b.shape[-2:]
    m = a.size // k if flat and k else max(a.shape[-2], a.shape[0] * (b.ndim == 2))
    side, least = tuning.MATMUL_PAIRS_SIDE, tuning.MATMUL_PAIRS_LEAST
    if k % 2 or min(m, n, k) < side or m * n * k < least:
        return {}
    of_a, of_b = along(a, -1) or across(a, -1), along(b, -2) or across(b, -2)
    if of_a is None or of_b is None:
        return {}
    return {"a": added(d, "a", *of_a), "b": added(d, "b", *of_b)}


def added(d: Draft, name: str, meta: MetaArray, plan: Plan | None) -> tuple[str, MetaArray]:
    """What pairs are called that lie so: where they are not there, a plan of (x, y) lays them."""
    if plan is None:
        return name, meta
    pairs = d.array(f"{name}_pairs", meta)
    d.include(plan, {"x": name, "y": pairs})
    return pairs, meta


def along(x: MetaArray, k: int) -> tuple[MetaArray, None] | None:
    """The pairs along axis k of an array whose elements lie side by side along it."""
    shape, steps = list(x.shape), list(x.strides)
    shape[k] //= 2
    if steps[k] != 2:
        return None
    steps[k] = 4
    steps = [s if n > 1 else 4 for n, s in zip(shape, steps, strict=True)]
    if any(s % 4 for s in steps):
        return None
    return MetaArray(tuple(shape), np.float32, tuple(steps)), None


def across(x: MetaArray, k: int) -> tuple[MetaArray, Plan] | None:
    """Pairs along axis k, laid side by side along the other of the last two, as x is; and the plan
    that does it."""
    other = -3 - k
    if x.strides[other] != 2 or x.shape[other] < 2:
        return None
    shape, steps = list(x.shape), list(x.strides)
    shape[k] //= 2
    steps[k] *= 2
    order = [*range(x.ndim - 2), x.ndim + k, x.ndim + other]
    lines = MetaArray(tuple(shape[i] for i in order), np.float32)
    strides = [0] * x.ndim
    for i, s in zip(order, lines.strides, strict=True):
        strides[i] = s
    plan = laying(lines, tuple(steps[i] for i in order), x.strides[k])
    return None if plan is None else (MetaArray(tuple(shape), np.float32, tuple(strides)), plan)


def laying(pairs: MetaArray, strides: tuple[int, ...], step: int) -> Plan | None:
    """The copy of (x, y) that lays pairs: from `step` bytes apart, and from one to the next by
    `strides`. None where no kernel has it."""
    plan = copy.plan(
        HALF, HALF, (*pairs.shape, 2), (*strides, step), (*pairs.strides, HALF.itemsize)
    )
    return plan if all(isinstance(launch, Launch) for launch in plan.launches) else None
