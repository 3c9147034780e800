"""load: read what `save`, or PyTorch's `torch.save`, wrote.

Reading never executes anything that a file names (`unpickler.py`, `names.py`) and never allocates
more than the file holds. Not here: the format before PyTorch 1.6 (`legacy.py`).
"""

from __future__ import annotations

import io
import os
import pickle
import pickletools
from collections.abc import Callable
from typing import IO, Any

import numpy as np

from ..device import device, usable
from ..errors import message
from . import legacy
from .archive import Reader
from .blocks import Block, StorageKind, swap_bytes
from .errors import CheckpointError
from .names import Table
from .unpickler import Unpickler, broken, shown

FileLike = str | os.PathLike[str] | IO[bytes]
MapLocation = Callable[[Any, str], Any] | device | str | dict[str, str] | None


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
            also the classes of `nn` and `optim`. Nothing else is ever built, with either.
        mmap: map the storages from the file instead of reading them (`f` must be a path).
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
    table = Table(weights_only is not False)
    if path is not None:
        with open(path, "rb") as file:
            return _load(file, map_location, table, encoding, path if mmap else None)
    if not hasattr(f, "read") or not hasattr(f, "seek"):
        raise AttributeError(
            message(
                "load: expected a path or a file object that you can seek",
                got=f"a {type(f).__name__}",
                hint="reading it into io.BytesIO(f.read()) first",
            )
        )
    return _load(f, map_location, table, encoding, None)  # type: ignore[arg-type]


def _load(
    file: IO[bytes], map_location: MapLocation, table: Table, encoding: str, mapped: str | None
) -> Any:
    begin = file.tell()
    head = file.read(4)
    file.seek(begin)
    if not head:
        raise broken("the file is empty (Ran out of input)")
    place = Placement(map_location)
    if head != b"PK\x03\x04":
        return legacy.load(file, table, place, encoding)
    archive = Reader(file if begin == 0 else io.BytesIO(file.read()))
    order = archive.read("byteorder").decode() if "byteorder" in archive else "little"
    if order not in ("little", "big"):
        raise broken("its byte order is unknown", repr(order)[:40], "'little' or 'big'")
    foreign = order != ("little" if np.little_endian else "big")
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
        elif mapped is not None and not foreign:
            memory = archive.mapped(f"data/{key}", nbytes, mapped)
        else:
            memory = archive.memory(f"data/{key}", nbytes)
            if foreign and kind.dtype is not None:
                swap_bytes(memory, kind.dtype)
        storages[key] = place(Block(memory, kind, nbytes), location)
        return storages[key]

    return Unpickler(archive.read("data.pkl"), table, storage, encoding=encoding).load()


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


class Placement:
    """Where storages go, as `map_location` says."""

    def __init__(self, map_location: MapLocation) -> None:
        self._map = map_location
        if isinstance(map_location, str | device):
            self._fixed = usable(map_location)
        elif not (map_location is None or isinstance(map_location, dict) or callable(map_location)):
            raise TypeError(
                f"map_location must be a device, a str, a dict or a function, not {map_location!r}"
            )

    def _device(self, location: str) -> device:
        if isinstance(self._map, str | device):
            return self._fixed
        if isinstance(self._map, dict):
            location = str(self._map.get(location, location))
        try:
            return usable(location)
        except RuntimeError as error:
            raise RuntimeError(
                message(
                    f"load: Attempting to deserialize object on device '{location}', but it is not "
                    "available (torch.cuda.is_available() is False)",
                    got=f"a storage that was saved on '{location}'",
                    wanted="'cpu' or 'meta'",
                    hint="load(..., map_location='cpu')",
                )
            ) from error

    def is_meta(self, location: str) -> bool:
        """Whether the storage keeps its shape only."""
        return not callable(self._map) and self._device(location).type == "meta"

    def __call__(self, block: Block, location: str) -> Block:
        if callable(self._map) and not isinstance(self._map, device):
            placed = self._map(block, location)
            if placed is None:  # the function leaves it to the default
                self._device(location)
            on_meta = getattr(getattr(placed, "device", None), "type", "cpu") == "meta"
            return Block(None, block.kind, block.nbytes()) if on_meta else block
        return block


def get_unsafe_globals_in_checkpoint(f: FileLike) -> list[str]:
    """The names in a checkpoint that `load` does not allow, sorted; nothing is built."""
    if isinstance(f, str | os.PathLike):
        with open(f, "rb") as file:
            data = Reader(file).read("data.pkl")
    else:
        data = Reader(f).read("data.pkl")
    table = Table(weights_only=True)
    return sorted(
        f"{module}.{name}" for module, name in _globals(data) if not table.allows(module, name)
    )


def _globals(data: bytes) -> set[tuple[str, str]]:
    found: set[tuple[str, str]] = set()
    texts: list[str] = []
    try:
        for opcode, arg, _ in pickletools.genops(data):
            if opcode.name == "GLOBAL":
                module, _, name = str(arg).partition(" ")
                found.add((module, name))
            elif opcode.name == "STACK_GLOBAL" and len(texts) >= 2:
                found.add((texts[-2], texts[-1]))
            elif isinstance(arg, str):
                texts.append(arg)
    except ValueError as error:
        raise broken(f"its pickle is malformed ({error})") from error
    return found
