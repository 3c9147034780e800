"""Stores: small values under keys that all processes of a job see, with PyTorch's methods.

`TCPStore` asks a server (server.py), which one of the processes keeps; `FileStore` is a file,
`HashStore` a dictionary of this process, and `PrefixStore` puts a word before another store's keys.
Values are bytes; strings are encoded. Processes find each other through a store (rendezvous.py);
tensors do not travel by it.
"""

from __future__ import annotations

import contextlib
import datetime
import socket
import sys
import threading
import time
from collections import deque
from collections.abc import Iterator, Sequence
from typing import Any

from ..errors import message
from . import tokens, wire
from .client import Client
from .errors import DistNetworkError, DistStoreError, QueueEmptyError
from .server import Server

DEFAULT_TIMEOUT = datetime.timedelta(seconds=300)


def seconds(timeout: Any) -> float:
    """A timedelta, or a number of seconds, as seconds."""
    if isinstance(timeout, datetime.timedelta):
        return timeout.total_seconds()
    return float(timeout)


def raw(value: str | bytes) -> bytes:
    if isinstance(value, str):
        return value.encode()
    if isinstance(value, (bytes, bytearray, memoryview)):
        return bytes(value)
    raise TypeError(f"a store holds str or bytes, not {type(value).__name__}")


def late(keys: Sequence[Any], timeout: float) -> DistStoreError:
    names = ", ".join(k.decode(errors="replace") if isinstance(k, bytes) else str(k) for k in keys)
    return DistStoreError(
        message(
            f"wait timeout after {timeout * 1000:.0f}ms, keys: {names}",
            wanted="another process that sets them",
            hint="look at the output of the other processes, or give the store a longer timeout",
        )
    )


class Store:
    """What all stores do. Subclasses keep the values.

    A class of a user's own overrides `set`, `get`, `add`, `wait` and what else it can.

    >>> store = torch.distributed.HashStore()
    >>> isinstance(store, torch.distributed.Store)
    True
    >>> store.set("lr", "0.1")
    >>> store.get("lr"), store.add("epoch", 1), store.check(["lr"])
    (b'0.1', 1, True)
    """

    def __init__(self) -> None:
        self._timeout = DEFAULT_TIMEOUT

    @property
    def timeout(self) -> datetime.timedelta:
        """How long `get` and `wait` wait."""
        return self._timeout

    def set_timeout(self, timeout: datetime.timedelta) -> None:
        """How long `get` and `wait` wait from now on."""
        self._timeout = timeout

    def _absent(self, name: str) -> Any:
        raise NotImplementedError(f"{type(self).__name__} has no {name}()")

    def set(self, key: str, value: str | bytes) -> None:
        """Put a value under a key."""
        self._absent("set")

    def get(self, key: str) -> bytes:
        """The value under a key, as soon as it is there; DistStoreError after the timeout."""
        return self._absent("get")

    def add(self, key: str, amount: int) -> int:
        """Add to a number (0 at first) and return the sum."""
        return self._absent("add")

    def append(self, key: str, value: str | bytes) -> None:
        """Put a value behind that under a key."""
        self._absent("append")

    def compare_set(self, key: str, expected: str | bytes, desired: str | bytes) -> bytes:
        """Put `desired` under a key that has the value `expected` (or, for an empty one, no value);
        returns what is there then."""
        return self._absent("compare_set")

    def check(self, keys: Sequence[str]) -> bool:
        """Whether all keys have values."""
        return self._absent("check")

    def wait(self, keys: Sequence[str], timeout: datetime.timedelta | None = None) -> None:
        """Return when all keys have values; DistStoreError after the timeout."""
        self._absent("wait")

    def delete_key(self, key: str) -> bool:
        """Forget a key; whether it was there."""
        return self._absent("delete_key")

    def num_keys(self) -> int:
        """How many keys have values."""
        return self._absent("num_keys")

    def list_keys(self) -> list[str]:
        """The keys that have values."""
        return self._absent("list_keys")

    def queue_push(self, key: str, value: str | bytes) -> None:
        """Put a value at the end of a queue."""
        self._absent("queue_push")

    def queue_pop(self, key: str, block: bool = True) -> bytes:
        """Take the first value of a queue; QueueEmptyError when there is none (and `block` is
        False)."""
        return self._absent("queue_pop")

    def queue_len(self, key: str) -> int:
        """How many values a queue has."""
        return self._absent("queue_len")

    def multi_get(self, keys: Sequence[str]) -> list[bytes]:
        """`get` of several keys."""
        return [self.get(k) for k in keys]

    def multi_set(self, keys: Sequence[str], values: Sequence[str | bytes]) -> None:
        """`set` of several keys."""
        if len(keys) != len(values):
            raise ValueError(f"multi_set: {len(keys)} keys and {len(values)} values")
        for k, v in zip(keys, values, strict=True):
            self.set(k, v)

    def has_extended_api(self) -> bool:
        """Whether there are `append`, `multi_get` and `multi_set`."""
        return True

    def barrier(self, key: str, world_size: int, timeout: datetime.timedelta | None = None) -> None:
        """Return when `world_size` processes have called this with the same key."""
        if self.add(f"{key}/count", 1) == world_size:
            self.set(f"{key}/done", b"1")
        self.wait([f"{key}/done"], timeout or self.timeout)

    def clone(self) -> Store:
        """A second handle on the same values, for another thread."""
        return self._absent("clone")


class TCPStore(Store):
    """A store that one process keeps and others reach by TCP.

    Args:
        host_name, port: where the master listens; port 0 takes a free one (`store.port`). It
            listens at this address alone, so at "localhost" for this machine only.
        world_size: how many processes come; with `wait_for_workers` the constructor waits for them.
        is_master: whether this process keeps the values.
        timeout: for connecting, and for `get` and `wait`.
        multi_tenant: a second master of this process at the same port is a client of the first.
        master_listen_fd: the number of a socket that listens already.
        use_libuv: accepted; there is one kind of server.

    Only processes that know the job's token are served (`tokens.py`): those that one command
    started, those of the same user on the same machine, and those with RUSHLIGHT_JOB_TOKEN.

    Raises:
        DistNetworkError: nobody listens there, or another job does.

    Example:
        >>> store = TCPStore("localhost", 0, is_master=True, wait_for_workers=False)
        >>> store.set("model", "gpt")
        >>> store.get("model"), store.add("epochs", 3)
        (b'gpt', 3)
    """

    _kept: dict[tuple[str, int], Server] = {}  # noqa: RUF012

    def __init__(
        self,
        host_name: str,
        port: int,
        world_size: int | None = None,
        is_master: bool = False,
        timeout: datetime.timedelta = DEFAULT_TIMEOUT,
        wait_for_workers: bool = True,
        multi_tenant: bool = False,
        master_listen_fd: int | None = None,
        use_libuv: bool = True,
    ) -> None:
        super().__init__()
        if not isinstance(port, int) or not 0 <= port < 65536:
            raise ValueError(f"port must be an int from 0 to 65535, got {port!r}")
        self._timeout = timeout
        self._host, self._server = host_name, None
        if is_master:
            self._server = self._listen(port, multi_tenant, master_listen_fd)
            port = self._server.address[1]
        self._port = port
        self._client = Client(host_name, port, lambda: tokens.found(port), seconds(timeout))
        if world_size is not None and world_size > 0 and wait_for_workers:
            self.add("init/", 1)
            deadline = time.monotonic() + seconds(timeout)
            while self.add("init/", 0) < world_size:
                if time.monotonic() > deadline:
                    here = self.add("init/", 0)
                    raise DistStoreError(
                        message(
                            f"Timed out after {seconds(timeout):g} seconds waiting for clients. "
                            f"{here}/{world_size} clients joined.",
                            hint="start the other processes, with the same address and port",
                        )
                    )
                time.sleep(0.01)

    def _listen(self, port: int, shared: bool, descriptor: int | None) -> Server:
        if shared and port and (self._host, port) in self._kept:
            return self._kept[self._host, port]
        token = tokens.own() or wire.new_token()
        try:
            listener = self._bound(port) if descriptor is None else socket.socket(fileno=descriptor)
            # Not before it listens is the port ours: two may be bound to it, and the other one must
            # not write its token there. Clients ask for the token when the server has greeted them,
            # and it does not before it stands there.
            listener.listen(1024)
            tokens.leave(listener.getsockname()[1], token)
        except OSError as why:
            raise DistNetworkError(
                message(
                    f"The server socket has failed to listen on {self._host}:{port}",
                    got=f"{type(why).__name__}: {why}",
                    hint="another port (MASTER_PORT), or end the program that uses this one",
                )
            ) from why
        server = Server(self._host, port, token, listener)
        self._kept[self._host, server.address[1]] = server
        return server

    def _bound(self, port: int) -> socket.socket:
        """A socket that has the port."""
        listener = socket.socket(socket.AF_INET6 if ":" in self._host else socket.AF_INET)
        try:
            if sys.platform != "win32":  # where it would share the port with another program
                listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
            listener.bind((self._host, port))
        except OSError:
            listener.close()
            raise
        return listener

    @property
    def host(self) -> str:
        """Where the master listens."""
        return self._host

    @property
    def port(self) -> int:
        """Where the master listens."""
        return self._port

    @property
    def libuvBackend(self) -> bool:
        """False: there is one kind of server, in Python."""
        return False

    def _wait(self, command: str, *fields: Any, timeout: Any = None) -> list[bytes]:
        limit = seconds(timeout if timeout is not None else self._timeout)
        try:
            return self._client.ask(command, limit, *fields, wait=limit)
        except TimeoutError as why:
            raise late(why.args or fields, limit) from None

    def set(self, key: str, value: str | bytes) -> None:
        self._client.ask("set", raw(key), raw(value))

    def get(self, key: str) -> bytes:
        return self._wait("get", raw(key))[0]

    def add(self, key: str, amount: int) -> int:
        return int(self._client.ask("add", raw(key), int(amount))[0])

    def append(self, key: str, value: str | bytes) -> None:
        self._client.ask("append", raw(key), raw(value))

    def compare_set(self, key: str, expected: str | bytes, desired: str | bytes) -> bytes:
        return self._client.ask("compare_set", raw(key), raw(expected), raw(desired))[0]

    def check(self, keys: Sequence[str]) -> bool:
        return self._client.ask("check", *map(raw, keys))[0] == b"1"

    def wait(self, keys: Sequence[str], timeout: datetime.timedelta | None = None) -> None:
        self._wait("wait", *map(raw, keys), timeout=timeout)

    def delete_key(self, key: str) -> bool:
        return self._client.ask("delete", raw(key))[0] == b"1"

    def num_keys(self) -> int:
        return int(self._client.ask("count")[0])

    def list_keys(self) -> list[str]:
        return [k.decode(errors="replace") for k in self._client.ask("keys")]

    def queue_push(self, key: str, value: str | bytes) -> None:
        self._client.ask("push", raw(key), raw(value))

    def queue_pop(self, key: str, block: bool = True) -> bytes:
        if block:
            return self._wait("pop", raw(key))[0]
        try:
            return self._client.ask("pop", 0.0, raw(key))[0]
        except TimeoutError:
            raise QueueEmptyError(f"queue {key} is empty") from None

    def queue_len(self, key: str) -> int:
        return int(self._client.ask("length", raw(key))[0])

    def clone(self) -> TCPStore:
        return TCPStore(self._host, self._port, timeout=self._timeout, wait_for_workers=False)


class HashStore(Store):
    """A store in a dictionary of this process, for its threads.

    >>> store = HashStore()
    >>> store.add("n", 2), store.add("n", 3), store.get("n")
    (2, 5, b'5')
    """

    def __init__(self) -> None:
        super().__init__()
        self._values: dict[str, bytes] = {}
        self._queues: dict[str, deque[bytes]] = {}
        self._changed = threading.Condition()

    @contextlib.contextmanager
    def _open(self, change: bool = True) -> Iterator[dict[str, bytes]]:
        """The values, for one thread at a time; others that wait look again afterwards."""
        with self._changed:
            yield self._values
            if change:
                self._changed.notify_all()

    def set(self, key: str, value: str | bytes) -> None:
        with self._open() as values:
            values[key] = raw(value)

    def get(self, key: str) -> bytes:
        self.wait([key])
        with self._open(False) as values:
            return values[key]

    def add(self, key: str, amount: int) -> int:
        with self._open() as values:
            total = int(values.get(key, b"0")) + int(amount)
            values[key] = str(total).encode()
            return total

    def append(self, key: str, value: str | bytes) -> None:
        with self._open() as values:
            values[key] = values.get(key, b"") + raw(value)

    def compare_set(self, key: str, expected: str | bytes, desired: str | bytes) -> bytes:
        with self._open() as values:
            now = values.get(key)
            if now is None and raw(expected):
                return raw(expected)
            if now is None or now == raw(expected):
                values[key] = now = raw(desired)
            return now

    def check(self, keys: Sequence[str]) -> bool:
        with self._open(False) as values:
            return all(k in values for k in keys)

    def wait(self, keys: Sequence[str], timeout: datetime.timedelta | None = None) -> None:
        limit = seconds(timeout if timeout is not None else self._timeout)
        deadline = time.monotonic() + limit
        while not self.check(keys):
            if time.monotonic() >= deadline:
                raise late([k for k in keys if not self.check([k])], limit)
            with self._changed:
                self._changed.wait(min(0.01, max(0.0, deadline - time.monotonic())))

    def delete_key(self, key: str) -> bool:
        with self._open() as values:
            return values.pop(key, None) is not None

    def num_keys(self) -> int:
        with self._open(False) as values:
            return len(values)

    def list_keys(self) -> list[str]:
        with self._open(False) as values:
            return list(values)

    def queue_push(self, key: str, value: str | bytes) -> None:
        with self._changed:
            self._queues.setdefault(key, deque()).append(raw(value))
            self._changed.notify_all()

    def queue_pop(self, key: str, block: bool = True) -> bytes:
        limit = seconds(self._timeout)
        with self._changed:
            filled = lambda: bool(self._queues.get(key))  # noqa: E731
            if block and not self._changed.wait_for(filled, limit):
                raise late([key], limit)
            if not filled():
                raise QueueEmptyError(f"queue {key} is empty")
            return self._queues[key].popleft()

    def queue_len(self, key: str) -> int:
        return len(self._queues.get(key, ()))

    def clone(self) -> HashStore:
        return self


class PrefixStore(Store):
    """Another store, with a word before each key: `PrefixStore("a", store)` has its own "x".

    >>> inner = HashStore()
    >>> PrefixStore("job", inner).set("x", "1")
    >>> inner.get("job/x")
    b'1'
    """

    def __init__(self, prefix: str, store: Store) -> None:
        super().__init__()
        if not isinstance(prefix, str):
            raise TypeError(f"prefix must be a str, not {type(prefix).__name__}")
        if not isinstance(store, Store):
            raise TypeError(f"store must be a Store, not {type(store).__name__}")
        self._prefix, self._store = prefix, store

    @property
    def underlying_store(self) -> Store:
        """The store that keeps the values."""
        return self._store

    @property
    def timeout(self) -> datetime.timedelta:
        return self._store.timeout

    def set_timeout(self, timeout: datetime.timedelta) -> None:
        self._store.set_timeout(timeout)

    def _full(self, key: str) -> str:
        return f"{self._prefix}/{key}"

    def set(self, key: str, value: str | bytes) -> None:
        self._store.set(self._full(key), value)

    def get(self, key: str) -> bytes:
        return self._store.get(self._full(key))

    def add(self, key: str, amount: int) -> int:
        return self._store.add(self._full(key), amount)

    def append(self, key: str, value: str | bytes) -> None:
        self._store.append(self._full(key), value)

    def compare_set(self, key: str, expected: str | bytes, desired: str | bytes) -> bytes:
        return self._store.compare_set(self._full(key), expected, desired)

    def check(self, keys: Sequence[str]) -> bool:
        return self._store.check([self._full(k) for k in keys])

    def wait(self, keys: Sequence[str], timeout: datetime.timedelta | None = None) -> None:
        full = [self._full(k) for k in keys]
        return self._store.wait(full) if timeout is None else self._store.wait(full, timeout)

    def delete_key(self, key: str) -> bool:
        return self._store.delete_key(self._full(key))

    def num_keys(self) -> int:
        return self._store.num_keys()

    def list_keys(self) -> list[str]:
        own = self._prefix + "/"
        return [k.removeprefix(own) for k in self._store.list_keys() if k.startswith(own)]

    def queue_push(self, key: str, value: str | bytes) -> None:
        self._store.queue_push(self._full(key), value)

    def queue_pop(self, key: str, block: bool = True) -> bytes:
        return self._store.queue_pop(self._full(key), block)

    def queue_len(self, key: str) -> int:
        return self._store.queue_len(self._full(key))

    def clone(self) -> PrefixStore:
        return PrefixStore(self._prefix, self._store.clone())
