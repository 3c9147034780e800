"""Where storages go: `map_location` in all its forms, and devices that packages register.

Read next: `loading.py`.
"""

from __future__ import annotations

import sys
from collections.abc import Callable
from typing import Any

from ..config import current
from ..device import CPU, device, usable
from ..errors import message
from ..storage import StorageBase
from .blocks import Block
from .errors import CheckpointError
from .unpickler import CallerError, shown

MapLocation = Callable[[Any, str], Any] | device | str | dict[str, str] | None
Tagger = Callable[[Any], str | None]
Deserializer = Callable[[Any, str], Any]

_packages: list[tuple[int, Tagger, Deserializer]] = []


def register_package(priority: int, tagger: Tagger, deserializer: Deserializer) -> None:
    """Teach `save` and `load` a kind of device.

    Args:
        priority: packages are asked in rising order; the CPU has 10.
        tagger: gives the location of a storage, as the file names it, or None.
        deserializer: `(storage, location)` gives the storage moved there, or None when the location
            is not one of its own.

    >>> register_package(90, lambda storage: None, lambda storage, location: None)
    """
    _packages.append((priority, tagger, deserializer))
    _packages.sort(key=lambda entry: entry[0])


def normalize_storage_type(storage_type: type) -> type:
    """The class of storages that is called like this one: of `torch.cuda.FloatStorage` too.

    >>> torch.serialization.normalize_storage_type(torch.FloatStorage)
    <class 'torch.FloatStorage'>
    """
    found: type = getattr(sys.modules[__name__.partition(".")[0]], storage_type.__name__)
    return found


def location_tag(storage: Any) -> str:
    """The location of a storage as files name it.

    >>> location_tag(torch.ones(2).untyped_storage())
    'cpu'
    """
    for _, tagger, _ in _packages:
        location = tagger(storage)
        if location:
            return location
    raise RuntimeError(f"don't know how to determine data location of {type(storage).__name__}")


def default_restore_location(storage: Any, location: str) -> Any:
    """`storage` moved to `location`; RuntimeError when no package knows the location.

    >>> storage = torch.ones(2).untyped_storage()
    >>> default_restore_location(storage, "cpu") is storage
    True
    """
    for _, _, deserializer in _packages:
        placed = deserializer(storage, location)
        if placed is not None:
            return placed
    raise RuntimeError(
        f"don't know how to restore data location of {type(storage).__name__} "
        f"(tagged with {location})"
    )


def validate_cuda_device(location: str) -> int:
    """RuntimeError: there are no CUDA devices here, whatever `location` says.

    >>> try:
    ...     torch.serialization.validate_cuda_device("cuda:0")
    ... except RuntimeError:
    ...     print("load with map_location='cpu'")
    load with map_location='cpu'
    """
    if current.cuda_as_cpu:
        return 0
    raise unavailable(location)


def _own_tag(storage: Any) -> str | None:
    kind = storage.device.type
    return kind if kind in ("cpu", "meta") else None


def _own_place(storage: Any, location: str) -> Any:
    if location == "cpu":
        return storage
    if location == "meta":
        return Block(None, storage.kind, storage.nbytes()) if type(storage) is Block else storage
    return None


register_package(10, _own_tag, _own_place)


def unavailable(location: str) -> CheckpointError:
    """The error for a storage that was saved on a device that is not here."""
    kind = location.split(":")[0]
    test = f" but torch.{kind}.is_available() is False" if kind in ("cuda", "mps", "xpu") else ""
    where = "a CUDA device" if kind == "cuda" else f"device {shown(location)}"
    return CheckpointError(
        message(
            f"load: Attempting to deserialize object on {where}{test}",
            got=f"a storage that was saved on {shown(location)}",
            wanted="'cpu' or 'meta'",
            hint="load(..., map_location='cpu')",
        )
    )


class Placement:
    """Where storages go, as `map_location` says."""

    def __init__(self, map_location: MapLocation) -> None:
        self._function = None
        self._names: dict[str, str] = {}
        self._fixed: device | None = None
        if isinstance(map_location, str | device):
            self._fixed = usable(map_location, hint="load(..., map_location='cpu')")
        elif isinstance(map_location, dict):
            self._names = {str(key): str(value) for key, value in map_location.items()}
        elif callable(map_location):
            self._function = map_location
        elif map_location is not None:
            raise TypeError(
                f"map_location must be a device, a str, a dict or a function, not {map_location!r}"
            )

    def device(self) -> device:
        """The one place of all, for files that know no places; dicts and functions are refused."""
        if self._names or self._function is not None:
            what = "dict" if self._names else "callable"
            raise RuntimeError(
                message(
                    f"Loading safetensors file with {what} map_location is not supported.",
                    hint="a device: map_location='cpu'",
                )
            )
        return self._fixed if self._fixed is not None else CPU

    def _location(self, location: str) -> str:
        return str(self._fixed) if self._fixed is not None else self._names.get(location, location)

    def is_meta(self, location: str) -> bool:
        """Whether the storage keeps its shape only, so that its bytes need not be read."""
        return self._function is None and self._location(location) == "meta"

    def __call__(self, block: Block, location: str) -> Block:
        """`block` at its place; the errors of the caller's function come out unchanged."""
        try:
            if self._function is not None:
                placed = self._function(block, location)
                if placed is not None:
                    return _as_block(placed, block)
            return _as_block(self._default(block, self._location(location)), block)
        except CheckpointError:
            raise
        except Exception as error:
            raise CallerError(error) from error

    def _default(self, block: Block, location: str) -> Any:
        if location in ("cpu", "meta"):
            return _own_place(block, location)
        for _, _, deserializer in _packages:
            placed = deserializer(block, location)
            if placed is not None:
                return placed
        try:
            usable(location)
        except RuntimeError as error:
            raise unavailable(location) from error
        return block


def _as_block(placed: Any, block: Block) -> Block:
    if isinstance(placed, Block):
        return placed
    if not isinstance(placed, StorageBase):
        what = "load: the function given as map_location returned no storage"
        raise TypeError(message(what, type(placed).__name__, "a storage or None"))
    if placed.device.type == "meta":
        return Block(None, block.kind, block.nbytes())
    if placed.nbytes() < block.nbytes():
        raise ValueError(
            message(
                "load: map_location gave a storage that is too small",
                f"{placed.nbytes()} bytes",
                f"{block.nbytes()} bytes",
            )
        )
    return Block(placed.bytes(), block.kind)
