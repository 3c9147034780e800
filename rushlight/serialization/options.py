"""Settings of `save` and `load`, under PyTorch's names: byte order, mapping, checksums, skipping.

The same object is `torch.utils.serialization.config`. Not here: where storages go (`places.py`).
"""

from __future__ import annotations

import enum
import mmap
import sys
import threading
from typing import Any

from ..errors import message


class LoadEndianness(enum.Enum):
    """The byte order of files that do not record theirs.

    >>> torch.serialization.set_default_load_endianness(torch.serialization.LoadEndianness.LITTLE)
    >>> torch.serialization.get_default_load_endianness().name
    'LITTLE'
    >>> torch.serialization.set_default_load_endianness(None)
    """

    NATIVE = 1
    LITTLE = 2
    BIG = 3


class _Load:
    """Options of `load`."""

    def __init__(self) -> None:
        self.mmap: bool = False  # what `mmap=None` means
        self.endianness: LoadEndianness | None = None
        self.mmap_flags: int = getattr(mmap, "MAP_PRIVATE", 2)
        self.calculate_storage_offsets: bool = False
        self.check_crc32: bool = True


class _Save:
    """Options of `save`."""

    def __init__(self) -> None:
        self.compute_crc32: bool = True
        self.use_pinned_memory_for_d2h: bool = False
        self.storage_alignment: int = 64


class Config:
    """All options: `config.load` and `config.save`."""

    def __init__(self) -> None:
        self.load = _Load()
        self.save = _Save()


config = Config()


def get_default_load_endianness() -> LoadEndianness | None:
    """The byte order that files without a record of it are read with; None means little.

    >>> get_default_load_endianness() is None
    True
    """
    return config.load.endianness


def set_default_load_endianness(endianness: LoadEndianness | None) -> None:
    """Set the byte order that files without a record of it are read with.

    >>> set_default_load_endianness(LoadEndianness.LITTLE)
    >>> get_default_load_endianness()
    <LoadEndianness.LITTLE: 2>
    >>> set_default_load_endianness(None)
    """
    if endianness is not None and not isinstance(endianness, LoadEndianness):
        raise TypeError("Invalid argument type in function set_default_load_endianness")
    config.load.endianness = endianness


def get_default_mmap_options() -> int:
    """`mmap.MAP_PRIVATE` (changes stay in memory) or `mmap.MAP_SHARED` (they reach the file).

    >>> import mmap
    >>> torch.serialization.get_default_mmap_options() == mmap.MAP_PRIVATE
    True
    """
    return config.load.mmap_flags


class set_default_mmap_options:
    """Set how `load(..., mmap=True)` maps files; also a context manager.

    >>> import mmap
    >>> with set_default_mmap_options(mmap.MAP_SHARED):
    ...     get_default_mmap_options() == mmap.MAP_SHARED
    True
    """

    def __init__(self, flags: int) -> None:
        if sys.platform == "win32":
            raise RuntimeError(
                "Changing the default mmap options is currently not supported for Windows"
            )
        if flags not in (mmap.MAP_PRIVATE, mmap.MAP_SHARED):
            raise ValueError(
                message(
                    "set_default_mmap_options: Invalid argument in function",
                    got=flags,
                    wanted="expected mmap.MAP_PRIVATE or mmap.MAP_SHARED",
                )
            )
        self._before = config.load.mmap_flags
        config.load.mmap_flags = flags

    def __enter__(self) -> None:
        pass

    def __exit__(self, *_: object) -> None:
        config.load.mmap_flags = self._before


def get_crc32_options() -> bool:
    """Whether `save` writes checksums, and `load` verifies them.

    >>> get_crc32_options()
    True
    """
    return config.save.compute_crc32


def set_crc32_options(compute_crc32: bool) -> None:
    """Turn checksums on or off: without, damage inside a tensor goes unnoticed.

    Computing them takes about half a second for a gigabyte. Without, `save` writes zeros, as
    PyTorch's: `load` reads such a file always, programs that unpack zip archives may refuse it.

    >>> set_crc32_options(True)
    """
    config.save.compute_crc32 = config.load.check_crc32 = bool(compute_crc32)


class _Local(threading.local):
    skip_data = False
    materialize_fake_tensors = False


_serialization_tls = _Local()


class skip_data:
    """Inside, `save` leaves the space of the storages empty and `load` does not read them.

    Args:
        materialize_fake_tensors: `save` writes FakeTensors as the tensors that they stand for:
            a file with the space for a model that was made without memory. A slice of one lies at
            the beginning of its storage, for meta tensors know no offsets.

    >>> import io
    >>> file = io.BytesIO()
    >>> with torch.serialization.skip_data():
    ...     torch.save(torch.ones(2), file)
    >>> _ = file.seek(0)
    >>> torch.load(file)
    tensor([0., 0.])
    """

    def __init__(self, materialize_fake_tensors: bool = False) -> None:
        self.materialize_fake_tensors = materialize_fake_tensors

    def __enter__(self) -> None:
        now = _serialization_tls
        self._before = now.skip_data, now.materialize_fake_tensors
        now.skip_data, now.materialize_fake_tensors = True, self.materialize_fake_tensors

    def __exit__(self, *_: Any) -> None:
        now = _serialization_tls
        now.skip_data, now.materialize_fake_tensors = self._before


def skipping() -> bool:
    """Whether this thread is inside `skip_data`."""
    return _serialization_tls.skip_data


def materializing() -> bool:
    """Whether this thread is inside `skip_data(materialize_fake_tensors=True)`."""
    return _serialization_tls.materialize_fake_tensors
