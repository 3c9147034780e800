"""`torch.distributed.distributed_c10d`: the names of `torch.distributed` where programs also look
for them, and what libraries use below them."""

from __future__ import annotations

import contextlib
import logging
from collections.abc import Iterator, Sequence
from typing import Any, NewType

from .. import unsupported
from . import *  # noqa: F403
from . import HINT, _all_gather_base, _reduce_scatter_base, reduce_op  # noqa: F401
from .constants import default_pg_nccl_timeout  # noqa: F401
from .group import GroupMember, ProcessGroup, default, resolve, state
from .objects import packed, tensor, unpacked
from .setup import Backend, is_available
from .stores import Store

GroupName = NewType("GroupName", str)
_MPI_AVAILABLE = _GLOO_AVAILABLE = is_available()
_NCCL_AVAILABLE = _UCC_AVAILABLE = _XCCL_AVAILABLE = False
_backend = Backend.UNDEFINED
logger = logging.getLogger(__name__)


def _get_default_group() -> ProcessGroup:
    """The default group; ValueError before `init_process_group`."""
    return default()


def _get_default_store() -> Store:
    """The store of the default group."""
    return default().store


def _rank_not_in_group(group: Any) -> bool:
    """Whether this process is no member of a group."""
    return group is not None and resolve(group) is None


def _get_group_size(group: Any) -> int:
    """How many ranks are in a group; -1 when this process is not."""
    found = resolve(group)
    return -1 if found is None else found.size()


def _resolve_process_group(group_name: str) -> ProcessGroup:
    """A group by its name; RuntimeError when there is none."""
    if group_name not in state.groups:
        raise RuntimeError(f"Could not resolve the process group registered under {group_name}")
    return state.groups[group_name]


def _get_group_size_by_name(group_name: str) -> int:
    """How many ranks are in the group of a name."""
    return _resolve_process_group(group_name).size()


def _get_process_group_name(pg: ProcessGroup) -> str:
    """The group's name."""
    return pg.group_name


def _find_pg_by_ranks_and_tag(tag: str, ranks: Sequence[int]) -> ProcessGroup | None:
    """A group of these ranks, or None; groups have no tags."""
    return next((g for g in state.groups.values() if list(g.ranks) == list(ranks)), None)


def _get_pg_default_device(group: Any = None) -> Any:
    """The CPU."""
    from ..device import device

    return device("cpu")


_get_object_coll_device = _get_pg_default_device


def _object_to_tensor(obj: Any, device: Any = None, group: Any = None) -> tuple[Any, Any]:
    """An object pickled: (its bytes, how many)."""
    import numpy as np

    found = packed(obj)
    return tensor(found), tensor(np.array([found.size], np.int64))


def _tensor_to_object(tensor: Any, tensor_size: Any, group: Any = None) -> Any:
    """The object of pickled bytes, which are unpickled: from ranks of the job alone."""
    return unpacked(tensor._a, int(tensor_size))


@contextlib.contextmanager
def _coalescing_manager(
    group: Any = None, device: Any = None, async_ops: bool = False
) -> Iterator[_Coalesced]:
    """A block whose collectives are carried out one by one; `wait()` waits for those with
    `async_op=True` that were appended."""
    yield _Coalesced()


class _Coalesced:
    """The works of a block."""

    def __init__(self) -> None:
        self.works: list[Any] = []

    def append(self, work: Any = None) -> None:
        """Wait for this one, too."""
        if work is not None:
            self.works.append(work)

    def wait(self) -> None:
        """Wait for all."""
        for work in self.works:
            work.wait()


class _World:
    """The groups of this process, as `distributed_c10d._world`."""

    @property
    def default_pg(self) -> ProcessGroup | None:
        """The default group."""
        return state.default

    @property
    def pg_names(self) -> dict[ProcessGroup, str]:
        """The name of each group."""
        return {g: name for name, g in state.groups.items()}

    @property
    def pg_map(self) -> dict[ProcessGroup, tuple[str, Store]]:
        """Backend and store of each group."""
        return {g: (g.name(), g.store) for g in state.groups.values()}

    @property
    def pg_group_ranks(self) -> dict[ProcessGroup, dict[int, int]]:
        """For each group the ranks in it of the world's ranks."""
        return {g: {r: i for i, r in enumerate(g.ranks)} for g in state.groups.values()}

    @property
    def group_count(self) -> int:
        """How many groups all ranks have made."""
        return state.made


_world = _World()
NON_GROUP_MEMBER = GroupMember.NON_GROUP_MEMBER

__getattr__, __dir__ = unsupported.module(
    __name__,
    "AllToAllOptions AllreduceCoalescedOptions AllreduceOptions BackendConfig BarrierOptions "
    "BroadcastOptions GatherOptions ProcessGroupGloo ProcessGroupMPI ProcessGroupNCCL "
    "ReduceOptions ReduceScatterOptions ScatterOptions record_comm",
    "PyTorch's own classes of process groups; Rushlight's are MPI's",
    HINT,
)
