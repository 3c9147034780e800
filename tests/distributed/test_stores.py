"""Stores, and who may read them."""

from __future__ import annotations

import datetime
import socket
import threading
from pathlib import Path
from typing import Any

import pytest

from rushlight.distributed import (
    DistNetworkError,
    DistStoreError,
    FileStore,
    HashStore,
    PrefixStore,
    QueueEmptyError,
    Store,
    TCPStore,
    tokens,
    wire,
)
from rushlight.distributed.pmi import Board, mapping
from rushlight.distributed.rendezvous import rendezvous

SHORT = datetime.timedelta(seconds=0.1)


@pytest.fixture(params=["tcp", "file", "hash", "prefix"])
def store(request: Any, tmp_path: Path) -> Store:
    if request.param == "tcp":
        return TCPStore("localhost", 0, is_master=True, wait_for_workers=False)
    if request.param == "file":
        return FileStore(tmp_path / "store", 1)
    return HashStore() if request.param == "hash" else PrefixStore("a", HashStore())


def test_values(store: Store) -> None:
    store.set("a", "1")
    assert store.get("a") == b"1"
    store.set("bytes", bytes(range(256)))
    assert store.get("bytes") == bytes(range(256))
    assert store.add("n", 2) == 2
    assert store.add("n", -5) == -3
    store.append("a", "23")
    assert store.get("a") == b"123"
    assert store.check(["a", "n"])
    assert not store.check(["a", "none"])
    assert store.compare_set("a", "123", "4") == b"4"
    assert store.compare_set("a", "123", "5") == b"4"
    assert store.compare_set("new", "", "1") == b"1"
    assert store.num_keys() == 4
    assert sorted(store.list_keys()) == ["a", "bytes", "n", "new"]
    assert store.delete_key("new")
    assert not store.delete_key("new")
    store.multi_set(["x", "y"], ["1", "2"])
    assert store.multi_get(["x", "y"]) == [b"1", b"2"]


@pytest.mark.slow
def test_waiting(store: Store) -> None:
    store.set_timeout(SHORT)
    with pytest.raises(DistStoreError, match=r"wait timeout after 100ms, keys: .*never"):
        store.wait(["never"])
    with pytest.raises(DistStoreError, match="never"):
        store.get("never")
    with pytest.raises(DistStoreError, match="never"):
        store.wait(["never"], SHORT)
    store.set_timeout(datetime.timedelta(seconds=20))
    other = store.clone()
    timer = threading.Timer(0.05, lambda: other.set("late", "here"))
    timer.start()
    assert store.get("late") == b"here"
    timer.join()


def test_queues() -> None:
    for store in (TCPStore("localhost", 0, is_master=True, wait_for_workers=False), HashStore()):
        store.queue_push("q", "1")
        store.queue_push("q", b"2")
        assert store.queue_len("q") == 2
        assert store.queue_pop("q") == b"1"
        assert store.queue_pop("q", block=False) == b"2"
        with pytest.raises(QueueEmptyError):
            store.queue_pop("q", block=False)


def test_a_file_is_read_by_all_and_removed_by_the_last(tmp_path: Path) -> None:
    path = tmp_path / "meet"
    one, two = FileStore(path, 2), FileStore(path, 2)
    assert path.stat().st_mode & 0o777 == 0o600
    one.set("k", "v")
    assert two.get("k") == b"v"
    two.delete_key("k")
    assert not one.check(["k"])
    assert one.list_keys() == []
    del one
    assert path.exists()
    del two
    assert not path.exists()


def test_only_those_who_know_the_token_are_served(monkeypatch: pytest.MonkeyPatch) -> None:
    store = TCPStore("localhost", 0, is_master=True, wait_for_workers=False)
    assert store.clone().num_keys() == 0
    monkeypatch.setenv(tokens.VARIABLE, "somebody else's")
    with pytest.raises(DistNetworkError, match="another job"):
        store.clone()
    with socket.create_connection(("localhost", store.port)) as sock:
        sock.sendall(b"GET / HTTP/1.1\r\n\r\n" * 20)
        sock.settimeout(10)
        assert len(sock.recv(1000)) == wire.NONCE  # what anybody gets, and then nothing
        assert sock.recv(1000) == b""
    store.set("still", "there")
    assert store.get("still") == b"there"


def test_nobody_listens() -> None:
    with socket.create_server(("127.0.0.1", 0)) as s:
        port = s.getsockname()[1]
    with pytest.raises(DistNetworkError, match=f"no store at 127.0.0.1:{port}"):
        TCPStore("127.0.0.1", port, timeout=SHORT)
    store = TCPStore("127.0.0.1", port, is_master=True, wait_for_workers=False)
    with pytest.raises(DistNetworkError, match="failed to listen"):
        TCPStore("127.0.0.1", port, is_master=True, wait_for_workers=False)
    shared = TCPStore("127.0.0.1", port, is_master=True, wait_for_workers=False, multi_tenant=True)
    store.set("a", "b")
    assert shared.get("a") == b"b"


def test_messages() -> None:
    fields = [b"", b"a", bytes(1000)]
    whole = wire.packed(fields)
    assert wire.unpacked(whole[4:]) == fields
    with pytest.raises(ValueError, match="do not add up"):
        wire.unpacked(b"\0\0\0\x09abc")


def test_a_board_serves_one_world() -> None:
    assert mapping(["a", "a", "b"]) == "(vector,(0,1,2),(1,1,1))"
    board = Board(["a"] * 2)
    assert board.answer(0, "cmd=get kvsname=k key=PMI_process_mapping") == [
        (0, "cmd=get_result rc=0 msg=success value=(vector,(0,1,2))")
    ]
    assert "not_found" in board.answer(0, "cmd=get kvsname=k key=x")[0][1]
    assert board.answer(0, "cmd=barrier_in") == []
    assert len(board.answer(1, "cmd=barrier_in")) == 2
    assert Board(["a"]).name != Board(["a"]).name  # two jobs do not share memory


@pytest.mark.parametrize(
    ("url", "error", "text"),
    [
        ("tcp://127.0.0.1:29500", ValueError, "rank parameter missing"),
        ("tcp://127.0.0.1?rank=0&world_size=1", ValueError, "port number missing"),
        ("file:///x?rank=0", ValueError, "world_size parameter missing"),
        ("carrier://pigeon", RuntimeError, "No rendezvous handler for carrier"),
    ],
)
def test_addresses(url: str, error: type[Exception], text: str) -> None:
    with pytest.raises(error, match=text):
        next(iter(rendezvous(url)))


def test_environment(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("RANK", "WORLD_SIZE", "MASTER_ADDR", "MASTER_PORT", "PMI_RANK"):
        monkeypatch.delenv(name, raising=False)
    with pytest.raises(ValueError, match="environment variable RANK expected, but not set"):
        next(iter(rendezvous("env://")))
