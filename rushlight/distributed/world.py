"""A process as one of a world: how it joins, what it tells the others, and what it hears of them.

All ranks are connected to a book-keeper (server.py), a thread of rank 0. It sees at once when a
rank's connection ends, and keeps what each rank says of itself: the collective that it is in, and
the line of the program where its main thread stands. So a rank that is gone, hangs or does
something else is named by all others.
"""

from __future__ import annotations

import atexit
import contextlib
import os
import socket
import threading
import time
from collections.abc import Callable, Sequence
from typing import Any

from ..autograd import lines
from ..errors import message
from . import faults, leftovers, mpi, wire
from .client import Client
from .errors import DistBackendError, DistError, DistNetworkError, DistStoreError
from .server import Server
from .stores import PrefixStore, Store

# How often a rank tells where it is, in seconds; more seldom among many.
TELL_EVERY = 0.1
# How long a rank waits for the others when it ends, before it goes without them.
FAREWELL = 5.0
# How long after a rank's end something may still come from it.
LAST_WORDS = 1.0


class World:
    """The processes that this one computes with; there is at most one in the life of a process.

    Attributes:
        rank, size: this process and how many there are.
        hosts: the name of each rank's machine.
        mpi, comm: mpi4py's module, and a communicator of all ranks in their order.
        failure: why the job cannot go on; None while it can.
    """

    def __init__(self, store: Store, rank: int, size: int, timeout: float) -> None:
        self.rank, self.size = rank, size
        self.groups = 0  # default groups so far, less one
        self.failure: str | None = None
        self.doing: Any = "init_process_group"  # text, or what turns into it
        self.main = threading.main_thread().ident
        self.server: Server | None = None
        self.ended = threading.Event()
        self.gone: dict[int, tuple[float, str]] = {}  # ranks that have ended: when heard, a text
        self.keeper = "rank 0"  # who keeps the book, and what it last did
        self.began = time.time()
        self.hosts = [socket.gethostname()] * size
        deadline = time.monotonic() + timeout
        host, port, token = self._meet(store, rank)
        self.member = Client(host, port, token, timeout)
        self.desk = Client(host, port, token, timeout)  # for questions that wait
        atexit.register(self.end)
        faults.attend(self)
        try:
            self._begin(host, port, token, deadline, timeout)
        except BaseException as why:
            self.give_up(f"{self.name()} could not start: {brief(why)}")
            mpi.skip_destructors()
            raise

    def _begin(self, host: str, port: int, token: str, deadline: float, timeout: float) -> None:
        """Become one MPI world with the others."""
        what = "init_process_group"
        self.hosts = self._join(what, deadline, timeout)
        self.watcher = threading.Thread(target=self._watch, name="rushlight-watcher", daemon=True)
        self.watcher.start()
        self.mpi = mpi.library()
        rank, size = self.rank, self.size
        started = mpi.started_by_mpiexec()
        if started is None and size > 1:  # alone, MPI asks nobody
            self._lent = Client(host, port, token, timeout)
            mpi._joined.append(self._lent)
            descriptor = self._lent.lend_to_mpi(rank)
            self.outside(lambda: mpi.initialize(descriptor, rank, size), deadline, what)
        else:
            mpi.initialize(None, rank, size)
        self.comm = self.outside(lambda: self._ordered(self.mpi.COMM_WORLD), deadline, what)
        left = max(1.0, deadline - time.monotonic())
        self.wait(mpi.all_done([self.comm.Ibarrier()]), left, what)
        if self.local_rank == 0:
            mpi.unlink_shared_memory()
        if started is None:
            mpi.skip_destructors()

    def outside(
        self, fn: Callable[[], Any], deadline: float, what: Any, ranks: Sequence[int] = ()
    ) -> Any:
        """The result of `fn`, which waits for other ranks inside of MPI: in a thread, so that it
        can be left when one of them is gone, or at `deadline`."""
        found: list[Any] = []
        over = threading.Event()

        def run() -> None:
            try:
                found.append(fn())
            except BaseException as why:
                found.append(why)
            over.set()

        if self.size == 1:
            return fn()
        threading.Thread(target=run, name="rushlight-mpi", daemon=True).start()
        self.wait(over.is_set, max(1.0, deadline - time.monotonic()), what, ranks=ranks)
        if isinstance(found[0], BaseException):
            raise found[0]
        return found[0]

    def name(self) -> str:
        """This rank, as others are told of it."""
        return f"rank {self.rank} on {self.hosts[self.rank]} (process {os.getpid()})"

    def _meet(self, store: Store, rank: int) -> tuple[str, int, str]:
        """Where the book-keeper listens, and its token; rank 0 starts it and tells the others."""
        if rank == 0:
            host = getattr(kept_by(store), "host", None) or "127.0.0.1"
            self.server = Server(host, 0, wire.new_token())
            found = f"{host} {self.server.address[1]} {self.server.token} {socket.gethostname()}"
            store.set("world", found)
        host, port, token, name = store.get("world").decode().split(" ")
        if host in ("127.0.0.1", "localhost", "::1") and name != socket.gethostname():
            raise DistBackendError(
                message(
                    "this rank is on another machine than rank 0, which listens to its own alone",
                    got=f"rank 0 on {name} at {host}; this one on {socket.gethostname()}",
                    hint='init_method="tcp://ADDRESS-OF-RANK-0:PORT", or MASTER_ADDR',
                )
            )
        return host, int(port), token

    def _join(self, what: str, deadline: float, timeout: float) -> list[str]:
        """Say that this rank is there; the machines of all ranks, when all are."""
        limit, host = max(1.0, deadline - time.monotonic()), socket.gethostname()
        try:
            found = self.member.ask(
                "join", limit, self.rank, self.size, host, os.getpid(), wait=limit
            )
        except TimeoutError as why:
            raise missing(what, [int(r) for r in why.args], self.size, timeout) from None
        except DistNetworkError as why:
            raise self.broken(what, f"rank 0, which keeps the job's book, is gone ({why})") from why
        except DistStoreError as why:
            raise self.broken(what, str(why)) from None
        return [h.decode() for h in found]

    def _ordered(self, comm: Any) -> Any:
        """A communicator of our own in which ranks are ours, whatever mpiexec has numbered."""
        if comm.size != self.size:
            raise DistBackendError(
                message(
                    "MPI's world has another size than the process group",
                    got=f"{comm.size} processes in MPI's world, world_size={self.size}",
                    hint="mpiexec -n with the world size, or none of its variables (PMI_RANK, ...)",
                )
            )
        return comm.Split(0, self.rank)

    @property
    def local_rank(self) -> int:
        """How many ranks before this one are on its machine."""
        return self.hosts[: self.rank].count(self.hosts[self.rank])

    # -- hearing and telling -------------------------------------------------------------------

    def _watch(self) -> None:
        """Tell the book what this rank does, and hear what has failed; a thread's whole life."""
        pause = TELL_EVERY * max(1, self.size / 64)
        heard, told, asked = 0, "", time.monotonic()
        while True:
            now = self.standing()
            try:
                keeper, *news = self.member.ask("tell", "" if now == told else now, heard)
            except DistError as why:
                if not self.ended.is_set() and self.failure is None:
                    who, _, doing = self.keeper.partition("\t")
                    since = time.monotonic() - asked
                    self.failure = (
                        f"{who} is gone, and the job's book with it; it was last seen "
                        f"{since:.1f} s before, {doing or 'starting'} ({why.__cause__})"
                    )
                return
            told, asked = now, time.monotonic()
            self.keeper = keeper.decode(errors="replace")
            heard += len(news)
            for item in news:
                rank, _, text = item.decode(errors="replace").partition("\t")
                if rank:
                    self.gone[int(rank)] = asked, text
                else:
                    self.failure = self.failure or text
            if self.ended.wait(pause):
                return

    def standing(self) -> str:
        """What this rank is doing, and the user's line where its main thread is."""
        line = lines.line_of(self.main)  # type: ignore[arg-type]
        return f"{self.doing}, at {lines.show_line(*line)}"

    def failed(self, ranks: Sequence[int] = ()) -> None:
        """Raise when the job cannot go on, or not a call that waits for one of `ranks`."""
        if self.failure is not None:
            raise self.broken(str(self.doing), self.failure)
        if self.gone:
            for rank in ranks:
                # What it has sent before its end may still be on its way.
                if rank in self.gone and time.monotonic() > self.gone[rank][0] + LAST_WORDS:
                    self.give_up(self.gone[rank][1])
                    self.failed()

    def broken(self, what: str, why: str) -> DistBackendError:
        """The error of a collective that a failure ended."""
        return DistBackendError(
            message(
                f"{what} cannot be carried out: {why}",
                got=f"rank {self.rank} of {self.size} waits in {what}",
                hint="the output of the rank that is named says why it ended; "
                "start the job again from its last checkpoint",
            )
        )

    def states(self) -> dict[int, str]:
        """What each rank was last doing, in words."""
        found = {}
        for line in self.member.ask("states"):
            rank, host, pid, since, state, doing = line.decode(errors="replace").split("\t", 5)
            there = "" if state == "there" else f"{state}; "
            found[int(rank)] = (
                f"rank {rank} on {host} (process {pid}): {there}{doing}; told {since} s ago"
            )
        return found

    # -- waiting -------------------------------------------------------------------------------

    def wait(
        self, done: Callable[[], bool], timeout: float, what: Any, patient: bool = False,
        ranks: Sequence[int] = (),
    ) -> None:  # fmt: skip
        """Wait until `done()`: MPI's requests (`mpi.all_done`), or what others have written.

        Args:
            ranks: of the world, that this waits for: when one has ended its program, it is vain.

        Raises:
            DistBackendError: a rank is gone, or the time is over; the text names who does what.
        """
        self.failed()
        try:
            deadline = time.monotonic() + timeout
            if mpi.wait(done, deadline, lambda: self.failed(ranks), patient):
                return
        except self.mpi.Exception as why:
            self.failed()
            raise DistBackendError(message(f"{what} failed in MPI", got=str(why))) from why
        raise self.late(str(what), timeout, ranks, give_up=True)

    def give_up(self, why: str) -> None:
        """The job cannot go on: tell the others, and let nothing begin any more."""
        if self.failure is None:
            self.failure = why
            with contextlib.suppress(DistError):
                self.member.ask("fail", why)

    def late(
        self, what: str, timeout: float, ranks: Sequence[int] = (), give_up: bool = False
    ) -> DistBackendError:
        """The error of a collective whose time is over. Those of `ranks` that are not in the same
        call are whom it has waited for."""
        with contextlib.suppress(DistError):
            self.member.ask("tell", self.standing(), 0)
        blamed = found = []
        try:
            states = {r: text for r, text in sorted(self.states().items()) if r != self.rank}
        except DistError as why:
            found = [str(why)]
        else:
            found = list(states.values())
            call = what.partition(" at ")[0]
            others = {r: t for r, t in states.items() if not ranks or r in ranks}
            blamed = [t for t in others.values() if f"): {call} at " not in t] or found
        if give_up:
            self.give_up(
                f"{self.name()} waited {timeout:g} s in {what}, in vain, for {'; '.join(blamed)}"
            )
        return DistBackendError(
            message(
                f"Timed out: {what} did not end within {timeout:g} s, on rank {self.rank} "
                f"of {self.size}",
                got="\n".join(found),
                wanted="the same call on all ranks of the group",
                hint="a rank that computes longer needs a longer `timeout` in init_process_group; "
                "one that stands elsewhere took another branch of the program",
            )
        )

    def arrive(self, place: str, ranks: list[int], timeout: float) -> None:
        """Meet other ranks at a named place, without MPI: what must not hang comes behind it.

        Raises:
            DistBackendError: some did not come in time; they are named.
        """
        self.failed()
        try:
            self.desk.ask("arrive", timeout, place, self.rank, *ranks, wait=timeout)
        except TimeoutError as why:
            raise self.absent(place, [int(r) for r in why.args], timeout) from None
        except DistError as why:
            if isinstance(why, DistNetworkError):
                time.sleep(TELL_EVERY)  # the watcher knows more of rank 0
            self.failure = self.failure or str(why)
            raise self.broken(place, self.failure) from why

    def absent(self, place: str, ranks: list[int], timeout: float) -> DistBackendError:
        states = self.states()
        return DistBackendError(
            message(
                f"{place}: ranks {', '.join(map(str, ranks))} have not come within {timeout:g} s",
                got="\n".join(states.get(r, f"rank {r}: unknown") for r in ranks),
                wanted="the same call on all ranks",
            )
        )

    def end(self) -> None:
        """Leave: after all others have come to their end, MPI is finalized; otherwise it is not,
        for that would wait for ever."""
        if self.ended.is_set():
            return
        together = False
        if self.failure is None:
            with contextlib.suppress(DistError):
                self.arrive("the end of the program", list(range(self.size)), FAREWELL)
                together = True
        self.ended.set()
        with contextlib.suppress(DistError):
            self.member.ask("leave", int(together))
        if together:
            mpi.finalize(self.mpi)
        elif self.failure is not None:
            mpi.unlink_shared_memory()  # a rank that was to do it may be the one that is gone
            leftovers.sweep(self.began)
        if self.server is not None:
            self._until_all_know(self.server.book, FAREWELL if together else 10 * TELL_EVERY)
            self.server.close()

    def _until_all_know(self, book: Any, limit: float) -> None:
        """Keep the book open until the others have left, or have heard why the job failed."""
        deadline = time.monotonic() + limit
        while time.monotonic() < deadline:
            others = [m for m in book.members.values() if not (m.left or m.lost)]
            if all(m.heard == len(book.news) > 0 for m in others):
                return
            time.sleep(0.005)


def kept_by(store: Store) -> Store:
    """The store below all prefixes."""
    while isinstance(store, PrefixStore):
        store = store.underlying_store
    return store


def brief(why: BaseException) -> str:
    """An error's class and the first line of its text."""
    return f"{type(why).__name__}: {str(why).partition(chr(10))[0]}"


def missing(what: str, ranks: list[int], size: int, timeout: float) -> DistBackendError:
    """The error of ranks that never came."""
    return DistBackendError(
        message(
            f"{what}: {len(ranks)} of {size} ranks have not come within {timeout:g} s",
            got=f"missing: rank {', '.join(map(str, ranks))}",
            hint="start them with the same MASTER_ADDR, MASTER_PORT and WORLD_SIZE; their output "
            "says why they do not come",
        )
    )
