"""Making and ending process groups."""

from __future__ import annotations

import datetime
import os
import time
from collections.abc import Sequence
from typing import Any, NoReturn

from ..errors import message
from . import mpi
from .group import (
    BACKEND,
    GroupMember,
    ProcessGroup,
    default,
    default_pg_timeout,
    resolve,
    state,
)
from .rendezvous import rendezvous
from .stores import PrefixStore, Store, seconds
from .world import World

_world: list[World] = []  # one in the life of a process: MPI is initialized once


class Backend(str):
    """The name of a way of communication, in lower case.

    >>> Backend("GLOO")
    'gloo'
    """

    __slots__ = ()
    UNDEFINED = "undefined"
    GLOO = "gloo"
    NCCL = "nccl"
    UCC = "ucc"
    MPI = "mpi"
    XCCL = "xccl"
    backend_list = ["undefined", "gloo", "nccl", "xccl", "ucc", "mpi"]  # noqa: RUF012

    def __new__(cls, name: str) -> str:  # type: ignore[misc]
        """A plain string, as in PyTorch."""
        if not isinstance(name, str):
            raise ValueError("Backend constructor parameter must be string-ish")
        return name.lower()


def known(backend: Any) -> None:
    """ValueError for a name that is no backend; all that are, mean MPI for tensors of the CPU."""
    if backend is None:
        return
    for part in Backend(backend).split(","):  # "cpu:gloo,cuda:nccl"
        name = part.rpartition(":")[2]
        if name not in Backend.backend_list[1:]:
            raise ValueError(
                message(
                    f"Unknown backend {backend!r}",
                    wanted='"gloo", "mpi" or "nccl", all of which mean MPI here, or None',
                )
            )


def is_available() -> bool:
    """Whether MPI is installed: `pip install 'rushlight[distributed]'` brings it.

    >>> torch.distributed.is_available()
    True
    """
    return mpi.installed()


def is_initialized() -> bool:
    """Whether there is a default process group.

    >>> torch.distributed.is_initialized()
    False
    """
    return state.default is not None


def init_process_group(
    backend: str | None = None,
    init_method: str | None = None,
    timeout: datetime.timedelta | None = None,
    world_size: int = -1,
    rank: int = -1,
    store: Store | None = None,
    group_name: str = "",
    pg_options: Any = None,
    device_id: Any = None,
    _ranks: list[int] | None = None,
) -> None:
    """Join the other processes of the job; returns when all of them are there.

    Args:
        backend: "gloo", "mpi", "nccl" or None: tensors of the CPU travel by MPI whichever it is,
            and `get_backend()` says so.
        init_method: "env://" (the default), "tcp://address:port" or "file:///path".
        timeout: how long joining, and any collective, may take; 30 minutes unless given.
        world_size, rank: how many processes, and which is this one.
        store: instead of `init_method`.
        pg_options, device_id: accepted; there is nothing to choose.

    Raises:
        ImportError: there is no MPI; the text names what to install.
        ValueError: something of the address is missing; there is a group already.
        DistBackendError: ranks did not come in time; the text says which.

    Example, as each of two processes runs it::

        dist.init_process_group(
            "gloo", init_method="tcp://127.0.0.1:29503", rank=rank, world_size=2
        )
        dist.get_rank(), dist.get_world_size(), dist.get_backend()  # 0 or 1, 2, "mpi"

    One process alone is a group of one:

    >>> dist = torch.distributed
    >>> dist.init_process_group("gloo", store=dist.HashStore(), rank=0, world_size=1)
    >>> dist.get_rank(), dist.get_world_size()
    (0, 1)
    >>> dist.destroy_process_group()
    """
    if state.default is not None:
        raise ValueError("trying to initialize the default process group twice!")
    known(backend)
    if timeout is not None and not isinstance(timeout, datetime.timedelta):
        raise TypeError(
            f"Expected timeout argument to be of type datetime.timedelta, got {timeout}"
        )
    if store is not None and init_method is not None:
        raise AssertionError("Cannot specify both init_method and store.")
    limit = timeout or default_pg_timeout
    mpi.library()  # says at once that it is missing
    if store is not None:
        if world_size < 1 or rank < 0:
            raise AssertionError("world_size must be positive and rank non-negative if using store")
    else:
        url = init_method or "env://"
        store, rank, world_size = next(iter(rendezvous(url, rank, world_size, timeout=limit)))
    store.set_timeout(limit)
    store = PrefixStore("default_pg", store)
    world = joined(store, rank, world_size, limit.total_seconds())
    name = group_name or "0"
    ranks = range(world_size)
    state.default = state.groups[name] = ProcessGroup(
        world, world.comm, ranks, name, limit.total_seconds(), "default_pg", store
    )
    state.made = 1


def joined(store: Store, rank: int, size: int, timeout: float) -> World:
    """The world of this process; the one of before where it is the same."""
    if _world:
        world = _world[0]
        if (world.rank, world.size) != (rank, size) or world.failure is not None:
            raise RuntimeError(
                message(
                    "a process joins one world in its life: MPI is initialized once",
                    got=f"rank {rank} of {size}; before, it was rank {world.rank} of {world.size}"
                    + (f", which ended: {world.failure}" if world.failure else ""),
                    hint="new processes for another world",
                )
            )
        world.groups += 1
        world.arrive(f"init_process_group {world.groups}", list(range(size)), timeout)
        return world
    world = World(store, rank, size, timeout)
    _world.append(world)
    share_cores(world)
    return world


def share_cores(world: World) -> None:
    """Kernels use this machine's cores divided by its ranks, unless their number was set."""
    from .. import config

    if any(os.environ.get(v) for v in ("RUSHLIGHT_NUM_THREADS", "OMP_NUM_THREADS")):
        return
    here = world.hosts.count(world.hosts[world.rank])
    if config.get_num_threads() == config.available_cores():
        config.set_num_threads(max(1, config.available_cores() // here))


def destroy_process_group(group: Any = None) -> None:
    """End a group; without one, or with the default group, all of them.

    The ranks stay connected until their programs end, and may make a new default group.

    >>> dist = torch.distributed
    >>> dist.init_process_group("gloo", store=dist.HashStore(), rank=0, world_size=1)
    >>> dist.destroy_process_group()
    >>> dist.is_initialized()
    False
    """
    if group is GroupMember.NON_GROUP_MEMBER:
        return
    if group is None and state.default is None:
        raise AssertionError("Process group cannot be None: none has been initialized")
    g = resolve(group)
    if g is None:
        return
    if g.group_name not in state.groups:
        raise ValueError("Invalid process group specified")
    if g is not state.default:
        del state.groups[g.group_name]
        return
    state.clear()


def number_of(name: str, given: Sequence[int], world: World) -> list[int]:
    found = [int(r) for r in given]
    for r in found:
        if not 0 <= r < world.size:
            raise ValueError(
                f"{name}: the new group's rank {r} is not one of the world's {world.size}"
            )
    if len(set(found)) != len(found):
        raise ValueError(f"{name}: ranks must be different, got {found}")
    return found


def new_group(
    ranks: Sequence[int] | None = None,
    timeout: datetime.timedelta | None = None,
    backend: str | None = None,
    pg_options: Any = None,
    use_local_synchronization: bool = False,
    group_desc: str | None = None,
    device_id: Any = None,
    sort_ranks: bool = True,
) -> Any:
    """A group of some ranks. All ranks of the world call this, in the same order, also those that
    are not in the group: they get `GroupMember.NON_GROUP_MEMBER`.

    Args:
        ranks: of the world; None: all.
        timeout: of its collectives; None: that of the default group.
        use_local_synchronization: only the members call it.
        sort_ranks: whether ranks of the group follow those of the world, or their order here.

    Raises:
        ValueError: a rank that there is not, or one twice.
        DistBackendError: some ranks do not call it in time.

    >>> dist = torch.distributed
    >>> dist.init_process_group("gloo", store=dist.HashStore(), rank=0, world_size=1)
    >>> pair = dist.new_group([0])
    >>> dist.get_process_group_ranks(pair)
    [0]
    >>> dist.destroy_process_group()
    """
    parent = default()
    known(backend)
    world = parent.world
    members = number_of("new_group", ranks, world) if ranks is not None else list(range(world.size))
    if sort_ranks:
        members.sort()
    limit = seconds(timeout) if timeout is not None else parent.timeout
    if use_local_synchronization:
        if world.rank not in members:
            return None
        own = f"{'-'.join(map(str, members))}"
        count = sum(1 for n in state.groups if n.startswith(own + "+"))
        name, meeting = f"{own}+{count}", members
    else:
        name, meeting = str(state.made), list(range(world.size))
        state.made += 1
    return made(world, members, name, meeting, limit, group_desc or "undefined", parent)


def made(
    world: World, members: list[int], name: str, meeting: list[int], limit: float, desc: str,
    parent: ProcessGroup,
) -> Any:  # fmt: skip
    """A group, once everybody whom it takes has come: MPI itself would wait for ever."""
    world.arrive(f"new_group {world.groups}/{name}", meeting, limit)
    if world.rank not in members:
        return GroupMember.NON_GROUP_MEMBER
    of_mpi = world.comm.Get_group().Incl(members)
    comm = world.outside(
        lambda: world.comm.Create_group(of_mpi, tag=hash_of(name)),
        time.monotonic() + limit, f"new_group {name}", members,
    )  # fmt: skip
    root = parent.store
    store = root._store if isinstance(root, PrefixStore) else root
    state.groups[name] = ProcessGroup(world, comm, members, name, limit, desc, store)
    return state.groups[name]


def hash_of(name: str) -> int:
    """A tag for a group's making, the same in all processes."""
    value = 0
    for c in name.encode():
        value = (value * 131 + c) % 32000
    return value


def new_subgroups(
    group_size: int | None = None,
    group: Any = None,
    timeout: datetime.timedelta | None = None,
    backend: str | None = None,
    pg_options: Any = None,
    group_desc: str | None = None,
) -> tuple[Any, list[Any]]:
    """Groups of `group_size` neighbours each: (the one of this rank, all of them).

    Raises:
        ValueError: the world does not divide by the size.

    >>> dist = torch.distributed
    >>> dist.init_process_group("gloo", store=dist.HashStore(), rank=0, world_size=1)
    >>> mine, groups = dist.new_subgroups(group_size=1)
    >>> len(groups), dist.get_process_group_ranks(mine)
    (1, [0])
    >>> dist.destroy_process_group()
    """
    size = default().world.size
    if group_size is None:
        group_size = default().world.hosts.count(default().world.hosts[0])
    if group_size <= 0:
        raise ValueError(f"The arg 'group_size' ({group_size}) must be positive")
    if size < group_size:
        raise ValueError(
            f"The arg 'group_size' ({group_size}) must not exceed the world size ({size})"
        )
    if size % group_size:
        raise ValueError(f"The world size ({size}) must be divisible by 'group_size={group_size}'")
    lists = [list(range(i, i + group_size)) for i in range(0, size, group_size)]
    return new_subgroups_by_enumeration(lists, timeout, backend, pg_options, group_desc)


def new_subgroups_by_enumeration(
    ranks_per_subgroup_list: Sequence[Sequence[int]],
    timeout: datetime.timedelta | None = None,
    backend: str | None = None,
    pg_options: Any = None,
    group_desc: str | None = None,
) -> tuple[Any, list[Any]]:
    """A group for each list of ranks, which have none in common: (the one of this rank, all).

    >>> dist = torch.distributed
    >>> dist.init_process_group("gloo", store=dist.HashStore(), rank=0, world_size=1)
    >>> mine, groups = dist.new_subgroups_by_enumeration([[0]])
    >>> len(groups), dist.get_process_group_ranks(mine)
    (1, [0])
    >>> dist.destroy_process_group()
    """
    if not ranks_per_subgroup_list:
        raise ValueError("The arg 'ranks_per_subgroup_list' cannot be empty")
    seen = [r for ranks in ranks_per_subgroup_list for r in ranks]
    if len(set(seen)) != len(seen):
        twice = next(r for r in seen if seen.count(r) > 1)
        raise ValueError(f"Rank {twice} has appeared in more than one subgroup")
    mine, found = None, []
    for ranks in ranks_per_subgroup_list:
        g = new_group(ranks, timeout, backend, pg_options, group_desc=group_desc)
        found.append(g)
        if default().world.rank in ranks:
            mine = g
    return mine, found


def split_group(
    parent_pg: ProcessGroup | None = None,
    split_ranks: Sequence[Sequence[int]] | None = None,
    timeout: datetime.timedelta | None = None,
    pg_options: Any = None,
    group_desc: str | None = None,
    backend: str | None = None,
) -> ProcessGroup | None:
    """Split a group, all of whose ranks call this: the part that this rank is in, or None.

    Args:
        split_ranks: for each part its ranks, as ranks of `parent_pg`.

    >>> dist = torch.distributed
    >>> dist.init_process_group("gloo", store=dist.HashStore(), rank=0, world_size=1)
    >>> mine = dist.split_group(split_ranks=[[0]])
    >>> dist.get_process_group_ranks(mine)
    [0]
    >>> dist.destroy_process_group()
    """
    parent = resolve(parent_pg)
    if parent is None:
        return None
    if not split_ranks:
        raise ValueError("split_ranks cannot be None or empty")
    limit = seconds(timeout) if timeout is not None else parent.timeout
    parent.meetings += 1
    mine = None
    for i, part in enumerate(split_ranks):
        if len(set(part)) != len(part):
            raise ValueError("the split group cannot have duplicate ranks")
        if any(not 0 <= r < parent.size() for r in part):
            raise ValueError("all ranks in split_ranks must be ranks of the parent group")
        if parent.rank() in part:
            if mine is not None:
                raise ValueError("a rank can be in one part alone")
            members = [parent.global_rank(r) for r in sorted(part)]
            name = f"{parent.group_name}:split:{parent.meetings}:{i}"
            mine = made(
                parent.world, members, name, members, limit, group_desc or "undefined", parent
            )
    return mine


# -- questions -------------------------------------------------------------------------------------


def get_rank(group: Any = None) -> int:
    """This process's rank in a group; -1 when it is not in it.

    >>> dist = torch.distributed
    >>> dist.init_process_group("gloo", store=dist.HashStore(), rank=0, world_size=1)
    >>> dist.get_rank()
    0
    >>> dist.destroy_process_group()
    """
    g = resolve(group)
    return -1 if g is None else g.rank()


def get_world_size(group: Any = None) -> int:
    """How many processes are in a group; -1 when this one is not.

    >>> dist = torch.distributed
    >>> dist.init_process_group("gloo", store=dist.HashStore(), rank=0, world_size=1)
    >>> dist.get_world_size()
    1
    >>> dist.destroy_process_group()
    """
    g = resolve(group)
    return -1 if g is None else g.size()


def get_backend(group: Any = None) -> str:
    """"mpi", whatever `init_process_group` was asked for.

    Raises:
        ValueError: there is no group, or this process is not in it.

    >>> dist = torch.distributed
    >>> dist.init_process_group("gloo", store=dist.HashStore(), rank=0, world_size=1)
    >>> dist.get_backend()
    'mpi'
    >>> dist.destroy_process_group()
    """
    if resolve(group) is None:
        raise ValueError("Invalid process group specified")
    return BACKEND


def get_backend_config(group: Any = None) -> str:
    """The same for each device, as PyTorch writes it.

    >>> dist = torch.distributed
    >>> dist.init_process_group("gloo", store=dist.HashStore(), rank=0, world_size=1)
    >>> dist.get_backend_config()
    'cpu:mpi'
    >>> dist.destroy_process_group()
    """
    return f"cpu:{get_backend(group)}"


def get_default_backend_for_device(device: Any) -> str:
    """"mpi" for the CPU.

    Raises:
        ValueError: for another device.

    >>> torch.distributed.get_default_backend_for_device("cpu")
    'mpi'
    """
    kind = str(getattr(device, "type", device)).partition(":")[0]
    if kind != "cpu":
        raise ValueError(f"Default backend not registered for device : {kind}")
    return BACKEND


def get_global_rank(group: ProcessGroup, group_rank: int) -> int:
    """The rank in the world of a group's rank.

    >>> dist = torch.distributed
    >>> dist.init_process_group("gloo", store=dist.HashStore(), rank=0, world_size=1)
    >>> dist.get_global_rank(dist.new_group([0]), 0)
    0
    >>> dist.destroy_process_group()
    """
    g = resolve(group)
    if g is None or not 0 <= group_rank < g.size():
        raise ValueError(f"Group rank {group_rank} is not part of group {group}")
    return g.global_rank(group_rank)


def get_group_rank(group: ProcessGroup, global_rank: int) -> int:
    """The rank in a group of the world's rank.

    >>> dist = torch.distributed
    >>> dist.init_process_group("gloo", store=dist.HashStore(), rank=0, world_size=1)
    >>> dist.get_group_rank(dist.new_group([0]), 0)
    0
    >>> dist.destroy_process_group()
    """
    g = resolve(group)
    if g is None:
        raise ValueError(f"Group {group} is not registered, please create group with new_group API")
    return g.local(global_rank)


def get_process_group_ranks(group: ProcessGroup | None) -> list[int]:
    """The ranks of the world that are in a group, in its order.

    >>> dist = torch.distributed
    >>> dist.init_process_group("gloo", store=dist.HashStore(), rank=0, world_size=1)
    >>> dist.get_process_group_ranks(dist.group.WORLD)
    [0]
    >>> dist.destroy_process_group()
    """
    g = resolve(group)
    return [] if g is None else list(g.ranks)


def get_pg_count() -> int:
    """How many groups this process has.

    >>> torch.distributed.get_pg_count()
    0
    """
    return len(state.groups)


def get_node_local_rank(fallback_rank: int | None = None) -> int:
    """LOCAL_RANK of the environment, or the fallback.

    Raises:
        RuntimeError: neither is there.

    >>> torch.distributed.get_node_local_rank(fallback_rank=0)
    0
    """
    if "LOCAL_RANK" in os.environ:
        return int(os.environ["LOCAL_RANK"])
    if fallback_rank is not None:
        return int(fallback_rank)
    raise RuntimeError(
        "LOCAL_RANK is not in the environment. Consider passing fallback_rank to allow "
        "`get_node_local_rank` to work"
    )


def is_torchelastic_launched() -> bool:
    """Whether a launcher says so, as torchrun does: TORCHELASTIC_RUN_ID is set.

    >>> torch.distributed.is_torchelastic_launched()
    False
    """
    return os.environ.get("TORCHELASTIC_RUN_ID") is not None


def is_nccl_available() -> bool:
    """False: there are no GPUs. `backend="nccl"` is accepted, and means MPI. So is it of UCC and
    XCCL.

    >>> torch.distributed.is_nccl_available()
    False
    """
    return False


is_ucc_available = is_xccl_available = is_nccl_available


def is_mpi_available() -> bool:
    """The same as `is_available`.

    >>> torch.distributed.is_mpi_available() == torch.distributed.is_available()
    True
    """
    return is_available()


def is_gloo_available() -> bool:
    """The same as `is_available`.

    >>> torch.distributed.is_gloo_available() == torch.distributed.is_available()
    True
    """
    return is_available()


def is_backend_available(backend: str) -> bool:
    """Whether a backend can be asked for.

    >>> torch.distributed.is_backend_available("gloo"), torch.distributed.is_backend_available("x")
    (True, False)
    """
    return Backend(backend) in ("gloo", "mpi") and is_available()


def shrink_group(
    ranks_to_exclude: list[int], group: Any = None, shrink_flags: int = 0, pg_options: Any = None
) -> NoReturn:
    """Raises: an MPI world has the ranks that it began with.

    >>> dist = torch.distributed
    >>> dist.init_process_group("gloo", store=dist.HashStore(), rank=0, world_size=1)
    >>> try:
    ...     dist.shrink_group([0])
    ... except (NotImplementedError, RuntimeError, ValueError, TypeError):
    ...     print("start the job anew with fewer ranks")
    start the job anew with fewer ranks
    >>> dist.destroy_process_group()
    """
    raise NotImplementedError(
        message(
            "shrink_group: an MPI world keeps the ranks that it began with",
            hint="a new job, from its last checkpoint",
        )
    )
