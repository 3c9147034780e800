"""Memory that is a file: `torch.from_file`, `UntypedStorage.from_file`."""

from __future__ import annotations

import mmap
import os
from typing import Any

import numpy as np

from . import dtypes
from .autograd import door
from .errors import message


def mapped(filename: str, shared: bool, nbytes: int) -> Any:
    """The first bytes of a file as an array. `shared`: what is written goes to the file, which is
    made, or made longer, where that is needed."""
    name = os.fspath(filename)
    flags = os.O_RDWR | os.O_CREAT if shared else os.O_RDONLY
    try:
        file = os.open(name, flags, 0o600)
    except OSError as error:
        mode = "read-write" if shared else "read-only"
        raise RuntimeError(
            f"unable to open file <{name}> in {mode} mode: {error.strerror} ({error.errno})"
        ) from None
    try:
        size = os.fstat(file).st_size
        if size < nbytes:
            if not shared:
                raise RuntimeError(
                    message(
                        f"file <{name}> size <{size}> is smaller than the required mapping size "
                        f"<{nbytes}>",
                        hint="a smaller size, or shared=True, which makes the file longer",
                    )
                )
            os.ftruncate(file, nbytes)
        if nbytes == 0:
            return np.empty(0, np.uint8)
        access = mmap.ACCESS_WRITE if shared else mmap.ACCESS_COPY
        return np.frombuffer(mmap.mmap(file, nbytes, access=access), np.uint8)
    finally:
        os.close(file)


def from_file(
    filename: str,
    shared: bool | None = None,
    size: int | None = 0,
    *,
    dtype: Any = None,
    layout: Any = None,
    device: Any = None,
    pin_memory: bool = False,
    requires_grad: bool = False,
) -> Any:
    """A tensor whose memory is a file.

    Args:
        filename: the file.
        shared: whether what is written to the tensor goes to the file, which is then made, or made
            longer, where that is needed. Otherwise the file must be there and large enough.
        size: how many elements.
        dtype: their type; the default type unless given.
    """
    from .device import META, usable
    from .ops.create.arguments import in_layout

    if layout is not None:
        in_layout("from_file", layout, ())
    if pin_memory:
        raise RuntimeError("tensors constructed from a file cannot be pinned")
    if usable(device) is META:
        raise NotImplementedError("from_file: a file's memory is on the CPU")
    kind = dtypes.get_default_dtype() if dtype is None else dtypes.of(dtype)
    bytes_ = mapped(filename, bool(shared), int(size or 0) * kind.itemsize)
    made: Any = door.wrap(bytes_.view(kind.np))
    return made.requires_grad_() if requires_grad else made
