"""One pool of threads for all kernels.

`pool_run(chunk, context, chunks)` is a function for kernels: it calls `chunk(context, i)` for each
i below `chunks`, on the calling thread and on those workers that come in time. Chunks are handed
out one by one, so a worker that the operating system keeps waiting holds nobody up, and what
a chunk is depends on the work alone: results are the same for any number of threads. A pool that is
busy (two Python threads compute at once) does not wait: the second caller works alone.

A job is a function, its context, and one part of the chunks for each thread: a row of neighbours,
and how many of them are left. Everyone takes from a part of its own first, then from the others',
so that the data of a chunk are mostly in the cache of the core that had them in the last job. Who
takes one off a part and finds that some were left has a chunk, and the job stays until that chunk
is done; so a worker needs no leave to take part, and the caller waits only for chunks that were
begun.

Workers are Python threads that never come back from machine code. After a job they look for
the next one, and then sleep. How long they look is learned: twice as long after each job that came
soon, half as long after each that did not. Looking gives way to whoever else wants the core. A
worker that had to wait for its core is wary for some jobs: it looks briefly, and works in turns
that end between two chunks, before the system takes the core from it within one. `fit()` starts
workers when a large job first comes up; after a fork the child starts its own.

How threads sleep and read the clock is in `waiting.py`.
"""

from __future__ import annotations

import atexit
import ctypes
import functools
import os
import threading
from collections.abc import Callable
from typing import Any

from ... import config
from ..codegen.ir import I32, I64, PTR, Function, Module, Pointer, Value
from . import builtin, jit, memory, waiting
from .waiting import ROOM, System

LINE = 8  # i64 words in a cache line
# The shared words, in cache lines by who changes them when; behind them a line for each part.
LINES = (("generation", "chunk", "context", "parts"), ("done",), ("busy",),
         ("sleepers", "waiting", "stop", "limit"))  # fmt: skip
PLACES = {word: i * LINE + j for i, line in enumerate(LINES) for j, word in enumerate(line)}
PARTS = 64  # at most; with more threads some share a part
SIZE = (len(LINES) + PARTS) * LINE * 8 + ROOM

LOOKS = 64  # looks at a word between two looks at the clock: about a microsecond
# Nanoseconds
LATE = 50_000  # between two looks at the clock: others want this core
SHORTEST, LONGEST = 20_000, 500_000  # of looking for work before sleeping
TURN = 500_000  # of work on a core that others want, before they get it
PATIENCE = 200_000  # of waiting for chunks that workers have begun, before sleeping
WARY = 16  # jobs for which a worker remembers that others wanted its core


class _State:
    """The shared words, by name."""

    def __init__(self, f: Function) -> None:
        self.base = Pointer(f, "@pool_state", I64)

    def __getattr__(self, name: str) -> Pointer:
        return self.base.at(PLACES[name])

    @property
    def generation(self) -> Pointer:
        return Pointer(self.base.fn, self.base.text, I32)

    @property
    def finished(self) -> Pointer:
        """`done` as a word that can be slept on."""
        return Pointer(self.base.fn, self.done.text, I32)

    def part(self, i: Any) -> tuple[Pointer, Pointer]:
        """Of a part of the job: how many chunks are left, and the index after its last one."""
        line = self.base.at(len(LINES) * LINE).at(i * LINE)
        return line, line.at(1)

    @property
    def room(self) -> Pointer:
        return self.base.at((len(LINES) + PARTS) * LINE)


class _Worker:
    """What a worker knows of its own: `longest`, how long it looks for work; `since`, when it got
    its core; `wary`, for how many jobs more it expects others to want it."""

    WORDS = ("longest", "since", "wary")

    def __init__(self, f: Function, place: Pointer) -> None:
        self.place = place

    def __getattr__(self, name: str) -> Value:
        return self.place[self.WORDS.index(name)]

    def set(self, name: str, value: Any) -> None:
        self.place[self.WORDS.index(name)] = value


def take_chunks(
    f: Function, state: Any, own: Any, over: Callable[[], Value] | None = None
) -> Value:
    """Run chunks until none is left or it is `over`, first those of the part `own`; the number of
    those run."""
    count, part, stopped = f.var(0), f.var(own), f.var(0)
    parts = state.parts.atomic_load()
    with f.range(parts):
        left, end = state.part(part.get())
        with f.repeat() as more:
            more.stop_if(stopped.get() != 0)
            more.stop_if(left.atomic_load() <= 0)  # a look leaves the line to all cores
            number = left.atomic_add(-1)
            more.stop_if(number <= 0)  # others were quicker; below 0 it means nothing more
            chunk = f.emit(PTR, f"inttoptr i64 {state.chunk.atomic_load().text} to ptr")
            context = f.emit(PTR, f"inttoptr i64 {state.context.atomic_load().text} to ptr")
            f.call_pointer(chunk, None, [context, end.atomic_load() - number])
            count.set(count.get() + 1)
            if over is not None:
                with f.when(over()):
                    stopped.set(1)
        after = part.get() + 1
        part.set(f.select(after < parts, after, f.const(I64, 0)))
    taken: Value = count.get()
    return taken


def write_run(module: Module, system: System) -> None:
    f = module.function("pool_run", None, [("chunk", PTR), ("context", PTR), ("chunks", I64)])
    state: Any = _State(f)
    chunk, context, chunks = f.args["chunk"], f.args["context"], f.args["chunks"]
    alone = f.var(1)
    with f.when((chunks > 1) & (state.limit.atomic_load() > 0)):
        alone.set(state.busy.exchange(1))  # 1: the pool has a job of another Python thread
    with f.when(alone.get() != 0) as branch, f.range(chunks) as i:
        f.call_pointer(chunk, None, [context, i])
    with branch.otherwise():
        # In this order: a worker that still looks through the parts of the last job may take a
        # chunk of this one as soon as some are left, and reads all else afterwards.
        state.chunk.store(f.emit(I64, f"ptrtoint ptr {chunk.text} to i64"))
        state.context.store(f.emit(I64, f"ptrtoint ptr {context.text} to i64"))
        limit = state.limit.atomic_load()
        parts = f.select(limit < PARTS, limit + 1, f.const(I64, PARTS))
        state.parts.atomic_store(parts)
        state.done.atomic_store(0)
        with f.range(parts) as i:
            left, end = state.part(i)
            first, after = chunks * i // parts, chunks * (i + 1) // parts
            end.atomic_store(after)
            left.atomic_store(after - first)
        state.generation.atomic_add(1)
        # A worker counts itself among the sleepers before its last look at the generation: either
        # it sees this one, or it is seen here.
        with f.when(state.sleepers.atomic_load() > 0):
            wanted = f.select(chunks <= limit, chunks - 1, limit)
            system.wake(f, state.room, state.generation, wanted)
        own = take_chunks(f, state, 0)
        with f.when(state.done.atomic_load() + own != chunks):  # workers have begun some
            f.call("pool_wait", None, [chunks - own])
        state.busy.atomic_store(0)  # nobody is in a chunk any more: the words may change
    f.ret()


def write_wait(module: Module, system: System) -> None:
    """Wait until workers have done so many chunks; asleep if that takes long, so that a worker that
    is kept from its core can come to this one."""
    f = module.function("pool_wait", None, [("count", I64)], private=True)
    state: Any = _State(f)
    place, count = f.buffer(I64, 2), f.args["count"]
    begin = system.clock(f, place)

    def there() -> Value:
        return state.done.atomic_load() == count

    with f.repeat() as wait:
        look(f, system, there)
        wait.stop_if(there())
        wait.stop_if(system.clock(f, place) - begin > PATIENCE)
    with f.when(~there()):
        state.waiting.atomic_store(1)
        with f.repeat() as sleep:
            seen = state.finished.atomic_load()
            sleep.stop_if(there())
            system.sleep(f, state.room, state.finished, seen)
        state.waiting.atomic_store(0)
    f.ret()


def look(f: Function, system: System, there: Callable[[], Value]) -> None:
    """Look some times, for about a microsecond, unless it is there."""
    looks = f.var(0)
    with f.repeat() as few:
        few.stop_if(there())
        few.stop_if(looks.get() >= LOOKS)
        system.relax(f)
        looks.set(looks.get() + 1)


def write_give_way(module: Module, system: System) -> None:
    """Give way and notice whether somebody took the core; the time after it."""
    f = module.function("pool_give_way", I64, [("mine", PTR)], private=True)
    mine, place = _Worker(f, f.args["mine"].of(I64)), f.buffer(I64, 2)
    before = system.clock(f, place)
    system.give_way(f)
    now = system.clock(f, place)
    with f.when(now - before > LATE):
        mine.set("wary", WARY)
        mine.set("since", now)
    f.ret(now)


def write_look(module: Module, system: System) -> None:
    """Look for a job for as long as may be, then sleep until there is one; learn from it."""
    f = module.function("pool_look", None, [("seen", I32), ("mine", PTR)], private=True)
    state: Any = _State(f)
    mine, seen, place = _Worker(f, f.args["mine"].of(I64)), f.args["seen"], f.buffer(I64, 2)
    begin = system.clock(f, place)
    now = f.var(begin)
    wary = mine.wary
    mine.set("wary", f.select(wary > 0, wary - 1, wary))

    def there() -> Value:
        return (state.generation.atomic_load() != seen) | (state.stop.atomic_load() != 0)

    with f.repeat() as looking:
        look(f, system, there)
        looking.stop_if(there())
        before = now.get()
        now.set(system.clock(f, place))
        with f.when(now.get() - before > LATE):
            mine.set("wary", WARY)
            mine.set("since", now.get())
        with f.when(mine.wary == 0):
            now.set(f.call("pool_give_way", I64, [f.args["mine"]]))
        looking.stop_if(
            now.get() - begin > f.select(mine.wary > 0, f.const(I64, SHORTEST), mine.longest)
        )
    with f.when(~there()):
        state.sleepers.atomic_add(1)
        with f.repeat() as sleep:
            sleep.stop_if(there())
            system.sleep(f, state.room, state.generation, seen)
        state.sleepers.atomic_add(-1)
        now.set(system.clock(f, place))
        mine.set("since", now.get())
    longest = mine.longest
    soon = now.get() - begin < LONGEST
    more, less = longest * 2, longest // 2
    more = f.select(more < LONGEST, more, f.const(I64, LONGEST))
    less = f.select(less > SHORTEST, less, f.const(I64, SHORTEST))
    mine.set("longest", f.select(soon, more, less))
    f.ret()


def write_worker(module: Module, system: System) -> None:
    f = module.function("pool_worker", None, [("number", I64)])
    state: Any = _State(f)
    seen = f.var(state.generation.atomic_load())
    mine, place = _Worker(f, f.buffer(I64, 3)), f.buffer(I64, 2)
    mine.set("longest", LONGEST)
    mine.set("since", 0)
    mine.set("wary", 0)
    stopped = f.var(0)

    def over() -> Value:
        """On a core that others want, chunks are taken for a turn: then nobody waits for one that
        was begun and is kept from its end."""
        with f.when(mine.wary > 0):
            late = system.clock(f, place) - mine.since > TURN
            stopped.set(f.convert(late, I64))
        found: Value = stopped.get() != 0
        return found

    with f.repeat() as work:
        f.call("pool_look", None, [seen.get(), mine.place])
        work.stop_if(state.stop.atomic_load() != 0)
        seen.set(state.generation.atomic_load())
        with f.when(f.args["number"] < state.limit.atomic_load()), f.repeat() as turns:
            stopped.set(0)
            parts = state.parts.atomic_load()
            count = take_chunks(f, state, (f.args["number"] + 1) % parts, over)
            with f.when(count > 0):
                state.done.atomic_add(count)  # then it asks who waits; the caller does the reverse
                with f.when(state.waiting.atomic_load() != 0):
                    system.wake(f, state.room, state.finished, f.const(I64, 1))
            turns.stop_if(stopped.get() == 0)
            f.call("pool_give_way", I64, [mine.place])
    f.ret()


def write_settings(module: Module, system: System) -> None:
    """Functions that set up and change the state."""
    f = module.function("pool_init", None, [])
    state: Any = _State(f)
    system.start(f, state.room)
    f.ret()
    f = module.function("pool_limit", None, [("limit", I64)])
    _State(f).limit.atomic_store(f.args["limit"])
    f.ret()
    f = module.function("pool_stop", None, [])
    state = _State(f)
    state.stop.atomic_store(1)
    state.generation.atomic_add(1)  # the word that sleepers wait for
    system.wake(f, state.room, state.generation, f.const(I64, 1 << 30))
    f.ret()


def build(system: System) -> Module:
    module = Module("pool")
    module.globals["pool_state"] = f"@pool_state = global [{SIZE} x i8] zeroinitializer, align 64"
    system.declare(module)
    write_run(module, system)
    write_wait(module, system)
    write_give_way(module, system)
    write_look(module, system)
    write_worker(module, system)
    write_settings(module, system)
    builtin.entry(module, "py_worker", "pool_worker", ["int"])
    for name in ("init", "stop"):
        builtin.entry(module, f"py_{name}", f"pool_{name}", [], release=False)
    builtin.entry(module, "py_limit", "pool_limit", ["int"], release=False)
    return module


# -- the pool of this process --------------------------------------------------------------------


class Pool:
    """The workers of this process and how many of them may take part."""

    # (`size` is read by machine code, too)
    __slots__ = ("_init", "_limit", "_lock", "_stop", "_work", "addresses", "size", "workers")

    def __init__(self, system: System | None = None) -> None:
        self.workers: list[threading.Thread] = []
        self.size = 1  # threads that may work on a job, the caller among them
        system = system or waiting.system()
        self.addresses = jit.load(
            ("pool", system.name, SIZE, LOOKS, LATE, SHORTEST, LONGEST, TURN, PATIENCE, WARY),
            lambda: build(system),
            ["pool_run", "pool_state", "py_worker", "py_init", "py_stop", "py_limit"],
            {**builtin.symbols(), **system.symbols()},
        )
        self._work, self._init, self._stop, self._limit = (
            builtin.function(self.addresses[f"py_{n}"], f"pool_{n}")
            for n in ("worker", "init", "stop", "limit")
        )
        self._init()
        self._lock = threading.Lock()
        atexit.register(self.stop)
        if hasattr(os, "register_at_fork"):
            os.register_at_fork(after_in_child=self._forget)

    def fit(self, threads: int) -> None:
        """Let `threads` threads work on a job, the caller among them; starts what is missing."""
        self.size = threads
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
    memory.ready()
    if pool().size != config.current.num_threads:
        pool().fit(config.current.num_threads)


def stop() -> None:
    """End all threads of kernels, so that this process can be forked; a forked one makes its own.

    This process computes with one thread from now on.
    """
    if pool.cache_info().currsize:
        pool().stop()
    memory.stop()


def run_symbol() -> dict[str, int]:
    """What a kernel imports to share its work."""
    return {"pool_run": pool().addresses["pool_run"]}


def declare_run(module: Module) -> None:
    module.declare("pool_run", None, [PTR, PTR, I64])
