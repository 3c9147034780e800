"""Streams and log files of the processes that a launcher starts."""

from __future__ import annotations

import abc
import os
import re
import shutil
import signal
import tempfile
from dataclasses import dataclass, field
from enum import IntFlag
from typing import Any

from ....unsupported import module

__all__ = ["DefaultLogsSpecs", "LogsDest", "LogsSpecs", "SignalException", "Std", "to_map"]


class SignalException(Exception):
    """The launcher was sent a signal, which it has passed on to its processes."""

    def __init__(self, msg: str, sigval: signal.Signals) -> None:
        super().__init__(msg)
        self.sigval = sigval


class Std(IntFlag):
    """Which of a process's streams are meant."""

    NONE = 0
    OUT = 1
    ERR = 2
    ALL = 3

    @classmethod
    def from_str(cls, vm: str) -> Std | dict[int, Std]:
        """One value for all local ranks, or one for each that is named.

        Raises:
            ValueError: for anything else.

        Example:
            >>> Std.from_str("3") is Std.ALL, Std.from_str("0:1,2:3")[2] is Std.ALL
            (True, True)
        """
        if re.fullmatch(r"[0123]", vm):
            return cls(int(vm))
        if re.fullmatch(r"\d+:[0123](,\d+:[0123])*", vm):
            pairs = (part.split(":") for part in vm.split(","))
            return {int(rank): cls(int(value)) for rank, value in pairs}
        raise ValueError(
            f"{vm} does not match: 0, 1 (stdout), 2 (stderr) or 3 (both), or RANK:VALUE,..."
        )


def to_map(val_or_map: Std | dict[int, Std], local_world_size: int) -> dict[int, Std]:
    """What `Std.from_str` gives, for each local rank."""
    if isinstance(val_or_map, Std):
        return dict.fromkeys(range(local_world_size), val_or_map)
    return {i: val_or_map.get(i, Std.NONE) for i in range(local_world_size)}


@dataclass
class LogsDest:
    """Where the streams of each local rank go: a path, or "" for where the launcher's own go."""

    stdouts: dict[int, str] = field(default_factory=dict)
    stderrs: dict[int, str] = field(default_factory=dict)
    tee_stdouts: dict[int, str] = field(default_factory=dict)
    tee_stderrs: dict[int, str] = field(default_factory=dict)
    error_files: dict[int, str] = field(default_factory=dict)
    filtered_stdout: str = ""
    filtered_stderr: str = ""


class LogsSpecs(abc.ABC):
    """What decides where streams go; `reify` names the files for one attempt.

    Args:
        log_dir: the folder; a temporary one unless given.
        redirects: streams that go to files only.
        tee: streams that go to files and to the console.
        local_ranks_filter: the local ranks whose streams are shown on the console; None: all.
    """

    def __init__(
        self,
        log_dir: str | None = None,
        redirects: Std | dict[int, Std] = Std.NONE,
        tee: Std | dict[int, Std] = Std.NONE,
        local_ranks_filter: set[int] | None = None,
    ) -> None:
        self._root_log_dir = log_dir
        self._redirects, self._tee = redirects, tee
        self._local_ranks_filter = local_ranks_filter

    @abc.abstractmethod
    def reify(self, envs: dict[int, dict[str, str]]) -> LogsDest:
        """The files for processes with these environments, by local rank."""

    @property
    @abc.abstractmethod
    def root_log_dir(self) -> str:
        """The folder of all logs."""


class DefaultLogsSpecs(LogsSpecs):
    """`<log_dir>/<run id>_<random>/attempt_<n>/<local rank>/` with stdout.log, stderr.log and
    error.json."""

    def __init__(
        self,
        log_dir: str | None = None,
        redirects: Std | dict[int, Std] = Std.NONE,
        tee: Std | dict[int, Std] = Std.NONE,
        local_ranks_filter: set[int] | None = None,
    ) -> None:
        # A folder that nobody has named goes when the job ends well, unless streams were asked for.
        self.temporary = not log_dir and not redirects and not tee
        if not log_dir:
            log_dir = tempfile.mkdtemp(prefix="torchelastic_")
        elif os.path.isfile(log_dir):
            raise NotADirectoryError(f"log_dir: {log_dir} is a file")
        if log_dir != os.devnull:
            os.makedirs(log_dir, exist_ok=True)
        super().__init__(log_dir, redirects, tee, local_ranks_filter)
        self._run_log_dir: str | None = None

    @property
    def root_log_dir(self) -> str:
        return str(self._root_log_dir)

    def _attempt(self, run: str, attempt: str) -> str:
        if self._run_log_dir is None:
            safe = re.sub(r"[^\w.-]", "_", run)
            self._run_log_dir = tempfile.mkdtemp(prefix=f"{safe}_", dir=self._root_log_dir)
        path = os.path.join(self._run_log_dir, f"attempt_{attempt}")
        shutil.rmtree(path, ignore_errors=True)  # a job that grew begins its attempt anew
        os.makedirs(path)
        return path

    def reify(self, envs: dict[int, dict[str, str]]) -> LogsDest:
        count = len(envs)
        first = envs.get(0, {})
        nowhere = self._root_log_dir == os.devnull
        folder = os.devnull
        if not nowhere:
            folder = self._attempt(
                first.get("TORCHELASTIC_RUN_ID", "run"),
                first.get("TORCHELASTIC_RESTART_COUNT", "0"),
            )
        redirects, tees = to_map(self._redirects, count), to_map(self._tee, count)
        found = LogsDest()
        for rank in range(count):
            own = os.devnull if nowhere else os.path.join(folder, str(rank))
            if not nowhere:
                os.mkdir(own)
            shown = not self._local_ranks_filter or rank in self._local_ranks_filter
            for std, name, files, teed in (
                (Std.OUT, "stdout", found.stdouts, found.tee_stdouts),
                (Std.ERR, "stderr", found.stderrs, found.tee_stderrs),
            ):
                path = os.devnull if nowhere else os.path.join(own, f"{name}.log")
                to_file = std in (redirects[rank] | tees[rank])
                files[rank] = path if to_file else "" if shown else os.devnull
                if std in tees[rank] and shown:
                    teed[rank] = path
            error = os.devnull if nowhere else os.path.join(own, "error.json")
            found.error_files[rank] = error
            envs[rank]["TORCHELASTIC_ERROR_FILE"] = "" if nowhere else error
        if not nowhere:
            found.filtered_stdout = os.path.join(folder, "filtered_stdout.log")
            found.filtered_stderr = os.path.join(folder, "filtered_stderr.log")
        return found

    def forget(self) -> None:
        """The job has ended well: remove a folder that nobody asked for."""
        if self.temporary and self._root_log_dir != os.devnull:
            shutil.rmtree(self.root_log_dir, ignore_errors=True)

    def __repr__(self) -> str:
        return (
            f"DefaultLogsSpecs(root_log_dir={self._root_log_dir}, redirects={self._redirects}, "
            f"tee={self._tee}, local_ranks_filter={self._local_ranks_filter})"
        )

    def __eq__(self, other: Any) -> bool:
        return isinstance(other, DefaultLogsSpecs) and repr(self) == repr(other)

    __hash__ = None  # type: ignore[assignment]


__getattr__, __dir__ = module(
    __name__,
    "start_processes PContext MultiprocessContext SubprocessContext RunProcsResult TailLog",
    "processes of an agent as PyTorch's",
    "torch.multiprocessing.start_processes, or torch.distributed.launcher.api.elastic_launch",
)
