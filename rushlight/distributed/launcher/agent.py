"""The agent of one machine: starts its processes, and stops and restarts them with all others."""

from __future__ import annotations

import contextlib
import logging
import os
import queue
import signal
import socket
import string
import sys
import threading
import time
from collections.abc import Callable, Iterator
from typing import Any

from .. import leftovers, tokens
from ..elastic.multiprocessing import DefaultLogsSpecs, SignalException
from ..elastic.multiprocessing.errors import ChildFailedError, ProcessFailure
from .api import LaunchConfig
from .nodes import Nodes, Plan
from .workers import GRACE, Workers

log = logging.getLogger(__name__)

# A process of ours is none of mpiexec's, even where mpiexec has started the agents.
FOREIGN = ("PMI_", "PMIX_", "OMPI_", "MPI_LOCAL", "HYDRA_", "SLURM_PMI")


class Agent:
    """Runs the processes of this machine until they have ended well, or too often not."""

    def __init__(
        self, config: LaunchConfig, entrypoint: Callable[..., Any] | str, args: list[Any], name: str
    ) -> None:
        self.config, self.entrypoint, self.args, self.name = config, entrypoint, args, name
        self.workers: Workers | None = None

    def run(self) -> dict[int, Any]:
        """What the functions have returned, by rank (None for programs).

        Raises:
            ChildFailedError: when a process has failed after the last restart.
        """
        with passed_on(self.config.signals_to_handle):
            nodes = Nodes(self.config)
            guardian = leftovers.Guardian()
            try:
                return self._attempts(nodes)
            except SignalException as why:
                self._stop(why.sigval)
                if nodes.leads:
                    nodes.tell(kind="stopped", text=f"{why}; on {socket.gethostname()}")
                raise
            finally:
                self._stop(signal.SIGTERM)
                guardian.close()
                nodes.close()

    def _attempts(self, nodes: Nodes) -> dict[int, Any]:
        while True:
            plan = nodes.meet()
            began = time.time()
            self.workers = self._of(nodes, plan)
            self.workers.start()
            news, failures = self._watched(nodes, plan, self.workers)
            self._stop(signal.SIGTERM)
            leftovers.sweep(began)
            if news is None:
                found = {plan.base + w.local_rank: self.workers.returned(w.local_rank)
                         for w in self.workers.all}  # fmt: skip
                specs = self.config.logs_specs
                if isinstance(specs, DefaultLogsSpecs):
                    specs.forget()
                return found
            if news["kind"] == "failed":
                nodes.restarts = plan.restarts + 1
            if news["kind"] == "stopped" or nodes.restarts > plan.max_restarts:
                raise self._error(news, failures)

    def _stop(self, number: signal.Signals) -> None:
        if self.workers is not None:
            self.workers.stop(number, float(self.config.shutdown_timeout or 0))

    # -- starting ----------------------------------------------------------------------------------

    def environment(self, nodes: Nodes, plan: Plan, local_rank: int) -> dict[str, str]:
        """The variables of one process."""
        config = self.config
        env = {k: v for k, v in os.environ.items() if not k.startswith(FOREIGN)}
        env.update(
            RANK=str(plan.base + local_rank),
            LOCAL_RANK=str(local_rank),
            GROUP_RANK=str(plan.group_rank),
            ROLE_RANK=str(plan.role_base + local_rank),
            ROLE_NAME=config.role,
            WORLD_SIZE=str(plan.world_size),
            LOCAL_WORLD_SIZE=str(config.nproc_per_node),
            GROUP_WORLD_SIZE=str(plan.group_world_size),
            ROLE_WORLD_SIZE=str(plan.role_world_size),
            MASTER_ADDR=nodes.host,
            MASTER_PORT=str(nodes.port),
            TORCHELASTIC_RESTART_COUNT=str(plan.restarts),
            TORCHELASTIC_MAX_RESTARTS=str(plan.max_restarts),
            TORCHELASTIC_RUN_ID=config.run_id,
            TORCHELASTIC_USE_AGENT_STORE="True",
            TORCHELASTIC_SIGNALS_TO_HANDLE=config.signals_to_handle,
        )
        env[tokens.VARIABLE] = nodes.token
        if "OMP_NUM_THREADS" not in env and config.nproc_per_node > 1:
            from ...config import available_cores

            env["OMP_NUM_THREADS"] = str(max(1, available_cores() // config.nproc_per_node))
        if config.virtual_local_rank:
            seen = env.get("CUDA_VISIBLE_DEVICES")
            devices = seen.split(",") if seen else [str(r) for r in range(local_rank + 1)]
            if local_rank >= len(devices):
                raise ValueError(
                    f"local_rank {local_rank} exceeds available GPUs in CUDA_VISIBLE_DEVICES={seen}"
                )
            env.update(LOCAL_RANK="0", CUDA_VISIBLE_DEVICES=devices[local_rank].strip())
        return env

    def _of(self, nodes: Nodes, plan: Plan) -> Workers:
        """The processes of an attempt, not started yet."""
        config = self.config
        assert config.logs_specs is not None
        local = range(config.nproc_per_node)
        envs = {r: self.environment(nodes, plan, r) for r in local}
        prefix = string.Template(config.log_line_prefix_template or "[${role_name}${local_rank}]:")
        return Workers(
            self.entrypoint,
            {r: [a.replace("${local_rank}", str(r)) if isinstance(a, str) else a
                 for a in self.args] for r in local},
            envs,
            config.logs_specs.reify(envs),
            config.start_method,
            {r: prefix.safe_substitute(role_name=config.role, rank=plan.base + r, local_rank=r)
             for r in local},
            (config.duplicate_stdout_filters or (), config.duplicate_stderr_filters or ()),
        )  # fmt: skip

    # -- watching ----------------------------------------------------------------------------------

    def _watched(
        self, nodes: Nodes, plan: Plan, workers: Workers
    ) -> tuple[dict[str, Any] | None, dict[int, ProcessFailure]]:
        """Wait for the end of the attempt: why it ended before its end (None: it did not), and the
        failures of this machine."""
        failures: dict[int, ProcessFailure] = {}
        running = len(workers.all)
        told = False
        while True:
            try:
                ended = workers.ended.get(timeout=max(0.01, self.config.monitor_interval))
            except queue.Empty:
                pass
            else:
                running -= 1
                if ended.code != 0:
                    self._failed(failures, plan, workers, ended)
                    rank, first = next(iter(failures.items()))
                    news = nodes.tell(kind="failed", text=said(rank, first), **of(rank, first))
                    break
            if not running and not told:
                nodes.done()
                told = True
            if told and nodes.all_done(plan):
                return None, {}
            heard = nodes.news()
            if heard is not None:
                news = heard
                break
        self._announce(news, plan)
        # The others may say of whom they have waited in vain, and where it was.
        workers.wait(GRACE if news["kind"] == "failed" else 0)
        with contextlib.suppress(queue.Empty):
            while True:
                ended = workers.ended.get_nowait()
                if ended.code != 0:
                    self._failed(failures, plan, workers, ended)
        return news, failures

    def _announce(self, news: dict[str, Any], plan: Plan) -> None:
        """Say at once what has happened, and what comes."""
        number = plan.restarts + 1
        again = news["kind"] == "members" or (
            news["kind"] == "failed" and number <= plan.max_restarts
        )
        count = f" (restart {number} of {plan.max_restarts})" if news["kind"] == "failed" else ""
        then = f"all processes are started again{count}" if again else "all processes are stopped"
        print(f"rushlight: {news['text']}; {then}", file=sys.stderr, flush=True)

    def _failed(
        self, failures: dict[int, ProcessFailure], plan: Plan, workers: Workers, ended: Any
    ) -> None:
        worker = workers.all[ended.local_rank]
        failures[plan.base + ended.local_rank] = ProcessFailure(
            ended.local_rank, worker.pid, ended.code, workers.logs.error_files[ended.local_rank]
        )

    def _error(self, news: dict[str, Any], failures: dict[int, ProcessFailure]) -> Exception:
        """The error that the job ends with: the first failure, of whichever machine."""
        if news["kind"] == "stopped":
            return ChildFailedError(self.name, {-1: elsewhere(news)})
        if "rank" in news and news["rank"] not in failures:
            failures = {news["rank"]: elsewhere(news), **failures}
        return ChildFailedError(self.name, failures or {-1: elsewhere(news)})


def said(rank: int, f: ProcessFailure) -> str:
    how = f"was ended by {f.signal_name()}" if f.exitcode < 0 else f"ended with code {f.exitcode}"
    return f"rank {rank} on {f.host} (process {f.pid}) {how}"


def of(rank: int, f: ProcessFailure) -> dict[str, Any]:
    """A failure as agents tell it each other."""
    return {"rank": rank, "local_rank": f.local_rank, "pid": f.pid, "exitcode": f.exitcode,
            "host": f.host, "message": f.message, "timestamp": f.timestamp}  # fmt: skip


def elsewhere(news: dict[str, Any]) -> ProcessFailure:
    """The failure of a process of another agent."""
    found = ProcessFailure(
        news.get("local_rank", -1), news.get("pid", -1), news.get("exitcode", 1), "",
        news.get("host"),
    )  # fmt: skip
    found.message = news.get("message") or news["text"]
    found.timestamp = news.get("timestamp", found.timestamp)
    return found


@contextlib.contextmanager
def passed_on(names: str) -> Iterator[None]:
    """Turn signals to this process into SignalException, whose handler passes them on."""
    if threading.current_thread() is not threading.main_thread():
        log.warning("not in the main thread: signals are not passed on to the processes")
        yield
        return

    def handle(number: int, frame: Any) -> None:
        raise SignalException(
            f"Process {os.getpid()} got signal: {number}", signal.Signals(number)
        )

    before = {}
    try:
        for name in filter(None, (n.strip() for n in names.split(","))):
            found = getattr(signal, name, None)
            if not isinstance(found, signal.Signals):
                if name in ("SIGTERM", "SIGINT", "SIGHUP", "SIGQUIT"):
                    continue  # this system has it not
                raise ValueError(f"--signals-to-handle: there is no signal {name}")
            before[found] = signal.signal(found, handle)
        yield
    finally:
        for found, old in before.items():
            signal.signal(found, old)
