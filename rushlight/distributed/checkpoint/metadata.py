"""What a checkpoint holds: for each name its type, size and chunks, and where they are.

The classes have PyTorch's names and fields, since files hold them (`metadata_file.py`).
"""

from __future__ import annotations

import dataclasses
import enum
import os
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

from ... import layout as layouts
from ...dtypes import dtype as Dtype
from ...dtypes import get_default_dtype
from ...size import Size
from ...tensor import Tensor


@dataclass
class ChunkStorageMetadata:
    """A box of a tensor: where it begins and how large it is, a number for each dimension."""

    offsets: Size
    sizes: Size


class _MEM_FORMAT_ENCODING(enum.Enum):
    """A memory format in files."""

    TORCH_CONTIGUOUS_FORMAT = 0
    TORCH_CHANNELS_LAST = 1
    TORCH_PRESERVE_FORMAT = 2


_FORMATS = {
    _MEM_FORMAT_ENCODING.TORCH_CONTIGUOUS_FORMAT: layouts.contiguous_format,
    _MEM_FORMAT_ENCODING.TORCH_CHANNELS_LAST: layouts.channels_last,
    _MEM_FORMAT_ENCODING.TORCH_PRESERVE_FORMAT: layouts.preserve_format,
}


@dataclass
class TensorProperties:
    """The type of a tensor. The other fields are PyTorch's of former days."""

    dtype: Dtype = field(default_factory=get_default_dtype)
    layout: layouts.layout = layouts.strided
    requires_grad: bool = False
    memory_format: layouts.memory_format = layouts.contiguous_format
    pin_memory: bool = False

    def __getstate__(self) -> tuple[Any, ...]:
        for code, known in _FORMATS.items():
            if known is self.memory_format:
                return self.dtype, self.layout, self.requires_grad, code, self.pin_memory
        raise RuntimeError(f"Invalid torch.memory_format: {self.memory_format}")

    def __setstate__(self, state: tuple[Any, ...]) -> None:
        self.dtype, self.layout, self.requires_grad, code, self.pin_memory = state
        self.memory_format = _FORMATS[code]

    @staticmethod
    def create_from_tensor(tensor: Tensor) -> TensorProperties:
        """Those of a tensor."""
        return TensorProperties(
            dtype=tensor.dtype, layout=tensor.layout, requires_grad=bool(tensor.requires_grad)
        )


@dataclass
class TensorStorageMetadata:
    """A tensor: its type, its whole size, and the chunks in which it was written."""

    properties: TensorProperties
    size: Size
    chunks: list[ChunkStorageMetadata]


@dataclass
class BytesStorageMetadata:
    """Anything else: an object that was saved as `torch.save` does."""


STORAGE_TYPES = TensorStorageMetadata | BytesStorageMetadata
STATE_DICT_TYPE = dict[str, Any]


@dataclass
class StorageMeta:
    """Which save this was."""

    checkpoint_id: str | os.PathLike[str] | None = None
    save_id: str | None = None
    load_id: str | None = None
    modules: list[str] = field(default_factory=list)


@dataclass
class _StorageInfo:
    """Where the bytes of an item are: a file of the folder, and the part of it."""

    relative_path: str
    offset: int
    length: int
    transform_descriptors: Sequence[str] | None = None

    def __getstate__(self) -> dict[str, Any]:
        return {k: v for k, v in self.__dict__.items() if v is not None}


_StorageInfo.__module__ = __name__.replace("metadata", "filesystem")  # as files name it


@dataclass
class Metadata:
    """A checkpoint's table of contents.

    Attributes:
        state_dict_metadata: what is there, by its name in the flat state dictionary.
        planner_data: name -> the keys and indices that lead to it in the nested one.
        storage_data: index -> where the bytes are.
    """

    state_dict_metadata: dict[str, STORAGE_TYPES]
    planner_data: Any = None
    storage_data: Any = None
    storage_meta: StorageMeta | None = None
    version: str | None = None


@dataclass(frozen=True)
class MetadataIndex:
    """A name and, of a tensor, the chunk that begins at `offset`.

    Attributes:
        index: where the chunk is probably found in the list; it does not count in comparisons.
    """

    fqn: str
    offset: Size | None = None
    index: int | None = field(hash=False, compare=False, default=None)

    def __init__(
        self, fqn: str, offset: Sequence[int] | None = None, index: int | None = None
    ) -> None:
        object.__setattr__(self, "fqn", fqn)
        object.__setattr__(self, "index", index)
        object.__setattr__(self, "offset", None if offset is None else Size(offset))


def with_index(index: MetadataIndex, number: int) -> MetadataIndex:
    """The same place with another hint."""
    return dataclasses.replace(index, index=number)
