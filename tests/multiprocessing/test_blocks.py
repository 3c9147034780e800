"""Blocks of shared memory: one array for one part, lifetimes, both strategies, killed processes."""

from __future__ import annotations

import contextlib
import gc
import multiprocessing
import os
import pickle
import signal
import subprocess
import sys
from collections.abc import Iterator
from multiprocessing import resource_tracker
from multiprocessing.reduction import ForkingPickler
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from rushlight.shared_memory import blocks, handles
from rushlight.shared_memory.blocks import Block, Part, empty, part_of, place

pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="named mappings have no files")


@pytest.fixture(params=sorted(blocks.STRATEGIES))
def strategy(request: Any) -> Iterator[str]:
    before = blocks.strategy
    blocks.strategy = request.param
    yield request.param
    blocks.strategy = before


def names() -> list[str]:
    return [n for n in os.listdir(blocks.folder()) if n.startswith("rushlight-")]


def own() -> list[str]:
    """The names of this process and its children; other tests may run at the same time."""
    return [n for n in names() if n.startswith(f"rushlight-{blocks.TREE}-")]


def held() -> set[Any]:
    """What this process has of blocks: their names, and all of its open files, each by its device
    and number. A thread of an earlier test may close one of these at any time, so tests ask what is
    new."""
    gc.collect()
    found: set[Any] = set(own())
    for descriptor in os.listdir("/proc/self/fd") if sys.platform == "linux" else ():
        with contextlib.suppress(OSError):  # the one by which the list was read is closed
            status = os.stat(int(descriptor))
            found.add((status.st_dev, status.st_ino))
    return found


def through(part: Part | None) -> np.ndarray:
    return pickle.loads(ForkingPickler.dumps(part)).array()


def test_an_array_of_private_memory_has_no_part() -> None:
    assert part_of(np.zeros(3)) is None


def test_place_copies_and_aligns(strategy: str) -> None:
    roots = place([np.arange(3.0), np.zeros(0), np.ones((2, 2), np.int8)])
    assert roots[0].view(np.float64).tolist() == [0, 1, 2]
    assert roots[2].tolist() == [1, 1, 1, 1]
    assert roots[1].nbytes == 0
    assert all(r.ctypes.data % 64 == 0 for r in roots)
    assert len({part_of(r).block for r in roots}) == 1  # type: ignore[union-attr]


def test_one_array_for_one_part(strategy: str) -> None:
    root = empty(8)
    assert part_of(root[2:].view(np.int16)).array() is root  # type: ignore[union-attr]
    assert through(part_of(root)) is root


@pytest.mark.slow
def test_a_block_goes_when_its_last_array_goes(strategy: str) -> None:
    before = held()
    root = empty(1000)
    view = root[10:20]
    del root
    view[:] = 3
    assert view.sum() == 30
    del view
    assert held() <= before


def test_a_plain_pickle_is_refused() -> None:
    with pytest.raises(TypeError, match="outside of multiprocessing"):
        pickle.dumps(part_of(empty(4)))


def child(part: Part, answers: Any) -> None:
    a = part.array()
    a[0] += 1
    answers.put(part_of(a))
    answers.put(part_of(place([np.full(5, 7, np.uint8)])[0]))


@pytest.mark.slow
@pytest.mark.parametrize("method", ["fork", "spawn", "forkserver"])
def test_both_sides_see_writes_and_a_sender_may_end_first(strategy: str, method: str) -> None:
    before = own()
    context: Any = multiprocessing.get_context(method)
    root = empty(4)
    answers = context.Queue()
    process = context.Process(target=child, args=(part_of(root), answers))
    process.start()
    process.join()
    assert process.exitcode == 0
    assert root[0] == 1
    assert answers.get().array() is root
    assert answers.get().array().tolist() == [7] * 5
    answers.close()
    del answers, process
    gc.collect()
    assert handles.cloakroom.waiting == {}
    del root
    assert own() == before


def hold_and_stop(pipe: Any) -> None:
    held = empty(100)
    pipe.send(part_of(held))
    pipe.recv()


@pytest.mark.slow
def test_nothing_is_left_of_a_killed_process(strategy: str) -> None:
    resource_tracker.ensure_running()  # the first spawned process starts it
    before = held()
    context: Any = multiprocessing.get_context("spawn")
    here, there = context.Pipe()
    process = context.Process(target=hold_and_stop, args=(there,))
    process.start()
    root = here.recv().array()
    process.kill()
    process.join()
    process.close()
    here.close()
    there.close()
    root[:] = 1
    del root
    blocks._swept = False
    blocks._sweep_the_dead()
    del here, there, process, context
    assert held() <= before


def send_and_die(pipe: Any) -> None:
    pipe.send(part_of(empty(3)))
    os._exit(1)


@pytest.mark.skipif(sys.platform != "linux", reason="descriptors")
def test_what_a_killed_process_sent_is_an_error_that_names_it() -> None:
    context: Any = multiprocessing.get_context("fork")
    here, there = context.Pipe()
    process = context.Process(target=send_and_die, args=(there,))
    process.start()
    process.join()
    with pytest.raises(FileNotFoundError, match=f"process {process.pid} cannot be fetched"):
        here.recv()


def test_a_ticket_is_good_once(strategy: str) -> None:
    data = bytes(ForkingPickler.dumps(part_of(root := empty(4))))
    assert pickle.loads(data).array() is root
    if strategy == "file_descriptor":
        with pytest.raises(FileNotFoundError, match="received twice"):
            pickle.loads(data)


@pytest.mark.slow
def test_no_room_is_a_memory_error(strategy: str) -> None:
    before = held()
    with pytest.raises(MemoryError, match="cannot make shared memory"):
        Block.create(1 << 60)
    assert held() <= before


FEW_FILES = """
import resource
import rushlight.multiprocessing as mp
import rushlight as torch

def echo(queue, answers, hard):
    resource.setrlimit(resource.RLIMIT_NOFILE, (50, hard))
    kept = []
    while (t := queue.get()) is not None:
        kept.append(t)
        answers.put(t.sum().item())

if __name__ == "__main__":
    context = mp.get_context("spawn")
    for hard in (400, 50):
        queue, answers = context.SimpleQueue(), context.SimpleQueue()
        process = context.Process(target=echo, args=(queue, answers, hard), daemon=True)
        process.start()
        mine = []
        resource.setrlimit(resource.RLIMIT_NOFILE, (60 if hard == 400 else 400, 400))
        for i in range(120):
            mine.append(torch.full((3,), float(i)))
            queue.put(mine[-1])
            if hard == 50 and i == 60:
                break
            if hard == 400:
                assert answers.get() == 3.0 * i
        queue.put(None)
        process.join()
        print(process.exitcode)
"""


@pytest.mark.slow
@pytest.mark.skipif(sys.platform != "linux", reason="descriptors")
def test_the_limit_of_open_files_is_raised_or_named(tmp_path: Path) -> None:
    path = tmp_path / "program.py"
    path.write_text(FEW_FILES, encoding="utf-8")
    env = {**os.environ, "PYTHONPATH": str(Path(__file__).parents[2])}
    done = subprocess.run([sys.executable, path], capture_output=True, text=True, env=env)
    assert done.stdout.split() == ["0", "1"]
    assert "no descriptor is left" in done.stderr or "Too many open files" in done.stderr
    assert "ulimit -n 4096" in done.stderr


WORKING_TREE = """
import os, sys, time
import rushlight.multiprocessing as mp
import rushlight as torch

def work(queue, answers):
    while True:
        answers.put(queue.get() + 1)

if __name__ == "__main__":
    mp.set_sharing_strategy(sys.argv[1])
    context = mp.get_context("fork")
    queue, answers = context.Queue(), context.Queue()
    for _ in range(2):
        context.Process(target=work, args=(queue, answers)).start()
    kept = torch.ones(100).share_memory_()
    for i in range(100_000):
        queue.put(kept + i)
        if i > 5:
            answers.get()
        if i == 20:
            print("working", flush=True)
"""


@pytest.mark.slow
def test_nothing_is_left_when_all_processes_are_killed(strategy: str, tmp_path: Path) -> None:
    path = tmp_path / "program.py"
    path.write_text(WORKING_TREE, encoding="utf-8")
    before = set(names())
    env = {**os.environ, "PYTHONPATH": str(Path(__file__).parents[2])}
    env.pop("RUSHLIGHT_SHARED_ROOT")
    with subprocess.Popen(
        [sys.executable, path, strategy], stdout=subprocess.PIPE, env=env, start_new_session=True
    ) as program:
        assert program.stdout is not None
        assert program.stdout.readline() == b"working\n"
        os.killpg(program.pid, signal.SIGKILL)
        program.stdout.read()  # until the last of them is gone
    left = {n for n in names() if n.startswith(f"rushlight-{program.pid}-")} - before
    if strategy == "file_descriptor":
        assert not left
    else:  # the next program that makes named blocks sweeps them
        assert left
        pids = {int(name.split("-")[4]) for name in left}
        while any(blocks._alive(pid) for pid in pids):
            os.sched_yield()  # closed their files, but not quite gone
        blocks._swept = False
        empty(1)
        assert not left & set(names())
