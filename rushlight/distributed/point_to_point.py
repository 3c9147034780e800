"""Messages from one rank to another: send, recv, and their forms that do not wait.

Each message has a header of its own, so that a receiver whose tensor has another type or size says
so instead of getting other numbers. Header and tensor have tags 2t and 2t + 1 of the tag t.
"""

from __future__ import annotations

import datetime
import struct
import threading
import time
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from ..autograd import lines
from ..errors import message
from ..tensor import Tensor
from . import memory, mpi
from .arguments import outside
from .errors import DistBackendError
from .exchange import bytes_of, kind_of
from .group import ProcessGroup, resolve
from .work import Work

HEADER = struct.Struct("<iq")
NAP = 1e-3  # between two looks of the background thread at messages that nobody waits for


class Message(Work):
    """A message under way; MPI's requests are asked by whoever waits, or by a thread."""

    def __init__(self, group: ProcessGroup, tensor: Tensor, what: str) -> None:
        super().__init__([tensor])
        self._group, self._what = group, what
        self._lock = threading.Lock()
        self._requests: list[Any] = []

    def _peers(self) -> tuple[int, ...]:
        """Whom it waits for, as ranks of the world."""
        return ()

    def _next(self) -> bool:
        """Called when all requests are done: True when there is nothing more to do."""
        return True

    def _step(self) -> bool:
        """Look whether it is over; never waits."""
        with self._lock:
            if self._done.is_set():
                return True
            try:
                self._group.world.failed(self._peers())
                if not type(self._requests[0]).Testall(self._requests):
                    return False
                if not self._next():
                    return False
            except self._group.world.mpi.Exception as why:
                self._finish(DistBackendError(message(f"{self._what} failed in MPI", got=str(why))))
            except RuntimeError as why:
                self._finish(why)
            else:
                self._finish()
            return True

    def is_completed(self) -> bool:
        return self._step()

    def wait(self, timeout: datetime.timedelta | None = None) -> bool:
        limit = self._group.timeout if not timeout else timeout.total_seconds()
        deadline, world = time.monotonic() + limit, self._group.world
        world.doing = self._what
        if not mpi.wait(self._step, deadline, lambda: None):  # a step asks who has failed
            raise world.late(self._what, limit, self._peers())
        if self._error is not None:
            raise self._error
        return True


class Sent(Message):
    """A message that is sent."""

    def __init__(self, group: ProcessGroup, x: Tensor, to: int, tag: int, what: str) -> None:
        super().__init__(group, x, what)
        a = memory.readable(x)
        # kept until it is over: MPI reads them
        self._memory = (np.frombuffer(HEADER.pack(kind_of(a.dtype), a.size), np.uint8), bytes_of(a))
        self._to = to
        self._requests = [
            group.comm.Isend(self._memory[0], to, 2 * tag),
            group.comm.Isend([self._memory[1], group.BYTE], to, 2 * tag + 1),
        ]

    def _peers(self) -> tuple[int, ...]:
        return (self._group.global_rank(self._to),)


class Received(Message):
    """A message that is received; from any rank when `source` is None."""

    def __init__(
        self, group: ProcessGroup, x: Tensor, source: int | None, tag: int, what: str
    ) -> None:
        super().__init__(group, x, what)
        (self._into,) = memory.writable("recv", [x])
        self._header = np.empty(HEADER.size, np.uint8)
        self._tag = tag
        self._status = group.world.mpi.Status()
        self._from = source
        any_ = group.world.mpi.ANY_SOURCE
        self._requests = [
            group.comm.Irecv(self._header, any_ if source is None else source, 2 * tag)
        ]
        self._second = source is None
        if source is not None:
            self._requests.append(self._body(source))

    def _peers(self) -> tuple[int, ...]:
        return () if self._from is None else (self._group.global_rank(self._from),)

    def _body(self, source: int) -> Any:
        g = self._group
        memory_ = bytes_of(self._into.array)
        return g.comm.Irecv([memory_, g.BYTE], source, 2 * self._tag + 1)

    def _step(self) -> bool:
        if self._second and not self._done.is_set():
            with self._lock:
                self._group.world.failed()
                if self._second and self._requests[0].Test(self._status):
                    self._from = self._status.Get_source()
                    self._second = False
                    self._requests = [self._body(self._from)]
                if self._second:
                    return False
        return super()._step()

    def _next(self) -> bool:
        kind, size = HEADER.unpack(self._header.tobytes())
        a = self._into.array
        self._source = self._group.global_rank(self._from or 0)
        if kind != kind_of(a.dtype) or size != a.size:
            got = f"{size} elements" + (", of another type" if kind != kind_of(a.dtype) else "")
            raise DistBackendError(
                message(
                    f"{self._what}: the message does not fit the tensor",
                    got=f"{got}, from rank {self._source}",
                    wanted=f"{a.size} of {a.dtype.name}",
                )
            )
        self._into.done()
        return True


class _Background:
    """A thread that looks after messages that nobody waits for, so that they go on."""

    def __init__(self) -> None:
        self.lock = threading.Lock()
        self.open: list[Message] = []
        self.thread: threading.Thread | None = None

    def add(self, work: Message) -> None:
        if work._step():
            return
        with self.lock:
            self.open.append(work)
            if self.thread is None:
                self.thread = threading.Thread(target=self._run, name="rushlight-p2p", daemon=True)
                self.thread.start()

    def _run(self) -> None:
        while True:
            with self.lock:
                self.open = [w for w in self.open if not w._done.is_set()]
                if not self.open:
                    self.thread = None
                    return
                todo = list(self.open)
            for work in todo:
                work._step()
            time.sleep(NAP)


background = _Background()


def peer(
    g: ProcessGroup, rank: int | None, group_rank: int | None, name: str, itself: Any = RuntimeError
) -> int:
    """The group's number of the other end; an error of class `itself` for this rank."""
    if (rank is None) == (group_rank is None):
        raise ValueError(
            f"{name}: give the other rank once, as a rank of the world or of the group"
        )
    found = g.local(rank) if rank is not None else int(group_rank)  # type: ignore[arg-type]
    if found == g.rank():
        raise itself(
            f"Invalid {name} rank: {name} rank should not be the same as the rank of the current "
            "process."
        )
    if not 0 <= found < g.size():
        raise ValueError(f"{name}: no rank {found} among {g.size()}")
    return found


def describe(name: str, end: str, g: ProcessGroup, other: int | None, tag: int) -> str:
    """What is under way, and from which line."""
    whom = "any rank" if other is None else f"rank {g.global_rank(other)}"
    return f"{name} {end} {whom} (tag {tag}) at {lines.show_line(*lines.user_line())}"


def isend(
    tensor: Tensor,
    dst: int | None = None,
    group: Any = None,
    tag: int = 0,
    group_dst: int | None = None,
) -> Work | None:
    """Begin to send a tensor to rank `dst`; it must not be changed before `wait()`.

    As each of two processes runs it::

        if dist.get_rank() == 0:
            work = dist.isend(torch.ones(2), dst=1)
        else:
            x = torch.zeros(2)
            work = dist.irecv(x, src=0)
        work.wait()

    >>> dist = torch.distributed
    >>> dist.init_process_group("gloo", store=dist.HashStore(), rank=0, world_size=1)
    >>> dist.isend(torch.ones(2), dst=0)
    Traceback (most recent call last):
        ...
    RuntimeError: Invalid destination rank: ...
    >>> dist.destroy_process_group()
    """
    return begun("isend", tensor, dst, group, tag, group_dst, RuntimeError)


def begun(
    name: str, tensor: Tensor, dst: int | None, group: Any, tag: int, group_dst: int | None,
    itself: type[Exception],
) -> Work | None:  # fmt: skip
    """A message that is being sent; an error of class `itself` for one to this rank."""
    memory.check(name, "tensor", tensor)
    g = resolve(group)
    if g is None:
        return outside(name)
    to = peer(g, dst, group_dst, "destination", itself)
    work = Sent(g, tensor, to, tag, describe("send", "to", g, to, tag))
    background.add(work)
    return work


def irecv(
    tensor: Tensor,
    src: int | None = None,
    group: Any = None,
    tag: int = 0,
    group_src: int | None = None,
) -> Work | None:
    """Begin to receive a tensor from rank `src`, or from any; it is there after `wait()`.

    See `isend` for two processes that send and receive.

    >>> dist = torch.distributed
    >>> dist.init_process_group("gloo", store=dist.HashStore(), rank=0, world_size=1)
    >>> dist.irecv(torch.zeros(2), src=0)
    Traceback (most recent call last):
        ...
    RuntimeError: Invalid source rank: ...
    >>> dist.destroy_process_group()
    """
    memory.check("irecv", "tensor", tensor)
    g = resolve(group)
    if g is None:
        return outside("irecv")
    source = None if src is None and group_src is None else peer(g, src, group_src, "source")
    work = Received(g, tensor, source, tag, describe("recv", "from", g, source, tag))
    background.add(work)
    return work


def send(
    tensor: Tensor,
    dst: int | None = None,
    group: Any = None,
    tag: int = 0,
    group_dst: int | None = None,
) -> None:
    """Send a tensor to rank `dst`; return when it may be changed again.

    As each of two processes runs it::

        x = torch.zeros(2)
        if dist.get_rank() == 0:
            dist.send(torch.ones(2), dst=1)
        else:
            dist.recv(x, src=0)

    >>> dist = torch.distributed
    >>> dist.init_process_group("gloo", store=dist.HashStore(), rank=0, world_size=1)
    >>> dist.send(torch.ones(2), dst=0)
    Traceback (most recent call last):
        ...
    ValueError: Invalid destination rank: ...
    >>> dist.destroy_process_group()
    """
    work = begun("send", tensor, dst, group, tag, group_dst, ValueError)
    if work is not None:
        work.wait()


def recv(
    tensor: Tensor,
    src: int | None = None,
    group: Any = None,
    tag: int = 0,
    group_src: int | None = None,
) -> int:
    """Receive a tensor from rank `src`, or from any rank; the sender's rank, or -1 for a process
    that is not in the group.

    Raises:
        DistBackendError: the message has another type or number of elements than `tensor`.

    See `send` for two processes that send and receive.

    >>> dist = torch.distributed
    >>> dist.init_process_group("gloo", store=dist.HashStore(), rank=0, world_size=1)
    >>> dist.recv(torch.zeros(2), src=0)
    Traceback (most recent call last):
        ...
    RuntimeError: Invalid source rank: ...
    >>> dist.destroy_process_group()
    """
    work = irecv(tensor, src, group, tag, group_src)
    if work is None:
        return -1
    work.wait()
    return work.source_rank()


class P2POp:
    """One message for `batch_isend_irecv`.

    Args:
        op: `dist.isend` or `dist.irecv`.
        tensor, peer, group, tag, group_peer: its arguments.

    >>> dist = torch.distributed
    >>> dist.init_process_group("gloo", store=dist.HashStore(), rank=0, world_size=1)
    >>> op = dist.P2POp(dist.isend, torch.ones(2), 0)
    >>> op.peer, op.op is dist.isend
    (0, True)
    >>> dist.destroy_process_group()
    """

    def __init__(
        self,
        op: Callable[..., Any],
        tensor: Tensor,
        peer: int | None = None,
        group: Any = None,
        tag: int = 0,
        group_peer: int | None = None,
    ) -> None:
        if op not in (isend, irecv):
            raise ValueError(
                "Invalid ``op``. Expected ``op`` to be of type ``torch.distributed.isend`` or "
                "``torch.distributed.irecv``."
            )
        memory.check("P2POp", "tensor", tensor)
        self.op, self.tensor, self.peer = op, tensor, peer
        self.group, self.tag, self.group_peer = group, tag, group_peer

    def __repr__(self) -> str:
        t = self.tensor
        other = self.peer if self.peer is not None else self.group_peer
        return f"P2POp({self.op.__name__} peer={other}, {t.shape}, {t.dtype})"


def batch_isend_irecv(p2p_op_list: Sequence[P2POp]) -> list[Work]:
    """Begin several messages at once: a list of their works.

    As each of n processes runs it, for a ring::

        me, n = dist.get_rank(), dist.get_world_size()
        mine, theirs = torch.tensor([float(me)]), torch.zeros(1)
        send = dist.P2POp(dist.isend, mine, (me + 1) % n)
        receive = dist.P2POp(dist.irecv, theirs, (me - 1) % n)
        for work in dist.batch_isend_irecv([send, receive]):
            work.wait()

    >>> dist = torch.distributed
    >>> dist.init_process_group("gloo", store=dist.HashStore(), rank=0, world_size=1)
    >>> dist.batch_isend_irecv([dist.P2POp(dist.isend, torch.ones(1), 0)])
    Traceback (most recent call last):
        ...
    RuntimeError: Invalid destination rank: ...
    >>> dist.destroy_process_group()
    """
    if not isinstance(p2p_op_list, list) or not all(isinstance(o, P2POp) for o in p2p_op_list):
        raise ValueError(
            "Invalid ``p2p_op_list``. Each op is expected to to be of type "
            "``torch.distributed.P2POp``."
        )
    if not p2p_op_list:
        raise IndexError("batch_isend_irecv: the list of messages is empty")
    found = [o.op(o.tensor, o.peer, o.group, o.tag, o.group_peer) for o in p2p_op_list]
    return [w for w in found if w is not None]
