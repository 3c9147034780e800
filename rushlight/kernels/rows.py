"""Plans of kernels over rows: a body by machine code, or by NumPy.

`plan` makes the plan of one body (`codegen/row_body.py`) for arrays of certain shapes, types and
strides. Families put it into their own plans' keys: `softmax/select.py`, `loss/select.py`,
`norm/select.py`, `pool/select.py`.

Not here: the bodies, and how LLVM reads them (`codegen/rows.py`).
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

import numpy as np

from . import runtime, tuning
from .codegen.row_body import LOW, RowBody, by_numpy, computed
from .dense import in_order, in_rows
from .meta import MetaArray
from .plan import Launch, Plan, Reference, nbytes

Array = Any
Metas = dict[str, Any]
ELEMENTS = {
    np.dtype(np.float32): "float", np.dtype(np.float64): "double",
    np.dtype(np.float16): "half", LOW[1]: "bfloat",
}  # fmt: skip
WIDE_ELEMENTS = (np.dtype(np.float32), np.dtype(np.float64))
INT64 = np.dtype(np.int64)


def has_kernels(dtype: Any) -> bool:
    """Whether rows of a type can be computed by machine code here."""
    if dtype not in ELEMENTS or not runtime.available():
        return False
    return dtype != np.float16 or has_half()


def has_half() -> bool:
    """Whether the CPU converts float16."""
    from .codegen import half

    return half.has_half()


def meta(a: Any) -> MetaArray | None:
    """What a plan asks of an array: its shape, type and strides."""
    return None if a is None else MetaArray(a.shape, a.dtype, a.strides)


def contiguous(m: Any) -> bool:
    """Whether elements lie in row-major order without gaps, whatever strides of size 1 say."""
    step = m.dtype.itemsize
    for n, s in zip(reversed(m.shape), reversed(m.strides), strict=True):
        if n != 1:
            if s != step:
                return False
            step *= n
    return True


def dense(name: str, m: Any, dtype: Any, made: list[Any]) -> str:
    """What a plan calls an operand in row-major order and of a type: a copy is made, by a launch
    added to `made`, where it is not so."""
    if m.dtype == dtype and contiguous(m):
        return name
    made.append(Reference(laid_out, (name,), (f"{name}_dense",), dtype=dtype))
    return f"{name}_dense"


def laid_out(a: Array, *, dtype: Any) -> Array:
    """An array in row-major order, of a type."""
    if a.dtype != dtype:
        return in_order(a, dtype)
    return a if a.flags.c_contiguous else in_order(a)


def takes(body: RowBody, operands: Metas, dim: int, least: int) -> bool:
    """Whether a kernel computes a body along `dim` of rows of at least so many elements."""
    x = operands[next(k for k in operands if body.kinds[k] == "row")]
    if not x.size or x.size < least or not has_kernels(x.dtype):
        return False
    wanted = {"row": x.dtype, "index": INT64}
    other = computed(x.dtype)
    return all(m.dtype == wanted.get(body.kinds[k], other) for k, m in operands.items())


def launches(
    body: RowBody,
    operands: Metas,
    results: Sequence[str],
    dim: int,
    numbers: dict[str, Any] | None = None,
    names: dict[str, str] | None = None,
    **how: Any,
) -> list[Any]:
    """What runs the kernel of a body, copying operands first that are not contiguous.

    Args:
        numbers: the body's own floats and ints.
        names: what the plan calls operands and results, where not as the body does.
        how: goes to `Interface.write`.
    """
    from .codegen import row_kernels

    names = {k: k for k in (*operands, *results)} | (names or {})
    made: list[Any] = []
    for k, m in operands.items():
        names[k] = dense(names[k], m, m.dtype, made)
    x = operands[next(k for k in operands if body.kinds[k] == "row")]
    element, n = ELEMENTS[x.dtype], x.shape[dim]
    inner, given = math.prod(x.shape[dim + 1 :]), tuple(names)
    if inner == 1:
        kernel, rows_ = row_kernels.row_kernel(body, element, given, **how), x.size // n
        each = max(1, tuning.ROWS_CHUNK // n)
        ints = {"n": n, "rows": rows_, "numbers": rows_, "period": 1, "each": each}
        chunks = -(-rows_ // each)
    else:
        vectors = 4 if inner >= tuning.ROWS_WIDE else 1
        kernel = row_kernels.column_kernel(body, element, given, vectors, **how)
        width = row_kernels.columns(element, vectors)
        blocks, outer = -(-inner // width), x.size // (n * inner)
        count, each = outer * blocks, max(1, tuning.ROWS_CHUNK // (n * width))
        ints = {"n": n, "inner": inner, "numbers": outer * inner, "blocks": blocks,
                "count": count, "each": each}  # fmt: skip
        chunks = -(-count // each)
    made.append(Launch(kernel, **names, **ints, chunks=chunks, **(numbers or {})))
    return made


def reference(
    *arrays: Array, body: RowBody, operands: Sequence[str], wanted: Sequence[str], dim: int,
    floats: dict[str, float],
) -> Any:  # fmt: skip
    """The results of a body by NumPy."""
    given = dict(zip(operands, arrays, strict=True))
    found = [in_rows(y) for y in by_numpy(body, given, wanted, dim, floats)]
    return found[0] if len(found) == 1 else tuple(found)


def plan(
    name: str,
    body: RowBody,
    operands: Metas,
    results: dict[str, MetaArray],
    dim: int,
    least: int,
    floats: dict[str, float] | None = None,
    flops: int = 0,
) -> Plan:
    """The plan of a body: results of `operands`, which `run` takes in their order.

    Args:
        dim: the dimension of the first rows among the operands that is a row.
        least: elements from which on a kernel is used.
        flops: of one element.
    """
    given, floats = tuple(operands), floats or {}
    made: list[Any]
    if takes(body, operands, dim, least):
        made = launches(body, operands, tuple(results), dim, floats)
        way = made[-1].kernel.interface.name.partition("_")[0]
    else:
        made = [Reference(reference, given, tuple(results), body=body, operands=given,
                          wanted=tuple(results), dim=dim, floats=floats)]  # fmt: skip
        way = "numpy"
    size = math.prod(next(m for k, m in operands.items() if body.kinds[k] == "row").shape)
    return Plan(
        f"{name}.{way}", given, results, made, flops=flops * size,
        bytes=nbytes(*operands.values(), *results.values()),
    )  # fmt: skip

