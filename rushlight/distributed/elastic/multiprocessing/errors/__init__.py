"""What a process died of: written by itself, read by its launcher.

A process that raises writes a JSON file (`record`, `ErrorHandler`) whose path the launcher gave it
in TORCHELASTIC_ERROR_FILE. Under our launcher an error that leaves the main program is written
there without `record`, too, once the process has joined its job.
"""

from __future__ import annotations

import datetime
import functools
import json
import os
import signal
import socket
import time
from collections.abc import Callable
from typing import Any, TypeVar

from .error_handler import ErrorHandler
from .handlers import get_error_handler

__all__ = ["ChildFailedError", "ErrorHandler", "ProcessFailure", "get_error_handler", "record"]

ABSENT = "<N/A>"
_R = TypeVar("_R")


class ProcessFailure:
    """How a process failed.

    Args:
        local_rank, pid: which process it was.
        exitcode: its exit status; -9 for signal 9.
        error_file: where it may have written its error.
        host: its machine; this one unless given.

    Attributes:
        message: the error's text, or PyTorch's dictionary of text, traceback and time.
        timestamp: when, in seconds since 1970.
        error_file_data: what the file held.
    """

    def __init__(
        self, local_rank: int, pid: int, exitcode: int, error_file: str, host: str | None = None
    ) -> None:
        self.local_rank, self.pid, self.exitcode = local_rank, pid, exitcode
        self.error_file, self.host = error_file, host or socket.gethostname()
        self.error_file_data: dict[str, Any] = {"message": "<NONE>"}
        self.message: Any = ""
        self.timestamp = int(time.time())
        data = written(error_file)
        if data is None:
            self.error_file = ABSENT
        else:
            self.error_file_data = data
            self.message = data["message"]
            extra = self.message if isinstance(self.message, dict) else {"extraInfo": data}
            self.timestamp = int(extra.get("extraInfo", {}).get("timestamp", self.timestamp))
        if not self.message:
            self.message = (
                f"Signal {-exitcode} ({self.signal_name()}) received by PID {pid}"
                if exitcode < 0
                else "the process wrote no error file; decorate its main function with "
                "torch.distributed.elastic.multiprocessing.errors.record"
            )

    def signal_name(self) -> str:
        """Of the signal that ended it, or "<N/A>"."""
        try:
            return signal.Signals(-self.exitcode).name if self.exitcode < 0 else ABSENT
        except ValueError:
            return ABSENT

    def timestamp_isoformat(self) -> str:
        """When, as YYYY-MM-DD_HH:MM:SS."""
        return datetime.datetime.fromtimestamp(self.timestamp).isoformat(sep="_")

    def text(self) -> str:
        """The traceback if there is one, otherwise the message."""
        if not isinstance(self.message, dict):
            return str(self.message)
        extra = self.message.get("extraInfo", {})
        return str(extra.get("py_callstack", self.message.get("message", ABSENT)))

    def __repr__(self) -> str:
        return (
            f"ProcessFailure(local_rank={self.local_rank}, pid={self.pid}, "
            f"exitcode={self.exitcode}, error_file={self.error_file!r})"
        )


def written(path: str) -> dict[str, Any] | None:
    """What an error file holds; None where there is none, or a process died while writing it."""
    try:
        with open(path, encoding="utf-8") as file:
            data = json.load(file)
    except (OSError, ValueError):
        return None
    return data if isinstance(data, dict) and "message" in data else None


class ChildFailedError(Exception):
    """Processes of a job failed; `failures` has them by rank, the first to fail is the cause."""

    def __init__(self, name: str, failures: dict[int, ProcessFailure]) -> None:
        if not failures:
            raise AssertionError("ChildFailedError without failures")
        self.name, self.failures = name, failures
        super().__init__(self.format_msg())

    def __reduce__(self) -> Any:
        return type(self), (self.name, self.failures)

    def get_first_failure(self) -> tuple[int, ProcessFailure]:
        """Rank and failure of the one that failed first."""
        # Times are whole seconds; among equals the launcher has seen the first one first.
        rank = min(self.failures, key=lambda r: self.failures[r].timestamp)
        return rank, self.failures[rank]

    def format_msg(self, boarder_delim: str = "=", section_delim: str = "-") -> str:
        """The text that the launcher ends with."""
        root, _ = self.get_first_failure()
        shown = {r: self._shown(i, r, f) for i, (r, f) in enumerate(self.failures.items())}
        others = [text for r, text in shown.items() if r != root] or ["  <NO_OTHER_FAILURES>"]
        title = f"{self.name} FAILED"
        width = min(60, max(len(line) for line in "\n".join([title, *shown.values()]).split("\n")))
        edge, rule = boarder_delim * width, section_delim * width
        return "\n".join(
            ["", edge, title, rule, "Failures:", *others, rule,
             "Root Cause (first observed failure):", shown[root], edge]
        )  # fmt: skip

    def _shown(self, number: int, rank: int, f: ProcessFailure) -> str:
        name = "" if f.signal_name() == ABSENT else f" ({f.signal_name()})"
        text = f.text().rstrip().replace("\n", "\n  ")
        return (
            f"[{number}]:\n"
            f"  time      : {f.timestamp_isoformat()}\n"
            f"  host      : {f.host}\n"
            f"  rank      : {rank} (local_rank: {f.local_rank})\n"
            f"  exitcode  : {f.exitcode} (pid: {f.pid}){name}\n"
            f"  error_file: {f.error_file}\n"
            f"  traceback : {text}"
        )


def record(
    fn: Callable[..., _R], error_handler: ErrorHandler | None = None
) -> Callable[..., _R | None]:
    """A main function whose error is written where the launcher finds it, and raised.

    Args:
        fn: the function that a process's whole work is.
        error_handler: what writes; `get_error_handler()` unless given.

    Example:
        >>> @record
        ... def main():
        ...     return 3
        >>> main()
        3
    """
    handler = error_handler or get_error_handler()

    @functools.wraps(fn)
    def wrapper(*args: Any, **kw: Any) -> _R | None:
        handler.initialize()
        try:
            return fn(*args, **kw)
        except SystemExit as why:
            if why.code == 0:  # a script that was run as a function has ended well
                return None
            raise
        except ChildFailedError as why:
            _, failure = why.get_first_failure()
            if os.path.isfile(failure.error_file):
                handler.dump_error_file(failure.error_file, failure.exitcode)
            raise
        except Exception as why:
            handler.record_exception(why)
            raise

    return wrapper
