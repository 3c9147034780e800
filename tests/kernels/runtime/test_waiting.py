"""How threads sleep, wake others and read the clock, on each operating system."""

from __future__ import annotations

import ctypes
import sys
import threading
import time
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest

from rushlight.kernels.codegen.ir import I32, I64, PTR, Module
from rushlight.kernels.runtime import jit, threads, waiting

pytestmark = pytest.mark.skipif(not jit.available(), reason="no LLVM here, or RUSHLIGHT_JIT=0")
FOREIGN = [
    (waiting.Windows, "x86_64-pc-windows-msvc"),
    (waiting.Windows, "aarch64-pc-windows-msvc"),
    (waiting.Condition, "x86_64-apple-macosx"),
    (waiting.Condition, "arm64-apple-macosx"),
    (waiting.Futex, "x86_64-unknown-linux-gnu"),
    (waiting.Futex, "aarch64-unknown-linux-gnu"),
]


@pytest.mark.parametrize(("system", "triple"), FOREIGN, ids=[triple for _, triple in FOREIGN])
def test_the_pool_can_be_made_for_other_systems(system: type[waiting.System], triple: str) -> None:
    """It compiles, and calls what that system has and nothing else."""
    import llvmlite.binding as llvm

    llvm.initialize_all_targets()
    llvm.initialize_all_asmprinters()
    there = system(triple)
    module = llvm.parse_assembly(threads.build(there).text())
    module.verify()
    machine = llvm.Target.from_triple(triple).create_target_machine(opt=2)
    assert machine.emit_object(module)
    called = {f.name for f in module.functions if f.is_declaration}
    called = {name for name in called if not name.startswith(("Py", "llvm."))}
    assert called == set(there.functions)
    wanted = "yield" if "aarch64" in triple or "arm64" in triple else "pause"
    assert wanted in machine.emit_assembly(module)


# -- the system of this machine --------------------------------------------------------------------


def functions(system: waiting.System) -> dict[str, Any]:
    """`sleep(room, word, seen)`, `wake(room, word, most)`, `clock(place)` and so on, compiled."""

    def build() -> Module:
        module = Module("waiting")
        system.declare(module)
        f = module.function("start", None, [("room", PTR)])
        system.start(f, f.args["room"].of("i8"))
        f.ret()
        f = module.function("sleep", None, [("room", PTR), ("word", PTR), ("seen", I64)])
        seen = f.convert(f.args["seen"], I32)
        system.sleep(f, f.args["room"].of(I64), f.args["word"].of(I32), seen)
        f.ret()
        f = module.function("wake", None, [("room", PTR), ("word", PTR), ("most", I64)])
        system.wake(f, f.args["room"].of(I64), f.args["word"].of(I32), f.args["most"])
        f.ret()
        f = module.function("clock", I64, [("place", PTR)])
        f.ret(system.clock(f, f.args["place"].of(I64)))
        f = module.function("pause", None, [])
        system.relax(f)
        system.give_way(f)
        f.ret()
        return module

    names = ["start", "sleep", "wake", "clock", "pause"]
    found = jit.load(("test_waiting", system.name), build, names, system.symbols())
    pointer = ctypes.c_int64
    kinds = {"start": (None, pointer), "clock": (pointer, pointer), "pause": (None,)}
    return {
        name: ctypes.CFUNCTYPE(*kinds.get(name, (None, pointer, pointer, pointer)))(found[name])
        for name in names
    }


SYSTEMS = ["own", "posix"]


def system_of(name: str) -> waiting.System:
    if name == "posix" and sys.platform == "win32":
        pytest.skip("no POSIX threads here")
    return waiting.system() if name == "own" else waiting.Condition()


@pytest.fixture(params=SYSTEMS)
def made(request: pytest.FixtureRequest) -> dict[str, Any]:
    return functions(system_of(request.param))


class Word:
    """A word of 32 bits with the room beside it."""

    def __init__(self, made: dict[str, Any], value: int) -> None:
        self.room = np.zeros(waiting.ROOM // 8 + 8, np.int64)
        self.word = np.array([value, 0], np.int32)
        self.places = (self.room.ctypes.data, self.word.ctypes.data)
        self.made = made
        made["start"](self.room.ctypes.data)

    def sleep(self, seen: int) -> None:
        self.made["sleep"](*self.places, seen)

    def wake(self, most: int) -> None:
        self.made["wake"](*self.places, most)


def test_nobody_sleeps_where_the_word_has_changed(made: dict[str, Any]) -> None:
    word = Word(made, 5)
    word.sleep(4)  # comes back at once
    word.wake(1)  # nobody is there


def test_sleepers_are_woken(made: dict[str, Any]) -> None:
    """All of them sleep while the word is as they saw it, and come back when it has changed."""
    word, back = Word(made, 0), []

    def work() -> None:
        while word.word[0] == 0:  # a sleep may end by itself
            word.sleep(0)
        back.append(int(word.word[0]))

    several = [threading.Thread(target=work, daemon=True) for _ in range(3)]
    for t in several:
        t.start()
    time.sleep(0.02)
    assert not back
    word.word[0] = 1
    for _ in range(100):
        word.wake(3)
        for t in several:
            t.join(0.05)
        if len(back) == 3:
            break
    assert back == [1, 1, 1]


def test_the_clock_counts_nanoseconds(made: dict[str, Any]) -> None:
    place = np.zeros(2, np.int64)

    def now() -> int:
        return int(made["clock"](place.ctypes.data))

    ours, begin = time.perf_counter_ns(), now()
    made["pause"]()
    time.sleep(0.01)
    theirs = now() - begin
    assert 8_000_000 < theirs < (time.perf_counter_ns() - ours) * 1.1
    assert now() >= begin
    if sys.platform == "linux":  # the clock that Python reads, too
        assert abs(now() - time.monotonic_ns()) < 1_000_000_000


def test_which_system_this_is(monkeypatch: pytest.MonkeyPatch) -> None:
    """A futex on Linux where its number is known, else a condition; Windows has its own."""
    machine = {}
    monkeypatch.setattr(waiting.jit, "target", lambda: SimpleNamespace(
        machine=SimpleNamespace(triple=machine["triple"])))  # fmt: skip
    for platform, triple, kind in (
        ("linux", "x86_64-unknown-linux-gnu", waiting.Futex),
        ("linux", "riscv64-unknown-linux-gnu", waiting.Futex),
        ("linux", "s390x-ibm-linux-gnu", waiting.Condition),
        ("darwin", "arm64-apple-macosx", waiting.Condition),
        ("win32", "x86_64-pc-windows-msvc", waiting.Windows),
    ):
        machine["triple"] = triple
        monkeypatch.setattr(waiting.sys, "platform", platform)
        assert type(waiting.system()) is kind
    assert waiting.Futex("aarch64-unknown-linux-gnu").number == 98


def test_a_function_that_a_library_has_not() -> None:
    with pytest.raises(AttributeError):
        waiting.address(ctypes.CDLL(None), "no_function_of_this_name")
