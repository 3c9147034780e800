"""Timing: our process and PyTorch's, in turns, for several rounds; ratios of neighbours.

Every round starts a fresh process for each library. They take turns row by row (who begins changes
with the round), so what slows the machine down for a while meets both; the one that waits sleeps.
A row's time in a round is the median of its samples, its ratio is the median over the rounds.

    python -m benchmarks.peers rushlight --threads 2    one process: requests and answers as lines
                                                        of JSON (used by `Side`)

Not here: what is timed (`work.py`), whether the machine is idle (`machine.py`).
"""

from __future__ import annotations

import argparse
import contextlib
import functools
import gc
import importlib
import importlib.util
import json
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterable
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from . import in_front, jax_forms
from .machine import ROOT, arithmetic, matrix_unit
from .overhead import plain_environment
from .work import FIRST, ROWS

SHORTEST = 0.005  # seconds of a sample: a quick call is repeated in it
BUSY = """import os
parent = os.getppid()
while os.getppid() == parent:  # so that nothing runs on when the parent is killed
    for _ in range(1_000_000):
        pass
"""


# -- one process ---------------------------------------------------------------------------------


def measure(
    call: Callable[[], Any],
    seconds: float,
    least: int = 5,
    clock: Callable[[], float] = time.perf_counter,
    beside: Callable[[], object] | None = None,
) -> float:
    """Seconds of a call: the median of at least `least` samples that take about `seconds`. `beside`
    is called after each of them."""

    def sample(number: int) -> float:
        begin = clock()
        for _ in range(number):
            call()
        return (clock() - begin) / number

    sample(2)  # compiles, allocates, wakes threads
    once = sample(1)
    number = max(1, int(SHORTEST / max(once, 1e-9)))
    if number > 1:
        number = max(1, int(SHORTEST / max(sample(number), 1e-9)))
    count = max(least, int(seconds / max(SHORTEST, once)))
    samples = []
    for _ in range(count):
        samples.append(sample(number))
        if beside is not None:
            beside()
    return statistics.median(samples)


def measure_beside_peak(call: Callable[[], Any], seconds: float, least: int) -> dict[str, float]:
    """Seconds of a call, and the GFLOP/s that arithmetic alone reaches between its samples. A
    neighbour on the host may take less from registers than from caches, but both at one time."""
    most, flops, _ = arithmetic()
    peaks = []

    def peak() -> None:
        begin = time.perf_counter()
        most()
        peaks.append(flops / (time.perf_counter() - begin) / 1e9)

    peak()
    peaks.clear()
    found = measure(call, seconds, least, beside=peak)
    return {"seconds": found, "peak": statistics.median(peaks)}


def most_memory() -> int | None:
    """Bytes that this process held at most (VmHWM: since it began, unlike `ru_maxrss`)."""
    try:
        status = Path("/proc/self/status").read_text(encoding="ascii")
    except OSError:
        return None
    kilobytes = next(line.split()[1] for line in status.splitlines() if line.startswith("VmHWM"))
    return int(kilobytes) * 1024


def compiling(torch: Any) -> float:
    """Seconds that LLVM took so far."""
    if torch.__name__ != "rushlight":
        return 0.0
    return float(importlib.import_module("rushlight.kernels.runtime.jit").counts.seconds)


def answer(torch: Any, request: dict[str, Any]) -> Any:
    """What a process does for one request."""
    if request["what"] == "ready":
        return None
    if "compiled" in request:
        from . import compiled_rounds  # here: it is made of this file

        return compiled_rounds.answer(torch, request)
    if torch.__name__ == "jax":
        call = jax_forms.FORMS[request["row"]](torch)
        return measure(call, request["seconds"], request["least"])
    if request["what"] == "first":
        torch.manual_seed(0)
        return first(torch, FIRST[request["row"]](torch))
    row = ROWS[request["row"]]
    if row.in_front:
        without_kernels()
    torch.manual_seed(0)
    call = row.make(torch)
    if request["what"] == "time":
        gc.collect()
        return measure(call, request["seconds"], request["least"]) / row.repeats
    if request["what"] == "share":
        gc.collect()
        found = measure_beside_peak(call, request["seconds"], request["least"])
        return {**found, "seconds": found["seconds"] / row.repeats}
    for _ in range(3):
        call()
    return most_memory()


def first(torch: Any, call: Callable[[], Any]) -> dict[str, float]:
    """Seconds of the first call of a process, and of compiling in it."""
    begin = time.perf_counter()
    call()
    return {"step": time.perf_counter() - begin, "compiling": compiling(torch)}


without_kernels = functools.cache(in_front.take_out)  # once a process


def serve(library: str, threads: int) -> None:
    torch = importlib.import_module(library)
    if library != "jax":  # which takes all cores
        torch.set_num_threads(threads)
    for line in sys.stdin:
        try:
            found = {"value": answer(torch, json.loads(line))}
        except Exception as error:
            found = {"error": f"{type(error).__name__}: {str(error).splitlines()[0]}"}
        print(json.dumps(found), flush=True)


# -- both ----------------------------------------------------------------------------------------


class Side:
    """A process of one library, from the parent's end."""

    def __init__(
        self, library: str, threads: int, python: str = sys.executable, **environment: str
    ) -> None:
        names = ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS")
        counts = {name: str(threads) for name in (*names, "RUSHLIGHT_NUM_THREADS")}
        command = [python, "-m", "benchmarks.peers", library, "--threads", str(threads)]
        self.library = library
        self.process = subprocess.Popen(
            command,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
            cwd=ROOT,
            env={**plain_environment(), **counts, **environment},
        )

    def ask(self, what: str, row: str, **more: Any) -> Any:
        """The answer to a request; an error of the row is raised."""
        assert self.process.stdin is not None
        assert self.process.stdout is not None
        line = ""
        with contextlib.suppress(BrokenPipeError):
            self.process.stdin.write(json.dumps({"what": what, "row": row, **more}) + "\n")
            self.process.stdin.flush()
            line = self.process.stdout.readline()
        if not line:
            raise RowFailed(f"the process of {self.library} ended ({self.process.wait()})")
        found = json.loads(line)
        if "error" in found:
            raise RowFailed(f"{self.library}: {found['error']}")
        return found["value"]

    def __enter__(self) -> Side:
        return self

    def __exit__(self, *error: object) -> None:
        with contextlib.suppress(BrokenPipeError, subprocess.TimeoutExpired):
            self.process.communicate(timeout=10)  # closes its input, upon which it ends
        self.process.kill()
        self.process.wait()


class RowFailed(Exception):
    """A row could not be measured."""


@dataclass
class Figures:
    """What the rounds found for a row: seconds (bytes for memory), one entry a round."""

    ours: list[float] = field(default_factory=list)
    theirs: list[float] = field(default_factory=list)
    alone_ours: list[float] = field(default_factory=list)  # one thread, without the matrix unit
    alone_theirs: list[float] = field(default_factory=list)
    more: dict[str, list[float]] = field(default_factory=dict)
    error: str = ""
    jax: list[float] = field(default_factory=list)  # where it is installed and a row has a form
    alone_unit: list[float] = field(default_factory=list)  # one thread, with the matrix unit
    alone_peak: list[float] = field(default_factory=list)  # GFLOP/s, measured beside alone_ours

    @property
    def ratios(self) -> list[float]:
        pairs = zip(self.ours, self.theirs, strict=False)
        return [mine / theirs for mine, theirs in pairs if theirs]

    @property
    def ratio(self) -> float | None:
        return statistics.median(self.ratios) if self.ratios else None

    def note(self, name: str, value: float) -> None:
        self.more.setdefault(name, []).append(value)

    def add(self, other: Figures) -> None:
        """Enter another round."""
        for name in (
            "ours", "theirs", "alone_ours", "alone_theirs", "jax", "alone_unit", "alone_peak"
        ):  # fmt: skip
            getattr(self, name).extend(getattr(other, name))
        for name, values in other.more.items():
            self.more.setdefault(name, []).extend(values)
        self.error = self.error or other.error


@dataclass(frozen=True)
class Plan:
    """How much is measured."""

    rounds: int = 5
    threads: int = 2
    seconds: float = 0.4  # of each row, each library, each round
    least: int = 5  # samples


def libraries() -> list[str]:
    """Ours, and PyTorch where it is installed."""
    return ["rushlight", *(["torch"] if importlib.util.find_spec("torch") else [])]


@contextmanager
def busy_core() -> Any:
    """Another process that keeps one core busy."""
    with subprocess.Popen([sys.executable, "-c", BUSY]) as process:
        try:
            time.sleep(0.2)
            yield
        finally:
            process.kill()


def started(stack: ExitStack, threads: int, **environment: str) -> list[Side]:
    """A process of each library. All have imported it: the one that is slow at that must not take
    a core from another's first row."""
    sides = [stack.enter_context(Side(x, threads, **environment)) for x in libraries()]
    for side in sides:
        side.ask("ready", "")
    return sides


def one_round(names: Iterable[str], plan: Plan, number: int, results: dict[str, Figures]) -> None:
    """Measure the rows once and enter what was found. No process is left at the end."""
    names = list(names)
    options = {"seconds": plan.seconds, "least": plan.least}
    rows = [name for name in names if name in ROWS and not ROWS[name].in_front]
    if rows or "busy" in names:
        with ExitStack() as stack:
            sides = started(stack, plan.threads)
            for name in rows:
                with noted(results[name]) as f:
                    taken = turns(sides, number, name, options)
                    enter(taken, f.ours, f.theirs)
            measure_jax(rows, plan, results)
            if "busy" in names:
                with noted(results["busy"]) as f:
                    idle = turns(sides, number, "mnist_step", options)
                    with busy_core():
                        busy = turns(sides, number, "mnist_step", options)
                    f.ours.append(busy["rushlight"])
                    f.theirs.append(idle["rushlight"])
                    f.note("ours on an idle machine", idle["rushlight"])
                    if "torch" in busy:
                        f.note("PyTorch", busy["torch"])
                        f.note("PyTorch on an idle machine", idle["torch"])
    before = [name for name in names if name in ROWS and ROWS[name].in_front]
    in_front_of_kernels(before, plan, results)
    counted = [name for name in rows if ROWS[name].flops]
    if counted and number < 3:
        alone(counted, number, options, results)
    if number < 3:
        first_steps(names, plan, results)
    if "memory" in names and number < 2:
        with noted(results["memory"]) as f:
            taken = {}
            for library in libraries():
                with Side(library, plan.threads) as side:
                    taken[library] = side.ask("memory", "cifar_step") or 0
            enter(taken, f.ours, f.theirs)


def in_front_of_kernels(names: list[str], plan: Plan, results: dict[str, Figures]) -> None:
    """Rows that are measured without kernels: for us alone, in a process that computes nothing."""
    if names:
        with Side("rushlight", plan.threads) as side:
            side.ask("ready", "")
            for name in names:
                with noted(results[name]) as f:
                    taken = side.ask("time", name, seconds=plan.seconds, least=plan.least)
                    f.ours.append(taken)


def alone(
    names: list[str], number: int, options: dict[str, Any], results: dict[str, Figures]
) -> None:
    """Rows on one thread. The peak that they are set beside is that of vectors, so the matrix unit
    is forbidden; with it, where there is one, is another figure. The peak is measured between the
    samples of ours: neither a turn of PyTorch nor a minute lies between the two."""
    with ExitStack() as stack:
        sides = started(stack, 1, RUSHLIGHT_AMX="0")
        for name in names:
            with noted(results[name]) as f:
                for side in in_turn(sides, number):
                    if side.library == "rushlight":
                        found = side.ask("share", name, **options)
                        f.alone_ours.append(found["seconds"])
                        f.alone_peak.append(found["peak"])
                    else:
                        f.alone_theirs.append(side.ask("time", name, **options))
    if matrix_unit():
        with Side("rushlight", 1, RUSHLIGHT_AMX="1") as side:
            side.ask("ready", "")
            for name in names:
                with noted(results[name]) as f:
                    f.alone_unit.append(side.ask("time", name, **options))


def measure_jax(rows: list[str], plan: Plan, results: dict[str, Figures]) -> None:
    """The times of JAX, compiled, where it is installed and a row has a natural form for it."""
    wanted = [name for name in rows if name in jax_forms.FORMS]
    if not wanted or importlib.util.find_spec("jax") is None:
        return
    with Side("jax", plan.threads) as side:
        side.ask("ready", "")
        for name in wanted:
            with noted(results[name]) as f:
                f.jax.append(side.ask("time", name, seconds=plan.seconds, least=plan.least))


def first_steps(names: list[str], plan: Plan, results: dict[str, Figures]) -> None:
    """The first step in a fresh process, with an empty cache and with the cache that it left."""
    groups = (("first_cold", "first_warm"), ("first_resnet",), ("first_gpt",))
    for group in groups:  # the warm one needs the cold one before it
        wanted = [name for name in group if name in names]
        if not wanted:
            continue
        with tempfile.TemporaryDirectory() as folder:
            for name in group:
                with noted(results.get(name, Figures())) as f:
                    found = first_step("rushlight", name, plan.threads, RUSHLIGHT_CACHE=folder)
                    f.ours.append(found["step"])
                    f.note("of it compiling", found["compiling"])
                    f.note("the process from its start", found["whole"])
        if "torch" in libraries():
            found = {}
            with noted(results[wanted[0]]):
                found = first_step("torch", wanted[0], plan.threads)
            for name in wanted if found else ():
                results[name].note("PyTorch", found["step"])
                results[name].note("PyTorch, the process from its start", found["whole"])


def first_step(library: str, name: str, threads: int, **environment: str) -> dict[str, float]:
    """Seconds of the first step, of compiling in it, and of the process from its start."""
    begin = time.perf_counter()
    with Side(library, threads, **environment) as side:
        found = side.ask("first", name)
        return {**found, "whole": time.perf_counter() - begin}


def turns(sides: list[Side], number: int, name: str, options: dict[str, Any]) -> dict[str, float]:
    """A row's time of each library."""
    return {side.library: side.ask("time", name, **options) for side in in_turn(sides, number)}


def in_turn(sides: list[Side], number: int) -> list[Side]:
    """Who begins changes with the round."""
    return sides if number % 2 == 0 else sides[::-1]


def enter(taken: dict[str, float], ours: list[float], theirs: list[float]) -> None:
    ours.append(taken["rushlight"])
    if "torch" in taken:
        theirs.append(taken["torch"])


@contextmanager
def noted(figures: Figures) -> Any:
    """A row that fails says so in the report; the others go on."""
    try:
        yield figures
    except RowFailed as error:
        figures.error = str(error)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])  # type: ignore[union-attr]
    parser.add_argument("library")
    parser.add_argument("--threads", type=int, default=2)
    options = parser.parse_args()
    serve(options.library, options.threads)


if __name__ == "__main__":
    main()
