"""ReduceOp: how the numbers of several ranks become one, and the arithmetic of it.

Numbers are combined in the order of the ranks, whatever the size of the array: all ranks get the
same bits, in every run. float16 and bfloat16 are added up in float32 and rounded once.
"""

from __future__ import annotations

import enum
from typing import Any

import numpy as np

from ..dtypes import type_name


class RedOpType(enum.IntEnum):
    """How values of several processes are combined into one.

    >>> torch.distributed.ReduceOp.SUM == torch.distributed.ReduceOp.RedOpType.SUM
    True
    """

    SUM = 0
    AVG = 1
    PRODUCT = 2
    MIN = 3
    MAX = 4
    BAND = 5
    BOR = 6
    BXOR = 7
    PREMUL_SUM = 8

    def __repr__(self) -> str:
        return f"<RedOpType.{self.name}: {self.value}>"

    def __str__(self) -> str:
        return f"RedOpType.{self.name}"


class ReduceOp:
    """The kinds of reduction, under the names that programs pass to `all_reduce`.

    SUM, AVG, PRODUCT, MIN, MAX; for integers and bools also BAND, BOR and BXOR.

    >>> dist = torch.distributed
    >>> dist.ReduceOp.AVG == dist.ReduceOp.SUM
    False
    """

    RedOpType = RedOpType
    SUM = RedOpType.SUM
    AVG = RedOpType.AVG
    PRODUCT = RedOpType.PRODUCT
    MIN = RedOpType.MIN
    MAX = RedOpType.MAX
    BAND = RedOpType.BAND
    BOR = RedOpType.BOR
    BXOR = RedOpType.BXOR
    PREMUL_SUM = RedOpType.PREMUL_SUM

    def __new__(cls, op: Any = RedOpType.SUM) -> Any:
        """A kind itself, as `ReduceOp(ReduceOp.SUM)` of old programs."""
        return RedOpType(op)


BITWISE = (RedOpType.BAND, RedOpType.BOR, RedOpType.BXOR)
OF_BOOLS = {
    RedOpType.SUM: np.logical_or,
    RedOpType.PRODUCT: np.logical_and,
    RedOpType.MIN: np.logical_and,
    RedOpType.MAX: np.logical_or,
    RedOpType.BAND: np.logical_and,
    RedOpType.BOR: np.logical_or,
    RedOpType.BXOR: np.logical_xor,
}
OF_NUMBERS = {
    RedOpType.SUM: np.add,
    RedOpType.AVG: np.add,
    RedOpType.PRODUCT: np.multiply,
    RedOpType.MIN: np.minimum,
    RedOpType.MAX: np.maximum,
    RedOpType.BAND: np.bitwise_and,
    RedOpType.BOR: np.bitwise_or,
    RedOpType.BXOR: np.bitwise_xor,
}


def supports_complex(op: Any) -> bool:
    """Whether complex numbers can be reduced so: sums, means and products with a factor can.

    >>> torch.distributed.supports_complex(torch.distributed.ReduceOp.SUM)
    True
    >>> torch.distributed.supports_complex(torch.distributed.ReduceOp.MAX)
    False
    """
    return op not in (RedOpType.PRODUCT, RedOpType.MIN, RedOpType.MAX, *BITWISE)


def check(name: str, op: Any, dtype: Any) -> None:
    """Raise what PyTorch raises for a reduction that numbers of a type do not have."""
    if not isinstance(op, RedOpType):
        raise TypeError(f"{name}: op must be a ReduceOp, got {type(op).__name__}")
    if dtype.is_complex and not supports_complex(op):
        kind = RuntimeError if name == "reduce" else ValueError
        raise kind(f"{name} does not support {op} on complex tensors")
    if dtype.is_floating_point and op in BITWISE:
        raise RuntimeError(f"Cannot use ReduceOp.{op.name} with non-integral dtype")
    if op is RedOpType.AVG and not (dtype.is_floating_point or dtype.is_complex):
        raise RuntimeError(
            f"result type Float can't be cast to the desired output type {type_name(dtype)}"
        )
    if op is RedOpType.PREMUL_SUM:
        raise RuntimeError(
            "ReduceOp.PREMUL_SUM has no factor here\n  try     tensor.mul_(factor), then SUM"
        )


def combined(rows: Any, op: RedOpType, out: np.ndarray) -> None:
    """Combine arrays, one of each rank and in their order, into `out`, which may be one of them
    only if it is the first."""
    dtype = out.dtype
    if dtype == np.bool_:
        fold(OF_BOOLS[op], rows, out)
    elif narrow(dtype):
        kind = np.complex64 if dtype.kind == "W" else np.float32
        wide = np.asarray(rows[0]).astype(kind)
        for row in rows[1:]:
            OF_NUMBERS[op](wide, np.asarray(row).astype(kind), out=wide)
        if op is RedOpType.AVG:
            wide /= len(rows)
        out[...] = wide.astype(dtype)
    else:
        fold(OF_NUMBERS[op], rows, out)
        if op is RedOpType.AVG:
            out /= len(rows)


def narrow(dtype: np.dtype[Any]) -> bool:
    """Whether numbers of a type are combined in a wider one: float16, bfloat16, complex32."""
    return dtype.kind in "VW" or (dtype.kind == "f" and dtype.itemsize < 4)


def fold(function: Any, rows: Any, out: np.ndarray) -> None:
    if len(rows) == 1:
        if out is not rows[0]:
            out[...] = rows[0]
        return
    function(rows[0], rows[1], out=out)
    for row in rows[2:]:
        function(out, row, out=out)
