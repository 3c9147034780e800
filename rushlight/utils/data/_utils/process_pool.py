"""The parent's end of worker processes: start them, send tasks, receive batches, notice deaths.

A pool has no threads and no queues: one two-way connection a worker, and one wait for all of them,
which ends at once when a process dies. Read next: `process_worker.py` (the other end), `start.py`
(how they start), `transport.py` (how batches come).
"""

from __future__ import annotations

import atexit
import collections
import contextlib
import multiprocessing
import os
import pickle
import signal
import socket
import sys
import time
import weakref
from typing import Any, NoReturn

from ....errors import message
from . import process_worker
from .shared import roomy
from .start import Launch
from .transport import Receiver
from .wait import Waiter
from .worker import Job, Start

GRACE = 5.0  # seconds a worker has to finish what it is doing before it is terminated
GRACE_AT_EXIT = 0.3
IN_FLIGHT = 32  # tasks a worker is sent ahead: their answers fit into the connection's buffer

_pools: weakref.WeakSet[ProcessPool] = weakref.WeakSet()


class Worker:
    """One worker process, as the parent sees it."""

    __slots__ = ("connection", "process", "receiver", "retired", "unanswered", "waiting")

    def __init__(self, connection: Any, process: Any) -> None:
        self.connection = connection
        self.process = process
        self.receiver = Receiver()
        self.retired = False
        self.unanswered: collections.deque[tuple[int, Any]] = collections.deque()
        self.waiting: collections.deque[tuple[int, Any]] = collections.deque()  # not sent yet


class ProcessPool:
    """Worker processes that do one job.

    Args:
        job: what to do.
        context: the start method, if the program has chosen one.
    """

    kind = "process"

    def __init__(self, job: Job, context: Any = None) -> None:
        self._pid = os.getpid()
        self._closed = False
        self._job = job
        self._inbox: collections.deque[tuple[int, Any]] = collections.deque()
        self._waiter = Waiter()
        self._workers: list[Worker] = []
        self._pass: tuple[int, list[Start]] | None = None
        self._launch = Launch(job, context)
        _pools.add(self)
        try:
            for i in range(job.num_workers):
                self._workers.append(self._start(i))
        except BaseException:
            self.shutdown(GRACE_AT_EXIT)
            raise

    def _start(self, i: int) -> Worker:
        launch = self._launch
        here, there = multiprocessing.Pipe(duplex=True)
        for end in (here, there):
            roomy(end)
        try:
            inherited = [*_connections(), here] if launch.method == "fork" else []
            process = launch.context.Process(
                target=process_worker.main,
                args=(there, i, launch.job, inherited),
                name=f"DataLoaderWorker-{i}",
                daemon=True,
            )
            with _quiet_fork():
                launch.start(process)
            launch.send(here)
        except (EOFError, ConnectionError):  # a server did not survive its imports
            here.close()
            other = launch.otherwise(self._job)
            if other is None:
                raise
            self._launch = other
            return self._start(i)
        except BaseException:
            here.close()
            raise
        finally:
            there.close()
        worker = Worker(here, process)
        self._waiter.add(here)
        self._waiter.add(process.sentinel)
        return worker

    @property
    def processes(self) -> list[Any]:
        """The worker processes."""
        return [worker.process for worker in self._workers]

    @property
    def pids(self) -> list[int]:
        """The process ids of the workers."""
        return [worker.process.pid for worker in self._workers]

    # -- work ------------------------------------------------------------------------------------

    def begin_pass(self, number: int, starts: list[Start]) -> None:
        """Forget all tasks, and let each worker begin a pass."""
        self._pass = number, starts
        for i, worker in enumerate(self._workers):
            worker.unanswered.clear()
            worker.waiting.clear()
            self._post(i, ("pass", number, starts[i]))

    def task(self, i: int, number: int, index: Any) -> None:
        """Let a worker read a batch."""
        worker = self._workers[i]
        worker.waiting.append((number, index))
        self._feed(i)

    def _feed(self, i: int) -> None:
        worker = self._workers[i]
        while worker.waiting and len(worker.unanswered) < IN_FLIGHT:
            number, index = worker.waiting.popleft()
            worker.unanswered.append((number, index))
            self._post(i, ("task", number, index, worker.receiver.ended()))

    def _post(self, i: int, what: tuple[Any, ...]) -> None:
        try:
            self._workers[i].connection.send_bytes(pickle.dumps(what, 5))
        except (BrokenPipeError, ConnectionResetError, OSError):
            # What the worker said last is still to be read, and so is why it ended.
            return

    def receive(self, timeout: float | None) -> tuple[int, int, int, Any, Any] | None:
        """The next answer: worker, pass, task, value, state of the data set; None after `timeout`
        seconds without one.

        Raises RuntimeError, naming them, when workers have died.
        """
        deadline = None if timeout is None else time.monotonic() + timeout
        while not self._inbox:
            left = None if deadline is None else max(0.0, deadline - time.monotonic())
            ready = self._waiter.wait(left)
            if not ready:
                return None
            for thing in ready:
                self._read_from(thing)
        i, (_, number, task, body) = self._inbox.popleft()
        worker = self._workers[i]
        if self._pass is None or number != self._pass[0]:
            worker.receiver.skip(body)
            return self.receive(timeout)
        if worker.unanswered:
            worker.unanswered.popleft()
        self._feed(i)
        value, state = worker.receiver.value(body)
        return i, number, task, value, state

    def _read_from(self, thing: Any) -> None:
        for i, worker in enumerate(self._workers):
            if worker.retired:
                continue
            if thing is worker.connection or (
                thing == worker.process.sentinel and worker.connection.poll()
            ):
                try:
                    answer = pickle.loads(worker.connection.recv_bytes())
                    if answer[0] == "data":
                        worker.receiver.receive_block(answer[3], worker.connection)
                except (EOFError, OSError):
                    self._died(i)
                if answer[0] == "failed":
                    self._replace(i, answer[1])
                else:
                    self._inbox.append((i, answer))
                return
            if thing == worker.process.sentinel:
                self._died(i)

    def _replace(self, i: int, why: str) -> None:
        """A worker could not build its job: fork another one, which inherits it."""
        launch = self._launch.forked(self._job)
        if launch is None:
            self.shutdown(GRACE_AT_EXIT)
            raise RuntimeError(
                message(
                    f"DataLoader worker {i} could not unpack the data set",
                    got=why,
                    wanted="a data set whose classes a new process can import",
                    hint="moving its classes into an importable module, or "
                    'worker_method="thread", or num_workers=0',
                )
            )
        old, self._launch = self._workers[i], launch
        self.retire(i)
        old.process.join(GRACE)
        worker = self._workers[i] = self._start(i)
        tasks = [*old.unanswered, *old.waiting]
        if self._pass is not None:
            number, starts = self._pass
            self._post(i, ("pass", number, starts[i]))
        worker.waiting.extend(tasks)
        self._feed(i)

    def retire(self, i: int) -> None:
        """This worker has nothing more to do."""
        worker = self._workers[i]
        if not worker.retired:
            worker.retired = True
            self._waiter.remove(worker.connection)
            self._waiter.remove(worker.process.sentinel)
            _hang_up(worker.connection)

    # -- the end ---------------------------------------------------------------------------------

    def _died(self, first: int) -> NoReturn:
        """Raise the error that names the workers that are gone: `first`, and others if any."""
        dead = []
        for i, worker in enumerate(self._workers):
            if not worker.retired:
                # One that hung up may still be on its way out; the others are asked in passing.
                worker.process.join(1.0 if i == first else 0)
                if worker.process.exitcode is not None or i == first:
                    dead.append((i, worker.process.pid, worker.process.exitcode))
        self.shutdown(GRACE_AT_EXIT)
        raise RuntimeError(_obituary(dead))

    @property
    def closed(self) -> bool:
        """Whether the workers are gone."""
        return self._closed

    def shutdown(self, grace: float = GRACE) -> None:
        """End all workers: ask, wait for at most `grace` seconds, then terminate."""
        if self._closed or os.getpid() != self._pid:
            return  # a forked child has inherited this object, not the workers
        self._closed = True
        for i in range(len(self._workers)):
            self.retire(i)
        deadline = time.monotonic() + grace
        processes = self.processes
        for end in (None, "terminate", "kill"):
            for process in processes:
                if end is not None and process.exitcode is None:
                    getattr(process, end)()
            for process in processes:
                process.join(max(0.0, deadline - time.monotonic()))
            deadline = time.monotonic() + 1.0


def shutdown_all() -> None:
    """At the interpreter's exit: nobody waits for batches any more."""
    for pool in list(_pools):
        pool.shutdown(GRACE_AT_EXIT)


atexit.register(shutdown_all)


def _connections() -> list[Any]:
    """The parent's ends of all connections that are open in this process."""
    return [
        worker.connection
        for pool in list(_pools)
        for worker in pool._workers
        if not worker.connection.closed
    ]


def _hang_up(connection: Any) -> None:
    """End a connection for both sides, even if another process has inherited this end."""
    if sys.platform != "win32":
        with contextlib.suppress(OSError), socket.socket(fileno=os.dup(connection.fileno())) as s:
            s.shutdown(socket.SHUT_RDWR)
    connection.close()


@contextlib.contextmanager
def _quiet_fork() -> Any:
    """Python warns when a process with threads forks; a worker touches none of them."""
    import warnings

    with warnings.catch_warnings():
        warnings.filterwarnings("ignore", "This process .* is multi-threaded", DeprecationWarning)
        yield


def _obituary(dead: list[tuple[int, int, int | None]]) -> str:
    causes, hint = [], None
    for i, pid, code in dead:
        if code is None:
            causes.append(f"worker {i} (pid {pid}) hung up")
        elif code < 0:
            said = f"DataLoader worker (pid {pid}) is killed by signal"  # PyTorch's words
            causes.append(f"worker {i}: {said}: {_signal_name(-code)}")
            if -code == getattr(signal, "SIGKILL", 9):
                hint = (
                    "looking for the system's out-of-memory killer (dmesg); fewer workers or "
                    "smaller batches need less memory"
                )
        else:
            causes.append(f"worker {i} (pid {pid}) ended with exit code {code}")
            hint = (
                "reading what the worker wrote to stderr; num_workers=0 runs the same code in "
                "this process, where a debugger can follow it"
            )
    pids = ", ".join(str(pid) for _, pid, _ in dead)
    return message(
        f"DataLoader worker (pid(s) {pids}) exited unexpectedly",
        got="; ".join(causes),
        hint=hint,
    )


def _signal_name(number: int) -> str:
    with contextlib.suppress(ValueError):
        named = signal.Signals(number)
        return f"{signal.strsignal(number) or named.name} ({named.name})"
    return str(number)
