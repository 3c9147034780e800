"""The allocator of large arrays: no two share memory, all is counted, and it goes back."""

from __future__ import annotations

import gc
import io
import os
import subprocess
import sys
import threading
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import rushlight as torch
from rushlight.kernels import runtime
from rushlight.kernels.runtime import memory

ROOT = Path(__file__).parents[3]
pytestmark = pytest.mark.skipif(
    not runtime.available() or not memory.start(),
    reason="no LLVM here, RUSHLIGHT_JIT=0, or not Linux",
)
LARGE = 1 << 20  # bytes of an array that the allocator serves


@pytest.fixture
def allocator() -> Any:
    memory.ready()
    gc.collect()
    return memory._allocator


def run(script: str, **env: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, "-c", script], capture_output=True, text=True, cwd=ROOT, timeout=300,
        env={**os.environ, "PYTHONPATH": str(ROOT), "OMP_NUM_THREADS": "2", **env},
    )  # fmt: skip


def address(a: np.ndarray) -> int:
    return int(a.__array_interface__["data"][0])


def is_ours(a: np.ndarray) -> bool:
    start = memory._allocator._word("base")
    return bool(start <= address(a) < start + memory._allocator._word("bytes"))


def stress(rng: np.random.Generator, rounds: int) -> None:
    """Make, resize and drop arrays; each is full of a number of its own as long as it lives."""
    live: list[tuple[np.ndarray, int]] = []
    for number in range(rounds):
        what = rng.integers(0, 10)
        if what < 5 or not live:
            size = int(rng.integers(1, 1 << int(rng.integers(10, 23))))
            zeroed = rng.random() < 0.4
            a = np.zeros(size, np.uint8) if zeroed else np.empty(size, np.uint8)
            if zeroed:
                assert not a.any()
            a.fill(number % 251)
            live.append((a, number % 251))
        else:
            a, value = live.pop(int(rng.integers(0, len(live))))
            assert (a == value).all(), "another array wrote into this one"
            if what == 9:
                old, new = a.size, int(rng.integers(1, 3 * a.size))
                a.resize(new, refcheck=False)
                assert (a[:old] == value).all()
                a.fill(value)
                live.append((a, value))
        while sum(a.size for a, _ in live) > 100 << 20:
            live.pop(0)
    for a, value in live:
        assert (a == value).all()


def test_arrays_do_not_share_memory(allocator: Any, rng: np.random.Generator) -> None:
    before = allocator.counts()
    stress(rng, 400)
    after = allocator.counts()
    assert after["large"] == before["large"], "some bytes are counted for ever"
    assert after["reuses"] > before["reuses"]
    assert abs(after["allocated"] - before["allocated"]) < 100_000


def test_the_spans_cover_the_range(allocator: Any, rng: np.random.Generator) -> None:
    """Walk over all spans: tags at both ends agree, free neighbours of a kind have joined."""
    stress(rng, 200)
    allocator.trim()
    stress(rng, 50)
    words = allocator._words
    top, at, last, sums = allocator._word("top"), 0, 0, {1: 0, 2: 0, 3: 0}
    entries = (np.ctypeslib.as_array(
        (np.ctypeslib.ctypes.c_int64 * (top * words.ENTRY)).from_address(
            allocator._word("entries")
        )
    ))  # fmt: skip
    while at < top:
        length, kind = divmod(int(entries[at * words.ENTRY]), 4)
        assert length > 0
        assert entries[(at + length - 1) * words.ENTRY] == entries[at * words.ENTRY]
        assert kind == words.USED or kind != last, "two free neighbours"
        sums[kind] += length
        at, last = at + length, kind
    assert at == top
    assert sums[words.USED] == allocator._word("used")
    assert sums[words.DIRTY] == allocator._word("cached")


def test_counts(allocator: Any) -> None:
    torch.cpu.reset_peak_memory_stats()
    start = torch.cpu.memory_allocated()
    assert torch.cpu.max_memory_allocated() == start
    a = torch.empty(LARGE, dtype=torch.uint8)
    assert is_ours(a.numpy())
    b = torch.empty(1000, dtype=torch.uint8)
    assert torch.cpu.memory_allocated() - start == LARGE + 1000
    assert torch.cpu.memory_reserved() >= torch.cpu.memory_allocated()
    del a, b
    assert torch.cpu.memory_allocated() == start
    assert torch.cpu.max_memory_allocated() >= start + LARGE + 1000
    stats = torch.cpu.memory_stats()
    assert stats["inactive_bytes.all.current"] >= LARGE
    assert stats["reserved_bytes.all.peak"] == torch.cpu.max_memory_reserved()
    torch.cpu.empty_cache()
    assert torch.cpu.memory_stats()["inactive_bytes.all.current"] == 0
    summary = torch.cpu.memory_summary()
    assert "reserved memory" in summary
    assert len(torch.cpu.memory_summary(abbreviated=True)) < len(summary)
    with pytest.raises(ValueError, match="not counted here"):
        torch.cpu.memory_allocated("meta")


def test_what_is_given_back_reads_as_zeros_again(allocator: Any) -> None:
    a = np.full(5 * LARGE, 7, np.uint8)
    del a
    allocator.trim()
    a = np.zeros(5 * LARGE, np.uint8)
    assert not a.any()
    a.fill(1)
    del a
    assert not np.zeros(5 * LARGE, np.uint8).any()  # kept this time


def test_what_is_not_needed_goes_back_by_itself(allocator: Any) -> None:
    busy = np.ones(3 * LARGE, np.uint8)
    del busy
    a = np.ones(20 * LARGE, np.uint8)
    del a
    assert allocator.counts()["kept"] >= 20 * LARGE
    allocator._lows.clear()
    for _ in range(memory.WINDOW + 1):
        busy = np.ones(3 * LARGE, np.uint8)  # what every tick needs stays
        del busy
        allocator.tick()
    kept = allocator.counts()["kept"]
    assert 3 * LARGE <= kept <= 4 * LARGE
    for _ in range(memory.WINDOW + 1):
        allocator.tick()
    assert allocator.counts()["kept"] == 0


def test_no_more_than_allowed_is_kept(allocator: Any) -> None:
    at_most = allocator._word("cap")
    allocator.trim()
    allocator._word("cap", 4 * LARGE >> allocator._words.GRANULE)
    try:
        many = [np.ones(LARGE, np.uint8) for _ in range(10)]
        del many
        assert 0 < allocator.counts()["kept"] <= 4 * LARGE
    finally:
        allocator._word("cap", at_most)
    assert not np.zeros(9 * LARGE, np.uint8).any()


def test_more_than_there_is_is_refused(allocator: Any) -> None:
    before = allocator.counts()["allocated"]
    sizes = [1 << 50, 1 << 55]
    if Path("/proc/sys/vm/overcommit_memory").read_text().strip() != "1":
        sizes.append(2 * memory._memory())  # which the range has room for
    for size in sizes:
        with pytest.raises(MemoryError):
            np.empty(size, np.uint8)
        with pytest.raises(MemoryError):
            np.zeros(size, np.uint8)
    assert allocator.counts()["allocated"] == before


def test_threads(allocator: Any, rng: np.random.Generator) -> None:
    """Threads with the handler and without make arrays, and free each other's."""
    failed: list[BaseException] = []
    shelf: list[np.ndarray] = []
    seeds = [int(s) for s in rng.integers(0, 1 << 30, 6)]

    def work(seed: int) -> None:
        try:
            if seed % 2:
                memory.ready()
            rng = np.random.default_rng(seed)
            for _ in range(4):
                stress(rng, 40)
                shelf.append(np.ones(2 * LARGE, np.uint8))
                if len(shelf) > 5:
                    shelf.pop(0)
        except BaseException as error:
            failed.append(error)

    threads = [threading.Thread(target=work, args=(seed,)) for seed in seeds]
    for t in threads:
        t.start()
    for _ in range(20):
        allocator.trim()
    for t in threads:
        t.join()
    assert not failed, failed
    shelf.clear()
    assert allocator._word("lock") == 0


def test_a_new_thread_has_numpys_handler_until_it_computes(allocator: Any) -> None:
    names = []

    def work() -> None:
        names.append(np._core.multiarray.get_handler_name())  # type: ignore[attr-defined]
        torch.ones(1 << 20).exp()
        names.append(np._core.multiarray.get_handler_name())  # type: ignore[attr-defined]

    thread = threading.Thread(target=work)
    thread.start()
    thread.join()
    assert names == ["default_allocator", "rushlight"]


FORKS = """
import os, threading, numpy as np, rushlight as torch
from rushlight.kernels.runtime import memory
x = torch.ones(1 << 20)
x.exp()
allocator, stop = memory._allocator, threading.Event()
def trimming():
    while not stop.is_set():
        allocator.trim()
threading.Thread(target=trimming, daemon=True).start()
for i in range(40):
    kept = x.exp() + i
    child = os.fork()
    if child == 0:
        y = x.exp() * 2
        assert (y.numpy() == (x * 1).exp().numpy() * 2).all()
        assert allocator._trimmer is not None and allocator._trimmer.is_alive()
        del y, kept
        allocator.trim()
        assert allocator.counts()["kept"] == 0
        os._exit(0)
    assert os.waitpid(child, 0)[1] == 0
stop.set()
print("done")
"""


@pytest.mark.long
def test_forks() -> None:
    done = run(FORKS)
    assert done.stdout == "done\n", done.stderr[-2000:]


EXIT = """
import threading, numpy as np, rushlight as torch
x = torch.ones(1 << 20)
kept = [x.exp() for _ in range(5)]
class Late:
    def __del__(self, empty=np.empty, array=kept):
        array.clear()
        empty(1 << 22)
late = Late()
def work():
    while True:
        x.exp()
threading.Thread(target=work, daemon=True).start()
"""


@pytest.mark.long
def test_the_end_of_the_interpreter() -> None:
    for _ in range(5):
        done = run(EXIT)
        assert done.returncode == 0, done.stderr[-2000:]


BURST = """
import sys, time, rushlight as torch
from rushlight.kernels.runtime import memory
def resident():
    return int(open("/proc/self/statm").read().split()[1]) * 4096
torch.ones(1 << 20).exp()
start = resident()
many = [torch.ones(1 << 20).exp() for _ in range(100)]
top = resident()
del many
if sys.argv[1:]:
    torch.cpu.empty_cache()
else:
    while memory.counts()["kept"]:  # the thread of the allocator gives it back
        time.sleep(0.1)
print(top - start >> 20, resident() - start >> 20)
"""


@pytest.mark.slow
@pytest.mark.parametrize(
    "asked", [pytest.param("", marks=pytest.mark.long), "sys.argv.append('asked')\n"]
)
def test_a_burst_goes_back(asked: str) -> None:
    done = run("import sys\n" + asked + BURST)
    top, after = (int(n) for n in done.stdout.split())
    assert top > 350
    assert after < 40


@pytest.mark.slow
@pytest.mark.parametrize("how", ["limit", "none"])
def test_where_it_does_not_fit_numpys_stays(how: str) -> None:
    script = "import numpy as np, rushlight as torch\n"
    if how == "limit":
        script += "import resource; resource.setrlimit(resource.RLIMIT_AS, (1 << 36, 1 << 36))\n"
    script += "x = torch.ones(1 << 20).exp(); print(np._core.multiarray.get_handler_name())\n"
    script += "print(torch.cpu.memory_allocated(), torch.cpu.memory_summary() != '')"
    done = run(script, RUSHLIGHT_MEMORY_CACHE="0" if how == "none" else "0.125")
    assert done.stdout == "default_allocator\n0 True\n", done.stderr


def test_a_container_counts(monkeypatch: pytest.MonkeyPatch) -> None:
    limits = {"/sys/fs/cgroup/memory.max": "max\n"}

    def opened(path: str, **_: Any) -> Any:
        if path not in limits:
            raise FileNotFoundError(path)
        return io.StringIO(limits[path])

    monkeypatch.setattr(memory, "open", opened, raising=False)
    assert memory._allowed() == memory._memory()
    limits["/sys/fs/cgroup/memory.max"] = "100000\n"
    assert memory._allowed() == 100000
    limits["/sys/fs/cgroup/memory/memory.limit_in_bytes"] = "5000\n"
    assert memory._allowed() == 5000


@pytest.mark.slow
def test_the_setting_is_read() -> None:
    script = "import rushlight as t; print(t.cpu.memory_stats()['max_inactive_bytes'])"
    assert run(script, RUSHLIGHT_MEMORY_CACHE=str(64 << 20)).stdout == f"{64 << 20}\n"
    assert "RUSHLIGHT_MEMORY_CACHE is a number" in run(script, RUSHLIGHT_MEMORY_CACHE="x").stderr
