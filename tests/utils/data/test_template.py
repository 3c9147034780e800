"""Programs whose workers are forked from a process that has imported the main program once."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from pathlib import Path

import pytest
from test_worker_programs import DATA, _gone, environment, program, run

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="the template is for Linux")

COUNTED = (
    DATA
    + """
import builtins, multiprocessing, signal, socket, subprocess, threading
from pathlib import Path

IMPORTS = Path("imports")
with IMPORTS.open("a") as file:
    file.write("x")

def imports():
    return len(IMPORTS.read_text())

def passes(n=3, **options):
    loader = DataLoader(Mine(), batch_size=4, num_workers=2, **options)
    return sum(x.sum().item() for _ in range(n) for x, pid in loader)

QUIET = {"stdout": subprocess.DEVNULL, "stderr": subprocess.DEVNULL}

def of_this_program():
    from rushlight.utils.data._utils import template
    return template._current
"""
)
ONCE = 1 + 1  # the program itself, and its template
EACH = 1 + 1 + 3 * 2  # and two workers in each of three passes


@pytest.mark.slow
def test_the_main_program_is_imported_once_for_all_workers(tmp_path: Path) -> None:
    text = (
        COUNTED
        + """
if __name__ == "__main__":
    print(passes(), imports())
    print(passes(1, persistent_workers=True), imports())
    print([x.tolist() for x, in DataLoader(TensorDataset(torch.arange(2)), num_workers=1)])
    print(imports(), of_this_program().fault == "")
"""
    )
    out, err = run(tmp_path, text)
    assert (out, err) == (f"84000.0 {ONCE}\n28000.0 {ONCE}\n[[0], [1]]\n{ONCE} True\n", "")


@pytest.mark.slow
def test_a_program_that_is_run_as_a_module(tmp_path: Path) -> None:
    text = COUNTED + "\nif __name__ == '__main__':\n    print(passes(), imports())\n"
    command = program(tmp_path, text)
    command[-1:] = ["-m", "program"]
    env = {**environment(), "PYTHONPATH": f"{environment()['PYTHONPATH']}{os.pathsep}{tmp_path}"}
    told = subprocess.run(
        command, env=env, cwd=tmp_path, capture_output=True, text=True, timeout=120, check=True
    )
    assert (told.stdout, told.stderr) == (f"84000.0 {ONCE}\n", "")


@pytest.mark.slow
def test_nothing_of_a_worker_is_left_in_those_of_the_next_pass(tmp_path: Path) -> None:
    text = (
        COUNTED
        + """
import random
import numpy as np
SEEN = []

def begin(i):
    with open("begun", "a") as file:
        file.write(f"{i}")

class Draws(Mine):
    told = 0
    def __getitem__(self, i):
        SEEN.append(i)
        self.told += 1
        os.environ["LEFT"] = os.environ.get("LEFT", "") + "x"
        drawn = random.random(), np.random.rand(), torch.rand(()).item()
        return (len(SEEN), self.told, len(os.environ["LEFT"]), os.getpid(), *drawn)

def together(batch):
    return batch

if __name__ == "__main__":
    drawn = []
    for method in (None, "forkserver"):  # Python's own, to which nothing is handed down
        torch.manual_seed(0)
        loader = DataLoader(Draws(), 4, num_workers=2, worker_init_fn=begin,
                            collate_fn=together, multiprocessing_context=method)
        passed = [[row for batch in loader for row in batch] for _ in range(2)]
        for rows in passed:
            assert [row[:3] for row in rows] == 2 * [(k, k, k) for k in (1, 2, 3, 4)], rows
        drawn.append([row[4:] for rows in passed for row in rows])
        print(len({row[3] for rows in passed for row in rows}))
    assert drawn[0] == drawn[1]
    print(sorted(Path("begun").read_text()))
    print(of_this_program().fault == "")
"""
    )
    out, err = run(tmp_path, text)
    assert (out, err) == (f"4\n4\n{sorted('01' * 4)}\nTrue\n", "")


@pytest.mark.slow
@pytest.mark.parametrize("more", ["", "TABLE = open(__file__)"])
def test_what_the_import_prints_and_leaves_for_the_end(tmp_path: Path, more: str) -> None:
    """Of the processes of a program only itself runs what it has registered for its exit."""
    text = f"""
{COUNTED}
import atexit, io
sys.stdout = io.TextIOWrapper(open(1, "wb", buffering=1 << 13, closefd=False))
sys.stdout.write("top\\n")  # it is still to be written out when the workers are forked
atexit.register(sys.stdout.write, "bye\\n")
{more}
if __name__ == '__main__':
    print(passes(1), 'end')
    if "TABLE" in globals():
        TABLE.close()
"""
    out, _ = run(tmp_path, text)
    imports = 1 + 1 + 2 * bool(more)
    assert sorted(out.split()) == sorted(["28000.0", "end", "bye", *["top"] * imports])


@pytest.mark.parametrize(
    ("top", "wanted"),
    [
        ("threading.Thread(target=time.sleep, args=(30,), daemon=True).start()", "started threads"),
        ("import _thread; _thread.start_new_thread(time.sleep, (30,))", "library of the main"),
        ("TABLE = open(__file__)", "opened files"),
        pytest.param("WIRE = socket.socketpair()", "or connections", marks=pytest.mark.long),
        ("CHILD = subprocess.Popen(['sleep', '9'], **QUIET)", "started processes"),
        ("if __name__ != '__main__': 1 / 0", None),
        pytest.param("if __name__ != '__main__': os._exit(3)", None, marks=pytest.mark.long),
    ],
)
@pytest.mark.slow
def test_a_program_that_cannot_be_forked_is_imported_by_each_worker(
    tmp_path: Path, top: str, wanted: str | None
) -> None:
    text = f"""
{COUNTED}
{top}
if __name__ == "__main__":
    print(passes(), imports())
    print(of_this_program().fault)
    if "CHILD" in globals():
        CHILD.kill()
"""
    if wanted is None:  # it cannot be imported at all, and the workers say so
        out, err = run(tmp_path, text, code=1)
        assert out == ""
        assert "exited unexpectedly" in err
        assert err.count("ZeroDivisionError: division by zero") == (2 if "1 / 0" in top else 0)
        return
    command = program(tmp_path, text)
    command[1:3] = []  # without -W error: an open file or a child that is left is not the question
    told = subprocess.run(
        command,
        env=environment(),
        cwd=tmp_path,
        stdout=subprocess.PIPE,
        text=True,
        timeout=120,
        check=True,
    )
    assert told.stdout.startswith(f"84000.0 {EACH}\n")
    assert wanted in told.stdout


@pytest.mark.slow
def test_what_a_program_may_do_at_its_top(tmp_path: Path) -> None:
    """Write to files, compute with several threads, run commands, set handlers of signals."""
    text = (
        COUNTED
        + """
LOG = open("log", "a")
NOTHING = open(os.devnull, "r+b")
torch.set_num_threads(2)
W = torch.ones(600, 600) @ torch.ones(600, 600) + torch.ones(3000, 1000).exp().sum()
subprocess.run(["true"])
signal.signal(signal.SIGTERM, lambda *_: sys.exit(3))
if __name__ == "__main__":
    assert {"rushlight-0", "rushlight-memory"} <= {t.name for t in threading.enumerate()}
    print(passes(), imports())
    print(of_this_program().fault)
    LOG.close()
    NOTHING.close()
"""
    )
    assert run(tmp_path, text) == (f"84000.0 {ONCE}\n\n", "")


@pytest.mark.slow
def test_a_template_that_is_killed(tmp_path: Path) -> None:
    text = (
        COUNTED
        + """
if __name__ == "__main__":
    print(passes(1), imports())
    old = of_this_program()
    os.kill(old._process.pid, signal.SIGKILL)
    old._process.wait()
    print(passes(1), imports(), of_this_program() is not old)
    of_this_program()._forkserver_address += "nowhere"  # it does not answer
    print(passes(2), imports())
"""
    )
    out, err = run(tmp_path, text)
    assert out == f"28000.0 {ONCE}\n28000.0 {ONCE + 1} True\n56000.0 {ONCE + 1 + 2 * 2}\n"
    assert err == ""


@pytest.mark.slow
def test_an_interrupt_while_the_template_imports(tmp_path: Path) -> None:
    text = (
        COUNTED
        + """
if __name__ == "__main__":
    os.setsid()
    loader = DataLoader(Mine(), num_workers=2)
    while imports() < 2:
        time.sleep(0.01)
    threading.Timer(0.3, os.killpg, (0, signal.SIGINT)).start()
    try:
        iter(loader)
    except KeyboardInterrupt:
        print("interrupted")
    print(passes(), imports(), of_this_program().fault)
else:
    time.sleep(1)
"""
    )
    assert run(tmp_path, text) == (f"interrupted\n84000.0 {ONCE} \n", "")


@pytest.mark.long
def test_another_folder_is_another_template(tmp_path: Path) -> None:
    text = (
        COUNTED
        + """
FOLDER = os.getcwd()
IMPORTS = IMPORTS.absolute()

class Where(Mine):
    def __getitem__(self, i):
        return os.path.samefile(FOLDER, os.getcwd())

if __name__ == "__main__":
    passing = iter(DataLoader(Where(), num_workers=1))
    next(passing)
    first = of_this_program()
    os.mkdir("other")
    os.chdir("other")
    print([b.tolist() for b in DataLoader(Where(), 8, num_workers=2)])
    print(of_this_program() is not first)
    print(len(list(passing)))  # workers of the old one go on
    first._process.wait(60)
    print(first.gone)
"""
    )
    # (the other import counts in a file of the other folder)
    assert run(tmp_path, text) == (f"{[[True] * 8]}\nTrue\n7\nTrue\n", "")


@pytest.mark.long
def test_a_forked_child_has_a_template_of_its_own(tmp_path: Path) -> None:
    text = (
        COUNTED
        + """
if __name__ == "__main__":
    print(passes(1), imports(), flush=True)
    ours = of_this_program()._process
    pid = os.fork()
    if not pid:
        assert of_this_program() is None
        print(passes(1), imports(), of_this_program()._process.pid != ours.pid, flush=True)
    else:
        os.waitpid(pid, 0)
        print(passes(1), imports(), of_this_program()._process is ours)
"""
    )
    out, err = run(tmp_path, text)
    wanted = f"28000.0 {ONCE}\n28000.0 {ONCE + 1} True\n28000.0 {ONCE + 1} True\n"
    assert (out, err) == (wanted, "")


@pytest.mark.slow
def test_only_workers_are_children_of_the_program(tmp_path: Path) -> None:
    text = (
        COUNTED
        + """
class Parent(Mine):
    def __getitem__(self, i):
        process = multiprocessing.current_process()
        return os.getpid(), multiprocessing.parent_process().pid, process.name, process.daemon

if __name__ == "__main__":
    passing = iter(DataLoader(Parent(), num_workers=2))
    pid, parent, name, daemon = next(passing)
    children = multiprocessing.active_children()
    print(sorted(child.name for child in children), pid.item() in {c.pid for c in children})
    print(parent.item() == os.getpid(), name[0], daemon.item())
    del passing
    print(multiprocessing.active_children(), of_this_program().gone)
"""
    )
    out, err = run(tmp_path, text)
    assert out == (
        "['DataLoaderWorker-0', 'DataLoaderWorker-1'] True\nTrue DataLoaderWorker-0 True\n"
        "[] False\n"
    )
    assert err == ""


@pytest.mark.slow
def test_the_template_imports_while_the_program_goes_on(tmp_path: Path) -> None:
    """It begins with the loader, if that is made under the guard and its parts can be pickled."""
    text = (
        COUNTED
        + """
above = DataLoader(Mine(), num_workers=1)
if __name__ == "__main__":
    print(of_this_program())
    DataLoader(Mine(), num_workers=1, collate_fn=lambda batch: batch)
    print(of_this_program())
    DataLoader(Mine(), num_workers=1)
    print(of_this_program().fault == "", imports())
"""
    )
    assert run(tmp_path, text) == (f"None\nNone\nTrue {ONCE}\n", "")


@pytest.mark.slow
def test_a_loader_does_not_decide_the_start_method(tmp_path: Path) -> None:
    """As in PyTorch, the program may still say it until workers start."""
    text = (
        COUNTED
        + """
if __name__ == "__main__":
    loader = DataLoader(Mine(), batch_size=4, num_workers=2)
    print(multiprocessing.get_start_method(allow_none=True))
    multiprocessing.set_start_method("spawn")
    print(sum(x.sum().item() for x, pid in loader))
"""
    )
    assert run(tmp_path, text) == ("None\n28000.0\n", "")


@pytest.mark.slow
def test_a_program_that_ends_before_its_template_is_ready(tmp_path: Path) -> None:
    """Nothing of the import is seen after the program's end."""
    text = (
        COUNTED
        + """
if __name__ == "__main__":
    loader = DataLoader(Mine(), num_workers=2)
    print(of_this_program()._process.pid)
else:
    time.sleep(60)
    print("late")
"""
    )
    out, err = run(tmp_path, text)
    assert err == ""
    assert _gone([int(out)])


@pytest.mark.parametrize("how", ["SIGTERM", "SIGKILL"])
@pytest.mark.slow
def test_the_template_ends_with_a_parent_that_is_stopped(tmp_path: Path, how: str) -> None:
    text = (
        COUNTED
        + """
if __name__ == "__main__":
    passing = iter(DataLoader(Mine(), num_workers=2))
    print(next(passing)[1].item(), of_this_program()._process.pid, flush=True)
    sys.stdin.read()
"""
    )
    parent = subprocess.Popen(
        program(tmp_path, text),
        env=environment(),
        cwd=tmp_path,
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
    )
    assert parent.stdout is not None
    pids = [int(word) for word in parent.stdout.readline().split()]
    parent.send_signal(getattr(signal, how))
    parent.communicate(timeout=60)
    assert len(pids) == 2
    assert _gone(pids)
