"""IDX files, the format of MNIST: two zero bytes, a type byte, the number of dimensions, each size
as a big-endian int32, then the elements (http://yann.lecun.com/exdb/mnist).

Read next: `mnist.py`.
"""

from __future__ import annotations

import os
from typing import IO, Any

import numpy as np

from ...errors import message
from ...tensor import Tensor
from . import _archives

_TYPES = {8: ">u1", 9: ">i1", 11: ">i2", 12: ">i4", 13: ">f4", 14: ">f8"}
_MAGIC = {b"\x1f\x8b": ".gz", b"\xfd7": ".xz", b"BZ": ".bz2"}
_MAX_BYTES = 1 << 31  # of one unpacked file: the largest, of EMNIST, has 547 MB


class Broken(RuntimeError):
    """A file that is no whole IDX file."""

    def __init__(self, path: Any, got: str) -> None:
        super().__init__(
            message(
                f"{os.fspath(path)} is not a whole IDX file; it may be corrupted",
                got=got,
                hint="deleting it, and download=True",
            )
        )


def read_idx(path: str | os.PathLike[str]) -> np.ndarray:
    """The array in an IDX file, packed (gzip, xz, bzip2) or not.

    Raises:
        RuntimeError: the file is not IDX, or its length does not match its header.
    """
    import lzma
    import zlib

    packing = packing_of(path)
    try:
        with open(path, "rb") if packing is None else _archives.opener(packing)(path) as file:
            dtype, shape, _ = _header(path, file)
            wanted = dtype.itemsize * int(np.prod(shape, dtype=object))
            if wanted > _MAX_BYTES:
                raise Broken(path, f"its header promises {wanted} bytes")
            raw = file.read(wanted + 1)
    except (EOFError, zlib.error, lzma.LZMAError, OSError) as error:
        if isinstance(error, OSError) and error.errno is not None:
            raise
        raise Broken(path, f"its packing is damaged: {error}") from error
    if len(raw) != wanted:
        raise Broken(path, f"{'more' if len(raw) > wanted else len(raw)} bytes for shape {shape}")
    return np.frombuffer(raw, dtype).reshape(shape).astype(dtype.newbyteorder("="))


def packing_of(path: str | os.PathLike[str]) -> str | None:
    """How a file is packed, from its first bytes; None for not at all."""
    with open(path, "rb") as file:
        return _MAGIC.get(file.read(2))


def is_whole(path: str) -> bool:
    """Whether an unpacked IDX file has the length that its header promises: quick."""
    try:
        with open(path, "rb") as file:
            dtype, shape, begin = _header(path, file)
    except (Broken, OSError):
        return False
    return os.path.getsize(path) == begin + dtype.itemsize * int(np.prod(shape, dtype=object))


def _header(path: Any, file: IO[bytes]) -> tuple[np.dtype, tuple[int, ...], int]:
    head = file.read(4)
    if len(head) < 4 or head[:2] != b"\0\0" or head[2] not in _TYPES:
        raise Broken(path, f"it begins with {head!r}")
    sizes = file.read(4 * head[3])
    if len(sizes) < 4 * head[3]:
        raise Broken(path, f"its header is cut off after {4 + len(sizes)} bytes")
    shape = tuple(int(n) for n in np.frombuffer(sizes, ">i4"))
    if min(shape, default=0) < 0:
        raise Broken(path, f"shape {shape}")
    return np.dtype(_TYPES[head[2]]), shape, 4 + len(sizes)


# torchvision's names


def read_sn3_pascalvincent_tensor(path: str | os.PathLike[str], strict: bool = True) -> Tensor:
    """The tensor in an IDX file; `strict` is accepted, and always so."""
    return Tensor._wrap(read_idx(path))


def read_image_file(path: str | os.PathLike[str]) -> Tensor:
    """The images of an IDX file: a uint8 tensor of shape (N, H, W)."""
    return Tensor._wrap(_bytes(path, 3))


def read_label_file(path: str | os.PathLike[str]) -> Tensor:
    """The labels of an IDX file: an int64 tensor of shape (N,)."""
    return Tensor._wrap(_bytes(path, 1).astype(np.int64))


def _bytes(path: str | os.PathLike[str], ndim: int) -> np.ndarray:
    array = read_idx(path)
    if array.dtype != np.uint8:
        raise TypeError(f"{os.fspath(path)} should be of dtype uint8 instead of {array.dtype}")
    if array.ndim != ndim:
        raise ValueError(f"{os.fspath(path)} should have {ndim} dimensions instead of {array.ndim}")
    return array
