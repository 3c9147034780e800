"""`load`: each rank reads what it needs, from however many ranks it was saved."""

from __future__ import annotations

import inspect
import os
import warnings
from typing import Any

from ._storage_utils import _storage_setup
from .default_planner import DefaultLoadPlanner, _EmptyStateDictLoadPlanner
from .metadata import Metadata
from .planner import LoadPlan, LoadPlanner
from .state_dict_saver import alone, set_up
from .stateful import Stateful
from .storage import StorageReader
from .utils import _DistWrapper


def load(
    state_dict: dict[str, Any],
    *,
    checkpoint_id: str | os.PathLike[str] | None = None,
    storage_reader: StorageReader | None = None,
    planner: LoadPlanner | None = None,
    process_group: Any = None,
    no_dist: bool = False,
) -> None:
    """Load a checkpoint into a state dictionary, on all ranks or in one process alone.

    Tensors are filled in place, with the parts that this rank has; other values are replaced.
    Objects that have `state_dict` and `load_state_dict` are asked for the one and then given the
    other. Nothing is changed on any rank before all ranks have found all that they need, whole.
    Reading executes nothing that a file says.

    Args:
        state_dict: names, and what is loaded into; the same names on all ranks. Names of the
            checkpoint that are not asked for are not read.
        checkpoint_id: the folder.
        storage_reader: what reads; None: `FileSystemReader(checkpoint_id)`.
        planner: who reads what; None: `DefaultLoadPlanner()`.
        process_group: whose ranks load; None: all.
        no_dist: this process loads alone, although there are others.

    Raises:
        CheckpointException: a rank failed (there is no checkpoint, a name is missing, a size is
            another, a file is damaged); all raise it, and nothing has been changed.
    """
    reader = _storage_setup(storage_reader, checkpoint_id, reader=True)
    keys = sorted(state_dict, key=str)  # the same order on all ranks: there may be collectives
    flat = {}
    for key in keys:
        value = state_dict[key]
        flat[key] = value.state_dict() if isinstance(value, Stateful) else value
    _load_state_dict(flat, reader, process_group, no_dist=alone(no_dist), planner=planner)
    for key in keys:
        value = state_dict[key]
        if isinstance(value, Stateful):
            value.load_state_dict(flat[key])
        else:
            state_dict[key] = flat[key]


def load_state_dict(
    state_dict: dict[str, Any],
    storage_reader: StorageReader,
    process_group: Any = None,
    coordinator_rank: int = 0,
    no_dist: bool = False,
    planner: LoadPlanner | None = None,
) -> None:
    """The old form of `load`; objects that have a `state_dict` are not asked for it."""
    warnings.warn(
        "`load_state_dict` is deprecated and will be removed in future versions. "
        "Please use `load` instead.",
        FutureWarning,
        stacklevel=2,
    )
    storage_reader.reset()
    _load_state_dict(
        state_dict, storage_reader, process_group, coordinator_rank, alone(no_dist), planner
    )


def _load_state_dict(
    state_dict: dict[str, Any],
    storage_reader: StorageReader,
    process_group: Any = None,
    coordinator_rank: int = 0,
    no_dist: bool = False,
    planner: LoadPlanner | None = None,
) -> None:
    comm = _DistWrapper(process_group, not no_dist, coordinator_rank)
    plan_maker = planner if planner is not None else DefaultLoadPlanner()
    reader = storage_reader

    def local() -> LoadPlan:
        metadata, by_itself = contents(reader, comm.rank)
        plan_maker.set_up_planner(state_dict, metadata, comm.is_coordinator)
        set_up(reader.set_up_storage_reader, metadata, comm.is_coordinator, comm.rank,
               not by_itself)  # fmt: skip
        return reader.prepare_local_plan(plan_maker.create_local_plan())

    def all_of_them(plans: list[LoadPlan]) -> list[LoadPlan]:
        return reader.prepare_global_plan(plan_maker.create_global_plan(plans))

    central = comm.reduce_scatter("plan", local, all_of_them)
    plan = plan_maker.finish_plan(central)
    verify = getattr(reader, "verify_data", None)
    if verify is not None:
        comm.all_gather("verify", lambda: verify(plan, plan_maker))

    def read() -> None:
        reader.read_data(plan, plan_maker).wait()

    comm.all_gather("read", read)


def contents(reader: StorageReader, rank: int) -> tuple[Metadata, bool]:
    """What the checkpoint holds; whether the ranks had saved by themselves."""
    try:
        return reader.read_metadata(), False
    except FileNotFoundError:
        kinds = inspect.signature(reader.read_metadata).parameters.values()
        if not any(p.kind is p.VAR_KEYWORD for p in kinds):
            raise
        try:
            return reader.read_metadata(rank=rank), True
        except FileNotFoundError:
            pass
        raise


def _load_state_dict_from_keys(
    keys: set[str] | str | None = None,
    *,
    checkpoint_id: str | os.PathLike[str] | None = None,
    storage_reader: StorageReader | None = None,
    process_group: Any = None,
) -> dict[str, Any]:
    """A new state dictionary of what a checkpoint holds under some names, or of all of it.

    Args:
        keys: names, or names of dictionaries that are wanted with all that is in them.
        checkpoint_id, storage_reader, process_group: as in `load`.
    """
    reader = _storage_setup(storage_reader, checkpoint_id, reader=True)
    found: dict[str, Any] = {}
    _load_state_dict(
        found,
        reader,
        process_group,
        no_dist=alone(False),
        planner=_EmptyStateDictLoadPlanner({keys} if isinstance(keys, str) else keys),
    )
    return found
