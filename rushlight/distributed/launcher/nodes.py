"""How the agents of a job, one on each machine, meet and hear of each other.

One agent keeps a store (`TCPStore`), the others are its clients; it leads: it says who takes part
in the next attempt and which ranks each agent has. An agent whose connection ends has left a will:
the server then writes `gone/<agent>` in its name. Keys, all under `torchelastic/<run id>/`:

- queue `join`: agents that want to take part; queue `plan/<agent>`: what the leader tells each;
- `news/<round>`: why an attempt is over before its end, written once;
- `done/<round>`: how many agents' processes have ended well.
"""

from __future__ import annotations

import datetime
import json
import os
import socket
import time
import uuid
from dataclasses import dataclass
from typing import Any

from ...errors import message
from .. import tokens
from ..elastic.rendezvous import (
    RendezvousConnectionError,
    RendezvousError,
    RendezvousStateError,
    RendezvousTimeoutError,
)
from ..errors import DistError, DistNetworkError, DistStoreError, QueueEmptyError
from ..stores import PrefixStore, TCPStore

JOIN, LAST_CALL = 600.0, 30.0  # seconds, as in PyTorch
BACKENDS = ("static", "c10d")
# What `--rdzv-conf` may hold. A connection's end is seen at once: what asks for signs of life
# (keep_alive_...), and what chooses PyTorch's kind of server, changes nothing.
CONF = ("timeout", "join_timeout", "last_call_timeout", "read_timeout", "is_host", "rank")
NOTHING = ("close_timeout", "keep_alive_interval", "keep_alive_max_attempt", "heartbeat_timeout",
           "store_type", "use_libuv")  # fmt: skip


@dataclass
class Plan:
    """What the leader tells an agent of an attempt."""

    round: int
    restarts: int  # failures so far
    max_restarts: int
    group_rank: int
    group_world_size: int
    base: int  # the first local process's rank
    world_size: int
    role_base: int
    role_world_size: int


def endpoint_of(text: str, default_port: int = -1) -> tuple[str, int]:
    """Host and port of "host:port", "[::1]:port" or a host alone.

    >>> endpoint_of("node1:29400"), endpoint_of("[::1]:5"), endpoint_of("node1")
    (('node1', 29400), ('::1', 5), ('node1', -1))
    """
    host, port = text.strip(), ""
    if host.startswith("["):
        host, _, port = host[1:].partition("]")
        port = port.removeprefix(":")
    elif host.count(":") == 1:
        host, _, port = host.partition(":")
    if port and not (port.isdigit() and int(port) < 65536):
        raise ValueError(f"The port number of the rendezvous endpoint '{text}' must be an integer "
                         "between 0 and 65536.")  # fmt: skip
    return host or "localhost", int(port) if port else default_port


def is_here(host: str) -> bool:
    """Whether an address is one of this machine."""
    try:
        for family, kind, _, _, address in socket.getaddrinfo(host, 0, type=socket.SOCK_STREAM):
            with socket.socket(family, kind) as sock:
                sock.bind(address)
            return True
    except OSError:
        return False
    return False


class Nodes:
    """The agents of a job, as one of them sees it.

    Args:
        config: a LaunchConfig.

    Raises:
        RendezvousConnectionError: the agent that keeps the store does not answer.
        ValueError: the address or the configuration makes no sense.
    """

    def __init__(self, config: Any) -> None:
        conf = dict(config.rdzv_configs)
        unknown = sorted(set(conf) - {*CONF, *NOTHING})
        if unknown:
            raise ValueError(f"--rdzv-conf: unknown {', '.join(unknown)}; known: {', '.join(CONF)}")
        if str(conf.get("store_type", "tcp")).lower() != "tcp":
            raise ValueError("--rdzv-conf: store_type must be tcp; agents meet in a TCPStore")
        backend = config.rdzv_backend
        if backend not in BACKENDS:
            raise ValueError(
                message(
                    f"The rendezvous backend '{backend}' is not registered",
                    wanted="c10d or static",
                    hint="--rdzv-backend c10d --rdzv-endpoint HOST:PORT",
                )
            )
        self.config = config
        self.static = backend == "static"
        self.limit = float(conf.get("join_timeout") or conf.get("timeout") or JOIN)
        self.last_call = float(conf.get("last_call_timeout", LAST_CALL))
        self.rank = int(conf.get("rank", -1))
        if self.static and not 0 <= self.rank < config.max_nodes:
            raise ValueError(
                f"--node-rank {self.rank} is not one of the {config.max_nodes} nodes "
                f"(0 to {config.max_nodes - 1})"
            )
        self.host, self.port = self._address()
        self.id = f"{socket.gethostname()}-{os.getpid()}-{uuid.uuid4().hex[:8]}"
        self.leads = self._meet(conf)
        self.port = self.tcp.port
        self.token = tokens.found(self.port)
        self.store = PrefixStore(f"torchelastic/{config.run_id}", self.tcp)
        self.round = 0
        self.restarts = 0
        self.members: dict[str, dict[str, Any]] = {}  # of the last plan; known to the leader

    def _address(self) -> tuple[str, int]:
        given = self.config.rdzv_endpoint
        if not given and self.static:
            raise ValueError(
                "Endpoint is missing in endpoint. Try to add --master-addr and --master-port"
            )
        host, port = endpoint_of(given, -1 if self.static else 29400)
        if port == -1:
            raise ValueError(
                f"port is missing in endpoint: {given}. Try to specify --master-port"
            )
        return host, port

    def _meet(self, conf: dict[str, Any]) -> bool:
        """Open the store, or go to it; whether this agent keeps it."""
        limit = datetime.timedelta(seconds=float(conf.get("read_timeout", self.limit)))
        told = str(conf.get("is_host", "")).lower()
        must = (self.rank == 0 if self.static else told in ("1", "true", "yes", "t", "y"))
        may = must or (not self.static and not told and is_here(self.host))
        if may:
            try:
                self.tcp = TCPStore(self.host, self.port, None, True, limit, False)
                return True
            except DistNetworkError:
                if must:
                    raise
                # another agent on this machine was first
        try:
            self.tcp = TCPStore(self.host, self.port, None, False, limit, False)
        except DistNetworkError as why:
            raise RendezvousConnectionError(
                message(
                    "The connection to the C10d store has failed",
                    got=str(why),
                    wanted=f"an agent that keeps the job's store at {self.host}:{self.port}",
                    hint="start the first node; give all nodes the same --rdzv-endpoint (or "
                    "--master-addr and --master-port), and RUSHLIGHT_JOB_TOKEN on several machines",
                )
            ) from why
        self.tcp._client.ask("will", f"torchelastic/{self.config.run_id}/gone/{self.id}", b"1")
        return False

    # -- the next attempt --------------------------------------------------------------------------

    def meet(self) -> Plan:
        """Take part in the next attempt.

        Raises:
            RendezvousTimeoutError: not enough agents come in time.
            RendezvousStateError: agents do not fit together.
        """
        own = {"id": self.id, "rank": self.rank, "size": self.config.nproc_per_node,
               "role": self.config.role, "host": socket.gethostname(),
               "static": self.static}  # fmt: skip
        if self.leads:
            plans = self._plans(self._gathered(own))
            for agent, text in plans.items():
                if agent != self.id:
                    self.store.queue_push(f"plan/{agent}", text)
            told = json.loads(plans[self.id])
        else:
            try:
                self.store.queue_push("join", json.dumps(own))
                self.store.set_timeout(datetime.timedelta(seconds=self.limit + self.last_call + 5))
                told = json.loads(self.store.queue_pop(f"plan/{self.id}"))
            except DistStoreError as why:
                raise RendezvousTimeoutError(
                    message(
                        f"this node was not taken into run '{self.config.run_id}'",
                        got=str(why),
                        wanted="the same --rdzv-id, and no more nodes than --nnodes says",
                    )
                ) from None
        if "error" in told:
            raise RendezvousStateError(told["error"])
        plan = Plan(**told)
        self.round, self.restarts = plan.round, plan.restarts
        return plan

    def _gathered(self, own: dict[str, Any]) -> list[dict[str, Any]]:
        """Wait for the agents of the next attempt; this one is the first of them."""
        least, most = self.config.min_nodes, self.config.max_nodes
        found = {self.id: own}
        deadline = time.monotonic() + self.limit
        newest = time.monotonic()
        while True:
            for node in self._joining():
                if len(found) < most:
                    found[node["id"]] = node
                    newest = time.monotonic()
                else:
                    self.store.queue_push("waiting", json.dumps(node))
            found = {k: v for k, v in found.items() if not self._gone(k)}
            if len(found) == most:
                break
            now = time.monotonic()
            if len(found) >= least:
                expected = [m for m in self.members if m not in found and not self._gone(m)]
                again = bool(self.members) and not expected  # all that are left have come
                if again or now > newest + self.last_call:
                    break
            if now > deadline:
                came = ", ".join(n["host"] for n in found.values())
                error = (
                    f"{len(found)} of {least} nodes have come within {self.limit:g} s (on {came})"
                )
                for agent in found:
                    self.store.queue_push(f"plan/{agent}", json.dumps({"error": error}))
                raise RendezvousTimeoutError(
                    message(
                        error,
                        hint="start the launcher on every node with the same --nnodes, --rdzv-id "
                        "and --rdzv-endpoint (or --master-addr and --master-port)",
                    )
                )
            time.sleep(0.02)
        while True:  # who came too late for this attempt waits for the next
            try:
                self.store.queue_push("join", self.store.queue_pop("waiting", block=False))
            except QueueEmptyError:
                break
        self.members = found
        return list(found.values())

    def _joining(self) -> list[dict[str, Any]]:
        found = []
        while True:
            try:
                found.append(json.loads(self.store.queue_pop("join", block=False)))
            except QueueEmptyError:
                return found

    def _gone(self, agent: str) -> bool:
        return self.store.check([f"gone/{agent}"])

    def _plans(self, nodes: list[dict[str, Any]]) -> dict[str, str]:
        """What each agent is told: its ranks."""
        ranks = [n["rank"] for n in nodes]
        if self.static:
            if sorted(ranks) != list(range(len(nodes))):
                error = f"each node needs a --node-rank of its own, got {sorted(ranks)}"
                return {n["id"]: json.dumps({"error": error}) for n in nodes}
            nodes = sorted(nodes, key=lambda n: n["rank"])
        for key in self.tcp.list_keys():  # what the processes of the last attempt have written
            if key.startswith("/worker/"):
                self.tcp.delete_key(key)
        world = sum(n["size"] for n in nodes)
        roles: dict[str, int] = {}
        for n in nodes:
            roles[n["role"]] = roles.get(n["role"], 0) + n["size"]
        base, role_base = 0, dict.fromkeys(roles, 0)
        plans = {}
        for i, n in enumerate(nodes):
            plans[n["id"]] = json.dumps(
                dict(round=self.round + 1, restarts=self.restarts,
                     max_restarts=self.config.max_restarts, group_rank=i,
                     group_world_size=len(nodes), base=base, world_size=world,
                     role_base=role_base[n["role"]], role_world_size=roles[n["role"]])
            )  # fmt: skip
            base += n["size"]
            role_base[n["role"]] += n["size"]
        return plans

    # -- an attempt --------------------------------------------------------------------------------

    def tell(self, **news: Any) -> dict[str, Any]:
        """Say that the attempt is over; returns what was said first, by whichever agent."""
        return json.loads(self.store.compare_set(f"news/{self.round}", b"", json.dumps(news)))

    def news(self) -> dict[str, Any] | None:
        """Why the attempt is over; None while it is not."""
        try:
            if self.store.check([f"news/{self.round}"]):
                return json.loads(self.store.get(f"news/{self.round}"))
            if self.leads:
                for agent, node in self.members.items():
                    if self._gone(agent):
                        return self.tell(kind="failed", text=f"the agent on {node['host']} is gone")
                if len(self.members) < self.config.max_nodes and self.store.queue_len("join"):
                    return self.tell(kind="members", text="a node has joined")
        except DistError as why:
            raise RendezvousConnectionError(
                message(
                    "the agent that keeps the job's store is gone, and the job with it",
                    got=str(why),
                    hint="the output of the first node says why; start the job again",
                )
            ) from None
        return None

    def done(self) -> None:
        """This agent's processes have ended well."""
        self.store.add(f"done/{self.round}", 1)

    def all_done(self, plan: Plan) -> bool:
        """Whether those of all agents have."""
        if plan.group_world_size == 1:
            return True
        try:
            return self.store.add(f"done/{self.round}", 0) >= plan.group_world_size
        except DistError:
            return True  # its keeper waits for all before it goes

    def close(self) -> None:
        """Leave; the agent that keeps the store waits a little for the others to hear the end."""
        server = self.tcp._server
        if server is not None:
            deadline = time.monotonic() + 5.0
            others = [a for a in self.members if a != self.id]
            while not all(map(self._gone, others)) and time.monotonic() < deadline:
                time.sleep(0.02)
            self.tcp._client.close()
            server.close()
            TCPStore._kept.pop((self.host, self.port), None)
        else:
            self.tcp._client.close()


__all__ = ["Nodes", "Plan", "RendezvousError", "endpoint_of"]
