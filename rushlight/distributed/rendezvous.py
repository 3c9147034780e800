"""How processes find each other: an address turns into a store, a rank and a size.

`env://` reads RANK, WORLD_SIZE, MASTER_ADDR and MASTER_PORT, or what mpiexec says; `tcp://` and
`file://` name the meeting place, and the caller his rank.
"""

from __future__ import annotations

import datetime
import os
from collections.abc import Callable, Iterator
from typing import Any
from urllib.parse import parse_qs, urlparse

from ..errors import message
from . import mpi
from .file_store import FileStore
from .stores import PrefixStore, Store, TCPStore

Found = tuple[Store, int, int]
handlers: dict[str, Callable[..., Iterator[Found]]] = {}


def register_rendezvous_handler(scheme: str, handler: Callable[..., Iterator[Found]]) -> None:
    """Let addresses of a scheme be handled by `handler(url, timeout)`, which yields (store, rank,
    size).

    >>> dist = torch.distributed
    >>> def here(url, timeout=None, **kwargs):
    ...     yield dist.HashStore(), 0, 1
    >>> dist.register_rendezvous_handler("here", here)
    >>> dist.init_process_group("gloo", init_method="here://")
    >>> dist.get_world_size()
    1
    >>> dist.destroy_process_group()
    """
    if scheme in handlers:
        raise RuntimeError(f"Rendezvous handler for {scheme}:// already registered")
    handlers[scheme] = handler


def rendezvous(url: str, rank: int = -1, world_size: int = -1, **kwargs: Any) -> Iterator[Found]:
    """Yield the (store, rank, size) that an address means.

    Raises:
        ValueError: of something that is missing, or that does not fit.
        RuntimeError: for a scheme that nobody handles.

    >>> import os, tempfile
    >>> path = os.path.join(tempfile.mkdtemp(), "meet")
    >>> store, rank, size = next(torch.distributed.rendezvous(f"file://{path}", 0, 1))
    >>> rank, size
    (0, 1)
    """
    if not isinstance(url, (str, bytes)):
        raise RuntimeError(f"`url` must be a string. {type(url)}: {url}")
    parsed = urlparse(url if isinstance(url, str) else url.decode())
    query = {k: v[0] for k, v in parse_qs(parsed.query).items()}
    rank = int(query.get("rank", rank)) if rank < 0 else rank
    world_size = int(query.get("world_size", world_size)) if world_size < 0 else world_size
    if parsed.scheme not in handlers:
        raise RuntimeError(
            message(
                f"No rendezvous handler for {parsed.scheme}://",
                wanted=", ".join(f"{s}://" for s in sorted(handlers)),
            )
        )
    timeout = kwargs.get("timeout", datetime.timedelta(minutes=5))
    handler = handlers[parsed.scheme]
    if handler in OWN:
        return handler(parsed, rank, world_size, timeout)
    return handler(url, timeout=timeout)


def both(scheme: str, rank: int, size: int) -> None:
    if rank < 0 or size < 1:
        name = "rank" if rank < 0 else "world_size"
        raise ValueError(
            message(
                f"Error initializing torch.distributed using {scheme}:// rendezvous: {name} "
                "parameter missing",
                hint=f"init_process_group(..., init_method='{scheme}://...', rank=0, world_size=2)",
            )
        )
    if rank >= size:
        raise ValueError(f"rank {rank} is not one of the {size} ranks (0 to {size - 1})")


def by_tcp(parsed: Any, rank: int, size: int, timeout: datetime.timedelta) -> Iterator[Found]:
    both("tcp", rank, size)
    if not parsed.port:
        raise ValueError("tcp:// rendezvous: port number missing, as in tcp://127.0.0.1:29500")
    yield TCPStore(parsed.hostname, parsed.port, size, rank == 0, timeout), rank, size


def by_file(parsed: Any, rank: int, size: int, timeout: datetime.timedelta) -> Iterator[Found]:
    both("file", rank, size)
    if not parsed.path:
        raise ValueError("file:// rendezvous: path missing, as in file:///tmp/meet")
    store = FileStore(parsed.path, size)
    store.set_timeout(timeout)
    yield store, rank, size


def by_environment(
    parsed: Any, rank: int, size: int, timeout: datetime.timedelta
) -> Iterator[Found]:
    started = mpi.started_by_mpiexec() if "RANK" not in os.environ else None
    if started is not None:
        rank, size = (started[0] if rank < 0 else rank), (started[1] if size < 0 else size)
        if "MASTER_PORT" not in os.environ:
            yield by_mpi(rank, size, timeout), rank, size
            return
    rank = int(variable("RANK")) if rank < 0 else rank
    size = int(variable("WORLD_SIZE")) if size < 0 else size
    both("env", rank, size)
    host, port = variable("MASTER_ADDR"), int(variable("MASTER_PORT"))
    # Under a launcher the store is the launcher's own, so that a rank that ends leaves it be.
    launched = os.environ.get("TORCHELASTIC_USE_AGENT_STORE") == "True"
    store: Store = TCPStore(
        host, port, size, rank == 0 and not launched, timeout, wait_for_workers=not launched
    )
    if launched:
        attempt = os.environ.get("TORCHELASTIC_RESTART_COUNT", "0")
        store = PrefixStore(f"/worker/attempt_{attempt}", store)
    yield store, rank, size


def by_mpi(rank: int, size: int, timeout: datetime.timedelta) -> Store:
    """A store for processes that mpiexec has started: rank 0 keeps it, and MPI tells where."""
    import socket

    from . import tokens, wire

    world = mpi.initialize(None, rank, size).COMM_WORLD
    store, said = None, None
    if world.rank == 0:
        os.environ.setdefault(tokens.VARIABLE, wire.new_token())
        alone = len(set(world.gather(socket.gethostname()))) == 1
        host = "127.0.0.1" if alone else socket.gethostbyname(socket.gethostname())
        store = TCPStore(host, 0, None, True, timeout, wait_for_workers=False)
        said = f"{host} {store.port} {os.environ[tokens.VARIABLE]}"
    else:
        world.gather(socket.gethostname())
    host, port, token = world.bcast(said).split(" ")
    os.environ.setdefault(tokens.VARIABLE, token)
    return store or TCPStore(host, int(port), None, False, timeout, wait_for_workers=False)


def variable(name: str) -> str:
    """A variable of the environment; ValueError in PyTorch's words when it is not set."""
    value = os.environ.get(name)
    if not value:
        raise ValueError(
            message(
                "Error initializing torch.distributed using env:// rendezvous: environment "
                f"variable {name} expected, but not set",
                hint="python -m rushlight.distributed.run --nproc-per-node 2 script.py, or "
                "mpiexec -n 2 python script.py, which set it",
            )
        )
    return value


OWN = (by_tcp, by_file, by_environment)
for _scheme, _handler in (("tcp", by_tcp), ("file", by_file), ("env", by_environment)):
    register_rendezvous_handler(_scheme, _handler)
