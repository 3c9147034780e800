"""The processes that one agent has started: their streams, their ends, and how they are stopped.

Each process leads a process group of its own, so that what it has started ends with it. A thread
for each waits for its end: the first to end is known as the first.
"""

from __future__ import annotations

import contextlib
import functools
import multiprocessing
import os
import pickle
import queue
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Sequence
from typing import Any, NamedTuple

from .. import faults
from ..elastic.multiprocessing import LogsDest
from ..elastic.multiprocessing.errors import record
from ..leftovers import Guardian

# How long processes may end by themselves after one has failed, before they are stopped: ranks that
# wait for the failed one say so, with the line where it was last seen.
GRACE = 1.0
NAP = 0.02
KILL = getattr(signal, "SIGKILL", signal.SIGTERM)  # Windows has one way to end a process


class Ended(NamedTuple):
    """A process that is over: its exit status, negative for a signal."""

    local_rank: int
    code: int


class Worker:
    """One process."""

    def __init__(self, local_rank: int, pid: int, wait: Callable[[], int]) -> None:
        self.local_rank, self.pid, self.wait = local_rank, pid, wait
        self.code: int | None = None
        tell_guardian(f"+{pid}")

    def send(self, number: int) -> None:
        """Send a signal to the process and all that it has started; nothing once it is over."""
        if self.code is not None:
            return
        with contextlib.suppress(ProcessLookupError, PermissionError):
            if not hasattr(os, "killpg"):
                os.kill(self.pid, signal.SIGTERM)  # Windows has no other end
            elif os.getpgid(self.pid) == self.pid:
                os.killpg(self.pid, number)
            else:  # it has not come to make its group yet
                os.kill(self.pid, number)

    def over(self) -> int:
        """Wait for the end. What a failed process has left behind in its group is killed while its
        number is still taken by it, so that no other process is meant."""
        if hasattr(os, "waitid"):
            with contextlib.suppress(ChildProcessError):
                info = os.waitid(os.P_PID, self.pid, os.WEXITED | os.WNOWAIT)
                if info is not None and info.si_status != 0:
                    with contextlib.suppress(ProcessLookupError, PermissionError):
                        if os.getpgid(self.pid) == self.pid:
                            os.killpg(self.pid, KILL)
        tell_guardian(f"-{self.pid}")
        self.code = self.wait()
        return self.code


def tell_guardian(line: str) -> None:
    if Guardian.current is not None:
        Guardian.current.tell(line)


class Workers:
    """The processes of one attempt.

    Args:
        entrypoint: a program, or a function.
        args, envs: of each local rank.
        logs: where streams go.
        prefixes: what stands before each line on the console where streams go there and to a file.
        filters: lines with one of these go to the filtered logs, too (stdout's, stderr's).
    """

    def __init__(
        self,
        entrypoint: Callable[..., Any] | str,
        args: dict[int, Sequence[Any]],
        envs: dict[int, dict[str, str]],
        logs: LogsDest,
        start_method: str,
        prefixes: dict[int, str],
        filters: tuple[Sequence[str], Sequence[str]] = ((), ()),
    ) -> None:
        self.entrypoint, self.args, self.envs = entrypoint, args, envs
        self.start_method, self.prefixes, self.filters = start_method, prefixes, filters
        self.logs = logs
        self.ended: queue.SimpleQueue[Ended] = queue.SimpleQueue()
        self.all: list[Worker] = []
        self.results = {r: f"{path}.result" for r, path in logs.error_files.items()}
        self.followers: list[Follower] = []
        self.threads: list[threading.Thread] = []

    def start(self) -> None:
        """Start the processes.

        Not part of making this object: whoever waits has it by then, and can stop those that are
        started already when a signal comes in the middle.
        """
        for rank, env in self.envs.items():
            worker = (
                self._command(rank, [self.entrypoint, *map(str, self.args[rank])], env)
                if isinstance(self.entrypoint, str)
                else self._function(
                    rank, self.entrypoint, self.args[rank], env, self.start_method
                )
            )
            self.all.append(worker)
            thread = threading.Thread(target=self._wait_for, args=(worker,), daemon=True)
            thread.start()
            self.threads.append(thread)
        self._follow(self.prefixes, self.filters)

    def _command(self, rank: int, command: list[str], env: dict[str, str]) -> Worker:
        with contextlib.ExitStack() as files:
            out, err = (
                files.enter_context(open(path, "wb")) if path else None
                for path in (self.logs.stdouts[rank], self.logs.stderrs[rank])
            )
            own: dict[str, Any] = {} if sys.platform == "win32" else {"start_new_session": True}
            process = subprocess.Popen(command, env=env, stdout=out, stderr=err, **own)
        return Worker(rank, process.pid, process.wait)

    def _function(
        self, rank: int, fn: Callable[..., Any], args: Sequence[Any], env: dict[str, str],
        start_method: str,
    ) -> Worker:  # fmt: skip
        context: Any = multiprocessing.get_context(start_method)
        streams = (self.logs.stdouts[rank], self.logs.stderrs[rank])
        process = context.Process(
            target=call, args=(fn, tuple(args), env, streams, self.results[rank])
        )
        process.start()
        return Worker(rank, process.pid, functools.partial(self._status, process, rank))

    def _status(self, process: Any, rank: int) -> int:
        """Wait for the end of a function's process: its exit status.

        `multiprocessing` looks after all processes of ours whenever one is started. In another
        thread that has taken the status of this one, and not noted it yet, `join` returns without
        it. Whoever else takes it keeps it: the result, which is written at the end, says the rest.
        """
        process.join()
        deadline = time.monotonic() + GRACE
        while process.exitcode is None and time.monotonic() < deadline:
            time.sleep(NAP)
        if process.exitcode is not None:
            return int(process.exitcode)
        result = self.results[rank]
        return 0 if result.startswith(os.devnull) or os.path.exists(result) else 1

    def _wait_for(self, worker: Worker) -> None:
        self.ended.put(Ended(worker.local_rank, worker.over()))

    def _follow(
        self, prefixes: dict[int, str], filters: tuple[Sequence[str], Sequence[str]]
    ) -> None:
        logs = self.logs
        for teed, files, stream, filtered, words in (
            (logs.tee_stdouts, logs.stdouts, sys.stdout, logs.filtered_stdout, filters[0]),
            (logs.tee_stderrs, logs.stderrs, sys.stderr, logs.filtered_stderr, filters[1]),
        ):
            for rank, path in files.items():
                if path and path != os.devnull and (rank in teed or (words and filtered)):
                    show = stream if rank in teed else None
                    into = filtered if words else ""
                    self.followers.append(Follower(path, prefixes[rank], show, into, words))

    @property
    def alive(self) -> bool:
        """Whether a process is not over."""
        return any(w.code is None for w in self.all)

    def wait(self, seconds: float) -> bool:
        """Wait until all are over; whether they are."""
        deadline = time.monotonic() + seconds
        while self.alive and time.monotonic() < deadline:
            time.sleep(NAP)
        return not self.alive

    def stop(self, first: int = signal.SIGTERM, timeout: float = 30.0) -> None:
        """End all: by a signal, and after `timeout` seconds by force."""
        for number, limit in ((first, timeout), (KILL, 30.0)):
            for worker in self.all:
                worker.send(number)
            if self.wait(limit):
                break
        for thread in self.threads:
            thread.join(5)
        for follower in self.followers:
            follower.end()

    def returned(self, rank: int) -> Any:
        """What the function of a local rank has returned; None for a program."""
        with contextlib.suppress(FileNotFoundError), open(self.results[rank], "rb") as file:
            return pickle.load(file)  # our own child has written it, in a folder of ours
        return None


class Follower:
    """A thread that shows what a process writes into its log file."""

    def __init__(
        self, path: str, prefix: str, stream: Any, filtered: str, words: Sequence[str]
    ) -> None:
        self.path, self.prefix, self.stream = path, prefix, stream
        self.filtered, self.words = filtered, words
        self.ending = threading.Event()
        self.thread = threading.Thread(target=self._run, daemon=True)
        self.thread.start()

    def end(self) -> None:
        """Show what is left, and stop."""
        self.ending.set()
        self.thread.join(10)

    def _run(self) -> None:
        with open(self.path, encoding="utf-8", errors="replace") as file:
            rest = ""
            while True:
                last = self.ending.is_set()
                rest += file.read()
                *lines, rest = rest.split("\n")
                if last and rest:
                    lines, rest = [*lines, rest], ""
                for line in lines:
                    self._line(line)
                if last:
                    return
                self.ending.wait(0.1)

    def _line(self, line: str) -> None:
        if self.stream is not None:
            self.stream.write(f"{self.prefix}{line}\n")
            self.stream.flush()
        if any(word in line for word in self.words):
            with open(self.filtered, "a", encoding="utf-8") as file:
                file.write(f"{self.prefix}{line}\n")


def told(fn: Callable[..., Any]) -> Callable[..., Any]:
    """A function whose error the other ranks hear of."""

    @functools.wraps(fn)
    def wrapper(*args: Any) -> Any:
        try:
            return fn(*args)
        except Exception as why:
            faults.raised(why)
            raise

    return wrapper


def call(
    fn: Callable[..., Any], args: Sequence[Any], env: dict[str, str], streams: tuple[str, str],
    result: str,
) -> None:  # fmt: skip
    """What runs in the process of a function."""
    if Guardian.current is not None:
        Guardian.current.forget()
    if hasattr(os, "setsid"):
        os.setsid()
    os.environ.clear()
    os.environ.update(env)
    for number, path in zip((1, 2), streams, strict=True):
        if path:
            to = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600)
            os.dup2(to, number)
            os.close(to)
    returned = record(told(fn))(*args)
    sys.stdout.flush()
    sys.stderr.flush()
    if result.startswith(os.devnull):
        return
    new = f"{result}.{os.getpid()}"
    with open(new, "wb") as file:
        pickle.dump(returned, file)
    os.replace(new, result)
