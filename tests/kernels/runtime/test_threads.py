"""The pool: every chunk once, by whoever comes first; busy pools, forks, signals and exits."""

from __future__ import annotations

import ctypes
import functools
import os
import subprocess
import sys
import threading
import time
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import rushlight as torch
from rushlight.kernels.codegen import ir
from rushlight.kernels.codegen.ir import F32, I64, PTR
from rushlight.kernels.runtime import builtin, jit, threads, waiting

pytestmark = pytest.mark.skipif(not jit.available(), reason="no LLVM here, or RUSHLIGHT_JIT=0")
CHUNK = 512


def build() -> ir.Module:
    """x = x * x + 1/4, eight times, in chunks of 512 elements."""
    module = ir.Module("chunks")
    threads.declare_run(module)
    c = module.function("chunk", None, [("context", PTR), ("i", I64)], private=True)
    x = c.emit(PTR, f"load ptr, ptr {c.args['context'].text}").of(F32)
    first = c.args["i"] * CHUNK
    with c.range(first, first + CHUNK, 8) as i:
        v = x.load(i, 8)
        for _ in range(8):
            v = v * v + 0.25
        x.store(v, i)
    c.ret()
    f = module.function("chunks", None, [("x", PTR), ("n", I64)])
    context = f.buffer(PTR, 1)
    context[0] = f.args["x"]
    f.call("pool_run", None, [ir.Value(f, PTR, "@chunk"), context, f.args["n"] // CHUNK])
    f.ret()
    builtin.entry(module, "call", "chunks", ["array", "int"])
    return module


def kernel(pool: threads.Pool | None = None) -> Any:
    run = (pool or threads.pool()).addresses["pool_run"]
    imports = {**builtin.symbols(), "pool_run": run}
    found = jit.load(("test-chunks", run), build, ["call"], imports)
    return builtin.function(found["call"], "call")


def expected(times: int) -> np.float32:
    v = np.float32(0)
    for _ in range(8 * times):
        v = v * v + np.float32(0.25)
    return v


@pytest.mark.parametrize("size", [1, 2, 3, 8])
def test_every_chunk_runs_once(size: int) -> None:
    call = kernel()
    threads.pool().fit(size)
    for chunks in (0, 1, 2, 7, 100):
        x = np.zeros(chunks * CHUNK + 5, np.float32)
        call(x, chunks * CHUNK)
        assert (x[: chunks * CHUNK] == expected(1)).all()
        assert (x[chunks * CHUNK :] == 0).all()


@functools.cache
def pool_of(how: str) -> threads.Pool:
    """The pool of this system, or one that waits as POSIX has it. One of a kind in a process: its
    words belong to the machine code."""
    return threads.pool() if how == "own" else threads.Pool(waiting.Condition())


@pytest.mark.parametrize("how", ["own", "condition"])
@pytest.mark.parametrize("asleep", [False, True])
def test_workers_come_looking_or_woken(how: str, asleep: bool) -> None:
    if how == "condition" and sys.platform == "win32":
        pytest.skip("no POSIX threads here")
    pool = pool_of(how)
    call = kernel(pool)
    pool.fit(4)
    words = (ctypes.c_int64 * (threads.SIZE // 8)).from_address(pool.addresses["pool_state"])
    for _ in range(30):
        x = np.zeros(100 * CHUNK, np.float32)
        call(x, x.size)
        assert (x == expected(1)).all()
        while asleep and words[threads.PLACES["sleepers"]] < len(pool.workers):
            time.sleep(0)


def test_many_python_threads_at_once() -> None:
    call = kernel()
    threads.pool().fit(3)
    bad = []

    def work() -> None:
        x = np.zeros(20 * CHUNK, np.float32)
        for _ in range(50):
            x[:] = 0
            call(x, x.size)
            if not (x == expected(1)).all():
                bad.append(x)

    several = [threading.Thread(target=work) for _ in range(4)]
    for t in several:
        t.start()
    for t in several:
        t.join()
    assert not bad


@pytest.mark.slow
@pytest.mark.skipif(not hasattr(os, "fork"), reason="no fork here")
@pytest.mark.filterwarnings("ignore:This process .* is multi-threaded:DeprecationWarning")
def test_fork_in_the_middle_of_work() -> None:
    call = kernel()
    threads.pool().fit(3)
    stop = False

    def busy() -> None:
        x = np.zeros(50 * CHUNK, np.float32)
        while not stop:
            call(x, x.size)

    background = threading.Thread(target=busy)
    background.start()
    try:
        for _ in range(20):
            child = os.fork()
            if child == 0:
                x = np.zeros(20 * CHUNK, np.float32)
                call(x, x.size)  # alone
                threads.pool().fit(2)
                call(x, x.size)  # with a worker of its own
                os._exit(0 if (x == expected(2)).all() else 1)
            assert os.waitpid(child, 0)[1] == 0
    finally:
        stop = True
        background.join()


EXIT = """
import threading, time, numpy as np, sys
from tests.kernels.runtime.test_threads import kernel, CHUNK
from rushlight.kernels.runtime import threads
call = kernel(); threads.pool().fit(3)
x = np.zeros(200 * CHUNK, np.float32)
def work():
    while True:
        call(x, x.size)
for _ in range(2):
    threading.Thread(target=work, daemon=True).start()
for _ in range(20):
    call(x, x.size)
print("done")
"""


@pytest.mark.slow
def test_the_interpreter_may_exit_while_kernels_run() -> None:
    root = Path(__file__).parents[3]
    env = {**os.environ, "PYTHONPATH": str(root)}
    for _ in range(3):
        out = subprocess.run(
            [sys.executable, "-c", EXIT], env=env, cwd=root, capture_output=True, text=True,
            check=False, timeout=60,
        )  # fmt: skip
        assert (out.returncode, out.stdout) == (0, "done\n"), out.stderr


def test_the_number_of_threads_is_kept() -> None:
    before = torch.get_num_threads()
    torch.set_num_threads(1)
    assert torch.get_num_threads() == 1
    torch.set_num_threads(before)
    with pytest.raises(RuntimeError, match="positive"):
        torch.set_num_threads(0)
