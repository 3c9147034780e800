"""`python -m rushlight --info`: what somebody needs to know who reads a report of a problem."""

from __future__ import annotations

import os
import platform
import sys
from collections.abc import Iterator
from pathlib import Path

import rushlight

from ..kernels import tuned
from . import tune
from .distribution import installed

# The vector and matrix extensions that decide which kernels can run, by /proc/cpuinfo's names.
FEATURES = """
    sse4_2 avx f16c fma avx2 avx512f avx512bw avx512vl avx512_vnni avx512_bf16 avx512_fp16
    avx_vnni amx_tile amx_bf16 amx_int8 asimd asimdhp asimddp sve sve2 bf16 i8mm
"""
NEEDED = ("numpy", "llvmlite", "ml_dtypes")
OPTIONAL = ("Pillow", "safetensors", "tensorboardX", "matplotlib", "torch", "torchvision")


def show() -> None:
    """Print it."""
    print(*lines(), sep="\n")


def lines() -> Iterator[str]:
    """Line by line, each part's title in front of its first."""
    width = 12
    for title, found in sections():
        for i, line in enumerate(found):
            yield f"{title if i == 0 else '':<{width}}{line}"


def sections() -> Iterator[tuple[str, list[str]]]:
    """Title and lines of each part."""
    from . import API, VISION_API

    yield "Rushlight", [f"{rushlight.__version__} in {Path(rushlight.__file__).parent}"]
    yield "follows", [f"PyTorch {API}, torchvision {VISION_API} (as torch.__version__ under -m)"]
    yield "Python", [f"{platform.python_version()} {sys.executable}", platform.platform()]
    yield "needs", [f"{name} {installed(name) or 'MISSING'}" for name in NEEDED]
    yield "optional", [f"{name} {installed(name) or 'not installed'}" for name in OPTIONAL]
    yield "CPU", list(cpu())
    yield "matrix unit", list(tune.shown(tune.in_short))
    yield "threads", list(threads())
    yield "memory", list(memory())
    yield "caches", list(caches())
    mine = {k: v for k, v in sorted(os.environ.items()) if k.startswith("RUSHLIGHT_")}
    yield "environment", [f"{k}={v}" for k, v in mine.items()] or ["no RUSHLIGHT_ variable is set"]


def cpu() -> Iterator[str]:
    """Model, features, caches."""
    fields = tuned.cpu_fields()
    yield fields.get("model name") or platform.processor() or platform.machine()
    flags = set((fields.get("flags") or fields.get("Features") or "").split())
    yield "features " + (" ".join(f for f in FEATURES.split() if f in flags) or "unknown")
    sizes = []
    for folder in sorted(Path("/sys/devices/system/cpu/cpu0/cache").glob("index*")):
        kind, level = read(folder / "type"), read(folder / "level")
        letter = {"Data": "d", "Instruction": "i"}.get(kind, "")
        sizes.append(f"L{level}{letter} {read(folder / 'size')}")
    if sizes:
        yield "caches " + ", ".join(sizes)


def threads() -> Iterator[str]:
    """How many there are, how many may be used, how many are."""
    yield f"{rushlight.get_num_threads()} used by operations"
    affinity = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else None
    quota = read("/sys/fs/cgroup/cpu.max") or "unknown"
    yield f"{os.cpu_count()} in the machine, {affinity} by affinity, cgroup cpu.max {quota}"


def memory() -> Iterator[str]:
    """What the machine has, and what the container allows."""
    fields = dict(line.split(":", 1) for line in read("/proc/meminfo").splitlines() if ":" in line)
    for key in ("MemTotal", "MemAvailable"):
        if key in fields:
            yield f"{key} {int(fields[key].split()[0]) / 2**20:.1f} GiB"
    limit = read("/sys/fs/cgroup/memory.max")
    if limit.isdigit():
        yield f"limit of the container {int(limit) / 2**30:.1f} GiB"


def caches() -> Iterator[str]:
    """Folders in which Rushlight keeps what it can make again."""
    from ..kernels.runtime import disk

    if disk.base() is None:
        yield "compiled kernels are not kept (RUSHLIGHT_CACHE is empty, or there is no home)"
        return
    for kind, what in (("kernels", "compiled kernels"), ("texts", "functions written for ops")):
        files = disk.kept_files(kind)
        size = sum(p.stat().st_size for p in files)
        yield f"{disk.folder(kind)}: {len(files)} {what}, {size / 2**20:.1f} MiB"


def read(path: str | Path) -> str:
    """A short text file of the system; nothing where there is none."""
    try:
        return Path(path).read_text(encoding="utf-8", errors="replace").strip()
    except OSError:
        return ""
