"""Nobody outside a job joins it or reads its store: whoever does not know the token gets nothing,
and cannot disturb those who do."""

from __future__ import annotations

import contextlib
import datetime
import importlib.util
import os
import re
import socket
import subprocess
import sys
import threading
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from rushlight.distributed import DistNetworkError, TCPStore, server, tokens, wire
from rushlight.distributed.client import Client

ROOT = Path(__file__).parents[2]
SHORT = datetime.timedelta(seconds=5)


@pytest.fixture
def store() -> TCPStore:
    found = TCPStore("localhost", 0, is_master=True, wait_for_workers=False, timeout=SHORT)
    found.set("secret", "of this job")
    return found


@contextlib.contextmanager
def connection(port: int) -> Iterator[socket.socket]:
    with socket.create_connection(("localhost", port), 10) as sock:
        yield sock


def answer(sock: socket.socket) -> bytes:
    """All that comes until the other side closes."""
    found = b""
    with contextlib.suppress(ConnectionError):
        while part := sock.recv(1 << 16):
            found += part
    return found


GET = wire.packed([b"get", b"1.0", b"secret"])


@pytest.mark.parametrize(
    "said",
    [
        b"GET / HTTP/1.1\r\nHost: localhost\r\n\r\n" * 10,
        os.urandom(10_000),
        bytes(wire.NONCE + wire.PROOF) + GET,
        GET * 10,
        wire.LENGTH.pack(1 << 31) * 50,
    ],
    ids=["http", "noise", "zeros for a proof", "no introduction", "lengths"],
)
def test_garbage_gets_a_random_number_and_no_more(store: TCPStore, said: bytes) -> None:
    with connection(store.port) as sock:
        sock.sendall(said)
        assert len(answer(sock)) in (0, wire.NONCE)
    assert store.get("secret") == b"of this job"


def test_a_proof_is_good_once(store: TCPStore) -> None:
    """What was heard of a member's introduction opens nothing."""
    token = tokens.found(store.port)
    with connection(store.port) as sock:
        theirs, ours = sock.recv(wire.NONCE), bytes(wire.NONCE)
        introduction = ours + wire.proof(token, b"client", theirs, ours)
        sock.sendall(introduction + GET)
        sock.settimeout(10)
        said = b""
        while b"of this job" not in said:
            said += sock.recv(1000)
        assert said.startswith(wire.proof(token, b"server", ours, theirs))
    with connection(store.port) as sock:
        sock.sendall(introduction + GET)
        assert answer(sock)[wire.NONCE :] == b""
    # nor does what the server itself has sent
    with connection(store.port) as sock:
        theirs = sock.recv(wire.NONCE)
        sock.sendall(theirs + wire.proof(token, b"server", theirs, theirs) + GET)
        assert answer(sock) == b""


@pytest.mark.slow
def test_half_a_message(store: TCPStore, monkeypatch: pytest.MonkeyPatch) -> None:
    """Who says half and waits is dropped after a while, and nobody waits for him."""
    monkeypatch.setattr(server, "PATIENCE", 1.0)
    with connection(store.port) as sock:
        sock.sendall(bytes(wire.NONCE + 5))
        began = time.monotonic()
        assert store.get("secret") == b"of this job"
        assert time.monotonic() - began < 0.9
        assert len(answer(sock)) == wire.NONCE
    member = Client("localhost", store.port, tokens.found(store.port), 5.0)
    member.sock.sendall(GET[:-3])
    assert store.get("secret") == b"of this job"
    member.sock.sendall(GET[-3:])
    assert b"of this job" in member.sock.recv(1000)
    member.sock.sendall(wire.LENGTH.pack(wire.LARGEST + 1))
    assert answer(member.sock) == b""  # nobody keeps room for what he says that he will send
    for wrong in ([b"no such"], [b"get"], [b"__init__"], [b"park", b"1", b"2"], [b""]):
        member = Client("localhost", store.port, tokens.found(store.port), 5.0)
        member.sock.sendall(wire.packed(wrong))
        assert b"no such question" in member.sock.recv(1000)
        member.close()


def test_many_strangers(store: TCPStore, monkeypatch: pytest.MonkeyPatch) -> None:
    """They do not take the place, or the descriptors, of those who belong to the job."""
    resource = pytest.importorskip("resource")
    monkeypatch.setattr(server, "STRANGERS", 20)
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    crowd = [socket.create_connection(("localhost", store.port), 10) for _ in range(200)]
    try:
        assert store.get("secret") == b"of this job"
        deadline = time.monotonic() + 10
        while len(store._server.connections) > 30 and time.monotonic() < deadline:
            store.get("secret")
        assert len(store._server.connections) <= 30
        # no descriptor is left: the thread goes on
        resource.setrlimit(resource.RLIMIT_NOFILE, (len(os.listdir("/dev/fd")), hard))
        with contextlib.suppress(OSError):
            crowd.append(socket.socket())
        assert store.get("secret") == b"of this job"
    finally:
        resource.setrlimit(resource.RLIMIT_NOFILE, (soft, hard))
        for sock in crowd:
            sock.close()
    assert store.clone().get("secret") == b"of this job"


def test_a_store_of_a_stranger(monkeypatch: pytest.MonkeyPatch) -> None:
    """Who listens in the place of the job's store learns no token, and is not believed."""
    monkeypatch.setenv(tokens.VARIABLE, "a" * 64)
    heard: list[bytes] = []
    with socket.create_server(("localhost", 0)) as listener:

        def impostor() -> None:
            sock, _ = listener.accept()
            with sock:
                sock.sendall(bytes(wire.NONCE))
                heard.append(sock.recv(1000))
                sock.sendall(bytes(wire.PROOF))
                sock.recv(1)

        thread = threading.Thread(target=impostor)
        thread.start()
        with pytest.raises(DistNetworkError, match="of another job"):
            TCPStore("localhost", listener.getsockname()[1], timeout=SHORT)
        thread.join(10)
    assert b"aaaa" not in heard[0]


def test_where_it_listens_and_where_the_token_stands(store: TCPStore) -> None:
    assert store._server.listener.getsockname()[0] == "127.0.0.1"
    folder = tokens.folder()
    assert folder.stat().st_mode & 0o777 == 0o700
    assert (folder / f"store-{store.port}").stat().st_mode & 0o777 == 0o600


def test_a_folder_of_somebody_else(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(tokens.tempfile, "gettempdir", lambda: str(tmp_path))
    tokens.folder().chmod(0o755)
    with pytest.raises(PermissionError, match="not a folder of this user alone"):
        tokens.folder()


def test_nothing_that_arrives_is_unpickled_but_objects() -> None:
    """`pickle` in the package: of the object collectives, which say so, and of what functions of
    the launcher's own children return. Checkpoints are read by the closed interpreter of
    `serialization`."""
    found = {
        str(p.relative_to(ROOT / "rushlight" / "distributed"))
        for p in (ROOT / "rushlight" / "distributed").rglob("*.py")
        if re.search(r"pickle\.loads?\((?!pickle\.dumps)", p.read_text(encoding="utf-8"))
    }
    assert found <= {"objects.py", "launcher/workers.py"}, found


@pytest.mark.slow
@pytest.mark.skipif(importlib.util.find_spec("mpi4py") is None, reason="mpi4py is not installed")
def test_a_job_among_strangers(tmp_path: Path) -> None:
    """Noise at both of a job's addresses, its store and its book, while it computes; a process that
    guesses the address and the port, but not the token, does not become a rank."""
    script = tmp_path / "train.py"
    script.write_text(
        "import os, socket, subprocess, sys, threading\n"
        "import rushlight as torch, rushlight.distributed as dist\n"
        "dist.init_process_group()\n"
        "rank, world = dist.get_rank(), dist.group.WORLD.world\n"
        "def noise():\n"
        "    ports = [int(os.environ['MASTER_PORT']), world.server.address[1]]\n"
        "    for i in range(200):\n"
        "        with socket.create_connection(('127.0.0.1', ports[i % 2])) as s:\n"
        "            s.sendall(os.urandom(i * 3))\n"
        "if rank == 0:\n"
        "    assert world.server.listener.getsockname()[0] == '127.0.0.1'\n"
        "    thread = threading.Thread(target=noise); thread.start()\n"
        "    env = {**os.environ, 'RUSHLIGHT_JOB_TOKEN': 'b' * 64, 'RANK': '1'}\n"
        "    code = 'import rushlight.distributed as d; d.init_process_group()'\n"
        "    stranger = subprocess.Popen([sys.executable, '-c', code], env=env,\n"
        "        stderr=subprocess.PIPE, text=True)\n"
        "x = torch.ones(3)\n"
        "for _ in range(200): dist.all_reduce(x, dist.ReduceOp.MAX)\n"
        "if rank == 0:\n"
        "    thread.join()\n"
        "    said = stranger.communicate(timeout=60)[1]\n"
        "    assert stranger.returncode == 1 and 'is of another job' in said, said\n"
        "dist.barrier()\n"
        "dist.destroy_process_group()\n"
    )
    done = subprocess.run(
        [sys.executable, "-m", "rushlight.distributed.run", "--nproc-per-node", "2", str(script)],
        cwd=ROOT, env={**os.environ, "PYTHONPATH": str(ROOT)}, capture_output=True, text=True,
        timeout=100, check=False,
    )  # fmt: skip
    assert done.returncode == 0, done.stderr
