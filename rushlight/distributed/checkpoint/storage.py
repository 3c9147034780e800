"""What keeps the bytes: `StorageWriter` and `StorageReader`, of which `filesystem.py` has one."""

from __future__ import annotations

import abc
import os
from dataclasses import dataclass
from typing import Any

from ...futures import Future
from .metadata import Metadata, MetadataIndex, StorageMeta
from .planner import LoadPlan, LoadPlanner, SavePlan, SavePlanner


@dataclass(frozen=True)
class WriteResult:
    """Where an item was written."""

    index: MetadataIndex
    size_in_bytes: int
    storage_data: Any


class StorageWriter(abc.ABC):
    """Keeps what a save writes. Asked in the order of the methods here."""

    @abc.abstractmethod
    def reset(self, checkpoint_id: str | os.PathLike[str] | None = None) -> None:
        """A new save begins, on all ranks; at another place if one is given."""

    @abc.abstractmethod
    def set_up_storage_writer(self, is_coordinator: bool, *args: Any, **kwargs: Any) -> None:
        """On all ranks."""

    @abc.abstractmethod
    def prepare_local_plan(self, plan: SavePlan) -> SavePlan:
        """This rank's plan, with what the storage needs in `storage_data`."""

    @abc.abstractmethod
    def prepare_global_plan(self, plans: list[SavePlan]) -> list[SavePlan]:
        """The same for all plans, on the coordinator."""

    @abc.abstractmethod
    def write_data(self, plan: SavePlan, planner: SavePlanner) -> Future[list[WriteResult]]:
        """Write what `planner.resolve_data` gives for each item, on all ranks."""

    @abc.abstractmethod
    def finish(self, metadata: Metadata, results: list[list[WriteResult]]) -> None:
        """All ranks have written: write the metadata, on the coordinator; a checkpoint now."""

    @classmethod
    @abc.abstractmethod
    def validate_checkpoint_id(cls, checkpoint_id: str | os.PathLike[str]) -> bool:
        """Whether this storage can keep a checkpoint of this name."""

    def storage_meta(self) -> StorageMeta | None:
        """Which save this is, for the planner and the metadata."""
        return None


class StorageReader(abc.ABC):
    """Gives what a load reads. Asked in the order of the methods here."""

    @abc.abstractmethod
    def reset(self, checkpoint_id: str | os.PathLike[str] | None = None) -> None:
        """A new load begins, on all ranks."""

    @abc.abstractmethod
    def read_metadata(self, *args: Any, **kwargs: Any) -> Metadata:
        """The table of contents, on all ranks."""

    @abc.abstractmethod
    def set_up_storage_reader(
        self, metadata: Metadata, is_coordinator: bool, *args: Any, **kwargs: Any
    ) -> None:
        """On all ranks."""

    @abc.abstractmethod
    def prepare_local_plan(self, plan: LoadPlan) -> LoadPlan:
        """This rank's plan, with what the storage needs in `storage_data`."""

    @abc.abstractmethod
    def prepare_global_plan(self, plans: list[LoadPlan]) -> list[LoadPlan]:
        """The same for all plans, on the coordinator."""

    def verify_data(self, plan: LoadPlan, planner: LoadPlanner) -> None:  # noqa: B027
        """Raise if `read_data` would fail. Ours alone: no rank changes anything before all ranks
        have come through this. A reader of a program's own need not have it."""

    @abc.abstractmethod
    def read_data(self, plan: LoadPlan, planner: LoadPlanner) -> Future[None]:
        """Give `planner.load_bytes` objects, and copy into what `planner.resolve_tensor` gives."""

    @classmethod
    @abc.abstractmethod
    def validate_checkpoint_id(cls, checkpoint_id: str | os.PathLike[str]) -> bool:
        """Whether this storage can read a checkpoint of this name."""
