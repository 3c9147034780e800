"""Plans: what each rank writes or reads. `default_planner.py` makes them; programs may make others.

A planner is asked on all ranks: `set_up_planner`, `create_local_plan`; then on the coordinator
`create_global_plan` with the plans of all ranks; then on all ranks `finish_plan`, and once for each
item `resolve_data`, or `load_bytes`, `resolve_tensor` and `commit_tensor`.
"""

from __future__ import annotations

import abc
import io
import math
from dataclasses import dataclass
from enum import Enum, auto
from typing import Any

from ...size import Size
from ...tensor import Tensor
from .metadata import (
    STATE_DICT_TYPE,
    ChunkStorageMetadata,
    Metadata,
    MetadataIndex,
    StorageMeta,
    TensorProperties,
)


class WriteItemType(Enum):
    """What is written."""

    TENSOR = auto()  # a whole tensor
    SHARD = auto()  # a chunk of one
    BYTE_IO = auto()  # an object


class LoadItemType(Enum):
    """What is read."""

    TENSOR = auto()
    BYTE_IO = auto()


@dataclass(frozen=True)
class BytesIOWriteData:
    """Of an object: how many bytes."""

    nbytes: int


@dataclass(frozen=True)
class TensorWriteData:
    """Of a tensor: the chunk that is written, its type, and the size of the whole."""

    chunk: ChunkStorageMetadata
    properties: TensorProperties
    size: Size


@dataclass(frozen=True)
class WriteItem:
    """One thing to write."""

    index: MetadataIndex
    type: WriteItemType
    bytes_io_data: BytesIOWriteData | None = None
    tensor_data: TensorWriteData | None = None

    def tensor_storage_size(self) -> int | None:
        """Bytes of the whole tensor; None of an object."""
        if self.tensor_data is None:
            return None
        return math.prod(self.tensor_data.size) * self.tensor_data.properties.dtype.itemsize


@dataclass(frozen=True)
class ReadItem:
    """One box to read: where it is in a chunk of the checkpoint, and where it goes."""

    type: LoadItemType
    dest_index: MetadataIndex
    dest_offsets: Size
    storage_index: MetadataIndex
    storage_offsets: Size
    lengths: Size


@dataclass(frozen=True)
class SavePlan:
    """What one rank writes."""

    items: list[WriteItem]
    storage_data: Any = None
    planner_data: Any = None
    usable: bool = True


@dataclass
class LoadPlan:
    """What one rank reads."""

    items: list[ReadItem]
    storage_data: Any = None
    planner_data: Any = None


class SavePlanner(abc.ABC):
    """Decides what each rank writes. Most programs that need another one change a method of
    `DefaultSavePlanner`."""

    @abc.abstractmethod
    def set_up_planner(
        self,
        state_dict: STATE_DICT_TYPE,
        storage_meta: StorageMeta | None = None,
        is_coordinator: bool = False,
    ) -> None:
        """Begin a save of `state_dict`, on all ranks."""

    @abc.abstractmethod
    def create_local_plan(self) -> SavePlan:
        """What this rank would write, on all ranks."""

    @abc.abstractmethod
    def create_global_plan(self, all_plans: list[SavePlan]) -> tuple[list[SavePlan], Metadata]:
        """What all ranks write, on the coordinator."""

    @abc.abstractmethod
    def finish_plan(self, new_plan: SavePlan) -> SavePlan:
        """This rank's part of the global plan, on all ranks."""

    @abc.abstractmethod
    def resolve_data(self, write_item: WriteItem) -> Tensor | io.BytesIO:
        """What is written for an item. Threads may ask at the same time."""


class LoadPlanner(abc.ABC):
    """Decides what each rank reads, and where to."""

    @abc.abstractmethod
    def set_up_planner(
        self,
        state_dict: STATE_DICT_TYPE,
        metadata: Metadata | None = None,
        is_coordinator: bool = False,
    ) -> None:
        """Begin to load into `state_dict`, on all ranks."""

    @abc.abstractmethod
    def create_local_plan(self) -> LoadPlan:
        """What this rank would read, on all ranks."""

    @abc.abstractmethod
    def create_global_plan(self, global_plan: list[LoadPlan]) -> list[LoadPlan]:
        """What all ranks read, on the coordinator."""

    @abc.abstractmethod
    def finish_plan(self, central_plan: LoadPlan) -> LoadPlan:
        """This rank's part of the global plan, on all ranks."""

    @abc.abstractmethod
    def load_bytes(self, read_item: ReadItem, value: io.BytesIO) -> None:
        """Take an object that was read, in the form of `torch.save`."""

    def resolve_bytes(self, read_item: ReadItem) -> io.BytesIO:
        """Where the bytes of an object go, for storages that write into a file object."""
        raise NotImplementedError("LoadPlanner.resolve_bytes is not implemented")

    @abc.abstractmethod
    def resolve_tensor(self, read_item: ReadItem) -> Tensor:
        """The tensor to copy into, of the size of the item."""

    @abc.abstractmethod
    def commit_tensor(self, read_item: ReadItem, tensor: Tensor) -> None:
        """What `resolve_tensor` returned has been written into."""
