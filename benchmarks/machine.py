"""The machine: what it is, whether it is idle, and how much it can do at most.

    python -m benchmarks.machine          print the description and the two peaks
    python -m benchmarks.machine --peaks  the peaks alone, as JSON (used by the report)

Peaks are measured, not looked up. Arithmetic: independent fused multiply-adds on full vectors, in
registers, by one thread, as machine code from LLVM; where that cannot be made, NumPy's product of
matrices stands in for it (and the report says so). Memory: NumPy's copy of 64 MB by each thread,
read and written bytes together.

Company is counted on Linux alone: elsewhere nothing is refused.
"""

from __future__ import annotations

import argparse
import importlib.metadata
import json
import os
import platform
import resource
import subprocess
import sys
import time
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

LIMIT = 0.1  # cores that others may keep busy
PACKAGES = ("numpy", "llvmlite", "torch", "jax")
ROOT = Path(__file__).parent.parent


# -- company -------------------------------------------------------------------------------------


def busy_seconds(stat: str, ticks: int) -> float:
    """Processor seconds since the start of the machine, from the text of /proc/stat: all but idle
    time, what the host took away (steal) included."""
    user, nice, system, _idle, _wait, irq, soft, steal = map(int, stat.split("\n")[0].split()[1:9])
    return (user + nice + system + irq + soft + steal) / ticks


def own_seconds() -> float:
    """Processor seconds of this process and of the children that ended."""
    both = (resource.getrusage(who) for who in (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN))
    return sum(used.ru_utime + used.ru_stime for used in both)


class Watch:
    """How many cores other processes keep busy from now on. Children count as ours once they have
    ended, so ask when none is left."""

    def __init__(self) -> None:
        self.begin = self.now()

    @staticmethod
    def now() -> tuple[float, float, float] | None:
        try:
            stat = Path("/proc/stat").read_text(encoding="ascii")
        except OSError:
            return None
        busy = busy_seconds(stat, os.sysconf("SC_CLK_TCK"))
        return time.perf_counter(), busy, own_seconds()

    def others(self) -> float | None:
        """Cores, on average; None where the system does not tell."""
        end = self.now()
        if self.begin is None or end is None:
            return None
        wall, busy, own = (e - b for b, e in zip(self.begin, end, strict=True))
        return max(0.0, busy - own) / wall


def others_now(seconds: float = 2.0) -> float | None:
    """Cores that other processes keep busy at this moment."""
    watch = Watch()
    time.sleep(seconds)
    return watch.others()


def refusal(cores: float) -> str:
    return (
        f"the machine is loaded: figures would mislead\n"
        f"  got     other processes keep {cores:.2f} cores busy\n"
        f"  wanted  at most {LIMIT}\n"
        f"  try     again when they have ended, or --force for figures that are marked"
    )


# -- description ---------------------------------------------------------------------------------


def cpu_name() -> str:
    try:
        lines = Path("/proc/cpuinfo").read_text(encoding="utf-8").splitlines()
    except OSError:
        return platform.processor() or platform.machine()
    named = [line.partition(":")[2].strip() for line in lines if line.startswith("model name")]
    return named[0] if named else platform.machine()


def matrix_unit() -> bool:
    """Whether Linux tells of one (AMX)."""
    try:
        return "amx_tile" in Path("/proc/cpuinfo").read_text(encoding="utf-8").split()
    except OSError:
        return False


def unit_choice() -> str | None:
    """What is computed by the matrix unit, and why; None where there is none."""
    from rushlight.kernels import tuned

    if not matrix_unit():
        return None
    found = tuned.chosen()
    return f"for {' and '.join(found.groups) or 'nothing'}, {found.why}"


def version(package: str) -> str | None:
    try:
        return importlib.metadata.version(package)
    except importlib.metadata.PackageNotFoundError:
        return None


def commit() -> str | None:
    """The commit that is checked out; a star: files differ from it."""
    git = ["git", "-C", str(ROOT)]
    try:
        head = subprocess.run(
            [*git, "rev-parse", "--short", "HEAD"], capture_output=True, text=True
        )
        changed = subprocess.run(
            [*git, "status", "--porcelain", "-uno"], capture_output=True, text=True
        )
    except OSError:
        return None
    return head.stdout.strip() + ("*" if changed.stdout.strip() else "") or None


def description() -> dict[str, Any]:
    """What the report says of the machine."""
    pages = os.sysconf("SC_PHYS_PAGES") * os.sysconf("SC_PAGE_SIZE")
    cores = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count()
    return {
        "cpu": cpu_name(),
        "unit": unit_choice(),
        "cores": cores,
        "memory": pages / 2**30,
        "system": f"{platform.system()} {platform.release()}",
        "python": platform.python_version(),
        "versions": {name: version(name) for name in PACKAGES},
        "commit": commit(),
        "date": datetime.now(UTC).strftime("%Y-%m-%d %H:%M UTC"),
    }


# -- peaks ---------------------------------------------------------------------------------------

CHAINS = 12  # sums that do not wait for each other: more than latency times units of any CPU


def fused_multiply_adds(lanes: int) -> Any:
    """A kernel with an array for the result and a number of rounds of `CHAINS` vector FMAs."""
    from rushlight.kernels.codegen import ir
    from rushlight.kernels.runtime import builtin, jit

    def build() -> ir.Module:
        module = ir.Module("fma_peak")
        f = module.function("run", None, [("to", ir.PTR), ("rounds", ir.I64)])
        to = f.args["to"].of(ir.F32)
        kind = ir.vector(ir.F32, lanes)
        factor = to.load(0, lanes)  # loaded, so that nothing can be computed beforehand
        sums = [f.var(f.const(kind, float(i))) for i in range(CHAINS)]
        with f.range(0, f.args["rounds"], unroll=4):
            for s in sums:
                s.set(f.fma(s.get(), factor, factor))
        total = sums[0].get()
        for s in sums[1:]:
            total = total + s.get()
        to.store(total, 0)
        f.ret()
        builtin.entry(module, "call", "run", ["array", "int"])
        return module

    found = jit.load(("fma_peak", lanes, CHAINS), build, ["call"], builtin.symbols())
    return builtin.function(found["call"], "fma_peak")


def arithmetic() -> tuple[Callable[[], object], float, str]:
    """A call of some milliseconds that one thread computes as fast as it can in float32; how many
    floating-point operations it has, and which."""
    import numpy as np

    from rushlight.kernels.runtime import jit

    if jit.available():
        lanes = jit.target().lanes
        kernel = fused_multiply_adds(lanes)
        room, rounds = np.full(lanes, 0.5, np.float32), 1_000_000
        flops, how = 2 * lanes * CHAINS * rounds, "fused multiply-adds in registers"
        return lambda: kernel(room, rounds), flops, how
    a = np.ones((1024, 1024), np.float32)
    how = "NumPy's product of 1024x1024, a proxy: no machine code here"
    return lambda: a @ a, 2 * 1024**3, how


def arithmetic_peak() -> tuple[float, str]:
    """GFLOP/s of one thread in float32, and how it was measured."""
    call, flops, how = arithmetic()
    return flops / best(call, 60) / 1e9, how


def copy_bandwidth(threads: int) -> float:
    """GB/s, read and written together, of as many threads copying 64 MB each."""
    import numpy as np

    pairs = [(np.ones(1 << 24, np.float32), np.empty(1 << 24, np.float32)) for _ in range(threads)]
    with ThreadPoolExecutor(threads) as pool:

        def copy() -> None:
            list(pool.map(lambda pair: np.copyto(pair[1], pair[0]), pairs))

        seconds = best(copy)
    return 2 * threads * pairs[0][0].nbytes / seconds / 1e9


def best(call: Any, repeats: int = 12) -> float:
    """Seconds of the fastest of some calls, after one to warm up."""
    call()
    times = []
    for _ in range(repeats):
        begin = time.perf_counter()
        call()
        times.append(time.perf_counter() - begin)
    return min(times)


def peaks(threads: int) -> dict[str, Any]:
    """Both peaks, measured in a process of its own (one thread of NumPy's BLAS)."""
    command = [sys.executable, "-m", "benchmarks.machine", "--peaks", "--threads", str(threads)]
    env = {**os.environ, "OMP_NUM_THREADS": "1"}
    done = subprocess.run(command, capture_output=True, text=True, check=True, env=env, cwd=ROOT)
    return dict(json.loads(done.stdout.splitlines()[-1]))


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])  # type: ignore[union-attr]
    parser.add_argument("--peaks", action="store_true")
    parser.add_argument("--threads", type=int, default=2)
    options = parser.parse_args()
    if options.peaks:
        gflops, how = arithmetic_peak()
        copy = copy_bandwidth(options.threads)
        code = how.startswith("fused")
        print(json.dumps({"gflops": gflops, "how": how, "copy": copy, "machine_code": code}))
        return
    found = {**description(), **peaks(options.threads), "others": others_now()}
    for name, value in found.items():
        print(f"{name:10}{value}")


if __name__ == "__main__":
    main()
