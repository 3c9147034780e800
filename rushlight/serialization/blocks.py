"""Storages of a checkpoint: blocks of bytes, and the tensors that are views of them.

Both directions meet here: `Block` with `view` makes arrays out of the bytes of a file, `origin`
finds the whole memory block that an array looks into. Read next: `names.py`.
"""

from __future__ import annotations

import ctypes
import math
from dataclasses import dataclass
from typing import Any

import numpy as np

from .. import dtypes
from ..kernels.meta import MetaArray
from ..storage import TypedStorage
from .unpickler import broken, shown

STORAGE_NAMES: dict[str, dtypes.dtype | None] = {
    "DoubleStorage": dtypes.float64,
    "FloatStorage": dtypes.float32,
    "HalfStorage": dtypes.float16,
    "BFloat16Storage": dtypes.bfloat16,
    "LongStorage": dtypes.int64,
    "IntStorage": dtypes.int32,
    "ShortStorage": dtypes.int16,
    "CharStorage": dtypes.int8,
    "ByteStorage": dtypes.uint8,
    "BoolStorage": dtypes.bool,
    "ComplexFloatStorage": dtypes.complex64,
    "ComplexDoubleStorage": dtypes.complex128,
    "UntypedStorage": None,
}
NAME_OF_STORAGE = {d: name for name, d in STORAGE_NAMES.items() if d is not None}


@dataclass(frozen=True)
class StorageKind:
    """What `torch.FloatStorage` stands for in a persistent id: an element type, or bytes alone."""

    dtype: dtypes.dtype | None

    @property
    def itemsize(self) -> int:
        return 1 if self.dtype is None else self.dtype.itemsize


class Block(TypedStorage):
    """A storage read from a file; also what a program gets that saved a storage by itself.

    Args:
        memory: its bytes, a one-dimensional uint8 array; None on the meta device.
        kind: how the file types it.
        nbytes: its size, where there is no memory.
    """

    def __init__(self, memory: np.ndarray | None, kind: StorageKind, nbytes: int = 0) -> None:
        self._root = MetaArray((nbytes,), np.uint8) if memory is None else memory
        self.memory = memory
        self.kind = kind
        self.dtype = dtypes.uint8 if kind.dtype is None else kind.dtype


def view(block: Block, dtype: dtypes.dtype, offset: Any, size: Any, stride: Any) -> np.ndarray:
    """The array of a tensor in `block`; CheckpointError unless it lies inside."""
    size, stride = shape_and_stride(offset, size, stride)
    memory = block.memory
    assert memory is not None
    if 0 in size:
        return np.empty(size, dtype.np) if not memory.size else _at(memory, dtype, 0, size, stride)
    last = offset + sum((n - 1) * s for n, s in zip(size, stride, strict=True))
    if (last + 1) * dtype.itemsize > memory.nbytes:
        raise broken(
            "a tensor reaches beyond its storage",
            f"element {last} of {dtype!r}",
            f"at most {memory.nbytes // dtype.itemsize} elements",
        )
    return _at(memory, dtype, offset * dtype.itemsize, size, stride)


def shape_and_stride(
    offset: Any, size: Any, stride: Any
) -> tuple[tuple[int, ...], tuple[int, ...]]:
    """`size` and `stride` as tuples; CheckpointError unless they can be those of a tensor."""
    given = isinstance(size, tuple | list) and isinstance(stride, tuple | list)
    if (
        not given
        or len(size) != len(stride)
        or len(size) > 64
        or not all(type(n) is int and 0 <= n < 2**63 for n in (offset, *size, *stride))
    ):
        raise broken(
            "a tensor has an impossible shape", f"size {shown(size)}, stride {shown(stride)}"
        )
    return tuple(size), tuple(stride)


def _at(
    memory: np.ndarray,
    dtype: dtypes.dtype,
    begin: int,
    size: tuple[int, ...],
    stride: tuple[int, ...],
) -> np.ndarray:
    if math.prod(size) * dtype.itemsize >= 2**62:
        raise broken("a tensor has an impossible shape", f"size {shown(size)}")
    steps = tuple(s * dtype.itemsize for s in stride)
    return np.ndarray(size, dtype.np, buffer=memory, offset=begin, strides=steps)


def swap_bytes(memory: np.ndarray, dtype: dtypes.dtype) -> None:
    """Turn the elements of a storage of the other byte order around, in place."""
    width = dtype.itemsize // (2 if dtype.is_complex else 1)
    pieces = memory[: memory.size // width * width].reshape(-1, width)
    pieces[...] = pieces[:, ::-1].copy()


@dataclass(frozen=True)
class Span:
    """A piece of memory: where a whole storage lies, while the arrays over it are alive."""

    address: int
    nbytes: int

    def bytes(self) -> memoryview:
        """The memory itself, without a copy."""
        kind = ctypes.c_ubyte * self.nbytes
        return memoryview(kind.from_address(self.address) if self.nbytes else kind()).cast("B")


def origin(a: np.ndarray) -> tuple[Span, int]:
    """The whole memory block that `a` looks into, and where in it (in bytes) `a` begins.

    Arrays that share memory give the same span, so what is shared is stored once.
    """
    root, below = a, a.base
    while below is not None:
        if isinstance(below, np.ndarray):
            root = below
        below = getattr(below, "base", None)  # also through what as_strided puts in between
    low, high = np.lib.array_utils.byte_bounds(root) if root.size else (root.ctypes.data,) * 2
    if not a.size:
        return Span(low, high - low), 0
    begin, end = np.lib.array_utils.byte_bounds(a)
    if begin < low or end > high:  # memory of another library: no more is known than `a` itself
        low, high = begin, end
    return Span(low, high - low), a.ctypes.data - low
