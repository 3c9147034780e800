"""The launcher: what processes are given, how they end, restart and are stopped, and how agents of
several machines (here: two on one) meet. Most programs here do not import Rushlight: they start in
no time."""

from __future__ import annotations

import contextlib
import importlib.util
import json
import multiprocessing
import os
import signal
import socket
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

import pytest

from rushlight.distributed import launch, run
from rushlight.distributed.elastic.multiprocessing import DefaultLogsSpecs, Std, to_map
from rushlight.distributed.elastic.multiprocessing.errors import (
    ChildFailedError,
    ProcessFailure,
    record,
)
from rushlight.distributed.elastic.rendezvous import RendezvousTimeoutError
from rushlight.distributed.launcher import workers
from rushlight.distributed.launcher.api import LaunchConfig, elastic_launch
from rushlight.distributed.launcher.nodes import endpoint_of

ROOT = Path(__file__).parents[2]
needs_mpi = pytest.mark.skipif(
    importlib.util.find_spec("mpi4py") is None,
    reason="mpi4py is not installed (pip install 'rushlight[distributed]')",
)
# A program that tells its environment, and fails as its arguments say. Each line is one write: with
# PYTHONUNBUFFERED print writes the end of a line by itself, after a line of another process maybe.
TELLS = """
import json, os, sys, time
count = int(os.environ["TORCHELASTIC_RESTART_COUNT"])
sys.stdout.write(json.dumps({**os.environ, "argv": sys.argv[1:]}) + "\\n")
sys.stdout.flush()
sys.stderr.write(f"an error line {os.environ['LOCAL_RANK']}\\n")
if "kill" in sys.argv and count == 0 and os.environ["RANK"] == "1":
    os.kill(os.getpid(), 9)
if "kill" in sys.argv and count == 0:
    time.sleep(100)
"""


def environment(**more: str) -> dict[str, str]:
    kept = {k: v for k, v in os.environ.items() if k not in ("RANK", "WORLD_SIZE", "MASTER_PORT")}
    return {**kept, "PYTHONPATH": str(ROOT), **more}


def started(*arguments: Any, module: str = "rushlight.distributed.run", **more: str) -> Any:
    return subprocess.Popen(
        [sys.executable, "-m", module, *map(str, arguments)],
        cwd=ROOT, env=environment(**more), text=True,
        stdout=subprocess.PIPE, stderr=subprocess.PIPE,
    )  # fmt: skip


def ended(process: Any, code: int = 0) -> tuple[str, str]:
    out, errors = process.communicate(timeout=100)
    assert process.returncode == code, out + errors
    return out, errors


def told(out: str) -> list[dict[str, Any]]:
    found = [json.loads(line) for line in out.splitlines() if line.startswith("{")]
    return sorted(found, key=lambda e: (e["TORCHELASTIC_RESTART_COUNT"], int(e["RANK"])))


def free_port() -> int:
    with socket.create_server(("127.0.0.1", 0)) as s:
        return int(s.getsockname()[1])


@pytest.fixture
def tells(tmp_path: Path) -> Path:
    path = tmp_path / "tells.py"
    path.write_text(TELLS)
    return path


@pytest.mark.slow
def test_what_processes_are_given(tells: Path) -> None:
    foreign = {"PMI_RANK": "7", "PMI_SIZE": "9"}
    process = started("--nproc_per_node=2", "--role", "trainer", tells, "--lr", "1",
                      OMP_NUM_THREADS="3", PET_RDZV_ID="job", **foreign)  # fmt: skip
    found = told(ended(process)[0])
    assert [e["RANK"] for e in found] == ["0", "1"]
    for i, e in enumerate(found):
        wanted = dict(
            RANK=str(i), LOCAL_RANK=str(i), ROLE_RANK=str(i), GROUP_RANK="0", WORLD_SIZE="2",
            LOCAL_WORLD_SIZE="2", ROLE_WORLD_SIZE="2", GROUP_WORLD_SIZE="1", ROLE_NAME="trainer",
            MASTER_ADDR="localhost", TORCHELASTIC_RESTART_COUNT="0",
            TORCHELASTIC_MAX_RESTARTS="0", TORCHELASTIC_USE_AGENT_STORE="True",
            OMP_NUM_THREADS="3", argv=["--lr", "1"],
        )  # fmt: skip
        assert {k: e[k] for k in wanted} == wanted
        assert int(e["MASTER_PORT"]) > 0
        assert len(e["RUSHLIGHT_JOB_TOKEN"]) == 64
        assert "PMI_RANK" not in e
        assert not os.path.exists(e["TORCHELASTIC_ERROR_FILE"])
        assert not Path(e["TORCHELASTIC_ERROR_FILE"]).parents[3].exists()  # its folder is gone


@pytest.mark.slow
def test_restart_and_logs(tells: Path, tmp_path: Path) -> None:
    """A process that is killed: named, all are started again, and each attempt has its logs."""
    logs = tmp_path / "logs"
    process = started("--nproc-per-node", 2, "--max-restarts", 2, "--log-dir", logs, "-t", 3,
                      "--rdzv-id", "a job", "--rdzv-backend", "c10d", "--rdzv-endpoint",
                      f"127.0.0.1:{free_port()}", "--local-ranks-filter", 1,
                      "--duplicate-stderr-filters", "line 0,no such", tells, "kill")  # fmt: skip
    out, errors = ended(process)
    assert "rank 1 on " in errors
    assert "was ended by SIGKILL; all processes are started again (restart 1 of 2)" in errors
    assert "[default1]:an error line 1" in errors
    assert "error line 0" not in errors
    assert out.startswith("[default1]:{")
    assert "[default0]:" not in out
    (job,) = logs.iterdir()
    assert job.name.startswith("a_job_")
    for attempt in ("attempt_0", "attempt_1"):
        for rank in "01":
            text = (job / attempt / rank / "stdout.log").read_text()
            assert json.loads(text)["RANK"] == rank
    assert (job / "attempt_1" / "filtered_stderr.log").read_text() == "[default0]:an error line 0\n"


@pytest.mark.slow
def test_the_first_failure_is_named(tmp_path: Path) -> None:
    path = tmp_path / "fails.py"
    path.write_text(
        "import os, sys, time\n"
        "from rushlight.distributed.elastic.multiprocessing.errors import record\n"
        "@record\n"
        "def main():\n"
        "    if os.environ['RANK'] == '1': raise ValueError('no such data')\n"
        "    time.sleep(100)\n"
        "main()\n"
    )
    began = time.monotonic()
    _, errors = ended(started("--nproc-per-node", 2, "--log-dir", tmp_path / "logs", path), 1)
    assert time.monotonic() - began < 30
    cause = errors.partition("Root Cause")[2]
    assert f"host      : {socket.gethostname()}" in cause
    assert "rank      : 1 (local_rank: 1)" in cause
    assert "exitcode  : 1 (pid: " in cause
    assert "ValueError: no such data" in cause
    assert "raise ValueError('no such data')" in cause
    file = Path(cause.partition("error_file: ")[2].split("\n")[0])
    assert json.loads(file.read_text())["message"]["message"] == "ValueError: no such data"


@pytest.mark.slow
def test_kinds_of_programs(tells: Path, tmp_path: Path) -> None:
    as_module = started("--standalone", "-m", "tells", "x", PYTHONPATH=f"{ROOT}:{tmp_path}")
    as_path = started("--run-path", tells, "y")
    as_program = started("--no-python", "sh", "-c", "echo $LOCAL_RANK of $LOCAL_WORLD_SIZE")
    old = started(tells, "z", module="rushlight.distributed.launch")
    assert told(ended(as_module)[0])[0]["argv"] == ["x"]
    assert told(ended(as_path)[0])[0]["argv"] == ["y"]
    assert ended(as_program)[0] == "0 of 1\n"
    out, errors = ended(old)
    assert told(out)[0]["argv"] == ["--local-rank=0", "z"]
    assert "torch.distributed.launch is deprecated" in errors


@pytest.mark.slow
def test_two_nodes_by_number(tells: Path) -> None:
    """Ranks go by --node-rank, whichever comes first, and nodes may differ in size."""
    where = ("--nnodes", 2, "--master-addr", "127.0.0.1", "--master-port", free_port())
    second = started(*where, "--node-rank", 1, "--nproc-per-node", 2, tells)
    first = started(*where, "--node-rank", 0, "--nproc-per-node", 1, tells)
    found = told(ended(first)[0]) + told(ended(second)[0])
    keys = ("RANK", "LOCAL_RANK", "GROUP_RANK", "WORLD_SIZE", "GROUP_WORLD_SIZE")
    assert [[e[k] for k in keys] for e in found] == [
        ["0", "0", "0", "3", "2"], ["1", "0", "1", "3", "2"], ["2", "1", "1", "3", "2"],
    ]  # fmt: skip
    assert len({e["RUSHLIGHT_JOB_TOKEN"] for e in found}) == 1


@pytest.mark.slow
def test_two_nodes_restart_together(tells: Path) -> None:
    where = ("--nnodes", "1:2", "--rdzv-backend", "c10d", "--rdzv-endpoint",
             f"127.0.0.1:{free_port()}", "--rdzv-id", "j", "--max-restarts", 1)  # fmt: skip
    both = [started(*where, tells, "kill") for _ in range(2)]
    found = [ended(p) for p in both]
    every = sorted((e for out, _ in found for e in told(out)),
                   key=lambda e: (e["TORCHELASTIC_RESTART_COUNT"], e["RANK"]))  # fmt: skip
    assert [(e["TORCHELASTIC_RESTART_COUNT"], e["RANK"]) for e in every] == [
        ("0", "0"), ("0", "1"), ("1", "0"), ("1", "1"),
    ]  # fmt: skip
    for _, errors in found:
        assert "rank 1 on " in errors
        assert "was ended by SIGKILL" in errors


@pytest.mark.slow
def test_a_failure_on_another_node_ends_this_one(tells: Path) -> None:
    where = ("--nnodes", 2, "--rdzv-backend", "c10d", "--rdzv-endpoint",
             f"127.0.0.1:{free_port()}")  # fmt: skip
    for process in [started(*where, tells, "kill") for _ in range(2)]:
        _, errors = ended(process, 1)
        cause = errors.partition("Root Cause")[2]
        assert "rank      : 1 (local_rank: 0)" in cause
        assert "(SIGKILL)" in cause


@pytest.mark.slow
def test_an_agent_that_is_gone(tells: Path) -> None:
    """Its node's processes end; the others go on without it, or end when they are too few."""
    where = ("--nnodes", "1:2", "--rdzv-backend", "c10d", "--rdzv-endpoint",
             f"127.0.0.1:{free_port()}", "--max-restarts", 1)  # fmt: skip
    waits = "import os, time\nprint(os.environ['WORLD_SIZE'], flush=True)\n" \
            "time.sleep(100 * (os.environ['WORLD_SIZE'] == '2'))"  # fmt: skip
    first = started(*where, "--rdzv-conf", "is_host=1", "--no-python", sys.executable, "-c", waits)
    second = started(*where, "--rdzv-conf", "is_host=0", "--no-python", sys.executable, "-c", waits)
    assert second.stdout.readline() == "2\n"
    second.kill()
    out, errors = ended(first)
    assert out == "2\n1\n"
    assert "the agent on " in errors
    assert "is gone; all processes are started again (restart 1 of 1)" in errors
    second.communicate(timeout=100)  # what the guardian of its processes ends, on a busy machine


@pytest.mark.slow
def test_a_node_that_comes_later(tmp_path: Path) -> None:
    """All start again among more ranks, which is no failure; when the agent that keeps the store is
    killed, the other one ends."""
    where = ("--nnodes", "1:2", "--rdzv-backend", "c10d", "--rdzv-endpoint",
             f"127.0.0.1:{free_port()}")  # fmt: skip
    code = "import os, time\nprint(os.environ['WORLD_SIZE'], flush=True)\ntime.sleep(100)"
    waits = ("--no-python", sys.executable, "-c", code)
    first = started(*where, "--rdzv-conf", "is_host=1,last_call_timeout=0.1", *waits)
    assert first.stdout.readline() == "1\n"
    second = started(*where, "--rdzv-conf", "is_host=0", *waits)
    assert second.stdout.readline() == "2\n"
    assert first.stdout.readline() == "2\n"
    first.kill()
    _, errors = ended(second, 1)
    assert "the agent that keeps the job's store is gone, and the job with it" in errors
    assert "a node has joined; all processes are started again\n" in first.communicate(10)[1]


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGINT])
@pytest.mark.slow
def test_signals_are_passed_on(tmp_path: Path, number: signal.Signals) -> None:
    path = tmp_path / "waits.py"
    path.write_text(
        "import os, signal, subprocess, sys, time\n"
        # not print: the signal may come while the line below is being printed
        "def handle(n, frame):\n    os.write(1, b'got %d\\n' % n); sys.exit(3)\n"
        f"signal.signal({int(number)}, handle)\n"
        "child = subprocess.Popen(['sleep', '100'])\n"
        "print('there', child.pid, flush=True)\ntime.sleep(100)\n"
    )
    process = started("--nproc-per-node", 1, path)
    child = int(process.stdout.readline().split()[1])
    process.send_signal(number)
    out, errors = ended(process, 128 + number)
    assert out == f"got {int(number)}\n"
    assert f"{number.name} was passed on" in errors
    deadline = time.monotonic() + 10
    while os.path.exists(f"/proc/{child}") and time.monotonic() < deadline:
        time.sleep(0.05)
    assert not os.path.exists(f"/proc/{child}")  # what a process has started ends with it


@pytest.mark.slow
def test_a_signal_while_processes_are_being_started(tmp_path: Path) -> None:
    waits, there = tmp_path / "waits.py", tmp_path / "there"
    waits.write_text(
        "import os, pathlib, signal, sys, time\n"
        "def handle(n, frame):\n    os.write(1, b'got %d\\n' % n); sys.exit(3)\n"
        "signal.signal(signal.SIGTERM, handle)\n"
        f"pathlib.Path({str(there)!r}).touch()\ntime.sleep(100)\n"
    )
    launcher = tmp_path / "launcher.py"
    launcher.write_text(
        "import os, signal, sys, time\n"
        "from rushlight.distributed import run\n"
        "from rushlight.distributed.launcher.workers import Workers\n"
        "def follow(*_):\n"
        f"    while not os.path.exists({str(there)!r}): time.sleep(0.01)\n"
        "    os.kill(os.getpid(), signal.SIGTERM)\n"
        "Workers._follow = follow\n"
        "sys.exit(run.main(sys.argv[1:]))\n"
    )
    done = subprocess.run(
        [sys.executable, launcher, "--nproc-per-node", "1", waits],
        cwd=ROOT, env=environment(PYTHONPATH=str(ROOT)), text=True, capture_output=True,
        check=False,
    )  # fmt: skip
    assert done.returncode == 128 + signal.SIGTERM, done.stderr
    assert done.stdout == "got 15\n"


def worker(x: int) -> int:
    rank = int(os.environ["RANK"])
    if x < 0 and rank == 1:
        raise ValueError("negative")
    return x + rank


def config(**more: Any) -> LaunchConfig:
    given: dict[str, Any] = {"rdzv_backend": "c10d", "rdzv_endpoint": "localhost:0",
                             "start_method": "fork", "max_restarts": 0, **more}  # fmt: skip
    return LaunchConfig(1, 1, 2, **given)


@pytest.mark.filterwarnings("ignore:This process:DeprecationWarning")  # that it has threads
def test_functions() -> None:
    assert elastic_launch(config(), worker)(5) == {0: 5, 1: 6}
    with pytest.raises(ChildFailedError, match="ValueError: negative") as info:
        elastic_launch(config(), worker)(-1)
    rank, failure = info.value.get_first_failure()
    assert (rank, failure.local_rank, failure.exitcode) == (1, 1, 1)
    assert "in worker" in failure.text()


class Taken:
    """A process whose status another thread has taken, and notes after a while, or keeps."""

    def __init__(self, code: int | None) -> None:
        self.pid, self.code, self.asked = 0, code, 0

    def start(self) -> None:
        self.pid = os.fork()
        if self.pid == 0:
            os._exit(self.code or 0)

    def join(self) -> None:
        with contextlib.suppress(ChildProcessError):
            os.waitpid(self.pid, 0)

    @property
    def exitcode(self) -> int | None:
        self.asked += 1
        return self.code if self.asked > 3 else None


@pytest.mark.skipif(not hasattr(os, "fork"), reason="needs os.fork")
@pytest.mark.filterwarnings("ignore:This process:DeprecationWarning")
@pytest.mark.parametrize(
    ("noted", "result", "code"), [(0, False, 0), (3, True, 3), (None, True, 0), (None, False, 1)]
)
def test_a_status_that_another_thread_has_taken(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path, noted: int | None, result: bool, code: int
) -> None:
    """multiprocessing asks for those of all processes whenever one is started."""

    class Context:
        def Process(self, **_: Any) -> Taken:
            return Taken(noted)

    monkeypatch.setattr(multiprocessing, "get_context", lambda _: Context())
    monkeypatch.setattr(workers, "GRACE", 0.1)
    logs = DefaultLogsSpecs(str(tmp_path)).reify({0: {}})
    started = workers.Workers(worker, {0: (5,)}, {0: {}}, logs, "fork", {0: ""})
    if result:
        Path(started.results[0]).write_bytes(b"")
    started.start()
    assert started.ended.get(timeout=10) == workers.Ended(0, code)


def test_too_few_nodes() -> None:
    c = LaunchConfig(2, 2, 1, rdzv_backend="c10d", rdzv_endpoint="127.0.0.1:0",
                     rdzv_configs={"timeout": 0.3})  # fmt: skip
    with pytest.raises(RendezvousTimeoutError, match=r"1 of 2 nodes have come within 0\.3 s"):
        elastic_launch(c, worker)(1)


@pytest.mark.parametrize(
    ("arguments", "error", "text"),
    [
        (["--nproc-per-node", "gpu"], ValueError, "Cuda is not available"),
        (["--nproc-per-node", "many"], ValueError, "Unsupported nproc_per_node value: many"),
        (["--nproc-per-node", "0"], ValueError, "at least 1"),
        (["--nnodes", "1:2:3"], RuntimeError, 'not in "MIN:MAX" format'),
        (["--nnodes", "3:2"], AssertionError, "min_nodes=3, max_nodes=2"),
        (["--max-restarts", "-1"], AssertionError, "max_restarts must be >= 0"),
        (["--no-python", "-m"], ValueError, "same time"),
        (["--local-ranks-filter", "a"], ValueError, "comma-separated list of integers"),
        (["-r", "7"], ValueError, "7 does not match"),
        (["--rdzv-backend", "etcd"], ValueError, "backend 'etcd' is not registered"),
        (["--rdzv-conf", "x"], ValueError, "must be in format"),
        (["--rdzv-conf", "speed=1"], ValueError, "unknown speed"),
        (["--nnodes", "2", "--node-rank", "2"], ValueError, "not one of the 2 nodes"),
        (["--signals-to-handle", "SIGWHAT"], ValueError, "no signal SIGWHAT"),
        (["--numa-binding", "node"], NotImplementedError, "numactl"),
        (["--event-log-handler", "console"], NotImplementedError, "event_log_handler"),
        (["--rdzv-endpoint", "a:b", "--rdzv-backend", "c10d"], ValueError, "must be an integer"),
    ],
)  # fmt: skip
def test_options_that_make_no_sense(arguments: list[str], error: Any, text: str) -> None:
    with pytest.raises(error, match=text):
        run.run(run.parse_args([*arguments, "x.py"]))


def test_options(monkeypatch: pytest.MonkeyPatch) -> None:
    args = run.parse_args(["--nproc_per_node", "auto", "--max-restarts=3", "x.py", "-m", "y"])
    found, entry, arguments = run.config_from_args(args)
    from rushlight.config import available_cores

    assert found.nproc_per_node == available_cores()
    assert (found.max_restarts, entry) == (3, sys.executable)
    assert arguments == ["-u", "x.py", "-m", "y"]
    monkeypatch.setenv("PET_NNODES", "2:3")
    monkeypatch.setenv("PET_MODULE", "1")
    found, _, arguments = run.config_from_args(run.parse_args(["x"]))
    assert (found.min_nodes, found.max_nodes, arguments) == (2, 3, ["-u", "-m", "x"])
    with pytest.raises(ValueError, match="you must also set the '--use-env' flag"):
        launch.launch(launch.parse_args(["--no-python", "x"]))
    assert endpoint_of("[::1]:29500") == ("::1", 29500)
    assert Std.from_str("0:1,1:2") == {0: Std.OUT, 1: Std.ERR}
    assert to_map({1: Std.ERR}, 2) == {0: Std.NONE, 1: Std.ERR}
    with pytest.raises(NotADirectoryError):
        DefaultLogsSpecs(__file__)


def test_names_where_programs_look_for_them() -> None:
    from rushlight.distributed.elastic.multiprocessing import SignalException
    from rushlight.distributed.elastic.multiprocessing import api as streams
    from rushlight.distributed.elastic.rendezvous import api as meeting
    from rushlight.distributed.elastic.utils.distributed import get_free_port

    assert streams.SignalException is SignalException
    assert meeting.RendezvousTimeoutError is RendezvousTimeoutError
    with socket.create_server(("localhost", get_free_port())):
        pass
    with pytest.raises(NotImplementedError, match="elastic_launch"):
        streams.start_processes()
    with pytest.raises(NotImplementedError, match="c10d or static"):
        meeting.RendezvousParameters()


def test_record(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = tmp_path / "error.json"
    monkeypatch.setenv("TORCHELASTIC_ERROR_FILE", str(path))

    @record
    def fails() -> None:
        raise KeyError("missing")

    with pytest.raises(KeyError):
        fails()
    failure = ProcessFailure(0, 12, 1, str(path))
    assert failure.message["message"] == "KeyError: 'missing'"
    assert "in fails" in failure.text()
    killed = ProcessFailure(1, 13, -9, str(tmp_path / "none"))
    assert killed.message == "Signal 9 (SIGKILL) received by PID 13"
    error = ChildFailedError("train.py", {1: killed, 0: failure})
    assert "train.py FAILED" in str(error)

    @record
    def nanny() -> None:  # writes its child's error as its own
        raise ChildFailedError("train.py", {0: failure})

    other = tmp_path / "parent.json"
    monkeypatch.setenv("TORCHELASTIC_ERROR_FILE", str(other))
    with pytest.raises(ChildFailedError):
        nanny()
    assert json.loads(other.read_text())["message"]["errorCode"] == 1


@needs_mpi
@pytest.mark.slow
def test_the_drop_ins_children(tmp_path: Path) -> None:
    """A program under the drop-in starts torchrun's module, whose processes meet."""
    path = tmp_path / "train.py"
    path.write_text(
        "import torch, torch.distributed as dist\n"
        "dist.init_process_group('gloo')\n"
        "x = torch.ones(1)\n"
        "dist.all_reduce(x)\n"
        "assert dist.is_torchelastic_launched()\n"
        "if dist.get_rank() == 0: print(x.item(), torch.__file__)\n"
        "dist.destroy_process_group()\n"
    )
    code = (
        "import subprocess, sys\nsubprocess.run([sys.executable, '-m', "
        f"'torch.distributed.run', '--nproc-per-node', '2', {str(path)!r}], check=True)"
    )
    process = started("-c", code, module="rushlight")
    assert ended(process)[0] == f"2.0 {ROOT / 'rushlight' / '__init__.py'}\n"
