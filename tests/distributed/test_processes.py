"""Programs of several processes: every collective on 1 to 4 ranks, and what is said of faults."""

from __future__ import annotations

import importlib.util
import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

PROGRAMS = Path(__file__).parent / "programs"
ROOT = Path(__file__).parents[2]

pytestmark = [
    pytest.mark.collectives,
    pytest.mark.skipif(
        importlib.util.find_spec("mpi4py") is None,
        reason="mpi4py is not installed (pip install 'rushlight[distributed]')",
    ),
]


def ran(*command: str, **more: str) -> str:
    environment = {
        k: v for k, v in os.environ.items() if k not in ("RANK", "WORLD_SIZE", "MASTER_PORT")
    }
    done = subprocess.run(
        [*command],
        cwd=ROOT,
        env={**environment, "PYTHONPATH": str(ROOT), "OMP_NUM_THREADS": "1", **more},
        capture_output=True,
        text=True,
        timeout=200,
        check=False,
    )
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout


def program(name: str, *arguments: str) -> str:
    return ran(sys.executable, str(PROGRAMS / name), *arguments)


@pytest.mark.parametrize("ranks", [1, 2, 3, 4])
def test_every_collective(ranks: int) -> None:
    assert program("collectives.py", str(ranks), "file") == f"well {ranks}\n"


@pytest.mark.slow
@pytest.mark.parametrize(
    ("ranks", "way"),
    [(2, "messages"), (3, "messages"), pytest.param(3, "chunks", marks=pytest.mark.long)],
)
def test_other_ways_of_arrays(ranks: int, way: str) -> None:
    """The messages of several machines, and arrays that are larger than the shared memory."""
    assert program("collectives.py", str(ranks), "file", way) == f"well {ranks}\n"


@pytest.mark.slow
def test_what_else_looks_on() -> None:
    """The profiler shows collectives and their bytes; what is compiled calls them each time."""
    assert program("together.py", "2") == "well 2\n"


# Three minutes of waiting for what must not hang: 2 and 4 ranks where they are asked for, by hand.
MANY = bool(os.environ.get("RUSHLIGHT_TEST_FAULTS"))


@pytest.mark.long
@pytest.mark.parametrize("ranks", [2, 3, 4] if MANY else [3])
def test_faults_are_named(ranks: int) -> None:
    """Every kind of fault (programs/faults.py): all other ranks name who it was, and where."""
    assert program("faults.py", str(ranks)).splitlines()[-1] == "left []"


@pytest.mark.slow
def test_environment_and_threads(tmp_path: Path) -> None:
    """Two processes started one by one, as a tutorial's script; cores are divided among them."""
    script = tmp_path / "train.py"
    script.write_text(
        "import os, rushlight as torch, rushlight.distributed as dist\n"
        "dist.init_process_group()\n"
        "x = torch.ones(2) * (dist.get_rank() + 1)\n"
        "dist.all_reduce(x)\n"
        "print(dist.get_rank(), x.tolist(), dist.is_initialized())\n"
    )
    import socket

    with socket.create_server(("127.0.0.1", 0)) as s:
        port = s.getsockname()[1]
    started = [
        subprocess.Popen(
            [sys.executable, str(script)],
            cwd=ROOT,
            env={
                **os.environ, "RANK": str(r), "WORLD_SIZE": "2", "MASTER_ADDR": "127.0.0.1",
                "MASTER_PORT": str(port), "PYTHONPATH": str(ROOT),
            },
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
        )
        for r in range(2)
    ]  # fmt: skip
    for r, process in enumerate(started):
        out, errors = process.communicate(timeout=100)
        assert out == f"{r} [3.0, 3.0] True\n", out + errors


@pytest.mark.slow
@pytest.mark.skipif(shutil.which("mpiexec", path=str(Path(sys.executable).parent)) is None,
                    reason="there is no mpiexec beside this Python")  # fmt: skip
def test_mpiexec(tmp_path: Path) -> None:
    script = tmp_path / "train.py"
    script.write_text(
        "import rushlight as torch, rushlight.distributed as dist\n"
        "dist.init_process_group('mpi')\n"
        "x = torch.ones(1)\n"
        "dist.all_reduce(x)\n"
        "if dist.get_rank() == 0: print(x.item(), dist.get_world_size())\n"
        "dist.destroy_process_group()\n"
    )
    mpiexec = str(Path(sys.executable).with_name("mpiexec"))
    assert ran(mpiexec, "-n", "3", sys.executable, str(script)) == "3.0 3\n"


@pytest.mark.slow
def test_a_rank_that_never_comes_is_named(tmp_path: Path) -> None:
    said = ran(
        sys.executable, "-c",
        "import datetime, rushlight.distributed as dist\n"
        "try:\n"
        f"    dist.init_process_group(init_method='file://{tmp_path}/meet', rank=0, world_size=3,\n"
        "        timeout=datetime.timedelta(seconds=1))\n"
        "except dist.DistBackendError as error:\n"
        "    print(error)\n",
    )  # fmt: skip
    assert "2 of 3 ranks have not come within 1 s" in said
    assert "missing: rank 1, 2" in said


def test_without_mpi_the_error_names_the_extra() -> None:
    said = ran(
        sys.executable, "-c",
        "import sys; sys.modules['mpi4py'] = None\n"
        "import rushlight.distributed as dist\n"
        "try:\n"
        "    dist.init_process_group(init_method='tcp://127.0.0.1:1', rank=0, world_size=1)\n"
        "except ImportError as error:\n"
        "    print(error)\n",
    )  # fmt: skip
    assert "pip install 'rushlight[distributed]'" in said
