"""load: read what `save`, or PyTorch's `torch.save`, wrote.

Reading never executes anything that a file names (`unpickler.py`, `names.py`) and never allocates
more than the file holds. Not here: the formats before PyTorch 1.6 (`legacy.py`, `tar.py`).
"""

from __future__ import annotations

import io
import os
import pickle
import sys
import warnings
from typing import IO, Any

import numpy as np

from ..errors import message
from . import legacy, tar
from .archive import Reader
from .blocks import Block, StorageKind, swap_bytes
from .errors import CheckpointError, EmptyFile
from .names import Table
from .options import LoadEndianness, config, skipping
from .places import MapLocation, Placement
from .rebuild import sparse_checked
from .unpickler import Unpickler, broken, shown

FileLike = str | os.PathLike[str] | IO[bytes]


def load(
    f: FileLike,
    map_location: MapLocation = None,
    pickle_module: Any = None,
    *,
    weights_only: bool | None = None,
    mmap: bool | None = None,
    **pickle_load_args: Any,
) -> Any:
    """Read an object that `save` or PyTorch's `torch.save` wrote.

    Args:
        f: a path, or a binary file object that can seek.
        map_location: where storages go: a device or its name, a dict from saved to wanted
            locations, or a function `(storage, location) -> storage`. None keeps the saved
            location.
        pickle_module: None or `pickle`; another module would execute what the file says.
        weights_only: True (and None) allows tensors, plain values and `add_safe_globals`; False
            also the classes of this library and of the running program, and simple ones of Python
            (`argparse.Namespace`, dates, paths). With either, nothing is imported, and no function
            is called because a file names it. The variables of the environment
            TORCH_FORCE_WEIGHTS_ONLY_LOAD (always True) and TORCH_FORCE_NO_WEIGHTS_ONLY_LOAD (False
            in place of None) are PyTorch's.
        mmap: map the storages from the file instead of reading them (`f` must be a path). Their
            checksums are then not verified.
        **pickle_load_args: `encoding`, how byte strings written by Python 2 become text.

    Raises:
        CheckpointError: the file is malformed, or names what is not allowed. It is a RuntimeError
            and a `pickle.UnpicklingError`.

    >>> import io
    >>> file = io.BytesIO()
    >>> torch.save({"step": 3, "w": torch.ones(2)}, file)
    >>> _ = file.seek(0)
    >>> torch.load(file)
    {'step': 3, 'w': tensor([1., 1.])}
    """
    weights_only = _weights_only(weights_only)
    if pickle_module is not None and pickle_module is not pickle:
        raise CheckpointError(
            message(
                "load: Can not safely load weights when explicit pickle_module is specified",
                got=f"pickle_module={getattr(pickle_module, '__name__', pickle_module)!r}",
                wanted="the reader of this library, which executes nothing",
                hint="leaving pickle_module out, and add_safe_globals for classes of your own",
            )
        )
    encoding = pickle_load_args.pop("encoding", "utf-8")
    if pickle_load_args:
        raise TypeError(
            f"load() got an unexpected keyword argument {next(iter(pickle_load_args))!r}"
        )
    path = os.fspath(f) if isinstance(f, str | os.PathLike) else None
    if mmap and path is None:
        raise ValueError("f must be a string filename in order to use mmap argument")
    mapped = path if mmap or (mmap is None and config.load.mmap) else None
    table = Table(weights_only)
    if path is not None:
        if path.endswith(".safetensors"):
            from . import safetensors

            return safetensors.load_file(path, Placement(map_location).device())
        with open(path, "rb") as file, sparse_checked():
            return _load(file, map_location, table, encoding, mapped)
    _check_seekable(f)
    with sparse_checked():
        return _load(f, map_location, table, encoding, None)  # type: ignore[arg-type]


def _weights_only(asked: bool | None) -> bool:
    """What a call asks for, or what the environment says."""
    always, never = (
        os.environ.get(f"TORCH_FORCE_{name}WEIGHTS_ONLY_LOAD", "0").lower() in _TRUE
        for name in ("", "NO_")
    )
    if always and never:
        raise RuntimeError(
            "Only one of `TORCH_FORCE_WEIGHTS_ONLY_LOAD` or `TORCH_FORCE_NO_WEIGHTS_ONLY_LOAD` "
            "should be set, but both were set."
        )
    if never and asked is None:
        warnings.warn(
            "Environment variable TORCH_FORCE_NO_WEIGHTS_ONLY_LOAD detected: the `weights_only` "
            "argument was not given to load, forcing weights_only=False.",
            UserWarning,
            stacklevel=3,
        )
        return False
    return always or asked is not False


_TRUE = ("1", "y", "yes", "true")


def _check_seekable(f: Any) -> None:
    what = message(
        "load: You can only torch.load from a file that is seekable. Please pre-load the data into "
        "a buffer like io.BytesIO and try to load from it instead.",
        got=f"a {type(f).__name__}",
        wanted="a path, or a binary file object with read, seek and tell",
        hint="reading it first: io.BytesIO(f.read())",
    )
    if not all(hasattr(f, name) for name in ("read", "seek", "tell")):
        raise AttributeError(what)
    try:
        f.seek(f.tell())
    except OSError as error:
        raise io.UnsupportedOperation(what) from error


def _load(
    file: IO[bytes], map_location: MapLocation, table: Table, encoding: str, mapped: str | None
) -> Any:
    begin = file.tell()
    try:
        head = file.read(4)
    except UnicodeDecodeError as error:
        error.add_note("  got     a file that is open as text")
        error.add_note("  try     open(path, 'rb')")
        raise
    file.seek(begin)
    if isinstance(head, str):
        raise TypeError("load: the file is open as text; open it in binary mode, open(path, 'rb')")
    if not head:
        raise EmptyFile(str(broken("the file is empty (Ran out of input)")))
    place = Placement(map_location)
    if head != b"PK\x03\x04":
        if mapped is not None and not config.load.mmap:
            raise CheckpointError(
                message(
                    "load: mmap can only be used with files saved in the zip format "
                    "(_use_new_zipfile_serialization=True)",
                    got=f"{mapped}, an older or a damaged file",
                    hint="leaving mmap=True out",
                )
            )
        data, at = legacy.whole(file)
        if tar.begins(data, at):
            return tar.load(data, at, table, place, encoding)
        result, end = legacy.load(data, at, table, place, encoding)
        file.seek(begin + end - at)  # where the next object begins, if there is one
        return result
    archive = Reader(file if begin == 0 else io.BytesIO(file.read()))
    foreign = _byte_order(archive) != sys.byteorder
    storages: dict[str, Block] = {}

    def storage(saved_id: Any) -> Block:
        kind, key, location, count = storage_id(saved_id)
        if key in storages:
            if storages[key].kind is not kind:
                raise broken("one storage has two element types")
            return storages[key]
        nbytes = count * kind.itemsize
        if place.is_meta(location):
            memory = None
        elif skipping():
            memory = np.zeros(min(nbytes, archive.size(f"data/{key}")), np.uint8)
        elif mapped is not None and not foreign:
            memory = archive.mapped(f"data/{key}", nbytes, mapped)
        else:
            memory = archive.memory(f"data/{key}", nbytes)
            if foreign and kind.dtype is not None:
                swap_bytes(memory, kind.dtype)
        storages[key] = place(Block(memory, kind, nbytes), location)
        return storages[key]

    return Unpickler(archive.read("data.pkl"), table, storage, encoding=encoding).load()


def _byte_order(archive: Reader) -> str:
    if "byteorder" in archive:
        order = archive.read("byteorder")
        if order not in (b"little", b"big"):
            raise broken("its byte order is unknown", repr(order)[:40], "'little' or 'big'")
        return order.decode()
    wanted = config.load.endianness
    if wanted is LoadEndianness.NATIVE:
        return sys.byteorder
    return "big" if wanted is LoadEndianness.BIG else "little"


def storage_id(saved_id: Any) -> tuple[StorageKind, str, str, int]:
    """The parts of a persistent id: element type, key, location, number of elements."""
    if not isinstance(saved_id, tuple) or len(saved_id) not in (5, 6) or saved_id[0] != "storage":
        raise broken("a persistent id names no storage", shown(saved_id))
    _, kind, key, location, count = saved_id[:5]
    if not isinstance(kind, StorageKind) or type(count) is not int or count < 0:
        raise broken("a persistent id is malformed", shown(saved_id))
    if type(key) is not str or type(location) is not str or "/" in key or ".." in key:
        raise broken("a persistent id is malformed", shown(saved_id))
    return kind, key, location, count
