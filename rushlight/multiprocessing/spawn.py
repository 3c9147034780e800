"""`spawn`: run one function in several processes, and hear of the first that fails."""

from __future__ import annotations

import contextlib
import ctypes
import logging
import multiprocessing
import multiprocessing.connection
import os
import pickle
import signal
import sys
import tempfile
import time
import traceback
import warnings
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from typing import Any

__all__ = [
    "ProcessContext",
    "ProcessException",
    "ProcessExitedException",
    "ProcessRaisedException",
    "SpawnContext",
    "spawn",
    "start_processes",
]

ENV_VAR_PARALLEL_START = "TORCH_MP_PARALLEL_START"

log = logging.getLogger(__name__)


def spawn(
    fn: Callable[..., Any],
    args: Sequence[Any] = (),
    nprocs: int = 1,
    join: bool = True,
    daemon: bool = False,
    start_method: str = "spawn",
) -> ProcessContext | None:
    """Run `fn(i, *args)` in `nprocs` new processes, i = 0, 1, ....

    When one fails, the others are stopped and its error is raised here: `ProcessRaisedException`
    with the traceback of what it raised, or `ProcessExitedException` with its signal or exit code.

    Args:
        fn: a function of a module (it is sent by name).
        args: what follows the index.
        nprocs: how many processes.
        join: wait for them all; otherwise a `ProcessContext` is returned.
        daemon: whether the processes end with this one.
        start_method: "spawn"; see `start_processes` for the others.
    """
    if start_method != "spawn":
        warnings.warn(
            f"This method only supports start_method=spawn (got: {start_method}).\n"
            "To use a different start_method use:\n\t\t"
            " torch.multiprocessing.start_processes(...)",
            FutureWarning,
            stacklevel=2,
        )
    return start_processes(fn, args, nprocs, join, daemon, start_method="spawn")


def start_processes(
    fn: Callable[..., Any],
    args: Sequence[Any] = (),
    nprocs: int = 1,
    join: bool = True,
    daemon: bool = False,
    start_method: str = "spawn",
) -> ProcessContext | None:
    """`spawn` with any start method ("fork", "forkserver", "spawn").

    With TORCH_MP_PARALLEL_START=1 in the environment those of a forkserver start side by side.
    """
    context: Any = multiprocessing.get_context(start_method)

    def start(i: int) -> tuple[Any, str]:
        # A file rather than a queue: nobody need read it for the process to end.
        handle, error_file = tempfile.mkstemp(prefix="rushlight-error-", suffix=".pickle")
        os.close(handle)
        os.unlink(error_file)
        process = context.Process(target=_wrap, args=(fn, i, args, error_file), daemon=daemon)
        process.start()
        return process, error_file

    if start_method == "forkserver" and os.environ.get(ENV_VAR_PARALLEL_START, "0") == "1":
        with ThreadPoolExecutor(max_workers=nprocs) as pool:
            started = list(pool.map(start, range(nprocs)))
    else:
        started = [start(i) for i in range(nprocs)]
    running = ProcessContext([p for p, _ in started], [f for _, f in started])
    if not join:
        return running
    while not running.join():
        pass
    return None


class ProcessException(Exception):
    """A process that `spawn` started failed; `error_index` says which, `error_pid` its id."""

    def __init__(self, msg: str, error_index: int, error_pid: int) -> None:
        super().__init__(msg)
        self.msg = msg
        self.error_index = error_index
        self.error_pid = error_pid

    def __reduce__(self) -> Any:
        return type(self), (self.msg, self.error_index, self.error_pid)


class ProcessRaisedException(ProcessException):
    """The function raised; the message holds its traceback."""


class ProcessExitedException(ProcessException):
    """The process was killed by a signal (`signal_name`) or left with an `exit_code`."""

    def __init__(
        self,
        msg: str,
        error_index: int,
        error_pid: int,
        exit_code: int,
        signal_name: str | None = None,
    ) -> None:
        super().__init__(msg, error_index, error_pid)
        self.exit_code = exit_code
        self.signal_name = signal_name

    def __reduce__(self) -> Any:
        state = (self.msg, self.error_index, self.error_pid, self.exit_code, self.signal_name)
        return type(self), state


class ProcessContext:
    """Processes that were started together."""

    def __init__(self, processes: list[Any], error_files: list[str]) -> None:
        self.processes = processes
        self.error_files = error_files
        self.sentinels = {process.sentinel: i for i, process in enumerate(processes)}

    def pids(self) -> list[int]:
        """The process ids, in order of the index."""
        return [int(process.pid) for process in self.processes]

    def join(self, timeout: float | None = None, grace_period: float | None = None) -> bool:
        """Wait until a process ends; True when all have. The first failure stops the others and is
        raised.

        Args:
            timeout: at most so many seconds.
            grace_period: after a failure let the others end by themselves so long; those that
                ignore SIGTERM so long as well (30 seconds without one) are killed.
        """
        if not self.sentinels:
            return True
        failed = None
        for sentinel in multiprocessing.connection.wait(list(self.sentinels), timeout=timeout):
            index = self.sentinels.pop(sentinel)  # type: ignore[arg-type]
            self.processes[index].join()
            if self.processes[index].exitcode != 0:
                failed = index
                break
        if failed is None:
            return not self.sentinels
        if grace_period is not None:
            self._wait(grace_period)
        self._stop("terminate", "SIGTERM")
        self._wait(30 if grace_period is None else grace_period)
        self._stop("kill", "SIGKILL")
        for process in self.processes:
            process.join()
        raise self._error(failed)

    def _wait(self, seconds: float) -> None:
        end = time.monotonic() + seconds
        for process in self.processes:
            process.join(max(0.0, end - time.monotonic()))

    def _stop(self, method: str, name: str) -> None:
        for process in self.processes:
            if process.is_alive():
                log.warning("Stopping process %s via signal %s", process.pid, name)
                getattr(process, method)()

    def _error(self, index: int) -> ProcessException:
        process, code = self.processes[index], self.processes[index].exitcode
        traces = {}
        for i, path in enumerate(self.error_files):
            with contextlib.suppress(OSError), open(path, "rb") as file:
                traces[i] = pickle.load(file)
                os.unlink(path)
        if index in traces:
            text = f"\n\n-- Process {index} terminated with the following error:\n{traces[index]}"
            return ProcessRaisedException(text, index, process.pid)
        if code < 0:
            try:
                name = signal.Signals(-code).name
            except ValueError:
                name = f"<Unknown signal {-code}>"
            text = f"process {index} terminated with signal {name}"
            return ProcessExitedException(text, index, process.pid, code, name)
        text = f"process {index} terminated with exit code {code}"
        return ProcessExitedException(text, index, process.pid, code)


class SpawnContext(ProcessContext):
    """The older name of `ProcessContext`."""

    def __init__(self, processes: list[Any], error_files: list[str]) -> None:
        warnings.warn("SpawnContext is renamed to ProcessContext since 1.4 release.", stacklevel=2)
        super().__init__(processes, error_files)


def _wrap(fn: Callable[..., Any], i: int, args: Sequence[Any], error_file: str) -> None:
    """What runs in the process."""
    _interrupt_when_the_parent_dies()
    try:
        fn(i, *args)
    except KeyboardInterrupt:
        pass  # the parent ended this process, or the user both
    except Exception as why:
        faults = sys.modules.get("rushlight.distributed.faults")
        if faults is not None:
            faults.raised(why)  # the other ranks need not wait for this one
        with open(error_file, "wb") as file:
            pickle.dump(traceback.format_exc(), file)
        sys.exit(1)


def _interrupt_when_the_parent_dies() -> None:
    if sys.platform == "linux":
        pr_set_pdeathsig = 1
        ctypes.CDLL(None).prctl(pr_set_pdeathsig, int(signal.SIGINT))
