"""From checkpoints in folders to files of `torch.save`, and back."""

from __future__ import annotations

import os
from typing import Any

from ... import serialization
from ...errors import message
from ...futures import Future
from ...ops.create.factories import empty
from ...tensor import Tensor
from .. import collectives, setup
from ._nested_dict import flatten_state_dict
from .default_planner import (
    DefaultLoadPlanner,
    _EmptyStateDictLoadPlanner,
    narrow_tensor_by_index,
)
from .filesystem import FileSystemReader, FileSystemWriter
from .metadata import Metadata, TensorProperties, TensorStorageMetadata
from .planner import LoadPlan
from .planner_helpers import _create_chunk_list
from .state_dict_loader import _load_state_dict
from .state_dict_saver import _save_state_dict
from .storage import StorageReader


def dcp_to_torch_save(
    dcp_checkpoint_dir: str | os.PathLike[str], torch_save_path: str | os.PathLike[str]
) -> None:
    """Make one file of a folder; in one process, which holds all of it in memory.

    >>> import os, tempfile
    >>> import rushlight.distributed.checkpoint as dcp
    >>> from rushlight.distributed.checkpoint import format_utils
    >>> where = tempfile.mkdtemp()
    >>> _ = dcp.save({"net": {"w": torch.ones(2)}}, checkpoint_id=where + "/a", no_dist=True)
    >>> format_utils.dcp_to_torch_save(where + "/a", where + "/a.pt")
    >>> torch.load(where + "/a.pt")
    {'net': {'w': tensor([1., 1.])}}
    """
    found: dict[str, Any] = {}
    _load_state_dict(
        found,
        FileSystemReader(dcp_checkpoint_dir),
        no_dist=True,
        planner=_EmptyStateDictLoadPlanner(),
    )
    serialization.save(found, torch_save_path)


def torch_save_to_dcp(
    torch_save_path: str | os.PathLike[str], dcp_checkpoint_dir: str | os.PathLike[str]
) -> None:
    """Make a folder of one file; in one process, which holds all of it in memory."""
    found = serialization.load(torch_save_path, weights_only=False)
    _save_state_dict(found, FileSystemWriter(dcp_checkpoint_dir), no_dist=True)


class BroadcastingTorchSaveReader(StorageReader):
    """Loads a file of `torch.save` into tensors that are spread: `load(state,
    storage_reader=BroadcastingTorchSaveReader(path), planner=DynamicMetaLoadPlanner())`.

    One rank reads the file, and sends the tensors to the others one by one. The state dictionary
    holds tensors alone.

    Args:
        checkpoint_id: the file.
        coordinator_rank: who reads it.
    """

    def __init__(
        self, checkpoint_id: str | os.PathLike[str] | None = None, coordinator_rank: int = 0
    ) -> None:
        self.checkpoint_id = checkpoint_id
        self.coordinator_rank = coordinator_rank
        self._held: dict[str, Any] = {}

    def reset(self, checkpoint_id: str | os.PathLike[str] | None = None) -> None:
        """Another file, if one is given."""
        if checkpoint_id is not None:
            self.checkpoint_id = checkpoint_id

    def read_metadata(self, *args: Any, **kwargs: Any) -> Metadata:
        """Nothing: `DynamicMetaLoadPlanner` makes it of the state dictionary."""
        return Metadata(state_dict_metadata={})

    def set_up_storage_reader(
        self, metadata: Metadata, is_coordinator: bool, *args: Any, **kwargs: Any
    ) -> None:
        """Note whether this rank reads."""
        if self.checkpoint_id is None:
            raise AssertionError("checkpoint_id must be set before setting up storage reader")
        if is_coordinator and setup.is_initialized() and setup.get_rank() != self.coordinator_rank:
            raise AssertionError(
                f"Coordinator rank mismatch: expected {self.coordinator_rank}, got "
                f"{setup.get_rank()}"
            )
        self.is_coordinator = is_coordinator

    def prepare_local_plan(self, plan: LoadPlan) -> LoadPlan:
        """The plan as it is."""
        return plan

    def prepare_global_plan(self, plans: list[LoadPlan]) -> list[LoadPlan]:
        """The plans as they are; those of ranks without a part are sent tensors, too."""
        return plans

    def verify_data(self, plan: LoadPlan, planner: Any) -> None:
        """Read on the coordinator, before anything is sent or changed.

        Raises:
            RuntimeError: the file has something else under a name.
        """
        if not self.is_coordinator:
            return
        found = serialization.load(self.checkpoint_id, map_location="cpu", weights_only=False)  # type: ignore[arg-type]
        self._held = flatten_state_dict(found)[0] if planner.flatten_state_dict else found
        for name, target in planner.state_dict.items():
            here = self._held.get(name)
            if not isinstance(here, Tensor) or here.shape != target.shape:
                raise RuntimeError(
                    message(
                        f"load: the file has no tensor {name!r} of this size",
                        got=f"shape {tuple(here.shape)}" if isinstance(here, Tensor)
                        else f"a {type(here).__name__}",
                        wanted=f"shape {tuple(target.shape)}",
                    )
                )  # fmt: skip

    def read_data(self, plan: LoadPlan, planner: Any) -> Future[None]:
        """Send each tensor, and keep what the plan names."""
        items: dict[str, list[Any]] = {}
        for item in plan.items:
            items.setdefault(item.storage_index.fqn, []).append(item)
        for name, target in planner.state_dict.items():
            whole = empty(target.shape, dtype=target.dtype)
            if self.is_coordinator:
                whole.copy_(self._held[name])
            if setup.is_initialized():
                collectives.broadcast(whole, self.coordinator_rank)
            for item in items.get(name, ()):
                part = planner.resolve_tensor(item).detach()
                part.copy_(narrow_tensor_by_index(whole, item.dest_index.offset, item.lengths))
                planner.commit_tensor(item, part)
        self._held = {}
        done: Future[None] = Future()
        done.set_result(None)
        return done

    @classmethod
    def validate_checkpoint_id(cls, checkpoint_id: str | os.PathLike[str]) -> bool:
        """Whether there is such a file."""
        return os.path.isfile(checkpoint_id)


class DynamicMetaLoadPlanner(DefaultLoadPlanner):
    """Plans to load all of a state dictionary of tensors, whatever the storage holds."""

    def set_up_planner(
        self,
        state_dict: dict[str, Any],
        metadata: Metadata | None = None,
        is_coordinator: bool = False,
    ) -> None:
        """Make the metadata of what is to be filled.

        Raises:
            RuntimeError: something in the state dictionary is no tensor.
        """
        super().set_up_planner(state_dict, metadata, is_coordinator)
        kinds: dict[str, Any] = {}
        for name, value in self.state_dict.items():
            if not isinstance(value, Tensor):
                raise RuntimeError(
                    message(
                        f"Non-tensor value identified at {name}. At this time "
                        f"{type(self).__name__} only supports loading Tensors.",
                        got=f"a {type(value).__name__}",
                    )
                )
            kinds[name] = TensorStorageMetadata(
                TensorProperties(dtype=value.dtype), value.size(), _create_chunk_list(value)
            )
        self.metadata = Metadata(kinds)


if __name__ == "__main__":
    import argparse

    parser = argparse.ArgumentParser(description="Convert a checkpoint.")
    parser.add_argument("mode", choices=["torch_to_dcp", "dcp_to_torch"])
    parser.add_argument("src", help="the checkpoint")
    parser.add_argument("dst", help="where the other goes")
    given = parser.parse_args()
    if not os.path.exists(given.src):
        parser.error(f"no checkpoint found at {given.src}")
    convert = torch_save_to_dcp if given.mode == "torch_to_dcp" else dcp_to_torch_save
    convert(given.src, given.dst)
