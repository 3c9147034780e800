"""`save` and `async_save`: each rank writes what it has, and what all have is written once."""

from __future__ import annotations

import inspect
import os
import warnings
from collections.abc import Callable
from concurrent.futures import Future
from dataclasses import dataclass
from enum import Enum
from typing import Any

from ...errors import message
from .. import setup
from . import background
from ._storage_utils import _storage_setup
from .default_planner import DefaultSavePlanner
from .metadata import STATE_DICT_TYPE, Metadata
from .planner import SavePlan, SavePlanner
from .staging import DefaultStager
from .stateful import Stateful
from .storage import StorageWriter, WriteResult
from .utils import _DistWrapper


class AsyncCheckpointerType(Enum):
    """What writes while the program goes on."""

    THREAD = "thread"
    PROCESS = "process"


@dataclass
class AsyncSaveResponse:
    """What `async_save` returns to a program whose stager works in the background, too.

    Attributes:
        staging_completion: done when the state has been copied.
        upload_completion: done when the checkpoint is complete.
    """

    staging_completion: Any
    upload_completion: Any


def save(
    state_dict: STATE_DICT_TYPE,
    *,
    checkpoint_id: str | os.PathLike[str] | None = None,
    storage_writer: StorageWriter | None = None,
    planner: SavePlanner | None = None,
    process_group: Any = None,
    no_dist: bool = False,
    use_collectives: bool = True,
) -> Metadata:
    """Save a state dictionary from all ranks, or from one process alone.

    A DTensor is written in parts, each by a rank that has it; other tensors and objects are taken
    to be alike on all ranks and are written once. Objects that have `state_dict` and
    `load_state_dict` are asked for their state. The folder holds the former checkpoint, whole,
    until the new one is: a process that is killed at any moment costs the new one only.

    Args:
        state_dict: names and what to save under them; the same names on all ranks.
        checkpoint_id: the folder.
        storage_writer: what writes; None: `FileSystemWriter(checkpoint_id)`.
        planner: who writes what; None: `DefaultSavePlanner()`.
        process_group: whose ranks save; None: all.
        no_dist: this process saves alone, although there are others.
        use_collectives: False: each rank saves by itself, under a name of its own, and loads that
            again.

    Returns:
        What the checkpoint holds.

    Raises:
        CheckpointException: a rank failed; all raise it. The former checkpoint is as it was.

    >>> import os, tempfile
    >>> import rushlight.distributed.checkpoint as dcp
    >>> folder = os.path.join(tempfile.mkdtemp(), "step-1")
    >>> net = torch.nn.Linear(2, 1)
    >>> _ = dcp.save({"net": net, "step": 1}, checkpoint_id=folder, no_dist=True)
    >>> state = {"net": torch.nn.Linear(2, 1), "step": 0}
    >>> dcp.load(state, checkpoint_id=folder, no_dist=True)
    >>> state["step"], torch.equal(state["net"].weight, net.weight)
    (1, True)
    """
    writer = _storage_setup(storage_writer, checkpoint_id, reader=False)
    return _save_state_dict(
        _stateful_to_state_dict(state_dict),
        writer,
        process_group,
        no_dist=alone(no_dist),
        planner=planner,
        use_collectives=use_collectives,
    )


def save_state_dict(
    state_dict: STATE_DICT_TYPE,
    storage_writer: StorageWriter,
    process_group: Any = None,
    coordinator_rank: int = 0,
    no_dist: bool = False,
    planner: SavePlanner | None = None,
) -> Metadata:
    """The old form of `save`; objects that have a `state_dict` are not asked for it."""
    warnings.warn(
        "`save_state_dict` is deprecated and will be removed in future versions. "
        "Please use `save` instead.",
        FutureWarning,
        stacklevel=2,
    )
    storage_writer.reset()
    return _save_state_dict(
        state_dict, storage_writer, process_group, coordinator_rank, alone(no_dist), planner
    )


def alone(no_dist: bool) -> bool:
    """Whether this process saves or loads by itself."""
    return no_dist or not setup.is_initialized()


def _stateful_to_state_dict(state_dict: STATE_DICT_TYPE) -> STATE_DICT_TYPE:
    """The dictionary, with the state of objects that have one."""
    return {
        key: value.state_dict() if isinstance(value, Stateful) else value
        for key, value in state_dict.items()
    }


class Saving:
    """One save, step by step."""

    def __init__(
        self,
        state_dict: STATE_DICT_TYPE,
        writer: StorageWriter,
        planner: SavePlanner | None,
        comm: _DistWrapper,
        use_collectives: bool,
    ) -> None:
        self.state_dict, self.writer, self.comm = state_dict, writer, comm
        self.planner = planner if planner is not None else DefaultSavePlanner()
        self.use_collectives = use_collectives
        self.metadata: Metadata | None = None
        self.plan: SavePlan | None = None

    def plan_all(self) -> None:
        """Agree who writes what."""
        if self.use_collectives:
            self.plan = self.comm.reduce_scatter("plan", self.local, self.all)
        else:
            self.plan = self.all([self.local()])[0]

    def local(self) -> SavePlan:
        """This rank's plan."""
        lead = self.comm.is_coordinator
        told: dict[str, Any] = {"state_dict": self.state_dict, "is_coordinator": lead}
        if "storage_meta" in inspect.signature(self.planner.set_up_planner).parameters:
            told["storage_meta"] = self.writer.storage_meta()
        self.planner.set_up_planner(**told)
        set_up(self.writer.set_up_storage_writer, lead, self.comm.rank, self.use_collectives)
        return self.writer.prepare_local_plan(self.planner.create_local_plan())

    def all(self, plans: list[SavePlan]) -> list[SavePlan]:
        """The plans of all ranks."""
        plans, self.metadata = self.planner.create_global_plan(plans)
        return self.writer.prepare_global_plan(plans)

    def write(self) -> list[WriteResult]:
        """Write what this rank's plan says."""
        assert self.plan is not None
        self.plan = self.planner.finish_plan(self.plan)
        done = self.writer.write_data(self.plan, self.planner)
        done.wait()
        return done.value()

    def finish(self, results: list[list[WriteResult]]) -> Metadata:
        """All have written: now it is a checkpoint."""
        assert self.metadata is not None
        self.writer.finish(metadata=self.metadata, results=results)
        return self.metadata


def set_up(fn: Callable[..., Any], *args: Any) -> None:
    """Call `set_up_storage_writer` or `..._reader`, with what its signature has room for."""
    *first, rank, use_collectives = args
    kinds = inspect.signature(fn).parameters.values()
    if any(p.kind is p.VAR_KEYWORD for p in kinds):
        fn(*first, rank=rank, use_collectives=use_collectives)
    else:
        fn(*first)


def _save_state_dict(
    state_dict: STATE_DICT_TYPE,
    storage_writer: StorageWriter,
    process_group: Any = None,
    coordinator_rank: int = 0,
    no_dist: bool = False,
    planner: SavePlanner | None = None,
    use_collectives: bool = True,
) -> Metadata:
    comm = _DistWrapper(process_group, not no_dist, coordinator_rank)
    saving = Saving(state_dict, storage_writer, planner, comm, use_collectives)
    saving.plan_all()
    if use_collectives:
        return comm.all_reduce("write", saving.write, saving.finish)
    metadata = saving.finish([saving.write()])
    comm.barrier()
    return metadata


def async_save(
    state_dict: STATE_DICT_TYPE,
    *,
    checkpoint_id: str | os.PathLike[str] | None = None,
    storage_writer: StorageWriter | None = None,
    planner: SavePlanner | None = None,
    process_group: Any = None,
    async_checkpointer_type: AsyncCheckpointerType = AsyncCheckpointerType.THREAD,
    async_stager: Any = None,
    no_dist: bool = False,
    use_collectives: bool = True,
) -> Any:
    """`save`, of which the writing goes on in the background.

    When this returns, the state has been copied and the ranks have agreed who writes what: the
    program may change its tensors and call collectives. Until the checkpoint is complete the ranks
    speak with each other through the group's store alone. A second `async_save` waits for the
    first; a program that ends waits for the last.

    Args:
        async_checkpointer_type: THREAD. A process of its own is not supported.
        async_stager: what copies: its `stage(state_dict)` returns a copy, or a Future of one.
        state_dict, checkpoint_id, storage_writer, planner, process_group, no_dist,
            use_collectives: as in `save`.

    Returns:
        A `concurrent.futures.Future` of the metadata; or, if `async_stager.stage` returns a Future,
        an `AsyncSaveResponse`.

    Raises:
        CheckpointException: from here, when the plans fail; from `result()`, when the writing does.
    """
    if async_checkpointer_type is not AsyncCheckpointerType.THREAD:
        raise NotImplementedError(
            message(
                "async_save: a process of its own is not supported",
                got=async_checkpointer_type,
                hint="AsyncCheckpointerType.THREAD: the thread waits for the disk, not for Python",
            )
        )
    background.wait_for_last()
    writer = _storage_setup(storage_writer, checkpoint_id, reader=False)
    stager = async_stager
    if stager is None:
        stager = writer if hasattr(writer, "stage") else DefaultStager()
    staged = stager.stage(_stateful_to_state_dict(state_dict))
    copy = staged.result() if hasattr(staged, "result") else staged
    comm = _DistWrapper(process_group, not alone(no_dist), 0)
    saving = Saving(copy, writer, planner, comm, use_collectives)
    saving.plan_all()
    if use_collectives:
        done: Future[Any] = background.start(saving, background.exchange_of(comm))
    else:
        done = background.start(saving, None)
    if hasattr(staged, "result"):
        return AsyncSaveResponse(staging_completion=staged, upload_completion=done)
    if getattr(stager, "should_synchronize_after_execute", False):
        stager.synchronize_staging()
    return done
