"""How a thread sleeps, wakes others, gives way and reads the clock, on each operating system.

A `System` writes these into a function that is being assembled. All of them wait for a word of
32 bits to change: Linux (`futex`) and Windows (`WaitOnAddress`) can do this as such; elsewhere
there is a mutex with a condition beside the word.

Written for Linux, macOS and Windows; run on Linux only so far, where the road of the others with a
condition is tested too. For Windows and macOS tests compile it and look at what it would call.
"""

from __future__ import annotations

import ctypes
import sys
from typing import Any, ClassVar

from ..codegen.ir import I32, I64, PTR, Function, Module, Pointer, Value
from . import jit

FUTEX = {"x86_64": 202, "aarch64": 98, "riscv64": 98}  # the number of the system call
WAIT_PRIVATE, WAKE_PRIVATE = 128, 129
ROOM = 512  # bytes for what a system keeps beside the word: a mutex and a condition of 256 each


Functions = dict[str, tuple[str | None, list[str]]]  # results and arguments, by name


class System:
    """The part that all systems share: names of functions, with types of result and arguments."""

    name = ""
    functions: ClassVar[Functions] = {}

    def __init__(self, triple: str = "") -> None:
        self.triple = triple or jit.target().machine.triple

    def declare(self, module: Module) -> None:
        for name, (returns, args) in self.functions.items():
            module.declare(name, returns, args)

    def symbols(self) -> dict[str, int]:
        """Addresses of the functions in this process."""
        libc = ctypes.CDLL(None)
        return {n: address(libc, n) for n in self.functions}

    def start(self, f: Function, room: Pointer) -> None:
        """Set up the room; it is zero before."""

    def sleep(self, f: Function, room: Pointer, word: Pointer, seen: Value) -> None:
        """Sleep while the word is `seen`, and perhaps not so long."""
        raise NotImplementedError

    def wake(self, f: Function, room: Pointer, word: Pointer, most: Value) -> None:
        """Wake up to `most` sleepers (or all); the word has changed."""
        raise NotImplementedError

    def relax(self, f: Function) -> None:
        """Tell the CPU that this is a waiting loop."""
        if self.triple.startswith(("x86", "i686")):
            f.intrinsic("llvm.x86.sse2.pause", None, [])
        elif self.triple.startswith(("aarch64", "arm64")):
            f.intrinsic("llvm.aarch64.hint", None, [f.const(I32, 1)])

    def give_way(self, f: Function) -> None:
        """Let another thread have this core, if one waits for it."""
        f.call("sched_yield", I32, [])

    def clock(self, f: Function, place: Pointer) -> Value:
        """Nanoseconds, from any beginning on; `place` is room for two words."""
        kind = 6 if "apple" in self.triple else 1  # CLOCK_MONOTONIC
        f.call("clock_gettime", I32, [f.const(I32, kind), place])
        return place[0] * 1_000_000_000 + place[1]


CLOCK: Functions = {
    "clock_gettime": (I32, [I32, PTR]),
    "sched_yield": (I32, []),
}


class Futex(System):
    """Linux."""

    name = "linux"
    functions: ClassVar[Functions] = {**CLOCK, "syscall": (I64, [I64, "..."])}

    def __init__(self, triple: str = "") -> None:
        super().__init__(triple)
        self.number = FUTEX[self.triple.split("-")[0]]

    def call(self, f: Function, word: Pointer, what: int, value: Value) -> None:
        given = f"i64 {self.number}, ptr {word.text}, i32 {what}, i32 {value.text}, ptr null"
        f.emit(I64, f"call i64 (i64, ...) @syscall({given})")

    def sleep(self, f: Function, room: Pointer, word: Pointer, seen: Value) -> None:
        self.call(f, word, WAIT_PRIVATE, seen)

    def wake(self, f: Function, room: Pointer, word: Pointer, most: Value) -> None:
        self.call(f, word, WAKE_PRIVATE, f.convert(most, I32))


class Condition(System):
    """macOS, and whatever else has POSIX threads."""

    name = "posix"
    functions: ClassVar[Functions] = {
        **CLOCK,
        "pthread_mutex_init": (I32, [PTR, PTR]),
        "pthread_mutex_lock": (I32, [PTR]),
        "pthread_mutex_unlock": (I32, [PTR]),
        "pthread_cond_init": (I32, [PTR, PTR]),
        "pthread_cond_wait": (I32, [PTR, PTR]),
        "pthread_cond_broadcast": (I32, [PTR]),
    }

    def start(self, f: Function, room: Pointer) -> None:
        null = Value(f, PTR, "null")
        f.call("pthread_mutex_init", I32, [room, null])
        f.call("pthread_cond_init", I32, [room.at(ROOM // 16), null])

    def sleep(self, f: Function, room: Pointer, word: Pointer, seen: Value) -> None:
        f.call("pthread_mutex_lock", I32, [room])
        with f.when(word.atomic_load() == seen):
            f.call("pthread_cond_wait", I32, [room.at(ROOM // 16), room])
        f.call("pthread_mutex_unlock", I32, [room])

    def wake(self, f: Function, room: Pointer, word: Pointer, most: Value) -> None:
        f.call("pthread_mutex_lock", I32, [room])
        f.call("pthread_cond_broadcast", I32, [room.at(ROOM // 16)])
        f.call("pthread_mutex_unlock", I32, [room])


class Windows(System):
    """Windows 8 and later."""

    name = "win32"
    functions: ClassVar[Functions] = {
        "WaitOnAddress": (I32, [PTR, PTR, I64, I32]),
        "WakeByAddressAll": (None, [PTR]),
        "SwitchToThread": (I32, []),
        "QueryPerformanceCounter": (I32, [PTR]),
        "QueryPerformanceFrequency": (I32, [PTR]),
    }

    def symbols(self) -> dict[str, int]:
        windll: Any = ctypes.WinDLL  # type: ignore[attr-defined]
        waits = windll("api-ms-win-core-synch-l1-2-0")
        kernel = windll("kernel32")
        return {n: address(waits if "Address" in n else kernel, n) for n in self.functions}

    def sleep(self, f: Function, room: Pointer, word: Pointer, seen: Value) -> None:
        old = f.buffer(I32, 1)
        old[0] = seen
        f.call("WaitOnAddress", I32, [word, old, f.const(I64, 4), f.const(I32, -1)])

    def wake(self, f: Function, room: Pointer, word: Pointer, most: Value) -> None:
        f.call("WakeByAddressAll", None, [word])

    def give_way(self, f: Function) -> None:
        f.call("SwitchToThread", I32, [])

    def clock(self, f: Function, place: Pointer) -> Value:
        f.call("QueryPerformanceCounter", I32, [place])
        f.call("QueryPerformanceFrequency", I32, [place.at(1)])
        return place[0] // (place[1] // 1_000_000) * 1000


def address(library: Any, name: str) -> int:
    found = ctypes.cast(getattr(library, name), ctypes.c_void_p).value
    if found is None:
        raise RuntimeError(f"{name} has no address")
    return found


def system() -> System:
    """This one."""
    if sys.platform == "win32":
        return Windows()
    if sys.platform == "linux" and jit.target().machine.triple.split("-")[0] in FUTEX:
        return Futex()
    return Condition()
