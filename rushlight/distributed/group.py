"""Process groups: ranks of the world, in an order of their own, that call collectives together.

A group is an MPI communicator with a name, a timeout and a count of its calls. `state` holds the
groups of this process; `init_process_group` (setup.py) makes the first.
"""

from __future__ import annotations

import datetime
import time
from collections.abc import Callable, Sequence
from typing import Any, NoReturn

from ..autograd import door
from ..errors import message
from . import exchange, local, mpi
from .shared import slots
from .stores import PrefixStore, Store
from .work import Lane, Work

default_pg_timeout = datetime.timedelta(minutes=30)
BACKEND = "mpi"


class ProcessGroup:
    """Ranks that call collectives together.

    Made by `init_process_group`, `new_group` and their like; `dist.group.WORLD` is that of all.

    >>> dist = torch.distributed
    >>> dist.init_process_group("gloo", store=dist.HashStore(), rank=0, world_size=1)
    >>> world = dist.group.WORLD
    >>> isinstance(world, dist.ProcessGroup), world.rank(), world.size()
    (True, 0, 1)
    >>> dist.destroy_process_group()
    """

    def __init__(
        self, world: Any, comm: Any, ranks: Sequence[int], name: str, timeout: float, desc: str,
        store: Store,
    ) -> None:  # fmt: skip
        self.world, self.comm = world, comm
        self.ranks = tuple(ranks)
        self._name, self.timeout, self._desc = name, timeout, desc
        self.place = f"{world.groups}/{name}"  # under which the job's book knows it
        self.store = PrefixStore(f"group/{name}", store)
        self.calls = 0  # collectives that were carried out, which all ranks do in one order
        self.meetings = 0  # calls that stand outside of that order
        self.lane: Lane = state.lane
        self.slots = world.outside(
            lambda: slots(world, comm), time.monotonic() + timeout, f"making {self}", self.ranks
        )
        self.exchange: Any = exchange if self.slots is None else local
        self.BYTE, self.IN_PLACE = world.mpi.BYTE, world.mpi.IN_PLACE
        self._rank = self.ranks.index(world.rank)
        self.bound_device_id = None

    def rank(self) -> int:
        """This process's number in the group."""
        return self._rank

    def size(self) -> int:
        """How many processes are in the group."""
        return len(self.ranks)

    def name(self) -> str:
        """The backend: MPI."""
        return BACKEND

    @property
    def group_name(self) -> str:
        """The group's own name."""
        return self._name

    @property
    def group_desc(self) -> str:
        """What `new_group(group_desc=)` was told."""
        return self._desc

    def get_group_store(self) -> Store:
        """A store for this group's own keys."""
        return self.store

    def global_rank(self, rank: int) -> int:
        """A rank of the group as a rank of the world."""
        return self.ranks[rank]

    def local(self, rank: int) -> int:
        """A rank of the world as a rank of the group; ValueError for one that is not in it."""
        try:
            return self.ranks.index(rank)
        except ValueError:
            raise ValueError(
                message(
                    f"Global rank {rank} is not part of group {self._name}",
                    got=f"rank {rank}; the group has {list(self.ranks)}",
                )
            ) from None

    def set_timeout(self, timeout: datetime.timedelta) -> None:
        """How long a collective may take from now on."""
        self.timeout = timeout.total_seconds()

    def __repr__(self) -> str:
        return f"<ProcessGroup {self._name or 'default'}: ranks {list(self.ranks)}>"

    # -- carrying out ------------------------------------------------------------------------------

    def wait(self, requests: Any, call: Any, patient: bool) -> None:
        """Wait for MPI's requests of a call, no longer than its timeout, or the group's."""
        self.until(mpi.all_done(requests), call, patient)

    def until(self, done: Callable[[], bool], call: Any, patient: bool) -> None:
        """Wait likewise until `done()`."""
        limit = self.timeout if call.timeout is None else call.timeout
        self.world.wait(done, limit, call, patient, self.ranks)

    def run(
        self, call: Any, fn: Callable[[bool], None], result: list[Any], async_op: bool
    ) -> Work | None:
        """Carry out a collective in its turn: exchange headers, then `fn(patient)`."""
        world = self.world

        def go(patient: bool) -> None:
            self.calls += 1
            call.number = self.calls
            world.doing = call
            began = time.perf_counter_ns()
            exchange.agree(self, call, patient)
            fn(patient)
            world.doing = Past(call)
            if call.watched is not None:
                call.watched(f"mpi:{call.name}", began, call, self)

        def begin() -> Work | None:
            if not async_op:
                self.lane.now(go)
                return None
            work = Work(result)
            self.lane.later(go, work)
            return work

        return door.span("collective", call, result, begin)


class Past:
    """What a rank has done last."""

    __slots__ = ("call",)

    def __init__(self, call: Any) -> None:
        self.call = call

    def __str__(self) -> str:
        return f"after {self.call}"


class _State:
    """The groups of this process."""

    def __init__(self) -> None:
        self.lane = Lane()
        self.clear()

    def clear(self) -> None:
        self.default: ProcessGroup | None = None
        self.groups: dict[str, ProcessGroup] = {}
        self.made = 0  # groups that all ranks have made, so that names agree


state = _State()


class _Default(type):
    """Gives a class the name WORLD: the default group, None before there is one."""

    @property
    def WORLD(cls) -> ProcessGroup | None:
        return state.default

    @WORLD.setter
    def WORLD(cls, value: ProcessGroup | None) -> None:
        state.default = value


class GroupMember(metaclass=_Default):
    """What programs compare process groups with: `new_group` gives NON_GROUP_MEMBER to processes
    that are not in the new group; `WORLD` is the default group.

    >>> dist = torch.distributed
    >>> dist.init_process_group("gloo", store=dist.HashStore(), rank=0, world_size=1)
    >>> dist.new_group([0]) is dist.GroupMember.NON_GROUP_MEMBER
    False
    >>> dist.destroy_process_group()
    """

    NON_GROUP_MEMBER = -100


class group(metaclass=_Default):
    """`group.WORLD`: the default group.

    >>> print(torch.distributed.group.WORLD)  # before init_process_group
    None
    """


def uninitialized() -> NoReturn:
    raise ValueError(
        message(
            "Default process group has not been initialized, please make sure to call "
            "init_process_group.",
            hint="torch.distributed.init_process_group() first, in a program that several "
            "processes run: python -m rushlight.distributed.run --nproc-per-node 2 script.py",
        )
    )


def default() -> ProcessGroup:
    """The default group; ValueError before `init_process_group`."""
    if state.default is None:
        uninitialized()
    return state.default


def resolve(given: Any) -> ProcessGroup | None:
    """The group that an argument means: None is the default one; None comes out for a group that
    this process is no member of."""
    if given is None:
        return default()
    if given is GroupMember.NON_GROUP_MEMBER or given == GroupMember.NON_GROUP_MEMBER:
        return None
    if not isinstance(given, ProcessGroup):
        raise ValueError(
            message(
                f"Process group {given} is not initialized in the world group map. Please "
                "initialize the group first.",
                got=type(given).__name__,
                wanted="what init_process_group or new_group made, or None for the default group",
            )
        )
    return given
