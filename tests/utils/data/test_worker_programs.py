"""Whole programs with workers: unguarded ones, interrupted ones, ones that end too early."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import textwrap
import time
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[3]
posix = pytest.mark.skipif(sys.platform == "win32", reason="POSIX signals and fork")


def program(tmp_path: Path, text: str) -> list[str]:
    path = tmp_path / "program.py"
    path.write_text(textwrap.dedent(text), encoding="utf-8")
    return [sys.executable, "-W", "error", "-X", "faulthandler", str(path)]


def environment() -> dict[str, str]:
    return {**os.environ, "PYTHONPATH": str(ROOT), "OMP_NUM_THREADS": "1"}


def run(tmp_path: Path, text: str, code: int = 0) -> tuple[str, str]:
    """What a program printed, and wrote to stderr; it must end by itself."""
    done = subprocess.run(
        program(tmp_path, text),
        env=environment(),
        cwd=tmp_path,
        capture_output=True,
        text=True,
        timeout=120,
        check=False,
    )
    assert done.returncode == code, done.stderr
    return done.stdout, done.stderr


DATA = """
import os, sys, time
import rushlight as torch
from rushlight.utils.data import DataLoader, Dataset, TensorDataset, get_worker_info

class Mine(Dataset):
    def __len__(self):
        return 8
    def __getitem__(self, i):
        return torch.full((1000,), float(i)), os.getpid()
"""


@pytest.mark.slow
def test_a_guarded_program_with_its_own_data_set(tmp_path: Path) -> None:
    text = (
        DATA
        + """
FLAG = "set at the top"

class Flagged(Mine):
    def __getitem__(self, i):
        return i, FLAG, get_worker_info().id

if __name__ == "__main__":
    for i, flag, worker in DataLoader(Flagged(), batch_size=4, num_workers=2):
        print(i.tolist(), flag[0], worker.tolist())
    assert "forkserver" not in sys.modules
"""
    )
    out, err = run(tmp_path, text)
    assert out == (
        "[0, 1, 2, 3] set at the top [0, 0, 0, 0]\n[4, 5, 6, 7] set at the top [1, 1, 1, 1]\n"
    )
    assert err == ""


@pytest.mark.slow
@posix
def test_an_unguarded_program_runs_once(tmp_path: Path) -> None:
    text = (
        DATA
        + """
print("begin")
total = sum(x.sum().item() for x, pid in DataLoader(Mine(), batch_size=2, num_workers=2))
print(total)
plain = DataLoader(TensorDataset(torch.arange(6)), batch_size=3, num_workers=2)
print([x.tolist() for x, in plain])
"""
    )
    out, err = run(tmp_path, text)
    assert out == "begin\n28000.0\n[[0, 1, 2], [3, 4, 5]]\n"
    assert err == ""


@pytest.mark.slow
def test_a_loader_made_above_the_guard(tmp_path: Path) -> None:
    """Where a worker imports the program, the loader is made again; only its use is guarded."""
    text = (
        DATA
        + """
loader = DataLoader(Mine(), batch_size=4, num_workers=2)
plain = DataLoader(TensorDataset(torch.arange(6)), batch_size=3, num_workers=2)

def main():
    print(sum(x.sum().item() for x, pid in loader))
    print([x.tolist() for x, in plain])

if __name__ == "__main__":
    main()
"""
    )
    out, err = run(tmp_path, text)
    assert out == "28000.0\n[[0, 1, 2], [3, 4, 5]]\n"
    assert err == ""


@posix
@pytest.mark.slow
def test_a_guard_that_is_about_something_else(tmp_path: Path) -> None:
    """Work at the top level runs once, though the program has a guard further down."""
    text = (
        DATA
        + """
print("begin")
loader = DataLoader(Mine(), batch_size=4, num_workers=2)
print(sum(x.sum().item() for x, pid in loader))

if __name__ == "__main__":
    print("end", sum(x.sum().item() for x, pid in loader))
"""
    )
    out, err = run(tmp_path, text)
    assert out.startswith("begin\n28000.0\n")
    assert out.endswith("end 28000.0\n")
    assert err == ""


def test_an_unguarded_program_that_insists_is_told(tmp_path: Path) -> None:
    text = (
        DATA
        + """
print("begin")
for batch in DataLoader(Mine(), num_workers=1, multiprocessing_context="spawn"):
    print("never")
"""
    )
    out, err = run(tmp_path, text, code=1)
    assert out == "begin\n"
    assert "bootstrapping" in err
    assert '`if __name__ == "__main__":`' in err


@pytest.mark.slow
def test_data_of_a_notebook(tmp_path: Path) -> None:
    """The main program has no file: as in a notebook, or with `python -c`."""
    if sys.platform in ("win32", "darwin"):
        pytest.skip("no fork here")
    text = DATA + "print(len(list(DataLoader(Mine(), num_workers=2))))"
    command = [sys.executable, "-W", "error", "-c", text]
    done = subprocess.run(
        command, env=environment(), capture_output=True, text=True, timeout=120, check=True
    )
    assert (done.stdout, done.stderr) == ("8\n", "")


@pytest.mark.parametrize("kind", ["", 'worker_method="thread"', "persistent_workers=True"])
@pytest.mark.parametrize("end", ["sys.exit(0)", "raise SystemExit(0)", "pass"])
@pytest.mark.slow
def test_a_program_that_ends_in_the_middle_of_a_pass(tmp_path: Path, kind: str, end: str) -> None:
    text = (
        DATA
        + f"""
if __name__ == "__main__":
    loader = DataLoader(Mine(), num_workers=2, {kind})
    passing = iter(loader)
    x, pid = next(passing)
    print(x[0, 0].item())
    {end}
"""
    )
    out, err = run(tmp_path, text)
    assert out == "0.0\n"
    assert err == ""


@pytest.mark.slow
def test_an_unguarded_program_that_insists_and_may(tmp_path: Path) -> None:
    """Its data set is not defined in it, so workers need not import it."""
    text = (
        DATA
        + """
print("begin")
plain = DataLoader(
    TensorDataset(torch.arange(4)), batch_size=2, num_workers=1, multiprocessing_context="spawn"
)
print([x.tolist() for x, in plain])
"""
    )
    assert run(tmp_path, text) == ("begin\n[[0, 1], [2, 3]]\n", "")


@pytest.mark.slow
@posix
def test_an_error_in_the_loop(tmp_path: Path) -> None:
    text = (
        DATA
        + """
if __name__ == "__main__":
    for x, pid in DataLoader(Mine(), num_workers=2):
        raise LookupError("mine")
"""
    )
    _, err = run(tmp_path, text, code=1)
    assert err.count("Traceback") == 1
    assert err.endswith("LookupError: mine\n")


SLOW = (
    DATA
    + """
class Slow(Mine):
    def __getitem__(self, i):
        if i > 1:
            time.sleep(60)
        return i, os.getpid()

if __name__ == "__main__":
    for i, pid in DataLoader(Slow(), num_workers=2, KIND):
        print(pid.item(), flush=True)
"""
)


def _gone(pids: list[int]) -> bool:
    """Whether all these processes end within half a minute."""
    for _ in range(300):
        if not any(_runs(pid) for pid in pids):
            return True
        time.sleep(0.1)
    return False


def _runs(pid: int) -> bool:
    try:
        state = Path(f"/proc/{pid}/stat").read_text(encoding="ascii").rpartition(")")[2].split()[0]
        return state != "Z"
    except OSError:
        try:
            os.kill(pid, 0)
        except OSError:
            return False
        return not Path("/proc/self/stat").exists()


@posix
@pytest.mark.parametrize(  # (Ctrl-C lets workers end what they have begun, for five seconds)
    "how", [pytest.param("SIGINT", marks=pytest.mark.long), "SIGTERM", "SIGKILL"]
)
@pytest.mark.parametrize("kind", ["", 'multiprocessing_context="fork"'])
@pytest.mark.slow
def test_workers_end_with_a_parent_that_is_stopped(tmp_path: Path, how: str, kind: str) -> None:
    parent = subprocess.Popen(
        program(tmp_path, SLOW.replace("KIND", kind)),
        env=environment(),
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        start_new_session=True,
    )
    assert parent.stdout is not None
    pids = [int(parent.stdout.readline()) for _ in range(2)]
    assert len(set(pids)) == 2
    if how == "SIGINT":  # Ctrl-C reaches the whole group
        os.killpg(parent.pid, signal.SIGINT)
    else:
        parent.send_signal(getattr(signal, how))
    _, err = parent.communicate(timeout=60)
    if how == "SIGINT":
        assert err.count("Traceback") == 1
        assert err.rstrip().endswith("KeyboardInterrupt")
    else:
        assert err == ""
    assert _gone(pids)


@posix
@pytest.mark.parametrize("kind", ["", 'multiprocessing_context="fork"', "persistent_workers=True"])
@pytest.mark.slow
def test_idle_workers_end_with_a_parent_that_is_killed(tmp_path: Path, kind: str) -> None:
    text = (
        DATA
        + f"""
if __name__ == "__main__":
    passing = iter(DataLoader(Mine(), num_workers=2, {kind}))
    for _ in range(2):
        print(next(passing)[1].item(), flush=True)
    sys.stdin.read()
"""
    )
    parent = subprocess.Popen(
        program(tmp_path, text),
        env=environment(),
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )
    assert parent.stdout is not None
    pids = [int(parent.stdout.readline()) for _ in range(2)]
    parent.kill()
    parent.communicate(timeout=60)
    assert _gone(pids)


@pytest.mark.slow
def test_workers_know_torch_where_the_parent_does(tmp_path: Path) -> None:
    text = """
    import torch
    from torch.utils.data import DataLoader, Dataset

    class Mine(Dataset):
        def __len__(self):
            return 4
        def __getitem__(self, i):
            import torch as again
            assert again is torch
            return torch.tensor(i), torch.__name__

    if __name__ == "__main__":
        for x, name in DataLoader(Mine(), batch_size=2, num_workers=2):
            print(type(x).__module__, x.tolist(), name)
    """
    command = program(tmp_path, text)
    command[-1:] = ["-m", "rushlight", command[-1]]
    done = subprocess.run(
        command,
        env=environment(),
        cwd=tmp_path,
        capture_output=True,
        text=True,
        timeout=120,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    assert done.stdout == (
        "torch [0, 1] ('torch', 'torch')\ntorch [2, 3] ('torch', 'torch')\n"
    )
