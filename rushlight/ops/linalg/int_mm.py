"""`torch._int_mm`: products of matrices of bytes, which programs with quantized weights ask for.

Not here: `matmul`, whose result has the type of its operands (`matmul.py`).
"""

from __future__ import annotations

from typing import Any

from ... import dtypes
from ...errors import message

# Up to this many products of bytes (255 * 128 each) have a sum that float32 holds exactly.
_EXACT = 2**24 // (255 * 128)


def _int_mm(self: Any, mat2: Any, *, out: Any = None) -> Any:
    """The product of two matrices of bytes, as int32.

    Args:
        self: (n, k), int8 or uint8.
        mat2: (k, m), int8.
        out: (n, m), int32.

    Raises:
        RuntimeError: other types, or sizes that do not fit.

    >>> torch._int_mm(torch.tensor([[100, 100]], dtype=torch.int8), torch.ones(2, 1).to(torch.int8))
    tensor([[200]], dtype=torch.int32)
    """
    name = "int_mm_out_cpu"
    for what, x in (("self", self), ("mat2", mat2)):
        if x.ndim != 2:
            raise RuntimeError(f"{name}: Expected {what} to be of dimension 2 but got {x.ndim}")
    if self.dtype not in (dtypes.int8, dtypes.uint8):
        raise RuntimeError(
            f"{name}: Expected self dtype to be int8 or uint8 but got {_word(self.dtype)}"
        )
    if mat2.dtype is not dtypes.int8:
        raise RuntimeError(
            f"{name}: Expected mat2 dtype to be of type int8 but got {_word(mat2.dtype)}"
        )
    (n, k), (inner, m) = self.shape, mat2.shape
    if k != inner:
        raise RuntimeError(
            message(
                f"{name}: self.size(1) needs to match mat2.size(0) but got {k} and {inner}",
                got=f"{tuple(self.shape)} @ {tuple(mat2.shape)}",
            )
        )
    if out is not None:
        _check_out(name, out, (n, m))
    kind = dtypes.float32 if k <= _EXACT else dtypes.float64
    y = (self.to(kind) @ mat2.to(kind)).to(dtypes.int32)
    return y if out is None else out.copy_(y)


def _check_out(name: str, out: Any, shape: tuple[int, int]) -> None:
    if out.dtype is not dtypes.int32:
        raise RuntimeError(
            f"{name}: Expected result dtype to be of type kInt but got {_word(out.dtype)}"
        )
    for d, n in enumerate(shape):
        if out.ndim <= d or out.shape[d] != n:
            raise RuntimeError(
                f"{name}: Expected result.size({d}) to be {n} but got "
                f"{out.shape[d] if out.ndim > d else None}"
            )


def _word(dtype: Any) -> str:
    """The name of a type as C++ has it: `float`, `int`."""
    return str(dtypes.type_name(dtype)).lower()
