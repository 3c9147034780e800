"""Starting a job's processes from a program: `elastic_launch(config, function)(arguments)`."""

from __future__ import annotations

import os
import sys
import uuid
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

from ... import unsupported
from ..elastic.multiprocessing import DefaultLogsSpecs, LogsSpecs

__all__ = ["LaunchConfig", "elastic_launch", "launch_agent"]


@dataclass
class LaunchConfig:
    """How a job is started.

    Attributes:
        min_nodes, max_nodes: how many agents (one on each machine) take part.
        nproc_per_node: processes of this agent.
        logs_specs: where streams go; DefaultLogsSpecs() unless given.
        run_id: the job's name, the same for all agents; a random one unless given.
        role: a word for the processes of this agent.
        rdzv_endpoint, rdzv_backend: where agents meet, "host:port", and how: "c10d" or "static".
        rdzv_configs: `timeout`, `last_call_timeout` (seconds), `is_host`, `rank`.
        max_restarts: how often all processes are started again after one has failed.
        monitor_interval: seconds between two looks.
        start_method: of functions: "spawn", "fork" or "forkserver".
        log_line_prefix_template: with ${role_name}, ${rank}, ${local_rank}.
        signals_to_handle: names of signals that are passed on to the processes.
        duplicate_stdout_filters, duplicate_stderr_filters: words; lines with one of them go to
            filtered logs as well.
        virtual_local_rank: LOCAL_RANK is 0 for all, CUDA_VISIBLE_DEVICES differs.
        shutdown_timeout: seconds before processes that do not stop are killed; 30 unless given
            here or in TORCH_ELASTIC_SHUTDOWN_TIMEOUT.
    """

    min_nodes: int
    max_nodes: int
    nproc_per_node: int
    logs_specs: LogsSpecs | None = None
    run_id: str = ""
    role: str = "default_role"
    rdzv_endpoint: str = ""
    rdzv_backend: str = "etcd"
    rdzv_configs: dict[str, Any] = field(default_factory=dict)
    rdzv_timeout: int = -1
    max_restarts: int = 3
    monitor_interval: float = 0.1
    start_method: str = "spawn"
    log_line_prefix_template: str | None = None
    metrics_cfg: dict[str, str] = field(default_factory=dict)
    local_addr: str | None = None
    event_log_handler: str = "null"
    numa_options: Any = None
    signals_to_handle: str = "SIGTERM,SIGINT,SIGHUP,SIGQUIT"
    duplicate_stdout_filters: list[str] | None = None
    duplicate_stderr_filters: list[str] | None = None
    virtual_local_rank: bool = False
    shutdown_timeout: int | None = None

    def __post_init__(self) -> None:
        for name, usual in (("numa_options", None), ("event_log_handler", "null")):
            if getattr(self, name) != usual:
                unsupported.refuse(f"LaunchConfig({name}=)", "PyTorch's agent")
        if self.metrics_cfg:
            unsupported.refuse("LaunchConfig(metrics_cfg=)", "PyTorch's agent")
        if self.rdzv_timeout != -1:
            self.rdzv_configs["timeout"] = self.rdzv_timeout
        if self.logs_specs is None:
            self.logs_specs = DefaultLogsSpecs()
        if self.shutdown_timeout is None:
            self.shutdown_timeout = int(os.environ.get("TORCH_ELASTIC_SHUTDOWN_TIMEOUT", "30"))
        if self.shutdown_timeout < 0:
            raise ValueError(
                f"shutdown_timeout must be non-negative, got {self.shutdown_timeout}"
            )


class elastic_launch:
    """Start a function, or a program, in the processes of a job, and wait for them.

    The call gives what the functions have returned, by rank.

    Raises:
        ChildFailedError: a process failed, and `max_restarts` are used up.
        SignalException: this process was sent a signal.
        RendezvousError: the agents did not meet.

    Example::

        config = LaunchConfig(1, 1, 2, rdzv_backend="c10d", rdzv_endpoint="localhost:0")
        elastic_launch(config, train)(3e-4)     # {0: ..., 1: ...}
    """

    def __init__(self, config: LaunchConfig, entrypoint: Callable[..., Any] | str | None) -> None:
        self._config, self._entrypoint = config, entrypoint

    def __call__(self, *args: Any) -> dict[int, Any]:
        return launch_agent(self._config, self._entrypoint, list(args))


def launch_agent(
    config: LaunchConfig, entrypoint: Callable[..., Any] | str | None, args: list[Any]
) -> dict[int, Any]:
    """What `elastic_launch` does."""
    from .agent import Agent

    if entrypoint is None:
        raise AssertionError("entrypoint is None")
    config.run_id = config.run_id or uuid.uuid4().hex
    return Agent(config, entrypoint, args, name_of(entrypoint, args)).run()


def name_of(entrypoint: Callable[..., Any] | str, args: list[Any]) -> str:
    """What errors call the job: the function's name, or the script's."""
    if not isinstance(entrypoint, str):
        return getattr(entrypoint, "__name__", repr(entrypoint))
    if entrypoint == sys.executable:
        return next((str(a) for a in args if not str(a).startswith("-")), "")
    return entrypoint
