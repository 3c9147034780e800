"""One pool of threads for all kernels.

`pool_run(chunk, context, chunks)` is a function for kernels: it calls `chunk(context, i)` for each
i below `chunks`, on the calling thread and on those workers that come in time. Chunks are handed
out one by one, so a worker that the operating system keeps waiting holds nobody up, and what
a chunk is depends on the work alone: results are the same for any number of threads. A pool that is
busy (two Python threads compute at once) does not wait: the second caller works alone.

Workers are Python threads that never come back from machine code. They look for work for a moment
after each job, then sleep until they are called. `fit()` starts them when a large job first comes
up; after a fork the child starts its own.

Where the operating system has no POSIX threads (Windows) every job runs on its caller.
"""

from __future__ import annotations

import atexit
import ctypes
import functools
import os
import sys
import threading
from typing import Any

from ... import config
from . import jit, native
from .ir import I64, PTR, Function, Module, Pointer, Value

LINE = 8  # i64 words in a cache line: each shared word has a line of its own
WORDS = ("open", "next", "active", "generation", "sleepers", "stop", "chunks", "chunk", "context",
         "busy", "limit")  # fmt: skip
LOCK, CALL = len(WORDS) * LINE, (len(WORDS) + 4) * LINE  # 256 bytes each
SIZE = (len(WORDS) + 8) * LINE * 8
POSIX = {  # functions of the C library, and how many pointers they take
    "pthread_mutex_init": 2,
    "pthread_mutex_lock": 1,
    "pthread_mutex_unlock": 1,
    "pthread_cond_init": 2,
    "pthread_cond_wait": 2,
    "pthread_cond_broadcast": 1,
    "sched_yield": 0,
}
SPINS = 1200  # looks for work before sleeping: about 60 µs, what Python takes between two kernels
PATIENCE = 2000  # looks for the others to finish before giving up the rest of the time slice


def relax(f: Function) -> None:
    """Tell the CPU that this is a waiting loop."""
    if jit.target().machine.triple.startswith(("x86", "i686")):
        f.intrinsic("llvm.x86.sse2.pause", None, [])
    elif jit.target().machine.triple.startswith(("aarch64", "arm64")):
        f.intrinsic("llvm.aarch64.hint", None, [f.const("i32", 1)])


class _State:
    """The shared words, by name."""

    def __init__(self, f: Function) -> None:
        self.base = Pointer(f, "@pool_state", I64)

    def __getattr__(self, name: str) -> Pointer:
        return self.base.at(WORDS.index(name) * LINE)

    @property
    def lock(self) -> Pointer:
        return self.base.at(LOCK)

    @property
    def call(self) -> Pointer:
        return self.base.at(CALL)


def take_chunks(f: Function, state: Any) -> None:
    """Run chunks until none is left."""
    with f.repeat() as more:
        i = state.next.atomic_add(1)
        more.stop_if(i >= state.chunks.atomic_load())
        chunk = f.emit(PTR, f"inttoptr i64 {state.chunk.atomic_load().text} to ptr")
        context = f.emit(PTR, f"inttoptr i64 {state.context.atomic_load().text} to ptr")
        f.call_pointer(chunk, None, [context, i])


def write_run(module: Module) -> None:
    f = module.function("pool_run", None, [("chunk", PTR), ("context", PTR), ("chunks", I64)])
    state: Any = _State(f)
    chunk, context, chunks = f.args["chunk"], f.args["context"], f.args["chunks"]
    alone = f.var(1)
    with f.when((chunks > 1) & (state.limit.atomic_load() > 0)):
        alone.set(state.busy.exchange(1))
    with f.when(alone.get() != 0) as branch, f.range(chunks) as i:
        f.call_pointer(chunk, None, [context, i])
    with branch.otherwise():
        state.chunk.atomic_store(f.emit(I64, f"ptrtoint ptr {chunk.text} to i64"))
        state.context.atomic_store(f.emit(I64, f"ptrtoint ptr {context.text} to i64"))
        state.chunks.atomic_store(chunks)
        state.next.atomic_store(0)
        state.open.atomic_store(1)
        state.generation.atomic_add(1)
        with f.when(state.sleepers.atomic_load() > 0):
            f.call("pthread_mutex_lock", "i32", [state.lock])
            f.call("pthread_cond_broadcast", "i32", [state.call])
            f.call("pthread_mutex_unlock", "i32", [state.lock])
        take_chunks(f, state)
        state.open.atomic_store(0)
        looks = f.var(0)
        with f.repeat() as wait:  # for chunks that workers have begun
            wait.stop_if(state.active.atomic_load() == 0)
            relax(f)
            looks.set(looks.get() + 1)
            with f.when(looks.get() > PATIENCE):
                f.call("sched_yield", "i32", [])
        state.busy.atomic_store(0)
    f.ret()


def write_worker(module: Module) -> None:
    f = module.function("pool_worker", None, [("number", I64)])
    state: Any = _State(f)
    seen = f.var(state.generation.atomic_load())
    with f.repeat() as work:
        looks = f.var(0)
        with f.repeat() as look:
            look.stop_if(state.generation.atomic_load() != seen.get())
            look.stop_if(state.stop.atomic_load() != 0)
            look.stop_if(looks.get() >= SPINS)
            relax(f)
            looks.set(looks.get() + 1)
        with f.when(looks.get() >= SPINS):
            f.call("pthread_mutex_lock", "i32", [state.lock])
            state.sleepers.atomic_add(1)
            with f.repeat() as sleep:
                sleep.stop_if(state.generation.atomic_load() != seen.get())
                sleep.stop_if(state.stop.atomic_load() != 0)
                f.call("pthread_cond_wait", "i32", [state.call, state.lock])
            state.sleepers.atomic_add(-1)
            f.call("pthread_mutex_unlock", "i32", [state.lock])
        work.stop_if(state.stop.atomic_load() != 0)
        seen.set(state.generation.atomic_load())
        with f.when(f.args["number"] < state.limit.atomic_load()):
            state.active.atomic_add(1)
            with f.when(state.open.atomic_load() != 0):
                take_chunks(f, state)
            state.active.atomic_add(-1)
    f.ret()


def write_settings(module: Module) -> None:
    """Functions that set up and change the state."""
    f = module.function("pool_init", None, [])
    state: Any = _State(f)
    null = Value(f, PTR, "null")
    f.call("pthread_mutex_init", "i32", [state.lock, null])
    f.call("pthread_cond_init", "i32", [state.call, null])
    f.ret()
    f = module.function("pool_limit", None, [("limit", I64)])
    _State(f).limit.atomic_store(f.args["limit"])
    f.ret()
    f = module.function("pool_stop", None, [])
    state = _State(f)
    state.stop.atomic_store(1)
    f.call("pthread_mutex_lock", "i32", [state.lock])
    f.call("pthread_cond_broadcast", "i32", [state.call])
    f.call("pthread_mutex_unlock", "i32", [state.lock])
    f.ret()


def build() -> Module:
    module = Module("pool")
    module.globals["pool_state"] = f"@pool_state = global [{SIZE} x i8] zeroinitializer, align 64"
    for name, pointers in POSIX.items():
        module.declare(name, "i32", [PTR] * pointers)
    write_run(module)
    write_worker(module)
    write_settings(module)
    native.entry(module, "py_worker", "pool_worker", ["int"])
    for name in ("init", "stop"):
        native.entry(module, f"py_{name}", f"pool_{name}", [], release=False)
    native.entry(module, "py_limit", "pool_limit", ["int"], release=False)
    return module


def build_alone() -> Module:
    """The pool of a system without POSIX threads: every job runs on its caller."""
    module = Module("pool")
    f = module.function("pool_run", None, [("chunk", PTR), ("context", PTR), ("chunks", I64)])
    with f.range(f.args["chunks"]) as i:
        f.call_pointer(f.args["chunk"], None, [f.args["context"], i])
    f.ret()
    return module


# -- the pool of this process --------------------------------------------------------------------


class Pool:
    """The workers of this process and how many of them may take part."""

    def __init__(self) -> None:
        self.workers: list[threading.Thread] = []
        self.size = 1  # threads that may work on a job, the caller among them
        self.posix = sys.platform != "win32"
        if not self.posix:
            self.addresses = jit.load(("pool", "alone"), build_alone, ["pool_run"])
            return
        libc = ctypes.CDLL(None)
        symbols = {n: ctypes.cast(getattr(libc, n), ctypes.c_void_p).value for n in POSIX}
        self.addresses = jit.load(
            ("pool", SIZE, SPINS, PATIENCE),
            build,
            ["pool_run", "pool_state", "py_worker", "py_init", "py_stop", "py_limit"],
            {**native.symbols(), **symbols},  # type: ignore[dict-item]
        )
        self._work, self._init, self._stop, self._limit = (
            native.function(self.addresses[f"py_{n}"], f"pool_{n}")
            for n in ("worker", "init", "stop", "limit")
        )
        self._init()
        self._lock = threading.Lock()
        atexit.register(self.stop)
        os.register_at_fork(after_in_child=self._forget)

    def fit(self, threads: int) -> None:
        """Let `threads` threads work on a job, the caller among them; starts what is missing."""
        self.size = threads
        if not self.posix:
            return
        with self._lock:
            while len(self.workers) < threads - 1:
                number = len(self.workers)
                worker = threading.Thread(
                    target=self._work, args=(number,), name=f"rushlight-{number}", daemon=True
                )
                self.workers.append(worker)
                worker.start()
            self._limit(threads - 1)

    def stop(self) -> None:
        """End the workers: machine code must not run while the interpreter goes down."""
        self._limit(0)
        self._stop()
        for worker in self.workers:
            worker.join()
        self.workers = []

    def _forget(self) -> None:
        """In a forked child there are no workers, and a job may have been in progress."""
        ctypes.memset(self.addresses["pool_state"], 0, SIZE)
        self.workers = []
        self._lock = threading.Lock()
        self.size = 1
        self._init()


@functools.cache
def pool() -> Pool:
    return Pool()


def ready() -> None:
    """Called before a job that is worth several threads: brings the pool to the number set."""
    if pool().size != config.current.num_threads:
        pool().fit(config.current.num_threads)


def run_symbol() -> dict[str, int]:
    """What a kernel imports to share its work."""
    return {"pool_run": pool().addresses["pool_run"]}


def declare_run(module: Module) -> None:
    module.declare("pool_run", None, [PTR, PTR, I64])
